"""Tells whether a file shows a hunk as applied already."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from fastedit.anchor.patch.locate import Level, LineIndex, Place
from fastedit.anchor.patch.quoted import weight_of
from fastedit.edits.model import Op, PatchHunk

# What the lines that a hunk leaves must tell, all together, to be known again.
MIN_TELLING = 1.0
MIN_TELLING_SIDE = 0.5
MIN_TELLING_ALONE = 2.5
_STRICT_LEVELS = (Level.EXACT, Level.INDENT, Level.LOOSE)


def is_applied(index: LineIndex, hunk: PatchHunk, num_alike: int) -> bool:
    """Whether what the hunk leaves stands in the file and what it expects doesn't.

    num_alike: how many hunks of the patch say the same; their lines may stand at no more places than that, or
    they could be anyone's.
    """
    if any(line.op is Op.SKIP for line in hunk.lines) or not 0 < len(_new_places(index, hunk)) <= num_alike:
        return False
    return not hunk.old or _strictness(index, hunk.old) > _strictness(index, hunk.new)


def is_plainly_applied(index: LineIndex, hunk: PatchHunk) -> bool:
    """Whether what an applied hunk leaves stands there to the letter, and is long enough to be no chance.

    The lines that it removes may then stand inside of what it leaves, indented anew for example.
    """
    return sum(map(weight_of, hunk.new)) >= MIN_TELLING_ALONE and _strictness(index, hunk.new) == 0


def stands_beside(index: LineIndex, hunk: PatchHunk, place: Place) -> bool:
    """Whether the lines that a hunk adds on one side of its context, removing none, stand there already.

    With context on both sides the lines would keep the context from being found.
    """
    ops = [op for op, _ in groupby(line.op for line in hunk.lines)]
    if ops not in ([Op.KEEP, Op.ADD], [Op.ADD, Op.KEEP]):
        return False
    new = _new_places(index, hunk, place.start)
    if ops[0] is Op.KEEP:
        return any(found.start == place.start for found in new)
    return any(found.end == place.end for found in new)


def _new_places(index: LineIndex, hunk: PatchHunk, near: int = 0) -> list[Place]:
    """The places where the lines that the hunk leaves stand, if they say enough to be known again."""
    added = [line.text for line in hunk.lines if line.op is Op.ADD]
    if _removes_unseen(hunk):
        return []
    if sum(map(weight_of, hunk.new)) < MIN_TELLING or (added and not any(text.strip() for text in added)):
        return []
    return _places(index, hunk.new, near) if added or len(hunk.new) > 1 else []


def _removes_unseen(hunk: PatchHunk) -> bool:
    """Whether the hunk removes lines without putting others there or telling context on both sides.

    What is left then stands in a file that never had those lines, too.
    """
    runs = [(op, list(run)) for op, run in groupby(hunk.lines, key=lambda line: line.op)]
    for number, (op, _) in enumerate(runs):
        beside = [runs[n] for n in (number - 1, number + 1) if 0 <= n < len(runs)]
        if op is not Op.DELETE or any(kind is Op.ADD for kind, _ in beside):
            continue
        telling = [sum(weight_of(line.text) for line in run) >= MIN_TELLING_SIDE for _, run in beside]
        if len(telling) < 2 or not all(telling):
            return True
    return False


def _strictness(index: LineIndex, lines: Sequence[str]) -> int:
    """Counts the steps that loosen the measure until the lines are found; one more where they never are."""
    return next((n for n, level in enumerate(_STRICT_LEVELS) if index.runs(lines, level, 0)), len(_STRICT_LEVELS))


def _places(index: LineIndex, lines: Sequence[str], near: int = 0) -> list[Place]:
    """The places of these lines by the strictest measure that finds any."""
    return next(filter(None, (index.runs(lines, level, near) for level in _STRICT_LEVELS)), [])
