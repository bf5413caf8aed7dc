"""The ways to read one snippet against a text.

Mostly a snippet is read as a path of the search. Two ways are apart: by keys (`keys`), and line by line (`scattered`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.keys import KEYS, merged_by_keys
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.reading import MAX_READINGS, NAMES, TASTES, Reading, SnippetReading, composed
from fastedit.anchor.lazy.result.facts import FACTS, facts_of
from fastedit.anchor.lazy.result.realise import SPACES, Twins, Written, ways_to_write
from fastedit.anchor.lazy.scattered import SCATTERED, scattered_over
from fastedit.anchor.lazy.search.fold import MIN_LINES, Fold, fold_of, outline_after
from fastedit.anchor.lazy.search.grid import Clock, Context, Grid
from fastedit.anchor.lazy.search.guide import SearchGuide
from fastedit.anchor.lazy.search.paths import Path, PathPlan, num_opened, plan_of
from fastedit.anchor.lazy.search.rows import Row, Taste, rows_of, variants_of
from fastedit.anchor.lazy.search.search import Known, Search
from fastedit.anchor.lazy.words.phrases import asks_blanks
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import PageErrors

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PATHS = 150
FEW_PATHS = 50  # where a forecast leads: most of them lead to what was found already
MAX_FOUND = 16  # readings of one grid: which of them is likeliest turns out only where each is whole
MAX_BROKEN = 40  # so many readings that don't parse are looked at for one that does
MIN_PATHS, MAX_STEPS = 6, 60_000  # rows of all paths together
MAX_READ_OFTEN = 30_000  # lines; larger files have their parse errors counted for few readings only
FEW_READINGS = 4
# How much worse than the best a path may be that is looked at: what comes further behind hardly ever wins, unless words
# or a note say what goes, which only the result shows to be done.
BEAM, WIDE_BEAM = 4.5, 7.0
MIN_GONE_ODDS = -1.2  # of a note that is read for what is gone
TILTS = (0.5, 1.0, 1.5, 2.5)  # what a bracket is worth where too many are left open, or too few
MAX_TILTED = 300_000  # cells of a grid that is searched so
TILTED_PATHS = 4  # times as many are looked at then, most of which aren't read
MAX_REPLACING = 3  # readings beside whose replaced lines the snippet may be new
MAX_TIMES_REPLACED = 3  # lines for each row: more aren't one block that it takes the place of
MAX_BESIDE = 4
DECORATES = ("@", "#[", "[")
MIN_GOING, STAYS = 3, 2.5  # lines that go in a reading that is tried without, and what each of them costs then
NOWHERE_ELSE = -1e6  # a weight that no path can afford
MORE_ERRORS = FACTS.index("more_errors")
KnownFor = Callable[[Lines, Sequence[Row]], Known]
GuideMaker = Callable[[Sequence[int | None]], SearchGuide]


class Base:
    """The text that a snippet is read against, with its outline; its parse errors are counted when first asked for."""

    def __init__(self, lines: Lines, outlined: Outline, language: str = "") -> None:
        self.lines = lines
        self.outline = outlined
        self.language = outlined.language or language  # no outline knows that of a text without a grammar

    @cached_property
    def errors(self) -> PageErrors:
        """The counter of the whole text's parse errors, those of its scripts and samples too."""
        return PageErrors(self.lines.texts, self.language)


