"""One iterative walk over a tree that notes the declarations its grammar's rules name.

Costs less than the parse: a cursor step and a look-up for each node, more only for nodes that have a
rule. Nesting may be of any depth.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from tree_sitter import Node, Tree

from fastedit.syntax.model import Found
from fastedit.syntax.parse import SOURCE, grammar
from fastedit.syntax.rules import rules_of
from fastedit.syntax.rules.model import GrammarRules, Injection, Rule

_BLANKS = (b"\n", b"\r", b" ", b"\t")
MAX_LINE = 1000
_MAX_NAME = 200
# What a grammar that has lost its way takes for the name of a function.
_NO_NAMES = frozenset({"if", "else", "while", "switch", "for", "namespace"})
_NODES_BETWEEN_CLOCKS = 2048
_HEADER_END = re.compile(r"(?:\s|=>|[={:])+$")


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


class _Entry(NamedTuple):
    """The rules for a node type."""

    rule: Rule | None
    injection: Injection | None
    is_wrapper: bool
    is_lone_wrapper: bool
    is_attached: bool
    is_function: bool
    is_closed: bool
    is_flat: bool


class _Frame(NamedTuple):
    """A declaration or an anonymous function that the walk is inside of."""

    depth: int
    found_index: int
    is_function: bool


@cache
def _entries(language: str) -> dict[int, _Entry]:
    """The rules of the language by the grammar's numbers for its node types."""
    known, rules = grammar(language), rules_of(language)
    if known is None or rules is None:
        return {}
    entries = {}
    for kind_id in range(known.node_kind_count):
        name = known.node_kind_for_id(kind_id)
        if name is not None and known.node_kind_is_named(kind_id):
            entry = _entry(name, rules)
            if any(entry):
                entries[kind_id] = entry
    return entries


def _entry(name: str, rules: GrammarRules) -> _Entry:
    return _Entry(
        rule=rules.rules.get(name),
        injection=rules.injections.get(name),
        is_wrapper=name in rules.wrappers or name in rules.lone_wrappers,
        is_lone_wrapper=name in rules.lone_wrappers,
        is_attached=name in rules.attached,
        is_function=name in rules.functions,
        is_closed=name in rules.closed,
        is_flat=name in rules.flat,
    )


def _is_closed(node: Node, entry: _Entry) -> bool:
    """Whether the walk passes over what is inside of the node."""
    return entry.is_closed or (entry.is_flat and node.start_point.row == node.end_point.row)


Inject = Callable[[bytes, str, int, int], None]
"""Takes a text in another language: its bytes, the language, its first row, the index of its parent."""


