"""Partial JSON objects merged key by key: `{"compilerOptions": {"strict": true}}` says what changes, not the rest.

Rows tell little in JSON: keys stand in any order, and commas depend on what follows. So besides the search a reading
is made from the two trees: values of known keys are replaced, new keys come behind the one that the snippet shows
before them, in the alphabet's order where the file keeps to that, or last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from tree_sitter import Node

from fastedit.anchor.lazy.lines import Lines
from fastedit.syntax.parse import parse_bytes

LANGUAGES = frozenset({"json", "jsonc", "json5"})
MIN_SORTED = 3


def merged_by_keys(original: Lines, shown: Sequence[str], language: str) -> list[str] | None:
    """The original's lines with a partial object merged in; None where the snippet is no such thing or nothing fits."""
    if language not in LANGUAGES:
        return None
    source = "\n".join(original.texts).encode()
    root = _object_of(source)
    snippet = "\n".join(shown).strip().rstrip(",")
    text, part = _read_snippet(snippet)
    if root is None or part is None:
        return None
    target = root
    if not _shares_key(source, root, text, part):
        found = [node for node in _objects(root) if _shares_key(source, node, text, part)]
        if len(found) != 1:
            return None
        target = found[0]
    edits: list[tuple[int, int, bytes]] = []
    _merge(source, target, text, part, edits, original.indent_unit, Lines(text.decode().split("\n")).indent_unit)
    for start, end, new in sorted(edits, reverse=True):
        source = source[:start] + new + source[end:]
    return source.decode().split("\n")


def _read_snippet(snippet: str) -> tuple[bytes, Node | None]:
    """The snippet's text, in braces where it has none, and its object; None where it doesn't parse."""
    for text in (snippet, "{\n" + snippet + "\n}"):
        encoded = text.encode()
        found = _object_of(encoded)
        if found is not None and found.start_byte == 0 and found.end_byte == len(encoded):
            return encoded, found
    return b"", None


def _object_of(source: bytes) -> Node | None:
    tree = parse_bytes(source, "json")
    if tree is None or tree.root_node.has_error:
        return None
    nodes = tree.root_node.named_children
    values = [node for node in nodes if node.type != "comment"]
    if len(values) != 1 or values[0].type != "object" or any(node.type == "comment" for node in nodes):
        return None
    return values[0]


def _objects(node: Node) -> Iterator[Node]:
    for pair in _pairs(node):
        value = pair.child_by_field_name("value")
        if value is not None and value.type == "object":
            yield value
            yield from _objects(value)


def _pairs(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type == "pair"]


def _key(source: bytes, pair: Node) -> str:
    key = pair.child_by_field_name("key")
    return "" if key is None else source[key.start_byte : key.end_byte].decode()


def _shares_key(source: bytes, mine: Node, text: bytes, part: Node) -> bool:
    known = {_key(source, pair) for pair in _pairs(mine)}
    return any(_key(text, pair) in known for pair in _pairs(part))


def _merge(
    source: bytes,
    target: Node,
    text: bytes,
    part: Node,
    edits: list[tuple[int, int, bytes]],
    unit: str,
    shown_unit: str,
) -> None:
    known = {_key(source, pair): pair for pair in _pairs(target)}
    pairs = _pairs(target)
    before: Node | None = None
    for pair in _pairs(part):
        key, value = _key(text, pair), pair.child_by_field_name("value")
        if value is None:
            continue
        if key not in known:
            written = _written(text, pair, _indent_at(source, pairs[0] if pairs else target), unit, shown_unit)
            _insert(source, target, pairs, before, key, written, edits, unit)
            continue
        mine = known[key].child_by_field_name("value")
        before = known[key]
        if mine is None:
            continue
        if mine.type == value.type == "object" and _pairs(mine):
            _merge(source, mine, text, value, edits, unit, shown_unit)
        elif _value(source, mine) != _value(text, value):
            written = _written(text, value, _indent_at(source, known[key]), unit, shown_unit)
            edits.append((mine.start_byte, mine.end_byte, written))


def _value(source: bytes, node: Node) -> Any:
    try:
        return json.loads(source[node.start_byte : node.end_byte])
    except ValueError:
        return source[node.start_byte : node.end_byte]


def _indent_at(source: bytes, node: Node) -> str:
    """The indentation of the line that a node begins in."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    line = source[start : node.start_byte].decode()
    return line[: len(line) - len(line.lstrip())]


def _written(text: bytes, node: Node, indent: str, unit: str, shown_unit: str) -> bytes:
    """A node's text with its later lines indented as the file does."""
    first, *rest = text[node.start_byte : node.end_byte].decode().split("\n")
    base = len(_indent_at(text, node))
    step = max(1, len(shown_unit))
    lines = [first]
    for line in rest:
        columns = len(line) - len(line.lstrip()) - base
        lines.append((indent + unit * round(columns / step) if columns > 0 else indent) + line.strip())
    return "\n".join(lines).encode()


def _insert(
    source: bytes,
    target: Node,
    pairs: Sequence[Node],
    before: Node | None,
    key: str,
    written: bytes,
    edits: list[tuple[int, int, bytes]],
    unit: str,
) -> None:
    if not pairs:
        indent = _indent_at(source, target)
        body = f"{{\n{indent}{unit}".encode() + written + f"\n{indent}}}".encode()
        edits.append((target.start_byte, target.end_byte, body))
        return
    is_inline = target.start_point[0] == pairs[0].start_point[0]
    gap = b" " if is_inline else b"\n" + _indent_at(source, pairs[0]).encode()
    if before is None:
        keys = [_key(source, pair) for pair in pairs]
        is_sorted = len(keys) >= MIN_SORTED and all(a < b for a, b in pairwise(keys))
        smaller = [pair for pair, other in zip(pairs, keys, strict=True) if other < key] if is_sorted else list(pairs)
        if not smaller:
            edits.append((pairs[0].start_byte, pairs[0].start_byte, written + b"," + gap))
            return
        before = smaller[-1]
    # In front of the comma that follows, if one does: it is the new pair's then. Earlier ones at the place come first.
    at = before.end_byte
    for number, (start, end, text) in enumerate(edits):
        if start == end == at:
            edits[number] = (start, end, text + b"," + gap + written)
            return
    edits.append((at, at, b"," + gap + written))
