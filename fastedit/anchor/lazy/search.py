"""The best ways to lay a snippet on its original: one search over both, in which every doubt is a choice.

A path takes the snippet's rows one by one and moves forward in the original. After each row it is in one of these
states:

    Q  the row quoted (or changed) the line before the position        S  a marker keeps the lines up to the position
    N  the row is new, and stands at the position                      D  the lines up to the position are deleted
    M  the row is a marker                                             J  the lines up to the position are kept unasked
    T  nothing was placed yet                                          B  the search goes on anywhere, even further up

A step's score is the sum of its features (`grid`) times the weights. `Search.best` gives the best paths in their order:
each one deviates from a better one at one step and follows the best way from there to the start (Lawler 1972; what is
left of a path is always its best rest, so no path is missed).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.features import FEATURES, INDEX
from fastedit.anchor.lazy.grid import Grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NEVER = np.float32(-1e9)
POSSIBLE = -1e8
LEFT_OUT = -2
MAX_WAYS = 3  # ways into a state from one other that are told apart
_STATES = "QNMSDJT"
_LEADING = ("decl", "heading", "table", "decorator", "selector")
_MARKED = (*g.MARKED_LINE, "elided_outdents")
MARKER_FROM = {"Q": "marker_from_quote", "N": "marker_from_new", "D": "marker_from_deleted", "S": "marker_again"}
DELETE_AFTER = {"Q": "delete_after_quote", "S": "delete_after_marker", "T": "delete_at_start"}
NEW_AFTER = {"Q": "new_after_quote", "D": "new_after_deleted", "S": "new_after_marker", "T": "new_at_start"}


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


class _Link(NamedTuple):
    """The steps behind a node, up to the end of a path."""

    step: Step
    rest: _Link | None


class _Turn(NamedTuple):
    """A step that leaves a trail: into the trail's node, but not the best one.

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


@dataclass(frozen=True, slots=True)
class Known:
    """A known result, for fitting. gone: (n,) lines that it doesn't have; added: rows that it has as new lines.

    is_alone: no other snippet has a part in the result, so that what is gone goes here.
    """

    gone: NDArray[np.bool_]
    added: frozenset[int]
    price: float = 4.0
    is_alone: bool = True

    def has(self, row: int) -> bool:
        """Whether the result has the row as a new line."""
        return row in self.added

    def leaned(self, row: int, facts: _RowScores) -> _RowScores:
        """A row's scores with the price of what contradicts the result."""
        price = self.price
        if self.has(row):
            return replace(
                facts,
                note=facts.note - price if facts.note is not None and facts.marker is not None else facts.note,
                marker=facts.marker - price if facts.marker is not None else None,
            )
        return replace(facts, new=facts.new - price if facts.near is not None else facts.new)


