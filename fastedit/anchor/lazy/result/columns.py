"""The lines of a result, each the original's or a new one: their columns, what they change, and the commas of JSON.

Quoted lines that stay where they are keep their columns; all others are put beside them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise

from fastedit.anchor.lazy.identity import TAB_COLUMNS
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import PathPlan
from fastedit.lines import indent_of

FEW_LINES = 4
OPENING = ("decl", "key", "table", "selector", "case")
ITEM = "- "
CLOSING = (")", "]", "}", "end", "</")
_GOES_ON = re.compile(
    r"(?:else|elsif|elseif|elif|rescue|ensure|catch|finally|when|in|case|default|then|and|or)\b|[|&.]"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of the result. line: of the original, None for a new one. text: None where the original's bytes stand.

    row: the snippet's row that it comes from, or None. count: so many lines of the original that stay together.
    """

    line: int | None
    text: str | None
    row: int | None = None
    count: int = 1

    @property
    def is_new(self) -> bool:
        return self.line is None


def changes_of(cells: Sequence[Cell], num_lines: int) -> list[tuple[int, int, list[str]]]:
    """The changes that cells make: lines [start, end) of the original become other lines; ascending, touching none."""
    changes: list[tuple[int, int, list[str]]] = []
    at = 0
    new: list[str] = []
    for cell in (*cells, Cell(num_lines, None, None, 0)):
        if cell.line is None:
            new.append(cell.text or "")
            continue
        if cell.text is not None:
            if cell.line > at and not new:
                changes.append((at, cell.line, []))
                at = cell.line
            new.append(cell.text)
            changes.append((at, cell.line + 1, new))
            new, at = [], cell.line + 1
            continue
        if new or cell.line > at:
            changes.append((at, cell.line, new))
            new = []
        at = cell.line + cell.count
    return _joined(changes)


def _joined(changes: list[tuple[int, int, list[str]]]) -> list[tuple[int, int, list[str]]]:
    result: list[tuple[int, int, list[str]]] = []
    for start, end, new in changes:
        if result and result[-1][1] == start:
            first, _, lines = result[-1]
            result[-1] = (first, end, lines + new)
        else:
            result.append((start, end, new))
    return result


class Verbatim(Enum):
    """The rows that have the very white space of the snippet: none, the new ones, or all."""

    NONE = "none"
    NEW = "new"
    ALL = "all"


