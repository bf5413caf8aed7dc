"""Finds the entries of a file that those of a snippet are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from fastedit.anchor.lazy.keys.entries import Entry


def target_of(root: Entry, shown: Entry, prose: str) -> Entry | None:
    """The entry of the file that the snippet is part of: where most of its keys are known; None where that is open."""
    numbers = {id(one): _num_known(one, shown) for one in (root, *root.blocks())}
    most = max(numbers.values())
    if most and numbers[id(root)] == most:
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
        if found:
            result[number] = _likest(mine, found, one)
            del free[result[number] or 0]
    for number, one in enumerate(shown):
        if result[number] is None and one.marks:
            found = [other for other in free if _is_same_item(mine[other], one)]
            if found:
                result[number] = _likest(mine, found, one)
                del free[result[number] or 0]
    return result


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
