"""Finds the line of the original that each line of an edit is, or stands for, and indents the edit's lines as deep.

Lines that plainly are lines of the original have their places by `twins`. Between two of them every other line is
compared with every line there, and the best-scoring reading in which places only rise is sought by dynamic
programming, as sequences are aligned (Needleman and Wunsch, 1970); a gap costs more the wider it is, unless the edit
itself says there that it leaves lines out. A line has a place only where every reading that puts it elsewhere scores
worse by a margin. Assistants indent in other steps, or from another margin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

import numpy as np
import numpy.typing as npt

from fastedit.lines import ELISION, indent_of, twins

MAX_CELLS = 3_000_000  # lines of the edit times the square of the original's, between two twins: some 30 ms
MARGIN = 0.12  # by so much the best reading is better than any that puts a line elsewhere
# What a pair of lines scores. An equal line of a few letters counts less than a long one.
SHORT_LINE, PER_LETTER = 0.25, 0.1  # up to 1
EXACT = 0.05  # with the same indentation
BLANK = 0.05
MIN_LIKENESS, LIKE_ORIGIN, LIKE_SCALE = 0.6, 0.5, 1.2  # of lines that aren't equal, from 0.12 to 0.6
# What beside a pair counts.
CONTINUITY = 0.4  # the pair before is the two lines before
GAP, GAP_GROWTH, MAX_GAP = 0.15, 0.08, 0.9  # lines are skipped in one run of the edit
TINY = 1e-4
Floats = npt.NDArray[np.float32]


def unit_of(lines: Sequence[str]) -> str:
    """The step by which most lines that are deeper than the line before are deeper; "" where there are none."""
    indents = [indent_of(line) for line in lines if line.strip()]
    steps = Counter(
        other.removeprefix(one) for one, other in pairwise(indents) if len(other) > len(one) and other.startswith(one)
    )
    return max(steps, key=lambda step: (steps[step], -len(step)), default="")


def as_deep(codes: list[str], twins: Sequence[tuple[str, str]], unit: str, other_unit: str) -> list[str]:
    """The lines, indented so that most twins are where the original has them: as they are, moved as far as the least
    deep twin, or moved so and in the original's steps.
    """
    base, there = min(((indent_of(code), indent_of(twin)) for code, twin in twins), key=lambda pair: len(pair[0]))
    ways: list[Callable[[str], str | None]] = [
        lambda indent: indent,
        lambda indent: _shifted(indent, *_move_between(base, there)),
        lambda indent: _scaled(indent, base, there, unit, other_unit),
    ]
    best = max(ways, key=lambda way: sum(way(indent_of(code)) == indent_of(twin) for code, twin in twins))
    indents = [best(indent_of(code)) if code.strip() else indent_of(code) for code in codes]
    if any(indent is None for indent in indents):
        return codes
    return [str(indent) + code[len(indent_of(code)) :] for indent, code in zip(indents, codes, strict=True)]


def _move_between(own: str, there: str) -> tuple[str, str]:
    """The white space to cut from the beginning of an indentation and the one to put there, to have the other."""
    pairs = zip(reversed(own), reversed(there), strict=False)
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return own[: len(own) - num_common], there[: len(there) - num_common]


def _shifted(indent: str, cut: str, new: str) -> str | None:
    return new + indent.removeprefix(cut) if indent.startswith(cut) else None


def _scaled(indent: str, base: str, there: str, unit: str, other_unit: str) -> str | None:
    """The indentation with the other's steps from `there` instead of its own from `base`."""
    if not unit or not other_unit:
        return None
    steps, rest = divmod(len(indent) - len(base), len(unit))
    if steps < 0:
        less = other_unit * -steps
        return there.removesuffix(less) + " " * rest if there.endswith(less) else None
    return there + other_unit * steps + " " * rest


@dataclass(frozen=True, slots=True)
class Places:
    """Lines of the original, by lines of the edit. same: the line that it is; like: the one that it changes."""

    same: dict[int, int] = field(default_factory=dict)
    like: dict[int, int] = field(default_factory=dict)


