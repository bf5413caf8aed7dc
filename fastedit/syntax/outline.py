"""The declarations of a text: of a file (`outline`), however broken, and of a snippet (`snippet_outline`).

A snippet is rarely a whole file: a method may come without its class, indented as it was there, cut off at the end. So
it is read with several openings before it, each closed again as far as its brackets are open, and the reading with the
fewest parse errors counts. Broken code is read piece by piece, so that one lost bracket hides one declaration and not
all that follow; the pieces are what usual indentation makes of the text: a line as far out as can be starts one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from fastedit.lines import indent_of
from fastedit.syntax.languages import closing_brackets
from fastedit.syntax.model import Declaration, Found, Outline
from fastedit.syntax.parse import DEFAULT_BUDGET_S, DIALECTS, count_error_nodes, has_grammar, parse_bytes
from fastedit.syntax.scanners import can_scan, scan
from fastedit.syntax.walk import Walk

SNIPPET_BUDGET_S = 0.25
# A long snippet that the grammar stumbles over isn't worth ten more readings of all of it. Counted in characters:
# how busy the machine is must not decide what a snippet is taken for.
_MIN_FRAMED = 6_000
_MAX_FRAMES = 3
# What may stand before a snippet, by language; a `|` parts it from what must follow the brackets that close it.
# The declarations of such a frame are no part of the outline.
_ECMA = ("class X {", "const x = {", "class X { x() {", "switch (x) {")
_FRAMES: dict[str, tuple[str, ...]] = {
    "javascript": _ECMA,
    "typescript": (*_ECMA, "interface X {"),
    "tsx": (*_ECMA, "interface X {"),
    "java": ("class X {", "interface X {", "enum X { X;", "class X { void x() {", "class X { void x() { switch (x) {"),
    "csharp": (
        "class X {",
        "interface X {",
        "namespace X {",
        "class X { void X() {",
        "class X { void X() { switch (x) {",
    ),
    "kotlin": ("class X {", "enum class X { X;", "class X { fun x() {"),
    "scala": ("class X {", "object X {"),
    "swift": ("class X {", "protocol X {", "enum X {", "class X { func x() {"),
    "php": ("<?php", "<?php class X {", "<?php interface X {", "<?php class X { function x() {"),
    "rust": ("impl X {", "trait X {", "struct X {", "enum X {", "fn x() {", "impl X { fn x() {", "fn x() { match x {"),
    "cpp": ("class X {|;", "namespace X {", "void x() {", "void x() { switch (x) {", "enum X {|;"),
    "c": ("struct x {|;", "void x() {", "void x() { switch (x) {", "enum x {|;"),
    "go": ("type X struct {", "type X interface {", "func x() {", "func x() { switch x {", "import (", "const ("),
    "ruby": ("class X|end", "class X; def x|end end"),
    "elixir": ("defmodule X do|end",),
    "lua": ("local x = {", "function x()|end"),
    "json": ("{", "["),
    "css": ("x {", "@media x {"),
    "vue": ("<script lang=ts>|</script>", "<style>|</style>"),
    "svelte": ("<script lang=ts>|</script>", "<style>|</style>"),
    "html": ("<script>|</script>", "<style>|</style>"),
    "hcl": ("x {",),
}
# What opens code where it stands in other text: a snippet without it is code all the same, not that text.
_OPENINGS = {"php": "<?"}
# What makes a cut-off header whole, behind the brackets that close it.
_HEADER_ENDS = {"python": ": pass", "ruby": "\nend"}
# What may follow a last comma, where the grammar wants something there.
_FILLERS = {("json", "}"): '"_": 0', ("json", "]"): "0"}
# A line that goes on with the one above, whatever its indentation.
_CONTINUES = re.compile(
    r"[\])}>;,|&.]|->|(?:end|else|elif|elsif|except|rescue|ensure|finally|catch|then|do|done|fi|esac)\b|\{\s*$"
)
_UNFINISHED = (",", "(", "[", "=", "\\")
_LEADS = re.compile(r"@|#|//|/?\*|--|\[[\w<]|template\b")
_MAX_NESTING = 3
_PIECE_BUDGET_S = 0.1
# Broken code isn't worth more than this on top of the first reading.
_MAX_RECOVERY_S = 0.5


def can_read(language: str) -> bool:
    """Whether there is a grammar or a scanner for the language."""
    return has_grammar(language) or can_scan(language)


def read(text: str, language: str, *, budget_s: float) -> Outline:
    """Reads what the text declares, as far as its grammar or scanner sees it; nothing for a language without either.

    Where a dialect's grammar finds fewer errors, it is that reading that counts.
    """
    if not can_read(language):
        return Outline("", ())
    source, deadline = text.encode("utf-8", "replace"), time.monotonic() + budget_s
    reader = _Reader(deadline)
    reader.add(source, language, 0, -1)
    if reader.num_errors and reader.is_complete and language in DIALECTS:
        other = _Reader(deadline)
        other.add(source, DIALECTS[language], 0, -1)
        if other.is_complete and other.num_errors < reader.num_errors:
            reader = other
    name = language if has_grammar(language) else ""
    return Outline(name, settle(reader.found), reader.num_errors, reader.is_complete)


def settle(found: list[Found]) -> tuple[Declaration, ...]:
    """The declarations, with ranges that nest and siblings that overlap in no more than one line.

    found: in order, parents before their children.
    """
    for item in reversed(found):
        if item.parent >= 0:
            parent = found[item.parent]
            parent.end_line = max(parent.end_line, item.end_line)
    free_from: dict[int, int] = {}
    declarations: list[Declaration] = []
    for item in found:
        parent_start = declarations[item.parent].start_line if item.parent >= 0 else 0
        floor = max(parent_start, free_from.get(item.parent, 0))
        free_from[item.parent] = item.end_line
        declarations.append(
            Declaration(
                kind=item.kind,
                name=item.name,
                start_line=max(item.start_line, min(floor, item.header_line)),
                header_line=item.header_line,
                body_line=item.body_line,
                end_line=item.end_line,
                parent=item.parent,
                depth=declarations[item.parent].depth + 1 if item.parent >= 0 else 0,
                signature=item.signature,
            )
        )
    return tuple(declarations)


@dataclass(slots=True)
class _Reader:
    """Collects what a text declares, and what the texts in other languages inside it do."""

    deadline: float
    found: list[Found] = field(default_factory=list)
    num_errors: int = 0
    is_complete: bool = True

    def add(self, source: bytes, language: str, first_row: int, parent: int) -> None:
        """Reads a text that starts on `first_row` and belongs to the declaration with the index `parent`."""
        if not has_grammar(language):
            if can_scan(language):
                self._scan(source, language, first_row, parent)
            return
        tree = parse_bytes(source, language, budget_s=self.deadline - time.monotonic())
        if tree is None:
            self.is_complete = False
            return
        is_walked = Walk(source, language, self.found, self.add, self.deadline, first_row, parent).run(tree)
        self.is_complete = self.is_complete and is_walked
        self.num_errors += count_error_nodes(tree.root_node)

    def _scan(self, source: bytes, language: str, first_row: int, parent: int) -> None:
        first_index = len(self.found)
        for item in scan(source.decode("utf-8"), language):
            item.start_line += first_row
            item.header_line += first_row
            item.body_line += first_row
            item.end_line += first_row
            item.parent = parent if item.parent < 0 else first_index + item.parent
            self.found.append(item)


def snippet_outline(
    lines: Sequence[str], language: str, *, budget_s: float = SNIPPET_BUDGET_S, is_framed: bool = True
) -> Outline:
    """The declarations of a snippet; their lines are those of `lines` (without line ends).

    is_framed: whether it may be members of something that it doesn't show.
    num_errors: of the best reading, so much as the snippet alone has to answer for.
    """
    text = "\n".join(_dedented(lines))
    best = read(text, language, budget_s=budget_s)
    if not best.language or not best.is_complete:
        return best
    if _OPENINGS.get(language, "") not in text:
        best = replace(best, num_errors=len(lines) + 1)
    num_frames = _MAX_FRAMES + _MIN_FRAMED // max(1, len(text))
    frames = _frames(text, language, _FRAMES.get(language, ()) if is_framed else ())
    for opening, closing in islice(frames, num_frames):
        if _badness(best) == (0, False):
            break
        framed = f"{opening}\n{text}{closing}" if opening else text + closing
        found = read(framed, language, budget_s=budget_s)
        found = _without_frame(found, int(bool(opening)), len(lines))
        if found.is_complete and _badness(found) < _badness(best):
            best = found
    return best


def _badness(found: Outline) -> tuple[int, bool]:
    """The key that the best reading has the least of: parse errors first; then whether it declares nothing."""
    return found.num_errors, not found.declarations


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that all of them share."""
    indents = [indent_of(line) for line in lines if line.strip()]
    shared = min(indents, key=len, default="")
    while not all(indent.startswith(shared) for indent in indents):
        shared = shared[:-1]
    return [line[len(shared) :] if line.strip() else "" for line in lines]


