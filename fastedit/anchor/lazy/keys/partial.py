"""Reads what a snippet shows of a JSON object: without remarks, with the commas it lacks, closed where it is open."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tree_sitter import Node

from fastedit.syntax.parse import parse_bytes

GAP = '"..."'
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_BEFORE_CLOSING = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(\s*[}\]])')
_STRING = r'"(?:[^"\\\n]|\\.)*"'
# What is left out inside of a line: values that are nothing but dots, or that are none, and dots outside of strings.
_LEFT_OUT = re.compile(rf'({_STRING}\s*:)[ \t]*(?:"…"|\.{{3}}|…|(?=[,}}\n]|$))|({_STRING})|\.{{3}}|…')
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]")
_OPENED = re.compile(r"([{\[]\s*),")
_BETWEEN = re.compile(r'([}\]"\w])([ \t]*\n\s*")')


def with_gaps(shown: Sequence[str], elided: Collection[int]) -> str:
    """The snippet's text with a sign as an item wherever something of a list is left out."""
    lines: list[str] = []
    opened: list[str] = []
    for number, line in enumerate((*shown, "")):
        if number in elided and opened and opened[-1] == "[":
            if lines and lines[-1].rstrip()[-1:] not in "[,":
                lines[-1] += ","
            lines.append(GAP + ("" if line.strip()[:1] in ("]", "") else ","))
        lines.append(line)
        for sign in re.findall(r"[\[\]{}]", _COMMENT.sub("", line)):
            if sign in "[{":
                opened.append(sign)
            elif opened:
                opened.pop()
    return "\n".join(lines[:-1])


def read_snippet(snippet: str) -> tuple[bytes, Node | None]:
    """The snippet's text, in braces where it has none, and its object; None where it doesn't parse.

    Where it doesn't as it is, remarks in it are left out, and commas that are missing beside them or left over; then
    values that aren't shown have a sign in their place, too.
    """
    plain = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", snippet).strip()
    plain = _BEFORE_CLOSING.sub(lambda found: found[1] or found[2], _BETWEEN.sub(r"\1,\2", plain)).rstrip(",")
    less = _LEFT_OUT.sub(lambda found: f"{found[1]} {GAP}" if found[1] else found[2] or "", plain)
    less = _OPENED.sub(r"\1", _BEFORE_CLOSING.sub(lambda found: found[1] or found[2], _BETWEEN.sub(r"\1,\2", less)))
    for one in (snippet, plain, less.strip().rstrip(","), _closed(less)):
        for text in (one, "{\n" + one + "\n}"):
            encoded = text.encode()
            found = object_of(encoded)
            if found is not None and found.start_byte == 0 and found.end_byte == len(encoded):
                return encoded, found
    return b"", None


def _closed(snippet: str) -> str:
    """A snippet with what it leaves open closed, or without closing signs too many at its end; "" for any other."""
    opened: list[str] = []
    end = len(snippet)
    for found in _BRACKET.finditer(snippet):
        if found[0] in "[{":
            opened.append(found[0])
        elif found[0] in "]}" and opened:
            opened.pop()
        elif found[0] in "]}":
            end = found.start()
            break
    if snippet[end:].strip("]}, \t\n"):
        return ""
    text = snippet[:end].strip().rstrip(",")
    for sign in reversed(opened if end == len(snippet) else []):
        if text[-1] == "[":
            return ""
        text += f",\n{GAP}]" if sign == "[" else "\n}"
    return text


def object_of(source: bytes) -> Node | None:
    """The object that a text is; None where it is none, or has remarks beside it."""
    tree = parse_bytes(source, "json")
    if tree is None or tree.root_node.has_error:
        return None
    nodes = tree.root_node.named_children
    values = [node for node in nodes if node.type != "comment"]
    if len(values) != 1 or values[0].type != "object" or any(node.type == "comment" for node in nodes):
        return None
    return values[0]
