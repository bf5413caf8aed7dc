"""Judges whether a careful reader can tell where every run of a page belongs.

The rules are those of the apply cases, and nothing here knows how the merge works. A run is placed by its edges:
within a run the snippet's lines stand as they are, so only where it starts and where it ends can be in doubt.
An edge is sure where it is pinned by kept lines that occur once in the shown scope, by a declaration whose name is
unique there, by the end of a block whose header is shown, or by the start or end of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import NEW, Splice
from fastedit.training.synthesis.rendering.page import Page, PageSpan, ancestors, header_of, is_new

MIN_LETTERS = 4


class Side(StrEnum):
    TOP = "top"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class Doubt:
    """An edge that a reader couldn't place for sure."""

    run: PageSpan
    side: Side


def normal(line: str) -> str:
    """A line as a reader compares it: white space folded."""
    return " ".join(line.split())


class Reader:
    """Places the edges of a page's runs in the original.

    by_order: repeated anchors may be told apart by the runs around them (the hard cases); otherwise an anchor has
    to be the only one in its scope from the run before on. misquoted: lines of the changed file that the snippet
    quotes inexactly, so that nothing may rest on them.
    """

    def __init__(self, page: Page, *, by_order: bool = False, misquoted: frozenset[int] = frozenset()) -> None:
        self.page = page
        self.change = page.change
        self.before: Document = page.change.before
        self.after: Document = page.change.after
        self.by_order = by_order
        self.misquoted = misquoted
        self.normal, self.where = _index(self.before)
        self.shown = {number for run in page.runs for number in range(run.start, run.end)}
        self.shown_before = {self.change.origin[number] for number in self.shown} - {NEW}
        self.splice_at = self._splices_in_after()
        self.closed_at = {block.closer: index for index, block in enumerate(self.before.blocks) if block.closer >= 0}
        self.named_before, self.named_after = _named(self.before), _named(self.after)

    def doubts(self) -> list[Doubt]:
        """The edges that are not sure, in order."""
        result = []
        for index, run in enumerate(self.page.runs):
            if not self._top_is_sure(index, run):
                result.append(Doubt(run, Side.TOP))
            if not self._bottom_is_sure(index, run):
                result.append(Doubt(run, Side.BOTTOM))
        return result

    def all_names_tell(self) -> bool:
        """Whether every function whose header is shown can be told by its name."""
        return all(
            d.kind != "function" or line not in self.shown_before or self._is_known_by_name(d)
            for line, d in self.named_before.items()
        )

    def shows_deletions(self, splices: Iterable[int]) -> bool:
        """Whether the lines before and behind everything that these splices delete are shown next to each other."""
        for index in splices:
            span, splice = self.splice_at[index]
            if splice.lines or not any(line.strip() for line in self.before.lines[splice.start : splice.end]):
                continue
            above, below = span.start - 1, span.start
            while above >= 0 and not self.after.lines[above].strip():
                above -= 1
            while below < len(self.after.lines) and not self.after.lines[below].strip():
                below += 1
            if not any(run.start <= above and below < run.end for run in self.page.runs):
                return False
        return True

    def new_names_tell(self) -> bool:
        """Whether no inserted declaration could be taken for one that the original has elsewhere."""
        spans = [span for span, splice in self.splice_at if splice.start == splice.end]
        deleted = {line for _, splice in self.splice_at for line in self.normal[splice.start : splice.end]}
        for line, declaration in self.named_after.items():
            if not any(span.start <= line < span.end for span in spans) or line not in self.shown:
                continue
            header = normal(self.after.lines[line])
            if header in self.where and header not in deleted and not self._is_home_shown(declaration):
                return False
        return True

    def _is_home_shown(self, declaration: Declaration) -> bool:
        """Whether the class around an inserted declaration is shown and has no other one of that name."""
        if declaration.parent < 0:
            return False
        parent = self.after.declarations[declaration.parent]
        kin = [d for d in self.after.declarations if d.parent == declaration.parent and d.name == declaration.name]
        return parent.header_line in self.shown and len(kin) == 1

    def _splices_in_after(self) -> list[tuple[PageSpan, Splice]]:
        result, shift = [], 0
        for splice in self.change.splices:
            start = splice.start + shift
            result.append((PageSpan(start, start + len(splice.lines)), splice))
            shift += len(splice.lines) - (splice.end - splice.start)
        return result

    def _top_is_sure(self, index: int, run: PageSpan) -> bool:
        if not is_new(self.change, run.start):
            if run.start == 0 and self.change.origin[0] > 0:
                return False  # the head of the file is deleted: nothing above can tell
            return self._is_pinned(index, self._kept_from(run, run.start))
        if self._shows_whole_declaration(run, run.start) or self._is_changed_header(run.start):
            return True
        span, splice = self._splice_of(run.start)
        if splice.end > splice.start or not self._blanks_fit(span, Side.TOP):
            return False
        if span.end >= run.end:
            return run.end == len(self.after.lines) and self._is_unseen(span, splice)
        return self._is_unseen(span, splice) and self._is_pinned(index, self._kept_from(run, span.end))

    def _bottom_is_sure(self, index: int, run: PageSpan) -> bool:
        last = run.end - 1
        if not is_new(self.change, last):
            if run.end == len(self.after.lines) and self.change.origin[last] < len(self.before.lines) - 1:
                return False  # the tail of the file is deleted: nothing below can tell
            group = self._kept_to(run, last)
            return group.start == run.start or self._is_pinned(index, group) or self._ends_whole_declaration(run)
        if run.end == len(self.after.lines) and self._splice_of(last)[1].end == self._splice_of(last)[1].start:
            return True
        if self._ends_whole_declaration(run):
            return True
        span, splice = self._splice_of(last)
        if splice.end > splice.start or not self._blanks_fit(span, Side.BOTTOM) or not self._is_unseen(span, splice):
            return False
        return span.start > run.start and self._is_pinned(index, self._kept_to(run, span.start - 1))

    def _splice_of(self, number: int) -> tuple[PageSpan, Splice]:
        return next(entry for entry in self.splice_at if entry[0].start <= number < entry[0].end)

    def _kept_from(self, run: PageSpan, start: int) -> PageSpan:
        """The lines from `start` on that stand next to each other in the original, too."""
        end = start + 1
        while end < run.end and self.change.origin[end] == self.change.origin[end - 1] + 1 != NEW:
            end += 1
        return PageSpan(start, end)

    def _kept_to(self, run: PageSpan, last: int) -> PageSpan:
        start = last
        while start > run.start and self.change.origin[start - 1] == self.change.origin[start] - 1 != NEW:
            start -= 1
        return PageSpan(start, last + 1)

    def _is_pinned(self, index: int, group: PageSpan) -> bool:
        """Whether these kept lines can only be those of the original that they are."""
        if any(
            self._is_landmark(number) for number in range(group.start, group.end) if self.after.lines[number].strip()
        ):
            return True
        numbers = [n for n in range(group.start, group.end) if self.after.lines[n].strip() and n not in self.misquoted]
        if not numbers or sum(letter.isalnum() for n in numbers for letter in self.after.lines[n]) < MIN_LETTERS:
            return False
        return self._occurrences(numbers, self._region(index, self.change.origin[numbers[0]])) == 1

    def _is_landmark(self, number: int) -> bool:
        """Whether the kept line is a header known by its name, or closes a block whose header is shown."""
        line = self.change.origin[number]
        declaration = self.named_before.get(line)
        if declaration is not None and self._is_known_by_name(declaration):
            return True
        return line in self.closed_at and self._is_located(self.closed_at[line])

    def _is_located(self, block: int) -> bool:
        """Whether a reader knows which block of the original this is: its header is shown and is the only such one."""
        header = header_of(self.before, block)
        declaration = self.named_before.get(header.start)
        if declaration is not None and self._is_known_by_name(declaration):
            return self._is_header_shown(header)
        if not all(line in self.shown_before for line in range(header.start, header.end)):
            return False
        scope = self._scope(ancestors(self.before, header.start))
        return self._occurrences_before(list(range(header.start, header.end)), scope) == 1

    def _is_header_shown(self, header: PageSpan) -> bool:
        if header.start in self.shown_before:
            return True
        return any(splice.start <= header.start < splice.end for _, splice in self.splice_at)

    def _region(self, index: int, line: int) -> PageSpan:
        """The lines of the original among which a reader looks for an anchor of run `index`."""
        scope = self._scope(ancestors(self.before, line))
        above = [self.change.origin[n] for run in self.page.runs[:index] for n in range(run.start, run.end)]
        below = [self.change.origin[n] for run in self.page.runs[index + 1 :] for n in range(run.start, run.end)]
        lowest = max((n + 1 for n in above if n != NEW), default=0)
        highest = min((n for n in below if n != NEW), default=len(self.before.lines)) if self.by_order else scope.end
        return PageSpan(max(scope.start, lowest), min(scope.end, highest))

    def _scope(self, blocks: Sequence[int]) -> PageSpan:
        """The innermost of the blocks whose header is shown and known, or the whole file."""
        for block in blocks:
            if self._is_located(block):
                found = self.before.blocks[block]
                return PageSpan(found.start, found.end + (found.closer >= 0))
        return PageSpan(0, len(self.before.lines))

    def _occurrences(self, numbers: Sequence[int], region: PageSpan) -> int:
        return self._occurrences_before([self.change.origin[number] for number in numbers], region)

    def _occurrences_before(self, lines: Sequence[int], region: PageSpan) -> int:
        """Counts how often lines with this text stand in the region, with the same steps from one to the next."""
        first = lines[0]
        count = 0
        for start in self.where[self.normal[first]]:
            if not region.start <= start < region.end:
                continue
            shifted = [start + line - first for line in lines]
            if shifted[-1] < len(self.normal) and all(
                self.normal[there] == self.normal[here] for there, here in zip(shifted, lines, strict=True)
            ):
                count += 1
        return count

    def _is_known_by_name(self, declaration: Declaration) -> bool:
        """Whether the name tells which declaration it is: in its class where that is shown, else in the whole file."""
        twins = [d for d in self.named_before.values() if d.name == declaration.name]
        if len(twins) == 1:
            return sum(d.name == declaration.name for d in self.named_after.values()) == 1
        if declaration.parent < 0 or sum(d.parent == declaration.parent for d in twins) > 1:
            return False
        parent = self.before.declarations[declaration.parent]
        return parent.header_line in self.shown_before and self._is_known_by_name(parent)

    def _is_changed_header(self, number: int) -> bool:
        """Whether a new line starts the whole changed header of a declaration that keeps its name."""
        declaration = self.named_after.get(number)
        return declaration is not None and self.counterpart(declaration) is not None

    def counterpart(self, declaration: Declaration) -> Declaration | None:
        """The declaration of the original that one of the changed file takes the place of, known by its name."""
        old = [d for d in self.named_before.values() if d.name == declaration.name and d.kind == declaration.kind]
        if len(old) != 1 or not self._is_known_by_name(old[0]):
            return None
        return old[0]

    def _shows_whole_declaration(self, run: PageSpan, start: int) -> bool:
        """Whether the run shows, from `start` on, a whole declaration that the original has under the same name."""
        for declaration in self.named_after.values():
            if declaration.start_line <= start <= declaration.header_line and declaration.end_line <= run.end:
                old = self.counterpart(declaration)
                if old is not None and (start == declaration.header_line or old.start_line == old.header_line):
                    return True
        return False

    def _ends_whole_declaration(self, run: PageSpan) -> bool:
        """Whether the run ends where a declaration ends that it shows whole, and the original has it by that name."""
        return any(
            declaration.end_line == run.end
            and declaration.header_line >= run.start
            and (old := self.counterpart(declaration)) is not None
            and self._ends_together(declaration, old)
            for declaration in self.named_after.values()
        )

    def _ends_together(self, new: Declaration, old: Declaration) -> bool:
        """Whether what follows the declaration is the same before and after."""
        following = self.change.origin[new.end_line] if new.end_line < len(self.after.lines) else len(self.before.lines)
        return following == old.end_line

    def _blanks_fit(self, span: PageSpan, side: Side) -> bool:
        """Whether the blank lines between inserted lines and the gap next to them are those of the original.

        Blank lines next to a marker say nothing, so the truth must have there what the original has.
        """
        first, last = span
        while first < last and not self.after.lines[first].strip():
            first += 1
        while last > first and not self.after.lines[last - 1].strip():
            last -= 1
        above, below = self._blanks(first, -1), self._blanks(last, 1)
        old = above + below - (first - span.start) - (span.end - last)
        return (below if side is Side.BOTTOM else above) == old

    def _blanks(self, number: int, step: int) -> int:
        count, lines = 0, self.after.lines
        number += min(step, 0)
        while 0 <= number < len(lines) and not lines[number].strip():
            count, number = count + 1, number + step
        return count

    def _is_unseen(self, span: PageSpan, splice: Splice) -> bool:
        """Whether no outer line of an insertion could be taken for one of the original's."""
        if any(
            span.start <= d.start_line and d.end_line <= span.end and self._is_novel(d)
            for d in self.named_after.values()
        ):
            return True
        lines = [normal(line) for line in splice.lines if line.strip()]
        return bool(lines) and lines[0] not in self.where and lines[-1] not in self.where

    def _is_novel(self, declaration: Declaration) -> bool:
        return all(d.name != declaration.name for d in self.before.declarations)


@lru_cache(maxsize=64)
def _index(document: Document) -> tuple[list[str], dict[str, list[int]]]:
    """The normal lines, and the numbers of the lines by their normal text."""
    lines = [normal(line) for line in document.lines]
    where: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        where.setdefault(line, []).append(number)
    return lines, where


@lru_cache(maxsize=64)
def _named(document: Document) -> dict[int, Declaration]:
    """The functions and classes that have a name, by the line of their header."""
    return {d.header_line: d for d in document.declarations if d.kind in ("function", "class") and d.name}
