"""What the pairs of a level tell of lines that a snippet shows elsewhere: moved, unwrapped, in other columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.columns import is_realigned
from fastedit.anchor.similarity import Similarity
from fastedit.anchor.units import Unit


class Shifts:
    """Answers for the levels of one alignment."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table

    def unwrapped(self, level: Level, pairs: list[Pair], steps: tuple[int, int]) -> frozenset[int]:
        """The snippet's units (by index) that it shows further out than they stood, without the header around them.

        steps: how many columns a level is in the snippet and in the original.
        """
        result: set[int] = set()
        owner: Unit | None = None
        for before, pair in pairwise(pairs):
            first, last = level.theirs[before.theirs], level.theirs[pair.theirs]
            mine, next_mine = level.mine[before.mine], level.mine[pair.mine]
            is_skipped = last.parent is not None and first.end <= last.parent.head < last.start
            has_marker = any(not unit.is_code for unit in level.mine[before.mine + 1 : pair.mine])
            num_levels = (next_mine.columns - mine.columns) / steps[0], (last.columns - first.columns) / steps[1]
            if is_skipped and not has_marker and num_levels[0] < num_levels[1]:
                owner = last.parent
            if owner is not None and last.parent is owner:
                result.add(pair.mine)
        return frozenset(result)

    def realigned(self, level: Level, pairs: list[Pair]) -> frozenset[int]:
        """The snippet's lines (by index) that stand in the original in other columns, where the snippet's count.

        Elsewhere white space inside of a quoted line says nothing.
        """
        paired = {pair.mine: pair for pair in pairs}
        result: set[int] = set()
        for run in self._runs(level):
            quoted = [index for index in run if index in paired and paired[index].is_same]
            new = [index for index in run if index not in paired or not paired[index].is_same]
            mine = [self.mine.lines[level.mine[index].head] for index in quoted]
            theirs = [self.theirs.lines[level.theirs[paired[index].theirs].head] for index in quoted]
            if is_realigned(mine, theirs, [self.mine.lines[level.mine[index].head] for index in new]):
                result.update(quoted)
        return frozenset(result)

    @staticmethod
    def _runs(level: Level) -> Iterator[list[int]]:
        """The stretches of single lines of code that stand right below each other in the snippet, by index."""
        run: list[int] = []
        for index, unit in enumerate(level.mine):
            is_line = unit.is_code and unit.start == unit.head and unit.end == unit.head + 1
            if run and not (is_line and level.mine[run[-1]].end == unit.start):
                yield run
                run = []
            if is_line:
                run.append(index)
        if run:
            yield run

    def moved(self, level: Level, pairs: list[Pair]) -> frozenset[int]:
        """The first lines of the original's declarations that the snippet shows at another place of the same level.

        A declaration can't stand there twice, so the one where it was goes. Overloads aren't the same declaration.
        """
        mine, theirs = {pair.mine for pair in pairs}, {pair.theirs for pair in pairs}
        come = [unit for index, unit in enumerate(level.mine) if index not in mine and self._is_definite(unit)]
        gone = [unit for index, unit in enumerate(level.theirs) if index not in theirs and self._is_definite(unit)]
        names = Counter(unit.name for unit in level.mine), Counter(unit.name for unit in level.theirs)
        headers = {
            (self.similarity.header(unit, self.mine), self._home(level, pairs, unit))
            for unit in come
            if names[0][unit.name] == 1
        }
        return frozenset(
            unit.start
            for unit in gone
            if names[1][unit.name] == 1 and (self.similarity.header(unit, self.theirs), unit.parent) in headers
        )

    @staticmethod
    def _home(level: Level, pairs: list[Pair], unit: Unit) -> Unit | None:
        """What the neighbours of a unit of the snippet stand in, in the original; of several the nearest one."""
        near = sorted(
            (abs(level.mine[pair.mine].start - unit.start), pair.theirs)
            for pair in pairs
            if level.mine[pair.mine].parent is unit.parent and level.mine[pair.mine].columns == unit.columns
        )
        if near:
            return level.theirs[near[0][1]].parent
        return level.theirs[0].parent if level.theirs else None

    def _is_definite(self, unit: Unit) -> bool:
        return unit.is_code and bool(unit.name) and unit.declares in ("function", "class") and unit.has_body
