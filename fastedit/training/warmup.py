"""Very short edits, from which a new model finds out in minutes that an answer is mostly copied.

In documents of a hundred tokens there are few places to copy from; in real windows it takes a model several times as
many tokens until it does so at all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from fastedit.lines import split_lines
from fastedit.training.pairs import Pair

MARKER = "... existing code ..."
MIN_LINES, MAX_LINES = 3, 9
MAX_NEW_LINES = 2
CONTEXT = (1, 2)


def short_pairs(pairs: Iterator[Pair], rng: random.Random, copies: int) -> Iterator[Pair]:
    """`copies` short pairs out of every pair: a few lines of its original, lines of the next one put into them."""
    for pair, other in pairwise(pairs):
        for _ in range(copies):
            if (short := short_pair(pair, other, rng)) is not None:
                yield short


def short_pair(pair: Pair, other: Pair, rng: random.Random) -> Pair | None:
    """One change of a few lines, with markers for what the edit leaves out; None for an original that is too short."""
    lines, strange = split_lines(pair.original), split_lines(other.original)
    if len(lines) < MIN_LINES or not strange:
        return None
    length = rng.randint(MIN_LINES, min(MAX_LINES, len(lines)))
    first = rng.randint(0, len(lines) - length)
    old = [_ended(line) for line in lines[first : first + length]]
    start = rng.randint(0, length)
    end = min(length, start + rng.randint(0, MAX_NEW_LINES))
    at = rng.randrange(len(strange))
    num_new = rng.randint(0 if end > start else 1, MAX_NEW_LINES)
    new = [_ended(line) for line in strange[at : at + num_new]]
    edit = _rendered(old, start, end, new, rng)
    merged = "".join([*old[:start], *new, *old[end:]])
    return Pair("".join(old), edit, merged, pair.source, "short", "lazy")


def _rendered(old: list[str], start: int, end: int, new: list[str], rng: random.Random) -> str:
    above, below = max(0, start - rng.randint(*CONTEXT)), min(len(old), end + rng.randint(*CONTEXT))
    marker = f"{rng.choice(('#', '//'))} {MARKER}\n"
    head = [marker] if above > 0 else []
    tail = [marker] if below < len(old) else []
    return "".join([*head, *old[above:start], *new, *old[end:below], *tail])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + "\n"
