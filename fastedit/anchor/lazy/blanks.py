"""Blank lines between a result's lines: as the snippet shows them, elsewhere as the file has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from fastedit.anchor.lazy.columns import Cell, Columns
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.lines import Lines, columns_of, identity_of, is_comment_text
from fastedit.anchor.lazy.paths import PathPlan
from fastedit.anchor.lazy.places import asks_blanks
from fastedit.anchor.lazy.shapes import TEXTS, is_title
from fastedit.patterns import pattern

USUAL_BLANKS = {"python": 2}  # before a declaration, where the file has no other
_BEGINNING = re.compile(r"\W*\w+\W")  # of a line: what it is, mostly
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
            wanted = self._wanted_behind(gap)
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
        """Whether a run of new lines that begins with the row declares something, or is titled."""
        if self._is_title(self.grid.shown, row):
            return True
        identity = self.grid.leading_identity(row)
        return identity is not None and identity.kind in ("decl", "heading", "table", "selector", "decorator")

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
            wanted = self._usual_blanks(gap.start) if gap.shows_blank or is_declared else self._blanks_of_kin(gap.start)
        elif not in_file and self._is_title(self.grid.shown, gap.start):
            wanted = self._usual_blanks(gap.start)
        elif not in_file:
            wanted = min(1, count) if gap.shows_blank and is_declared else 0
        if before is not None and self.original.columns[before] < column and self.grid.opens_before[before + 1]:
            wanted = min(wanted, self._blanks_behind(before))
        return wanted

    def _wanted_behind(self, gap: _Gap) -> int:
        """The number of blank lines that new lines want behind them."""
        is_closed = self._is_closed(gap)
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
        return _num_blank(self.original, line, -1)

    def _blanks_behind(self, line: int) -> int:
        return _num_blank(self.original, line, 1)

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

    def _blanks_of_kin(self, row: int) -> int:
        """The number of blank lines that most lines which begin as a row does have before them; 0 for a single one."""
        begins = _BEGINNING.match(self.grid.shown.stripped[row])
        if begins is None:
            return 0
        lines = self.original.lines_at.get(self.columns.column(row), [])
        kin = [line for line in lines if line and self.original.stripped[line].startswith(begins[0])]
        counts = Counter(self._blanks_before(line) for line in kin)
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


# ---- other numbers of blank lines in a merged result -----------------------------------------------------------------

# What another number of blank lines between two lines of a result is worth. Most are what speaks for it, less what
# speaks for the number that stands there. any: that it is another. more, fewer: how many. none: none. shown: a snippet
# has so many between the two lines; shown_note: on one side of a note between them; shown_marker: beside a marker.
# usual: the share of the file's lines of that kind that have so many before them. file: the file has so many between
# the two. above, below: so many behind the one line, before the other; above_again, below_again: and the result has
# them on the other side of the new lines too; above_out: new lines end a block there, that the file's blank lines
# stand behind; replaced: so many beside the line that went where a new one stands. asked: one, and words speak of a
# blank line; asked_none: none, and they say so.
GAPS = (
    "any", "more", "fewer", "none", "shown", "shown_note", "shown_marker", "usual", "file", "above", "above_again",
    "above_out", "below", "below_again", "replaced", "asked", "asked_none",
)  # fmt: skip
MAX_BLANKS = 3
MAX_LESS = 4.0  # how much less another number may be worth that is looked at
MAX_OTHERS = 3
MAX_GONE = 1  # lines more than the new ones that took their place
MAX_KIN = 200  # lines of one column that are looked at
MAX_LEADING = 12  # lines of comments and decorators above a declaration
_NO_BLANK = pattern(
    r"\b(?:no|without (?:a|an|any)|not an?|remove the|drop the) (?:blank|empty) (?:lines?|row)\b"
    r"|\b(?:directly|right|immediately|straight) (?:above|below|before|after|behind|under|underneath)\b"
    r"|\bon the line (?:above|below|before|after)\b|\bohne leerzeile|\bkeine leerzeile|\b(?:direkt|unmittelbar) \w+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The place [start, end) of blank lines of a result that may be another number. values: see `GAPS`."""

    start: int
    end: int
    number: int
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class Spacing:
    """Other numbers of blank lines for a result.

    values, gain: what they are worth against the likeliest ones, so that a result with poor blank lines doesn't come
    before another by getting better ones.
    """

    chosen: tuple[Gap, ...]
    values: dict[str, float]
    gain: float


