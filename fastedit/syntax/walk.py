"""One iterative walk over a tree that notes the declarations its grammar's rules name.

Costs about a quarter of the parse: a cursor step and a look-up for each node, more only for
nodes that have a rule. Nesting may be of any depth.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from tree_sitter import Node, Tree

from fastedit.syntax.parse import grammar
from fastedit.syntax.rules import rules_of
from fastedit.syntax.rules.model import GrammarRules, Injection, Rule

_MAX_NAME = 200
_MAX_SIGNATURE = 1000
_NODES_BETWEEN_CLOCKS = 2048
_HEADER_END = re.compile(r"(?:\s|=>|[={:])+$")


@dataclass(slots=True)
class Found:
    """A declaration as it is found; `Declaration` is made from it once its neighbours are known."""

    kind: str
    name: str
    start_line: int
    header_line: int
    body_line: int
    end_line: int
    parent: int
    signature: str


class _Entry(NamedTuple):
    """What the rules say about a node type."""

    rule: Rule | None
    injection: Injection | None
    is_wrapper: bool
    is_lone_wrapper: bool
    is_attached: bool
    is_function: bool
    is_closed: bool


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
    )


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
        """Whether the whole tree was walked before the deadline."""
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
            if (entry is None or not entry.is_closed) and cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return True
                depth -= 1
            if self._inside >= depth:
                self._leave(depth)

    def _leave(self, depth: int) -> None:
        """Forget what a node at `depth` is not inside of."""
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
        if not name and (rule.has_name or rule.namer is not None):
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
        header = _header_start(outer, rules)
        body = rule.body(node)
        before = _token_before(node, body) if body is not None else None
        start_row, header_row = outer.start_point.row, header.start_point.row
        end_row = self._end_row(outer, body, rules)
        body_row = _body_row(node, rule, body, before, kind, header_row, end_row)
        while start_row - 1 in self._attached:
            start_row = self._attached[start_row - 1]
        return Found(
            kind=kind,
            name=name,
            start_line=self.first_row + start_row,
            header_line=self.first_row + header_row,
            body_line=self.first_row + max(header_row + 1, min(body_row, end_row)),
            end_line=self.first_row + end_row,
            parent=self._frames[-2].found_index if len(self._frames) > 1 else self.parent,
            signature=self._signature(header, outer, before, kind),
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

    def _signature(self, header: Node, outer: Node, before: Node | None, kind: str) -> str:
        """The header's text on one line: up to the token before the body, else to the end of a line or of `outer`."""
        end = before.end_byte if before is not None else outer.end_byte
        is_open = kind in ("value", "import") or (before is None and kind not in ("function", "class"))
        if is_open:
            end = min(outer.end_byte, _line_end(self.source, header.start_byte))
        raw = self.source[header.start_byte : min(end, header.start_byte + _MAX_SIGNATURE)].decode("utf-8", "replace")
        return " ".join(_HEADER_END.sub("", raw).split())

    def _note_attached(self, node: Node) -> None:
        """Remember rows that hold nothing but this comment or attribute."""
        start, end = node.start_point, node.end_point
        if self.source[node.start_byte - start.column : node.start_byte].strip():
            return
        last_row = end.row
        if end.column == 0 and end.row > start.row:
            last_row -= 1
        elif self.source[node.end_byte : _line_end(self.source, node.end_byte)].strip():
            return
        if start.row == 0 and self.source.startswith(b"#!"):
            return
        self._attached[last_row] = start.row

    def _end_row(self, outer: Node, body: Node | None, rules: GrammarRules) -> int:
        """One behind the node's last row: blank lines at its end, and comments further out, don't belong to it."""
        row = outer.end_point.row + 1
        if rules.has_loose_ends:
            row = _last_row(self.source, outer, outer.start_point.column) + 1
        elif outer.end_point.column == 0 and outer.end_point.row > outer.start_point.row:
            # Nested nodes often end at the same place, each as deep to look into as they are many.
            if outer.end_byte not in self._ends:
                self._ends[outer.end_byte] = _last_row(self.source, outer) + 1
            row = max(self._ends[outer.end_byte], outer.start_point.row + 1)
        is_empty = body is not None and body.start_byte == body.end_byte
        return self._behind_comments(outer, row) if is_empty else row

    def _behind_comments(self, outer: Node, row: int) -> int:
        """Where the comments end that are all there is in the body of an indented declaration."""
        start = _line_end(self.source, outer.end_byte) + 1
        lines = self.source[start : start + 4000].split(b"\n")
        for offset, line in enumerate(lines):
            text = line.lstrip(b" \t")
            if text.strip() and not (text.startswith(b"#") and len(line) - len(text) > outer.start_point.column):
                break
            if text.strip():
                row = outer.end_point.row + offset + 2
        return row


def _line_end(source: bytes, offset: int) -> int:
    end = source.find(b"\n", offset)
    return len(source) if end < 0 else end


def _last_row(source: bytes, outer: Node, column: int | None = None) -> int:
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
    row, at = node.end_point.row, node.end_byte
    while row > outer.start_point.row and source[at - 1 : at] in (b"\n", b"\r", b" ", b"\t"):
        at -= 1
        row -= source[at : at + 1] == b"\n"
    return row


def _header_start(outer: Node, rules: GrammarRules) -> Node:
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


def _body_row(
    node: Node, rule: Rule, body: Node | None, before: Node | None, kind: str, header_row: int, end_row: int
) -> int:
    """The first row behind the header."""
    head = rule.head(node) if rule.head is not None else None
    if head is not None:
        return head.end_point.row + 1
    if body is not None and before is not None:
        opener = body.child(0) if body.child_count else None
        if opener is not None and not opener.is_named:
            return body.start_point.row + 1
        return before.end_point.row + 1
    if kind not in ("function", "class"):
        return header_row + 1
    last = node.child(node.child_count - 1) if node.child_count else None
    return _token_before(node, last).end_point.row + 1 if last is not None and last.type == "end" else end_row


def _token_before(node: Node, body: Node) -> Node:
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
