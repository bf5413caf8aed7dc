"""Lines that a snippet shows one right below the other, and that a result has apart.

Whoever shows two lines together, without a marker between, hardly means a result in which others stand between them.
Steps only see this where a path goes from one row to the next; here the merged result is asked, whatever made it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fastedit.anchor.lazy.lines import Change, Lines

MAX_PLACES = 60  # of a line: a commoner one may be any
NEVER_WRITTEN = 1 << 30  # behind whatever is written where an old line stands


class Apart(NamedTuple):
    """Pairs of lines that a result has apart though a snippet shows them together.

    num_turned: those of which it has the second above the first alone.
    """

    num_apart: int
    num_turned: int


class _Stretch(NamedTuple):
    """Old keys that become others, both with those right above and below; blank lines left out."""

    old: list[str]
    new: list[str]


class Neighbours:
    """Pairs of lines that follow each other in a snippet, without white space, against one original."""

    def __init__(self, original: Lines, pairs: Collection[tuple[str, str]]) -> None:
        self.original = original
        places = original.places
        self.pairs = [pair for pair in pairs if all(len(places.get(key, ())) <= MAX_PLACES for key in pair)]
        self._wanted = frozenset(self.pairs)
        self._keys = frozenset(key for pair in self.pairs for key in pair)
        self._together = {pair: self._num_together(*pair) for pair in self.pairs}

    def _num_together(self, first: str, second: str) -> int:
        """Counts how often the original has one line right above another."""
        keys = (*self.original.keys, "")
        beside = (self.original.beside(line, line + 1)[1] for line in self.original.places.get(first, ()))
        return sum(keys[line] == second for line in beside)

    def apart(self, changes: Sequence[Change]) -> Apart:
        """Counts the pairs that a result has apart. changes: of the original's lines; ascending."""
        together, there = Counter[tuple[str, str]](), Counter[str]()
        for old, new in self._stretches(changes):
            for sign, keys in ((-1, old), (1, new)):
                for key in keys[1:-1]:
                    if key in self._keys:
                        there[key] += sign
                for pair in pairwise(keys):
                    if pair in self._wanted:
                        together[pair] += sign
        places = self.original.places
        found = [
            pair
            for pair in self.pairs
            if self._together[pair] + together[pair] <= 0
            and all(len(places.get(key, ())) + there[key] > 0 for key in pair)
        ]
        return Apart(len(found), self._num_turned(found, changes) if found else 0)

    def _num_turned(self, pairs: Sequence[tuple[str, str]], changes: Sequence[Change]) -> int:
        """Counts the pairs of which every second line stands above each first one."""
        gone = {line for start, end, _ in changes for line in range(start, end)}
        places: dict[str, list[tuple[int, int]]] = {}
        for key in {key for pair in pairs for key in pair}:
            old = self.original.places.get(key, ())
            places[key] = [(line, NEVER_WRITTEN) for line in old if line not in gone]
        for start, _, new in changes:
            for number, line in enumerate(new):
                if (key := "".join(line.split())) in places:
                    places[key].append((start, number))
        return sum(min(places[first]) > max(places[second]) for first, second in pairs)

    def _stretches(self, changes: Sequence[Change]) -> Iterator[_Stretch]:
        """Yields the changes, those joined that only blank lines part."""
        keys = self.original.keys
        start, end, new = -1, -1, list[str]()
        for first, last, lines in changes:
            if start >= 0 and any(keys[end:first]):
                yield self._stretch(start, end, new)
                start, new = -1, []
            start, end = (first if start < 0 else start), last
            new += [key for line in lines if (key := "".join(line.split()))]
        if start >= 0:
            yield self._stretch(start, end, new)

    def _stretch(self, start: int, end: int, new: Sequence[str]) -> _Stretch:
        before, behind = self.original.beside(start, end)
        keys = self.original.keys
        above = keys[before] if before >= 0 else ""
        below = keys[behind] if behind < len(keys) else ""
        return _Stretch([above, *filter(None, keys[start:end]), below], [above, *new, below])
