"""Blocks whose wrapper goes: a snippet shows their lines one level further out, and not the line that opened them.

    if sys.version_info >= (3, 8):          import metadata
        import metadata
    else:
        import old_metadata

The wrapper's line, what closes it and its other branches go; what it held moves out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fastedit.anchor.lazy.columns import Columns
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.paths import PathPlan
from fastedit.patterns import pattern

# any: a block is unwrapped. rows: the logarithm of how many unchanged rows move out with it. held: the sides of them on
# which the next row stays where it is in the file, with nothing left out between. alone: no unchanged row but those
# that move tells where the snippet stands. share: the share of the wrapper's lines that the snippet shows, of those
# that aren't to go. lines: the logarithm of how many go, of other branches. branches: there are any. uneven: the share
# of its rows that the snippet has at another distance. said: the words speak of such a change. named: they have a name
# that the wrapper's line has. more: further blocks that are.
UNWRAPPED = ("any", "rows", "held", "alone", "share", "lines", "branches", "uneven", "said", "named", "more")
MAX_WRAPPER_LINES = 120
MIN_TELLING = 3  # characters of a row
_BRANCH = pattern(r"\}?\s*(?:else|elif|elsif|except|finally|catch|rescue|ensure)\b")
_CLOSER = pattern(r"(?:[)\]}]+[;,)]*|end|fi|done|esac)(?=\s*(?:$|//|#|/\*))")
_WRAPS = pattern(
    r"\}?\s*(?:(?:async\s+)?(?:if|elif|else|try|except|with|for|while|unless|using|catch|finally|foreach|switch|guard"
    r"|case|match|begin|rescue|ensure|do|unsafe|synchronized|lock|when|until|elsif)\b|[{#])"
)
_SAID = pattern(
    r"\b(?:unwrap\w*|unnest\w*|flatten\w*|dedent\w*|outdent\w*|unindent\w*|un-?indent\w*|branch\w*|guards?|wrapp\w+"
    r"|(?:no longer|not|n't) (?:need\w*|nested|inside|in a|conditional)|unconditional\w*|always|fallback\w*|else"
    r"|without (?:the|a|any)|(?:version|platform|python|py2|py3)\b.{0,20}\b(?:check|switch|test|branch)\w*|check|try"
    r"|zweig\w*|einger\w+|branche\w*|rama\w*|ramo\w*)\b",
)
_WORD = pattern(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Lines around a block. body: those that stay, and move out by `shift`; gone: the others."""

    body: range
    gone: frozenset[int]
    shift: int
    header: int


class UnwrappedColumns(Columns):
    """Columns of a plan whose blocks lose their wrappers: what was in these moves out, all else stays as usual.

    shown_shift: how much further in the snippet's rows are to stand than there.
    """

    def __init__(self, grid: Grid, plan: PathPlan, wrappers: list[Wrapper], usual: Columns, shown_shift: int) -> None:
        super().__init__(grid, plan)
        self.wrappers, self.usual, self.shown_shift = wrappers, usual, shown_shift

    def shift_at(self, line: int) -> int:
        """The columns that a line of the original moves out."""
        return sum(one.shift for one in self.wrappers if one.body.start <= line < one.body.stop)

    def is_trusted(self, row: int) -> bool:
        """Whether a quoted row stays in its column."""
        return row in self.plan.quoted and not self.shift_at(self.plan.quoted[row][0])

    def column(self, row: int) -> int:
        """The column of a row in the result."""
        if row in self.plan.quoted:
            line = self.plan.quoted[row][0]
            return max(0, self.original.columns[line] - self.shift_at(line))
        if self.shift_at(self.spots[row]) or self.shift_at(self.spots[row] - 1):
            return max(0, self.shown.columns[row] + self.shown_shift)
        return self.usual.column(row)


def unwrapped(
    grid: Grid, plan: PathPlan, usual: Columns
) -> tuple[PathPlan, UnwrappedColumns, tuple[float, ...]] | None:
    """A plan without the wrappers of blocks that the snippet shows further out; its columns, and `UNWRAPPED` of it.

    None where it shows none.
    """
    columns, shown = grid.original.columns, grid.shown.columns
    quoted = sorted((row, line) for row, (line, _) in plan.quoted.items() if not grid.rows[row].is_blank)
    if not any(columns[line] > shown[row] for row, line in quoted):
        return None
    for shift in _shifts(grid, quoted):
        moved = {row: line for row, line in quoted if columns[line] > shown[row] + shift}
        wrappers = list(_wrappers(grid, plan, moved, shift)) if moved else []
        if wrappers:
            told = _told(grid, quoted, wrappers, shift)
            gone = frozenset[int]().union(*(one.gone for one in wrappers))
            less = replace(plan, deleted=plan.deleted | gone)
            return less, UnwrappedColumns(grid, less, wrappers, usual, shift), told
    return None


def _shifts(grid: Grid, quoted: list[tuple[int, int]]) -> list[int]:
    """How much further in all rows may stand in the file: as the outermost ones do, as most of them do, not at all."""
    counts: Counter[tuple[int, int]] = Counter()
    for row, line in quoted:
        if len(grid.shown.keys[row]) >= MIN_TELLING and grid.shown.keys[row] == grid.original.keys[line]:
            column = grid.shown.columns[row]
            counts[column, grid.original.columns[line] - column] += 1
    outermost = min((column for column, _ in counts), default=0)
    first = Counter({shift: count for (column, shift), count in counts.items() if column == outermost})
    every: Counter[int] = Counter()
    for (_, shift), count in counts.items():
        every[shift] += count
    return list(dict.fromkeys((_commonest(first), _commonest(every), 0)))


