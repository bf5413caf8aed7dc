"""The monotone alignment of one level: which unit of the snippet is which unit of the original.

A chain of pairs that goes forward in both texts and is worth the most: pairs earn their likeness,
what lies between two pairs costs. A marker between them makes skipping the original free; without
one, skipped lines would be deleted, which has to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from fastedit.anchor.units import Unit

MAX_PAIRS = 700

INSERT_COST = 0.12
# What has something elided inside can't be new.
ELIDED_COST = 3.0
DELETE_OPEN_COST = 0.45
DELETE_LINE_COST = 0.08
MAX_DELETE_COST = 1.5
EMPTY_MARKER_COST = 0.25
OTHER_PARENT_COST = 0.5
UNREACHABLE_COST = 1.2
SURE_MARGIN = 0.5


@dataclass(frozen=True, slots=True)
class Pair:
    """Unit `mine` of the snippet (by index) is unit `theirs` of the original (by index)."""

    mine: int
    theirs: int
    score: float
    is_same: bool
    ratio: float = 1.0
    margin: float = 9.0

    @property
    def certainty(self) -> float:
        """How surely this is the right pair, from what the chain would lose without it: 0.5 for a coin's toss."""
        return 0.5 + 0.5 * min(1.0, max(0.0, self.margin) / SURE_MARGIN)


@dataclass(slots=True)
class Level:
    """What chaining needs to know about a level.

    is_open_left, is_open_right: the original may go on before the first and behind the last pair at no
    cost. protects: units of the original that aren't deleted for not being shown.
    mentions: for a marker of the snippet (by index) the units of the original that it names.
    removed: the names of declarations that the snippet says are gone.
    elided: the units of the snippet (by index) that have something elided inside. moved: the first lines of the
    original's declarations that the snippet shows elsewhere on the level. closers: the units of the snippet (by index)
    that only close a block. homes: for units of the snippet (by index) the lines of the original that they belong in,
    where a remark tells. unwrapped: the units of the snippet (by index) that stand further out than in the original.
    realigned: its lines (by index) whose columns count. is_terminated: nothing is reached behind the last unit of the
    original.
    """

    mine: Sequence[Unit]
    theirs: Sequence[Unit]
    is_open_left: bool = False
    is_open_right: bool = False
    protects: Callable[[Unit], bool] = lambda unit: False
    mentions: dict[int, frozenset[int]] | None = None
    removed: frozenset[str] = frozenset()
    elided: frozenset[int] = frozenset()
    moved: frozenset[int] = frozenset()
    closers: frozenset[int] = frozenset()
    unwrapped: frozenset[int] = frozenset()
    realigned: frozenset[int] = frozenset()
    is_terminated: bool = False
    homes: dict[int, tuple[int, int]] = field(default_factory=dict)


