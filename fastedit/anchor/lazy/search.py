"""The best ways to lay a snippet on its original: the steps into each state of the chart, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.chart import DELETE_AFTER, NEVER, STATES, Chart
from fastedit.anchor.lazy.paths import LEFT_OUT, Node, Path, Paths, Step, Way
from fastedit.anchor.lazy.plan import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

POSSIBLE = -1e8
MAX_WAYS = 6  # ways into a state from one other that are told apart


class Search(Chart):
    """Searches one grid with one set of weights (name → weight)."""

    def best(self, count: int, *, beam: float = 10.0) -> Iterator[Path]:
        """The best paths in their order, at most `count`, none worse than the best by more than `beam`."""
        for path in Paths(self._ways_into, count, beam).best(self._ends()):
            self.grid.clock.check(self.m, self.n)
            if path is not None:
                yield path

    def apart(self) -> Iterator[Path]:
        """The paths on which all rows are new in one place, for the best of those that the words name, and may mean.

        Where the original has lines like them the best paths change those: there are many ways to do so.
        """
        told = self.grid.told
        placed = (row for row, facts in enumerate(self.rows) if facts.far is not None and not self._is_note(row))
        first = next(placed, None)
        if first is None or (told.at is None and told.near is None):
            return
        far = self.rows[first].far
        assert far is not None
        worth = far + self.topped + self.ended
        named = np.zeros(self.n + 1, bool) if told.at is None else told.at
        meant = named if told.near is None else (told.near >= told.near.max()) & ~named
        places = [int(np.where(mask, worth, NEVER).argmax()) for mask in (named, meant) if mask.any()]
        for at in dict.fromkeys(places):
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


def _sorted(ways: Sequence[Way]) -> list[Way]:
    """The ways that are possible, best first."""
    return sorted((way for way in ways if way[0] > POSSIBLE), key=lambda way: -way[0])


def _top(scores: Floats, count: int) -> list[int]:
    """The indices of the highest scores, best first."""
    if len(scores) <= count:
        return sorted(range(len(scores)), key=lambda at: -scores[at])
    best = np.argpartition(scores, -count)[-count:]
    return sorted(best.tolist(), key=lambda at: -scores[at])