# A part with its score, the lines that it leads to, where each of them is from, and the changes that make them.
ReadText = tuple[tuple[SnippetReading, float], tuple[str, ...], tuple[int | None, ...], Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Task:
    """One snippet to read against what a reading of the ones before it made; see `readings_of`.

    grid: of the snippet as it is usually read, where that is made already. guide: makes the search's
    guide for its rows and the lines of a text, by the number of each in the original.
    """

    base: Base
    snippet: Snippet
    language: str
    context: Context
    used: dict[str, float]
    known_for: KnownFor | None
    before: Reading
    rejected: list[NDArray[np.float32]] | None
    clock: Clock
    said: str = ""
    grid: Grid | None = None
    guide: GuideMaker | None = None


def base_of(reading: Reading, language: str, found: Outline, num_lines: int) -> Base:
    """The text that a reading made. Large originals aren't parsed anew: what new lines declare isn't known then."""
    if num_lines > MIN_LINES:
        return Base(Lines(reading.lines), outline_after(found, reading.origins, num_lines), language)
    return Base(Lines(reading.lines), outline("\n".join(reading.lines), language), language)


def parts_of(task: Task) -> list[ReadText]:
    """The ways to read one snippet, each with another result."""
    base, snippet, context = task.base, task.snippet, task.context
    result: dict[tuple[str, ...], ReadText] = {}
    is_large = len(base.lines) > MIN_LINES and task.known_for is None
    names = context.names | context.removed
    if task.grid is not None:
        fold = task.grid.fold
    else:
        fold = fold_of(base.lines, snippet.lines, base.outline, names) if is_large else None
    numbers = _numbers(task, fold)
    original, outlined = (base.lines, base.outline) if fold is None else (fold.lines, fold.outline)
    variants = variants_of(snippet.lines, original, task.language, context.asides)
    for taste, rows in variants:
        if not rows:
            continue
        grid = task.grid
        if grid is None or taste != Taste():
            grid = Grid(original, rows, outlined, context, fold, lambda: base.errors, task.clock)
        judge = Search(grid, task.used)
        _add_readings(result, task, judge, judge, taste)
        if task.known_for is not None:
            _add_readings(result, task, Search(grid, task.used, task.known_for(original, rows)), judge, taste)
        fresh = grid.rows_of_new_blocks()
        if any(row in part.plan.quoted for (part, _), *_ in result.values() if part.search is judge for row in fresh):
            _add_readings(result, task, Search(grid, task.used, unquoted=fresh), judge, taste)
        if task.known_for is None:
            _add_even(result, task, judge, taste)
            _add_staying(result, task, judge, taste)
            _add_replacing(result, task, judge, taste)
            _add_led(result, task, judge, taste, numbers)
    if not result and task.used.get("back", 0.0) > NOWHERE_ELSE:
        # Every path uses lines twice, as going back allows: without it there are always some that don't.
        return parts_of(replace(task, used={**task.used, "back": NOWHERE_ELSE}))
    if fold is not None:
        variants = variants_of(snippet.lines, base.lines, task.language, context.asides)
    _add_by_keys(result, task, variants)
    _add_scattered(result, task, variants[0][1])
    return list(result.values())


def _numbers(task: Task, fold: Fold | None) -> Sequence[int | None]:
    """The line of the original that each line of the text is, None for one that isn't there; then that of the end."""
    original = task.before.original
    assert original is not None
    numbers: Sequence[int | None] = range(len(original) + 1)
    if task.base.lines is not original:
        numbers = (*task.before.origins, len(original))
    return numbers if fold is None else [numbers[start] for start in fold.starts]


def plain_grids(
    base: Base, snippets: Sequence[Snippet], contexts: Sequence[Context], language: str, clock: Clock | None = None
) -> list[Grid | None]:
    """The grids of the snippets, all against the same lines, as they are usually read; None for one without rows.

    Raises InputRefused where they would be too large.
    """
    texts = [line for snippet in snippets for line in snippet.lines]
    names = {name for context in contexts for name in context.names | context.removed}
    fold = fold_of(base.lines, texts, base.outline, names) if len(base.lines) > MIN_LINES else None
    original, outlined = (base.lines, base.outline) if fold is None else (fold.lines, fold.outline)
    read = [
        (rows_of(snippet.lines, original, language, asides=context.asides), context)
        for snippet, context in zip(snippets, contexts, strict=True)
    ]
    return [
        Grid(original, rows, outlined, context, fold, lambda: base.errors, clock) if rows else None
        for rows, context in read
    ]


def _num_paths(search: Search) -> int:
    """The number of paths to look at: fewer for very long snippets, each of whose paths takes its time."""
    most = FEW_PATHS if search.guide is not None or search.may_begin_deleting else MAX_PATHS
    return max(MIN_PATHS, min(most, MAX_STEPS // search.m)) * (TILTED_PATHS if search.tilt else 1)


def _add_readings(
    result: dict[tuple[str, ...], ReadText],
    task: Task,
    search: Search,
    judge: Search,
    taste: Taste,
    is_wanted: Callable[[PathPlan], bool] | None = None,
) -> None:
    """Adds what the best paths of a search come to. judge: the search of the same grid that knows no result.

    is_wanted: which plans to look at.
    """
    used = task.used
    worth = np.array([used.get(name, 0.0) for name in FACTS])
    added = sum(used.get(name, 0.0) for name in TASTES if getattr(taste, name))
    twins = Twins(search.grid)
    habitual = set(result)  # texts with white space by the file's habits: no later path comes to them by a better way

    def add(path: Path) -> Iterator[bool]:
        """Yields for each reading that is added whether it brings no parse errors."""
        for plan, written in _followed(task, search, path, twins, is_wanted):
            text, origins = composed(task.before, written.changes)
            if text in habitual and search.known is None:
                continue
            facts = facts_of(search.grid, plan, written.cells)
            facts[-len(SPACES) :] = written.facts
            total = _score(search, path) + float(facts @ worth) + added
            part = SnippetReading(search.grid, judge, path, plan, facts, taste)
            read = ((part, total), text, origins, written.changes)
            result[text] = max(read, result.get(text, read), key=lambda one: one[0][1])
            if not written.is_as_shown:
                habitual.add(text)
                yield not facts[MORE_ERRORS]

    num_found, has_sound = 0, False
    is_few = bool(search.stays) or search.guide is not None or search.may_begin_deleting
    for path in search.best(_num_paths(search), beam=WIDE_BEAM if _tells_what_goes(search.grid) else BEAM):
        for is_sound in add(path):
            num_found, has_sound = num_found + 1, has_sound or is_sound
        if num_found >= (FEW_READINGS if is_few else _num_wanted(len(task.before.lines), has_sound)):
            break
    for path in _paths_apart(search, judge, result) if is_wanted is None else ():
        for _ in add(path):
            pass


def _tells_what_goes(grid: Grid) -> bool:
    """Whether the words before the snippet, or a note in it, may say that something goes."""
    return bool(grid.context.removed) or any(
        row.note is not None and row.role("gone") > MIN_GONE_ODDS for row in grid.rows
    )


def _paths_apart(search: Search, judge: Search, result: dict[tuple[str, ...], ReadText]) -> Iterator[Path]:
    """The paths on which all that the snippet shows is new in one place, of a search that leans on nothing."""
    if search.known is not None or search.guide is not None or search.stays or search.may_begin_deleting:
        return
    mine = sorted((one[0] for one in result.values() if one[0][0].search is judge), key=lambda one: -one[1])
    yield from search.apart(_beside_replaced(search.grid, [part.plan for part, _ in mine[:MAX_REPLACING]]))


def _beside_replaced(grid: Grid, plans: Sequence[PathPlan]) -> list[int]:
    """The positions above and below what plans replace, where the snippet begins and ends with what isn't known.

    Then it may as well be one more of its kind, however much it is like what the best paths change.
    """
    shown, original = grid.shown, grid.original
    telling = [row for row in range(grid.num_rows) if grid.rows[row].note is None and not shown.is_trivial[row]]
    telling = [row for row in telling if shown.keys[row] and not shown.stripped[row].startswith(DECORATES)]
    if not telling or any(shown.keys[row] in original.places for row in (telling[0], telling[-1])):
        return []
    result: list[int] = []
    for plan in plans:
        lines = sorted({*plan.deleted, *(line for row, (line, _) in plan.quoted.items() if shown.keys[row])})
        if not lines or lines[-1] - lines[0] > MAX_TIMES_REPLACED * grid.num_rows:
            continue
        start, end = lines[0], lines[-1] + 1
        headers = [one for one in grid.outline.declarations if start <= one.header_line < end and one.kind != "import"]
        result.append(max([end, *(one.end_line for one in headers)]))
        result.append(min([start, *(one.start_line for one in headers)]))
    return list(dict.fromkeys(at for at in result if at <= grid.num_lines))[:MAX_BESIDE]


def _score(search: Search, path: Path) -> float:
    """The score of a path without what is known of the result, or the price of what it leaves open."""
    is_judged = search.known is not None or search.guide is not None or search.tilt != 0 or search.stays != 0
    return float(search.features(path) @ search.weights) if is_judged else path.score


def _add_even(result: dict[tuple[str, ...], ReadText], task: Task, judge: Search, taste: Taste) -> None:
    """Adds readings in which as much is closed as opened, where that isn't so in the best one of a grid."""
    mine = [one[0] for one in result.values() if one[0][0].search is judge]
    if not mine:
        return
    grid, best = judge.grid, max(mine, key=itemgetter(1))[0]
    more = num_opened(grid, best.plan)
    if not more or grid.num_rows * grid.num_lines > MAX_TILTED:
        return
    tried: Counter[int] = Counter({more: MAX_FOUND})

    def is_wanted(plan: PathPlan) -> bool:
        """Whether lines are left open that weren't tried yet; strings may hide some, so a few of each number are."""
        count = num_opened(grid, plan)
        tried[count] += 1
        return tried[count] <= (MAX_FOUND if not count else FEW_READINGS)

    for size in TILTS:
        search = Search(grid, task.used, tilt=-math.copysign(size, more))
        _add_readings(result, task, search, judge, taste, is_wanted)
        likeliest = max((one[0] for one in result.values() if one[0][0].search is judge), key=itemgetter(1))[0]
        if likeliest is not best and not likeliest.facts[MORE_ERRORS]:
            return


def _add_staying(result: dict[tuple[str, ...], ReadText], task: Task, judge: Search, taste: Taste) -> None:
    """Adds readings in which what isn't shown stays, where much of that goes in the best one of a grid.

    A writer who leaves lines out without a word does so more than once. Each such place costs a path as much as the
    first, so that the one on which all of them stay is far behind those on which some do.
    """
    mine = [one[0] for one in result.values() if one[0][0].search is judge]
    if not mine or judge.grid.num_rows * judge.grid.num_lines > MAX_TILTED:
        return
    grid, plan = judge.grid, max(mine, key=itemgetter(1))[0].plan
    if sum(bool(grid.original.keys[line]) for line in plan.deleted) >= MIN_GOING:
        _add_readings(result, task, Search(grid, task.used, stays=STAYS), judge, taste)


def _add_replacing(result: dict[tuple[str, ...], ReadText], task: Task, judge: Search, taste: Taste) -> None:
    """Adds readings in which lines go above the first row, where that is no line of the original in the best one."""
    mine = [one[0] for one in result.values() if one[0][0].search is judge]
    if not mine:
        return
    plan = max(mine, key=itemgetter(1))[0].plan
    telling = next((row for row in range(judge.m) if row not in plan.left_out), None)
    if telling is None or telling in plan.markers:
        return
    if telling in plan.quoted and judge.grid.pairs[telling].stays[plan.quoted[telling][1]]:
        return
    _add_readings(result, task, Search(judge.grid, task.used, may_begin_deleting=True), judge, taste)


def _add_led(
    result: dict[tuple[str, ...], ReadText], task: Task, judge: Search, taste: Taste, numbers: Sequence[int | None]
) -> None:
    """Adds readings that the forecast speaks for, where the best one of a grid isn't what it finds likeliest.

    How steps go together it knows better than the sum of their scores. numbers: the line of the original that each line
    of the text is.
    """
    mine = [one[0] for one in result.values() if one[0][0].search is judge]
    told = None if task.guide is None else task.guide(numbers)
    if told is None or told.texts != tuple(row.text for row in judge.grid.rows):
        return
    if not mine or not told.agrees(judge.grid, max(mine, key=itemgetter(1))[0].plan):
        _add_readings(result, task, Search(judge.grid, task.used, guide=told), judge, taste)


def _num_wanted(num_lines: int, has_sound: bool) -> int:
    """The number of readings that are enough. has_sound: whether one of those found so far brings no parse errors."""
    wanted = MAX_FOUND if has_sound else MAX_BROKEN
    return min(wanted, FEW_READINGS) if num_lines > MAX_READ_OFTEN else wanted


def _followed(
    task: Task, search: Search, path: Path, twins: Twins, is_wanted: Callable[[PathPlan], bool] | None
) -> Iterator[tuple[PathPlan, Written]]:
    """Yields the plan of a path with each text that it may come to.

    Yields nothing if it makes no text, or does what an earlier path did. twins: what the earlier ones did. A search
    that leans on a known result may repeat them.
    """
    grid = search.grid
    plan = plan_of(path, grid)
    if plan is None:
        _reject(task, search, path)
        return
    if search.known is None and not twins.is_new(plan):
        return
    if is_wanted is not None and not is_wanted(plan):
        return
    told, said = asks_blanks(task.snippet.prose), asks_blanks(task.said)
    yield from ((plan, written) for written in ways_to_write(twins.writer(plan), told, said))


def _reject(task: Task, search: Search, path: Path) -> None:
    """Keeps the features of a path that gives no text, where they are asked for."""
    if task.rejected is not None and len(task.rejected) < MAX_READINGS:
        told = np.zeros(len(NAMES), np.float32)
        told[: len(FEATURES)] = search.features(path)
        task.rejected.append(task.before.features() + told)


def _add_by_keys(
    result: dict[tuple[str, ...], ReadText], task: Task, variants: Sequence[tuple[Taste, list[Row]]]
) -> None:
    """Adds the readings of a partial file that is merged key by key; their scores lean on the best one by lines."""
    if not result:
        return
    original, before = task.base.lines, task.before
    (part, score), best, *_ = max(result.values(), key=lambda one: one[0][1])
    shown = task.snippet
    for merged in merged_by_keys(original, shown.lines, task.language, task.said, shown.prose, variants):
        changes = [
            (step.src_start, step.src_end, merged.lines[step.dest_start : step.dest_end])
            for step in Indel.opcodes(original.texts, merged.lines)
            if step.tag != "equal"
        ]
        if task.base.errors.count is not None and (task.base.errors.after(changes) or 0) > task.base.errors.count:
            continue
        text, origins = composed(before, changes)
        keys = merged.features(sum(((Counter(text) - Counter(best)) & Counter(original.texts)).values()))
        total = score + task.used.get("by_keys", 0.0)
        total += sum(task.used.get(name, 0.0) * value for name, value in zip(KEYS, keys, strict=True))
        if text not in result or result[text][0][1] < total:
            keys = (*keys, *(0.0,) * len(SCATTERED))
            read = replace(part, taste=replace(part.taste, by_keys=True), keys=keys)
            result[text] = ((read, total), text, origins, changes)


def _add_scattered(result: dict[tuple[str, ...], ReadText], task: Task, rows: Sequence[Row]) -> None:
    """Adds the reading of lines that each change another place; its score leans on the best one by lines."""
    if not result:
        return
    original, before = task.base.lines, task.before
    part, score = max(result.values(), key=lambda one: one[0][1])[0]
    scattered = scattered_over(original, rows)
    if scattered is None:
        return
    errors = task.base.errors
    if errors.count is not None and (errors.after(scattered.changes) or 0) > errors.count:
        return
    text, origins = composed(before, scattered.changes)
    told = tuple(scattered.values[name] for name in SCATTERED)
    total = score + sum(task.used.get(name, 0.0) * value for name, value in zip(SCATTERED, told, strict=True))
    if text not in result or result[text][0][1] < total:
        read = replace(part, keys=(*(0.0,) * len(KEYS), *told))
        result[text] = ((read, total), text, origins, scattered.changes)
