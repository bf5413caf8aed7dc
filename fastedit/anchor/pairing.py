"""Which pairs of units a level's chain may be made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fastedit.anchor.alike import Likeness
from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.similarity import MIN_REPEATED_OVERLAP, NEARLY_SAME, Similarity
from fastedit.anchor.text import is_trivial
from fastedit.anchor.units import Unit

MAX_COMPARED = 500
MAX_NEIGHBOUR_PLACES = 4
NEAR = 100
MIN_TELLING_SCORE = 0.6
MIN_OVERLOAD_RATIO = 0.9
_NAMED = frozenset({"function", "class", "section"})


class Shortlist:
    """Which of a level's original units are worth comparing with a unit of the snippet.

    All of them, unless they are very many: then those with the same first line or name, or else those
    near where the snippet's neighbouring units stand.
    """

    def __init__(self, level: Level, similarity: Similarity) -> None:
        self.level = level
        self.mine = similarity.snippet.table
        self.is_short = len(level.theirs) <= MAX_COMPARED
        self._places: dict[str, list[int]] = {}
        if not self.is_short:
            keys = similarity.original.table.keys
            for index, unit in enumerate(level.theirs):
                for key in {keys[unit.head], unit.name} - {""}:
                    self._places.setdefault(key, []).append(index)

    def of(self, index: int) -> Iterable[int]:
        """The indices of the original's units to compare with the snippet's unit `index`."""
        if self.is_short:
            return range(len(self.level.theirs))
        return self._known(index) or self._near(index)

    def _known(self, index: int) -> list[int]:
        unit = self.level.mine[index]
        key = self.mine.keys[unit.head]
        known = set() if is_trivial(key) else set(self._places.get(key, ()))
        return sorted(known.union(self._places.get(unit.name, ()) if unit.name else ()))

    def _near(self, index: int) -> list[int]:
        near: set[int] = set()
        for step in (-1, 1):
            other = index + step
            while 0 <= other < len(self.level.mine) and not (places := self._known(other)):
                other += step
            if 0 <= other < len(self.level.mine) and len(places) <= MAX_NEIGHBOUR_PLACES:
                for place in places:
                    near.update(range(max(0, place - NEAR), min(len(self.level.theirs), place + NEAR)))
        return sorted(near)


class Pairing:
    """Finds the candidate pairs of levels by their likeness."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table

    def candidates(self, level: Level) -> list[Pair]:
        """The pairs that are alike enough, each with what it is worth."""
        candidates: list[Pair] = []
        shortlist = Shortlist(level, self.similarity)
        heads = Counter(self.theirs.keys[other.head] for other in level.theirs)
        heads.update(other.name for other in level.theirs if other.name)
        for index, unit in enumerate(level.mine):
            if not unit.is_code:
                continue
            for other_index in shortlist.of(index):
                other = level.theirs[other_index]
                start, end = level.homes.get(index, (other.start, other.end))
                if not start <= other.start <= other.end <= end:
                    continue
                likeness = self.similarity.compare(unit, other)
                if likeness.score <= 0:
                    continue
                if not self._is_another(unit, other, likeness, heads) or self._is_beside(
                    level, index, other_index, heads
                ):
                    candidates.append(Pair(index, other_index, likeness.score, likeness.is_same, likeness.ratio))
        return self._without_second_choices(self._without_taken_names(level, candidates))

    @staticmethod
    def _without_second_choices(candidates: list[Pair]) -> list[Pair]:
        """The candidates without loose ones for lines that stand there unchanged."""
        sure = [pair for pair in candidates if pair.ratio >= NEARLY_SAME and pair.score > MIN_TELLING_SCORE]
        mine, theirs = {pair.mine for pair in sure}, {pair.theirs for pair in sure}
        return [
            pair
            for pair in candidates
            if pair.ratio >= NEARLY_SAME or (pair.mine not in mine and pair.theirs not in theirs)
        ]

    def _is_another(self, unit: Unit, other: Unit, likeness: Likeness, heads: Counter[str]) -> bool:
        """Whether a block with a head or name that stands several times on its level has too little of this one."""
        if likeness.is_same:
            return False
        if unit.name and unit.name == other.name and heads[other.name] > 1:
            is_other_signature = likeness.ratio < MIN_OVERLOAD_RATIO or unit.declares == "block"
            overlap = self.similarity.overlap(unit, other) if unit.has_body else 0.0
            return is_other_signature and overlap < MIN_REPEATED_OVERLAP
        if not unit.has_body or heads[self.theirs.keys[other.head]] < 2:
            return False
        return self.similarity.overlap(unit, other) < MIN_REPEATED_OVERLAP

    def _is_beside(self, level: Level, index: int, other_index: int, heads: Counter[str]) -> bool:
        """Whether two blocks whose header tells nothing (`try:`) stand right beside the same block."""
        header = self.mine.keys[level.mine[index].head]
        if not is_trivial(header) or not header.endswith((":", "{")):
            return False
        for step in (-1, 1):
            if not 0 <= index + step < len(level.mine) or not 0 <= other_index + step < len(level.theirs):
                continue
            unit, other = level.mine[index + step], level.theirs[other_index + step]
            if not (unit.is_code and unit.has_body and other.has_body):
                continue
            key = self.theirs.keys[other.head]
            is_only_one = key == self.mine.keys[unit.head] and heads[key] == 1 and not is_trivial(key)
            if is_only_one or self.similarity.is_quoted(unit, other):
                return True
        return False

    def _without_taken_names(self, level: Level, candidates: list[Pair]) -> list[Pair]:
        """The candidates without those under two names that are no rename."""
        names = {unit.name for unit in level.mine if unit.name}
        own = {unit.name for unit in level.theirs if unit.name}
        taken = names | level.removed
        return [
            pair
            for pair in candidates
            if not self._has_two_names(level, pair)
            or (
                level.theirs[pair.theirs].name not in taken
                and level.mine[pair.mine].name not in own
                and self._may_be_renamed(level, pair)
            )
        ]

    @staticmethod
    def _has_two_names(level: Level, pair: Pair) -> bool:
        mine, theirs = level.mine[pair.mine].name, level.theirs[pair.theirs].name
        return bool(mine and theirs) and mine != theirs

    def _may_be_renamed(self, level: Level, pair: Pair) -> bool:
        """Whether a declaration of the snippet may be the original's under another name, not a new one that is like it.

        One with something elided must be one of the original's. Of one shown whole its uses tell that changed with
        it, or that it has the other's place and is the same but for the name.
        """
        mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
        if mine.declares not in _NAMED or self.similarity.has_elision(mine):
            return True
        if self.similarity.renames.is_used_renamed(mine, theirs):
            return True
        return self._has_its_place(level, pair) and self.similarity.renames.is_renamed(mine, theirs)

    def _has_its_place(self, level: Level, pair: Pair) -> bool:
        """Whether what stands right before or right behind a pair is the same in both texts, or nothing does."""
        if pair.mine + 1 == len(level.mine) and pair.theirs + 1 == len(level.theirs):
            return True
        for step in (-1, 1):
            mine, theirs = pair.mine + step, pair.theirs + step
            if not 0 <= mine < len(level.mine) or not 0 <= theirs < len(level.theirs):
                continue
            unit, other = level.mine[mine], level.theirs[theirs]
            if unit.is_code and self.mine.keys[unit.head] == self.theirs.keys[other.head]:
                return True
        return False
