"""Finds the place of a new key in the file: where the words say, beside the one shown with it, or by its order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import pairwise

MIN_SORTED = 3
MIN_SORTED_MEMBERS = 6  # of code, whose members seldom are
MIN_KIN = 4  # letters that the keys of one kind begin with
# Clauses, so that what one says of a key isn't taken for its neighbour.
_CLAUSE = re.compile(r"(?<=[.;!?:])\s+|,\s+(?!and\s+`)|\s*[()]\s*|\n\s*\n|\n(?=\s*[-*#/])")
_QUOTED = re.compile(r"`([^`\n]+)`")
_NAME = (
    r"(?:the\s+|its\s+|existing\s+|old\s+)*(?:(?:(?!and\b|or\b)[\w-]+\s+){1,3}(?=`))?"
    r"(`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'|[\w@$&.*/:#-]*[\w)])"
)
_BETWEEN = re.compile(rf"\bbetween\s+{_NAME}(?:'s)?(?:\s+[\w-]+){{0,3}}?\s+and\s+{_NAME}", re.IGNORECASE)
_BEHIND = re.compile(
    rf"\b(?:after|behind|below|under|beneath|follow(?:s|ing)?|takes?\s+the\s+place\s+of)\s+{_NAME}", re.IGNORECASE
)
_BEFORE = re.compile(rf"\b(?:before|above|in front of|ahead of|preced(?:es?|ing))\s+{_NAME}", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:(?:comes?|goes|stands?|is)\s+first|(?:as|is)\s+(?:the|its)\s+(?:very\s+)?first|first\s+(?:one|entry|key|item|property)|at\s+(?:the|its)\s+(?:very\s+)?(?:top|start|beginning))\b",
    re.I,
)
_LAST = re.compile(
    r"\b(?:(?:comes?|go(?:es)?|stands?|is)\s+last|(?:as|is)\s+(?:the|its)\s+(?:very\s+)?last|last\s+(?:one|entry|key|item|property)|at\s+(?:the|its)\s+(?:very\s+)?(?:end|bottom)|append(?:ed|s)?)\b",
    re.I,
)
_OF_FILE = re.compile(r"\b(?:end|bottom|top|beginning|start)\s+of\s+(?:the|this)\s+file\b", re.IGNORECASE)
_PART = re.compile(r"[^\W\d_]{4,}")  # a part of a key that words may name it by
_NUMBERED = re.compile(r"^(.*?)(\d[\d.]*)$")


class Way(Enum):
    """The rule where the words say nothing: by the neighbour shown, by order, last, or beside what is called alike."""

    BESIDE = "beside"
    SORTED = "sorted"
    LAST = "last"
    KIN = "kin"


@dataclass(frozen=True, slots=True)
class MergeRules:
    """One answer to each question that a partial file leaves open.

    way: where new keys go. said: the words of the message; lead: those that lead to the snippet; is_deaf: whether they
    place nothing. joins: whether a list of values keeps those that the snippet's doesn't have. whole: the keys of
    blocks that are shown complete. renames: whether a new key takes over an old one that is much like it. scatters:
    whether keys that only one other object has are that object's. is_quiet: whether comments above known keys that the
    file doesn't have speak to the reader. ends_as_shown: whether a list that is shown whole ends in a comma as the
    snippet's does, or as the file's. replaces: whether a block goes for one that has no key in common
    with it. rewrites: whether values are written as the snippet has them where only their writing differs.
    """

    way: Way
    said: str = ""
    lead: str = ""
    is_deaf: bool = False
    joins: bool = False
    whole: frozenset[str] = frozenset()
    renames: bool = False
    scatters: bool = False
    is_quiet: bool = False
    ends_as_shown: bool = False
    replaces: bool = False
    rewrites: bool = False

    def placer(self) -> Placer:
        """The placer of new keys under these rules."""
        return Placer(self.way, self.said, self.is_deaf, self.lead)


@dataclass(frozen=True, slots=True)
class Sibling:
    """A key of the file that a new one may stand beside. names: what the words may call it."""

    key: str
    names: frozenset[str]


@dataclass(slots=True)
class Placer:
    """Finds places, and counts what speaks for and against them.

    said: what the words around the snippet say; lead: those directly before it. is_deaf: whether they are passed over.
    min_sorted: so many keys in the alphabet's order are sorted, and not so by chance.
    counts: `told` of keys that the words place, `unsorted` of those that break the order of the others, `apart` of
    those away from the neighbour that they are shown beside, `unkin` of those away from what is called alike, `last` of
    those that nothing gave a place.
    """

    way: Way = Way.BESIDE
    said: str = ""
    is_deaf: bool = False
    lead: str = ""
    min_sorted: int = MIN_SORTED
    counts: Counter[str] = field(default_factory=Counter)

    def place(
        self,
        siblings: Sequence[Sibling],
        key: str,
        beside: int | None,
        note: str = "",
        owner: str = "",
    ) -> int:
        """The number of the sibling that the key goes before; len(siblings) for the last place.

        beside: where the snippet shows it. note: what a comment beside it says. owner: the key that it goes under.
        """
        said = self.said_place(siblings, key, note, owner)
        if said is not None:
            self.counts["told"] += 1
            if not self.is_deaf:
                return said
        fits = sorted_place([one.key for one in siblings], key, self.min_sorted)
        kin = kin_place([one.key for one in siblings], key)
        by_way = {Way.SORTED: fits, Way.KIN: kin, Way.LAST: len(siblings)}.get(self.way)
        place = next(
            one for one in (by_way, beside, None if self.way is Way.LAST else fits, len(siblings)) if one is not None
        )
        self.counts["last"] += (beside is None or self.way is Way.LAST) and place != fits and place != kin
        self.counts["apart"] += beside is not None and place != beside
        self.counts["unsorted"] += fits is not None and place != fits
        self.counts["unkin"] += kin is not None and place != kin
        return place

    def said_place(self, siblings: Sequence[Sibling], key: str, note: str = "", owner: str = "") -> int | None:
        """The place that the note or the words give a key; None where they give none."""
        if note:
            place = told_place(siblings, key, note)
            if place is None:
                place = told_end(siblings, note)
            if place is not None:
                return place
        clauses = _clauses(self.said)
        of_key = [clause for clause in clauses if is_named(key, clause)]
        of_owner = [clause for clause in clauses if owner and f"`{owner}`" in clause]
        alone = [clause for clause in clauses if self._is_only_place(clause)]
        ends = [told_end(siblings, clause) for clause in of_key], [told_end(siblings, clause) for clause in of_owner]
        by_key, by_owner, by_none = (
            [told_place(siblings, key, clause) for clause in told] for told in (of_key, of_owner, alone)
        )
        of_file = [told_end(siblings, self.lead)] if not owner and _OF_FILE.search(self.lead) else []
        part = part_named(key, siblings)
        of_part = [clause for clause in clauses if part is not None and part.search(clause)]
        quoted = [clause for clause in of_part if part and any(map(part.search, _QUOTED.findall(clause)))]
        by_part = [told_place(siblings, key, clause) for clause in quoted]
        by_part += [told_end(siblings, clause) for clause in of_part if not owner and _OF_FILE.search(clause)]
        leading = [clause for clause in _clauses(self.lead)[-2:] if set(_QUOTED.findall(clause)) <= {owner}]
        by_lead = [told_end(siblings, clause) for clause in leading if owner and not _OF_FILE.search(clause)]
        places = (*by_key, *ends[0], *by_owner, *ends[1], *of_file, *by_none, *by_part, *by_lead)
        return next((place for place in places if place is not None), None)

    @staticmethod
    def _is_only_place(clause: str) -> bool:
        """Whether a clause names nothing but where something goes."""
        named = _QUOTED.findall(clause)
        told = {
            name
            for pattern in (_BETWEEN, _BEHIND, _BEFORE)
            for one in pattern.finditer(clause)
            for name in one.groups()
        }
        return len(named) <= 2 and all(f"`{name}`" in told for name in named)


@lru_cache(maxsize=16)
def _clauses(said: str) -> tuple[str, ...]:
    return tuple(clause for clause in _CLAUSE.split(said) if clause)


def place_beside(before: int | None, after: int | None) -> int | None:
    """The place beside the sibling shown before a new one, or after it."""
    return before + 1 if before is not None else after


def is_named(key: str, clause: str) -> bool:
    """Whether a clause quotes the key, or has all of a longer one in its words."""
    bare = key.strip("\"'[]")
    return any(bare and bare in one for one in _QUOTED.findall(clause)) or (
        len(bare) >= MIN_KIN and re.search(rf"(?<![\w-]){re.escape(bare)}(?![\w-])", clause) is not None
    )


def part_named(key: str, siblings: Sequence[Sibling]) -> re.Pattern[str] | None:
    """The pattern of the parts of a key that none of its siblings has, as words or quotes may name it; None without."""
    others = {part for one in siblings for part in _PART.findall(one.key)}
    own = [part for part in _PART.findall(key) if part not in others]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, own))})(?![\w-])") if own else None


def told_place(siblings: Sequence[Sibling], key: str, clause: str) -> int | None:
    """The place that a clause gives the key: between two siblings, behind or before one; None where it gives none."""
    found = _BETWEEN.search(clause)
    if found:
        ends = [_meant(siblings, name, key) for name in found.groups()]
        if ends[0] and ends[1]:
            low, high = sorted((ends[0], ends[1]))
            return low[-1] + 1 if low[-1] < high[0] else None
    for pattern, number, offset in ((_BEHIND, -1, 1), (_BEFORE, 0, 0)):
        for one in pattern.finditer(clause):
            meant = _meant(siblings, one[1], key) if one[1].strip("`\"'") != key else []
            if meant:
                return meant[number] + offset
    return None


def told_end(siblings: Sequence[Sibling], clause: str) -> int | None:
    """The first or last place, where a clause asks for that."""
    if _FIRST.search(clause):
        return 0
    return len(siblings) if _LAST.search(clause) else None


def _meant(siblings: Sequence[Sibling], name: str, key: str) -> list[int]:
    """The siblings that a name means: the one called so, else those that begin or end so, in one run."""
    name = name.strip("`\"'[]")
    exact = [number for number, one in enumerate(siblings) if name in one.names]
    if exact:
        return exact[-1:]
    bare = "".join(name.split()).rstrip(",;").strip("\"'").lower()
    if len(bare) < 2:
        return []
    part = re.compile(rf"(?<![^\W_]){re.escape(bare)}(?![^\W_])")
    found = [
        number
        for number, one in enumerate(siblings)
        if any(_has_part(part, "".join(other.split()).lower(), bare) for other in one.names)
    ]
    # Several runs, or one number of several kinds: the one that is called most alike.
    if len(found) > 1 and (bare[0].isdigit() or found[-1] - found[0] >= len(found)):
        likest = max(len(_common(siblings[number].key, key)) for number in found)
        found = [number for number in found if len(_common(siblings[number].key, key)) == likest >= MIN_KIN]
    return found if found and found[-1] - found[0] < len(found) else []


def _has_part(part: re.Pattern[str], name: str, bare: str) -> bool:
    """Whether a name has a part of this name: numbers only at its end, as versions stand."""
    return name.endswith(bare) and part.search(name) is not None if bare[0].isdigit() else part.search(name) is not None


def _common(one: str, other: str) -> str:
    size = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:size]


def kin_place(keys: Sequence[str], key: str) -> int | None:
    """The key's place among those that differ from it only in the number at their end; None where there are none."""
    found = _NUMBERED.match(key)
    if not found or len(found[1]) < MIN_KIN:
        return None
    kin = [
        (_version(one[2]), number)
        for number, other in enumerate(keys)
        if (one := _NUMBERED.match(other)) and one[1] == found[1]
    ]
    if not kin or kin != sorted(kin):
        return None
    smaller = [number for version, number in kin if version < _version(found[2])]
    return smaller[-1] + 1 if smaller else kin[0][1]


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part)


def sorted_place(keys: Sequence[str], key: str, least: int = MIN_SORTED) -> int | None:
    """The key's place among at least so many keys that are in the alphabet's order; None where they aren't."""
    for order in (str, str.lower):
        ordered = [order(one) for one in keys]
        if len(keys) >= least and all(one < other for one, other in pairwise(ordered)):
            return sum(one < order(key) for one in ordered)
    return None


def in_order(keys: Sequence[str], place: int, new: Sequence[str], least: int = MIN_SORTED) -> list[int]:
    """The order of new keys at one place: the alphabet's where they and the file keep to it, else as they are shown."""
    if any(sorted_place(keys, key, least) != place for key in new):
        return list(range(len(new)))
    return sorted(range(len(new)), key=lambda number: new[number].lower())


def names_of(key: str, more: Iterable[str] = ()) -> frozenset[str]:
    """The names that words may call a key by."""
    return frozenset(name for one in (key, *more) for name in (one, one.strip("\"'[]"), one.lstrip("$@.#-")) if name)
