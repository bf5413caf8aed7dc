"""Finds the entries of a file that those of a snippet are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from fastedit.anchor.lazy.keys.entries import Entry
from fastedit.anchor.lazy.keys.placing import Placer, Sibling, kin_place, names_of
from fastedit.anchor.lazy.keys.trees import selector

MAX_TARGETS = 2
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=\s*[-*]\s)")
_QUOTED = re.compile(r"`([^`\n]+)`")
_RENAMES = re.compile(
    r"\b(?:replac\w+|takes?\s+(?:over|the\s+place)|in\s+place\s+of|instead\s+of|renam\w+|used\s+to\s+be|was|were|formerly"
    r"|becomes?|old|(?:correct|new)\s+name|now)\b|→|->",
    re.IGNORECASE,
)
MIN_ALIKE = 65.0  # of 100: an entry that may be another's new form
MIN_NAMED = 75.0  # of one that holds nothing but a value, by its name alone


def target_of(root: Entry, shown: Entry, prose: str) -> Entry | None:
    """The entry of the file that the snippet is part of: where most of its keys are known; None where that is open."""
    numbers = {id(one): _num_known(one, shown) for one in (root, *root.blocks())}
    most = max(numbers.values())
    if most and numbers[id(root)] == most:
        return root
    tables = {one.key for one in root.children if one.key.startswith("[[")}
    if not most and all(one.key in tables for one in shown.children):
        return root  # one more of a kind
    if not most and _are_alike_items(root, shown):
        return root
    found = [one for one in root.blocks() if numbers[id(one)] == most and one.children]
    found = [one for one in found if one.children[0].is_item == shown.children[0].is_item]
    column = shown.children[0].column
    quoted = {name.strip("\"'[]") for name in re.findall(r"`([^`\n]+)`", prose)}
    for narrowed in (
        [one for one in found if one.key.strip("[]") in quoted],
        [one for one in found if most and column and one.children[0].column == column],
    ):
        if len(found) > 1 and narrowed:
            found = narrowed
    is_told = most or (bool(found) and found[0].key.strip("[]") in quoted)
    return found[0] if len(found) == 1 and is_told else None


def _are_alike_items(root: Entry, shown: Entry) -> bool:
    """Whether a file is a list, and all that is shown are further items of its kinds, at the same column."""
    kinds = {kind for one in root.children for kind, _ in one.marks[:1]}
    is_beside = shown.children[0].column == root.children[0].column
    marks = [one.marks[0][0] if one.is_item and one.marks else "first" for one in shown.children]
    return is_beside and all(kind in kinds and kind != "first" for kind in marks)


def is_placed(root: Entry, shown: Entry, placer: Placer) -> bool:
    """Whether words say where in a file entries go, none of which it has."""
    if any(one.is_item for one in shown.children) or shown.children[0].column != root.children[0].column:
        return False
    siblings = siblings_in(root)
    return any(placer.said_place(siblings, name_in(one)) is not None for one in shown.children)


def lists_of(
    root: Entry, shown: Entry, placer: Placer, prose: str, notes: dict[int, str]
) -> list[list[tuple[Entry, Entry]]]:
    """The likeliest lists of a file that a shown one without its key is part of, each with what is shown of it.

    Values that several lists have are those of all of them, where no list has them all.
    """
    lists = [one for one in root.blocks() if one.children and one.children[0].is_item]
    lists = [one for one in lists if one.children[0].is_block == shown.children[0].is_block]
    found = [(_fit(one, shown, placer, prose, notes), one) for one in lists]
    best = max((fit for fit, _ in found), default=(0, 0, 0, 0))
    if not any(best):
        return []
    result = [[(one, shown)] for fit, one in found if fit == best][:MAX_TARGETS]
    if best[0] < len(shown.children):
        spread = [(one, part) for _, one in found if (part := _known_part(one, shown)) is not None]
        if {child.key for _, part in spread for child in part.children} == {child.key for child in shown.children}:
            result.insert(0, spread)
    return result


def _fit(mine: Entry, shown: Entry, placer: Placer, prose: str, notes: dict[int, str]) -> tuple[int, ...]:
    """Counts what a list has in common with items: known ones, its name in the words, told places of new ones, kin."""
    numbers = matched(mine.children, shown.children)
    siblings = siblings_in(mine)
    keys = [one.key for one in siblings]
    new = [one for one, number in zip(shown.children, numbers, strict=True) if number is None]
    places = (placer.said_place(siblings, name_in(one), notes.get(one.start, "")) for one in new)
    told = sum(place not in (None, 0, len(keys)) for place in places)
    named = re.search(rf"(?<![\w-]){re.escape(mine.key)}(?![\w-])", prose) is not None
    kin = sum(kin_place(keys, name_in(one)) is not None for one in new)
    return len(numbers) - numbers.count(None), int(named), told, kin


def name_in(entry: Entry) -> str:
    """The name of an entry among its siblings: of an item what tells it apart."""
    if not entry.marks:
        return entry.key
    if entry.key.startswith("[["):
        return entry.key
    kind, value = entry.marks[0]
    return value.partition(":")[0] if kind == "first" else value


def siblings_in(entry: Entry) -> list[Sibling]:
    """The children of an entry, as places for new keys."""
    return [
        Sibling(name_in(one), names_of(one.key, (name_in(one), *(value for _, value in one.marks))))
        for one in entry.children
    ]


def _known_part(mine: Entry, shown: Entry) -> Entry | None:
    """The part of the shown items that a list has; None where that is nothing."""
    numbers = matched(mine.children, shown.children)
    known = [one for one, number in zip(shown.children, numbers, strict=True) if number is not None]
    return replace(shown, children=tuple(known)) if known else None


def _num_known(mine: Entry, shown: Entry) -> int:
    return sum(number is not None for number in matched(mine.children, shown.children))


def matched(mine: Sequence[Entry], shown: Sequence[Entry]) -> list[int | None]:
    """For each entry that is shown the one of the file that it is; items of a list by what tells them apart."""
    result: list[int | None] = [None] * len(shown)
    free = dict.fromkeys(range(len(mine)))
    names: dict[str, list[int]] = {}
    for number, one in enumerate(mine):
        names.setdefault(one.key, []).append(number)
    for number, one in enumerate(shown):
        found = [other for other in names.get(one.key, ()) if other in free and mine[other].is_item == one.is_item]
        if one.key.startswith("[["):
            found = [other for other in found if _is_same_item(mine[other], one)]
        if found:
            result[number] = _likest(mine, found, one)
            del free[result[number] or 0]
    for number, one in enumerate(shown):
        if result[number] is None and one.marks:
            found = [other for other in free if _is_same_item(mine[other], one)]
            if found:
                result[number] = _likest(mine, found, one)
                del free[result[number] or 0]
        if result[number] is None and one.is_item and one.is_block:  # `- name` that becomes `- name:` with keys below
            found = [other for other in free if mine[other].is_item and not mine[other].is_block]
            plain = [other for other in found if mine[other].key == name_in(one)]
            if plain:
                result[number] = plain[0]
                del free[plain[0]]
    return result


def told_renamed(old: Sequence[str], new: Sequence[str], said: str) -> dict[int, int]:
    """For new names the numbers of the old ones that the words say they replace: "`a` takes the place of `b`"."""
    result: dict[int, int] = {}
    if not old or not new:
        return result
    for sentence in _SENTENCE.split(said):
        quoted = {bare(name) for name in _QUOTED.findall(sentence)}
        if len(quoted) < 2 or not _RENAMES.search(_QUOTED.sub("`", sentence)):
            continue
        for at, name in enumerate(new):
            found = [number for number, other in enumerate(old) if bare(other) in quoted and bare(other) != bare(name)]
            found = [number for number in found if number not in result.values()]
            if bare(name) in quoted and len(found) == 1:
                result.setdefault(at, found[0])
    return result


def bare(name: str) -> str:
    """A name without what only its writing has."""
    return selector(name).strip("\"'[]{} ").removesuffix(":")


def renamed(mine: Sequence[Entry], shown: Sequence[Entry], numbers: Sequence[int | None]) -> dict[int, int]:
    """For entries that are shown and unknown, those of the file that they are likely the new form of."""
    free = [number for number in range(len(mine)) if number not in numbers]
    result: dict[int, int] = {}
    for at, one in enumerate(shown):
        if numbers[at] is None and free:
            likeness, best = max((_likeness(mine[number], one), -number) for number in free)
            if likeness >= MIN_ALIKE:
                result[at] = -best
                free.remove(-best)
    return result


def _likeness(mine: Entry, shown: Entry) -> float:
    """0 to 100: how much an entry is like one that is called otherwise; what stands in both counts like their names."""
    if mine.is_block != shown.is_block or mine.is_item != shown.is_item:
        return 0.0
    named = fuzz.ratio(mine.key, shown.key)
    if set(mine.key.split(",")) & set(shown.key.split(",")):  # selectors, of which one comes or goes
        return 100.0
    if not mine.is_block:
        return named if named >= MIN_NAMED else 0.0
    ours, theirs = ({child.text or child.key for child in one.children} for one in (mine, shown))
    return (named + 100 * len(ours & theirs) / max(1, len(theirs))) / 2


def _likest(mine: Sequence[Entry], found: Sequence[int], shown: Entry) -> int:
    """The number of the entry that has most in common with the shown one, among those found; the first of several."""
    keys = {child.key for child in shown.children}

    def likeness(number: int) -> tuple[float, int]:
        one = mine[number]
        if one.is_block or not shown.text:
            return sum(child.key in keys for child in one.children), -number
        return fuzz.ratio(one.text, shown.text), -number

    return found[0] if len(found) == 1 else max(found, key=likeness)


def _is_same_item(mine: Entry, shown: Entry) -> bool:
    ours, theirs = dict(mine.marks), dict(shown.marks)
    kinds = [kind for kind in ours if kind in theirs]
    return bool(kinds) and ours[kinds[0]] == theirs[kinds[0]]