def _commonest(counts: Counter[int]) -> int:
    """The number counted most often, the least of those as common; 0 where there is none."""
    return max(counts, key=lambda one: (counts[one], -abs(one)), default=0)


def _wrappers(grid: Grid, plan: PathPlan, moved: dict[int, int], shift: int) -> Iterator[Wrapper]:
    """Yields the wrappers of the blocks whose rows stand at least as far out as the line that opens them."""
    original, shown = grid.original, grid.shown
    shows = {line for line, _ in plan.quoted.values()}
    done: set[int] = set()
    for row, line in moved.items():
        column = shown.columns[row] + shift
        if len(shown.keys[row]) < MIN_TELLING or column < 0:
            continue
        for header in original.ancestors(line):
            if original.columns[header] < column or header in done or header in shows:
                continue
            done.add(header)
            found = _around(grid, header)
            is_step = original.columns[header] == column and _WRAPS.match(original.stripped[header])
            if found is not None and is_step and not found.gone & shows:
                yield found


def _around(grid: Grid, header: int) -> Wrapper | None:
    """The wrapper that a line opens, or goes on with another branch of; None where its end can't be told."""
    original = grid.original
    columns, texts = original.columns, original.stripped
    column, n = columns[header], len(original)
    start = header
    while _BRANCH.match(texts[start]):
        above = next((one for one in range(start - 1, -1, -1) if 0 <= columns[one] <= column), -1)
        if above < 0 or columns[above] != column or start - above > MAX_WRAPPER_LINES:
            return None
        start = above
    stop = _next_out(columns, header, column)
    end = stop
    while end < n and columns[end] == column and _BRANCH.match(texts[end]):
        end = _next_out(columns, end, column)
    if end < n and columns[end] == column and _CLOSER.match(texts[end]):
        end += 1
    if end - start > MAX_WRAPPER_LINES:
        return None
    last = stop
    while last > header + 1 and not texts[last - 1]:
        last -= 1
    first = next((one for one in range(header + 1, last) if texts[one]), last)
    if first == last:
        return None
    if end == stop:  # neither a closer nor another branch: the blank lines behind stay
        end = last
    body = range(first, last)
    step = min(columns[one] for one in body if texts[one]) - column
    return Wrapper(body, frozenset(range(start, end)) - frozenset(body), step, header)


def _next_out(columns: list[int], line: int, column: int) -> int:
    """The next line that stands no further in than a column; the number of lines where none does."""
    return next((one for one in range(line + 1, len(columns)) if 0 <= columns[one] <= column), len(columns))


def _told(grid: Grid, quoted: list[tuple[int, int]], wrappers: list[Wrapper], shift: int) -> tuple[float, ...]:
    """`UNWRAPPED` of wrappers that go."""
    original, shown = grid.original, grid.shown
    inside = {line: one.shift for one in wrappers for line in one.body}
    gone = frozenset[int]().union(*(one.gone for one in wrappers))
    same = [(row, line) for row, line in quoted if shown.keys[row] == original.keys[line]]
    moved = [(row, line) for row, line in same if line in inside and len(shown.keys[row]) >= MIN_TELLING]
    places = {line for _, line in quoted}
    staying = {
        line for row, line in same if line not in inside and original.columns[line] == shown.columns[row] + shift
    }
    held = sum(_num_held(grid, one, quoted, staying) for one in wrappers)
    all_rows = [(row, line) for row, line in quoted if line in inside]
    uneven = sum(original.columns[line] - inside[line] != shown.columns[row] + shift for row, line in all_rows)
    body = [line for line in inside if original.keys[line]]
    branches = [line for one in wrappers for line in one.gone if original.columns[line] > original.columns[one.header]]
    words = {word for one in wrappers for word in _WORD.findall(original.stripped[one.header])}
    prose = grid.context.prose
    return (
        1.0,
        math.log1p(len(moved)),
        held / len(wrappers),
        float(not staying),
        len(places.intersection(body)) / max(1, len(body)),
        math.log1p(len(gone)),
        float(bool(branches)),
        uneven / max(1, len(all_rows)),
        float(_SAID.search(prose) is not None),
        float(any(word in prose for word in words)),
        float(len(wrappers) - 1),
    )


def _num_held(grid: Grid, one: Wrapper, quoted: list[tuple[int, int]], staying: set[int]) -> int:
    """Counts the sides on which a wrapper's next line stays, and is the next row of the snippet as well."""
    rows = [row for row, line in quoted if line in one.body]
    if not rows:
        return 0
    before, behind = grid.original.beside(min(one.gone), max(*one.gone, one.body.stop - 1) + 1)
    above = max(((row, line) for row, line in quoted if row < rows[0]), default=(-1, -1))
    below = min(((row, line) for row, line in quoted if row > rows[-1]), default=(-1, -1))
    return int(above[1] == before and before in staying) + int(below[1] == behind and behind in staying)
