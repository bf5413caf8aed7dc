"""What the best path may do otherwise in one place: detours, and paths that take several of them.

The best paths in their order differ in many places at once, so where a snippet leaves doubts in ten places a detour
that costs a little more than most is on none of the first hundred. But what a detour does to a result hardly depends on
the others: each is judged alone, and those that make the result better go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fastedit.anchor.lazy.paths import Path, Step
from fastedit.anchor.lazy.search import Search

MAX_TRIED = 12  # detours that make a result better, tried on top of each other
MAX_BESIDE, MAX_WORSE = 4, 4.0  # of those that make it a little worse, tried on top of the best, and by how much


@dataclass(frozen=True, slots=True)
class Detour:
    """Other steps in place of a path's steps [start, end). gain: how much better the result is with it alone."""

    start: int
    end: int
    steps: tuple[Step, ...]
    gain: float = 0.0

    def crosses(self, other: Detour) -> bool:
        """Whether the two leave the path in the same place."""
        return self.start < other.end and other.start < self.end


def detour_of(base: Sequence[Step], steps: Sequence[Step], gain: float) -> Detour:
    """Where steps leave a path for the first time, and where they are back for good."""
    start = 0
    while start < min(len(base), len(steps)) and base[start] == steps[start]:
        start += 1
    behind = 0
    while behind < min(len(base), len(steps)) - start and base[-1 - behind] == steps[-1 - behind]:
        behind += 1
    return Detour(start, len(base) - behind, tuple(steps[start : len(steps) - behind]), gain)


def take_detours(search: Search, judge: Callable[[Path], float | None], count: int, beam: float) -> None:
    """Judges the best detours of a search each alone, then those together that make the result better.

    judge: the score of what a path comes to; None where that is nothing new. count: detours at most.
    """
    aside = search.aside(count, beam=beam)
    base = next(aside, None)
    score = None if base is None else judge(base)
    if base is None or score is None:
        return
    found = ((path, judge(path)) for path in aside)
    detours = [detour_of(base.steps, path.steps, total - score) for path, total in found if total is not None]
    ranked = sorted(detours, key=lambda one: -one.gain)
    chosen: list[Detour] = []
    for one in [one for one in ranked if one.gain > 0][:MAX_TRIED]:
        if any(one.crosses(other) for other in chosen):
            continue
        total = judge(_detoured(search, base, (*chosen, one)))
        if total is not None and total > score:
            chosen, score = [*chosen, one], total
    if chosen:
        beside = [one for one in ranked if one.gain > -MAX_WORSE and not any(map(one.crosses, chosen))]
        for one in beside[:MAX_BESIDE]:
            judge(_detoured(search, base, (*chosen, one)))


def _detoured(search: Search, base: Path, detours: Iterable[Detour]) -> Path:
    """The path that takes all these detours, none of which crosses another."""
    steps = list(base.steps)
    for one in sorted(detours, key=lambda one: -one.start):
        steps[one.start : one.end] = one.steps
    path = Path(tuple(steps), 0.0)
    return Path(path.steps, float(search.features(path) @ search.weights))
