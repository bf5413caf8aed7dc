"""The parts of the changed file that a fence shows: runs of lines, and the gaps between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import NEW, Change


class PageSpan(NamedTuple):
    """Lines [start, end) of the changed file."""

    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """The lines of the changed file that one fence shows.

    runs: shown spans in order, neither empty nor touching, with no blank kept line at an end next to a gap.
    """

    change: Change
    runs: tuple[PageSpan, ...]

    @property
    def gaps(self) -> list[PageSpan]:
        """The spans that are not shown: before, between and behind the runs (the outer ones may be empty)."""
        ends = [0, *(run.end for run in self.runs)]
        starts = [*(run.start for run in self.runs), len(self.change.after.lines)]
        return [PageSpan(end, start) for end, start in zip(ends, starts, strict=True)]


def page_of(change: Change, shown: Iterable[int]) -> Page:
    """The page that shows these lines; kept blank lines at the ends of runs go back into the gaps."""
    lines, runs = change.after.lines, []
    for start, end in _runs(sorted(shown)):
        while start < end and not lines[start].strip() and start > 0 and change.origin[start] != NEW:
            start += 1
        while end > start and not lines[end - 1].strip() and end < len(lines) and change.origin[end - 1] != NEW:
            end -= 1
        if start < end:
            runs.append(PageSpan(start, end))
    return Page(change, tuple(_joined(change, runs)))


def _runs(numbers: list[int]) -> list[PageSpan]:
    runs: list[PageSpan] = []
    for number in numbers:
        if runs and runs[-1].end == number:
            runs[-1] = PageSpan(runs[-1].start, number + 1)
        elif not runs or number >= runs[-1].end:
            runs.append(PageSpan(number, number + 1))
    return runs


def _joined(change: Change, runs: list[PageSpan]) -> list[PageSpan]:
    """Joins runs with nothing but blank lines between them."""
    result: list[PageSpan] = []
    for run in runs:
        if result and not any(line.strip() for line in change.after.lines[result[-1].end : run.start]):
            result[-1] = PageSpan(result[-1].start, run.end)
        else:
            result.append(run)
    return result


def ancestors(document: Document, number: int) -> list[int]:
    """The blocks around a line, innermost first."""
    result, block = [], document.inside[number]
    while block >= 0:
        result.append(block)
        block = document.blocks[block].parent
    return result


def header_of(document: Document, block: int) -> PageSpan:
    """The lines that open a block: a declaration's whole header where it is one, else the line above the block."""
    header = document.blocks[block].header
    declaration = declaration_with_header(document, header)
    if declaration is not None and declaration.body_line <= document.blocks[block].start:
        return PageSpan(declaration.header_line, max(declaration.body_line, header + 1))
    start = header
    if document.lines[header].strip() == "{" and header > 0 and document.lines[header - 1].strip():
        start -= 1
    return PageSpan(start, header + 1)


def declaration_with_header(document: Document, number: int) -> Declaration | None:
    """The innermost function, class or named block that has line `number` in its header."""
    found = None
    for declaration in document.declarations:
        if declaration.header_line > number:
            break
        if number < max(declaration.body_line, declaration.header_line + 1) and declaration.kind != "import":
            found = declaration
    return found


def innermost(document: Document, number: int, *, kinds: tuple[str, ...] = ("function",)) -> Declaration | None:
    """The innermost declaration of these kinds around a line, or None."""
    found = None
    for declaration in document.declarations:
        if declaration.start_line > number:
            break
        if number < declaration.end_line and declaration.kind in kinds:
            found = declaration
    return found


def is_new(change: Change, number: int) -> bool:
    return change.origin[number] == NEW
