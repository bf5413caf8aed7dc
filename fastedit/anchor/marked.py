"""Gaps in which a marker stands: what isn't shown stays, and new units come in beside the marker or between two."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastedit.anchor import certainty as sure
from fastedit.anchor.chain import Pair
from fastedit.anchor.indent import Reference
from fastedit.anchor.remarks import position_of
from fastedit.anchor.text import is_closer
from fastedit.anchor.units import Unit

if TYPE_CHECKING:
    from fastedit.anchor.gap import GapFiller

_WORD = re.compile(r"[A-Za-z_$][\w$]+")


@dataclass(slots=True)
class Gap:
    """One gap of a level.

    units: the snippet's units in it. start, end: the original's lines in it; content: the original's
    units in it. my_before, my_after: the snippet's lines around it (end of the one before, start of the
    one behind), None where the snippet's level ends without a frame.
    """

    units: Sequence[Unit]
    start: int
    end: int
    content: Sequence[Unit]
    my_before: int | None
    my_after: int | None
    before: Pair | None
    after: Pair | None
    removed: frozenset[int] = frozenset()


class MarkedGaps:
    """Writes such gaps of one level to the aligner's pieces."""

    def __init__(self, filler: GapFiller) -> None:
        self.filler = filler
        self.aligner = filler.aligner
        self.scope = filler.scope
        self.is_root = filler.is_root
        self.pieces = filler.pieces
        self.theirs = filler.theirs
        self.mine = filler.mine
        self.newcomers = filler.newcomers

    def fill(self, gap: Gap, runs: list[list[Unit]]) -> None:
        """Brings the pieces to the gap's end. runs: the new units, split where a marker or an open end stands."""
        left, right, floating = runs[0], runs[-1], [unit for run in runs[1:-1] for unit in run]
        start, end = self.theirs.trim_blank(self.pieces.at, gap.end)
        if start == end:
            self._insert_at_empty_marker(gap, [*left, *floating, *right])
            return
        if left:
            self._left_of_marker(gap, left, start)
        if floating:
            self._float(gap, runs, start, end)
        if right:
            self._right_of_marker(gap, right, end)
            return
        self.keep(gap, gap.end)

    def _insert_at_empty_marker(self, gap: Gap, new: list[Unit]) -> None:
        num_theirs = gap.end - self.pieces.at
        if not new:
            self.aligner.writer.keep(gap.end, self.scope)
            return
        before = self.newcomers.blanks_between(gap.my_before, new[0].start)
        after = self.newcomers.blanks_between(new[-1].end, gap.my_after)
        self.pieces.drop(gap.end)
        first = gap.before is None and self.is_root
        self.newcomers.blanks(0 if first else max(before or 0, num_theirs if new[0].is_block else 0))
        is_loose = self.newcomers.may_be_context(gap, new)
        self.newcomers.add(new, sure.AT_AN_EMPTY_MARKER, "at a marker that stands for nothing", is_loose=is_loose)
        if gap.after is not None or not self.is_root:
            self.newcomers.blanks(max(after or 0, num_theirs if new[-1].declares else 0))

    def _left_of_marker(self, gap: Gap, new: list[Unit], content: int) -> None:
        """New units directly behind the unit before the gap; the elided lines follow."""
        num_theirs = content - self.pieces.at
        before = self.newcomers.blanks_between(gap.my_before, new[0].start) or 0
        is_block = any(unit.is_block for unit in new)
        self.newcomers.blanks(max(before, num_theirs) if is_block and before else before)
        self.newcomers.add(new, self._beside_marker(gap, new), "behind its neighbour")
        following = gap.units[len(new)].start if len(gap.units) > len(new) else gap.my_after
        after = self.newcomers.blanks_between(new[-1].end, following) or 0
        if num_theirs == 0:
            self.newcomers.blanks(after)
        else:
            self.aligner.writer.keep(content, self.scope)

    def _right_of_marker(self, gap: Gap, new: list[Unit], end: int) -> None:
        """New units directly before the unit behind the gap; the elided lines come first."""
        self.keep(gap, end)
        new = self._without_quoted_ends(new, end)
        if not new:
            self.aligner.writer.keep(gap.end, self.scope)
            return
        num_theirs = gap.end - end
        previous = gap.units[-len(new) - 1].end if len(gap.units) > len(new) else gap.my_before
        before = self.newcomers.blanks_between(previous, new[0].start) or 0
        after = self.newcomers.blanks_between(new[-1].end, gap.my_after)
        is_block = any(unit.is_block for unit in new)
        self.pieces.drop(gap.end)
        self.newcomers.blanks(max(before, num_theirs))  # blank lines beside a marker say nothing
        self.newcomers.add(new, self._beside_marker(gap, new), "before its neighbour")
        if after is None:
            self.newcomers.blanks(num_theirs)
        else:
            self.newcomers.blanks(max(after, num_theirs) if is_block and after else after)

    def _without_quoted_ends(self, new: list[Unit], end: int) -> list[Unit]:
        """The units without closing lines that only quote how the elided block ends that stands up to line `end`."""
        num_closers = 0
        while num_closers < len(new) and is_closer(self.mine.lines[new[num_closers].head]):
            num_closers += 1
        shown = [self.mine.keys[unit.head] for unit in new[:num_closers] if unit.end == unit.head + 1]
        quoted = [key for key in self.theirs.keys[max(0, end - len(shown)) : end] if key]
        return new[num_closers:] if shown and shown == quoted else new

    def _beside_marker(self, gap: Gap, new: list[Unit]) -> float:
        """How sure new units beside a marker are: they may be one of the elided declarations under a new name."""
        shown = {unit.name for unit in self.filler.level.mine}
        elided = [
            unit for unit in gap.content if unit.name and unit.name not in shown and unit.start not in gap.removed
        ]
        is_rename = any(self.filler.is_renamed(unit, new) for unit in elided)
        return sure.NEW_OR_RENAMED if is_rename else sure.BESIDE_A_MARKER

    def _float(self, gap: Gap, runs: list[list[Unit]], start: int, end: int) -> None:
        """New units between two markers: where the markers' own words say, else at the end of the gap."""
        markers = [unit for unit in gap.units if unit.is_marker]
        offset = 0 if (gap.before is None and self.filler.level.is_open_left) else 1
        for position, run in enumerate(runs[1:-1]):
            if not run:
                continue
            preceding = markers[position + offset - 1] if 0 <= position + offset - 1 < len(markers) else None
            following = markers[position + offset] if position + offset < len(markers) else None
            at, neighbour = self._place_of(gap, preceding, following, end)
            self.keep(gap, at)
            self._insert_inside(gap, run, neighbour)
            self.aligner.findings.num_anchors += neighbour is not None

    def _place_of(self, gap: Gap, preceding: Unit | None, following: Unit | None, end: int) -> tuple[int, Unit | None]:
        """The line where new units go, and the original's unit that a marker names as their neighbour, if one does."""
        after = self._named(gap, preceding)
        position = position_of(preceding.note) if preceding else None
        if after and position is not None and position.is_before:
            return self._end_before(gap, after[0]), after[0]
        if after:
            return after[-1].end, after[-1]
        before = self._named(gap, following)
        if before and before[0].start > self.pieces.at:
            return self._end_before(gap, before[0]), before[0]
        return end, None

    def _named(self, gap: Gap, marker: Unit | None) -> list[Unit]:
        words = set(_WORD.findall(marker.note)) if marker else set()
        return [unit for unit in gap.content if unit.name in words and unit.start >= self.pieces.at]

    def _end_before(self, gap: Gap, unit: Unit) -> int:
        return self.theirs.trim_blank(self.pieces.at, unit.start)[1]

    def _insert_inside(self, gap: Gap, new: list[Unit], neighbour: Unit | None) -> None:
        """New units at the current place inside elided lines, as far apart as the lines there are."""
        following = self.pieces.at
        while following < gap.end and not self.theirs.keys[following]:
            following += 1
        num_blank = following - self.pieces.at if following < gap.end else 1
        self.newcomers.blanks(num_blank)
        certainty, reference = sure.BETWEEN_MARKERS, None
        if neighbour is not None:
            indent = self.aligner.writer.out_indent(neighbour.head, self.scope)
            certainty, reference = sure.BESIDE_A_NAMED_MARKER, Reference(new[0].head, new[0].columns, indent)
        self.newcomers.add(new, certainty, "between two markers", reference=reference)

    def keep(self, gap: Gap, end: int) -> None:
        """Keeps the elided lines up to `end`, without the declarations that are said to go or that moved."""
        for unit in gap.content:
            is_moved = unit.start in self.filler.level.moved
            if (is_moved or unit.start in gap.removed) and self.pieces.at <= unit.start and unit.end <= end:
                self.aligner.writer.keep(self._end_before(gap, unit), self.scope)
                certainty, reason = (sure.MOVED, "moved") if is_moved else (sure.SAID_TO_GO, "it is said to go")
                self.pieces.drop(unit.end, certainty * self.filler.certainty, reason)
        self.aligner.writer.keep(end, self.scope)
