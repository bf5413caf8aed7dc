"""The best paths through a graph in their order, and what a path through the grid comes to.

Each path deviates from a better one at one step and follows the best way from there to the start (Lawler 1972; what is
left of a path is always its best rest, so no path is missed). Where a path may be left is known for each of its nodes
once: the turns off the best way to the node before it, and those of its own (Eppstein 1998).

A path comes to the sum of its features, and to a plan: what becomes of each row and each line.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.features import FEATURES, INDEX
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.steps import StepFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LEFT_OUT = -2
DELETE_AFTER = {"Q": "delete_after_quote", "S": "delete_after_marker", "T": "delete_at_start"}
MARKED = (*g.MARKED_LINE, "elided_outdents")
MARKER_FROM = {"Q": "marker_from_quote", "N": "marker_from_new", "D": "marker_from_deleted", "S": "marker_again"}
NEW_AFTER = {"Q": "new_after_quote", "D": "new_after_deleted", "S": "new_after_marker", "T": "new_at_start"}
_FREE = frozenset("SJTB")


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


class Tally:
    """Adds up features. total: (len(FEATURES),)."""

    def __init__(self, grid: Grid, facts: StepFacts) -> None:
        self.grid = grid
        self.facts = facts
        self.total = np.zeros(len(FEATURES), np.float64)

    def add(self, path: Path) -> None:
        """Adds the features of a path's steps."""
        for step in path.steps:
            self._add_step(step)

    def _add(self, names: Sequence[str], values: Sequence[float] | Floats, factor: float = 1.0) -> None:
        """Adds the values of some features."""
        for name, value in zip(names, values, strict=True):
            self.total[INDEX[name]] += value * factor

    def _add_step(self, step: Step) -> None:
        """Adds the features of a step."""
        target = step.target.state
        if target == "END":
            self._add_end(step)
        elif target == "S":
            self._add_elided(step)
        elif target == "D":
            self._add_deleted(step)
        elif target == "J":
            self._add_jumped(step)
        elif step.pair == LEFT_OUT:
            self._add(g.NOTE, self.facts.note_row(step.target.row - 1))
        elif target == "Q":
            self._add_quote(step)
        elif target == "N":
            self._add_new(step)
        elif target == "M":
            self._add_marker(step)

    def _add_end(self, step: Step) -> None:
        """Adds the features of the end of a path."""
        state, _, at = step.source
        if state == "Q":
            self._add(g.ENDED[:5], self.grid.ended[at, :5])
            self._add(["end_quote"], [1])
        elif state == "N":
            self._add(g.ENDED, self.grid.ended[at])
            self._add(["end_new"], [1])
        elif state == "D":
            self._add(["end_deleted", "delete_to_end"], [1, 1])

    def _add_elided(self, step: Step) -> None:
        """Adds the features of lines that a marker keeps."""
        start, (_, row, end) = step.source.at, step.target
        rows = self.grid.rows
        markers = (r for r in range(row) if rows[r].odds is not None and self.facts.is_marker_like(r))
        marker = max(markers, default=None)
        if marker is not None:
            table = self.grid.elided_lines(marker)
            self._add(MARKED, table[end] - table[start])
        self._add(["marker_empty"], [float(start == end)])

    def _add_deleted(self, step: Step) -> None:
        """Adds the features of lines that are deleted."""
        state, _, at = step.source
        self._add(g.DELETED_LINE, self.grid.deleted_lines[step.target.at] - self.grid.deleted_lines[at])
        self._add([DELETE_AFTER[state]], [1])
        if state == "T":
            self._add(g.START[4:6], self.grid.started[at, 4:6])

    def _add_jumped(self, step: Step) -> None:
        """Adds the features of lines that are kept unasked."""
        state, _, at = step.source
        self._add(g.JUMPED_LINE, self.grid.jumped_lines[step.target.at] - self.grid.jumped_lines[at])
        self._add(g.LEFT, self.grid.left[at])
        self._add(["jump_from_new"], [float(state == "N")])

    def _add_quote(self, step: Step) -> None:
        """Adds the features of a row that quotes a line, or changes it."""
        grid, state, row = self.grid, step.source.state, step.target.row - 1
        self._add(g.PAIR, grid.pairs[row].features[step.pair])
        line = int(grid.pairs[row].lines[step.pair])
        if state == "Q":
            self._add(g.NEXT, self.facts.next_shift(row)[line + 1])
        elif state == "N":
            self._add(["next_from_new"], [1])
            if not grid.rows[row - 1].is_blank:
                self._add(g.NEXT, self.facts.captured(row - 1)[line])
        elif state == "D":
            self._add(["delete_to_quote"], [1])
        elif state == "S":
            self._add(g.ELIDED_TO, grid.elided_to[line])
        elif state == "J":
            self._add(g.LANDED, grid.landed[line])
            self._add(g.JUNCTION, self.facts.junction(row))
        elif state == "T":
            self._add(g.START[:6], grid.started[line])
        else:
            self._add(g.LANDED, grid.landed[line])
            self._add(g.BACK, self.facts.back_row(row))

    def _add_new(self, step: Step) -> None:
        """Adds the features of a row that is new."""
        grid, state, row, at = self.grid, step.source.state, step.target.row - 1, step.target.at
        self._add(g.ROW_NEW, grid.new.row(row))
        if state == "N":
            self._add(["new_more"], [1])
            return
        self._add([NEW_AFTER.get(state, "new_after_jump")], [1])
        if not grid.rows[row].is_blank:
            near = state in "QD"
            self._add(g.NEW_NEAR if near else g.NEW_FAR, grid.new.at(row)[at], 0.5 if state == "D" else 1.0)
        if state == "D":
            self._add(["delete_to_new"], [1])
        elif state == "J":
            self._add(["jump_to_new"], [1])
            self._add(g.JUNCTION, self.facts.junction(row))
        elif state == "T":
            self._add(["start_new"], [1])
            self._add(g.START[4:6], grid.started[at, 4:6])
        elif state == "B":
            self._add(g.BACK, self.facts.back_row(row))

    def _add_marker(self, step: Step) -> None:
        """Adds the features of a row that is a marker."""
        state, row = step.source.state, step.target.row - 1
        self._add(g.MARKER, self.facts.marker_row(row))
        if state != "T":
            self._add(g.MARKER, self.facts.marker_at(row)[step.target.at])
        if state in MARKER_FROM:
            self._add([MARKER_FROM[state]], [1])
        if state == "D":
            self._add(["delete_to_marker"], [1])


