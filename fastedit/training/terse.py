"""Edits with less around their changes than a careful writer shows.

Assistants often leave out what stands beside a changed line, for the line itself tells where it goes. A model has to
have seen that: which lines of the original a new one stands for is then its own decision.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import takewhile

from rapidfuzz import fuzz

from fastedit.lines import split_lines
from fastedit.training.pairs import Pair, changes_between
from fastedit.verify.excerpts import BETWEEN_PARTS, EditLine
from fastedit.verify.windows import LineChange

SHARE_OF_SIDES = 0.6
MIN_LIKENESS = 60.0  # percent
MARGIN = 8.0  # by so much a line is liker to its like than to any other


def terse(pair: Pair, rng: random.Random) -> Pair:
    """Leaves out what a lazy pair's edit shows before or behind some of its changes, where a reader can still tell what
    they change. Gives the same pair where a reader can't.
    """
    old = [line.strip() for line in split_lines(pair.original)]
    lines = pair.edit_lines
    dropped, needed = set[int](), set[int]()
    for change in changes_between(split_lines(pair.original), split_lines(pair.merged)):
        before, behind = _context(lines, change, old)
        if change.start == change.end:
            needed |= set(before[:1])  # nothing else tells where an insertion goes
            told = [behind] if before else []
        else:
            told = [behind] if _is_told(change.lines[-1:], change.end - 1, old) else []
            told += [before] if _is_told(change.lines[:1], change.start, old) else []
        dropped |= {number for side in told if rng.random() < SHARE_OF_SIDES for number in side}
    dropped -= needed
    return pair.with_edit(_without(lines, dropped)) if dropped else pair


def _context(lines: Sequence[EditLine], change: LineChange, old: Sequence[str]) -> tuple[list[int], list[int]]:
    """The numbers of the edit's lines that show what is before and behind a change, nearest first; none where the edit
    doesn't show the change in one place.
    """
    start = _place_of([line.strip() for line in change.lines], [(line.code or "").strip() for line in lines])
    if start is None:
        return [], []
    end = start + len(change.lines)
    before = zip(range(start - 1, -1, -1), range(change.start - 1, -1, -1), strict=False)
    behind = zip(range(end, len(lines)), range(change.end, len(old)), strict=False)
    first, second = (
        [number for number, line in takewhile(lambda pair: _shows(lines[pair[0]], old[pair[1]]), pairs)]
        for pairs in (before, behind)
    )
    return first, second


def _shows(line: EditLine, key: str) -> bool:
    return line.code is not None and line.code.strip() == key


def _place_of(keys: Sequence[str], among: Sequence[str]) -> int | None:
    """The index at which the lines stand in a row; None unless that is one place."""
    length = len(keys)
    places = [at for at in range(len(among) - length + 1) if list(among[at : at + length]) == list(keys)]
    return places[0] if length and any(keys) and len(places) == 1 else None


def _is_told(new: Sequence[str], line: int, old: Sequence[str]) -> bool:
    """Whether a new line tells by itself that it stands for this line of the original and no other; none doesn't."""
    ratios = [fuzz.ratio(key, other) for key in map(str.strip, new) for other in old]
    if not ratios or ratios[line] < MIN_LIKENESS:
        return False
    return all(ratio <= ratios[line] - MARGIN for at, ratio in enumerate(ratios) if at != line)


def _without(lines: Sequence[EditLine], dropped: set[int]) -> list[EditLine]:
    """The lines without the dropped ones, with elisions in their place."""
    result: list[EditLine] = []
    for number, line in enumerate(lines):
        shown = EditLine(BETWEEN_PARTS, is_elision=True) if number in dropped else line
        if not (shown.is_elision and result and result[-1].is_elision):
            result.append(shown)
    return result
