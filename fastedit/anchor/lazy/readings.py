"""The readings of a lazy edit: the likeliest results of merging all its snippets into the original, best first.

Each snippet is read against the original, and against what the ones before it made where it shows lines of theirs. The
best of these join to readings of all snippets; what only speaks where several are seen together, such as their order,
counts then. What the words alone say is gone, or has moved, is tried on top. A reading's score is the sum over all
this; `probabilities` makes it comparable.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.hints import Hints, gone_in, hints_of, name_of, names_imports, prose_of
from fastedit.anchor.lazy.cells import Cell, changes_of
from fastedit.anchor.lazy.chart import Known
from fastedit.anchor.lazy.everywhere import repeated, says_everywhere
from fastedit.anchor.lazy.facts import FACTS, facts_of
from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.fold import MIN_LINES, Clock, fold_of, outline_after
from fastedit.anchor.lazy.grid import Context, Grid
from fastedit.anchor.lazy.keys import KEYS, merged_by_keys
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.paths import Path
from fastedit.anchor.lazy.plan import Plan, plan_of
from fastedit.anchor.lazy.proposals import (
    PROPOSALS,
    Proposal,
    combinations,
    followed,
    proposals_for,
    said_but_kept,
    still_named,
)
from fastedit.anchor.lazy.realise import Realiser
from fastedit.anchor.lazy.rows import Row, Taste, names_in, variants_of
from fastedit.anchor.lazy.search import Search
from fastedit.anchor.lazy.twins import Twins
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from fastedit.syntax.check import ErrorCounter
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PATHS = 150
MAX_READINGS = 10
MAX_BROKEN = 40  # so many readings that don't parse are looked at for one that does
MIN_PATHS, MAX_STEPS = 6, 60_000  # rows of all paths together
MAX_READ_OFTEN = 30_000  # lines; larger files have their parse errors counted for few readings only
FEW_READINGS = 4
MAX_CARRIED = 8  # readings of all snippets so far
MAX_BEHIND = 6.0  # how much worse than the best a reading may be to be carried along
MAX_REREAD = 2  # of them are read on where a snippet shows what the ones before it wrote
MIN_TELLING = 4  # characters of a line that tells so
BEAM = 12.0
MIN_GONE_ODDS = -1.2  # of a note that is read for what is gone
NOWHERE_ELSE = -1e6  # a weight that no path can afford
MORE_ERRORS = FACTS.index("more_errors")
TASTES = ("keeps_notes", "keeps_stubs", "joins", "by_keys", "flips_note")
# Of several snippets: one that changes what stands above the one before it, lines of an earlier one that it changes. Of
# all: changes that are made in each place with the same lines, and that the words speak of several.
JOINED = ("upwards", "rewritten", "repeated", "repeated_said")
MAX_REWRITTEN = 4
MAX_REPEATED = 2  # readings whose changes are tried everywhere
NAMES: tuple[str, ...] = (*FEATURES, *FACTS, *TASTES, *KEYS, *PROPOSALS, *JOINED)
_FILE = FilePath(__file__).with_name("weights.json")

Change = tuple[int, int, Sequence[str]]


@cache
def weights() -> dict[str, float]:
    """The fitted weights, name → weight."""
    return dict(json.loads(_FILE.read_text(encoding="utf-8"))["weights"])


@dataclass(frozen=True, slots=True)
class Part:
    """One way to read one snippet: the grid it was found in, the path, and what comes of it."""

    grid: Grid
    search: Search
    path: Path
    plan: Plan
    facts: Any
    taste: Taste
    keys: tuple[float, ...] = (0.0,) * len(KEYS)

    def features(self) -> NDArray[np.float32]:
        """(len(FEATURES) + len(FACTS) + len(TASTES) + len(KEYS),)."""
        tastes = np.array([float(getattr(self.taste, name)) for name in TASTES] + [*self.keys], np.float32)
        return np.concatenate([self.search.features(self.path), self.facts, tastes])


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an edit.

    lines: of the result. origins: for each of them its line in the original where that stands unchanged, else None.
    score: the higher the likelier. parts: one for each snippet. joined: see `JOINED`. place: the line of the original
    at which the last snippet begins to change it.
    """

    lines: tuple[str, ...]
    origins: tuple[int | None, ...]
    score: float
    parts: tuple[Part, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    joined: tuple[float, ...] = (0.0,) * len(JOINED)
    place: int = -1
    probability: float = 0.0

    def features(self) -> NDArray[np.float32]:
        """(len(NAMES),): what the score is made of."""
        size = len(FEATURES) + len(FACTS) + len(TASTES) + len(KEYS)
        total = np.zeros(len(NAMES), np.float32)
        for part in self.parts:
            total[:size] += part.features()
        for proposal in self.proposals:
            total[size : size + len(PROPOSALS)] += proposal.features()
        total[size + len(PROPOSALS) :] += self.joined
        return total

    def changes(self, original: Sequence[str]) -> list[tuple[int, int, list[str]]]:
        """Lines [start, end) of the original that become other lines; ascending."""
        changes: list[tuple[int, int, list[str]]] = []
        at, new = 0, list[str]()
        for line, origin in zip((*self.lines, ""), (*self.origins, len(original)), strict=True):
            if origin is None:
                new.append(line)
                continue
            if new or origin > at:
                changes.append((at, origin, new))
                new = []
            at = origin + 1
        return changes


KnownFor = Callable[[Lines, Sequence[Row]], Known]


def readings_of(
    lines: Sequence[str],
    snippets: Sequence[Snippet],
    language: str,
    message: str,
    found: Outline,
    instruction: str = "",
    *,
    known_weights: dict[str, float] | None = None,
    known_for: KnownFor | None = None,
    count: int = MAX_READINGS,
    rejected: list[NDArray[np.float32]] | None = None,
) -> list[Reading]:
    """The likeliest readings of an edit, best first.

    lines: of the original, without line ends; found: its outline. known_weights, known_for: for fitting, other weights
    and what is known of the result. rejected: takes the features of paths that give no text.
    """
    used = known_weights if known_weights is not None else weights()
    hints = hints_of(f"{message}\n\n{instruction}" if instruction else message)
    words = f"{prose_of(message)}\n\n{instruction}"
    start = Reading(tuple(lines), tuple(range(len(lines))), 0.0)
    carried = [start]
    clock = Clock()
    base = _Base(Lines(lines), found)
    for number, snippet in enumerate(snippets):
        context = context_of(snippet, hints, instruction)
        task = _Task(base, snippet, language, context, used, known_for, start, rejected, clock, words)
        ranked = _joined(carried, task, found)
        if not ranked:
            continue
        is_last = number + 1 == len(snippets)
        kept = [reading for reading in ranked if reading.score >= ranked[0].score - (BEAM if is_last else MAX_BEHIND)]
        carried = kept[: count if is_last else MAX_CARRIED]
    if carried == [start]:
        return []
    carried = [*carried, *_everywhere(carried[:MAX_REPEATED], start, words, used)]
    result = _with_proposals(carried, lines, found, hints, used)
    return probabilities(result[:count])


def _everywhere(readings: Sequence[Reading], start: Reading, words: str, used: dict[str, float]) -> list[Reading]:
    """The readings whose changes fit elsewhere too, with those made everywhere. start: the original as it is."""
    told = (0.0, 0.0, 1.0, float(says_everywhere(words)))
    extra = sum(used.get(name, 0.0) * value for name, value in zip(JOINED, told, strict=True))
    result = []
    for reading in readings:
        changes = repeated(reading.changes(start.lines), start.lines)
        if changes:
            text, origins = _composed(start, changes)
            joined = tuple(a + b for a, b in zip(reading.joined, told, strict=True))
            result.append(replace(reading, lines=text, origins=origins, score=reading.score + extra, joined=joined))
    return result


def _joined(carried: Sequence[Reading], task: _Task, found: Outline) -> list[Reading]:
    """The readings of the snippets so far, each with those of the next one that go with it; best first."""
    original = task.before
    alone = sorted(_parts(task), key=lambda merged: -merged[0][1])
    result: dict[tuple[str, ...], Reading] = {}
    num_reread = 0
    for before in carried:
        beside = [_read_beside(before, merged, original, task.used) for merged in alone]
        readings = [one for one in beside if one is not None]
        shows_written = _shows_written(task.snippet.lines, before, task.base.lines)
        # Where its likeliest reading changes what is changed already, it may be meant for what that became.
        if (shows_written or (alone and beside[0] is None)) and (num_reread < MAX_REREAD or not readings):
            num_reread += 1
            again = replace(task, base=_base_of(before, task.language, found, len(original.lines)), before=before)
            on_top = [_read_on(before, merged, task.used) for merged in _parts(again)]
            readings = on_top if shows_written else [*readings, *on_top]
        for reading in readings:
            if reading.lines not in result or result[reading.lines].score < reading.score:
                result[reading.lines] = reading
    return sorted(result.values(), key=lambda reading: -reading.score)


def _shows_written(shown: Sequence[str], before: Reading, original: Lines) -> bool:
    """Whether a snippet shows a line that only an earlier one wrote."""
    keys = {"".join(line.split()) for line in shown}
    written = (
        "".join(line.split()) for line, origin in zip(before.lines, before.origins, strict=True) if origin is None
    )
    return any(len(key) >= MIN_TELLING and key in keys and key not in original.places for key in written)


def _read_on(before: Reading, merged: _Merged, used: dict[str, float]) -> Reading:
    """A reading with that of the next snippet, which was read against what it made."""
    (part, score), text, origins, changes = merged
    first = min((start for start, _, _ in changes), default=len(before.lines))
    place = next((origin for origin in before.origins[first:] if origin is not None), -1)
    rewritten = sum(before.origins[line] is None for start, end, _ in changes for line in range(start, end))
    return _with_part(before, part, score, text, origins, place, rewritten, used)


def _read_beside(before: Reading, merged: _Merged, original: Reading, used: dict[str, float]) -> Reading | None:
    """A reading with that of the next snippet, which was read against the original; None where both change a line."""
    (part, score), text, origins, changes = merged
    place = min((start for start, _, _ in changes), default=-1)
    if before.lines == original.lines:
        return _with_part(before, part, score, text, origins, place, 0, used)
    moved = _moved_to(before, changes, len(original.lines))
    if moved is None:
        return None
    text, origins = _composed(before, moved)
    return _with_part(before, part, score, text, origins, place, 0, used)


def _moved_to(before: Reading, changes: Sequence[Change], num_lines: int) -> list[Change] | None:
    """Changes of the original as changes of what a reading made of it; None where that changed the same lines."""
    now = {origin: line for line, origin in enumerate(before.origins) if origin is not None}
    now[num_lines] = len(before.lines)
    moved: list[Change] = []
    for start, end, new in changes:
        at = now.get(start)
        if at is None and start == end and start - 1 in now:
            at = now[start - 1] + 1
            while at < len(before.lines) and before.origins[at] is None:
                at += 1
        if at is None or (end > start and now.get(end - 1) != at + end - 1 - start):
            return None
        moved.append((at, at + end - start, new))
    return moved


def _with_part(
    before: Reading,
    part: Part,
    score: float,
    text: tuple[str, ...],
    origins: tuple[int | None, ...],
    place: int,
    rewritten: int,
    used: dict[str, float],
) -> Reading:
    """The reading of one more snippet. place: where it begins to change the original, -1 if it doesn't."""
    told = (float(0 <= place < before.place), float(min(MAX_REWRITTEN, rewritten)), 0.0, 0.0)
    score += before.score + sum(used.get(name, 0.0) * value for name, value in zip(JOINED, told, strict=True))
    joined = tuple(a + b for a, b in zip(before.joined, told, strict=True))
    return Reading(
        text, origins, score, (*before.parts, part), joined=joined, place=place if place >= 0 else before.place
    )


def _num_paths(num_rows: int) -> int:
    """The number of paths to look at: fewer for very long snippets, each of whose paths takes its time."""
    return max(MIN_PATHS, min(MAX_PATHS, MAX_STEPS // num_rows))


class _Base:
    """The text that a snippet is read against, with its outline; its parse errors are counted when first asked for."""

    def __init__(self, lines: Lines, outlined: Outline) -> None:
        self.lines = lines
        self.outline = outlined

    @cached_property
    def errors(self) -> ErrorCounter:
        """The counter of the whole text's parse errors."""
        return ErrorCounter(self.lines.texts, self.outline.language)


# A part with its score, the lines that it leads to, where each of them is from, and the changes that make them.
_Merged = tuple[tuple[Part, float], tuple[str, ...], tuple[int | None, ...], Sequence[Change]]


@dataclass(frozen=True, slots=True)
class _Task:
    """One snippet to read against what a reading of the ones before it made; see `readings_of`."""

    base: _Base
    snippet: Snippet
    language: str
    context: Context
    used: dict[str, float]
    known_for: KnownFor | None
    before: Reading
    rejected: list[NDArray[np.float32]] | None
    clock: Clock
    said: str = ""


def _base_of(reading: Reading, language: str, found: Outline, num_lines: int) -> _Base:
    """The text that a reading made. Large originals aren't parsed anew: what new lines declare isn't known then."""
    if num_lines > MIN_LINES:
        return _Base(Lines(reading.lines), outline_after(found, reading.origins, num_lines))
    return _Base(Lines(reading.lines), outline("\n".join(reading.lines), language))


def _parts(task: _Task) -> list[_Merged]:
    """The ways to read one snippet, each with another result."""
    base, snippet, context = task.base, task.snippet, task.context
    result: dict[tuple[str, ...], _Merged] = {}
    fold = None if task.known_for else fold_of(base.lines, snippet.lines, base.outline, context.names | context.removed)
    original, outlined = (base.lines, base.outline) if fold is None else (fold.lines, fold.outline)
    for taste, rows in variants_of(snippet.lines, original, task.language):
        if not rows:
            continue
        grid = Grid(original, rows, outlined, context, fold, lambda: base.errors, task.clock)
        judge = Search(grid, task.used)
        _add_readings(result, task, judge, judge, taste)
        if task.known_for is not None:
            _add_readings(result, task, Search(grid, task.used, task.known_for(original, rows)), judge, taste)
    if not result and task.used.get("back", 0.0) > NOWHERE_ELSE:
        # Every path uses lines twice, as going back allows: without it there are always some that don't.
        return _parts(replace(task, used={**task.used, "back": NOWHERE_ELSE}))
    _add_by_keys(result, task)
    return list(result.values())


def _add_readings(
    result: dict[tuple[str, ...], _Merged], task: _Task, search: Search, judge: Search, taste: Taste
) -> None:
    """Adds what the best paths of a search come to. judge: the search of the same grid that knows no result."""
    grid, used = search.grid, task.used
    worth = np.array([used.get(name, 0.0) for name in FACTS])
    added = sum(used.get(name, 0.0) for name in TASTES if getattr(taste, name))
    num_found, has_sound = 0, False
    twins = Twins(grid)
    for path in search.best(_num_paths(len(grid.rows)), beam=BEAM):
        followed = _followed(task, search, path, twins)
        if followed is None:
            continue
        plan, cells, changes = followed
        text, origins = _composed(task.before, changes)
        if text in result and search.known is None:
            continue
        facts = facts_of(grid, plan, cells)
        score = path.score if search.known is None else float(search.features(path) @ search.weights)
        total = score + float(facts @ worth) + added
        if text not in result or result[text][0][1] < total:
            result[text] = ((Part(grid, judge, path, plan, facts, taste), total), text, origins, changes)
        num_found += 1
        has_sound = has_sound or not facts[MORE_ERRORS]
        if num_found >= _num_wanted(len(task.before.lines), has_sound):
            break


def _num_wanted(num_lines: int, has_sound: bool) -> int:
    """The number of readings that are enough. has_sound: whether one of those found so far brings no parse errors."""
    wanted = MAX_READINGS if has_sound else MAX_BROKEN
    return min(wanted, FEW_READINGS) if num_lines > MAX_READ_OFTEN else wanted


def _followed(
    task: _Task, search: Search, path: Path, twins: Twins
) -> tuple[Plan, tuple[Cell, ...], Sequence[Change]] | None:
    """The plan, cells and changes of a path; None if it makes no text, or does what an earlier path did.

    twins: what the earlier ones did. A search that leans on a known result may repeat them.
    """
    grid = search.grid
    plan = plan_of(path, grid)
    if plan is None:
        _reject(task, search, path)
        return None
    if search.known is None and not twins.is_new(plan):
        return None
    cells = Realiser(grid, plan).cells()
    changes = grid.unfolded(changes_of(cells, len(grid.original)))
    return None if changes is None else (plan, tuple(cells), changes)


def _reject(task: _Task, search: Search, path: Path) -> None:
    """Keeps the features of a path that gives no text, where they are asked for."""
    if task.rejected is not None and len(task.rejected) < MAX_READINGS:
        told = np.zeros(len(NAMES), np.float32)
        told[: len(FEATURES)] = search.features(path)
        task.rejected.append(task.before.features() + told)


def _add_by_keys(result: dict[tuple[str, ...], _Merged], task: _Task) -> None:
    """Adds the readings of a partial file that is merged key by key; their scores lean on the best one by lines."""
    if not result:
        return
    original, before = task.base.lines, task.before
    (part, score), best, *_ = max(result.values(), key=lambda one: one[0][1])
    for merged in merged_by_keys(original, task.snippet.lines, task.language, task.said, task.snippet.prose):
        changes = [
            (step.src_start, step.src_end, merged.lines[step.dest_start : step.dest_end])
            for step in Indel.opcodes(original.texts, merged.lines)
            if step.tag != "equal"
        ]
        if task.base.errors.count is not None and (task.base.errors.after(changes) or 0) > task.base.errors.count:
            continue
        text, origins = _composed(before, changes)
        keys = merged.features(sum(((Counter(text) - Counter(best)) & Counter(original.texts)).values()))
        total = score + task.used.get("by_keys", 0.0)
        total += sum(task.used.get(name, 0.0) * value for name, value in zip(KEYS, keys, strict=True))
        if text not in result or result[text][0][1] < total:
            read = replace(part, taste=replace(part.taste, by_keys=True), keys=keys)
            result[text] = ((read, total), text, origins, changes)


def _composed(before: Reading, changes: Sequence[Change]) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a reading with changes made to them, and where each is from."""
    lines, origins = list(before.lines), list(before.origins)
    for start, end, new in reversed(changes):
        lines[start:end] = new
        origins[start:end] = [None] * len(new)
    return tuple(lines), tuple(origins)


def _with_proposals(
    readings: Sequence[Reading], original: Sequence[str], found: Outline, hints: Hints, used: dict[str, float]
) -> list[Reading]:
    """The readings, and each of them with what the words say is gone or has moved."""
    worth = np.array([used.get(name, 0.0) for name in PROPOSALS])
    result: dict[tuple[str, ...], Reading] = {}
    for reading in readings:
        said = _with_notes(hints, reading)
        for chosen in combinations(proposals_for(reading.lines, reading.origins, original, found, said), worth):
            text, origins = followed(reading.lines, reading.origins, chosen, found.language)
            num_kept = said_but_kept(text, original, said)
            if num_kept:
                chosen = (*chosen, still_named(num_kept))
            score = reading.score + sum(float(one.features() @ worth) for one in chosen)
            if text not in result or result[text].score < score:
                result[text] = replace(reading, lines=text, origins=origins, score=score, proposals=chosen)
    return sorted(result.values(), key=lambda reading: -reading.score)


def _with_notes(hints: Hints, reading: Reading) -> Hints:
    """The hints, and what notes in the snippets say is gone: `# removed: save`."""
    gone: dict[str, None] = dict.fromkeys(hints.gone)
    has_imports = hints.imports
    for part in reading.parts:
        is_known = part.grid.original.identities.has_name
        for row in part.plan.left_out:
            note = part.grid.rows[row].note
            if note is not None and part.grid.rows[row].role("gone") > MIN_GONE_ODDS:
                said = gone_in(note, is_known)
                gone.update(dict.fromkeys(said))
                has_imports = has_imports or names_imports(note)
    names = hints.removed | {name for quoted in gone if (name := name_of(quoted))}
    return replace(hints, removed=names, gone=tuple(gone), imports=has_imports)


def probabilities(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with the share that each has of them all."""
    if not readings:
        return []
    best = max(reading.score for reading in readings)
    odds = [math.exp(min(0.0, reading.score - best)) for reading in readings]
    total = sum(odds)
    return [replace(reading, probability=one / total) for reading, one in zip(readings, odds, strict=True)]


def context_of(snippet: Snippet, hints: Hints, instruction: str = "") -> Context:
    """Reads the words around a snippet."""
    return Context(names_in(f"{snippet.prose}\n{instruction}"), hints.removed, hints.kept, snippet.prose)
