"""Makes a plan of a path through the grid: what becomes of each row of the snippet and each line of the original."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.paths import LEFT_OUT, Node, Path

_FREE = frozenset("SJTB")


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
