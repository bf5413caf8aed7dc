"""The best paths through a graph in their order, whatever its steps are worth.

Each path deviates from a better one at one step and follows the best way from there to the start (Lawler 1972; what is
left of a path is always its best rest, so no path is missed). Where a path may be left is known for each of its nodes
once: the turns off the best way to the node before it, and those of its own (Eppstein 1998).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

LEFT_OUT = -2


class Node(NamedTuple):
    """A state after `row` rows at position `at`; END and B have none."""

    state: str
    row: int
    at: int


class Step(NamedTuple):
    """One step of a path: from a node to a node.

    pair: which of a row's pairs was quoted; `LEFT_OUT` where the row is in neither text; -1 otherwise.
    """

    source: Node
    target: Node
    pair: int = -1


@dataclass(frozen=True, slots=True)
class Path:
    """A way through snippet and original with its score, from the first step to the last."""

    steps: tuple[Step, ...]
    score: float


Way = tuple[float, Step]  # the score of the best path that takes a step, and the step


class _Link(NamedTuple):
    """The steps behind a node, up to the end of a path."""

    step: Step
    rest: _Link | None


class _Turn(NamedTuple):
    """A way off a trail: a step into the trail's node, but not the best one.

    loss: how much worse than the best. trail: the one that ends where the step leads to.
    """

    loss: float
    step: Step
    trail: _Trail


_loss = attrgetter("loss")


@dataclass(slots=True)
class _Trail:
    """The best way from the start to a node.

    step: its last one; None at the start. before: the way to where that comes from. turns: the best ones off it, best
    first. is_whole: whether it begins at the start.
    """

    node: Node
    step: Step | None
    before: _Trail | None
    turns: tuple[_Turn, ...]
    is_whole: bool


class _Branch(NamedTuple):
    """The end of a path that is still to be followed to the start.

    cost: minus the score of the best path that ends so. serial: the lower comes first where the cost is the same.
    node, link: where its end begins, and the steps of that. trail: the one that the path leaves at its turn number
    `turn`, None where it follows the best to the node. start: the cost of the path that leaves it nowhere.
    """

    cost: float
    serial: int
    node: Node
    link: _Link
    trail: _Trail | None
    start: float
    turn: int


class Paths:
    """Finds the best paths to some ends.

    ways_into: the ways into a node, best first.
    """

    def __init__(self, ways_into: Callable[[Node], Sequence[Way]], count: int, beam: float) -> None:
        self._ways_into = ways_into
        self._count = count
        self._beam = beam
        self._trails: dict[Node, _Trail] = {}
        self._heap: list[_Branch] = []
        self._serials = itertools.count()
        self._worst = 0.0

    def best(self, ends: Sequence[Way]) -> Iterator[Path | None]:
        """The best paths that end so, at most `count`, none worse than the best by more than `beam`.

        None stands for one that doesn't begin at the start.
        """
        if not ends:
            return
        heap = self._heap = [
            _Branch(-score, next(self._serials), step.source, _Link(step, None), None, -score, 0)
            for score, step in ends
        ]
        heapq.heapify(heap)
        self._worst = -heap[0].cost - self._beam
        for _ in range(self._count):
            if not heap or -heap[0].cost < self._worst:
                return
            yield self._followed(heapq.heappop(heap))

    def _followed(self, branch: _Branch) -> Path | None:
        """The best path that ends as a branch does; adds the next branches."""
        trail, link = branch.trail, branch.link
        if trail is None:
            trail = self._trail(branch.node)
        else:  # the path leaves the trail of a better one
            turn = trail.turns[branch.turn]
            self._push(branch.node, link, trail, branch.start, branch.turn + 1)
            link = _Link(turn.step, _linked(trail, turn.trail, link))
            trail = self._trail(turn.step.source)
        self._push(trail.node, link, trail, branch.cost, 0)
        steps = _steps_of(trail, link)
        return None if steps is None else Path(steps, -branch.cost)

    def _push(self, node: Node, link: _Link, trail: _Trail, start: float, turn: int) -> None:
        """Adds the branch that leaves a trail at a turn, where there is one that isn't too bad."""
        if turn < len(trail.turns):
            cost = start + trail.turns[turn].loss
            if -cost >= self._worst:
                heapq.heappush(self._heap, _Branch(cost, next(self._serials), node, link, trail, start, turn))

    def _trail(self, node: Node) -> _Trail:
        """The best way from the start to a node, with the best turns off it."""
        behind: list[tuple[Node, Sequence[Way]]] = []
        before: _Trail | None = None
        while not (node.state == "T" and node.row == 0):
            before = self._trails.get(node)
            if before is not None:
                break
            ways = self._ways_into(node)
            behind.append((node, ways))
            if not ways:
                break
            node = ways[0][1].source
        else:
            before = _Trail(node, None, None, (), is_whole=True)
        for at, ways in reversed(behind):
            best, step = ways[0] if ways else (0.0, None)
            rest = before.turns if before else ()
            trail = _Trail(at, step, before, rest, is_whole=before is not None and before.is_whole)
            turns = [_Turn(best - score, other, trail) for score, other in ways[1:] if best - score <= self._beam]
            if turns:
                trail.turns = tuple(sorted((*turns, *rest), key=_loss)[: self._count])
            self._trails[at] = before = trail
        assert before is not None
        return before


def _linked(trail: _Trail, other: _Trail, link: _Link) -> _Link:
    """The steps of a trail behind another one that it begins with, and what follows them."""
    while trail is not other:
        assert trail.step is not None
        assert trail.before is not None
        link = _Link(trail.step, link)
        trail = trail.before
    return link


def _steps_of(trail: _Trail, link: _Link) -> tuple[Step, ...] | None:
    """The steps of a trail, and those behind it up to the end; None where it doesn't begin at the start."""
    if not trail.is_whole:
        return None
    steps: list[Step] = []
    at: _Trail | None = trail
    while at is not None and at.step is not None:
        steps.append(at.step)
        at = at.before
    steps.reverse()
    rest: _Link | None = link
    while rest is not None:
        steps.append(rest.step)
        rest = rest.rest
    return tuple(steps)
