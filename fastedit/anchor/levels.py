"""What a level is before its units are paired: taken apart where needed, with what the units tell by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.hints import Hints
from fastedit.anchor.parting import LeadParter
from fastedit.anchor.similarity import Similarity
from fastedit.anchor.text import is_closer, is_terminator
from fastedit.anchor.unfold import Unfolder
from fastedit.anchor.units import Unit
from fastedit.anchor.wraps import Wraps
from fastedit.edits.lazy import LineKind

_CONTAINERS = frozenset({"class", "section", "block"})
_WORD = re.compile(r"[A-Za-z_$][\w$]+")


class Levels:
    """Prepares the levels of one alignment."""

    def __init__(self, similarity: Similarity, hints: Hints) -> None:
        self.similarity = similarity
        self.hints = hints
        self.snippet = similarity.snippet
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table
        self.unfolder = Unfolder(similarity)
        self.wraps = Wraps(similarity, self.unfolder)
        self.leads = LeadParter(self.mine, self.theirs)

    def prepared(self, level: Level) -> Level:
        """The level with its units taken apart as far as pairing needs, and what they tell by themselves."""
        level = self.leads.parted(self.wraps.opened(self.without_unread(level)))
        level.mentions = self.mentions(level)
        level.homes = self.unfolder.homes(level.mine)
        level.elided = frozenset(
            index for index, unit in enumerate(level.mine) if unit.is_code and self.similarity.has_elision(unit)
        )
        level.closers = frozenset(
            index
            for index, unit in enumerate(level.mine)
            if unit.end == unit.head + 1 and is_closer(self.mine.lines[unit.head])
        )
        level.is_terminated = bool(level.theirs) and is_terminator(self.theirs.lines[level.theirs[-1].head])
        level.removed = frozenset(
            word for unit in level.mine if unit.kind is LineKind.REMOVAL for word in _WORD.findall(unit.note)
        )
        return level

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