class Search:
    """Searches one grid with one set of weights (name → weight)."""

    def __init__(self, grid: Grid, weights: dict[str, float], known: Known | None = None) -> None:
        self.grid = grid
        self.known = known
        self.weights = np.array([weights.get(name, 0.0) for name in FEATURES], np.float32)
        self._by_name: dict[str, float] = dict(zip(FEATURES, self.weights.tolist(), strict=True))
        self.n = grid.num_lines
        self.m = grid.num_rows
        self.tables: dict[str, list[Floats]] = {state: [] for state in _STATES}
        self.back: list[float] = []
        self._weights_of: dict[tuple[str, int], Floats] = {}
        self._shared: dict[object, Floats] = {}
        self._prepare()
        self._run()

    def _w(self, names: Sequence[str]) -> Floats:
        key = names[0], len(names)
        if key not in self._weights_of:
            self._weights_of[key] = self.weights[[INDEX[name] for name in names]]
        return self._weights_of[key]

    def _once(self, key: object, facts: Callable[[int], Floats], row: int) -> Floats:
        """The scores of what `facts` says of a row (see `grid.NEXT`), which rows with the same key have in common."""
        if key not in self._shared:
            self._shared[key] = facts(row) @ self._w(g.NEXT)
        return self._shared[key]

    def _step(self, row: int) -> object:
        """What `next_shift` depends on."""
        columns = self.grid.shown.columns
        if row == 0 or columns[row] < 0 or columns[row - 1] < 0:
            return row == 0
        return "step", columns[row] - columns[row - 1]

    def _one(self, name: str) -> float:
        return self._by_name[name]

    def _prepare(self) -> None:
        grid = self.grid
        self.deleted = grid.deleted_lines @ self._w(g.DELETED_LINE)
        self.jumped = grid.jumped_lines @ self._w(g.JUMPED_LINE)
        self.left = grid.left @ self._w(g.LEFT)
        self.landed = grid.landed @ self._w(g.LANDED)
        self.started = grid.started @ self._w(g.START[:6])
        self.topped = grid.started[:, 4:6] @ self._w(g.START[4:6])
        self.elided_to = grid.elided_to @ self._w(g.ELIDED_TO)
        self.ended = grid.ended @ self._w(g.ENDED)
        self.ended_quote = grid.ended[:, :5] @ self._w(g.ENDED[:5])
        self.pair_scores = [pairs.features @ self._w(g.PAIR) for pairs in grid.pairs]
        if self.known is not None:
            self._lean(self.known)
        # For each row: how many lines it stands for → (n,) the best score of its pairs that begin in each line.
        self.best_pair: list[dict[int, Floats]] = []
        for pairs, scores in zip(grid.pairs, self.pair_scores, strict=True):
            by_span: dict[int, Floats] = {}
            for span in set(pairs.spans.tolist()):
                chosen = pairs.spans == span
                best = np.full(self.n, NEVER, np.float32)
                np.maximum.at(best, pairs.lines[chosen], scores[chosen])
                by_span[span] = best
            self.best_pair.append(by_span)
        self.rows = []
        for row in range(self.m):
            grid.clock.check(self.m, self.n)
            facts = self._row_scores(row)
            self.rows.append(facts if self.known is None else self.known.leaned(row, facts))

    def _row_scores(self, row: int) -> _RowScores:
        """What a row is worth, before anything known of the result changes it."""
        grid = self.grid
        one = grid.rows[row]
        can_mark = one.odds is not None
        at = None if one.is_blank else grid.new.at(row)
        return _RowScores(
            new=float(grid.new.row(row) @ self._w(g.ROW_NEW)),
            near=None if at is None else at @ self._w(g.NEW_NEAR),
            far=None if at is None else at @ self._w(g.NEW_FAR),
            note=float(self.note_row(row) @ self._w(g.NOTE)) if can_mark or one.is_blank else None,
            marker=float(self.marker_row(row) @ self._w(g.MARKER)) if can_mark else None,
            marker_at=self.marker_at(row) @ self._w(g.MARKER) if can_mark else None,
            elided=self._elided_scores(row) if can_mark else None,
            junction=float(self.junction(row) @ self._w(g.JUNCTION)),
            back=float(self.back_row(row) @ self._w(g.BACK)),
            shift=self._once(("shift", self._step(row)), self.next_shift, row),
            captured=self._once(("captured", grid.column_of(row)), self.captured, row),
        )

    def _elided_scores(self, row: int) -> Floats:
        """(n + 1,): the summed scores of the lines up to each position, were they kept by a marker in the row."""
        elided: Floats = self.grid.elided_lines(row) @ self._w(_MARKED)
        return elided - (self.lost if self.known else 0.0)

    def _lean(self, known: Known) -> None:
        """Makes steps that contradict a known result worse, so that the paths that lead to it are found."""
        lost = _sums(known.gone) * (known.price if known.is_alone else 0.0)
        kept = _sums(~known.gone & ~self.grid.is_blank[:-1]) * known.price
        self.deleted = self.deleted - kept
        self.jumped = self.jumped - lost
        self.lost = lost
        for row, pairs in enumerate(self.grid.pairs):
            if self.grid.rows[row].is_blank:
                continue
            keys, key = self.grid.original.keys, self.grid.shown.keys[row]
            same = np.array([keys[line] == key for line in pairs.lines.tolist()], bool) & (pairs.spans == 1)
            stays = same | np.array(pairs.is_loose, bool)
            gone = known.gone[pairs.lines] if len(pairs.lines) else np.zeros(0, bool)
            wrong = np.where(stays, gone & (not known.has(row)), ~gone | (not known.has(row)))
            self.pair_scores[row] = (self.pair_scores[row] - wrong * known.price).astype(np.float32)

    # ---- facts that lie between two steps ------------------------------------------------------------------------

    def marker_row(self, row: int) -> Floats:
        """(len(MARKER),): how likely the row is a marker, from its words."""
        one = self.grid.rows[row]
        values = np.zeros(len(g.MARKER), np.float32)
        values[0] = 1
        values[1] = max(-6.0, one.role("elide"))
        values[2] = float(one.is_dots)
        if not one.is_dots:
            values[15] = float(one.role("elide") < -3)
            values[16] = self.grid.listing(row)
            values[17] = float(row > 0 and self.grid.row_parents[row] == row - 1)
        return values

    def marker_at(self, row: int) -> Floats:
        """(n + 1, len(MARKER)): how well the marker's column agrees with what stands at each position."""
        table = np.zeros((self.n + 1, len(g.MARKER)), np.float32)
        column = self.grid.column_of(row)
        if column is None:
            return table
        behind = self.grid.column_behind
        table[:, 8] = self.grid.block_ends
        table[:, 9] = (column < behind) & ~self.grid.block_ends
        table[:, 10] = column > behind
        table[:, 11] = column == behind
        table[:, 12] = self.grid.opens_before & (behind > self.grid.column_before)
        return table

    def note_row(self, row: int) -> Floats:
        """(len(NOTE),): how likely the row is only a note to the reader, or a blank line beside one."""
        one = self.grid.rows[row]
        values = np.zeros(len(g.NOTE), np.float32)
        if one.is_blank:
            rows = self.grid.rows
            beside = [rows[other] for other in (row - 1, row + 1) if 0 <= other < self.m]
            is_beside = any(other.odds is not None and other.role("code") < -0.7 for other in beside)
            values[3 if is_beside else 2] = 1
            return values
        odds = [one.role(name) for name in ("where", "new", "gone")]
        values[0] = 1
        values[1] = max(-6.0, float(np.logaddexp.reduce(odds)))
        values[5] = float(one.role("gone") > -0.7)
        values[6] = max(-6.0, one.role("code"))
        values[7] = self.grid.listing(row)
        return values

    def junction(self, row: int) -> Floats:
        """(len(JUNCTION),): what the snippet shows where lines may be jumped over before the row."""
        values = np.zeros(len(g.JUNCTION), np.float32)
        values[0] = 1
        columns = self.grid.shown.columns
        before = next((other for other in range(row - 1, -1, -1) if columns[other] >= 0), None)
        if (row < self.m and columns[row] < 0) or (before is not None and before < row - 1):
            values[3] = 1
        if before is not None and columns[row] >= 0:
            values[4] = float(columns[row] < columns[before])
            values[5] = float(columns[row] > columns[before])
        identity = self.grid.leading_identity(row)
        values[6] = float(identity is not None and identity.kind in _LEADING)
        values[8] = float(not self.grid.has_markers)
        return values

    def back_row(self, row: int) -> Floats:
        """(len(BACK),): how likely the snippet goes on elsewhere before the row."""
        values = np.zeros(len(g.BACK), np.float32)
        values[0] = 1
        identity = self.grid.leading_identity(row)
        values[1] = float(identity is not None and identity.kind in (*_LEADING, "import"))
        values[2] = float(row > 0 and self.grid.rows[row - 1].role("code") < -0.7)
        return values

    def next_shift(self, row: int) -> Floats:
        """(n + 1, len(NEXT)): whether a row that quotes the line before a position keeps its distance from the last."""
        table = np.zeros((self.n + 1, len(g.NEXT)), np.float32)
        if row == 0:
            return table
        columns = np.array(self.grid.original.columns, np.int32)
        mine, before = self.grid.shown.columns[row], self.grid.shown.columns[row - 1]
        if mine < 0 or before < 0:
            table[:, 2] = 1
            return table
        if self.n > 1:
            same = (columns[1:] - columns[:-1] == mine - before) & (columns[:-1] >= 0)
            table[2:, 0], table[2:, 1] = same, ~same & (columns[:-1] >= 0)
        return table

    def captured(self, row: int) -> Floats:
        """(n + 1, len(NEXT)): whether the line behind a position would fall into a block that the row opens."""
        table = np.zeros((self.n + 1, len(g.NEXT)), np.float32)
        column = self.grid.column_of(row)
        if column is not None:
            table[:, 5] = self.grid.column_behind > column
        return table

    # ---- the search ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        n = self.n
        empty = np.full(n + 1, NEVER, np.float32)
        zero = np.zeros(n + 1, np.float32)
        for state in _STATES:
            self.tables[state].append(zero if state == "T" else empty)
        self.elided = [zero]
        self.back.append(float(NEVER))
        for row in range(self.m):
            now = {state: np.full(n + 1, NEVER, np.float32) for state in _STATES}
            facts = self.rows[row]
            last = {state: self.tables[state][row] for state in _STATES}
            if self.best_pair[row]:
                best = np.maximum.reduce(list(self._into_quote(row, last, self.back[row]).values()))
            for span, worth in self.best_pair[row].items():
                now["Q"][span:] = np.maximum(now["Q"][span:], (best + worth)[: n + 1 - span])
            now["N"] = np.maximum.reduce(list(self._into_new(row, last, self.back[row]).values()))
            if facts.marker is not None:
                now["M"] = np.maximum.reduce(list(self._into_marker(row, last).values()))
            if facts.note is not None:
                for state in "QNMT":
                    now[state] = np.maximum(now[state], last[state] + np.float32(facts.note))
            elided = facts.elided if facts.elided is not None and self._is_marker_like(row) else self.elided[row]
            self.elided.append(elided)
            self._close(now, elided)
            for state in _STATES:
                self.tables[state].append(now[state])
            best_end = max(float(now[state].max()) for state in "QNS")
            self.back.append(best_end)

    def _is_marker_like(self, row: int) -> bool:
        return self.grid.rows[row].role("elide") > -4

    def _close(self, now: dict[str, Floats], elided: Floats) -> None:
        """Fills in S, D and J behind a row from Q, N and M."""
        n = self.n
        marked = now["M"] - elided
        kept = np.full(n + 1, NEVER, np.float32)
        if n:
            kept[1:] = np.maximum.accumulate(marked)[:-1]
        now["S"] = np.maximum(kept, marked + np.float32(self._one("marker_empty"))) + elided
        gone = np.maximum.reduce([
            now["Q"] + np.float32(self._one("delete_after_quote")),
            now["S"] + np.float32(self._one("delete_after_marker")),
            now["T"] + (self.topped + np.float32(self._one("delete_at_start"))),
        ]) - self.deleted  # fmt: skip
        now["D"] = np.full(n + 1, NEVER, np.float32)
        now["J"] = np.full(n + 1, NEVER, np.float32)
        if n:
            now["D"][1:] = np.maximum.accumulate(gone)[:-1] + self.deleted[1:]
            left = np.maximum(now["Q"], now["N"] + np.float32(self._one("jump_from_new"))) + self.left - self.jumped
            now["J"][1:] = np.maximum.accumulate(left)[:-1] + self.jumped[1:]

    def _into_quote(self, row: int, last: dict[str, Floats], back: float) -> dict[str, Floats]:
        """For each state before, the scores (n,) of the best paths that quote line p - 1 next, for p in 1..n."""
        facts = self.rows[row]
        junction = np.float32(facts.junction)
        before = self.rows[row - 1] if row else None
        captured = before.captured[:-1] if before is not None else np.float32(0)
        return {
            "Q": last["Q"][:-1] + facts.shift[1:],
            "N": last["N"][:-1] + np.float32(self._one("next_from_new")) + captured,
            "D": last["D"][:-1] + np.float32(self._one("delete_to_quote")),
            "S": last["S"][:-1] + self.elided_to[:-1],
            "J": last["J"][:-1] + self.landed[:-1] + junction,
            "T": last["T"][:-1] + self.started[:-1],
            "B": self.landed[:-1] + np.float32(back + facts.back),
        }

    def _into_new(self, row: int, last: dict[str, Floats], back: float) -> dict[str, Floats]:
        """For each state before, the scores (n + 1,) of the best paths in which the row is new at position p."""
        facts = self.rows[row]
        new = np.float32(facts.new)
        one = self._one
        near = facts.near if facts.near is not None else np.float32(0)
        far = facts.far if facts.far is not None else np.float32(0)
        deleted = new + np.float32(one("new_after_deleted") + one("delete_to_new"))
        return {
            "Q": last["Q"] + (near + (new + np.float32(one("new_after_quote")))),
            "N": last["N"] + (new + np.float32(one("new_more"))),
            "D": last["D"] + (near * np.float32(0.5) + deleted),
            "S": last["S"] + (far + (new + np.float32(one("new_after_marker")))),
            "J": last["J"] + (far + (new + np.float32(one("new_after_jump") + one("jump_to_new") + facts.junction))),
            "T": last["T"] + (far + self.topped + (new + np.float32(one("new_at_start") + one("start_new")))),
            "B": np.zeros(self.n + 1, np.float32) + far + (new + np.float32(back + facts.back + one("new_after_jump"))),
        }

    def _into_marker(self, row: int, last: dict[str, Floats]) -> dict[str, Floats]:
        """For each state before, the scores (n + 1,) of the best paths in which the row is a marker at position p."""
        facts = self.rows[row]
        assert facts.marker is not None
        assert facts.marker_at is not None
        base = facts.marker_at + np.float32(facts.marker)
        first = np.full(self.n + 1, NEVER, np.float32)
        first[0] = last["T"][0]
        return {
            "Q": last["Q"] + (base + np.float32(self._one("marker_from_quote"))),
            "N": last["N"] + (base + np.float32(self._one("marker_from_new"))),
            "D": last["D"] + (base + np.float32(self._one("marker_from_deleted") + self._one("delete_to_marker"))),
            "S": last["S"] + (base + np.float32(self._one("marker_again"))),
            "T": first + np.float32(facts.marker),
        }

    def _into_end(self) -> dict[str, Floats]:
        last = {state: self.tables[state][self.m] for state in _STATES}
        return {
            "Q": last["Q"] + (self.ended_quote + np.float32(self._one("end_quote"))),
            "N": last["N"] + (self.ended + np.float32(self._one("end_new"))),
            "D": last["D"] + np.float32(self._one("end_deleted") + self._one("delete_to_end")),
            "M": last["M"],
        }

    # ---- the paths -----------------------------------------------------------------------------------------------

    def best(self, count: int, *, beam: float = 10.0) -> Iterator[Path]:
        """The best paths in their order, at most `count`, none worse than the best by more than `beam`."""
        heap = self._ends()
        if not heap:
            return
        worst = -heap[0].cost - beam
        serials = itertools.count(len(heap))
        known: dict[Node, _Trail] = {}
        for _ in range(count):
            if not heap or -heap[0].cost < worst:
                return
            self.grid.clock.check(self.m, self.n)
            branch = heapq.heappop(heap)
            trail, link = branch.trail, branch.link
            if trail is None:
                trail = self._trail(branch.node, known, count, beam)
            else:  # the path leaves the trail of a better one
                cost, turn = branch.start, trail.turns[branch.turn]
                self._push(heap, serials, worst, _Branch(cost, 0, branch.node, link, trail, cost, branch.turn + 1))
                link = _Link(turn.step, _linked(trail, turn.trail, link))
                trail = self._trail(turn.step.source, known, count, beam)
            self._push(heap, serials, worst, _Branch(branch.cost, 0, trail.node, link, trail, branch.cost, 0))
            steps = _steps_of(trail, link)
            if steps is not None:
                yield Path(steps, -branch.cost)

    @staticmethod
    def _push(heap: list[_Branch], serials: Iterator[int], worst: float, branch: _Branch) -> None:
        """Adds a branch that leaves its trail at a turn, where there is one that isn't too bad."""
        if branch.trail is not None and branch.turn < len(branch.trail.turns):
            cost = branch.start + branch.trail.turns[branch.turn].loss
            if -cost >= worst:
                heapq.heappush(heap, branch._replace(cost=cost, serial=next(serials)))

    def _ends(self) -> list[_Branch]:
        """The last steps of paths, as a heap."""
        heap: list[_Branch] = []
        for state, scores in self._into_end().items():
            for at in _top(scores, MAX_WAYS):
                score = float(scores[at])
                if score > POSSIBLE:
                    step = Step(Node(state, self.m, at), Node("END", self.m, 0))
                    heap.append(_Branch(-score, len(heap), step.source, _Link(step, None), None, -score, 0))
        heapq.heapify(heap)
        return heap

    def _trail(self, node: Node, known: dict[Node, _Trail], count: int, beam: float) -> _Trail:
        """The best way from the start to a node, with the `count` best turns off it.

        known: trails made so far; takes those made on the way.
        """
        behind: list[tuple[Node, list[tuple[float, Step]]]] = []
        before: _Trail | None = None
        while not (node.state == "T" and node.row == 0):
            before = known.get(node)
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
            turns = [_Turn(best - score, other, trail) for score, other in ways[1:] if best - score <= beam]
            if turns:
                trail.turns = tuple(sorted((*turns, *rest), key=_loss)[:count])
            known[at] = before = trail
        assert before is not None
        return before

    def _ways_into(self, node: Node) -> list[tuple[float, Step]]:
        """The steps into a node with the scores of the best paths that take them, best first."""
        state, row, at = node
        if state in "SDJ":
            return self._ways_along(node)
        if state == "B":
            return self._ways_back(node)
        if row == 0:
            return []
        last = {other: self.tables[other][row - 1] for other in _STATES}
        facts = self.rows[row - 1]
        ways: list[tuple[float, Step]] = []
        if state == "Q":
            ways = self._ways_quoting(node, last)
        elif state == "N":
            for other, score in self._into_new_at(row - 1, last, at).items():
                ways.append((score, Step(Node(other, row - 1, at if other != "B" else 0), node)))
        elif state == "M" and facts.marker is not None:
            for other, score in self._into_marker_at(row - 1, last, at).items():
                ways.append((score, Step(Node(other, row - 1, at), node)))
        if facts.note is not None:
            ways.append((float(last[state][at]) + facts.note, Step(Node(state, row - 1, at), node, LEFT_OUT)))
        return _sorted(ways)

    def _ways_quoting(self, node: Node, last: dict[str, Floats]) -> list[tuple[float, Step]]:
        """The steps that quote the lines before a position, by each of the row's pairs that end there."""
        ways: list[tuple[float, Step]] = []
        row = node.row - 1
        pairs = self.grid.pairs[row]
        for pair in np.nonzero(pairs.lines + pairs.spans == node.at)[0].tolist():
            worth = float(self.pair_scores[row][pair])
            line = int(pairs.lines[pair])
            for other, score in self._into_quote_at(row, last, line).items():
                if score > POSSIBLE:
                    ways.append((score + worth, Step(Node(other, row, line if other != "B" else 0), node, pair)))
        return ways

    def _ways_back(self, node: Node) -> list[tuple[float, Step]]:
        """The steps after which the search goes on anywhere."""
        ways: list[tuple[float, Step]] = []
        for other in "QNS":
            scores = self.tables[other][node.row]
            for place in _top(scores, 2):
                ways.append((float(scores[place]), Step(Node(other, node.row, place), node)))
        return _sorted(ways)

    # The same sums as in `_into_...`, for one position.
    def _into_quote_at(self, row: int, last: dict[str, Floats], p: int) -> dict[str, float]:
        facts = self.rows[row]
        before = self.rows[row - 1] if row else None
        captured = before.captured[p] if before is not None else 0.0
        values = {
            "Q": last["Q"][p] + facts.shift[p + 1],
            "N": last["N"][p] + self._one("next_from_new") + captured,
            "D": last["D"][p] + self._one("delete_to_quote"),
            "S": last["S"][p] + self.elided_to[p],
            "J": last["J"][p] + self.landed[p] + facts.junction,
            "T": last["T"][p] + self.started[p],
            "B": self.landed[p] + self.back[row] + facts.back,
        }
        return {state: float(value) for state, value in values.items()}

    def _into_new_at(self, row: int, last: dict[str, Floats], at: int) -> dict[str, float]:
        facts = self.rows[row]
        new = facts.new
        near = float(facts.near[at]) if facts.near is not None else 0.0
        far = float(facts.far[at]) if facts.far is not None else 0.0
        one = self._one
        values = {
            "Q": last["Q"][at] + near + new + one("new_after_quote"),
            "N": last["N"][at] + new + one("new_more"),
            "D": last["D"][at] + near * 0.5 + new + one("new_after_deleted") + one("delete_to_new"),
            "S": last["S"][at] + far + new + one("new_after_marker"),
            "J": last["J"][at] + far + new + one("new_after_jump") + one("jump_to_new") + facts.junction,
            "T": last["T"][at] + far + float(self.topped[at]) + new + one("new_at_start") + one("start_new"),
            "B": far + new + self.back[row] + facts.back + one("new_after_jump"),
        }
        return {state: float(value) for state, value in values.items()}

    def _into_marker_at(self, row: int, last: dict[str, Floats], at: int) -> dict[str, float]:
        facts = self.rows[row]
        assert facts.marker is not None
        assert facts.marker_at is not None
        base = float(facts.marker_at[at]) + facts.marker
        one = self._one
        values = {
            "Q": last["Q"][at] + base + one("marker_from_quote"),
            "N": last["N"][at] + base + one("marker_from_new"),
            "D": last["D"][at] + base + one("marker_from_deleted") + one("delete_to_marker"),
            "S": last["S"][at] + base + one("marker_again"),
            "T": (last["T"][at] if at == 0 else NEVER) + facts.marker,
        }
        return {state: float(value) for state, value in values.items()}

    def _ways_along(self, node: Node) -> list[tuple[float, Step]]:
        """The steps into a run of lines that end at a position: where the run may begin."""
        state, row, at = node
        now = {other: self.tables[other][row] for other in _STATES}
        ways: list[tuple[float, Step]] = []

        def add(scores: Floats, source: str, worth: float) -> None:
            for place in _top(scores, MAX_WAYS):
                total = float(scores[place]) + worth
                if total > POSSIBLE:
                    ways.append((total, Step(Node(source, row, place), node)))

        if state == "S":
            elided = self.elided[row]
            scores = now["M"][: at + 1] - elided[: at + 1]
            scores[at] += self._one("marker_empty")
            add(scores, "M", float(elided[at]))
        elif state == "D":
            for source, name in DELETE_AFTER.items():
                top = self.topped[:at] if source == "T" else np.float32(0)
                opened = now[source][:at] + (top + np.float32(self._one(name)))
                add(opened - self.deleted[:at], source, float(self.deleted[at]))
        else:
            left = self.left[:at] - self.jumped[:at]
            add(now["Q"][:at] + left, "Q", float(self.jumped[at]))
            add(now["N"][:at] + left + np.float32(self._one("jump_from_new")), "N", float(self.jumped[at]))
        return sorted(ways, key=lambda way: -way[0])

    # ---- what a path is made of ----------------------------------------------------------------------------------

    def features(self, path: Path) -> Floats:
        """(len(FEATURES),): the sums of the features of a path's steps; times the weights they are its score."""
        tally = _Tally()
        for step in path.steps:
            self._count(step, tally)
        return tally.total.astype(np.float32)

    def _count(self, step: Step, tally: _Tally) -> None:
        """Adds the features of a step."""
        target = step.target.state
        if target == "END":
            self._count_end(step, tally)
        elif target == "S":
            self._count_elided(step, tally)
        elif target == "D":
            self._count_deleted(step, tally)
        elif target == "J":
            self._count_jumped(step, tally)
        elif step.pair == LEFT_OUT:
            tally.add(g.NOTE, self.note_row(step.target.row - 1))
        elif target == "Q":
            self._count_quote(step, tally)
        elif target == "N":
            self._count_new(step, tally)
        elif target == "M":
            self._count_marker(step, tally)

    def _count_end(self, step: Step, tally: _Tally) -> None:
        """Adds the features of the end of a path."""
        state, _, at = step.source
        if state == "Q":
            tally.add(g.ENDED[:5], self.grid.ended[at, :5])
            tally.add(["end_quote"], [1])
        elif state == "N":
            tally.add(g.ENDED, self.grid.ended[at])
            tally.add(["end_new"], [1])
        elif state == "D":
            tally.add(["end_deleted", "delete_to_end"], [1, 1])

    def _count_elided(self, step: Step, tally: _Tally) -> None:
        """Adds the features of lines that a marker keeps."""
        start, (_, row, end) = step.source.at, step.target
        markers = (r for r in range(row) if self._is_marker_like(r) and self.rows[r].elided is not None)
        marker = max(markers, default=None)
        if marker is not None:
            table = self.grid.elided_lines(marker)
            tally.add(_MARKED, table[end] - table[start])
        tally.add(["marker_empty"], [float(start == end)])

    def _count_deleted(self, step: Step, tally: _Tally) -> None:
        """Adds the features of lines that are deleted."""
        state, _, at = step.source
        tally.add(g.DELETED_LINE, self.grid.deleted_lines[step.target.at] - self.grid.deleted_lines[at])
        tally.add([DELETE_AFTER[state]], [1])
        if state == "T":
            tally.add(g.START[4:6], self.grid.started[at, 4:6])

    def _count_jumped(self, step: Step, tally: _Tally) -> None:
        """Adds the features of lines that are kept unasked."""
        state, _, at = step.source
        tally.add(g.JUMPED_LINE, self.grid.jumped_lines[step.target.at] - self.grid.jumped_lines[at])
        tally.add(g.LEFT, self.grid.left[at])
        tally.add(["jump_from_new"], [float(state == "N")])

    def _count_quote(self, step: Step, tally: _Tally) -> None:
        """Adds the features of a row that quotes a line, or changes it."""
        grid, state, row = self.grid, step.source.state, step.target.row - 1
        tally.add(g.PAIR, grid.pairs[row].features[step.pair])
        line = int(grid.pairs[row].lines[step.pair])
        if state == "Q":
            tally.add(g.NEXT, self.next_shift(row)[line + 1])
        elif state == "N":
            tally.add(["next_from_new"], [1])
            if not grid.rows[row - 1].is_blank:
                tally.add(g.NEXT, self.captured(row - 1)[line])
        elif state == "D":
            tally.add(["delete_to_quote"], [1])
        elif state == "S":
            tally.add(g.ELIDED_TO, grid.elided_to[line])
        elif state == "J":
            tally.add(g.LANDED, grid.landed[line])
            tally.add(g.JUNCTION, self.junction(row))
        elif state == "T":
            tally.add(g.START[:6], grid.started[line])
        else:
            tally.add(g.LANDED, grid.landed[line])
            tally.add(g.BACK, self.back_row(row))

    def _count_new(self, step: Step, tally: _Tally) -> None:
        """Adds the features of a row that is new."""
        grid, state, row, at = self.grid, step.source.state, step.target.row - 1, step.target.at
        tally.add(g.ROW_NEW, grid.new.row(row))
        if state == "N":
            tally.add(["new_more"], [1])
            return
        tally.add([NEW_AFTER.get(state, "new_after_jump")], [1])
        if not grid.rows[row].is_blank:
            near = state in "QD"
            tally.add(g.NEW_NEAR if near else g.NEW_FAR, grid.new.at(row)[at], 0.5 if state == "D" else 1.0)
        if state == "D":
            tally.add(["delete_to_new"], [1])
        elif state == "J":
            tally.add(["jump_to_new"], [1])
            tally.add(g.JUNCTION, self.junction(row))
        elif state == "T":
            tally.add(["start_new"], [1])
            tally.add(g.START[4:6], grid.started[at, 4:6])
        elif state == "B":
            tally.add(g.BACK, self.back_row(row))

    def _count_marker(self, step: Step, tally: _Tally) -> None:
        """Adds the features of a row that is a marker."""
        state, row = step.source.state, step.target.row - 1
        tally.add(g.MARKER, self.marker_row(row))
        if state != "T":
            tally.add(g.MARKER, self.marker_at(row)[step.target.at])
        if state in MARKER_FROM:
            tally.add([MARKER_FROM[state]], [1])
        if state == "D":
            tally.add(["delete_to_marker"], [1])


