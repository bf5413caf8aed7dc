"""Languages with blocks in braces: what stands before a brace says what the block is."""

from __future__ import annotations

import re

from fastedit.syntax.languages import tokens
from fastedit.syntax.model import Found
from fastedit.syntax.scanners.common import Rows, declaration

# Here the header itself is the name: a selector, a directive.
_HEADER_IS_NAME = frozenset({"less", "scss", "nginx"})
_FUNCTION = re.compile(r"(?:@mixin|@function|(?:[\w@]+\s+)*?(?:function|sub|func|fn|def|filter))\s+([\w:.-]+)", re.I)
_TYPE = re.compile(
    r"\b(?:class|interface|enum|struct|union|message|service|contract|library|module|namespace|extension|mixin|trait"
    r"|protocol|implementation|package|type|input|model|oneof|datasource|generator)\s+([\w.:$-]+)"
)
_CONTROL = re.compile(
    r"@?(?:if|else|elsif|elseif|for|foreach|each|while|switch|do|try|catch|finally|return|case|default|with|unless"
    r"|include|process|begin|end|trap)\b",
    re.I,
)
_CALL = re.compile(r"(?<![\w$.~:-])([\w$~][\w$.~:-]*+)\s*+(?:<[^<>]*+>)?\s*+\(")
_BOUNDARIES = frozenset("{};")
# What a statement without a block declares inside one: a method, a field or an enum's value of a protocol buffer.
_MEMBER = re.compile(r"\s*(?:rpc\s+(?P<method>\w+)\s*\(|(?:[\w.<>, \t]+\s)?(?P<field>\w+)\s*=\s*\d)")
_LANGUAGES_WITH_MEMBERS = frozenset({"proto"})
_MAX_HEADER = 400


def find(text: str, language: str) -> list[Found]:
    """The named blocks of the text. A header starts behind the last `;`, `{` or `}` and comment above it."""
    rows = Rows(text)
    found: list[Found] = []
    blocks: list[Found | None] = []
    header_start = seen = num_parentheses = 0
    for what, start, end in tokens(text, language):
        # Only what is new since the last token is looked at: a header may be a file long.
        if what == "comment" and seen == header_start and not text[seen:start].strip():
            header_start = end
        seen = end
        num_parentheses = max(0, num_parentheses + (what in ("(", "[")) - (what in (")", "]")))
        if what not in _BOUNDARIES or num_parentheses:
            continue
        if what == "{":
            blocks.append(_block(text, language, header_start, start, rows))
            found.extend(blocks[-1:] if blocks[-1] is not None else ())  # type: ignore[arg-type]
        elif what == "}" and blocks:
            _end(blocks.pop(), rows.of(start) + 1)
        elif what == ";" and blocks and language in _LANGUAGES_WITH_MEMBERS:
            found.extend(_member(text, header_start, end, rows))
        header_start = end
    for block in blocks:
        _end(block, rows.num_rows)
    return found


def _end(block: Found | None, end_line: int) -> None:
    if block is not None:
        block.end_line = max(block.body_line, end_line)


def _block(text: str, language: str, start: int, brace: int, rows: Rows) -> Found | None:
    """The declaration with the header text[start:brace]; None for control flow and bare braces."""
    start = max(start, brace - _MAX_HEADER)
    raw = text[start:brace]
    header = " ".join(raw.split())
    kind, name = _kind_and_name(header, language)
    if not name:
        return None
    first = rows.of(start + len(raw) - len(raw.lstrip()))
    behind = rows.of(brace) + 1
    return declaration(kind, name, first, behind, behind, header)


def _member(text: str, start: int, end: int, rows: Rows) -> list[Found]:
    """The method, field or value that a statement, text[start:end], declares, in a list that may be empty."""
    start = max(start, end - _MAX_HEADER)
    named = _MEMBER.match(text, start, end)
    if named is None:
        return []
    raw = text[start:end]
    first, behind = rows.of(start + len(raw) - len(raw.lstrip())), rows.of(end - 1) + 1
    kind, name = ("function", named["method"]) if named["method"] else ("value", named["field"])
    return [declaration(kind, name, first, behind, behind, raw)]


def _kind_and_name(header: str, language: str) -> tuple[str, str]:
    """The kind and the name of what the header declares; no name where it declares nothing."""
    named = _FUNCTION.match(header)
    if named is not None:
        return "function", named[1]
    if not header or _CONTROL.match(header):
        return "", ""
    if language in _HEADER_IS_NAME:
        return "block", header
    called, typed = _CALL.search(header), _TYPE.search(header)
    if typed is not None and (called is None or typed.start() < called.start()):
        return "class", typed[1]
    if called is not None:
        return ("", "") if "=" in header[: called.start()] else ("function", called[1])
    return "block", header.rstrip("=: ")