# What a line follows, what it is, whether a comment leads to it.
_Kind = tuple[str, str, bool]


class _ShownGaps:
    """The blank lines that snippets show: between two lines, across notes and beside markers."""

    def __init__(self, snippets: Sequence[Sequence[str]]) -> None:
        self.between: dict[tuple[str, str], set[int]] = {}
        self.across: dict[tuple[str, str], set[int]] = {}
        self.before: dict[str, int] = {}
        self.behind: dict[str, int] = {}
        for lines in snippets:
            self._read(lines)

    def _read(self, lines: Sequence[str]) -> None:
        solid = [at for at, line in enumerate(lines) if line.strip()]
        keys = ["".join(lines[at].split()) for at in solid]
        is_note = [_is_note(key) for key in keys]
        for at, (above, below) in enumerate(pairwise(solid)):
            count = below - above - 1
            self.between.setdefault((keys[at], keys[at + 1]), set()).add(count)
            if is_note[at]:
                self.before[keys[at + 1]] = count
                if at and not is_note[at - 1]:
                    runs = {count, above - solid[at - 1] - 1}
                    self.across.setdefault((keys[at - 1], keys[at + 1]), set()).update(runs)
            if is_note[at + 1]:
                self.behind[keys[at]] = count


def _is_note(key: str) -> bool:
    """Whether a line may be a note or a marker."""
    return is_comment_text(key) or key in ("...", "…")


