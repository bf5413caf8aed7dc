"""From a path through the grid to a plan: what becomes of each row of the snippet and each line of the original."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.search import LEFT_OUT, Node, Path

_FREE = frozenset("SJTB")


@dataclass(slots=True)
class Plan:
    """What a path does with each row and line.

    quoted: row → (line, pair). new: position → rows in their order. deleted: lines. free_before: rows before which
    the snippet doesn't show what precedes them in the file. order: the placed rows, blank ones too.
    """

    quoted: dict[int, tuple[int, int]] = field(default_factory=dict)
    new: dict[int, list[int]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    elided: list[tuple[int, int, bool]] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    markers: dict[int, tuple[int, int]] = field(default_factory=dict)
    free_before: set[int] = field(default_factory=set)
    order: list[int] = field(default_factory=list)

    def told_apart(self) -> object:
        """What the result follows from: plans with the same have the same result."""
        return (
            tuple(self.quoted.items()),
            tuple((at, tuple(rows)) for at, rows in self.new.items()),
            frozenset(self.deleted),
            frozenset(self.left_out),
            frozenset(self.markers),
            frozenset(self.free_before),
        )


def plan_of(path: Path, grid: Grid) -> Plan | None:
    """The plan of a path; None where it uses a line of the original twice."""
    planner = _Planner(grid)
    for source, target, pair in path.steps:
        if not planner.follow(source, target, pair):
            return None
    return planner.plan


class _Planner:
    """Makes a plan step by step.

    used: lines quoted or deleted so far. is_free: whether the snippet doesn't show what precedes the next row in the
    file. marker: the last marker's row.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.plan = Plan()
        self.used: set[int] = set()
        self.is_free = True
        self.marker: int | None = None

    def follow(self, source: Node, target: Node, pair: int) -> bool:
        """Adds a step to the plan; False where it uses a line that is used already."""
        row, state = target.row - 1, target.state
        if state == "END":
            if source.state == "M":
                self._end_marker(source.at, self.grid.num_lines)
        elif pair == LEFT_OUT:
            self.plan.left_out.add(row)
        elif state == "Q":
            return self._quote(row, pair, source, target)
        elif state == "N":
            self.plan.new.setdefault(target.at, []).append(row)
            self._place(row, source)
        elif state == "D":
            return self._delete(range(source.at, target.at))
        elif state == "M":
            self.marker, self.is_free = row, True
        elif state == "S":
            self.plan.elided.append((source.at, target.at, True))
            self._end_marker(source.at, target.at)
        elif state in "JB":
            self._jump(source, target)
        return True

    def _quote(self, row: int, pair: int, source: Node, target: Node) -> bool:
        """Quotes lines up to the target; those behind the first go where the new text has them all."""
        pairs = self.grid.pairs[row]
        line = int(pairs.lines[pair])
        covered = range(line, target.at)
        if self.used.intersection(covered):
            return False
        self.used.update(covered)
        self.plan.quoted[row] = (line, pair)
        if not pairs.is_loose[pair]:
            self.plan.deleted.update(covered[1:])
        self._place(row, source)
        return True

    def _delete(self, lines: range) -> bool:
        """Deletes lines, unless one of them is used."""
        if self.used.intersection(lines):
            return False
        self.used.update(lines)
        self.plan.deleted.update(lines)
        return True

    def _end_marker(self, start: int, end: int) -> None:
        """Notes which lines the last marker stands for."""
        if self.marker is not None:
            self.plan.markers[self.marker] = (start, end)

    def _jump(self, source: Node, target: Node) -> None:
        """Goes on elsewhere, past lines or back."""
        if target.state == "J":
            self.plan.elided.append((source.at, target.at, False))
        self.is_free = True

    def _place(self, row: int, source: Node) -> None:
        """Puts a row behind those placed so far."""
        self.plan.order.append(row)
        if self.is_free or source.state in _FREE:
            self.plan.free_before.add(row)
        self.is_free = False