@dataclass(slots=True)
class PathPlan:
    """All that a path does with each row and line.

    quoted: row → (line, pair). new: position → rows in their order. deleted: lines. free_before: rows before which
    the snippet doesn't show what precedes them in the file. order: the placed rows, blank ones too.
    """

    quoted: dict[int, tuple[int, int]] = field(default_factory=dict)
    new: dict[int, list[int]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    left_out: set[int] = field(default_factory=set)
    markers: dict[int, tuple[int, int]] = field(default_factory=dict)
    free_before: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)


def plan_of(path: Path, grid: Grid) -> PathPlan | None:
    """The plan of a path; None where it uses a line of the original twice."""
    planner = _Planner(grid)
    for source, target, pair in path.steps:
        if not planner.follow(source, target, pair):
            return None
    return planner.plan


def num_opened(grid: Grid, plan: PathPlan) -> int:
    """Counts how much more is open behind what a plan makes than before."""
    lines, rows = grid.line_opens, grid.row_opens
    count = sum(rows[row] for at in plan.new.values() for row in at) - sum(lines[line] for line in plan.deleted)
    for row, (line, pair) in plan.quoted.items():
        if not grid.pairs[row].is_loose[pair]:
            count += rows[row] - lines[line]
    return int(count)


class _Planner:
    """Makes a plan step by step.

    used: the ranges of lines quoted or deleted so far. lines: these one by one, once the snippet has gone on elsewhere:
    before that no line can be used again. is_free: whether the snippet doesn't show what precedes the next row in the
    file. marker: the last marker's row.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.plan = PathPlan()
        self.used: list[range] = []
        self.lines: set[int] | None = None
        self.is_free = True
        self.marker: int | None = None

    def follow(self, source: Node, target: Node, pair: int) -> bool:
        """Adds a step to the plan; False where it uses a line that is used already."""
        state, row, at = target
        if pair == LEFT_OUT:
            self.plan.left_out.add(row - 1)
        elif state == "Q":
            return self._quote(row - 1, pair, source, at)
        elif state == "N":
            self.plan.new.setdefault(at, []).append(row - 1)
            self._place(row - 1, source)
        elif state == "D":
            self.plan.deleted.update(range(source.at, at))
            return self._use(source.at, at)
        elif state == "M":
            self.marker, self.is_free = row - 1, True
        elif state == "S":
            self._end_marker(source.at, at)
        elif state == "END":
            if source.state == "M":
                self._end_marker(source.at, self.grid.num_lines)
        else:
            self._jump(target)
        return True

    def _quote(self, row: int, pair: int, source: Node, end: int) -> bool:
        """Quotes lines up to the target; those behind the first go where the new text has them all."""
        pairs = self.grid.pairs[row]
        line = source.at if source.state != "B" else int(pairs.lines[pair])
        self.plan.quoted[row] = (line, pair)
        if end > line + 1 and not pairs.is_loose[pair]:
            self.plan.deleted.update(range(line + 1, end))
        self._place(row, source)
        return self._use(line, end)

    def _use(self, start: int, end: int) -> bool:
        """Notes that lines are quoted or deleted; False where one of them is already."""
        new = range(start, end)
        if self.lines is None:
            self.used.append(new)
        elif self.lines.isdisjoint(new):
            self.lines.update(new)
        else:
            return False
        return True

    def _end_marker(self, start: int, end: int) -> None:
        """Notes which lines the last marker stands for."""
        if self.marker is not None:
            self.plan.markers[self.marker] = (start, end)

    def _jump(self, target: Node) -> None:
        """Goes on elsewhere, past lines or back."""
        if target.state == "B" and self.lines is None:
            self.lines = {line for lines in self.used for line in lines}
        self.is_free = True

    def _place(self, row: int, source: Node) -> None:
        """Puts a row behind those placed so far."""
        self.plan.order.append(row)
        if self.is_free or source.state in _FREE:
            self.plan.free_before.add(row)
        self.is_free = False
