"""Lines that a snippet shows of the end of a block whose beginning it elides: deeper than what stands around them.

    # ... existing code ...
            return False

    try:

They stand right above what follows them, so that the end of the block there tells which block it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fastedit.anchor.similarity import Similarity
from fastedit.anchor.units import Unit


class Tail(NamedTuple):
    """Units [start, end) of a level of a snippet. follower: what stands right below; None where the level ends."""

    start: int
    end: int
    follower: Unit | None


class Tails:
    """Finds the ends of elided blocks that a level of a snippet shows."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table

    def places(self, units: Sequence[Unit], theirs: Sequence[Unit], *, is_root: bool) -> dict[Tail, list[Unit]]:
        """The original's units that end as the snippet's tails do, by tail."""
        places = {tail: self._ends(units[tail.end - 1], tail.follower, theirs) for tail in _tails(units)}
        # At the root nothing says what ends with the snippet: it is often indented as its lines stand in the file.
        return {
            tail: self._unseen(found, units)
            for tail, found in places.items()
            if found and not (is_root and tail.follower is None)
        }

    def _unseen(self, found: list[Unit], units: Sequence[Unit]) -> list[Unit]:
        """The units without those whose header the snippet shows, unless it shows all of them."""
        shown = {self.mine.keys[unit.head] for unit in units}
        return [unit for unit in found if self.theirs.keys[unit.head] not in shown] or found

    def _ends(self, last: Unit, follower: Unit | None, theirs: Sequence[Unit]) -> list[Unit]:
        """The original's units that end as `last` does and have the follower right behind them."""
        ending = [index for index, unit in enumerate(theirs) if self._ends_in(unit, last)]
        if follower is None:
            return [theirs[index] for index in ending if index + 1 == len(theirs)]
        return [
            theirs[index] for index in ending if index + 1 < len(theirs) and self._is_same(follower, theirs[index + 1])
        ]

    def _ends_in(self, theirs: Unit, last: Unit) -> bool:
        """Whether the original's unit ends in the snippet's, which may be changed."""
        if self.theirs.keys[theirs.end - 1] == self.mine.keys[last.end - 1]:
            return True
        if not theirs.has_body or last.has_body:
            return False
        innermost = self.similarity.original.path_to(theirs.end - 1)[-1]
        return self.similarity.compare(last, innermost).score > 0

    def _is_same(self, mine: Unit, theirs: Unit) -> bool:
        return self.similarity.compare(mine, theirs).score > 0 and mine.name == theirs.name


def _tails(units: Sequence[Unit]) -> Iterator[Tail]:
    """What stands deeper than what follows it, from a marker or the beginning on; declarations apart."""
    for start, unit in enumerate(units):
        above = units[start - 1] if start else None
        if not unit.is_code or (above is not None and above.is_code):
            continue
        end = next((n for n in range(start, len(units)) if not units[n].is_code), len(units))
        least = min(other.columns for other in units[start:end])
        follower = next(n for n in range(start, end) if units[n].columns == least)
        if any(other.name for other in units[start : max(follower, start + 1)]):
            continue
        if follower > start:
            yield Tail(start, follower, units[follower])
        elif end == len(units) and above is not None and above.columns < least:
            yield Tail(start, end, None)
