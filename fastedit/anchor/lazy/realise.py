"""The lines that come of a path: which of the original stay, which new ones stand where and how indented."""

from __future__ import annotations

import re
from collections.abc import Collection

from fastedit.anchor.elision import merge_elided
from fastedit.anchor.lazy.blanks import AddedBlanks, Blanks
from fastedit.anchor.lazy.cells import Cell
from fastedit.anchor.lazy.columns import Columns
from fastedit.anchor.lazy.commas import with_commas
from fastedit.anchor.lazy.features import LIKE_ELIDED, RESPACED
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.plan import PathPlan
from fastedit.lines import indent_of

# Where the line of a comment says something, far behind its sign.
_SIGN = re.compile(r"^\s*(?P<sign>\*|//|#|--|;)(?P<space>\t\s*|\s{2,})(?=\S)")


class Realiser:
    """Writes the result of a plan. added_blanks: see `Blanks`."""

    def __init__(self, grid: Grid, plan: PathPlan, added_blanks: AddedBlanks = AddedBlanks.NONE) -> None:
        self.grid = grid
        self.plan = plan
        self.added_blanks = added_blanks
        self.original = grid.original
        self.shown = grid.shown
        self.columns = Columns(grid, plan)
        self.spots = self.columns.spots

    def cells(self) -> list[Cell]:
        """The result's lines in their order."""
        plan, original = self.plan, self.original
        by_line = {line: (row, pair) for row, (line, pair) in plan.quoted.items()}
        moved = self.moved_lines()
        cells: list[Cell] = []
        at = 0
        for start, end in self._touched(moved):
            if at < start:
                cells.append(Cell(at, None, None, start - at))
            for line in range(start, end):
                self._add_new(cells, line)
                if line in plan.deleted:
                    continue
                if line in by_line:
                    row, pair = by_line[line]
                    cells.extend(self._quoted(row, line, pair))
                elif line in moved and original.keys[line] and not self._is_in_string(line):
                    columns = max(0, original.columns[line] + moved[line])
                    cells.append(Cell(line, self.columns.indent(columns, line) + original.stripped[line]))
                else:
                    cells.append(Cell(line, None))
            at = end
        if at < len(original):
            cells.append(Cell(at, None, None, len(original) - at))
        self._add_new(cells, len(original))
        cells = Blanks(self.grid, plan, self.columns, self.added_blanks).between_lines(cells)
        return with_commas(cells, original) if self.grid.outline.language == "json" else cells

    def _add_new(self, cells: list[Cell], at: int) -> None:
        for row in self.plan.new.get(at, ()):
            text = self._written(row)
            if text is not None:
                cells.append(Cell(None, text, row))

    def moved_lines(self) -> dict[int, int]:
        """Lines that a marker keeps in a block that moves, with how many columns they move."""
        moved: dict[int, int] = {}
        for marker, (start, end) in self.plan.markers.items():
            header = next((row for row in range(marker - 1, -1, -1) if row in self.plan.quoted), None)
            if header is None or self.grid.rows[header].is_blank or self.columns.is_parted(header, marker):
                continue
            line = self.plan.quoted[header][0]
            shift = self.columns.column(header) - self.original.columns[line]
            if not shift or self.shown.columns[marker] < self.shown.columns[header]:
                continue
            limit = self.original.columns[line] + (0 if self.shown.columns[marker] > self.shown.columns[header] else -1)
            for at in range(start, end):
                if 0 <= self.original.columns[at] <= limit and not self._is_in_string(at):
                    break
                moved[at] = shift
        return moved

    def _is_in_string(self, line: int) -> bool:
        """Whether a line starts inside of a string, where its column is text."""
        return line in self.original.in_strings(self.grid.outline.language)

    def _touched(self, moved: Collection[int]) -> list[tuple[int, int]]:
        """The ranges of lines in which anything may change, each from a line that isn't blank to one."""
        n = len(self.original)
        spots = {*self.plan.new, *self.plan.deleted, *moved}
        spots.update(line for line, _ in self.plan.quoted.values())
        ranges: list[tuple[int, int]] = []
        for spot in sorted(spots):
            start = max(0, self.grid.line_before[spot])
            end = min(n, self.grid.line_behind[min(n, spot + 1)] + 1)
            if ranges and start <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
            else:
                ranges.append((start, end))
        return ranges

    # ---- texts ---------------------------------------------------------------------------------------------------

    def _written(self, row: int) -> str | None:
        """A new row as it stands in the result; None where another row's text has it."""
        one = self.grid.rows[row]
        if one.is_blank:
            return ""
        if one.is_part and row and self._is_whole(row - 1 if self.grid.rows[row - 1].whole else row - 2):
            return None
        text = one.whole if one.whole is not None and self._is_stub(row) else self._as_beside(row, one.text)
        return self.columns.indent(self.columns.column(row), self.spots[row]) + self._trimmed(text)

    def _as_beside(self, row: int, text: str) -> str:
        """A line of a comment with the white space behind its sign that the file has in the nearest quoted one."""
        found = _SIGN.match(text)
        if found is None:
            return text
        for other in sorted(self.plan.quoted, key=lambda one: abs(one - row)):
            beside = _SIGN.match(self.grid.rows[other].text)
            theirs = _SIGN.match(self.original.texts[self.plan.quoted[other][0]])
            if beside is None or theirs is None or not beside["sign"] == found["sign"] == theirs["sign"]:
                continue
            if beside["space"] == found["space"]:
                return text[: found.start("space")] + theirs["space"] + text[found.end() :]
        return text

    def _trimmed(self, text: str) -> str:
        """The text without its indentation, and without blanks at its end where these mean nothing."""
        return text.lstrip() if self.grid.outline.language in ("markdown", "rst", "") else text.strip()

    def _is_whole(self, row: int) -> bool:
        return row >= 0 and self.grid.rows[row].whole is not None and row in self.spots

    def _is_stub(self, row: int) -> bool:
        return row + 1 < len(self.grid.rows) and self.grid.rows[row + 1].is_dots and row in self.spots

    def _quoted(self, row: int, line: int, pair: int) -> list[Cell]:
        one = self.grid.rows[row]
        pairs = self.grid.pairs[row]
        original = self.original.texts[line]
        if one.is_blank:
            return [Cell(line, None, row)]
        span = int(pairs.spans[pair])
        same = span == 1 and self.original.keys[line] == self.shown.keys[row] and not pairs.features[pair][RESPACED]
        column = self.columns.column(row)
        is_moved = not self.columns.is_trusted(row) and column != self.original.columns[line]
        is_moved = is_moved and not self._is_in_string(line)
        if same or pairs.is_loose[pair]:
            text = self.columns.indent(column, line) + original.strip() if is_moved else None
            return [Cell(line, text, row)]
        code = self._trimmed(one.text)
        if pairs.features[pair][LIKE_ELIDED]:
            merged = merge_elided(code, [original.strip(), *self.original.texts[line + 1 : line + span]])
            if merged is not None and len(merged) > 1:
                rest = [Cell(None, text, row) for text in merged[1:]]
                return [Cell(line, indent_of(original) + merged[0].strip(), row), *rest]
            if merged is not None:
                code = merged[0].strip()
        indent = self.columns.indent(column, line) if is_moved else indent_of(original)
        text = indent + code
        return [Cell(line, None if text == original else text, row)]
