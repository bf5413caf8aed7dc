"""The lines that come of a path: which of the original stay, which new ones stand where and how indented.

Paths that come to the same text are told before it is written. Most of the best paths differ in nothing that shows: one
quotes a line, another deletes it and writes it anew. Writing their text takes far longer than finding them.

One path comes to a text for each way to have its blank lines and its columns. Mostly the file's habits tell both. Where
the snippet shows something else, or words ask for it, that is a text, too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fastedit.anchor.elision import merge_elided
from fastedit.anchor.lazy.features import LIKE_ELIDED, RESPACED, REWRAPPED
from fastedit.anchor.lazy.identity import columns_of
from fastedit.anchor.lazy.lines import Change
from fastedit.anchor.lazy.result.blanks import AddedBlanks, Blanks
from fastedit.anchor.lazy.result.columns import Cell, Columns, Verbatim, changes_of
from fastedit.anchor.lazy.result.commas import with_commas, with_commas_in_json
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import PathPlan
from fastedit.anchor.lazy.words.shapes import TEXTS
from fastedit.lines import indent_of

# Where the line of a comment says something, far behind its sign.
_SIGN = re.compile(r"^\s*(?P<sign>\*|//|#|--|;)(?P<space>\t\s*|\s{2,})(?=\S)")
_Range = tuple[int, int, tuple[str, ...]]
# The last of the facts of a result.
SPACES = (
    "blanks_told", "blanks_said", "blanks_around", "blanks_even", "blanks_even_headed", "blanks_even_lines",
    "blanks_even_closing", "blanks_shown", "blanks_shown_between", "blanks_shown_note", "blanks_shown_edge",
    "columns_shown", "columns_shown_new", "columns_shown_changed", "columns_shown_same", "columns_shown_staying",
    "columns_shown_scaled",
)  # fmt: skip
HEADING = ("decl", "heading", "table", "selector", "decorator")
MAX_SHOWN = 3  # places
HARD_BREAK = "  "  # at the end of a line of a text; few show it
_ASKED = (AddedBlanks.BEFORE, AddedBlanks.BEHIND, AddedBlanks.AROUND)


class Realiser:
    """Writes the result of a plan. added_blanks: see `Blanks`; as_shown, verbatim: see `Columns`."""

    def __init__(
        self,
        grid: Grid,
        plan: PathPlan,
        added_blanks: AddedBlanks = AddedBlanks.NONE,
        as_shown: bool = False,
        verbatim: Verbatim = Verbatim.NONE,
    ) -> None:
        self.grid = grid
        self.plan = plan
        self.added_blanks = added_blanks
        self.original = grid.original
        self.shown = grid.shown
        self.columns = Columns(grid, plan, as_shown, verbatim)
        self.spots = self.columns.spots
        self.uneven: list[int] = []  # see `Blanks`, as for the next two
        self.is_closing = False
        self.unshown: Counter[str] = Counter()

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
        blanks = Blanks(self.grid, plan, self.columns, self.added_blanks)
        cells = blanks.between_lines(cells)
        self.uneven, self.is_closing, self.unshown = blanks.uneven, blanks.is_closing, blanks.unshown
        language = self.grid.outline.language
        return with_commas_in_json(cells, original) if language == "json" else with_commas(cells, original, language)

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
            if self.columns.as_shown and self.shown.columns[marker] == self.shown.columns[header]:
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
            return self._blank(row)
        if one.is_part and row and self._is_whole(row - 1 if self.grid.rows[row - 1].whole else row - 2):
            return None
        text = one.whole if one.whole is not None and self._is_stub(row) else self._as_beside(row, one.text)
        return self.columns.indent_of_row(row, self.columns.column(row), self.spots[row]) + self._trimmed(row, text)

    def _blank(self, row: int) -> str:
        """A blank row: with its white space if it has any, moved as the row above it is."""
        text = self.shown.texts[row]
        above = next((one for one in range(row - 1, -1, -1) if self.shown.columns[one] >= 0), None)
        if not text or above is None or not (above in self.spots or above in self.plan.quoted):
            return ""
        shift = self.columns.column(above) - self.shown.columns[above]
        return text if not shift else self.columns.indent(max(0, columns_of(text) + shift), self.spots[row])

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

    def _trimmed(self, row: int, text: str) -> str:
        """The text without its indentation, and without blanks at its end that stood before a note."""
        is_cut = self.grid.rows[row].note is not None and self.grid.outline.language not in ("markdown", "rst", "")
        return text.strip() if is_cut else text.lstrip()

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
        is_free = self.columns.as_shown or self.columns.verbatim is Verbatim.ALL
        is_moved = is_moved and (is_free or not self._is_in_string(line))
        if same or pairs.is_loose[pair]:
            text = self.columns.indent(column, line) + original.strip() if is_moved else None
            if same and self.columns.verbatim is Verbatim.ALL:
                text = with_end_of(original if text is None else text, self.shown.texts[row])
            return [Cell(line, None if text == original else text, row)]
        code = self._trimmed(row, one.text)
        if pairs.features[pair][LIKE_ELIDED]:
            merged = merge_elided(code, [original.strip(), *self.original.texts[line + 1 : line + span]])
            if merged is not None and len(merged) > 1:
                rest = [Cell(None, text, row) for text in merged[1:]]
                return [Cell(line, indent_of(original) + merged[0].strip(), row), *rest]
            if merged is not None:
                code = merged[0].strip()
        indent = self.columns.indent_of_row(row, column, line) if is_moved else indent_of(original)
        text = indent + code
        if self._is_broken(line) and text == text.rstrip():
            text += HARD_BREAK
        return [Cell(line, None if text == original else text, row)]

    def _is_broken(self, line: int) -> bool:
        """Whether a line of a text ends in the two blanks that break it from the next one, as in Markdown."""
        texts = self.original.texts
        if self.grid.outline.language not in TEXTS or not texts[line].endswith(HARD_BREAK):
            return False
        return texts[line][-3:-2].strip() != "" and line + 1 < len(texts) and bool(self.original.keys[line + 1])


def with_end_of(text: str, other: str) -> str:
    """The text of a line with the white space at its end that another one has there."""
    return text.rstrip() + other[len(other.rstrip()) :]


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
        self._writer: Realiser | None = None

    def writer(self, plan: PathPlan) -> Realiser:
        """The realiser of a plan by the file's habits, which `is_new` may have made already."""
        if self._writer is None or self._writer.plan is not plan:
            self._writer = Realiser(self.grid, plan)
        return self._writer

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
        writer = self.writer(plan)
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
        has_step = any(
            quoted.get(above[row], -2) == parents[line] and mine[row] > mine[above[row]] for row, line in quoted.items()
        )
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


