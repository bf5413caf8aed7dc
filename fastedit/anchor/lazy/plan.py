"""Follows a path through the grid: sums up its features, and plans what becomes of each row and each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.chart import DELETE_AFTER, MARKED
from fastedit.anchor.lazy.features import FEATURES, INDEX
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.paths import LEFT_OUT, Node, Path, Step
from fastedit.anchor.lazy.steps import StepFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MARKER_FROM = {"Q": "marker_from_quote", "N": "marker_from_new", "D": "marker_from_deleted", "S": "marker_again"}
NEW_AFTER = {"Q": "new_after_quote", "D": "new_after_deleted", "S": "new_after_marker", "T": "new_at_start"}
_FREE = frozenset("SJTB")


class Tally:
    """Adds up features. total: (len(FEATURES),)."""

    def __init__(self, grid: Grid, facts: StepFacts) -> None:
        self.grid = grid
        self.facts = facts
        self.total = np.zeros(len(FEATURES), np.float64)

    def add(self, path: Path) -> None:
        """Adds the features of a path's steps."""
        for step in path.steps:
            self._add_step(step)

    def _add(self, names: Sequence[str], values: Sequence[float] | Floats, factor: float = 1.0) -> None:
        """Adds the values of some features."""
        for name, value in zip(names, values, strict=True):
            self.total[INDEX[name]] += value * factor

    def _add_step(self, step: Step) -> None:
        """Adds the features of a step."""
        target = step.target.state
        if target == "END":
            self._add_end(step)
        elif target == "S":
            self._add_elided(step)
        elif target == "D":
            self._add_deleted(step)
        elif target == "J":
            self._add_jumped(step)
        elif step.pair == LEFT_OUT:
            self._add(g.NOTE, self.facts.note_row(step.target.row - 1))
        elif target == "Q":
            self._add_quote(step)
        elif target == "N":
            self._add_new(step)
        elif target == "M":
            self._add_marker(step)

    def _add_end(self, step: Step) -> None:
        """Adds the features of the end of a path."""
        state, _, at = step.source
        if state == "Q":
            self._add(g.ENDED[:5], self.grid.ended[at, :5])
            self._add(["end_quote"], [1])
        elif state == "N":
            self._add(g.ENDED, self.grid.ended[at])
            self._add(["end_new"], [1])
        elif state == "D":
            self._add(["end_deleted", "delete_to_end"], [1, 1])

    def _add_elided(self, step: Step) -> None:
        """Adds the features of lines that a marker keeps."""
        start, (_, row, end) = step.source.at, step.target
        rows = self.grid.rows
        markers = (r for r in range(row) if rows[r].odds is not None and self.facts.is_marker_like(r))
        marker = max(markers, default=None)
        if marker is not None:
            table = self.grid.elided_lines(marker)
            self._add(MARKED, table[end] - table[start])
        self._add(["marker_empty"], [float(start == end)])

    def _add_deleted(self, step: Step) -> None:
        """Adds the features of lines that are deleted."""
        state, _, at = step.source
        self._add(g.DELETED_LINE, self.grid.deleted_lines[step.target.at] - self.grid.deleted_lines[at])
        self._add([DELETE_AFTER[state]], [1])
        if state == "T":
            self._add(g.START[4:6], self.grid.started[at, 4:6])

    def _add_jumped(self, step: Step) -> None:
        """Adds the features of lines that are kept unasked."""
        state, _, at = step.source
        self._add(g.JUMPED_LINE, self.grid.jumped_lines[step.target.at] - self.grid.jumped_lines[at])
        self._add(g.LEFT, self.grid.left[at])
        self._add(["jump_from_new"], [float(state == "N")])

    def _add_quote(self, step: Step) -> None:
        """Adds the features of a row that quotes a line, or changes it."""
        grid, state, row = self.grid, step.source.state, step.target.row - 1
        self._add(g.PAIR, grid.pairs[row].features[step.pair])
        line = int(grid.pairs[row].lines[step.pair])
        if state == "Q":
            self._add(g.NEXT, self.facts.next_shift(row)[line + 1])
        elif state == "N":
            self._add(["next_from_new"], [1])
            if not grid.rows[row - 1].is_blank:
                self._add(g.NEXT, self.facts.captured(row - 1)[line])
        elif state == "D":
            self._add(["delete_to_quote"], [1])
        elif state == "S":
            self._add(g.ELIDED_TO, grid.elided_to[line])
        elif state == "J":
            self._add(g.LANDED, grid.landed[line])
            self._add(g.JUNCTION, self.facts.junction(row))
        elif state == "T":
            self._add(g.START[:6], grid.started[line])
        else:
            self._add(g.LANDED, grid.landed[line])
            self._add(g.BACK, self.facts.back_row(row))

    def _add_new(self, step: Step) -> None:
        """Adds the features of a row that is new."""
        grid, state, row, at = self.grid, step.source.state, step.target.row - 1, step.target.at
        self._add(g.ROW_NEW, grid.new.row(row))
        if state == "N":
            self._add(["new_more"], [1])
            return
        self._add([NEW_AFTER.get(state, "new_after_jump")], [1])
        if not grid.rows[row].is_blank:
            near = state in "QD"
            self._add(g.NEW_NEAR if near else g.NEW_FAR, grid.new.at(row)[at], 0.5 if state == "D" else 1.0)
        if state == "D":
            self._add(["delete_to_new"], [1])
        elif state == "J":
            self._add(["jump_to_new"], [1])
            self._add(g.JUNCTION, self.facts.junction(row))
        elif state == "T":
            self._add(["start_new"], [1])
            self._add(g.START[4:6], grid.started[at, 4:6])
        elif state == "B":
            self._add(g.BACK, self.facts.back_row(row))

    def _add_marker(self, step: Step) -> None:
        """Adds the features of a row that is a marker."""
        state, row = step.source.state, step.target.row - 1
        self._add(g.MARKER, self.facts.marker_row(row))
        if state != "T":
            self._add(g.MARKER, self.facts.marker_at(row)[step.target.at])
        if state in MARKER_FROM:
            self._add([MARKER_FROM[state]], [1])
        if state == "D":
            self._add(["delete_to_marker"], [1])


