"""One place for each run of lines, chosen together: quality, scopes, order and line numbers weighed at once.

The choice is the best path through the candidates of all runs, one after the other. How much worse the best
path through another candidate would be is that candidate's margin: what tells places apart, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add

from fastedit.anchor.patch.locate import Place, Span

QUALITY_WORTH = 10.0
SCOPE_WORTH = 3.0
ORDER_WORTH = 1.0
END_WORTH = 1.5
# Two insertions with the same context: as soon as there are two such places, each takes one.
SAME_PLACE_COST = 0.6
# Too little to decide anything but which of two equal places is looked at first.
HINT_WORTH = 0.05
GAP_COST = 0.0005
MAX_GAP_COST = 0.2
IMPOSSIBLE = -1e9
CONFLICT = -50.0
# Margins under this mean that nothing but a line number tells two places apart.
TIE = 0.25
# A line number that is off decides where the other place is so many times, and lines, farther from it.
MIN_HINT_RATIO = 3
MIN_HINT_LEAD = 15

# What it is worth that one candidate (row) is followed by another (column).
Links = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class RunPlace:
    """A place for a run. changed: the lines [start, end) that change there; worth: what it has by itself."""

    place: Place
    changed: Span
    worth: float
    hint_distance: int | None = None


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The chosen candidate. rivals: those that only a line number, if anything, makes worse.

    margin: to the best other place, all things weighed. by_hint: whether a line number decided.
    """

    candidate: RunPlace
    rivals: tuple[RunPlace, ...]
    margin: float
    by_hint: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that stand together, with the places they could have (at least one).

    unweighed: the best of the places that were too many to be weighed. must_follow: whether the run goes on where
    the one before it left off, so that it must stand behind it. is_nearest: whether it is then the nearest such
    place that is meant, as behind an elision.
    """

    candidates: Sequence[RunPlace]
    unweighed: RunPlace | None = None
    must_follow: bool = False
    is_nearest: bool = False


def choose(runs: Sequence[Run]) -> list[ChosenRun]:
    """The choice for each run."""
    if not runs:
        return []
    links = [
        [[_link(first, second, after.must_follow) for second in after.candidates] for first in before.candidates]
        for before, after in pairwise(runs)
    ]
    forward = _best_to(runs, links)
    backward = _best_from(runs, links)
    choices: list[ChosenRun] = []
    chosen = _path(forward, links)
    for number, run in enumerate(runs):
        totals = [ahead + behind for ahead, behind in zip(forward[number], backward[number], strict=True)]
        choices.append(_judge(run, totals, chosen[number]))
    return choices


def _link(first: RunPlace, second: RunPlace, must_follow: bool) -> float:
    """The worth of two candidates together, the second of which comes after the first in the message."""
    if must_follow:
        if second.place.start < first.place.end:
            return IMPOSSIBLE
        return -min(MAX_GAP_COST, GAP_COST * (second.place.start - first.place.end))
    if first.place.start == second.place.start and first.place.end == second.place.end:
        return CONFLICT if first.changed[0] < first.changed[1] else -SAME_PLACE_COST
    if first.changed[0] < second.changed[1] and second.changed[0] < first.changed[1]:
        return CONFLICT
    return 0.0 if second.changed[0] >= first.changed[1] else -ORDER_WORTH


def _best_to(runs: Sequence[Run], links: Sequence[Links]) -> list[list[float]]:
    """For each candidate the worth of the best path that ends in it."""
    best = [[candidate.worth for candidate in runs[0].candidates]]
    for after, link in zip(runs[1:], links, strict=True):
        totals = best[-1]
        best.append(
            [
                second.worth + max(total + link[first][number] for first, total in enumerate(totals))
                for number, second in enumerate(after.candidates)
            ]
        )
    return best


def _best_from(runs: Sequence[Run], links: Sequence[Links]) -> list[list[float]]:
    """For each candidate the worth of the best path that goes on from it, its own apart."""
    best: list[list[float]] = [[0.0] * len(runs[-1].candidates)]
    for after, link in zip(runs[:0:-1], links[::-1], strict=True):
        totals = [second.worth + total for second, total in zip(after.candidates, best[-1], strict=True)]
        best.append([max(map(add, row, totals)) for row in link])
    return best[::-1]


def _path(forward: Sequence[Sequence[float]], links: Sequence[Links]) -> list[int]:
    """The number of the candidate of each run that lies on the best path."""
    path = [_highest(forward[-1])]
    for totals, link in zip(forward[-2::-1], links[::-1], strict=True):
        after = path[-1]
        path.append(_highest([total + link[first][after] for first, total in enumerate(totals)]))
    return path[::-1]


def _highest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


def _judge(run: Run, totals: Sequence[float], chosen: int) -> ChosenRun:
    candidates, best = run.candidates, totals[chosen]
    others = [number for number in range(len(candidates)) if number != chosen]
    margin = min((best - totals[number] for number in others), default=QUALITY_WORTH)
    tied = [] if run.is_nearest else [candidates[number] for number in others if best - totals[number] < TIE]
    if run.unweighed is not None and not run.is_nearest and candidates[chosen].worth - run.unweighed.worth < TIE:
        tied.append(run.unweighed)
    rivals = tuple(other for other in tied if not _is_told_by_hint(candidates[chosen], other))
    return ChosenRun(candidates[chosen], rivals, margin, by_hint=bool(tied) and not rivals)


def _is_told_by_hint(chosen: RunPlace, other: RunPlace) -> bool:
    if chosen.hint_distance is None or other.hint_distance is None:
        return False
    if chosen.hint_distance == 0:
        return other.hint_distance > 0
    return other.hint_distance >= MIN_HINT_RATIO * chosen.hint_distance + MIN_HINT_LEAD