class Written(NamedTuple):
    """One text of a path.

    changes: those of the original that make it. facts: `SPACES`. is_as_shown: whether it has white space that only the
    snippet speaks for; another path may come to it without.
    """

    cells: tuple[Cell, ...]
    changes: Sequence[Change]
    facts: tuple[float, ...]
    is_as_shown: bool


def ways_to_write(usual: Realiser, told: bool, said: bool) -> Iterator[Written]:
    """Yields the texts of a plan, given the realiser that writes it by the file's habits.

    told, said: whether its words, or any words, ask for a blank line.
    """
    grid, plan = usual.grid, usual.plan
    written = list(_written(usual, usual, told))
    yield from written
    ways = [(added, False) for added in _ASKED] if (told or said) and plan.new else []
    ways += [(added, False) for added in _doubts(usual)]
    shown = Realiser(grid, plan, as_shown=True)
    if not shown.columns.is_like(usual.columns):
        yield from _written(shown, usual, told)
        ways += [(added, True) for added in _doubts(shown)]
    for added, as_shown in ways:
        yield from _written(Realiser(grid, plan, added, as_shown), usual, told)
    new = Realiser(grid, plan, verbatim=Verbatim.NEW)
    if new.columns.has_witness:
        is_other = not new.columns.is_like(usual.columns) and not new.columns.is_like(shown.columns)
    else:
        is_other = new.columns.is_like(usual.columns) and new.columns.has_other_tabs(usual.columns)
    if is_other:
        yield from _written(new, usual, told)
    # A snippet that changes nothing else may be about white space.
    if written and not written[0].changes and usual.columns.is_deeper():
        found = _written(Realiser(grid, plan, verbatim=Verbatim.ALL), usual, told)
        yield from (one for one in found if one.changes)


def _doubts(realiser: Realiser) -> list[AddedBlanks]:
    """The other ways to have blank lines that made a difference to a text that is written already."""
    even = [AddedBlanks.EVEN] if realiser.uneven else []
    return [*even, AddedBlanks.SHOWN] if realiser.unshown else even


def _written(realiser: Realiser, usual: Realiser, told: bool) -> Iterator[Written]:
    """Yields the text of a realiser, if it is one. usual: the one that writes by the file's habits alone."""
    grid, added, columns = realiser.grid, realiser.added_blanks, realiser.columns
    as_shown = columns.as_shown or columns.verbatim is not Verbatim.NONE
    cells = tuple(realiser.cells())
    changes = grid.unfolded(changes_of(cells, len(grid.original)))
    if changes is None:  # a fold hides what they touch
        return
    is_asked = added in _ASKED
    asked = is_asked and told, is_asked and not told, added is AddedBlanks.AROUND
    facts = (
        *map(float, asked),
        *(_told_even(realiser) if added is AddedBlanks.EVEN else (0.0,) * 4),
        *(_told_shown(realiser) if added is AddedBlanks.SHOWN else (0.0,) * 4),
        *(_told_moved(realiser.columns, usual.columns) if as_shown else (0.0,) * 6),
    )
    yield Written(cells, changes, facts, as_shown or added is AddedBlanks.SHOWN)


def _told_even(realiser: Realiser) -> tuple[float, ...]:
    """1, whether new lines begin with a comment or a declaration, how many they are, whether they end a block."""
    grid, first = realiser.grid, realiser.uneven[0]
    identity = grid.leading_identity(first)
    is_headed = grid.shown.is_comment(first) or (identity is not None and identity.kind in HEADING)
    num_rows = max(len(rows) for rows in realiser.plan.new.values())
    return 1.0, float(is_headed), math.log1p(num_rows), float(realiser.is_closing)


def _told_shown(realiser: Realiser) -> tuple[float, ...]:
    """1, and how often the blank lines stand between lines of the file, beside a note, at the snippet's edge."""
    return 1.0, *(float(min(MAX_SHOWN, realiser.unshown[where])) for where in ("between", "note", "edge"))


def _told_moved(made: Columns, usual: Columns) -> tuple[float, ...]:
    """1, the rows that stand elsewhere than they usually would, whether steps are known to be of another width."""
    return 1.0, *map(math.log1p, made.moves_from(usual)), float(usual.is_scaled)
