"""Finds the place of a new key in the file: where the words say, beside the one shown with it, or by its order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

MIN_SORTED = 3
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=\s*[-*#/])")
_QUOTED = re.compile(r"`([^`\n]+)`")
_NAME = r"(?:the\s+|its\s+|existing\s+)*[`\"']?([\w@$&.*/:#-]*[\w)])[`\"']?"
_BETWEEN = re.compile(rf"\bbetween\s+{_NAME}\s+and\s+{_NAME}", re.IGNORECASE)
_BEHIND = re.compile(rf"\b(?:after|behind|below|under|beneath|follow(?:s|ing)?)\s+{_NAME}", re.IGNORECASE)
_BEFORE = re.compile(rf"\b(?:before|above|in front of|ahead of)\s+{_NAME}", re.IGNORECASE)


class Way(Enum):
    """The rule where the words say nothing: by the neighbour that is shown, by the keys' order, or last as new."""

    BESIDE = "beside"
    SORTED = "sorted"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Sibling:
    """A key of the file that a new one may stand beside. names: what the words may call it."""

    key: str
    names: frozenset[str]


@dataclass(slots=True)
class Placer:
    """Finds places, and counts what speaks for and against them.

    said: what the words around the snippet say. counts: `unsorted` of keys that break the order of the others,
    `apart` of those away from the neighbour that they are shown beside, `last` of those that nothing gave a place.
    """

    way: Way = Way.BESIDE
    said: str = ""
    counts: Counter[str] = field(default_factory=Counter)

    def place(
        self, siblings: Sequence[Sibling], key: str, before: int | None, after: int | None, note: str = ""
    ) -> int:
        """The number of the sibling that the key goes before; len(siblings) for the last place.

        before, after: the sibling shown before it, or after it. note: what a comment beside it says.
        """
        said = self._said(siblings, key, note)
        if said is not None:
            return said
        beside = before + 1 if before is not None else after
        fits = sorted_place([one.key for one in siblings], key)
        if self.way is Way.SORTED and fits is not None:
            place = fits
        elif self.way is Way.LAST or beside is None:
            place = fits if beside is None and fits is not None and self.way is not Way.LAST else len(siblings)
            self.counts["last"] += place != fits
        else:
            place = beside
        self.counts["apart"] += beside is not None and place != beside
        self.counts["unsorted"] += fits is not None and place != fits
        return place

    def _said(self, siblings: Sequence[Sibling], key: str, note: str) -> int | None:
        for sentence in (note, *_SENTENCE.split(self.said)):
            if sentence and (sentence is note or self._speaks_of(sentence, key)):
                place = told_place(siblings, key, sentence)
                if place is not None:
                    return place
        return None

    def _speaks_of(self, sentence: str, key: str) -> bool:
        """Whether a sentence names the key, or nothing but where something goes."""
        named = _QUOTED.findall(sentence)
        if key in named or any(key and key in one for one in named):
            return True
        patterns = (_BETWEEN, _BEHIND, _BEFORE)
        told = {name for pattern in patterns for one in pattern.finditer(sentence) for name in one.groups()}
        return len(named) <= 2 and all(name in told for name in named)


def told_place(siblings: Sequence[Sibling], key: str, sentence: str) -> int | None:
    """The place that a sentence gives the key: between two siblings, behind or before one; None where it gives none."""
    places = {name: number for number, one in enumerate(siblings) for name in one.names}
    found = _BETWEEN.search(sentence)
    if found and found[1] in places and found[2] in places:
        return min(places[found[1]], places[found[2]]) + 1
    for pattern, offset in ((_BEHIND, 1), (_BEFORE, 0)):
        named = next((one[1] for one in pattern.finditer(sentence) if one[1] in places), None)
        if named is not None and named != key:
            return places[named] + offset
    return None


def sorted_place(keys: Sequence[str], key: str) -> int | None:
    """The key's place among keys that are in the alphabet's order; None where they aren't."""
    for order in (str, str.lower):
        ordered = [order(one) for one in keys]
        if len(keys) >= MIN_SORTED and all(one < other for one, other in pairwise(ordered)):
            return sum(one < order(key) for one in ordered)
    return None


def in_order(keys: Sequence[str], place: int, new: Sequence[str]) -> list[int]:
    """The order of new keys at one place: the alphabet's where they and the file keep to it, else as they are shown."""
    if any(sorted_place(keys, key) != place for key in new):
        return list(range(len(new)))
    return sorted(range(len(new)), key=lambda number: new[number].lower())


def names_of(key: str, more: Iterable[str] = ()) -> frozenset[str]:
    """The names that words may call a key by."""
    return frozenset(name for one in (key, *more) for name in (one, one.strip("\"'[]"), one.lstrip("$@.#-")) if name)
