"""Which pairs of units a level's chain may be made of."""

from __future__ import annotations

from collections import Counter

from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.similarity import MIN_REPEATED_OVERLAP, NEARLY_SAME, Likeness, Similarity
from fastedit.anchor.units import Unit

MIN_TELLING_SCORE = 0.6
MIN_OVERLOAD_RATIO = 0.9
_NAMED = frozenset({"function", "class", "section"})


class Pairing:
    """Finds the candidate pairs of levels by their likeness."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.theirs = similarity.original.table

    def candidates(self, level: Level) -> list[Pair]:
        candidates: list[Pair] = []
        heads = Counter(self.theirs.keys[other.head] for other in level.theirs)
        heads.update(other.name for other in level.theirs if other.name)
        for index, unit in enumerate(level.mine):
            if not unit.is_code:
                continue
            for other_index, other in enumerate(level.theirs):
                likeness = self.similarity.compare(unit, other)
                if likeness.score > 0 and not self._is_another(unit, other, likeness, heads):
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

    def _without_taken_names(self, level: Level, candidates: list[Pair]) -> list[Pair]:
        """The candidates without renames of declarations that the snippet shows under their own name.

        Only a declaration with something elided has to be one of the original's under another name.
        """
        names = {unit.name for unit in level.mine if unit.name}
        own = {unit.name for unit in level.theirs if unit.name}
        result = []
        for pair in candidates:
            mine, theirs = level.mine[pair.mine].name, level.theirs[pair.theirs].name
            if mine and theirs and mine != theirs:
                is_taken = theirs in names or mine in own or theirs in level.removed
                shown = level.mine[pair.mine]
                if is_taken or (shown.declares in _NAMED and not self.similarity.has_elision(shown)):
                    continue
            result.append(pair)
        return result