class Chain:
    """Finds the best chain through the candidate pairs of a level, and how clearly it is the best."""

    def __init__(self, level: Level, candidates: list[Pair]) -> None:
        self.level = level
        if len(candidates) > MAX_PAIRS:
            candidates = sorted(candidates, key=lambda pair: -pair.score)[:MAX_PAIRS]
        self.pairs = sorted(candidates, key=lambda pair: (pair.mine, pair.theirs))
        mine, theirs = level.mine, level.theirs
        self._inserted = [0.0, *accumulate(self._insert_cost(index) for index in range(len(mine)))]
        self._markers = [0, *accumulate(int(unit.is_marker) for unit in mine)]
        self._skipped = [0, *accumulate(0 if level.protects(unit) else unit.end - unit.start for unit in theirs)]
        self._protected = [0, *accumulate(int(level.protects(unit)) for unit in theirs)]

    def _insert_cost(self, index: int) -> float:
        if index in self.level.elided:
            return ELIDED_COST
        return INSERT_COST if self.level.mine[index].is_code else 0.0

    def best(self) -> list[Pair]:
        """The pairs of the best chain in order, each with its margin to the best chain that pairs it otherwise."""
        if not self.pairs:
            return []
        forward, previous = self._forward()
        backward = self._backward()
        totals = [f + b - pair.score for f, b, pair in zip(forward, backward, self.pairs, strict=True)]
        ends = [forward[index] + self._end_cost(pair) for index, pair in enumerate(self.pairs)]
        last = max(range(len(ends)), key=lambda index: ends[index])
        if ends[last] <= self._gap(None, None):
            return []
        chosen: list[int] = []
        at: int | None = last
        while at is not None:
            chosen.append(at)
            at = previous[at]
        chain = [None, *(self.pairs[index] for index in reversed(chosen)), None]
        return [
            self._with_margin(pair, self._harmless(before, pair, after), totals, ends[last])
            for before, pair, after in zip(chain, chain[1:], chain[2:], strict=False)
            if pair is not None
        ]

    def _with_margin(self, pair: Pair, harmless: range, totals: list[float], total: float) -> Pair:
        others = [
            totals[other]
            for other, candidate in enumerate(self.pairs)
            if candidate.mine == pair.mine and candidate.theirs != pair.theirs and candidate.theirs not in harmless
        ]
        margin = total - max(others, default=total - 9.0)
        return Pair(pair.mine, pair.theirs, pair.score, pair.is_same, pair.ratio, min(9.0, margin))

    def _harmless(self, before: Pair | None, pair: Pair, after: Pair | None) -> range:
        """The original's units that a line may just as well be paired with: the result would be the same.

        Between two neighbours and without a marker stands what the snippet shows there, whichever of equal lines it is.
        """
        level = self.level
        start = before.mine if before else 0
        end = after.mine if after else len(level.mine)
        is_open = (before is None and level.is_open_left) or (after is None and level.is_open_right)
        if is_open or self._markers[end] > self._markers[start] or not pair.is_same or level.mine[pair.mine].has_body:
            return range(0)
        return range(before.theirs + 1 if before else 0, after.theirs if after else len(level.theirs))

    def _forward(self) -> tuple[list[float], list[int | None]]:
        best: list[float] = []
        previous: list[int | None] = []
        for index, pair in enumerate(self.pairs):
            value, source = self._gap(None, pair), None
            for before in range(index):
                earlier = self.pairs[before]
                if earlier.mine < pair.mine and earlier.theirs < pair.theirs:
                    candidate = best[before] + self._gap(earlier, pair)
                    if candidate > value:
                        value, source = candidate, before
            best.append(value + pair.score)
            previous.append(source)
        return best, previous

    def _backward(self) -> list[float]:
        pairs = self.pairs
        best = [0.0] * len(pairs)
        for index in range(len(pairs) - 1, -1, -1):
            pair = pairs[index]
            value = self._end_cost(pair)
            for after in range(index + 1, len(pairs)):
                later = pairs[after]
                if later.mine > pair.mine and later.theirs > pair.theirs:
                    value = max(value, best[after] + self._gap(pair, later))
            best[index] = value + pair.score
        return best

    def _end_cost(self, pair: Pair) -> float:
        return self._gap(pair, None)

    def _gap(self, before: Pair | None, after: Pair | None) -> float:
        level = self.level
        my_start = before.mine + 1 if before else 0
        my_end = after.mine if after else len(level.mine)
        their_start = before.theirs + 1 if before else 0
        their_end = after.theirs if after else len(level.theirs)
        cost = -(self._inserted[my_end] - self._inserted[my_start])
        num_lines = self._skipped[their_end] - self._skipped[their_start]
        num_markers = self._markers[my_end] - self._markers[my_start]
        is_open = (before is None and level.is_open_left) or (after is None and level.is_open_right)
        if num_markers and not is_open:
            if their_end == their_start:
                cost -= EMPTY_MARKER_COST
        elif num_lines and not is_open:
            cost -= min(MAX_DELETE_COST, DELETE_OPEN_COST + DELETE_LINE_COST * num_lines)
        if after is None and num_markers and not is_open and level.is_terminated and level.mine[-1].is_code:
            cost -= UNREACHABLE_COST
        if not num_markers:
            cost -= 0.02 * (self._protected[their_end] - self._protected[their_start])
        if before and after:
            mine, next_mine = level.mine[before.mine], level.mine[after.mine]
            theirs, next_theirs = level.theirs[before.theirs], level.theirs[after.theirs]
            is_one_block = mine.parent is next_mine.parent and mine.columns == next_mine.columns
            if is_one_block and after.mine not in level.closers and theirs.parent is not next_theirs.parent:
                cost -= OTHER_PARENT_COST
        if num_markers and level.mentions:
            cost += self._mention_bonus(my_start, my_end, their_start, their_end)
        return cost

    def _mention_bonus(self, my_start: int, my_end: int, their_start: int, their_end: int) -> float:
        bonus = 0.0
        assert self.level.mentions is not None
        for index in range(my_start, my_end):
            named = self.level.mentions.get(index)
            if named:
                covered = sum(their_start <= unit < their_end for unit in named)
                bonus += 0.5 * covered - 0.3 * (len(named) - covered)
        return bonus