class _Tally:
    """Sums of features. total: (len(FEATURES),)."""

    def __init__(self) -> None:
        self.total = np.zeros(len(FEATURES), np.float64)

    def add(self, names: Sequence[str], values: Sequence[float] | Floats, factor: float = 1.0) -> None:
        """Adds the values of some features."""
        for name, value in zip(names, values, strict=True):
            self.total[INDEX[name]] += value * factor


@dataclass(frozen=True, slots=True)
class _RowScores:
    """What a row is worth in each part; see the names in `grid`."""

    new: float
    near: Floats | None
    far: Floats | None
    note: float | None
    marker: float | None
    marker_at: Floats | None
    elided: Floats | None
    junction: float
    back: float
    shift: Floats
    captured: Floats


def _sums(flags: NDArray[np.bool_]) -> Floats:
    """(n + 1,): how many of the first lines are flagged, for each number of lines."""
    return np.concatenate([[0.0], np.cumsum(flags)]).astype(np.float32)


def _sorted(ways: Sequence[tuple[float, Step]]) -> list[tuple[float, Step]]:
    """The ways that are possible, best first."""
    return sorted((way for way in ways if way[0] > POSSIBLE), key=lambda way: -way[0])


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


def _top(scores: Floats, count: int) -> list[int]:
    """The indices of the highest scores, best first."""
    if len(scores) <= count:
        return sorted(range(len(scores)), key=lambda at: -scores[at])
    best = np.argpartition(scores, -count)[-count:]
    return sorted(best.tolist(), key=lambda at: -scores[at])
