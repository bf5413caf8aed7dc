"""Searches for the best ways to lay a snippet on its original: one search over both, in which every doubt is a choice.

A path takes the snippet's rows one by one and moves forward in the original. After each row it is in one of these
states:

    Q  the row quoted (or changed) the line before the position        S  a marker keeps the lines up to the position
    N  the row is new, and stands at the position                      D  the lines up to the position are deleted
    M  the row is a marker                                             J  the lines up to the position are kept unasked
    T  nothing was placed yet                                          B  the search goes on anywhere, even further up

A step's score is the sum of its features (see `features`) times the weights. The chart has the score of the best way to
each state; the search goes back through it, step by step, for the best paths.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import features as g
from fastedit.anchor.lazy.features import FEATURES, INDEX
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.guide import FATE_LEFT_OUT, FATE_NEW, FATE_STAYS, SearchGuide
from fastedit.anchor.lazy.search.paths import DELETE_AFTER, LEFT_OUT, MARKED, Node, Path, Paths, Step, Tally, Way
from fastedit.anchor.lazy.search.steps import StepFacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NEVER = np.float32(-1e9)
STATES = "QNMSDJT"
POSSIBLE = -1e8
# Of a search that keeps what isn't shown: what goes up to the next quoted row counts as so many lines more; a jump is
# worth so much more.
BARE_LINES, JUMPING = 8, 3
GUIDED = 0.5  # what the forecast's logarithms count beside a step's score, where it guides a search
MAX_NAMED = 3  # places named for a snippet all of which is tried as new there
MAX_WAYS = 6  # ways into a state from one other that are told apart


@dataclass(frozen=True, slots=True)
class RowScores:
    """The scores of a row in each part; see the names in `grid`."""

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

    def leaned(self, row: int, facts: RowScores) -> RowScores:
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
    """Searches one grid with one set of weights (name → weight).

    unquoted: rows that stand for no line of the original. tilt: what each bracket is worth that a step opens, so that
    results are found in which both ends of a pair are. stays: what each line costs that goes, so that results are found
    in which what the snippet doesn't show stays; up to the next row that is quoted, `BARE_LINES` more. guide: a
    forecast for these rows and lines, so that results are found which it speaks for. may_begin_deleting: whether
    lines may go above the first row.
    """

    def __init__(
        self,
        grid: Grid,
        weights: dict[str, float],
        known: Known | None = None,
        unquoted: Collection[int] = (),
        tilt: float = 0.0,
        stays: float = 0.0,
        guide: SearchGuide | None = None,
        may_begin_deleting: bool = False,
    ) -> None:
        self.grid = grid
        self.may_begin_deleting = may_begin_deleting
        self.unquoted = unquoted
        self.tilt = tilt
        self.stays = stays
        self.guide = guide
        self.facts = StepFacts(grid)
        self.known = known
        self.weights = np.array([weights.get(name, 0.0) for name in FEATURES], np.float32)
        self._by_name: dict[str, float] = dict(zip(FEATURES, self.weights.tolist(), strict=True))
        self._by_name["delete_to_quote"] -= BARE_LINES * stays
        self.n = grid.num_lines
        self.m = grid.num_rows
        self.tables: dict[str, list[Floats]] = {state: [] for state in STATES}
        self.back: list[float] = []
        self._weights_of: dict[tuple[str, int], Floats] = {}
        self._shared: dict[object, Floats] = {}
        self._prepare()
        self._run()

    def best(self, count: int, *, beam: float = 10.0) -> Iterator[Path]:
        """The best paths in their order, at most `count`, none worse than the best by more than `beam`."""
        for path in Paths(self._ways_into, count, beam).best(self._ends()):
            self.grid.clock.check(self.m, self.n)
            if path is not None:
                yield path

    def apart(self, beside: Sequence[int] = ()) -> Iterator[Path]:
        """The paths on which all rows are new in one place, for the best of those that the words name, and may mean.

        Where the original has lines like them the best paths change those: there are many ways to do so. beside: other
        places to look at.
        """
        told = self.grid.told
        placed = (row for row, facts in enumerate(self.rows) if facts.far is not None and not self._is_note(row))
        first = next(placed, None)
        if first is None or (told.at is None and told.near is None and not beside):
            return
        far = self.rows[first].far
        assert far is not None
        worth = far + self.topped + self.ended
        named = np.zeros(self.n + 1, bool) if told.at is None else told.at
        meant = np.zeros(self.n + 1, bool) if told.near is None else (told.near >= told.near.max()) & ~named
        masks = [*_stretches(named), meant]
        places = [int(np.where(mask, worth, NEVER).argmax()) for mask in masks if mask.any()]
        places = sorted(places, key=lambda at: -float(worth[at]))[:MAX_NAMED]
        if told.at is not None:  # above and below blank lines
            places += [at for at in np.flatnonzero(told.at).tolist() if at in {places[0] - 1, places[0] + 1}]
        for at in dict.fromkeys([*places, *beside]):
            path = self._apart_at(at)
            yield Path(path.steps, float(self.features(path) @ self.weights))

    def _apart_at(self, at: int) -> Path:
        steps, state = [], "T"
        for row in range(self.m):
            source = Node(state, row, at)
            if self._is_note(row):
                steps.append(Step(source, Node(state, row + 1, at), LEFT_OUT))
            else:
                state = "N"
                steps.append(Step(source, Node(state, row + 1, at)))
        return Path((*steps, Step(Node(state, self.m, at), Node("END", self.m, 0))), 0.0)

    def _is_note(self, row: int) -> bool:
        """Whether a row is rather left out than new."""
        facts = self.rows[row]
        return facts.note is not None and facts.note > facts.new

    def features(self, path: Path) -> Floats:
        """(len(FEATURES),): the sums of the features of a path's steps; times the weights they are its score."""
        tally = Tally(self.grid, self.facts)
        tally.add(path)
        return tally.total.astype(np.float32)

    # ---- the chart --------------------------------------------------------------------------------------------------

    def _w(self, names: Sequence[str]) -> Floats:
        key = names[0], len(names)
        if key not in self._weights_of:
            self._weights_of[key] = self.weights[[INDEX[name] for name in names]]
        return self._weights_of[key]

    def _once(self, key: object, facts: Callable[[int], Floats], row: int) -> Floats:
        """The scores of what `facts` says of a row (see `grid.NEXT`), made once for all rows with the same key."""
        if key not in self._shared:
            self._shared[key] = facts(row) @ self._w(g.NEXT)
        return self._shared[key]

    def _step(self, row: int) -> object:
        """A key for `next_shift`, which says the same of all rows with the same one."""
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
        if self.tilt:
            self._tilt()
        if self.stays:
            self.deleted = self.deleted - self.stays * _sums(~self.grid.is_blank[:-1])
        if self.guide is not None:
            self._guide_by(self.guide)
        for row in self.unquoted:
            self.pair_scores[row] = np.full_like(self.pair_scores[row], NEVER)
        self.best_pair = [self._best_of(row) for row in range(self.m)]
        self.rows = []
        for row in range(self.m):
            grid.clock.check(self.m, self.n)
            facts = self._row_scores(row)
            if self.tilt:
                facts = replace(facts, new=facts.new + self.tilt * float(grid.row_opens[row]))
            if self.stays:
                facts = replace(facts, junction=facts.junction + JUMPING)
            if self.guide is not None:
                facts = self._guided(row, facts, self.guide)
            self.rows.append(facts if self.known is None else self.known.leaned(row, facts))

    def _best_of(self, row: int) -> dict[int, Floats]:
        """For each number of lines that a row may stand for, (n,) the best scores of its pairs by their first line."""
        pairs, scores = self.grid.pairs[row], self.pair_scores[row]
        by_span: dict[int, Floats] = {}
        for span in set(pairs.spans.tolist()):
            chosen = pairs.spans == span
            best = np.full(self.n, NEVER, np.float32)
            np.maximum.at(best, pairs.lines[chosen], scores[chosen])
            by_span[span] = best
        return by_span

    def _row_scores(self, row: int) -> RowScores:
        """The scores of a row, before anything known of the result changes them."""
        grid = self.grid
        one = grid.rows[row]
        can_mark = one.odds is not None
        at = None if one.is_blank else grid.new.at(row)
        return RowScores(
            new=float(grid.new.row(row) @ self._w(g.ROW_NEW)),
            near=None if at is None else at @ self._w(g.NEW_NEAR),
            far=None if at is None else at @ self._w(g.NEW_FAR),
            note=float(self.facts.note_row(row) @ self._w(g.NOTE)) if can_mark or one.is_blank else None,
            marker=float(self.facts.marker_row(row) @ self._w(g.MARKER)) if can_mark else None,
            marker_at=self.facts.marker_at(row) @ self._w(g.MARKER) if can_mark else None,
            elided=self._elided_scores(row) if can_mark else None,
            junction=float(self.facts.junction(row) @ self._w(g.JUNCTION)),
            back=float(self.facts.back_row(row) @ self._w(g.BACK)),
            shift=self._once(("shift", self._step(row)), self.facts.next_shift, row),
            captured=self._once(("captured", grid.column_of(row)), self.facts.captured, row),
        )

    def _elided_scores(self, row: int) -> Floats:
        """(n + 1,): the summed scores of the lines up to each position, were they kept by a marker in the row."""
        elided: Floats = self.grid.elided_lines(row) @ self._w(MARKED)
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
            # What is written anew may be equal to a line that goes; one that is quoted loosely has to stay.
            wrong = np.where(stays, gone & (~same | (not known.has(row))), ~gone | (not known.has(row)))
            self.pair_scores[row] = (self.pair_scores[row] - wrong * known.price).astype(np.float32)

    def _guide_by(self, told: SearchGuide) -> None:
        """Makes steps better as far as a forecast speaks for the lines that go in them, and for what rows stand for."""
        gone = np.concatenate([[0.0], np.cumsum(np.where(self.grid.is_blank[:-1], 0, told.gone))]).astype(np.float32)
        self.deleted = self.deleted + GUIDED * gone
        for row, pairs in enumerate(self.grid.pairs):
            if self.grid.rows[row].is_blank or not len(pairs.lines):
                continue
            fates = told.fates[row]
            changed = gone[pairs.lines + pairs.spans] - gone[pairs.lines] + told.places[row, pairs.lines]
            gain = np.where(pairs.stays, fates[FATE_STAYS], changed + fates[FATE_NEW])
            self.pair_scores[row] = (self.pair_scores[row] + GUIDED * gain).astype(np.float32)

    def _guided(self, row: int, facts: RowScores, told: SearchGuide) -> RowScores:
        """A row's scores as far as a forecast speaks for what becomes of it."""
        if self.grid.rows[row].is_blank:
            return facts
        fates, placed = told.fates[row], GUIDED * (told.places[row] + told.begins)
        left_out = GUIDED * float(fates[FATE_LEFT_OUT])
        return replace(
            facts,
            new=facts.new + GUIDED * float(fates[FATE_NEW]),
            near=None if facts.near is None else facts.near + placed,
            far=None if facts.far is None else facts.far + placed,
            note=None if facts.note is None else facts.note + left_out,
            marker=None if facts.marker is None else facts.marker + left_out,
        )

    def _tilt(self) -> None:
        """Makes the steps better whose lines open more brackets than those in whose place they come."""
        opened = np.concatenate([[0.0], np.cumsum(self.grid.line_opens)]).astype(np.float32)
        self.deleted = self.deleted - self.tilt * opened
        for row, pairs in enumerate(self.grid.pairs):
            more = self.grid.row_opens[row] - (opened[pairs.lines + pairs.spans] - opened[pairs.lines])
            changes = ~np.array(pairs.is_loose, bool)
            self.pair_scores[row] = (self.pair_scores[row] + self.tilt * more * changes).astype(np.float32)

    def _run(self) -> None:
        n = self.n
        empty = np.full(n + 1, NEVER, np.float32)
        zero = np.zeros(n + 1, np.float32)
        for state in STATES:
            self.tables[state].append(zero if state == "T" else empty)
        self.elided = [zero]
        if self.may_begin_deleting:
            first = {state: self.tables[state][0] for state in STATES}
            self._close(first, zero)
            self.tables["D"][0] = first["D"]
        self.back.append(float(NEVER))
        for row in range(self.m):
            now = {state: np.full(n + 1, NEVER, np.float32) for state in STATES}
            facts = self.rows[row]
            last = {state: self.tables[state][row] for state in STATES}
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
            elided = facts.elided if facts.elided is not None and self.facts.is_marker_like(row) else self.elided[row]
            self.elided.append(elided)
            self._close(now, elided)
            for state in STATES:
                self.tables[state].append(now[state])
            best_end = max(float(now[state].max()) for state in "QNS")
            self.back.append(best_end)

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
        last = {state: self.tables[state][self.m] for state in STATES}
        return {
            "Q": last["Q"] + (self.ended_quote + np.float32(self._one("end_quote"))),
            "N": last["N"] + (self.ended + np.float32(self._one("end_new"))),
            "D": last["D"] + np.float32(self._one("end_deleted") + self._one("delete_to_end")),
            "M": last["M"],
        }

    # ---- back through it --------------------------------------------------------------------------------------------

    def _ends(self) -> list[Way]:
        """The last steps of paths."""
        ends: list[Way] = []
        for state, scores in self._into_end().items():
            for at in _top(scores, MAX_WAYS):
                if scores[at] > POSSIBLE:
                    ends.append((float(scores[at]), Step(Node(state, self.m, at), Node("END", self.m, 0))))
        return ends

    def _ways_into(self, node: Node) -> list[Way]:
        """The steps into a node with the scores of the best paths that take them, best first."""
        state, row, at = node
        if state in "SDJ":
            return self._ways_along(node)
        if state == "B":
            return self._ways_back(node)
        if row == 0:
            return []
        last = {other: self.tables[other][row - 1] for other in STATES}
        facts = self.rows[row - 1]
        ways: list[Way] = []
        if state == "Q":
            ways = self._ways_quoting(node, last)
        elif state == "N":
            for other, score in self._into_new_at(row - 1, last, at).items():
                ways.append((score, Step(Node(other, row - 1, at if other != "B" else 0), node)))
        elif state == "M" and facts.marker is not None:
            for other, score in self._into_marker_at(row - 1, last, at).items():
                ways.append((score, Step(Node(other, row - 1, at), node)))
        if facts.note is not None:
            ways.append((last[state].item(at) + facts.note, Step(Node(state, row - 1, at), node, LEFT_OUT)))
        return _sorted(ways)

    def _ways_quoting(self, node: Node, last: dict[str, Floats]) -> list[Way]:
        """The steps that quote the lines before a position, by each of the row's pairs that end there."""
        ways: list[Way] = []
        row = node.row - 1
        pairs = self.grid.pairs[row]
        for pair in np.nonzero(pairs.lines + pairs.spans == node.at)[0].tolist():
            worth = float(self.pair_scores[row][pair])
            line = int(pairs.lines[pair])
            for other, score in self._into_quote_at(row, last, line).items():
                if score > POSSIBLE:
                    ways.append((score + worth, Step(Node(other, row, line if other != "B" else 0), node, pair)))
        return ways

    def _ways_back(self, node: Node) -> list[Way]:
        """The steps after which the search goes on anywhere."""
        ways: list[Way] = []
        for other in "QNS":
            scores = self.tables[other][node.row]
            for place in _top(scores, 2):
                ways.append((float(scores[place]), Step(Node(other, node.row, place), node)))
        return _sorted(ways)

    # The same sums as in `_into_...`, for one position.
    def _into_quote_at(self, row: int, last: dict[str, Floats], p: int) -> dict[str, float]:
        facts = self.rows[row]
        before = self.rows[row - 1] if row else None
        captured = before.captured.item(p) if before is not None else 0.0
        return {
            "Q": last["Q"].item(p) + facts.shift.item(p + 1),
            "N": last["N"].item(p) + self._one("next_from_new") + captured,
            "D": last["D"].item(p) + self._one("delete_to_quote"),
            "S": last["S"].item(p) + self.elided_to.item(p),
            "J": last["J"].item(p) + self.landed.item(p) + facts.junction,
            "T": last["T"].item(p) + self.started.item(p),
            "B": self.landed.item(p) + self.back[row] + facts.back,
        }

    def _into_new_at(self, row: int, last: dict[str, Floats], at: int) -> dict[str, float]:
        facts = self.rows[row]
        new = facts.new
        near = facts.near.item(at) if facts.near is not None else 0.0
        far = facts.far.item(at) if facts.far is not None else 0.0
        one = self._one
        return {
            "Q": last["Q"].item(at) + near + new + one("new_after_quote"),
            "N": last["N"].item(at) + new + one("new_more"),
            "D": last["D"].item(at) + near * 0.5 + new + one("new_after_deleted") + one("delete_to_new"),
            "S": last["S"].item(at) + far + new + one("new_after_marker"),
            "J": last["J"].item(at) + far + new + one("new_after_jump") + one("jump_to_new") + facts.junction,
            "T": last["T"].item(at) + far + self.topped.item(at) + new + one("new_at_start") + one("start_new"),
            "B": far + new + self.back[row] + facts.back + one("new_after_jump"),
        }

    def _into_marker_at(self, row: int, last: dict[str, Floats], at: int) -> dict[str, float]:
        facts = self.rows[row]
        assert facts.marker is not None
        assert facts.marker_at is not None
        base = facts.marker_at.item(at) + facts.marker
        one = self._one
        return {
            "Q": last["Q"].item(at) + base + one("marker_from_quote"),
            "N": last["N"].item(at) + base + one("marker_from_new"),
            "D": last["D"].item(at) + base + one("marker_from_deleted") + one("delete_to_marker"),
            "S": last["S"].item(at) + base + one("marker_again"),
            "T": (last["T"].item(at) if at == 0 else float(NEVER)) + facts.marker,
        }

    def _ways_along(self, node: Node) -> list[Way]:
        """The steps into a run of lines that end at a position: where the run may begin."""
        state, row, at = node
        now = {other: self.tables[other][row] for other in STATES}
        ways: list[Way] = []

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


def _stretches(flags: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """A table for each stretch of positions beside each other."""
    numbers = np.cumsum(np.diff(flags.astype(np.int8), prepend=0) > 0)
    return [flags & (numbers == number) for number in range(1, int(numbers[-1]) + 1)]


def _sums(flags: NDArray[np.bool_]) -> Floats:
    """(n + 1,): how many of the first lines are flagged, for each number of lines."""
    return np.concatenate([[0.0], np.cumsum(flags)]).astype(np.float32)


def _sorted(ways: Sequence[Way]) -> list[Way]:
    """The ways that are possible, best first."""
    return sorted((way for way in ways if way[0] > POSSIBLE), key=lambda way: -way[0])


def _top(scores: Floats, count: int) -> list[int]:
    """The indices of the highest scores, best first."""
    if len(scores) <= count:
        return sorted(range(len(scores)), key=lambda at: -scores[at])
    best = np.argpartition(scores, -count)[-count:]
    return sorted(best.tolist(), key=lambda at: -scores[at])
