"""Comments and decorators above declarations, taken apart from them where only one text ties them to code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from fastedit.anchor.chain import Level
from fastedit.anchor.text import LineTable, is_trivial
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import comment_text


class LeadParter:
    """Parts the leads of a level's units. mine, theirs: the tables of the snippet and of the original."""

    def __init__(self, mine: LineTable, theirs: LineTable) -> None:
        self.mine = mine
        self.theirs = theirs

    def parted(self, level: Level) -> Level:
        """The level with comments and decorators as lines of their own where only one text ties them to code."""
        shown = {self.mine.keys[unit.head] for unit in level.mine if unit.is_code and not unit.name}
        there = {self.theirs.keys[unit.head] for unit in level.theirs if not unit.name}
        mine_names, their_names = self._lead_names(level.mine, self.mine), self._lead_names(level.theirs, self.theirs)
        # What stands above a new declaration may be a copy of what an elided line has above another one.
        known, bare = {unit.name for unit in level.theirs}, self._bare_names(level.mine)
        moved = {
            key
            for key, names in mine_names.items()
            if not names & their_names.get(key, names) and (names & known or their_names[key] & bare)
        }
        moved |= self._above_replaced(level)
        theirs = self._apart(level.theirs, self.theirs, shown | moved, mine_names, self._below_comments(level.mine))
        mine = self._apart(level.mine, self.mine, there | moved, their_names, set())
        return replace(level, mine=mine, theirs=theirs)

    def _above_replaced(self, level: Level) -> set[str]:
        """Comments that both texts have once, above different declarations that stand right before the same one."""
        mine, theirs = self._lead_places(level.mine, self.mine), self._lead_places(level.theirs, self.theirs)
        shown = {unit.name for unit in level.mine}
        return {
            key
            for key, (name, following) in mine.items()
            if key in theirs
            and name != theirs[key][0]
            and theirs[key][0] not in shown
            and following == theirs[key][1] != ""
            and len(self.mine.places[key]) == len(self.theirs.places[key]) == 1
            and comment_text(self.mine.lines[self.mine.places[key][0]]) is not None
        }

    @staticmethod
    def _lead_places(units: Sequence[Unit], table: LineTable) -> dict[str, tuple[str, str]]:
        """line of a lead → the name of the declaration below, and the name or first line of what follows that one."""
        places: dict[str, tuple[str, str]] = {}
        for unit, following in pairwise(units):
            if unit.start == unit.head:
                continue
            behind = (following.name or table.keys[following.head]) if following.is_code else ""
            for line in range(unit.start, unit.head):
                if table.keys[line] and not is_trivial(table.keys[line]):
                    places[table.keys[line]] = unit.name, behind
        return places

    def _below_comments(self, units: Sequence[Unit]) -> set[str]:
        """The first lines of what stands right below a comment without being a declaration to the parser."""
        return {
            self.mine.keys[unit.head]
            for above, unit in pairwise(units)
            if above.is_code
            and unit.is_code
            and not unit.name
            and above.end == unit.start
            and comment_text(self.mine.lines[above.head]) is not None
        }

    @staticmethod
    def _bare_names(units: Sequence[Unit]) -> set[str]:
        """The names of the declarations of which the snippet shows what stands above them: code does."""
        return {unit.name for above, unit in pairwise(units) if above.is_code}

    @staticmethod
    def _lead_names(units: Sequence[Unit], table: LineTable) -> dict[str, set[str]]:
        """line of a lead → the names of the declarations that it stands above."""
        names: dict[str, set[str]] = {}
        for unit in units:
            for line in range(unit.start, unit.head):
                if table.keys[line] and not is_trivial(table.keys[line]):
                    names.setdefault(table.keys[line], set()).add(unit.name)
        return names

    @staticmethod
    def _apart(
        units: Sequence[Unit], table: LineTable, loose: set[str], tied: Mapping[str, set[str]], unread: set[str]
    ) -> list[Unit]:
        """The units, those taken apart from their leads whose leads have one of the `loose` lines.

        tied: what the other text ties each line to; a line that it ties to the same declaration isn't loose.
        unread: the headers of what the other text has below comments without taking it for a declaration.
        """
        result: list[Unit] = []
        for unit in units:
            lead = [line for line in range(unit.start, unit.head) if table.keys[line]]
            keys = {table.keys[line] for line in lead} & loose
            is_loose = any(not is_trivial(key) and unit.name not in tied.get(key, ()) for key in keys)
            if not lead or not (is_loose or table.keys[unit.head] in unread):
                result.append(unit)
                continue
            result.extend(Unit(n, n, n + 1, n + 1, n + 1, table.columns[n], parent=unit.parent) for n in lead)
            result.append(replace(unit, start=unit.head))
        return result
