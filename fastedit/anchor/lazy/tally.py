"""Sums up the features of a path's steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.chart import DELETE_AFTER, MARKED
from fastedit.anchor.lazy.features import FEATURES, INDEX
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.paths import LEFT_OUT, Path, Step
from fastedit.anchor.lazy.steps import StepFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MARKER_FROM = {"Q": "marker_from_quote", "N": "marker_from_new", "D": "marker_from_deleted", "S": "marker_again"}
NEW_AFTER = {"Q": "new_after_quote", "D": "new_after_deleted", "S": "new_after_marker", "T": "new_at_start"}


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
