"""Facts for or against steps: a new row where it would stand, markers, notes, jumps, going on elsewhere."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.features import (
    AT_MEANT,
    AT_REPLACED,
    AT_TOLD,
    BEGINS_FILE,
    BLANK_BEFORE,
    BLANK_BEHIND,
    CAPTURES,
    DECLARED_AT_BOUNDARY,
    DECLARED_INSIDE,
    DEEPER_THAN_BEFORE,
    ENDS_BLOCK,
    ENDS_FILE,
    FIRST_SAME_BEFORE,
    FIRST_SAME_BEHIND,
    FITS_BEFORE,
    FITS_BEHIND,
    FITS_NONE,
    FITS_OPENER,
    IMPORT_FAR,
    IN_TOLD,
    INSIDE_NAMED,
    INSIDE_PARENT,
    LIKE_BY,
    NEW,
    NEW_AT,
    NEW_BLANK,
    NEW_COMMENT,
    NEW_DECLARED,
    NEW_DOTS,
    NEW_DRESSED,
    NEW_KNOWN,
    NEW_KNOWN_TRIVIAL,
    NEW_LIKE,
    NEW_NAMED_ALONE,
    NEW_NOTE,
    NEW_SAID_ADDS,
    NEW_SAID_CHANGES,
    OFF_MEANT,
    OFF_TOLD,
    OUT_TOLD,
    OUTSIDE_NAMED,
    OUTSIDE_PARENT,
    ROW_NEW,
    STATEMENT_AT_BOUNDARY,
)  # fmt: skip
from fastedit.anchor.lazy.words.comments import dressing, names_alone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.lazy.search.grid import Grid
    from fastedit.anchor.lazy.words.places import Told

    Floats = NDArray[np.float32]

MAX_REMEMBERED = 100_000  # cells
MARKER_ODDS = -0.7  # of a row that is rather a marker
_LEADING = ("decl", "heading", "table", "decorator", "selector")


class NewLines:
    """Tells how well the rows of a grid would stand as new lines."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.original, self.shown, self.rows = grid.original, grid.shown, grid.rows
        self._led: dict[str, list[int]] = {}
        self._blocks: dict[int, list[tuple[int, int]]] = {}
        self._tables: dict[int, Floats] = {}

    def row(self, row: int) -> Floats:
        """(len(ROW_NEW),): what speaks for or against the row being new."""
        one = self.rows[row]
        values = np.zeros(len(ROW_NEW), np.float32)
        if one.is_blank:
            values[NEW_BLANK] = 1
            return values
        values[NEW] = 1
        values[NEW_SAID_ADDS], values[NEW_SAID_CHANGES] = self.grid.intent.adds, self.grid.intent.changes
        values[NEW_COMMENT] = float(one.note is not None)
        identity = self.shown.identity(row)
        is_outer = identity is not None and identity.kind in ("decl", "import", "heading", "table")
        is_named = is_outer or (identity is not None and identity.kind in ("case", "key", "assign"))
        if is_named and identity in self.original.identities:
            values[NEW_DECLARED] = 1.0 if is_outer else 0.3
        if self.shown.keys[row] in self.original.places:
            values[NEW_KNOWN_TRIVIAL if self.shown.is_trivial[row] else NEW_KNOWN] = 1
        values[NEW_DOTS] = float(one.is_dots)
        pairs = self.grid.pairs[row]
        if len(pairs.lines) and not values[NEW_KNOWN] and not values[NEW_KNOWN_TRIVIAL]:
            values[NEW_LIKE] = max(0.0, float(pairs.features[:, LIKE_BY].max()))
        if one.note is not None:
            values[NEW_NOTE] = min(4.0, -one.role("code"))
            names = names_alone(one.note)
            values[NEW_NAMED_ALONE] = float(bool(names) and self._declared.issuperset(names))
            values[NEW_DRESSED] = float((sign := dressing(one.text)) != "" and sign not in self._dressings)
        return values

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The names of what the original's lines are about."""
        return frozenset(identity.name.split(".")[-1].split(" ")[0] for identity in self.original.identities)

    @cached_property
    def _dressings(self) -> frozenset[str]:
        """The signs that the original's comments set their words off with."""
        original = self.original
        return frozenset(dressing(text) for line, text in enumerate(original.stripped) if original.is_comment(line))

    def at(self, row: int) -> Floats:
        """Returns the row's `table`, remembered where the tables are small."""
        if (self.grid.num_rows + 1) * (self.grid.num_lines + 1) > MAX_REMEMBERED:
            return self.table(row)
        if row not in self._tables:
            self._tables[row] = self.table(row)
        return self._tables[row]

    def _led_by(self, word: str) -> list[int]:
        """The first lines of the original that begin with a word."""
        if word not in self._led:
            places = self.original.word_places.get(word, ())
            self._led[word] = list(islice((line for line in places if self.original.words(line)[0] == word), 300))
        return self._led[word]

    def table(self, row: int) -> Floats:
        """(n + 1, len(NEW_AT)): how well a run of new lines that begins with the row would stand at each position."""
        n = self.grid.num_lines
        column = self.grid.column_of(row)
        before, behind = self.grid.column_before, self.grid.column_behind
        table = np.zeros((n + 1, len(NEW_AT)), np.float32)
        if column is None:
            return table
        fits_before, fits_behind = before == column, behind == column
        fits_opener = self.grid.opens_before & (before < column)
        table[:, FITS_BEFORE] = fits_before
        table[:, FITS_BEHIND] = fits_behind
        table[:, FITS_OPENER] = fits_opener & ~fits_behind
        table[:, FITS_NONE] = ~(fits_before | fits_behind | fits_opener)
        table[:, CAPTURES] = behind > column
        table[:, ENDS_BLOCK] = self.grid.block_ends
        table[-1, ENDS_FILE] = 1
        table[0, BEGINS_FILE] = 1
        table[:, BLANK_BEHIND] = self.grid.is_blank
        table[1:, BLANK_BEFORE] = self.grid.is_blank[:-1]
        identity = self.grid.leading_identity(row)
        kinds = ("decl", "heading", "table", "decorator", "selector", "tag")
        is_declared = identity is not None and identity.kind in kinds
        boundary = self.grid.boundary
        if is_declared:
            table[:, DECLARED_AT_BOUNDARY] = boundary
            table[:, DECLARED_INSIDE] = ~boundary & ~self.grid.block_ends
        else:
            table[:, STATEMENT_AT_BOUNDARY] = boundary & ~fits_before
        first = self.shown.words(row)[:1]
        if first:
            places = self._led_by(first[0])
            ahead = np.zeros(n + 1, bool)
            ahead[places] = True
            if places:
                # Line -1 and line n, of which there are none, are the last of `ahead`: False.
                table[:, FIRST_SAME_BEFORE] = ahead[self.grid.nearest_before]
                table[:, FIRST_SAME_BEHIND] = ahead[self.grid.nearest_behind]
            if identity is not None and identity.kind == "import" and places:
                table[:, IMPORT_FAR] = 1 - np.maximum(table[:, FIRST_SAME_BEFORE], table[:, FIRST_SAME_BEHIND])
        self._add_blocks(table, row)
        table[:, DEEPER_THAN_BEFORE] = (before < column) & ~self.grid.opens_before
        return table

    def _add_blocks(self, table: Floats, row: int) -> None:
        """Adds whether positions lie in the block that the row stands in, and in the declarations that words name."""
        n = self.grid.num_lines
        parent = self.grid.row_parents[row]
        extents = self.blocks(parent) if parent >= 0 else []
        if extents:
            inside = np.zeros(n + 1, bool)
            for start, end in extents:
                inside[start + 1 : end + 1] = True
            table[:, INSIDE_PARENT], table[:, OUTSIDE_PARENT] = inside, ~inside
        names = self.grid.context_names[row]
        if names:
            share = np.zeros(n + 1, np.float32)
            for name in names:
                covered = np.zeros(n + 1, bool)
                for start, end in self.grid.declared_names[name]:
                    covered[start + 1 : end] = True
                share += covered
            table[:, INSIDE_NAMED] = share / len(names)
            table[:, OUTSIDE_NAMED] = share == 0
        self._add_told(table, self.grid.told_by_row[row])

    def _add_told(self, table: Floats, told: Told) -> None:
        """Adds whether positions are where the words say."""
        if told.inside is not None:
            inside = np.zeros(self.grid.num_lines + 1, bool)
            inside[1:] = told.inside
            table[:, IN_TOLD], table[:, OUT_TOLD] = inside, ~inside
        if told.at is not None:
            table[:, AT_TOLD], table[:, OFF_TOLD] = told.at, ~told.at
        if told.near is not None:
            table[:, AT_MEANT], table[:, OFF_MEANT] = told.near, told.near.max() - told.near
        if told.replaced is not None:
            table[:-1, AT_REPLACED] = told.replaced
            table[1:, AT_REPLACED] = np.maximum(table[1:, AT_REPLACED], told.replaced)

    def blocks(self, row: int) -> list[tuple[int, int]]:
        """The blocks of the original that a header in the snippet may mean, as (header, end)."""
        if row not in self._blocks:
            self._blocks[row] = self._blocks_of(row)
        return self._blocks[row]

    def _blocks_of(self, row: int) -> list[tuple[int, int]]:
        lines = self.original.places.get(self.shown.keys[row], [])
        if not lines:
            identity = self.shown.identity(row)
            lines = self.original.identities.get(identity, []) if identity is not None else []
        return [(line, self.block_end(line)) for line in lines[:20]]

    def block_end(self, line: int) -> int:
        """The line behind the last one that stands in the block which a line opens."""
        depths, limit = self.original.depths, self.original.depths[line]
        end = line + 1
        for at in range(line + 1, self.grid.num_lines):
            if depths[at] < 0:
                continue
            if depths[at] <= limit:
                return end
            end = at + 1
        return end


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