def _frames(text: str, language: str, frames: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yields texts to put before and behind the snippet, the likeliest first."""
    for frame in ("", *_header_ends(language), *frames):
        opening, _, tail = frame.partition("|")
        closing = closing_brackets(f"{opening}\n{text}", language)
        if closing and text.rstrip().endswith(","):
            closing = _FILLERS.get((language, closing[0]), "") + closing
        closing = "\n" + closing + tail if closing or tail else ""
        if opening or closing:
            yield opening, closing


def _header_ends(language: str) -> Iterator[str]:
    """The frame that only ends a header, where the language has one."""
    if language in _HEADER_ENDS:
        yield "|" + _HEADER_ENDS[language]


def _without_frame(framed: Outline, num_lines_before: int, num_lines: int) -> Outline:
    """The outline with the frame's own declarations and lines taken out."""
    new_index: dict[int, int] = {-1: -1}
    kept: list[Declaration] = []
    for index, declaration in enumerate(framed.declarations):
        parent = new_index[declaration.parent]
        if declaration.header_line < num_lines_before or declaration.header_line >= num_lines + num_lines_before:
            new_index[index] = parent
            continue
        new_index[index] = len(kept)
        end_line = min(declaration.end_line - num_lines_before, num_lines)
        kept.append(
            replace(
                declaration,
                start_line=max(0, declaration.start_line - num_lines_before),
                header_line=declaration.header_line - num_lines_before,
                body_line=min(declaration.body_line - num_lines_before, end_line),
                end_line=end_line,
                parent=parent,
                depth=kept[parent].depth + 1 if parent >= 0 else 0,
            )
        )
    return replace(framed, declarations=tuple(kept))


def read_in_pieces(text: str, language: str, whole: Outline, *, deadline: float) -> Outline:
    """The outline that the text's pieces give together, `whole` where that declares as much.

    num_errors stays that of the whole text.
    """
    pieces = _Pieces(text.split("\n"), language, deadline)
    pieces.add(0, len(pieces.lines), -1, 0)
    found = settle(pieces.found)
    if not pieces.is_complete or _num_named(found) <= _num_named(whole.declarations):
        return whole
    return replace(whole, declarations=found)


def _num_named(declarations: tuple[Declaration, ...]) -> int:
    return sum(declaration.kind in ("function", "class") for declaration in declarations)


@dataclass(slots=True)
class _Pieces:
    """Reads the lines of a text piece by piece; what they declare goes to `found`."""

    lines: list[str]
    language: str
    deadline: float
    found: list[Found] = field(default_factory=list)
    is_complete: bool = True

    def add(self, start: int, end: int, parent: int, nesting: int) -> None:
        """Reads the lines [start, end), which belong to the declaration with the index `parent`."""
        for first, behind in self._pieces(start, end):
            if time.monotonic() > self.deadline:
                self.is_complete = False
                return
            read = self._read(first, behind, nesting)
            inner = self._inner(first, behind) if read.num_errors and nesting < _MAX_NESTING else None
            if inner is not None and self._add_container(first, behind, inner, parent, nesting):
                self.add(*inner, len(self.found) - 1, nesting + 1)
            else:
                self._add(read, first, parent)

    def _read(self, first: int, behind: int, nesting: int) -> Outline:
        lines = self.lines[first:behind]
        return snippet_outline(lines, self.language, budget_s=_PIECE_BUDGET_S, is_framed=nesting > 0)

    def _add(self, read: Outline, first: int, parent: int) -> None:
        first_index = len(self.found)
        for item in read.declarations:
            self.found.append(
                Found(
                    kind=item.kind,
                    name=item.name,
                    start_line=first + item.start_line,
                    header_line=first + item.header_line,
                    body_line=first + item.body_line,
                    end_line=first + item.end_line,
                    parent=parent if item.parent < 0 else first_index + item.parent,
                    signature=item.signature,
                )
            )

    def _add_container(self, first: int, behind: int, inner: tuple[int, int], parent: int, nesting: int) -> bool:
        """Adds the piece's own declaration without its members; False where it has none or has no members."""
        head = self._read(first, inner[0], nesting)
        if not head.declarations or head.declarations[-1].kind == "function":
            return False
        self._add(head, first, parent)
        self.found[-1].end_line = behind
        return True

    def _inner(self, first: int, behind: int) -> tuple[int, int] | None:
        """The lines of a piece that are further in than its header, None where there are none."""
        header = first
        while header < behind and (_LEADS.match(self.lines[header].strip()) or not self.lines[header].strip()):
            header += 1
        outer = self._indent(min(header, behind - 1))
        deeper = [line for line in range(header, behind) if self.lines[line].strip() and self._indent(line) > outer]
        return (deeper[0], deeper[-1] + 1) if deeper else None

    def _goes_on(self, line: int) -> bool:
        """Whether the line can't be the last one of what it belongs to."""
        return self.lines[line].rstrip()[-1:] in _UNFINISHED

    def _indent(self, line: int) -> int:
        return len(indent_of(self.lines[line]))

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yields the pieces of lines [start, end) without blank lines at their ends; lines without a body share one."""
        heads = self._heads(start, end)
        for head, behind in zip(heads, [*heads[1:], end], strict=False):
            while behind > head and not self.lines[behind - 1].strip():
                behind -= 1
            yield head, behind

    def _heads(self, start: int, end: int) -> list[int]:
        """The lines that start pieces: the outermost ones that don't go on, each with the comments above it."""
        filled = [line for line in range(start, end) if self.lines[line].strip()]
        starting = [line for line in filled if not _CONTINUES.match(self.lines[line].strip())]
        outer = min((self._indent(line) for line in starting), default=0)
        heads: list[int] = []
        is_lead = is_alone = False
        for position, line in enumerate(filled):
            text = self.lines[line].strip()
            if heads and (self._indent(line) > outer or _CONTINUES.match(text) or self._goes_on(line - 1)):
                is_alone = False
                continue
            has_more = position + 1 < len(filled) and self._indent(filled[position + 1]) > outer
            if not heads or not (is_lead or (is_alone and not has_more)):
                heads.append(line)
            is_lead = _LEADS.match(text) is not None
            is_alone = not has_more
        return heads


def outline(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> Outline:
    """The declarations of `text`, an empty outline where the language has neither grammar nor scanner.

    Never raises for odd text: what is whole in broken code is there.
    """
    start = time.monotonic()
    found = read(text, language, budget_s=budget_s)
    if not found.num_errors or not found.is_complete:
        return found
    deadline = min(start + budget_s, time.monotonic() + _MAX_RECOVERY_S)
    return read_in_pieces(text, language, found, deadline=deadline)