def places(lines: Sequence[str], others: Sequence[str]) -> Places:
    """Finds the edit's lines in the original.

    lines: the edit's, with `ELISION` where it leaves lines out. others: the original's. Both without their ends.
    """
    keys, theirs = [line.strip() for line in lines], [line.strip() for line in others]
    found = Places(twins(keys, theirs))
    ends = [(-1, -1), *sorted(found.same.items()), (len(keys), len(theirs))]
    for (start, first), (end, last) in pairwise(ends):
        num, num_theirs = end - start - 1, last - first - 1
        if num and num_theirs and num * num_theirs**2 <= MAX_CELLS:
            edges = start >= 0, end < len(keys)
            for line, place in _placed(lines[start + 1 : end], others[first + 1 : last], *edges).items():
                line, place = start + 1 + line, first + 1 + place
                (found.same if keys[line] == theirs[place] else found.like)[line] = place
    return found


def _placed(lines: Sequence[str], others: Sequence[str], has_start: bool, has_end: bool) -> dict[int, int]:
    """The places of lines between two twins. has_start, has_end: whether there are both, or a text begins or ends."""
    scores = _scores(lines, others)
    is_elided = [line == ELISION for line in lines]
    forward = _best(scores, is_elided, has_start)
    backward = _best(scores[::-1, ::-1], is_elided[::-1], has_end)[::-1, ::-1]
    readings = forward + backward - np.where(np.isfinite(scores), scores, 0)  # the best with each pair in it
    best = readings.max()
    if not np.isfinite(best):
        return {}
    by_place: dict[int, list[int]] = {}
    for line, row in enumerate(readings):
        place = int(row.argmax())
        elsewhere = np.delete(row, place).max(initial=-np.inf)
        if row[place] >= best - TINY and row[place] - elsewhere >= MARGIN:
            by_place.setdefault(place, []).append(line)
    # Of several lines at one place any may be it.
    return {at[0]: place for place, at in by_place.items() if len(at) == 1}


def _scores(lines: Sequence[str], others: Sequence[str]) -> Floats:
    """[lines, others]: how well each pair of lines goes together; -inf where it doesn't."""
    from rapidfuzz import fuzz, process

    keys, theirs = np.array([line.strip() for line in lines]), np.array([line.strip() for line in others])
    ratios = process.cdist(keys.tolist(), theirs.tolist(), scorer=fuzz.ratio, dtype=np.float32) / 100
    letters = np.array([sum(map(str.isalnum, key)) for key in keys])
    weights = np.minimum(1.0, SHORT_LINE + PER_LETTER * letters)[:, None]
    is_exact = np.array(lines)[:, None] == np.array(others)[None]
    like = np.where(ratios >= MIN_LIKENESS, LIKE_SCALE * (ratios - LIKE_ORIGIN) * weights, -np.inf)
    scores = np.where(keys[:, None] == theirs[None], weights + EXACT * is_exact, like)
    is_blank, are_blank = (keys == "")[:, None], (theirs == "")[None]
    scores = np.where(is_blank | are_blank, np.where(is_blank & are_blank, BLANK, -np.inf), scores)
    is_elided = np.array([line == ELISION for line in lines])[:, None]  # numpy takes this NUL for nothing
    return np.where(is_elided, -np.inf, scores).astype(np.float32)


def _best(scores: Floats, is_elided: Sequence[bool], has_start: bool) -> Floats:
    """[lines, others]: for each pair the best score of a reading of all lines up to it that ends with it."""
    num, width = scores.shape
    skipped = np.subtract.outer(np.arange(width), np.arange(-1, width)) - 1  # from the place before, -1 for none
    costs = np.where(skipped > 0, np.minimum(GAP + GAP_GROWTH * np.log2(1 + skipped.clip(0)), MAX_GAP), 0)
    costs = np.where(skipped < 0, np.inf, costs).astype(np.float32)
    never = np.full(width + 1, -np.inf, dtype=np.float32)
    # By the last place that has a line, before which nothing was elided; and where something was.
    tight, free = never.copy(), never.copy()
    (tight if has_start else free)[0] = 0
    last = tight  # of these, what ends with the line before
    result = np.empty((num, width), dtype=np.float32)
    for line in range(num):
        if is_elided[line]:
            free, tight, last = np.maximum(free, tight), never, never
            result[line] = -np.inf
            continue
        reached = np.maximum((tight - costs).max(axis=1), np.maximum.accumulate(free)[:-1])
        result[line] = np.maximum(reached, last[:-1] + CONTINUITY) + scores[line]
        last = np.concatenate([never[:1], result[line]])
        tight = np.maximum(tight, last)
    return result