@dataclass(slots=True)
class Walk:
    """The state of a walk over the tree of `source`; what it finds goes to the end of `found`.

    first_row: the row of the file where `source` starts. parent: the index in `found` of the
    declaration around it, or -1. deadline: of `time.monotonic()`.
    """

    source: bytes
    language: str
    found: list[Found]
    inject: Inject
    deadline: float
    first_row: int = 0
    parent: int = -1
    _inside: int = -1  # depth of the innermost frame or wrapper
    _frames: list[_Frame] = field(default_factory=list)
    _wrappers: list[tuple[int, Node, bool]] = field(default_factory=list)
    _absorbed: set[int] = field(default_factory=set)
    _attached: dict[int, int] = field(default_factory=dict)
    _ends: dict[int, int] = field(default_factory=dict)

    def run(self, tree: Tree) -> bool:
        """Walks the whole tree; False where the deadline came first."""
        token = SOURCE.set(self.source)
        try:
            return self._run(tree)
        finally:
            SOURCE.reset(token)

    def _run(self, tree: Tree) -> bool:
        entries, rules = _entries(self.language), rules_of(self.language)
        if rules is None:
            return True
        cursor, depth, num_nodes = tree.walk(), 0, 0
        while True:
            node = cursor.node
            assert node is not None  # a cursor always stands on a node
            entry = entries.get(node.kind_id)
            if entry is not None:
                self._visit(node, entry, rules, depth)
            num_nodes += 1
            if num_nodes % _NODES_BETWEEN_CLOCKS == 0 and time.monotonic() > self.deadline:
                return False
            if (entry is None or not _is_closed(node, entry)) and cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return True
                depth -= 1
            if self._inside >= depth:
                self._leave(depth)

    def _leave(self, depth: int) -> None:
        """Forgets what a node at `depth` is not inside of."""
        while self._frames and self._frames[-1].depth >= depth:
            self._frames.pop()
        while self._wrappers and self._wrappers[-1][0] >= depth:
            self._wrappers.pop()
        self._inside = max(
            self._frames[-1].depth if self._frames else -1, self._wrappers[-1][0] if self._wrappers else -1
        )

    def _enter(self, depth: int, found_index: int, is_function: bool) -> None:
        self._frames.append(_Frame(depth, found_index, is_function))
        self._inside = max(self._inside, depth)

    def _visit(self, node: Node, entry: _Entry, rules: GrammarRules, depth: int) -> None:
        if entry.is_attached:
            self._note_attached(node)
        if entry.is_wrapper:
            self._wrappers.append((depth, node, entry.is_lone_wrapper))
            self._inside = max(self._inside, depth)
        if entry.rule is not None:
            self._declare(node, entry.rule, rules, depth)
        if entry.is_function:
            self._enter(depth, self._enclosing(), True)
        if entry.injection is not None:
            content, language = entry.injection.content(node), entry.injection.language(node, self.source)
            if content is not None and language:
                text = self.source[content.start_byte : content.end_byte]
                self.inject(text, language, self.first_row + content.start_point.row, self._enclosing())

    def _enclosing(self) -> int:
        return self._frames[-1].found_index if self._frames else self.parent

    def _declare(self, node: Node, rule: Rule, rules: GrammarRules, depth: int) -> None:
        if rule.is_long and node.start_point.row == node.end_point.row:
            return
        if not self._may_declare(rule) or node.id in self._absorbed:
            return
        value = rule.value(node) if rule.value is not None else None
        kind = self._kind(node, rule, value)
        if not kind or (rule.needs is not None and rule.needs(node) is None):
            return
        name = self._name(node, rule)
        if (not name and (rule.has_name or rule.namer is not None)) or (kind == "function" and name in _NO_NAMES):
            return
        if value is not None:
            self._absorbed.add(value.id)
        self._enter(depth, len(self.found), self._is_function(kind))
        self.found.append(self._located(node, rule, rules, kind, name))

    def _may_declare(self, rule: Rule) -> bool:
        """Whether a declaration by this rule can count here, whatever its kind turns out to be."""
        if not self._frames or not self._frames[-1].is_function or rule.is_local:
            return True
        return rule.is_local is None and (rule.kind in ("function", "class") or bool(rule.kinds))

    def _kind(self, node: Node, rule: Rule, value: Node | None) -> str:
        """The kind of declaration that the node is, "" where it is none."""
        kind = rule.kind
        if rule.keyword is not None:
            kind = rule.keywords.get(self._text(rule.keyword(node)), rule.keywords.get("", ""))
        elif value is not None:
            kind = rule.kinds.get(value.type, kind)
        if not self._frames or not self._frames[-1].is_function:
            return kind
        is_local = kind in ("function", "class") if rule.is_local is None else rule.is_local
        return kind if is_local else ""

    def _is_function(self, kind: str) -> bool:
        """Whether values inside of a declaration of that kind are local."""
        if kind in ("function", "class"):
            return kind == "function"
        return bool(self._frames) and self._frames[-1].is_function

    def _name(self, node: Node, rule: Rule) -> str:
        if rule.namer is not None:
            return rule.namer(node, self.source)
        parts = (self._text(selector(node)) for selector in rule.names)
        return rule.joiner.join(part for part in parts if part) or rule.label

    def _text(self, node: Node | None) -> str:
        """The node's text on one line, without quotes around it."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + _MAX_NAME)]
        text = " ".join(raw.decode("utf-8", "replace").split())
        is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`"
        return text[1:-1] if is_quoted else text

    def _located(self, node: Node, rule: Rule, rules: GrammarRules, kind: str, name: str) -> Found:
        outer = self._outermost(node)
        header, body = header_start(outer, rules), rule.body(node)
        end = header_end(node, rule, body)
        header_row = header.start_point.row
        last = rule.end(node) if rule.end is not None else None
        end_row = self._end_row(outer, body, rules) if last is None else last.end_point.row + 1
        if end is not None:
            behind_header = body_row(rule, body, end)
        else:
            behind_header = end_row if kind in ("function", "class") else header_row + 1
        return Found(
            kind=kind,
            name=name,
            start_line=self.first_row + self._lead_row(outer.start_point.row),
            header_line=self.first_row + header_row,
            body_line=self.first_row + max(header_row + 1, min(behind_header, end_row)),
            end_line=self.first_row + end_row,
            parent=self._frames[-2].found_index if len(self._frames) > 1 else self.parent,
            signature=self._signature(header, outer, end, kind),
        )

    def _outermost(self, node: Node) -> Node:
        """The outermost of the wrappers right around the node whose frame was just opened."""
        depth = self._frames[-1].depth
        outer = node
        for wrapper_depth, wrapper, is_lone in reversed(self._wrappers):
            if wrapper_depth == depth:
                continue
            if wrapper_depth != depth - 1 or (is_lone and wrapper.named_child_count != 1):
                break
            outer, depth = wrapper, wrapper_depth
        return outer

    def _lead_row(self, row: int) -> int:
        """The first row of the comments and attributes right above."""
        while row - 1 in self._attached:
            row = self._attached[row - 1]
        return row

    def _end_row(self, outer: Node, body: Node | None, rules: GrammarRules) -> int:
        """The row behind the last one of a declaration."""
        row = outer.end_point.row + 1
        if rules.has_loose_ends:
            row = last_row(self.source, outer, outer.start_point.column) + 1
        elif outer.end_point.column == 0 and outer.end_point.row > outer.start_point.row:
            # Nested nodes often end at the same place, each as deep to look into as they are many.
            if outer.end_byte not in self._ends:
                self._ends[outer.end_byte] = last_row(self.source, outer) + 1
            row = max(self._ends[outer.end_byte], outer.start_point.row + 1)
        is_empty = body is not None and body.start_byte == body.end_byte
        return behind_comments(self.source, outer, row) if is_empty else row

    def _signature(self, header: Node, outer: Node, end: Node | None, kind: str) -> str:
        """The header's text on one line; of what has none that ends, its first line."""
        stop = end.end_byte if end is not None else outer.end_byte
        if kind in ("value", "import") or (end is None and kind not in ("function", "class")):
            stop = min(outer.end_byte, header.start_byte + len(rest_of_line(self.source, header.start_byte)))
        raw = self.source[header.start_byte : min(stop, header.start_byte + MAX_LINE)].decode("utf-8", "replace")
        return " ".join(_HEADER_END.sub("", raw).split())

    def _note_attached(self, node: Node) -> None:
        """Remembers rows that hold nothing but this comment or attribute, other than a first line `#!`."""
        rows = own_rows(self.source, node)
        if rows is not None and not (node.start_byte == 0 and self.source.startswith(b"#!")):
            self._attached[rows[1]] = rows[0]
