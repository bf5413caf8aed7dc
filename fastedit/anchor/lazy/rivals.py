"""The other readings beside the likeliest one, by how their results differ from it.

That a comment might as well stay tells something else of a reading than that a function might as well go: rivals of one
kind are wrong nearly always, those of another every second time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fastedit.anchor.lazy.forecast.network import compared
from fastedit.anchor.lazy.identity import is_comment_text
from fastedit.anchor.lazy.lines import LINE_COMMENT
from fastedit.anchor.lazy.reading import Reading

# What is otherwise in the other result: blank lines; columns; comments; the order; it keeps lines of the original, or
# has new ones, that the likeliest lacks; it lacks some of the original's, or new ones, that the likeliest has; else.
RIVALS = ("blank", "column", "comment", "order", "keeps", "writes", "loses", "omits", "other")
FAR_BEHIND = 9.0  # of a kind that no other reading is of


def rivals_of(readings: Sequence[Reading]) -> tuple[float, ...]:
    """(len(RIVALS),): how much less than the first one the best of the readings of each kind scores."""
    best = readings[0]
    behind = dict.fromkeys(RIVALS, FAR_BEHIND)
    for other in readings[1:]:
        kind = kind_of(best, other)
        behind[kind] = min(behind[kind], best.score - other.score)
    return tuple(behind.values())


def kind_of(best: Reading, other: Reading) -> str:
    """The kind of the difference between two readings, see `RIVALS`."""
    start, behind = _alike(best, other)
    changes = compared(best.lines, other.lines, start, behind)
    pairs = [(best.lines[start:end], lines) for start, end, lines in changes]
    mine, theirs = ([line for pair in pairs for line in pair[number]] for number in (0, 1))
    ours, others = map(_stripped, (mine, theirs))
    if all(_stripped(old) == _stripped(new) for old, new in pairs):
        return "column" if ours else "blank"
    if Counter(ours) == Counter(others):
        return "order"
    if _code_of(ours) == _code_of(others):
        return "comment"
    if not ours:
        return "keeps" if _are_the_originals(theirs, other) else "writes"
    if not others:
        return "loses" if _are_the_originals(mine, best) else "omits"
    return "other"


def _are_the_originals(lines: Sequence[str], reading: Reading) -> bool:
    """Whether a reading has all of these lines from the original."""
    pairs = zip(reading.lines, reading.origins, strict=True)
    return {line for line in lines if line.strip()} <= {line for line, origin in pairs if origin is not None}


def _alike(*readings: Reading) -> tuple[int, int]:
    """The numbers of lines at the top and at the end that none of the readings changes."""
    texts = readings[0].original.texts if readings[0].original is not None else ()
    changes = [made for reading in readings if (made := reading.changes(texts))]
    start = min((made[0][0] for made in changes), default=0)
    end = max((made[-1][1] for made in changes), default=0)
    return start, len(texts) - end if changes else 0


def _stripped(lines: Sequence[str]) -> list[str]:
    """The lines without indentation and blanks, those that are nothing else left out."""
    return list(filter(None, map(str.strip, lines)))


def _code_of(lines: Sequence[str]) -> list[str]:
    """The stripped lines without comments, those that are nothing else left out."""
    return [code for line in lines if not is_comment_text(line) and (code := LINE_COMMENT.sub("", line))]