@dataclass(slots=True)
class PathPlan:
    """All that a path does with each row and line.

    quoted: row → (line, pair). new: position → rows in their order. deleted: lines. free_before: rows before which
    the snippet doesn't show what precedes them in the file. order: the placed rows, blank ones too.
    """

    quoted: dict[int, tuple[int, int]] = field(default_factory=dict)
    new: dict[int, list[int]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    markers: dict[int, tuple[int, int]] = field(default_factory=dict)
    free_before: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)


def plan_of(path: Path, grid: Grid) -> PathPlan | None:
    """The plan of a path; None where it uses a line of the original twice."""
    planner = _Planner(grid)
    for source, target, pair in path.steps:
        if not planner.follow(source, target, pair):
            return None
    return planner.plan


class _Planner:
    """Makes a plan step by step.

    used: the ranges of lines quoted or deleted so far. lines: these one by one, once the snippet has gone on elsewhere:
    before that no line can be used again. is_free: whether the snippet doesn't show what precedes the next row in the
    file. marker: the last marker's row.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.plan = PathPlan()
        self.used: list[range] = []
        self.lines: set[int] | None = None
        self.is_free = True
        self.marker: int | None = None

    def follow(self, source: Node, target: Node, pair: int) -> bool:
        """Adds a step to the plan; False where it uses a line that is used already."""
        state, row, at = target
        if pair == LEFT_OUT:
            self.plan.left_out.add(row - 1)
        elif state == "Q":
            return self._quote(row - 1, pair, source, at)
        elif state == "N":
            self.plan.new.setdefault(at, []).append(row - 1)
            self._place(row - 1, source)
        elif state == "D":
            self.plan.deleted.update(range(source.at, at))
            return self._use(source.at, at)
        elif state == "M":
            self.marker, self.is_free = row - 1, True
        elif state == "S":
            self._end_marker(source.at, at)
        elif state == "END":
            if source.state == "M":
                self._end_marker(source.at, self.grid.num_lines)
        else:
            self._jump(target)
        return True

    def _quote(self, row: int, pair: int, source: Node, end: int) -> bool:
        """Quotes lines up to the target; those behind the first go where the new text has them all."""
        pairs = self.grid.pairs[row]
        line = source.at if source.state != "B" else int(pairs.lines[pair])
        self.plan.quoted[row] = (line, pair)
        if end > line + 1 and not pairs.is_loose[pair]:
            self.plan.deleted.update(range(line + 1, end))
        self._place(row, source)
        return self._use(line, end)

    def _use(self, start: int, end: int) -> bool:
        """Notes that lines are quoted or deleted; False where one of them is already."""
        new = range(start, end)
        if self.lines is None:
            self.used.append(new)
        elif self.lines.isdisjoint(new):
            self.lines.update(new)
        else:
            return False
        return True

    def _end_marker(self, start: int, end: int) -> None:
        """Notes which lines the last marker stands for."""
        if self.marker is not None:
            self.plan.markers[self.marker] = (start, end)

    def _jump(self, target: Node) -> None:
        """Goes on elsewhere, past lines or back."""
        if target.state == "B" and self.lines is None:
            self.lines = {line for lines in self.used for line in lines}
        self.is_free = True

    def _place(self, row: int, source: Node) -> None:
        """Puts a row behind those placed so far."""
        self.plan.order.append(row)
        if self.is_free or source.state in _FREE:
            self.plan.free_before.add(row)
        self.is_free = False