class Gaps:
    """Finds where a merged result may have another number of blank lines.

    pieces: the words before each snippet, with its lines without white space.
    """

    def __init__(
        self, original: Lines, snippets: Sequence[Sequence[str]], pieces: Sequence[tuple[str, frozenset[str]]]
    ) -> None:
        self.original = original
        self.shown = _ShownGaps(snippets)
        self.asking = [(asks_blanks(prose), _NO_BLANK.search(prose) is not None, keys) for prose, keys in pieces]
        self._kin: dict[int, dict[_Kind, Counter[int]]] = {}
        self._now: dict[int, int] = {}  # the file's lines of a result, with where they stand there

    def of_result(self, lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[Gap]:
        """Yields the other numbers of blank lines that anything speaks for, beside lines that changed."""
        self._now = {origin: at for at, origin in enumerate(origins) if origin is not None}
        for above, below in _touched(lines, origins):
            count = below - above - 1
            speaking = self._speaking(lines, origins, above, below)
            numbers = {number for ways in speaking.values() for number in ways} - {count}
            for number in sorted(number for number in numbers if 0 <= number <= MAX_BLANKS):
                values = {name: ways.get(number, 0.0) - ways.get(count, 0.0) for name, ways in speaking.items()}
                if any(value > 0 for value in values.values()):
                    more = {"any": 1.0, "more": float(max(0, number - count)), "fewer": float(max(0, count - number))}
                    yield Gap(above + 1, below, number, values | more | {"none": float(not number) - float(not count)})

    def _speaking(
        self, lines: Sequence[str], origins: Sequence[int | None], above: int, below: int
    ) -> dict[str, dict[int, float]]:
        """Returns name → number of blank lines → how much speaks for it."""
        upper, lower = "".join(lines[above].split()), "".join(lines[below].split())
        first, last = origins[above], origins[below]
        shown = self.shown.between.get((upper, lower), set())
        across = self.shown.across.get((upper, lower), set()) if not shown else set[int]()
        result = {"shown": dict.fromkeys(shown, 1.0), "shown_note": dict.fromkeys(across, 1.0)}
        sides = [self.shown.before.get(lower) if last is None else None]
        sides += [self.shown.behind.get(upper) if first is None else None]
        result["shown_marker"] = {side: 1.0 for side in sides if side and not shown}
        counts = self._usual(lines, above, below)
        total = max(1, counts.total())
        result["usual"] = {number: count / total for number, count in counts.items()}
        for name, number in self._in_file(lines, origins, above, below):
            result[name] = {number: 1.0}
        own = [key for key, origin in ((upper, first), (lower, last)) if origin is None]
        told = [(asks, none) for asks, none, keys in self.asking if not own or any(key in keys for key in own)]
        told = [] if shown else told
        result["asked"] = {1: 1.0} if any(asks for asks, _ in told) else {}
        result["asked_none"] = {0: 1.0} if any(none for _, none in told) else {}
        return result

    def _in_file(
        self, lines: Sequence[str], origins: Sequence[int | None], above: int, below: int
    ) -> Iterator[tuple[str, int]]:
        """Yields the blank lines that the file has beside the two lines, each with what it is called in `GAPS`."""
        first, last, original = origins[above], origins[below], self.original
        behind = 0 if first is None else _num_blank(original, first, 1)
        before = 0 if last is None else _num_blank(original, last, -1)
        if first is not None and last is not None and last - first == behind + 1:
            yield "file", behind
            return
        if first is not None:
            following = first + behind + 1
            is_out = following < len(original) and original.columns[following] < columns_of(lines[below])
            again = last is None and self._has_run(lines, following, behind, -1)
            replaced = last is None and self._replaces(lines, origins, below, following, 1)
            name = "above_out" if is_out and last is None else "above_again" if again else "above"
            yield "replaced" if replaced else name, behind
        if last is not None:
            preceding = last - before - 1
            again = first is None and self._has_run(lines, preceding, before, 1)
            replaced = first is None and self._replaces(lines, origins, above, preceding, -1)
            yield "replaced" if replaced else "below_again" if again else "below", before

    def _has_run(self, lines: Sequence[str], line: int, number: int, step: int) -> bool:
        """Whether a result has a line of the file with so many blank lines beside it."""
        if line not in self._now:
            return False
        count, at = 0, self._now[line] + step
        while 0 <= at < len(lines) and not lines[at].strip():
            count, at = count + 1, at + step
        return count == number

    def _replaces(self, lines: Sequence[str], origins: Sequence[int | None], at: int, line: int, step: int) -> bool:
        """Whether the new lines from one on took the place of hardly more lines of the file, from a line on."""
        num_new = num_gone = 0
        while 0 <= at < len(lines) and origins[at] is None:
            num_new, at = num_new + bool(lines[at].strip()), at + step
        while 0 <= line < len(self.original) and line not in self._now and num_gone <= num_new + MAX_GONE:
            num_gone, line = num_gone + bool(self.original.keys[line]), line + step
        return 0 < num_gone <= num_new + MAX_GONE

    def _usual(self, lines: Sequence[str], above: int, below: int) -> Counter[int]:
        """Counts the blank lines before the file's lines that are of one kind with a result's."""
        column = columns_of(lines[below])
        if column not in self._kin:
            kin: dict[_Kind, Counter[int]] = {}
            original = self.original
            lines_there = original.lines_at.get(column, [])
            for line in lines_there[:: 1 + len(lines_there) // MAX_KIN]:
                before = line - 1 - _num_blank(original, line, -1)
                if before >= 0:
                    kind = _kind(original.texts, before, line)
                    kin.setdefault(kind, Counter())[line - before - 1] += 1
            self._kin[column] = kin
        told = _kind(lines, above, below)
        kin = self._kin[column]
        if told in kin:
            return kin[told]
        near, like, same = Counter[int](), Counter[int](), Counter[int]()
        for kind, counts in kin.items():
            if kind[1] == told[1] and (kind[0] != "opener" or kind[0] == told[0]):
                near.update(counts if kind[0] == told[0] else {})
                like.update(counts if kind[2] == told[2] else {})
                same.update(counts)
        return near or like or same


def _touched(lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yields the lines that follow each other, but for blank ones, where something changed beside or between them."""
    last = -1
    for at, (first, second) in enumerate(pairwise(origins)):
        if at < last or (first is not None and second == first + 1):
            continue
        above = next((one for one in range(at, -1, -1) if lines[one].strip()), None)
        below = next((one for one in range(at + 1, len(lines)) if lines[one].strip()), None)
        last = len(lines) if below is None else below
        if above is not None and below is not None:
            yield above, below


def ways_to_space(found: Iterable[Gap], worth: dict[str, float]) -> list[Spacing]:
    """The ways to have blank lines that are worth a look: as they are, the likeliest one, and this but for one place.

    worth: the weights of `GAPS`.
    """
    best: dict[int, tuple[float, Gap]] = {}
    for gap in found:
        gain = sum(worth[name] * value for name, value in gap.values.items())
        if gain > -MAX_LESS and (gap.start not in best or best[gap.start][0] < gain):
            best[gap.start] = gain, gap
    order = sorted(best.values(), key=lambda one: (abs(one[0]), one[1].start))
    good = frozenset(gap.start for gain, gap in order if gain > 0)
    ways = dict.fromkeys([frozenset[int](), good, *(good ^ {gap.start} for _, gap in order[:MAX_OTHERS])])
    return [_spacing(way, good, best) for way in ways]


def _spacing(way: frozenset[int], good: frozenset[int], best: dict[int, tuple[float, Gap]]) -> Spacing:
    """One way, against the likeliest one. best: what could be at each place, with its gain."""
    values: dict[str, float] = {}
    gain = 0.0
    for start in sorted(way ^ good):
        sign = 1.0 if start in way else -1.0
        gain += sign * best[start][0]
        for name, value in best[start][1].values.items():
            values[name] = values.get(name, 0.0) + sign * value
    return Spacing(tuple(best[start][1] for start in sorted(way)), values, gain)


def spaced(
    lines: Sequence[str], origins: Sequence[int | None], chosen: Sequence[Gap]
) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a result with other numbers of blank lines, and where each of them is from."""
    texts, places = list(lines), list(origins)
    for gap in sorted(chosen, key=lambda one: -one.start):
        end = min(gap.end, gap.start + gap.number)
        more = gap.number - (end - gap.start)
        texts[gap.start : gap.end] = [*texts[gap.start : end], *[""] * more]
        places[gap.start : gap.end] = [*places[gap.start : end], *[None] * more]
    return tuple(texts), tuple(places)


def _kind(texts: Sequence[str], above: int, below: int) -> _Kind:
    """The kind of a place between two lines: what ends above, what is below, whether a comment leads to it."""
    column = columns_of(texts[below])
    upper = columns_of(texts[above])
    text = texts[above].strip()
    is_closer = text[:1] in (")", "}", "]") or text.startswith(("end", "</"))
    before = "opener" if upper < column else "end" if upper > column or is_closer else "like"
    if before == "like" and is_comment_text(text):
        before = "comment"
    at = below
    identity = None
    while at < min(len(texts), below + MAX_LEADING) and (text := texts[at].strip()):
        identity = None if is_comment_text(text) else identity_of(text)
        if not is_comment_text(text) and (identity is None or identity.kind != "decorator"):
            break
        at += 1
    kind = identity.kind if identity is not None else ""
    return before, kind, is_comment_text(texts[below].strip())


def _num_blank(original: Lines, line: int, step: int) -> int:
    """The number of blank lines beside a line of the file."""
    count, at = 0, line + step
    while 0 <= at < len(original) and not original.keys[at]:
        count, at = count + 1, at + step
    return count
