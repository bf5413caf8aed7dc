"""Paths that come to the same text, told before any text is written.

Most of the best paths differ in nothing that shows: one quotes a line, another deletes it and writes it anew. Writing
their text takes far longer than finding them.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastedit.anchor.lazy.features import LIKE_ELIDED, RESPACED, REWRAPPED
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.plan import PathPlan
from fastedit.anchor.lazy.realise import Realiser

_Range = tuple[int, int, tuple[str, ...]]


class Twins:
    """Remembers the plans of a grid, and tells which of the next ones come to the same as one of them."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.original = grid.original
        self.shown = grid.shown
        self.is_blank = [one.is_blank for one in grid.rows]
        self.row_parents = grid.row_parents
        self._pairs = grid.pairs
        self._written: dict[tuple[int, int], str | None] = {}
        self._seen: set[object] = set()

    def is_new(self, plan: PathPlan) -> bool:
        """Whether no plan before came to the same text; remembers this one."""
        told = self._told(plan)
        if told in self._seen:
            return False
        self._seen.add(told)
        return True

    def _told(self, plan: PathPlan) -> object:
        """All that the text follows from: the lines that change, and what columns and blank lines depend on."""
        quoted = {row: line for row, (line, _) in plan.quoted.items() if not self.is_blank[row]}
        beside = self._shift(quoted)
        if beside is None:
            beside = self._columns(plan, quoted)
        return self._changes(plan), self._edges(plan), beside

    def _columns(self, plan: PathPlan, quoted: dict[int, int]) -> object:
        """The columns of the rows that are new or move, and the lines that move with them."""
        writer = Realiser(self.grid, plan)
        told = writer.columns
        new = [(row, told.column(row)) for rows in plan.new.values() for row in rows if not self.is_blank[row]]
        rows = [(line, told.column(row)) for row, line in quoted.items() if not told.is_trusted(row)]
        moved = [(line, column) for line, column in rows if column != self.original.columns[line]]
        return tuple(sorted(new)), tuple(sorted(moved)), tuple(writer.moved_lines().items())

    def _shift(self, quoted: dict[int, int]) -> object:
        """The shift that all quoted lines share; None where they differ, or where nothing tells how wide a step is.

        Where there is such a shift each row's column is certain, whichever of them are quoted.
        """
        columns, mine = self.original.columns, self.shown.columns
        shifts = {columns[line] - mine[row] for row, line in quoted.items()}
        if len(shifts) > 1:
            return None
        parents, above = self.original.parents, self.row_parents
        has_step = any(quoted.get(above[row], -2) == parents[line] for row, line in quoted.items())
        return tuple(shifts) if has_step else None

    def _changes(self, plan: PathPlan) -> tuple[_Range, ...]:
        """The lines [start, end) that become others, without those at either end that are written as they were."""
        keys = self.shown.keys
        written = {}
        for row, (line, pair) in plan.quoted.items():
            text = self._text(row, line, pair)
            if text is not None:
                written[line] = text
        result: list[_Range] = []
        start = end = -1
        new: list[str] = []
        for spot in sorted({*written, *plan.deleted, *plan.new}):
            if spot > end:
                self._add(result, start, end, new)
                start = end = spot
                new = []
            new += [keys[row] for row in plan.new.get(spot, ())]
            if spot in written:
                new.append(written[spot])
                end = spot + 1
            elif spot in plan.deleted:
                end = spot + 1
        self._add(result, start, end, new)
        return tuple(result)

    def _add(self, result: list[_Range], start: int, end: int, new: Sequence[str]) -> None:
        keys = self.original.keys
        first, last = 0, len(new)
        while first < last and start < end and new[first] == keys[start]:
            first, start = first + 1, start + 1
        while first < last and start < end and new[last - 1] == keys[end - 1]:
            last, end = last - 1, end - 1
        if first < last or start < end:
            result.append((start, end, tuple(new[first:last])))

    def _text(self, row: int, line: int, pair: int) -> str | None:
        """The text that a row which stands for a line is written as; None where the line's bytes stand."""
        at = row, pair
        if at not in self._written:
            pairs, key = self._pairs[row], self.shown.keys[row]
            is_respaced = bool(pairs.features[pair, (RESPACED, REWRAPPED)].any())
            is_same = pairs.spans[pair] == 1 and self.original.keys[line] == key and not is_respaced
            stands = self.is_blank[row] or pairs.is_loose[pair] or is_same
            mark = " " if is_respaced else "~" if pairs.features[pair, LIKE_ELIDED] else ""  # other than were it new
            self._written[at] = None if stands else f"{mark}{key}"
        return self._written[at]

    def _edges(self, plan: PathPlan) -> tuple[tuple[int, int, int], ...]:
        """The runs of new rows beside something that isn't shown: blank lines are added there.

        For each the first row, the one that is beside, and where it goes.
        """
        new = {row: at for at, rows in plan.new.items() for row in rows}
        result: list[tuple[int, int, int]] = []
        is_free = is_over = False
        first = last = -1  # of the run of new rows
        for row in plan.order:
            is_free = is_free or row in plan.free_before
            if self.is_blank[row]:
                is_over = is_over or row not in new
                continue
            if is_free and last >= 0:
                result.append((first, last, new[last]))
            if row not in new:
                first = last = -1
            else:
                first = row if first < 0 or is_over else first
                last, is_over = row, False
                if is_free:
                    result.append((first, row, new[row]))
            is_free = False
        if last >= 0:
            result.append((first, last, new[last]))
        return tuple(result)
