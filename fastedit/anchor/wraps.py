"""The snippet's blocks that are new but hold code that was there before: taken apart, so that the code is found."""

from __future__ import annotations

from dataclasses import replace

from fastedit.anchor.chain import Level
from fastedit.anchor.similarity import Similarity
from fastedit.anchor.unfold import Unfolder
from fastedit.anchor.units import Unit

MIN_WRAP_SHARE = 0.5
MIN_WRAP_WEIGHT = 0.3


class Wraps:
    """Opens the wraps of the snippet of one alignment."""

    def __init__(self, similarity: Similarity, unfolder: Unfolder) -> None:
        self.similarity = similarity
        self.unfolder = unfolder
        self.snippet = similarity.snippet
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table

    def opened(self, level: Level) -> Level:
        """The level with the snippet's blocks taken apart that are new but hold code that was there before."""
        mine: list[Unit] = []
        is_changed = False
        for index, unit in enumerate(level.mine):
            if self._may_wrap(unit, index, level) and self._is_wrap(unit, level):
                mine.extend(self._apart(unit, level))
                is_changed = True
            else:
                mine.append(unit)
        if not is_changed:
            return level
        theirs: list[Unit] = []
        if level.theirs:
            theirs = self.unfolder.unfolded(mine, level.theirs, level.theirs[0].start, level.theirs[-1].end)
        return replace(level, mine=mine, theirs=theirs)

    def _may_wrap(self, unit: Unit, index: int, level: Level) -> bool:
        """Whether it matters what a new block holds: it has a marker inside or beside it.

        Between two anchors it simply stands for what lies between them.
        """
        if not unit.is_code or not unit.has_body or unit.name:
            return False
        return (
            self.similarity.has_elision(unit)
            or self._is_beside_marker(level, index, -1, level.is_open_left)
            or self._is_beside_marker(level, index, 1, level.is_open_right)
        )

    def _is_beside_marker(self, level: Level, index: int, step: int, is_open: bool) -> bool:
        """Whether only new code stands between the unit and a marker, or the open end of the level."""
        index += step
        while 0 <= index < len(level.mine):
            unit = level.mine[index]
            if not unit.is_code:
                return True
            if self.unfolder.stands_among(unit, level.theirs):
                return False
            index += step
        return is_open

    def _is_wrap(self, unit: Unit, level: Level) -> bool:
        if not level.theirs or self.unfolder.stands_among(unit, level.theirs):
            return False
        heads = {self.theirs.keys[other.head] for other in level.theirs}
        names = {other.name for other in level.theirs if other.name}
        found = total = 0.0
        for child in self.snippet.children(unit):
            if child.is_code:
                weight = self.similarity.weight(self.mine.keys[child.head])
                total += weight
                found += weight if self.mine.keys[child.head] in heads or child.name in names else 0.0
                if child.has_body and not child.name and self._is_wrap(child, level):
                    return True
        return total > 0 and found >= MIN_WRAP_SHARE * total and found > MIN_WRAP_WEIGHT

    def _apart(self, unit: Unit, level: Level) -> list[Unit]:
        head = replace(unit, close=unit.body, end=unit.body, children=[])
        inner: list[Unit] = []
        for child in self.snippet.children(unit):
            if child.is_code and child.has_body and not child.name and self._is_wrap(child, level):
                inner.extend(self._apart(child, level))
            else:
                inner.append(child)
        result = [head, *inner]
        if unit.end > unit.close:
            first, _ = self.mine.trim_blank(unit.close, unit.end)
            result.append(Unit(first, first, unit.end, unit.end, unit.end, unit.columns, parent=unit.parent))
        return result
