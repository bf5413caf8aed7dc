"""Finds where a declaration's node starts, where its header ends and where its text does."""

from __future__ import annotations

from tree_sitter import Node

from fastedit.syntax.rules.model import GrammarRules, Rule

_BLANKS = (b"\n", b"\r", b" ", b"\t")
MAX_LINE = 1000


def rest_of_line(source: bytes, offset: int) -> bytes:
    """The rest of the line, as far as anyone would read it: lines can be a megabyte long."""
    return source[offset : offset + MAX_LINE].split(b"\n", 1)[0]


def own_rows(source: bytes, node: Node) -> tuple[int, int] | None:
    """The first and last row of a node that has its rows to itself but for a comment, None where it shares one."""
    start, end = node.start_point, node.end_point
    if start.column > MAX_LINE or source[node.start_byte - start.column : node.start_byte].strip():
        return None
    if end.column == 0 and end.row > start.row:
        return start.row, end.row - 1
    rest = rest_of_line(source, node.end_byte).strip()
    return (start.row, end.row) if not rest or rest.startswith((b"//", b"/*")) else None


def header_start(outer: Node, rules: GrammarRules) -> Node:
    """The first node of the header: what follows attributes, decorators and annotations."""
    first = outer.child(0) if outer.child_count else None
    if first is None or first.type not in rules.attributes | rules.modifiers:
        return outer
    for child in outer.children:
        if child.type in rules.attributes or child.is_extra:
            continue
        if child.type not in rules.modifiers:
            return child
        plain = next((part for part in child.children if part.type not in rules.attributes and not part.is_extra), None)
        if plain is not None:
            return plain
    return outer


def header_end(node: Node, rule: Rule, body: Node | None) -> Node | None:
    """The last node of the header, None where the whole declaration is header."""
    if rule.head is not None and (head := rule.head(node)) is not None:
        return head
    if body is not None:
        return _node_before(node, body)
    last = node.child(node.child_count - 1) if node.child_count else None
    return _node_before(node, last) if last is not None and last.type == "end" else None


def _node_before(node: Node, body: Node) -> Node:
    """The last node below `node` that ends before `body` starts, comments aside; `body` where there is none."""
    before = body
    holder: Node | None = node
    while holder is not None:
        children, holder = holder.children, None
        for child in children:
            if child.start_byte >= body.start_byte:
                break
            if child.end_byte > body.start_byte:
                holder = child
                break
            if not child.is_extra:
                before = child
    return before


def body_row(rule: Rule, body: Node | None, end: Node) -> int:
    """The first row behind a header that ends with `end`; the bracket that opens a body belongs to the header."""
    opener = body.child(0) if body is not None and body.child_count and rule.head is None else None
    if body is not None and opener is not None and not opener.is_named:
        return body.start_point.row + 1
    return end.end_point.row + 1


def last_row(source: bytes, outer: Node, column: int | None = None) -> int:
    """The row where the text of the node ends.

    Without blank lines and comments at its end: all comments, or those up to `column` where it is given.
    """
    node, end = outer, outer.end_byte
    while node.child_count and (column is not None or node.end_point.column == 0):
        inner = None
        for part in reversed(node.children):
            if part.is_extra and part.start_point.column <= (column or part.start_point.column):
                end = part.start_byte
            elif part.end_byte > part.start_byte:
                inner = part
                break
        if inner is None or source[inner.end_byte : end].strip():
            break
        node, end = inner, inner.end_byte
    row, offset = node.end_point.row, node.end_byte
    while row > outer.start_point.row and source[offset - 1 : offset] in _BLANKS:
        offset -= 1
        row -= source[offset : offset + 1] == b"\n"
    return row


def behind_comments(source: bytes, outer: Node, row: int) -> int:
    """The row behind the comments that are all of the node's indented body; `row` where there are none."""
    start = outer.end_byte + len(rest_of_line(source, outer.end_byte)) + 1
    for offset, line in enumerate(source[start : start + 4 * MAX_LINE].split(b"\n")):
        text = line.lstrip(b" \t")
        if text.strip() and not (text.startswith(b"#") and len(line) - len(text) > outer.start_point.column):
            break
        if text.strip():
            row = outer.end_point.row + offset + 2
    return row
