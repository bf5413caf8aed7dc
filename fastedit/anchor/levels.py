"""Which units stand on a level: what has to be unfolded, taken apart or left together before pairing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.hints import Hints
from fastedit.anchor.pairing import MAX_COMPARED
from fastedit.anchor.remarks import home_of, position_of
from fastedit.anchor.similarity import MIN_REPEATED_OVERLAP, NEARLY_SAME, Similarity
from fastedit.anchor.tails import Tails
from fastedit.anchor.text import LineTable, is_closer, is_trivial, key_of
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind, comment_text

MIN_WRAP_SHARE = 0.5
MIN_WRAP_WEIGHT = 0.3
MAX_PLACES = 24
_CONTAINERS = frozenset({"class", "section", "block"})
_WORD = re.compile(r"[A-Za-z_$][\w$]+")


class Levels:
    """Prepares the levels of one alignment."""

    def __init__(self, snippet: UnitTree, original: UnitTree, similarity: Similarity, hints: Hints) -> None:
        self.snippet = snippet
        self.original = original
        self.mine = snippet.table
        self.theirs = original.table
        self.similarity = similarity
        self.hints = hints
        self.tails = Tails(similarity)

    def prepared(self, level: Level) -> Level:
        """The level with its units taken apart as far as pairing needs, and what they tell by themselves."""
        level = self.part_leads(self.open_wraps(self.without_unread(level)))
        level.mentions = self.mentions(level)
        level.homes = self.homes(level.mine)
        level.elided = frozenset(
            index for index, unit in enumerate(level.mine) if unit.is_code and self.similarity.has_elision(unit)
        )
        level.closers = frozenset(
            index
            for index, unit in enumerate(level.mine)
            if unit.end == unit.head + 1 and is_closer(self.mine.lines[unit.head])
        )
        level.removed = frozenset(
            word for unit in level.mine if unit.kind is LineKind.REMOVAL for word in _WORD.findall(unit.note)
        )
        return level

    def open_for(
        self, units: Sequence[Unit], theirs: Sequence[Unit], start: int, end: int, *, is_root: bool = False
    ) -> list[Unit]:
        """The original's units of a level, those unfolded that hold what the snippet shows without them."""
        wanted: set[int] = set()
        ended: set[int] = set()
        tails = self.tails.places(units, theirs, is_root=is_root)
        placed = {index for tail in tails for index in range(tail.start, tail.end)}
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
        if not unit.has_body and not is_trivial(key) and any(self.theirs.keys[other.head] == key for other in theirs):
            return True
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

    def protector(self, units: Sequence[Unit], owner: Unit | None) -> Protector:
        """What isn't deleted for not being shown: declarations, where nothing on this level says `and so on`."""
        has_marker = any(not unit.is_code for unit in units)
        return Protector(self.is_container(owner) and not has_marker, self.hints.removed)

    def is_container(self, owner: Unit | None) -> bool:
        return owner is None or owner.declares in _CONTAINERS or self.theirs.keys[owner.head] in ("{", "[")

    @staticmethod
    def deletes_one(level: Level, pairs: list[Pair]) -> bool:
        """Whether the snippet shows a stretch without gaps but for one declaration: then that one is deleted.

        A snippet that leaves out more than one thing without a marker leaves out whatever it doesn't change.
        """
        num_adjacent = 0
        skipped: list[Unit] = []
        for before, after in pairwise(pairs):
            between = level.theirs[before.theirs + 1 : after.theirs]
            num_adjacent += not between and before.mine + 1 == after.mine
            skipped.extend(unit for unit in between if level.protects(unit))
        return len(skipped) == 1 and num_adjacent >= 2

    def without_unread(self, level: Level) -> Level:
        """The level with the snippet's declarations read by indentation where the original's aren't read as code."""
        names = {unit.name for unit in level.theirs}
        heads = {self.theirs.keys[unit.head] for unit in level.theirs if not unit.name}
        mine: list[Unit] = []
        for unit in level.mine:
            if unit.name and unit.name not in names and unit.has_body and self.mine.keys[unit.head] in heads:
                mine.extend(self.snippet.by_indentation(unit))
            else:
                mine.append(unit)
        return level if len(mine) == len(level.mine) else replace(level, mine=mine)

    def part_leads(self, level: Level) -> Level:
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
        theirs = self._parted(level.theirs, self.theirs, shown | moved, mine_names, self._below_comments(level.mine))
        mine = self._parted(level.mine, self.mine, there | moved, their_names, set())
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
    def _parted(
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

    def open_wraps(self, level: Level) -> Level:
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
        opened = self.open_for(mine, level.theirs, level.theirs[0].start, level.theirs[-1].end) if level.theirs else []
        return replace(level, mine=mine, theirs=opened)

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
            if self.stands_among(unit, level.theirs):
                return False
            index += step
        return is_open

    def _is_wrap(self, unit: Unit, level: Level) -> bool:
        if not level.theirs or self.stands_among(unit, level.theirs):
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

    def mentions(self, level: Level) -> dict[int, frozenset[int]]:
        names: dict[str, int] = {}
        for index, other in enumerate(level.theirs):
            if other.name:
                names.setdefault(other.name, index)
        mentions = {}
        for index, unit in enumerate(level.mine):
            if unit.is_marker and unit.note:
                named = frozenset(names[word] for word in _WORD.findall(unit.note) if word in names)
                if named:
                    mentions[index] = named
        return mentions


@dataclass(frozen=True, slots=True)
class Protector:
    """What isn't deleted for not being shown: whole declarations, unless the words say that they are gone."""

    is_on: bool
    removed: frozenset[str]

    def __call__(self, unit: Unit) -> bool:
        return (
            self.is_on
            and bool(unit.name)
            and unit.name not in self.removed
            and unit.has_body
            and unit.declares in ("function", "class", "section")
        )
