"""Finds where a draft goes on after a divergence: pure functions on bytes.

The target has left the source at byte `floor` and has written something else since. The place where it joins the
source again lies at or behind `floor`, never before it (a moved block is the look-up drafters' business). In the
order of what they prove:

1. The place that the divergence itself predicts: what was just written stands at `floor` (something was inserted
   and the old text goes on).
2. A line of the rest that begins like the line being written (lines were skipped), a declaration's first line
   before others.
3. The longest suffix of what was written that occurs in the rest.
4. With nothing to match: behind the word or line that was replaced, or at the next declaration.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

MAX_SUFFIX_BYTES = 256
CERTAIN_BYTES = 6  # so many bytes that are no blanks, found nowhere else, are no coincidence
INSERTED_BYTES = 3  # at the predicted place fewer do
LINE_OVER_INSERTION = 2  # a line's beginning outweighs an insertion's end by this factor
NOT_BLANK = bytes(byte for byte in range(256) if byte not in b" \t\r\n")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The draft goes on at byte `offset` of the source. is_certain: no other place looks like it."""

    offset: int
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """All that is known after a divergence.

    source: the draft text. floor: the byte where the target left it. refused_end: end of the source's token there.
    line: the output's last line so far, from its start. written: all of the output since the divergence.
    previous_line: the output's line before, without its end. boundaries: bytes where declarations begin, ascending.
    """

    source: bytes
    floor: int
    refused_end: int
    line: bytes
    written: bytes
    previous_line: bytes
    boundaries: tuple[int, ...] = ()


def find_anchor(lost: Lost) -> Anchor | None:
    """Finds where the draft goes on; None where nothing suggests itself yet."""
    if lost.source.startswith(lost.written, lost.floor):  # the same text, cut into other tokens
        return Anchor(lost.floor + len(lost.written), is_certain=True)
    inserted, num_inserted = _after_insertion(lost)
    skipped = _after_skipped_lines(lost)
    # A whole line's beginning says more than the few bytes that an inserted text may end with by chance.
    says_more = skipped is not None and _significant(lost.line) > LINE_OVER_INSERTION * num_inserted
    if inserted is not None and inserted.is_certain and not says_more:
        return inserted
    if skipped is not None and skipped.is_certain:
        return skipped
    suffix = _after_suffix(lost)
    if suffix is not None and suffix.is_certain:
        return suffix
    return skipped or inserted or suffix or _predicted(lost)


def _significant(text: bytes) -> int:
    return len(text) - len(text.translate(None, NOT_BLANK))


def _after_insertion(lost: Lost) -> tuple[Anchor | None, int]:
    """Anchors behind the longest suffix of what was written that the source has at `floor`; how many bytes count."""
    longest = min(len(lost.written) - 1, MAX_SUFFIX_BYTES)
    for length in range(longest, 0, -1):
        suffix = lost.written[-length:]
        if lost.source.startswith(suffix, lost.floor):
            significant = _significant(suffix)
            if significant == 0:
                break
            return Anchor(lost.floor + length, is_certain=significant >= INSERTED_BYTES), significant
    return None, 0


def _after_skipped_lines(lost: Lost) -> Anchor | None:
    """Anchors behind the first line of the rest that begins like the line being written."""
    if _significant(lost.line) == 0:
        return None
    wanted = b"\n" + lost.line
    found = lost.source.find(wanted, max(lost.floor - len(lost.line), 0))
    if found < 0:
        return None
    others = lost.source.find(wanted, found + 1)
    if others >= 0:
        found = _first_declaration(lost, wanted, found)
    is_certain = others < 0 and _significant(lost.line) >= CERTAIN_BYTES
    return Anchor(found + len(wanted), is_certain)


def _first_declaration(lost: Lost, wanted: bytes, default: int) -> int:
    """The first place at or behind `default` where `wanted` begins a declaration; `default` where none does."""
    for boundary in lost.boundaries[bisect_left(lost.boundaries, default) :]:
        if lost.source.startswith(wanted, boundary - 1):
            return boundary - 1
    return default


def _after_suffix(lost: Lost) -> Anchor | None:
    """Anchors behind the nearest occurrence of the longest suffix of what was written that the rest has."""
    low, high = 0, min(len(lost.written), MAX_SUFFIX_BYTES)
    while low < high:  # if a suffix occurs, so do all shorter ones
        middle = (low + high + 1) // 2
        if lost.source.find(lost.written[-middle:], lost.floor) >= 0:
            low = middle
        else:
            high = middle - 1
    if low == 0:
        return None
    suffix = lost.written[-low:]
    significant = _significant(suffix)
    if significant < INSERTED_BYTES:
        return None
    found = lost.source.find(suffix, lost.floor)
    is_unique = lost.source.find(suffix, found + 1) < 0
    return Anchor(found + low, is_certain=is_unique and significant >= CERTAIN_BYTES)


def _predicted(lost: Lost) -> Anchor | None:
    """Anchors, with nothing to match, at what a replaced word, line or declaration would be followed by."""
    if not lost.line:
        return _next_line(lost)
    is_first_token = lost.refused_end > lost.floor and len(lost.written) <= 2 * (lost.refused_end - lost.floor) + 8
    if is_first_token and _significant(lost.written):
        return Anchor(lost.refused_end, is_certain=False)
    return None


def _next_line(lost: Lost) -> Anchor | None:
    """Anchors where a line has just been ended: it replaced the source's line at `floor`, or was inserted before it."""
    line_start = lost.source.rfind(b"\n", 0, lost.floor) + 1
    line_end = lost.source.find(b"\n", lost.floor)
    if line_end < 0:
        return None
    if not lost.previous_line.strip():
        following = bisect_left(lost.boundaries, lost.floor)
        if following < len(lost.boundaries):
            return Anchor(lost.boundaries[following], is_certain=False)
    old = lost.source[line_start:line_end]
    if _share_alike(old, lost.previous_line):
        return Anchor(line_end + 1, is_certain=False)
    return Anchor(max(line_start, lost.floor), is_certain=False) if line_start == lost.floor else None


def _share_alike(one: bytes, other: bytes) -> bool:
    """Whether two lines begin and end alike over half of the shorter one's length."""
    one, other = one.strip(), other.strip()
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shorter - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return shorter > 0 and 2 * (head + tail) >= shorter