class Columns:
    """Tells in which column each row of a plan stands in the result.

    as_shown: each row stands where the snippet has it, all moved as its outermost ones are, whatever surrounds them.
    verbatim: rows that stand where the snippet has them, and aren't moved.
    """

    def __init__(self, grid: Grid, plan: PathPlan, as_shown: bool = False, verbatim: Verbatim = Verbatim.NONE) -> None:
        self.grid = grid
        self.as_shown = as_shown
        self.verbatim = verbatim
        self.plan = plan
        self.original = grid.original
        self.shown = grid.shown
        self._columns: dict[int, int] = {}
        self._trusted: dict[int, bool] = {}
        self.spots = {row: at for at, rows in plan.new.items() for row in rows}
        self._free = sorted(plan.free_before)

    @cached_property
    def _rows_of(self) -> dict[int, int]:
        """line → the row that quotes it."""
        return {line: row for row, (line, _) in self.plan.quoted.items()}

    @cached_property
    def _quoted_in(self) -> dict[int, list[int]]:
        """row → the quoted rows that stand in it; -1: those that stand in none."""
        result: defaultdict[int, list[int]] = defaultdict(list)
        for row in self.plan.quoted:
            if not self.grid.rows[row].is_blank:
                result[self.grid.row_parents[row]].append(row)
        return result

    @cached_property
    def ratio(self) -> float:
        """The number of columns of the original that one column of the snippet is."""
        return self._ratio[0]

    @property
    def is_scaled(self) -> bool:
        """Whether steps of another width are known, by quoted rows that show them."""
        return self._ratio[1]

    def indent_of_row(self, row: int, columns: int, near: int) -> str:
        """Writes a row's indentation: its own bytes where the snippet's are the file's, else as `indent` does."""
        if columns == self.shown.columns[row] and (self._is_verbatim or self._takes_tabs(row)):
            return indent_of(self.shown.texts[row])
        return self.indent(columns, near)

    def _takes_tabs(self, row: int) -> bool:
        """Whether a row is to have the snippet's white space and has tabs there, which nobody types by habit."""
        return self.verbatim is Verbatim.NEW and row in self.spots and "\t" in indent_of(self.shown.texts[row])

    @cached_property
    def _is_verbatim(self) -> bool:
        """Whether all indented rows quoted in their column have the file's bytes there.

        Tabs and blanks may be mixed in these. A row that stands in another column says nothing of the bytes.
        """
        lines = [
            (row, line)
            for row, (line, _) in self.plan.quoted.items()
            if not self.grid.rows[row].is_blank and self.shown.columns[row] == self.original.columns[line] > 0
        ]
        return bool(lines) and all(
            indent_of(self.shown.texts[row]) == indent_of(self.original.texts[line]) for row, line in lines
        )

    def indent(self, columns: int, near: int) -> str:
        """Writes so many columns of indentation, in tabs or blanks as most of the lines nearest to a line have them."""
        if (columns, near) not in self.grid.indents:
            self.grid.indents[columns, near] = self._indent(columns, near)
        return self.grid.indents[columns, near]

    def _indent(self, columns: int, near: int) -> str:
        same = self.original.lines_at.get(columns)
        if same:
            at = bisect_left(same, near)
            nearest = same[max(0, at - FEW_LINES) : at + FEW_LINES]
            counts = Counter(indent_of(self.original.texts[line]) for line in nearest)
            return counts.most_common(1)[0][0]
        unit = self.original.indent_unit if any(self.original.columns) else self.shown.indent_unit
        if unit == "\t":
            return "\t" * (columns // TAB_COLUMNS) + " " * (columns % TAB_COLUMNS)
        return " " * columns

    @cached_property
    def _ratio(self) -> tuple[float, bool]:
        """Returns `ratio` and `is_scaled`."""
        ratios: Counter[float] = Counter()
        for row, (line, _) in self.plan.quoted.items():
            parent = self.grid.row_parents[row]
            if parent < 0 or parent not in self.plan.quoted or self.grid.rows[row].is_blank:
                continue
            above = self.plan.quoted[parent][0]
            step = self.shown.columns[row] - self.shown.columns[parent]
            if step and self.original.parents[line] == above:
                ratios[(self.original.columns[line] - self.original.columns[above]) / step] += 1
        if ratios:
            ratio = ratios.most_common(1)[0][0]
            return ratio, ratio != 1
        if any(
            self.shown.columns[row] == self.original.columns[line] > 0 and not self.grid.rows[row].is_blank
            for row, (line, _) in self.plan.quoted.items()
        ):
            return 1.0, False
        if not any(column > 0 for column in self.shown.columns):
            return 1.0, False
        if not any(column > 0 for column in self.original.columns):
            return 1.0, False
        return _width(self.original.indent_unit) / _width(self.shown.indent_unit), False

    def is_trusted(self, row: int) -> bool:
        """Whether a quoted row stands in the same block in both texts, so that its column tells."""
        if row not in self._trusted:
            self._trusted[row] = False
            self._trusted[row] = not self.as_shown and self.verbatim is not Verbatim.ALL and self._trust(row)
        return self._trusted[row]

    def _trust(self, row: int) -> bool:
        if row not in self.plan.quoted:
            return False
        line, _ = self.plan.quoted[row]
        parent = self.grid.row_parents[row]
        theirs = self.original.parents[line]
        if self._closes_anew(row):
            return False
        if parent < 0:
            return theirs < 0 or theirs not in self.plan.deleted or not self._has_reference(row)
        if parent in self.plan.quoted and self.is_parted(parent, row):
            # What lies between isn't shown: the row may stand in anything that is still there.
            return theirs < 0 or theirs not in self.plan.deleted
        if parent in self.plan.quoted:
            above = self.plan.quoted[parent][0]
            if theirs == above:
                return self.is_trusted(parent)
            inside = above in self.original.ancestors(line)
            return inside and theirs not in self.plan.deleted and not self._has_lost(theirs, row)
        if parent in self.spots:
            # A new header: where an old one made room for it the lines below it stay as they are.
            is_replaced = theirs >= 0 and theirs in self.plan.deleted
            return is_replaced and self._column_by_others(row) == self.original.columns[line]
        return True

    def _has_lost(self, line: int, row: int) -> bool:
        """Whether the row that a line is changed to opens no block any more that a row could stand in."""
        other = self._rows_of.get(line)
        return other is not None and self.shown.columns[other] >= self.shown.columns[row]

    def _closes_anew(self, row: int) -> bool:
        """Whether a quoted bracket ends new lines in a block that begins in another column than its own."""
        opener = self._opener(row)
        if opener is None or self._row_before(row) not in self.spots:
            return False
        return self.column(opener) != self.original.columns[self.plan.quoted[row][0]]

    def _opener(self, row: int) -> int | None:
        """The row whose block a closing bracket ends; None where another column or an elision hides it."""
        if not self.shown.stripped[row].startswith(CLOSING):
            return None
        mine, has_body = self.shown.columns[row], False
        for above in range(row - 1, -1, -1):
            columns = self.shown.columns[above]
            if columns < 0 or above in self.plan.left_out:
                continue
            if columns <= mine:
                is_placed = above in self.plan.quoted or above in self.spots
                return above if has_body and columns == mine and is_placed else None
            has_body = True
        return None

    def _ends_block_of(self, closing: int, row: int) -> bool:
        """Whether a bracket ends a block that a row stands in, though the snippet shows both in the same column."""
        if closing < row or not self.shown.stripped[closing].startswith(CLOSING):
            return False
        return (self._opener(closing) or -1) < row

    def _row_before(self, row: int) -> int | None:
        """The nearest row above that isn't blank and is no note."""
        rows = range(row - 1, -1, -1)
        return next((one for one in rows if not self.grid.rows[one].is_blank and one not in self.plan.left_out), None)

    def _has_reference(self, row: int) -> bool:
        return any(other != row and other in self.plan.quoted for other in self.plan.order)

    def column(self, row: int) -> int:
        """The column of a row in the result."""
        if row not in self._columns:
            if self.verbatim is Verbatim.ALL or (self.verbatim is Verbatim.NEW and row in self.spots):
                self._columns[row] = max(0, self.shown.columns[row])
            elif self.as_shown:
                self._columns[row] = max(0, self.shown.columns[row] + self.shift)
            elif self.is_trusted(row):
                self._columns[row] = self.original.columns[self.plan.quoted[row][0]]
            else:
                self._columns[row] = self._column_by_others(row)
        return self._columns[row]

    @cached_property
    def shift(self) -> int:
        """The columns that most of the snippet's outermost unchanged rows stand further in than there."""
        quoted = [row for row in self.plan.quoted if not self.grid.rows[row].is_blank]
        rows = [row for row in quoted if self._is_same(row)] or quoted
        outermost = min((self.shown.columns[row] for row in rows), default=0)
        lines = [self.plan.quoted[row][0] for row in rows if self.shown.columns[row] == outermost]
        counts = Counter(self.original.columns[line] - outermost for line in lines)
        return max(counts, key=lambda one: (counts[one], -abs(one)), default=0)

    def _is_same(self, row: int) -> bool:
        """Whether a quoted row has nothing else than its line."""
        return self.original.keys[self.plan.quoted[row][0]] == self.shown.keys[row]

    def moves_from(self, other: Columns) -> tuple[int, int, int, int]:
        """Counts the rows that stand elsewhere than other columns have them.

        New rows, changed ones, and of those that quote a line unchanged the ones that leave its column, and that stay.
        """
        new = changed = same = staying = 0
        for row in (*self.spots, *self.plan.quoted):
            column = self.column(row)
            if self.grid.rows[row].is_blank or column == other.column(row):
                continue
            if row in self.spots:
                new += 1
            elif not self._is_same(row):
                changed += 1
            elif column == self.original.columns[self.plan.quoted[row][0]]:
                staying += 1
            else:
                same += 1
        return new, changed, same, staying

    def is_like(self, other: Columns) -> bool:
        """Whether each row stands where other columns have it."""
        return all(
            self.column(row) == other.column(row)
            for row in (*self.spots, *self.plan.quoted)
            if not self.grid.rows[row].is_blank
        )

    @property
    def has_witness(self) -> bool:
        """Whether an indented row that is quoted unchanged stands in its column, so that those of the snippet count."""
        return any(
            self.shown.columns[row] == self.original.columns[line] > 0 and self._is_same(row)
            for row, (line, _) in self.plan.quoted.items()
            if not self.grid.rows[row].is_blank
        )

    def is_deeper(self) -> bool:
        """Whether all rows quoted in another column than their line's stand further in; nobody shows that by habit."""
        return all(
            self.shown.columns[row] >= self.original.columns[line]
            for row, (line, _) in self.plan.quoted.items()
            if not self.grid.rows[row].is_blank
        )

    def has_other_tabs(self, other: Columns) -> bool:
        """Whether a new row's indentation has tabs, and hasn't as other columns write it."""
        for row, at in self.spots.items():
            if not self.grid.rows[row].is_blank and self._takes_tabs(row):
                column = self.column(row)
                if self.indent_of_row(row, column, at) != other.indent_of_row(row, column, at):
                    return True
        return False

    def _column_by_others(self, row: int) -> int:
        shown = self.shown
        mine = shown.columns[row]
        opener = self._opener(row)
        if opener is not None:
            return self.column(opener)
        parent = self.grid.row_parents[row]
        best: tuple[float, int] | None = None
        for other in self._quoted_in.get(parent, ()):
            columns = shown.columns[other]
            if other == row or (columns != mine and parent < 0) or self._ends_block_of(other, row):
                continue
            cost = abs(other - row) * 0.01 + (columns != mine)
            if (best is not None and cost >= best[0]) or not self.is_trusted(other):
                continue
            line = self.plan.quoted[other][0]
            if parent >= 0 or not self.is_parted(row, other):
                best = (cost, self.original.columns[line] + self._scaled(mine - columns))
        if best is not None and best[0] < 1:
            return max(0, best[1])
        if parent >= 0 and (parent in self.plan.quoted or parent in self.spots):
            return max(0, self.column(parent) + self._scaled(mine - shown.columns[parent]))
        if best is not None:
            return max(0, best[1])
        return self._column_by_nearest(row)

    def is_parted(self, row: int, other: int) -> bool:
        """Whether a place where the snippet leaves lines out lies between two rows of its outermost level."""
        low, high = sorted((row, other))
        return bisect_right(self._free, low) < bisect_right(self._free, high)

    def _column_by_nearest(self, row: int) -> int:
        """The column by the nearest quoted row of the same part, by what stands at the place, or by any quoted row."""
        mine = self.shown.columns[row]
        trusted = [
            other
            for other in self.plan.quoted
            if other != row and not self.grid.rows[other].is_blank and self.is_trusted(other)
        ]
        near = [other for other in trusted if not self.is_parted(row, other)]
        if near:
            other = min(near, key=lambda one: (abs(one - row), abs(self.shown.columns[one] - mine)))
            return self._column_beside(row, other)
        at = self.spots.get(row)
        first = None if at is None else self._first_at(at)
        if first is not None and first < row and not self.is_parted(first, row) and not trusted:
            return max(0, self.column(first) + self._scaled(mine - self.shown.columns[first]))
        nearest = min(trusted, key=lambda one: abs(one - row), default=None)
        by_shift = None if nearest is None else self._column_beside(row, nearest)
        if at is not None:
            before, behind = self.grid.column_before[at], self.grid.column_behind[at]
            fitting = [int(c) for c in (before, behind) if c >= 0]
            last = self.grid.line_before[at]
            if last >= 0:  # the new lines may stand in any of the blocks that end here
                fitting = [*(self.original.columns[line] for line in self.original.ancestors(last)), *fitting]
                fitting = [column for column in fitting if column >= behind]
            if self._is_inside(row, self.grid.line_behind[at]):
                fitting = [column for column in fitting if column > behind] or fitting
            if by_shift is not None and by_shift in fitting:
                return by_shift
            of_items = self._column_of_items(row, last, fitting)
            if of_items is not None:
                return of_items
            if mine in fitting:
                return mine
            if fitting and row in self.plan.free_before:
                return self._column_of_kin(row, at, fitting) if self.grid.block_ends[at] else fitting[-1]
        return by_shift if by_shift is not None else max(0, mine)

    def _is_inside(self, row: int, line: int) -> bool:
        """Whether a row stands inside of the block that a line below it closes."""
        if not 0 <= line < len(self.original) or not self.original.stripped[line].startswith(CLOSING):
            return False
        text = self.shown.stripped[row]
        return not (text.startswith((*CLOSING, "#")) or text.endswith(":") or _GOES_ON.match(text))

    def _first_at(self, at: int) -> int | None:
        """The first new row of a place that isn't blank."""
        return next((row for row in self.plan.new[at] if not self.grid.rows[row].is_blank), None)

    def _column_of_items(self, row: int, last: int, fitting: Sequence[int]) -> int | None:
        """The column of the items of lists that end in a line, for an item shown at none of these columns.

        Those that begin with its key are meant, else the deepest ones.
        """
        shown, original = self.shown, self.original
        if last < 0 or not shown.stripped[row].startswith(ITEM):
            return None
        lines = [line for line in (last, *original.ancestors(last)) if original.stripped[line].startswith(ITEM)]
        columns = [original.columns[line] for line in lines if original.columns[line] in fitting]
        if not columns or shown.columns[row] in columns:
            return None
        words = shown.stripped[row].split()[:2]
        alike = [original.columns[line] for line in lines if original.stripped[line].split()[:2] == words]
        return max([column for column in alike if column in fitting] or columns)

    def _column_of_kin(self, row: int, at: int, fitting: Sequence[int]) -> int:
        """The column where others of a row's kind stand, of those of the blocks that end at a place; else the deepest.

        Where a blank line is, it is the outermost one.
        """
        identity = self.grid.leading_identity(row)
        last, original = self.grid.line_before[at], self.original
        lines = [last, *original.ancestors(last)] if last >= 0 else []
        behind = self.grid.line_behind[at]
        lines += [behind] if behind < len(original) else []
        kin = []
        for line in lines:
            other = original.identity(line)
            if identity is not None and other is not None and identity.kind == other.kind in OPENING:
                kin.append(original.columns[line])
        kin = [column for column in kin if column in fitting]
        if not kin:
            return max(fitting)
        is_apart = any(0 <= line < len(original) and not original.keys[line] for line in (at - 1, at))
        return min(kin) if is_apart else max(kin)

    def _column_beside(self, row: int, other: int) -> int:
        """The column of a row as far from a quoted one's as in the snippet."""
        columns = self.original.columns[self.plan.quoted[other][0]]
        return max(0, columns + self._scaled(self.shown.columns[row] - self.shown.columns[other]))

    def _scaled(self, columns: int) -> int:
        """Columns of the snippet as columns of the original: whole steps are scaled, the rest is as shown."""
        if self.ratio == 1 or not columns:
            return columns
        step = _width(self.shown.indent_unit)
        sign = -1 if columns < 0 else 1
        whole = abs(columns) // step * step
        return sign * (round(whole * self.ratio) + abs(columns) - whole)


def indent_ratio(original: Lines, shown: Lines) -> float:
    """The number of columns of the original that a column of a snippet is: not 1 where its steps have another width.

    Only lines that both have tell: the units of a few lines may be those of wrapped statements.
    """
    ratio = _width(original.indent_unit) / _width(shown.indent_unit)
    if ratio == 1 or max(shown.columns, default=0) <= 0 or max(original.columns, default=0) <= 0:
        return 1.0
    places = [original.places.get(key, ()) if key else () for key in shown.keys]
    quoted = [(row, *lines) for row, lines in enumerate(places) if len(lines) == 1]
    told: Counter[float] = Counter()
    for (above, line_above), (row, line) in pairwise(quoted):
        step = shown.columns[row] - shown.columns[above]
        if step:
            told[(original.columns[line] - original.columns[line_above]) / step] += 1
    return ratio if told and told.most_common(1)[0][0] == ratio else 1.0


def _width(unit: str) -> int:
    """The columns of a unit of indentation."""
    return TAB_COLUMNS if unit == "\t" else len(unit)
