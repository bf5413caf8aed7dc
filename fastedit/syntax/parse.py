"""Trees of texts by tree-sitter within a time budget, their errors, and selectors of their nodes.

Grammars are imported when first asked for. The grammar of a page takes a script for plain text, so a lost bracket in it
is no error of the page: the scripts of pages and components and the samples between fences are parsed by themselves.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate

from tree_sitter import Language, Node, Parser, Point, Tree

from fastedit.syntax.languages import language_info, language_of_tag

DEFAULT_BUDGET_S = 2.0
MAX_KEPT_TREES = 3
MAX_APART = 0.5  # of a text's lines that are parsed without the others
# Grammars that now and then count other errors in a stretch than in the whole text.
_WHOLE_ONLY = frozenset({"bash"})
_kept: ContextVar[dict[tuple[str, bytes], Tree] | None] = ContextVar("kept trees", default=None)
# A grammar that may read what another stumbles over: Flow's types in JavaScript, C++ in a `.h`.
DIALECTS = {"javascript": "tsx", "c": "cpp"}
# The YAML grammar's scanner keeps two indents a nesting level, writes more than 252 of them past the end of
# its buffer (and takes the process down), and counts rows in 16 bits.
_MAX_YAML_INDENTS = 240
_MAX_YAML_ROWS = 32_000
_YAML_INDICATOR = re.compile(rb"(?:^|(?<=\s))[-?:](?=\s)")
Change = tuple[int, int, Sequence[str]]
PAGES = frozenset({"html", "vue", "svelte"})
FENCED = frozenset({"markdown"})
_OPENING = re.compile(r"\s*<script\b(?P<attributes>[^>]*)>\s*$")
_CLOSING = re.compile(r"\s*</script\s*>")
_LANGUAGE = re.compile(r"\b(?:lang|type)\s*=\s*[\"']?(?:text/|application/)?(?P<name>[\w-]+)")
_FENCE = re.compile(r"(?P<margin>\s*)(?P<sign>`{3,}|~{3,})\s*(?P<name>[\w+#-]*)[^`]*$")
_SCRIPTS = {"": "javascript", "javascript": "javascript", "module": "javascript", "ts": "typescript", "tsx": "tsx"}
_SAMPLES = frozenset("json python javascript typescript tsx".split())


@cache
def grammar(language: str) -> Language | None:
    """The grammar of the language, or None where there is none or its package isn't installed."""
    info = language_info(language)
    if info is None or not info.grammar:
        return None
    module_name, _, function = info.grammar.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError:
        return None
    return Language(getattr(module, function or "language")())


def has_grammar(language: str) -> bool:
    """Whether texts of the language can be parsed here (imports the grammar)."""
    return grammar(language) is not None


