"""From a path through the grid to lines: which of the original stay, which new ones stand where and how indented."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fastedit.anchor.elision import merge_elided
from fastedit.anchor.lazy.grid import PAIR, Grid
from fastedit.anchor.lazy.lines import DOTS, TAB_COLUMNS
from fastedit.anchor.lazy.search import LEFT_OUT, Node, Path
from fastedit.lines import indent_of

_FREE = frozenset("SJTB")
RESPACED = PAIR.index("respaced")


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


@dataclass(slots=True)
class Plan:
    """What a path does with each row and line.

    quoted: row → (line, pair). new: position → rows in their order. deleted: lines. free_before: rows before which
    the snippet doesn't show what precedes them in the file. order: the placed rows, blank ones too.
    """

    quoted: dict[int, tuple[int, int]] = field(default_factory=dict)
    new: dict[int, list[int]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    elided: list[tuple[int, int, bool]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    markers: dict[int, tuple[int, int]] = field(default_factory=dict)
    free_before: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)

    def told_apart(self) -> object:
        """What the result follows from: plans with the same have the same result."""
        return (
            tuple(self.quoted.items()),
            tuple((at, tuple(rows)) for at, rows in self.new.items()),
            frozenset(self.deleted),
            frozenset(self.left_out),
            frozenset(self.markers),
            frozenset(self.free_before),
        )


def plan_of(path: Path, grid: Grid) -> Plan | None:
    """The plan of a path; None where it uses a line of the original twice."""
    planner = _Planner(grid)
    for source, target, pair in path.steps:
        if not planner.follow(source, target, pair):
            return None
    return planner.plan


class _Planner:
    """Makes a plan step by step.

    used: lines quoted or deleted so far. is_free: whether the snippet doesn't show what precedes the next row in the
    file. marker: the last marker's row.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.plan = Plan()
        self.used: set[int] = set()
        self.is_free = True
        self.marker: int | None = None

    def follow(self, source: Node, target: Node, pair: int) -> bool:
        """Adds a step to the plan; False where it uses a line that is used already."""
        row, state = target.row - 1, target.state
        if state == "END":
            if source.state == "M":
                self._end_marker(source.at, self.grid.num_lines)
        elif pair == LEFT_OUT:
            self.plan.left_out.add(row)
        elif state == "Q":
            return self._quote(row, pair, source, target)
        elif state == "N":
            self.plan.new.setdefault(target.at, []).append(row)
            self._place(row, source)
        elif state == "D":
            return self._delete(range(source.at, target.at))
        elif state == "M":
            self.marker, self.is_free = row, True
        elif state == "S":
            self.plan.elided.append((source.at, target.at, True))
            self._end_marker(source.at, target.at)
        elif state in "JB":
            self._jump(source, target)
        return True

    def _quote(self, row: int, pair: int, source: Node, target: Node) -> bool:
        """Quotes lines up to the target; those behind the first go where the new text has them all."""
        pairs = self.grid.pairs[row]
        line = int(pairs.lines[pair])
        covered = range(line, target.at)
        if self.used.intersection(covered):
            return False
        self.used.update(covered)
        self.plan.quoted[row] = (line, pair)
        if not pairs.is_loose[pair]:
            self.plan.deleted.update(covered[1:])
        self._place(row, source)
        return True

    def _delete(self, lines: range) -> bool:
        """Deletes lines, unless one of them is used."""
        if self.used.intersection(lines):
            return False
        self.used.update(lines)
        self.plan.deleted.update(lines)
        return True

    def _end_marker(self, start: int, end: int) -> None:
        """Notes which lines the last marker stands for."""
        if self.marker is not None:
            self.plan.markers[self.marker] = (start, end)

    def _jump(self, source: Node, target: Node) -> None:
        """Goes on elsewhere, past lines or back."""
        if target.state == "J":
            self.plan.elided.append((source.at, target.at, False))
        self.is_free = True

    def _place(self, row: int, source: Node) -> None:
        """Puts a row behind those placed so far."""
        self.plan.order.append(row)
        if self.is_free or source.state in _FREE:
            self.plan.free_before.add(row)
        self.is_free = False


@dataclass(frozen=True, slots=True)
class _Gap:
    """A place with new lines on one of its sides.

    before, behind: the nearest lines of the file that aren't blank. in_file: the blank lines between them.
    shows_blank: whether the snippet has a blank line there. start: the first row of the new lines.
    """

    before: int | None
    behind: int | None
    in_file: int
    shows_blank: bool
    start: int


