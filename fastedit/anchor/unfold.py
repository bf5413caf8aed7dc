"""Which blocks of the original are unfolded on a level: those that hold what the snippet shows without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fastedit.anchor.pairing import MAX_COMPARED
from fastedit.anchor.remarks import home_of, position_of
from fastedit.anchor.similarity import MIN_REPEATED_OVERLAP, NEARLY_SAME, Similarity
from fastedit.anchor.tails import Tails
from fastedit.anchor.text import is_closer, is_trivial, key_of
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import LineKind

MAX_PLACES = 24


class Unfolder:
    """Unfolds the original's levels for the snippet of one alignment."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.snippet = similarity.snippet
        self.original = similarity.original
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table
        self.tails = Tails(similarity)

    def unfolded(
        self, units: Sequence[Unit], theirs: Sequence[Unit], start: int, end: int, *, is_root: bool = False
    ) -> list[Unit]:
        """The original's units of a level, those unfolded that hold what the snippet shows without them."""
        wanted: set[int] = set()
        ended: set[int] = set()
        tails = self.tails.places(units, theirs, is_root=is_root)
        placed = {
            index
            for tail in tails
            for index in range(tail.start, tail.end)
            if units[index].columns == units[tail.end - 1].columns
        }
        homes = self.homes(units)
        for index, unit in enumerate(units):
            position = position_of(unit.note) if unit.is_marker else None
            if position is not None:
                for line in self.original.named(position.name):
                    self._want(line, wanted, unit)
            home = homes.get(index)
            is_elsewhere = unit.is_code and index not in placed and not self.stands_among(unit, theirs)
            if home is not None or is_elsewhere:
                for line in self._deeper_places(unit, *(home or (start, end)), is_root=is_root):
                    self._want(line, wanted, unit)
        for tail, found in tails.items():
            for other in found:
                self._want(other.end - 1, ended, units[tail.end - 1])
        if not wanted and not ended:
            return list(theirs)
        blocks = [unit for unit in units if unit.is_code and unit.has_body]
        return self._unfold(theirs, wanted, ended, blocks)

    def homes(self, units: Sequence[Unit]) -> dict[int, tuple[int, int]]:
        """For units (by index) below a remark that names one declaration of the original: that declaration's lines.

        Up to the next marker or declaration, for a name may also stand for a declaration that is left out.
        """
        homes: dict[int, tuple[int, int]] = {}
        current: list[tuple[int, int]] = []
        for index, unit in enumerate(units):
            if unit.is_marker:
                name = home_of(unit.note)
                current = self.original.ranges(name) if name else []
            elif unit.name:
                current = []
            elif unit.is_code and len(current) == 1:
                homes[index] = current[0]
        return homes

    def _is_shown(self, block: Unit, unit: Unit) -> bool:
        """Whether a block of the snippet is the unit, its header changed perhaps."""
        if self._is_plainly(block, unit):
            return True
        return not block.name and not unit.name and self.similarity.compare(block, unit).score > 0

    def stands_among(self, unit: Unit, theirs: Sequence[Unit]) -> bool:
        """Whether one of the units is plainly this one."""
        key = self.mine.keys[unit.head]
        if not unit.has_body and not is_trivial(key):
            if any(self.theirs.keys[other.head] == key for other in theirs):
                return True
            if len(self.theirs.places.get(key, ())) == 1:
                return False  # a line that is like it is another one
        if len(theirs) > MAX_COMPARED:
            theirs = [other for other in theirs if other.name == unit.name != "" or other.has_body]
        if unit.has_body or unit.name:
            return any(self._is_plainly(unit, other) for other in theirs)
        return any(self.similarity.compare(unit, other).ratio >= NEARLY_SAME for other in theirs)

    def _is_plainly(self, unit: Unit, other: Unit) -> bool:
        likeness = self.similarity.compare(unit, other)
        if unit.has_body and is_trivial(self.mine.keys[unit.head]) and not likeness.is_same:
            return likeness.ratio >= NEARLY_SAME and self.similarity.overlap(unit, other) >= MIN_REPEATED_OVERLAP
        return likeness.is_same or likeness.ratio >= 0.85 or bool(unit.name and unit.name == other.name)

    def _want(self, line: int, wanted: set[int], shown: Unit) -> None:
        """Adds the units around a line of the original that hold what the snippet shows, not those that it is."""
        is_closer_alone = shown.end == shown.head + 1 and is_closer(self.mine.lines[shown.head])
        for unit in self.original.path_to(line):
            if unit.head != line and shown.has_body and self.theirs.keys[unit.head] == self.mine.keys[shown.head]:
                return
            if unit.body <= line < (unit.end if is_closer_alone else unit.close):
                wanted.add(unit.start)

    def _deeper_places(self, unit: Unit, start: int, end: int, *, is_root: bool) -> list[int]:
        """Lines of the original in [start, end) where the unit may stand, seen from its name or its code."""
        if unit.name:
            named = [line for line in self.original.named(unit.name) if start <= line < end]
            named = named or [line for line in self._renamed_places(unit) if start <= line < end]
            if named:
                return named
        lines = [unit.head, *range(unit.body, unit.close)] if is_root and not unit.name else [unit.head]
        found: list[int] = []
        for line in lines:
            key = self.mine.keys[line]
            kinds = self.snippet.kinds
            if kinds and kinds[line] is not LineKind.CODE:
                continue
            places = self.theirs.places.get(key, ())
            inside = [place for place in places if start <= place < end]
            if is_trivial(key) and (is_root or len(inside) != 1 or is_closer(self.mine.lines[line])):
                continue
            if 0 < len(inside) <= MAX_PLACES:
                found.extend(inside)
                break
        return found

    def _renamed_places(self, unit: Unit) -> list[int]:
        """The header lines of the original's declarations that the unit is under another name, shown whole."""
        if unit.declares not in ("function", "class") or self.similarity.has_elision(unit):
            return []
        before, _, behind = self.mine.lines[unit.head].partition(unit.name)
        found: list[int] = []
        for name in self.original.names:
            for line in self.theirs.places.get(key_of(before + name + behind), ()):
                around = self.original.path_to(line)
                if around and around[-1].head == line and self.similarity.renames.is_renamed(unit, around[-1]):
                    found.append(line)
        return found

    def _unfold(self, units: Sequence[Unit], wanted: set[int], ended: set[int], blocks: Sequence[Unit]) -> list[Unit]:
        """The units with the wanted ones replaced by what they are made of, unless a block of the snippet is one.

        ended: those of which the snippet shows only how they end.
        """
        result: list[Unit] = []
        stack = list(reversed(units))
        while stack:
            unit = stack.pop()
            is_wanted = unit.start in wanted and not any(self._is_shown(block, unit) for block in blocks)
            if not unit.has_body or not (is_wanted or unit.start in ended):
                result.append(unit)
                continue
            head = replace(unit, body=unit.body, close=unit.body, end=unit.body, children=[], name="")
            inner = self.original.children(unit)
            tail_start = inner[-1].end if inner else unit.body
            tail = []
            if unit.end > unit.close:
                first, _ = self.theirs.trim_blank(max(tail_start, unit.close), unit.end)
                tail = [Unit(first, first, unit.end, unit.end, unit.end, unit.columns, parent=unit.parent)]
            head.children = []
            result.append(head)
            stack.extend(reversed([*inner, *tail]))
            wanted, ended = wanted - {unit.start}, ended - {unit.start}
        return result