def parse(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> Tree | None:
    """The tree of `text`, or None where there is no grammar or the budget ran out.

    Any text gives a tree, broken or not; its byte offsets are those of the text in UTF-8.
    """
    return parse_bytes(text.encode("utf-8", "replace"), language, budget_s=budget_s)


def parse_bytes(source: bytes, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> Tree | None:
    """Parses a text that is already in UTF-8, as `parse` does."""
    kept = _kept.get()
    if kept is None:
        return _parsed(source, language, budget_s)
    key = language, source
    tree = kept.pop(key, None) or _parsed(source, language, budget_s)
    if tree is not None:
        kept[key] = tree  # at the end: the one used last
        if len(kept) > MAX_KEPT_TREES:
            del kept[next(iter(kept))]
    return tree


@contextmanager
def keeping_trees() -> Iterator[None]:
    """Lets texts that are parsed again and again be parsed once, until the block is left."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def _parsed(source: bytes, language: str, budget_s: float) -> Tree | None:
    known = grammar(language)
    if known is None or budget_s <= 0 or (language == "yaml" and not _is_shallow_yaml(source)):
        return None
    deadline = time.monotonic() + budget_s
    has_run_out = False

    # tree-sitter 0.26.1 never lets go of what a read callable gives it, though it needs it only until the next call:
    # one buffer, emptied in the end, or the text of every parse would stay in memory.
    rest = bytearray()

    # The progress callback is honoured only with a read callable, not with a bytes object.
    def read(offset: int, _point: Point) -> bytearray:
        rest[:] = memoryview(source)[offset:]
        return rest

    def is_over(_offset: int, _has_error: bool) -> bool:
        nonlocal has_run_out
        has_run_out = time.monotonic() > deadline
        return has_run_out

    try:
        return Parser(known).parse(read, progress_callback=is_over)
    except ValueError:
        if has_run_out:
            return None
        raise
    finally:
        rest.clear()


def _is_shallow_yaml(source: bytes) -> bool:
    """Whether the scanner's stack of indents is sure to stay within its buffer."""
    lines = source.split(b"\n")
    indents = {len(line) - len(line.lstrip(b" \t")) for line in lines}
    num_inner = max(len(_YAML_INDICATOR.findall(line)) for line in lines)
    return len(lines) < _MAX_YAML_ROWS and 2 * len(indents) + num_inner < _MAX_YAML_INDENTS


def count_error_nodes(root: Node) -> int:
    """Counts the ERROR and missing nodes at or below `root`."""
    if not root.has_error:
        return 0
    cursor = root.walk()
    count = 0
    while True:
        node = cursor.node
        assert node is not None  # a cursor always stands on a node
        count += node.is_error or node.is_missing
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count


def count_errors(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int | None:
    """ERROR and missing nodes of the text; None where there is no grammar or the budget ran out.

    Of a language that has a dialect, the fewer of the two.
    """
    deadline = time.monotonic() + budget_s
    tree = parse(text, language, budget_s=budget_s)
    if tree is None:
        return None
    num_errors = count_error_nodes(tree.root_node)
    if not num_errors or language not in DIALECTS:
        return num_errors
    tree = parse(text, DIALECTS[language], budget_s=deadline - time.monotonic())
    return num_errors if tree is None else min(num_errors, count_error_nodes(tree.root_node))


def added_errors(before: str, after: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int:
    """The number of errors that `after` has more than `before`; 0 where that can't be told."""
    deadline = time.monotonic() + budget_s
    num_after = count_errors(after, language, budget_s=budget_s)
    if not num_after:
        return 0
    num_before = count_errors(before, language, budget_s=deadline - time.monotonic())
    return 0 if num_before is None else max(0, num_after - num_before)


class ErrorCounter:
    """Counts the parse errors of one text's variants, each read anew only where it differs from the text.

    lines: the text's, without line ends. count: ERROR and missing nodes of the text; None where it can't be parsed.
    """

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = lines
        self._language = language
        source = _encoded(lines)
        self._tree = parse_bytes(source, language) if language else None
        self.count = None if self._tree is None else count_error_nodes(self._tree.root_node)
        if self.count and language in DIALECTS:
            tree = parse_bytes(source, DIALECTS[language])
            if tree is not None and count_error_nodes(tree.root_node) < self.count:
                self._language, self._tree = DIALECTS[language], tree
                self.count = count_error_nodes(tree.root_node)

    def after(self, changes: Sequence[Change]) -> int | None:
        """The errors once lines [start, end) have become others, for each change; they ascend and don't overlap."""
        known = grammar(self._language)
        if self._tree is None or known is None:
            return None
        if self.count == 0 and self._statements is not None and self._statements.stay_sound(changes):
            return 0
        tree = self._tree.copy()
        lines, starts = list(self._encoded_lines), self._starts
        for start, end, new in reversed(changes):
            written = [line.encode("utf-8", "replace") + b"\n" for line in new]
            lines[start:end] = written
            first = starts[start]
            tree.edit(
                start_byte=first,
                old_end_byte=starts[end],
                new_end_byte=first + sum(map(len, written)),
                start_point=(start, 0),
                old_end_point=(end, 0),
                new_end_point=(start + len(written), 0),
            )
        return count_error_nodes(Parser(known).parse(b"".join(lines), tree).root_node)

    @cached_property
    def _statements(self) -> _Statements | None:
        known = grammar(self._language)
        if self._tree is None or known is None or self._language in _WHOLE_ONLY:
            return None
        return _Statements(self._tree.root_node, self._lines, known)

    @cached_property
    def _encoded_lines(self) -> list[bytes]:
        return [line.encode("utf-8", "replace") + b"\n" for line in self._lines]

    @cached_property
    def _starts(self) -> list[int]:
        """The bytes at which the lines start, and at which the last one ends."""
        return [0, *accumulate(map(len, self._encoded_lines))]


class _Statements:
    """The outermost nodes of a text without errors, some of which can be parsed without the others.

    Between two of them a parser is always in the same state. So where a stretch of them still has no error once it has
    changed, and the nodes at both of its ends are what they were, the rest of the text is read as it was. Reading on to
    the end of the file takes as long as all of it does, even with its old tree.
    """

    def __init__(self, root: Node, lines: Sequence[str], known: Language) -> None:
        self._nodes = root.children
        self._lines = lines
        self._known = known
        self._is_separable: dict[tuple[int, int], bool] = {}

    def stay_sound(self, changes: Sequence[Change]) -> bool:
        """Whether the text is sure to have no errors once lines [start, end) have become others, for each change."""
        stretches: list[tuple[int, int, list[Change]]] = []
        for change in changes:
            first, behind = self._around(change[0], change[1])
            if stretches and first < stretches[-1][1]:
                before, _, its = stretches.pop()
                stretches.append((before, behind, [*its, change]))
            else:
                stretches.append((first, behind, [change]))
        num_lines = sum(len(self._range(first, behind)) for first, behind, _ in stretches)
        return num_lines <= MAX_APART * len(self._lines) and all(self._stays_sound(*one) for one in stretches)

    def _around(self, start: int, end: int) -> tuple[int, int]:
        """The nodes [first, behind) in lines [start, end) with one more on each side, a comment not counted as one."""
        nodes = self._nodes
        first = bisect_left(nodes, start, key=_last_row) - 1
        while first > 0 and (nodes[first].is_extra or _last_row(nodes[first - 1]) >= nodes[first].start_point.row):
            first -= 1
        behind = self._next(end) + 1
        while behind < len(nodes) and nodes[behind].start_point.row <= _last_row(nodes[behind - 1]):
            behind += 1
        return max(0, first), min(behind, len(nodes))

    def _next(self, line: int) -> int:
        """The first node that begins in a line or behind it and isn't a comment; their number where none is."""
        at = bisect_left(self._nodes, line, key=_first_row)
        while at < len(self._nodes) and self._nodes[at].is_extra:
            at += 1
        return at

    def _range(self, first: int, behind: int) -> range:
        """The lines of nodes [first, behind), and all beside them where the file begins or ends with them."""
        start = self._nodes[first].start_point.row if first else 0
        return range(start, self._nodes[behind].start_point.row if behind < len(self._nodes) else len(self._lines))

    def _stays_sound(self, first: int, behind: int, changes: Sequence[Change]) -> bool:
        """Whether nodes [first, behind) have no errors once their lines have changed, and are the same at both ends."""
        mine = self._range(first, behind)
        if (first, behind) not in self._is_separable:
            alone = self._parsed(self._lines[mine.start : mine.stop])
            as_before = [_placed(node, -mine.start) for node in self._nodes[first:behind]]
            self._is_separable[first, behind] = [_placed(node) for node in alone.children] == as_before
        if not self._is_separable[first, behind]:
            return False
        lines = list(self._lines[mine.start : mine.stop])
        for start, end, new in reversed(changes):
            lines[start - mine.start : end - mine.start] = new
        root = self._parsed(lines)
        if root.has_error:
            return False
        found, moved = root.children, len(lines) - len(mine) - mine.start
        if first and (not found or _placed(found[0]) != _placed(self._nodes[first], -mine.start)):
            return False
        if behind == len(self._nodes):
            return True
        last = self._nodes[self._next(changes[-1][1]) : behind]
        return [_placed(node) for node in found[-len(last) :]] == [_placed(node, moved) for node in last]

    def _parsed(self, lines: Sequence[str]) -> Node:
        return Parser(self._known).parse(_encoded(lines)).root_node


def _encoded(lines: Sequence[str]) -> bytes:
    """The lines in UTF-8, each with its end."""
    return "\n".join((*lines, "")).encode("utf-8", "replace")


def _first_row(node: Node) -> int:
    return node.start_point.row


def _last_row(node: Node) -> int:
    """The last row that a node has a character in."""
    end = node.end_point
    return end.row - (end.column == 0)


def _placed(node: Node, rows: int = 0) -> tuple[int, int, int, int, int]:
    """The kind of a node and where it begins and ends, so many rows further down."""
    start, end = node.start_point, node.end_point
    return node.kind_id, start.row + rows, start.column, end.row + rows, end.column


# What a walk is reading. `Node.text` must not be used: on a tree that was parsed from a callable,
# as ours are, it gives nothing and in py-tree-sitter 0.26 ends by crashing the process.
SOURCE: ContextVar[bytes] = ContextVar("SOURCE", default=b"")


def text_of(node: Node) -> bytes:
    """The node's own text, of the source that is being walked."""
    return SOURCE.get()[node.start_byte : node.end_byte]


Selector = Callable[[Node], Node | None]
"""From a node to one below it, or None."""


def at(*steps: str) -> Selector:
    """The node at the end of the steps: each a field's name, or `<type>` for the first child of that type."""
    parsed = tuple((step.strip("<>"), step.startswith("<")) for step in steps)

    def select(node: Node) -> Node | None:
        found: Node | None = node
        for name, is_type in parsed:
            if found is None:
                return None
            found = child_of_type(found, name) if is_type else found.child_by_field_name(name)
        return found

    return select


def either(*selectors: Selector) -> Selector:
    """Joins selectors into one that gives what the first of them that finds something finds."""

    def select(node: Node) -> Node | None:
        return next((found for selector in selectors if (found := selector(node)) is not None), None)

    return select


def itself(node: Node) -> Node | None:
    """The node itself."""
    return node


def nothing(_node: Node) -> Node | None:
    """Selects no node at all."""
    return None


def child_of_type(node: Node, *types: str) -> Node | None:
    """The first named child that has one of the types."""
    return next((child for child in node.named_children if child.type in types), None)


# ---- several languages in one text -----------------------------------------------------------------------------------


def embedded_in(lines: Sequence[str], language: str) -> Iterator[tuple[int, int, str]]:
    """Yields the lines [start, end) of each part in another language that can be parsed, and that language."""
    if language in PAGES:
        yield from _scripts(lines)
    elif language in FENCED:
        yield from _samples(lines)


def _scripts(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    start, language = 0, ""
    for line, text in enumerate(lines):
        if start and _CLOSING.match(text):
            if language:
                yield start, line, language
            start = 0
        elif not start and (found := _OPENING.match(text)):
            named = _LANGUAGE.search(found["attributes"])
            start, language = line + 1, _SCRIPTS.get(named["name"].lower() if named else "", "")


def _samples(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    opened: re.Match[str] | None = None
    start = 0
    for line, text in enumerate(lines):
        found = _FENCE.match(text)
        if found is None:
            continue
        if opened is None:
            opened, start = found, line + 1
        elif found["sign"].startswith(opened["sign"]) and not found["name"]:
            language = language_of_tag(opened["name"].lower()) or ""
            if language in _SAMPLES and not opened["margin"]:
                yield start, line, language
            opened = None


class PageErrors:
    """Counts the parse errors of a text's variants, those in its embedded parts too; see `ErrorCounter`.

    Only parts without any errors are counted: of others nobody can tell what an error would mean.
    """

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = list(lines)
        self._language = language
        self._whole = ErrorCounter(lines, language)
        counted = (
            (start, end, ErrorCounter(lines[start:end], name)) for start, end, name in embedded_in(lines, language)
        )
        self._parts = [part for part in counted if part[2].count == 0]
        self.count = self._whole.count if self._whole.count is not None or not self._parts else 0

    def after(self, changes: Sequence[Change]) -> int | None:
        """The errors once lines [start, end) have become others, for each change; they ascend and don't overlap."""
        num_errors = self._whole.after(changes)
        if not self._parts:
            return num_errors
        return (num_errors or 0) + self._embedded_after(changes)

    def _embedded_after(self, changes: Sequence[Change]) -> int:
        total = 0
        for start, end, counter in self._parts:
            mine = [one for one in changes if start <= one[0] and one[1] <= end]
            if any(one[0] < end and start < one[1] and one not in mine for one in changes) or _moves_edge(mine):
                return self._read_anew(changes)
            if mine:
                total += counter.after([(first - start, last - start, new) for first, last, new in mine]) or 0
        return total

    def _read_anew(self, changes: Sequence[Change]) -> int:
        """The errors in all parts of the changed text."""
        lines = list(self._lines)
        for start, end, new in reversed(changes):
            lines[start:end] = new
        parts = embedded_in(lines, self._language)
        return sum(count_errors("\n".join(lines[start:end]) + "\n", name) or 0 for start, end, name in parts)


def _moves_edge(changes: Sequence[Change]) -> bool:
    """Whether new lines may begin or end a part."""
    return any(
        _OPENING.match(line) or _CLOSING.match(line) or _FENCE.match(line) for *_, new in changes for line in new
    )
