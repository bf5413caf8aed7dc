"""Facts for or against steps that lie between two rows: markers, notes, jumps, going on elsewhere."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.grid import Grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MARKER_ODDS = -0.7  # of a row that is rather a marker
_LEADING = ("decl", "heading", "table", "decorator", "selector")


class StepFacts:
    """The facts of a grid's steps."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.n = grid.num_lines
        self.m = grid.num_rows

    def is_marker_like(self, row: int) -> bool:
        """Whether a row may well be a marker, from its words."""
        return self.grid.rows[row].role("elide") > -4

    def marker_row(self, row: int) -> Floats:
        """(len(MARKER),): how likely the row is a marker, from its words."""
        one = self.grid.rows[row]
        values = np.zeros(len(g.MARKER), np.float32)
        values[0] = 1
        values[1] = max(-6.0, one.role("elide"))
        values[2] = float(one.is_dots)
        if not one.is_dots:
            values[15] = float(one.role("elide") < -3)
            values[16] = self.grid.listing(row)
            values[17] = float(row > 0 and self.grid.row_parents[row] == row - 1)
        return values

    def marker_at(self, row: int) -> Floats:
        """(n + 1, len(MARKER)): how well the marker's column agrees with what stands at each position."""
        table = np.zeros((self.n + 1, len(g.MARKER)), np.float32)
        column = self.grid.column_of(row)
        if column is None:
            return table
        behind = self.grid.column_behind
        table[:, 8] = self.grid.block_ends
        table[:, 9] = (column < behind) & ~self.grid.block_ends
        table[:, 10] = column > behind
        table[:, 11] = column == behind
        table[:, 12] = self.grid.opens_before & (behind > self.grid.column_before)
        return table

    def note_row(self, row: int) -> Floats:
        """(len(NOTE),): how likely the row is only a note to the reader, or a blank line beside one."""
        one = self.grid.rows[row]
        values = np.zeros(len(g.NOTE), np.float32)
        if one.is_blank:
            rows = self.grid.rows
            beside = [rows[other] for other in (row - 1, row + 1) if 0 <= other < self.m]
            is_beside = any(other.odds is not None and other.role("code") < -0.7 for other in beside)
            values[3 if is_beside else 2] = 1
            return values
        odds = [one.role(name) for name in ("where", "new", "gone")]
        values[0] = 1
        values[1] = max(-6.0, float(np.logaddexp.reduce(odds)))
        values[5] = float(one.role("gone") > -0.7)
        values[6] = max(-6.0, one.role("code"))
        values[7] = self.grid.listing(row)
        return values

    def junction(self, row: int) -> Floats:
        """(len(JUNCTION),): what the snippet shows where lines may be jumped over before the row."""
        values = np.zeros(len(g.JUNCTION), np.float32)
        values[0] = 1
        columns = self.grid.shown.columns
        before = next((other for other in range(row - 1, -1, -1) if columns[other] >= 0), None)
        if (row < self.m and columns[row] < 0) or (before is not None and before < row - 1):
            values[3] = 1
        if before is not None and columns[row] >= 0:
            values[4] = float(columns[row] < columns[before])
            values[5] = float(columns[row] > columns[before])
        identity = self.grid.leading_identity(row)
        values[6] = float(identity is not None and identity.kind in _LEADING)
        values[8] = float(not self.grid.has_markers)
        rows = self.grid.rows
        is_note = before is not None and rows[before].note is not None and before == row - 1
        values[12] = float(is_note and row < self.m and rows[row].note is not None)
        parent = self.grid.row_parents[row] if row < self.m else -1
        if before is not None and parent >= 0 and (parent == before or self.grid.row_parents[before] == parent):
            values[9:12] = self._blocks.get(parent, (0.0, 0.0, 0.0))
        return values

    @cached_property
    def _blocks(self) -> dict[int, tuple[float, float, float]]:
        """For each row with others inside: is its end shown, does it declare something, is a marker inside."""
        grid, shown = self.grid, self.grid.shown
        inside: dict[int, list[int]] = {}
        for row, parent in enumerate(grid.row_parents):
            if parent >= 0 and not grid.rows[row].is_blank:
                inside.setdefault(parent, []).append(row)
        found = {}
        for parent, rows in inside.items():
            behind = next((row for row in range(rows[-1] + 1, self.m) if shown.columns[row] >= 0), self.m)
            is_closed = behind < self.m and shown.columns[behind] == shown.columns[parent] and shown.is_trivial[behind]
            identity = shown.identity(parent)
            is_header = identity is not None and identity.kind == "decl"
            is_marked = any(grid.rows[row].role("elide") > MARKER_ODDS for row in rows)
            found[parent] = (float(is_closed), float(is_header), float(is_marked))
        return found

    def back_row(self, row: int) -> Floats:
        """(len(BACK),): how likely the snippet goes on elsewhere before the row."""
        values = np.zeros(len(g.BACK), np.float32)
        values[0] = 1
        identity = self.grid.leading_identity(row)
        values[1] = float(identity is not None and identity.kind in (*_LEADING, "import"))
        if row > 0:
            before = self.grid.rows[row - 1]
            is_marked = before.role("code") < MARKER_ODDS
            values[2], values[3] = float(is_marked), float(not is_marked and not before.is_blank)
        values[4] = float(identity is not None and identity.kind == "import")
        return values

    def next_shift(self, row: int) -> Floats:
        """(n + 1, len(NEXT)): whether a row that quotes the line before a position keeps its distance from the last."""
        table = np.zeros((self.n + 1, len(g.NEXT)), np.float32)
        if row == 0:
            return table
        columns = np.array(self.grid.original.columns, np.int32)
        mine, before = self.grid.shown.columns[row], self.grid.shown.columns[row - 1]
        if mine < 0 or before < 0:
            table[:, 2] = 1
            return table
        if self.n > 1:
            same = (columns[1:] - columns[:-1] == mine - before) & (columns[:-1] >= 0)
            table[2:, 0], table[2:, 1] = same, ~same & (columns[:-1] >= 0)
        return table

    def captured(self, row: int) -> Floats:
        """(n + 1, len(NEXT)): whether the line behind a position would fall into a block that the row opens."""
        table = np.zeros((self.n + 1, len(g.NEXT)), np.float32)
        column = self.grid.column_of(row)
        if column is not None:
            table[:, 5] = self.grid.column_behind > column
        return table
