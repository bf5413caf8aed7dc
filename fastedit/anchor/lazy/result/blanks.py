"""Blank lines between a result's lines: as the snippet shows them, elsewhere as the file has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from fastedit.anchor.lazy.lines import OPENER, Lines
from fastedit.anchor.lazy.result.columns import Cell, Columns
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import PathPlan
from fastedit.anchor.lazy.words.shapes import TEXTS, is_title

USUAL_BLANKS = {"python": 2}  # before a declaration, where the file has no other
_BEGINNING = re.compile(r"\W*\w+\W")  # of a line: what it is, mostly
STYLED = ("css", "")  # SCSS, Less and all else that is scanned, not parsed, has no language here
FEW_LINES = 8  # fewer say nothing of where a file has blank lines


@dataclass(frozen=True, slots=True)
class _Gap:
    """A place with new lines on one of its sides.

    before, behind: the nearest lines of the file that aren't blank. in_file: the blank lines on that side.
    is_emptied: whether there were other lines between them, too. shows_blank: whether the snippet has a blank line
    there. start: the first row of the new lines.
    """

    before: int | None
    behind: int | None
    in_file: int
    is_emptied: bool
    shows_blank: bool
    start: int


class AddedBlanks(Enum):
    """The sides of new lines that get a blank line though nothing of the file says so.

    BEFORE, BEHIND, AROUND: one, as words ask for it. EVEN: as many on both sides as the lines beside them had between.
    SHOWN: all that the snippet shows, also between lines of the file.
    """

    NONE = "none"
    EVEN = "even"
    SHOWN = "shown"
    BEFORE = "before"
    BEHIND = "behind"
    AROUND = "around"


class Blanks:
    """Puts blank lines between the lines of a result. added: those that words ask for."""

    def __init__(self, grid: Grid, plan: PathPlan, columns: Columns, added: AddedBlanks = AddedBlanks.NONE) -> None:
        self.added = added
        self.uneven: list[int] = []  # the first rows of new lines with fewer on one side than the file has there
        self.is_closing = False  # whether any of these are the last of their block
        # Where blank lines that the snippet shows are left out, how often: between lines of the file, beside a note,
        # at the snippet's edge, beside a marker.
        self.unshown: Counter[str] = Counter()
        self.grid = grid
        self.plan = plan
        self.columns = columns
        self.original = grid.original

    def between_lines(self, cells: list[Cell]) -> list[Cell]:
        """The cells with as many blank lines beside new ones as the file has, where the snippet doesn't show them."""
        solid = [n for n, cell in enumerate(cells) if not self._is_blank(cell)]
        if not solid:
            return cells
        result = cells[: solid[0] + 1]
        for index, following in pairwise(solid):
            if following > index + 1 or not self._is_known_beside(cells[index], cells[following]):
                result.extend(self._between(cells, index, following, cells[index + 1 : following]))
            result.append(cells[following])
        return [*result, *cells[solid[-1] + 1 :]]

    def _is_known_beside(self, above: Cell, below: Cell) -> bool:
        """Whether two cells follow each other in the snippet, or in the file, so that nothing comes between them."""
        if below.row is not None and below.row not in self.plan.free_before:
            return above.row is not None and below.row == above.row + 1
        return below.row is None and not above.is_new and self._are_neighbours(above, below)

    def _is_blank(self, cell: Cell) -> bool:
        if cell.text is not None:
            return not cell.text.strip()
        return cell.line is None or (cell.count == 1 and not self.original.keys[cell.line])

    def _is_free(self, cell: Cell) -> bool:
        """Whether the snippet leaves open what stands before this line."""
        return cell.row is None or cell.row in self.plan.free_before or self._leads_free(cell.row)

    def _leads_free(self, row: int) -> bool:
        """Whether only blank rows lie between the row and the place before which lines are left out."""
        at = row - 1
        while at >= 0 and (self.grid.rows[at].is_blank or at in self.plan.left_out):
            if at in self.plan.free_before:
                return True
            at -= 1
        return at < 0 or at in self.plan.markers

    def _between(self, cells: Sequence[Cell], first: int, second: int, between: list[Cell]) -> list[Cell]:
        """The blank lines between two lines of the result."""
        above, below = cells[first], cells[second]
        if not self._is_free(below):
            if self._are_neighbours(above, below) and not self._has_blanks_before(below):
                kept = [cell for cell in between if not cell.is_new]
                return between if self._is_left_out("between", len(between) - len(kept)) else kept
            shown = self._shown_blanks(above.row, below.row)
            if shown is None:
                number = self._num_between(above.row, below.row) - len(between)
                return [*between, *[Cell(None, "", None)] * number] if self._is_left_out("between", number) else between
            # Between lines of the file the snippet's blank lines may belong to the note alone.
            least = min(shown[0], shown[-1]) if above.is_new or below.is_new else 0
            if self._is_left_out("note", max(shown) - max(least, len(between[: max(shown)]))):
                least = max(shown)
            return between[: max(shown)] + [Cell(None, "", None)] * (least - len(between))
        if not above.is_new and not below.is_new:
            if above.line is None or below.line is None:
                return between
            if self.plan.deleted.isdisjoint(range(above.line, below.line)):
                return between
            return self._after_deletion(above.line, below.line, between)
        if above.is_new and below.is_new:
            return between
        # One of the two is new: the other is the file's, beside a place where the snippet leaves lines out.
        return self._beside_new(cells, first, second, between)

    def _is_left_out(self, where: str, number: int) -> bool:
        """Remembers blank lines of the snippet that are left out; whether they are wanted though."""
        if number > 0:
            self.unshown[where] += 1
        return number > 0 and self.added is AddedBlanks.SHOWN

    def _are_neighbours(self, above: Cell, below: Cell) -> bool:
        """Whether both cells are lines of the file, one right behind the other there, too."""
        return above.line is not None and below.line == above.line + above.count

    def _has_blanks_before(self, cell: Cell) -> bool:
        """Whether the file has blank lines before lines that stand as far right as a cell's, or too few of these."""
        if cell.line is None:
            return True
        column = self.original.columns[cell.line]
        return column in self.original.columns_below_blanks or len(self.original.lines_at[column]) < FEW_LINES

    def _num_between(self, above: int | None, below: int | None) -> int:
        """The number of blank lines between two rows of the snippet; 0 where anything else is there."""
        if above is None or below is None or not all(self.grid.rows[row].is_blank for row in range(above + 1, below)):
            return 0
        return max(0, below - above - 1)

    def _shown_blanks(self, above: int | None, below: int | None) -> list[int] | None:
        """Counts the blank lines that the snippet shows before each of the notes between two rows, and behind the last.

        None where anything but notes, or none, is there. Blank lines on both sides of a note are the same ones: `a`,
        blank, `# removed: b`, blank, `c`.
        """
        if above is None or below is None or above >= below:
            return None
        runs = [0]
        for row in range(above + 1, below):
            if self.grid.rows[row].is_blank:
                runs[-1] += 1
            elif row in self.plan.left_out:
                runs.append(0)
            else:
                return None
        return runs if len(runs) > 1 else None

    def _after_deletion(self, above: int, below: int, between: list[Cell]) -> list[Cell]:
        runs = self._blank_runs(above, below)
        wanted = runs[-1]
        if runs[-1] or self.original.columns[below] >= self.original.columns[above]:
            wanted = max(runs[0], runs[-1])
        return [Cell(None, "", None)] * wanted if len(between) != wanted else between

    def _beside_new(self, cells: Sequence[Cell], first: int, second: int, between: list[Cell]) -> list[Cell]:
        """The blank lines between a line of the file and a new one."""
        above, below = cells[first], cells[second]
        before = self._file_line(cells, first, -1)
        behind = self._file_line(cells, second, 1)
        new = below if below.is_new else above
        if new.row is None:
            return between
        runs = [0] if before is None or behind is None else self._blank_runs(before, behind)
        gap = _Gap(
            before,
            behind,
            runs[0 if below.is_new else -1],
            len(runs) > 1,
            self._shows_blank(new.row, -1 if below.is_new else 1),
            self._first_new(cells, second if below.is_new else first),
        )
        if below.is_new:  # what precedes the new lines isn't shown
            wanted = self._wanted_before(gap, len(between), *self._behind_new(cells, second))
        else:
            wanted = self._wanted_behind(gap, new.row, self._num_before_new(cells, first))
        side = AddedBlanks.BEFORE if below.is_new else AddedBlanks.BEHIND
        if self.added in (AddedBlanks.AROUND, side):
            wanted = max(1, wanted)
        step = -1 if below.is_new else 1
        where, number = self._num_shown(new.row, step)
        if self._is_left_out(where, number - wanted):
            wanted = number
        if wanted < gap.in_file:
            self.uneven.append(gap.start)
            self.is_closing = self.is_closing or self._is_closed(gap)
            if self.added is AddedBlanks.EVEN:
                wanted = gap.in_file
        if wanted == len(between):
            return between
        kept = between[:wanted]
        return kept + [Cell(None, "", None)] * (wanted - len(kept))

    def _is_title(self, lines: Lines, line: int) -> bool:
        """Whether a line of a text is a title. In code `...` and quotes below a line are no underlines."""
        return self.grid.outline.language in TEXTS and is_title(lines, line)

    def _is_declared(self, row: int) -> bool:
        """Whether a run of new lines that begins with the row declares something of several lines, or is titled."""
        if self._is_title(self.grid.shown, row):
            return True
        identity = self.grid.leading_identity(row)
        if identity is None or identity.kind not in ("decl", "heading", "table", "selector", "decorator"):
            return False
        if identity.kind == "selector":  # elsewhere `name,` is an entry of a list
            return self.grid.outline.language in STYLED
        return identity.kind != "decl" or self._has_block(row)

    def _has_block(self, row: int) -> bool:
        """Whether new lines that begin with the row have a block: below it, or below comments or decorators there."""
        rows, columns = self.grid.rows, self.grid.shown.columns
        if OPENER.search(self.grid.shown.stripped[row]) or self.grid.shown.identity(row) is None:
            return True
        below = next((at for at in range(row + 1, len(rows)) if not rows[at].is_blank), None)
        if below is None:
            return False
        opens_below = columns[below] == columns[row] and self.grid.shown.stripped[below] == "{"
        return opens_below or columns[below] > columns[row]

    def _is_closed(self, gap: _Gap) -> bool:
        """Whether the new lines are the last of their block."""
        if gap.behind is None:
            return True
        return gap.before is not None and self.original.columns[gap.behind] < self.columns.column(gap.start)

    def _wanted_before(self, gap: _Gap, count: int, is_free_behind: bool, num_behind: int) -> int:
        """The number of blank lines that new lines want before them; there are `count`, they end in `num_behind`."""
        before, in_file = gap.before, gap.in_file
        is_declared = self._is_declared(gap.start)
        column = self.columns.column(gap.start)
        wanted = in_file
        is_plain = not gap.shows_blank and not is_declared
        is_beside = before is not None and self.original.columns[before] == column
        if is_plain and is_beside and is_free_behind:
            wanted = 0
        elif is_plain and is_beside and gap.start - 1 in self.plan.markers and not gap.is_emptied:
            wanted = max(0, in_file - num_behind)  # those that the snippet shows behind are the file's
        if self._is_closed(gap) and (gap.behind is None or not in_file or is_free_behind):
            is_headed = gap.shows_blank or is_declared
            wanted = self._usual_blanks(gap.start) if is_headed else self._blanks_of_kin(gap.start, before)
        elif not in_file and self._is_title(self.grid.shown, gap.start):
            wanted = self._usual_blanks(gap.start)
        elif not in_file:
            wanted = min(1, count) if gap.shows_blank and is_declared else 0
        if before is not None and self.original.columns[before] < column and self.grid.opens_before[before + 1]:
            wanted = min(wanted, self._blanks_behind(before))
        return wanted

    def _wanted_behind(self, gap: _Gap, last: int, num_before: int) -> int:
        """The number of blank lines that new lines want behind the last of their rows; `num_before` stand before."""
        is_closed = self._is_closed(gap)
        is_beside = gap.behind is not None and self.original.columns[gap.behind] == self.columns.column(gap.start)
        is_plain = not gap.shows_blank and not self._is_declared(gap.start)
        if is_plain and is_beside and last + 1 in self.plan.markers and not gap.is_emptied:
            return max(0, gap.in_file - num_before)  # those that the snippet shows before are the file's
        if is_closed and gap.behind is not None:
            return self._blanks_before(gap.behind)
        if not gap.in_file and gap.shows_blank and not is_closed and self._is_declared(gap.start):
            return 1
        return gap.in_file

    def _first_new(self, cells: Sequence[Cell], index: int) -> int:
        """The first row of the run of new lines that a cell is in."""
        while index > 0 and (cells[index - 1].is_new):
            index -= 1
        while self._is_blank(cells[index]):
            index += 1
        row = cells[index].row
        return row if row is not None else 0

    def _behind_new(self, cells: Sequence[Cell], index: int) -> tuple[bool, int]:
        """Whether the snippet leaves open what follows a cell's new lines, and how many blank lines these end in."""
        num_blank = 0
        while index < len(cells) and (cells[index].is_new or self._is_blank(cells[index])):
            num_blank = num_blank + 1 if self._is_blank(cells[index]) else 0
            index += 1
        return index == len(cells) or self._is_free(cells[index]), num_blank

    def _num_before_new(self, cells: Sequence[Cell], index: int) -> int:
        """The number of blank lines before the new lines that end in a cell."""
        while index >= 0 and cells[index].is_new and not self._is_blank(cells[index]):
            index -= 1
        num_blank = 0
        while index >= 0 and self._is_blank(cells[index]):
            num_blank, index = num_blank + 1, index - 1
        return num_blank if index < 0 or not cells[index].is_new else 0

    def _file_line(self, cells: Sequence[Cell], index: int, step: int) -> int | None:
        """The nearest line of the original that isn't blank, from a cell on."""
        while 0 <= index < len(cells):
            line = cells[index].line
            if line is not None and not self._is_blank(cells[index]):
                return line if step > 0 else line + cells[index].count - 1
            index += step
        return None

    def _blank_runs(self, above: int, below: int) -> list[int]:
        """Counts the blank lines before each line between two lines, and before the lower one."""
        runs, run = [], 0
        for line in range(above + 1, below):
            if self.original.keys[line]:
                runs.append(run)
            run = run + 1 if not self.original.keys[line] else 0
        return [*runs, run]

    def _blanks_before(self, line: int) -> int:
        return num_blank(self.original, line, -1)

    def _blanks_behind(self, line: int) -> int:
        return num_blank(self.original, line, 1)

    def _num_shown(self, row: int, step: int) -> tuple[str, int]:
        """The kind of what the snippet has behind the blank lines beside a row, and how many these are."""
        number, at = 0, row + step
        while 0 <= at < len(self.grid.rows) and self.grid.rows[at].is_blank:
            number, at = number + 1, at + step
        return "marker" if 0 <= at < len(self.grid.rows) else "edge", number

    def _shows_blank(self, row: int, step: int) -> bool:
        at = row + step
        while 0 <= at < len(self.grid.rows) and at in self.plan.left_out and not self.grid.rows[at].is_blank:
            at += step
        return 0 <= at < len(self.grid.rows) and self.grid.rows[at].is_blank

    def _blanks_of_kin(self, row: int, above: int | None) -> int:
        """The number of blank lines that most lines which begin as a row does have before them; 0 for a single one.

        Below one of these, those count that are below one too: the first of a group says nothing of the next ones.
        above: the line of the file that the row goes below. A row without a word, as a comment's first, has its own
        text for a beginning.
        """
        original, text = self.original, self.grid.shown.stripped[row]
        begins = _BEGINNING.match(text)
        lines = original.lines_at.get(self.columns.column(row), [])
        if begins is None:
            kin = [line for line in lines if line and original.stripped[line] == text]
        else:
            kin = [line for line in lines if line and original.stripped[line].startswith(begins[0])]
        if above in kin:
            members = set(kin)
            kin = [line for line in kin if line - 1 - self._blanks_before(line) in members] or kin
            return Counter(map(self._blanks_before, kin)).most_common(1)[0][0]
        counts = Counter(map(self._blanks_before, kin))
        return counts.most_common(1)[0][0] if len(kin) > 1 else 0

    def _usual_blanks(self, row: int) -> int:
        """The number of blank lines that the file usually has before declarations at the row's column."""
        column = self.columns.column(row)
        counts: Counter[int] = Counter()
        for one in self.grid.outline.declarations:
            line = one.start_line
            if one.kind in ("import", "value") or line >= len(self.original) or self.original.columns[line] != column:
                continue
            if line and not self.grid.opens_before[line] and one.end_line - one.start_line > 1:
                counts[self._blanks_before(line)] += 1
        if not counts and self._is_title(self.grid.shown, row):
            titles = (line for line in range(1, len(self.original)) if self._is_title(self.original, line))
            counts = Counter(self._blanks_before(line) for line in titles)
        if counts:
            return counts.most_common(1)[0][0]
        at, shown = row - 1, 0
        while at >= 0 and self.grid.rows[at].is_blank:
            shown, at = shown + 1, at - 1
        return shown or (USUAL_BLANKS.get(self.grid.outline.language, 0) if column == 0 else 0)


def num_blank(original: Lines, line: int, step: int) -> int:
    """The number of blank lines beside a line of the file."""
    count, at = 0, line + step
    while 0 <= at < len(original) and not original.keys[at]:
        count, at = count + 1, at + step
    return count
