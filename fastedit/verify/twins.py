"""Finds the lines of an edit that plainly are lines of the original.

Twins: lines that occur once in both, and what surrounds them, as patience diff matches lines (Bram Cohen): unique lines
first, in the longest order both texts have; then again between two such lines, where more are unique. Nothing is
guessed: a line that may be one of several has no twin.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Twins = dict[int, int]
ELISION = "\0"  # a key that no line has


def twins(keys: Sequence[str], others: Sequence[str]) -> Twins:
    """Lines of `keys` with the line of `others` that each is, rising in both; blank ones only beside others."""
    found: Twins = {}
    ranges = [(0, len(keys), 0, len(others))]
    while ranges:
        start, end, first, last = ranges.pop()
        chain = _rising(_unique(keys, start, end, others, first, last))
        if not chain:
            continue
        found.update(chain)
        ends = [(start - 1, first - 1), *chain, (end, last)]
        ranges += [
            (one + 1, other, at + 1, to) for (one, at), (other, to) in pairwise(ends) if other - one > 1 and to - at > 1
        ]
    return _extended(found, keys, others)


def _unique(
    keys: Sequence[str], start: int, end: int, others: Sequence[str], first: int, last: int
) -> list[tuple[int, int]]:
    """The lines that occur once in both ranges, as pairs in the order of `keys`."""
    num = Counter(keys[start:end])
    num_others = Counter(others[first:last])
    places = {others[at]: at for at in range(first, last)}
    return [
        (at, places[keys[at]])
        for at in range(start, end)
        if keys[at] and num[keys[at]] == 1 and num_others[keys[at]] == 1
    ]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers rise (by patience sorting)."""
    ends: list[int] = []  # the smallest second number that a chain of each length ends with
    chains: list[tuple[tuple[int, int], int]] = []  # pair, the one before it
    tops: list[int] = []
    for pair in pairs:
        length = bisect_left(ends, pair[1])
        before = tops[length - 1] if length else -1
        chains.append((pair, before))
        ends[length : length + 1] = [pair[1]]
        tops[length : length + 1] = [len(chains) - 1]
    chain = []
    at = tops[-1] if tops else -1
    while at >= 0:
        pair, at = chains[at]
        chain.append(pair)
    return chain[::-1]


def _extended(found: Twins, keys: Sequence[str], others: Sequence[str]) -> Twins:
    """Adds the equal lines directly beside twins, as far as they go."""
    taken = set(found.values())
    for step in (1, -1):
        for line in sorted(found, reverse=step < 0):
            at, to = line + step, found[line] + step
            while 0 <= at < len(keys) and 0 <= to < len(others) and at not in found and to not in taken:
                if keys[at] != others[to]:
                    break
                found[at] = to
                taken.add(to)
                at, to = at + step, to + step
    return found