def changes_of(cells: Sequence[Cell], num_lines: int) -> list[tuple[int, int, list[str]]]:
    """What the cells change: lines [start, end) of the original become other lines; ascending, touching none."""
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


class Realiser:
    """Writes the result of a plan."""

    def __init__(self, grid: Grid, plan: Plan) -> None:
        self.grid = grid
        self.plan = plan
        self.original = grid.original
        self.shown = grid.shown
        self._columns: dict[int, int] = {}
        self._trusted: dict[int, bool] = {}
        self.spot = {row: at for at, rows in plan.new.items() for row in rows}
        self._free = sorted(plan.free_before)
        self._quoted_in: defaultdict[int, list[int]] = defaultdict(list)
        for row in plan.quoted:
            if not grid.rows[row].is_blank:
                self._quoted_in[grid.row_parents[row]].append(row)
        self.ratio = self._ratio()

    def cells(self) -> list[Cell]:
        """The result's lines in their order."""
        plan, original = self.plan, self.original
        by_line = {line: (row, pair) for row, (line, pair) in plan.quoted.items()}
        moved = self._moved_lines()
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
                elif line in moved and original.keys[line]:
                    columns = max(0, original.columns[line] + moved[line])
                    cells.append(Cell(line, self._indent(columns) + original.stripped[line]))
                else:
                    cells.append(Cell(line, None))
            at = end
        if at < len(original):
            cells.append(Cell(at, None, None, len(original) - at))
        self._add_new(cells, len(original))
        cells = self._with_blanks(cells)
        return self._with_commas(cells) if self.grid.outline.language == "json" else cells

    def _add_new(self, cells: list[Cell], at: int) -> None:
        for row in self.plan.new.get(at, ()):
            text = self._written(row)
            if text is not None:
                cells.append(Cell(None, text, row))

    def _moved_lines(self) -> dict[int, int]:
        """Lines that a marker keeps in a block that moves, with how many columns they move."""
        moved: dict[int, int] = {}
        for marker, (start, end) in self.plan.markers.items():
            header = next((row for row in range(marker - 1, -1, -1) if row in self.plan.quoted), None)
            if header is None or self.grid.rows[header].is_blank or self._is_parted(header, marker):
                continue
            line = self.plan.quoted[header][0]
            shift = self.column(header) - self.original.columns[line]
            if not shift or self.shown.columns[marker] < self.shown.columns[header]:
                continue
            limit = self.original.columns[line] + (0 if self.shown.columns[marker] > self.shown.columns[header] else -1)
            for at in range(start, end):
                if self.original.columns[at] >= 0 and self.original.columns[at] <= limit:
                    break
                moved[at] = shift
        return moved

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
        text = one.whole if one.whole is not None and self._is_stub(row) else one.text
        return self._indent(self.column(row)) + self._trimmed(text)

    def _trimmed(self, text: str) -> str:
        """The text without its indentation, and without blanks at its end where these mean nothing."""
        return text.lstrip() if self.grid.outline.language in ("markdown", "rst", "") else text.strip()

    def _is_whole(self, row: int) -> bool:
        return row >= 0 and self.grid.rows[row].whole is not None and row in self.spot

    def _is_stub(self, row: int) -> bool:
        return row + 1 < len(self.grid.rows) and self.grid.rows[row + 1].is_dots and row in self.spot

    def _quoted(self, row: int, line: int, pair: int) -> list[Cell]:
        one = self.grid.rows[row]
        pairs = self.grid.pairs[row]
        original = self.original.texts[line]
        if one.is_blank:
            return [Cell(line, None, row)]
        span = int(pairs.spans[pair])
        same = span == 1 and self.original.keys[line] == self.shown.keys[row] and not pairs.features[pair][RESPACED]
        column = self.column(row)
        is_moved = not self._is_trusted(row) and column != self.original.columns[line]
        if same or pairs.is_loose[pair]:
            text = self._indent(column) + original.strip() if is_moved else None
            return [Cell(line, text, row)]
        code = self._trimmed(one.text)
        if DOTS.search(code) and not DOTS.search(original):
            merged = merge_elided(code, [original.strip(), *self.original.texts[line + 1 : line + span]])
            if merged is not None and len(merged) > 1:
                rest = [Cell(None, text, row) for text in merged[1:]]
                return [Cell(line, indent_of(original) + merged[0].strip(), row), *rest]
            if merged is not None:
                code = merged[0].strip()
        indent = self._indent(column) if is_moved else indent_of(original)
        text = indent + code
        return [Cell(line, None if text == original else text, row)]

    def _indent(self, columns: int) -> str:
        unit = self.original.indent_unit if any(self.original.columns) else self.shown.indent_unit
        if unit == "\t":
            return "\t" * (columns // TAB_COLUMNS) + " " * (columns % TAB_COLUMNS)
        return " " * columns

    # ---- columns -------------------------------------------------------------------------------------------------

    def _ratio(self) -> float:
        """How many columns of the original one column of the snippet is."""
        ratios: Counter[float] = Counter()
        for row, (line, _) in self.plan.quoted.items():
            parent = self.grid.row_parents[row]
            if parent < 0 or parent not in self.plan.quoted or self.grid.rows[row].is_blank:
                continue
            above = self.plan.quoted[parent][0]
            if self.original.parents[line] == above:
                step = self.shown.columns[row] - self.shown.columns[parent]
                ratios[(self.original.columns[line] - self.original.columns[above]) / step] += 1
        if ratios:
            return ratios.most_common(1)[0][0]
        mine = self.shown.indent_unit
        if not any(column > 0 for column in self.shown.columns):
            return 1.0
        theirs = self.original.indent_unit
        if not any(column > 0 for column in self.original.columns):
            return 1.0
        width = {"\t": TAB_COLUMNS}
        return width.get(theirs, len(theirs)) / width.get(mine, len(mine))

    def _is_trusted(self, row: int) -> bool:
        """Whether a quoted row stands in the same block in both texts, so that its column tells."""
        if row not in self._trusted:
            self._trusted[row] = False
            self._trusted[row] = self._trust(row)
        return self._trusted[row]

    def _trust(self, row: int) -> bool:
        if row not in self.plan.quoted:
            return False
        line, _ = self.plan.quoted[row]
        parent = self.grid.row_parents[row]
        theirs = self.original.parents[line]
        if parent < 0:
            return theirs < 0 or theirs not in self.plan.deleted or not self._has_reference(row)
        if parent in self.plan.quoted and self._is_parted(parent, row):
            return True  # what lies between isn't shown: the row may stand in anything
        if parent in self.plan.quoted:
            above = self.plan.quoted[parent][0]
            if theirs == above:
                return self._is_trusted(parent)
            inside = above in self.original.ancestors(line)
            return inside and theirs not in self.plan.deleted
        if parent in self.spot:
            # A new header: where an old one made room for it the lines below it stay as they are.
            is_replaced = theirs >= 0 and theirs in self.plan.deleted
            return is_replaced and self._column_by_others(row) == self.original.columns[line]
        return True

    def _has_reference(self, row: int) -> bool:
        return any(other != row and other in self.plan.quoted for other in self.plan.order)

    def column(self, row: int) -> int:
        """The column of a row in the result."""
        if row not in self._columns:
            if self._is_trusted(row):
                self._columns[row] = self.original.columns[self.plan.quoted[row][0]]
            else:
                self._columns[row] = self._column_by_others(row)
        return self._columns[row]

    def _column_by_others(self, row: int) -> int:
        shown = self.shown
        mine = shown.columns[row]
        parent = self.grid.row_parents[row]
        best: tuple[float, int] | None = None
        for other in self._quoted_in.get(parent, ()):
            columns = shown.columns[other]
            if other == row or (columns != mine and parent < 0):
                continue
            cost = abs(other - row) * 0.01 + (columns != mine)
            if (best is not None and cost >= best[0]) or not self._is_trusted(other):
                continue
            line = self.plan.quoted[other][0]
            if parent >= 0 or not self._is_parted(row, other):
                best = (cost, self.original.columns[line] + self._scaled(mine - columns))
        if best is not None and best[0] < 1:
            return max(0, best[1])
        if parent >= 0 and (parent in self.plan.quoted or parent in self.spot):
            return max(0, self.column(parent) + self._scaled(mine - shown.columns[parent]))
        if best is not None:
            return max(0, best[1])
        return self._column_by_nearest(row)

    def _is_parted(self, row: int, other: int) -> bool:
        """Whether a place where the snippet leaves lines out lies between two rows of its outermost level."""
        low, high = sorted((row, other))
        return bisect_right(self._free, low) < bisect_right(self._free, high)

    def _column_by_nearest(self, row: int) -> int:
        """By the nearest quoted row of the same part, by what stands at the place, or by any quoted row."""
        mine = self.shown.columns[row]
        trusted = [
            other
            for other in self.plan.quoted
            if other != row and not self.grid.rows[other].is_blank and self._is_trusted(other)
        ]
        near = [other for other in trusted if not self._is_parted(row, other)]
        if near:
            other = min(near, key=lambda one: (abs(one - row), abs(self.shown.columns[one] - mine)))
            return self._column_beside(row, other)
        at = self.spot.get(row)
        nearest = min(trusted, key=lambda one: abs(one - row), default=None)
        by_shift = None if nearest is None else self._column_beside(row, nearest)
        if at is not None:
            before, behind = self.grid.column_before[at], self.grid.column_behind[at]
            fitting = [int(c) for c in (before, behind) if c >= 0]
            last = self.grid.line_before[at]
            if last >= 0:  # the new lines may stand in any of the blocks that end here
                fitting = [*(self.original.columns[line] for line in self.original.ancestors(last)), *fitting]
                fitting = [column for column in fitting if column >= behind]
            if by_shift is not None and by_shift in fitting:
                return by_shift
            if mine in fitting:
                return mine
            if fitting and row in self.plan.free_before:
                return max(fitting) if self.grid.block_ends[at] else fitting[-1]
        return by_shift if by_shift is not None else max(0, mine)

    def _column_beside(self, row: int, other: int) -> int:
        """The column of a row as far from a quoted one's as in the snippet."""
        columns = self.original.columns[self.plan.quoted[other][0]]
        return max(0, columns + self._scaled(self.shown.columns[row] - self.shown.columns[other]))

    def _scaled(self, columns: int) -> int:
        return round(columns * self.ratio)

    # ---- commas --------------------------------------------------------------------------------------------------

    def _with_commas(self, cells: list[Cell]) -> list[Cell]:
        """The cells of a JSON file with the commas that entries need now, and without those that none needs now."""
        single: list[Cell] = []
        for cell in cells:
            if cell.line is not None and cell.count > 1:  # so that its last line can change
                single.append(Cell(cell.line, None, None, cell.count - 1))
                single.append(Cell(cell.line + cell.count - 1, None))
            else:
                single.append(cell)
        solid = [n for n, cell in enumerate(single) if not self._is_blank(cell)]
        for here, behind in pairwise(solid):
            first, second = single[here], single[behind]
            is_next = first.line is not None and second.line == first.line + first.count
            if first.count > 1 or (is_next and first.text is None and second.text is None):
                continue
            text, following = self._text(first).rstrip(), self._text(second).strip()
            if text.lstrip().startswith(("//", "/*")) or following.startswith(("//", "/*")):
                continue
            closes = following[:1] in ("}", "]")
            if closes and text.endswith(","):
                single[here] = Cell(first.line, text[:-1], first.row)
            elif not closes and text[-1:] not in ("{", "[", ",", ":", "("):
                single[here] = Cell(first.line, text + ",", first.row)
        return single

    def _text(self, cell: Cell) -> str:
        return cell.text if cell.text is not None else self.original.texts[cell.line] if cell.line is not None else ""

    # ---- blank lines ---------------------------------------------------------------------------------------------

    def _with_blanks(self, cells: list[Cell]) -> list[Cell]:
        """The cells with as many blank lines beside new ones as the file has, where the snippet doesn't show them."""
        result: list[Cell] = []
        solid = [n for n, cell in enumerate(cells) if not self._is_blank(cell)]
        if not solid:
            return cells
        result.extend(cells[: solid[0]])
        for position, index in enumerate(solid):
            result.append(cells[index])
            following = solid[position + 1] if position + 1 < len(solid) else None
            between = cells[index + 1 : following if following is not None else len(cells)]
            if following is None:
                result.extend(between)
                continue
            result.extend(self._between(cells, index, following, between))
        if cells[solid[0]].is_new and result and solid[0] == 0 and self._is_free(cells[solid[0]]):
            pass
        return result

    def _is_blank(self, cell: Cell) -> bool:
        if cell.text is not None:
            return not cell.text.strip()
        return cell.line is None or (cell.count == 1 and not self.original.keys[cell.line])

    def _is_free(self, cell: Cell) -> bool:
        """Whether the snippet doesn't show what stands before this line."""
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
            shown = self._shown_blanks(above.row, below.row)
            return between if shown is None or len(between) <= shown else between[:shown]
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

    def _shown_blanks(self, above: int | None, below: int | None) -> int | None:
        """How many blank lines the snippet shows between two rows with nothing but notes between them; None elsewhere.

        Blank lines on both sides of a note are the same ones: `a`, blank, `# removed: b`, blank, `c`.
        """
        if above is None or below is None or above >= below:
            return None
        longest = run = 0
        has_note = False
        for row in range(above + 1, below):
            if self.grid.rows[row].is_blank:
                run += 1
                longest = max(longest, run)
            elif row in self.plan.left_out:
                has_note, run = True, 0
            else:
                return None
        return longest if has_note else None

    def _after_deletion(self, above: int, below: int, between: list[Cell]) -> list[Cell]:
        runs, run = [], 0
        for line in range(above + 1, below):
            if not self.original.keys[line]:
                run += 1
            else:
                runs.append(run)
                run = 0
        runs.append(run)
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
        gap = _Gap(
            before,
            behind,
            self._blanks_between(before, behind),
            self._shows_blank(new.row, -1 if below.is_new else 1),
            self._first_new(cells, second if below.is_new else first),
        )
        if below.is_new:  # what precedes the new lines isn't shown
            wanted = self._wanted_before(gap, len(between), self._is_free_behind(cells, second))
        else:
            wanted = self._wanted_behind(gap)
        if wanted == len(between):
            return between
        kept = between[:wanted]
        return kept + [Cell(None, "", None)] * (wanted - len(kept))

    def _is_declared(self, row: int) -> bool:
        """Whether a run of new lines that begins with the row declares something."""
        identity = self.grid._leading_identity(row)
        return identity is not None and identity.kind in ("decl", "heading", "table", "selector", "decorator")

    def _is_closed(self, gap: _Gap) -> bool:
        """Whether the new lines are the last of their block."""
        if gap.behind is None:
            return True
        return gap.before is not None and self.original.columns[gap.behind] < self.column(gap.start)

    def _wanted_before(self, gap: _Gap, count: int, is_free_behind: bool) -> int:
        """How many blank lines, of which there are `count`, new lines want before them."""
        before, in_file = gap.before, gap.in_file
        is_declared = self._is_declared(gap.start)
        column = self.column(gap.start)
        wanted = in_file
        is_plain = not gap.shows_blank and not is_declared
        if is_plain and is_free_behind and before is not None and self.original.columns[before] == column:
            wanted = 0
        if self._is_closed(gap) and (gap.behind is None or not in_file or is_free_behind):
            wanted = self._usual_blanks(gap.start) if gap.shows_blank or is_declared else 0
        elif not in_file:
            wanted = min(1, count) if gap.shows_blank and is_declared else 0
        if before is not None and self.original.columns[before] < column and self.grid.opens_before[before + 1]:
            wanted = min(wanted, self._blanks_behind(before))
        return wanted

    def _wanted_behind(self, gap: _Gap) -> int:
        """How many blank lines new lines want behind them."""
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

    def _is_free_behind(self, cells: Sequence[Cell], index: int) -> bool:
        """Whether the snippet doesn't show what stands behind the run of new lines that a cell is in."""
        while index < len(cells) and (cells[index].is_new or self._is_blank(cells[index])):
            index += 1
        return index == len(cells) or self._is_free(cells[index])

    def _file_line(self, cells: Sequence[Cell], index: int, step: int) -> int | None:
        """The nearest line of the original that isn't blank, from a cell on."""
        while 0 <= index < len(cells):
            line = cells[index].line
            if line is not None and not self._is_blank(cells[index]):
                return line if step > 0 else line + cells[index].count - 1
            index += step
        return None

    def _blanks_between(self, before: int | None, behind: int | None) -> int:
        start = 0 if before is None else before + 1
        end = len(self.original) if behind is None else behind
        if before is None or behind is None:
            return 0
        return sum(not self.original.keys[line] for line in range(start, end))

    def _blanks_before(self, line: int) -> int:
        count = 0
        while line - count - 1 >= 0 and not self.original.keys[line - count - 1]:
            count += 1
        return count

    def _blanks_behind(self, line: int) -> int:
        count = 0
        while line + count + 1 < len(self.original) and not self.original.keys[line + count + 1]:
            count += 1
        return count

    def _shows_blank(self, row: int, step: int) -> bool:
        at = row + step
        while 0 <= at < len(self.grid.rows) and at in self.plan.left_out and not self.grid.rows[at].is_blank:
            at += step
        return 0 <= at < len(self.grid.rows) and self.grid.rows[at].is_blank

    def _usual_blanks(self, row: int) -> int:
        """How many blank lines the file has before declarations at the row's column."""
        column = self.column(row)
        counts: Counter[int] = Counter()
        for one in self.grid.outline.declarations:
            line = one.start_line
            if one.kind in ("import", "value") or line >= len(self.original) or self.original.columns[line] != column:
                continue
            if line and not self.grid.opens_before[line] and one.end_line - one.start_line > 1:
                counts[self._blanks_before(line)] += 1
        if counts:
            return counts.most_common(1)[0][0]
        at, shown = row - 1, 0
        while at >= 0 and self.grid.rows[at].is_blank:
            shown, at = shown + 1, at - 1
        return shown
