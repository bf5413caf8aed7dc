"""Lines that a snippet shows of the end of a block whose beginning it elides: deeper than what stands around them.

    # ... existing code ...
            return False

    try:

They stand right above what follows them, so that the end of the block there tells which block it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastedit.anchor.similarity import Similarity
from fastedit.anchor.units import Unit


class Tails:
    """Finds the ends of elided blocks that a level of a snippet shows."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.mine = similarity.snippet.table
        self.theirs = similarity.original.table

    def places(self, units: Sequence[Unit], theirs: Sequence[Unit], *, is_root: bool) -> list[tuple[int, Unit]]:
        """The last lines of the original's units that end as the snippet shows it, each with its last unit there."""
        found: list[tuple[int, Unit]] = []
        for tail, follower in self._tails(units):
            if is_root and follower is None:
                continue  # a snippet is often indented as its lines stand in the file
            last = self.mine.keys[tail.end - 1]
            for index, unit in enumerate(theirs):
                is_last = index + 1 == len(theirs)
                if self.theirs.keys[unit.end - 1] != last or (is_last and follower is not None):
                    continue
                if follower is None:
                    is_here = is_last
                else:
                    is_here = self.similarity.compare(follower, theirs[index + 1]).score > 0
                if is_here:
                    found.append((unit.end - 1, tail))
        return found

    @staticmethod
    def _tails(units: Sequence[Unit]) -> Iterator[tuple[Unit, Unit | None]]:
        """The last unit of each tail with what follows it; None where the level ends with it."""
        for index, unit in enumerate(units):
            above = units[index - 1] if index else None
            if not unit.is_code or (above is not None and above.is_code):
                continue
            end = next((n for n in range(index, len(units)) if not units[n].is_code), len(units))
            least = min(other.columns for other in units[index:end])
            follower = next(n for n in range(index, end) if units[n].columns == least)
            if any(other.name for other in units[index:follower]) or (follower == index and units[index].name):
                continue
            if follower > index:
                yield units[follower - 1], units[follower]
            elif end == len(units) and above is not None and above.columns < least:
                yield units[end - 1], None
