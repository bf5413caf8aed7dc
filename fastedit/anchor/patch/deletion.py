"""Tells whether a file that a diff deletes is the one that it shows: what isn't shown would be lost without a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from fastedit.anchor.alignment import Problem
from fastedit.anchor.patch.quoted import likeness
from fastedit.edits.model import PatchHunk
from fastedit.errors import Candidate, Code

MAX_SHOWN_LINES = 12


def deletion_problem(lines: Sequence[str], hunks: Sequence[PatchHunk]) -> Problem | None:
    """Says why the file (its lines without ends) is another one than the hunks delete; None where it is the same.

    As elsewhere lines may be quoted badly, and blank ones don't count. A deletion that shows no lines fits any file.
    """
    if not hunks:
        return None
    quoted = [line.text for hunk in hunks for line in hunk.lines if line.text.strip()]
    rows = [row for row, line in enumerate(lines) if line.strip()]
    theirs = [lines[row] for row in rows]
    head = _num_alike(quoted, theirs)
    if head == len(quoted) == len(theirs):
        return None
    tail = _num_alike(reversed(quoted[head:]), reversed(theirs[head:]))
    different = rows[head : len(rows) - tail]
    start = rows[head] if head < len(rows) else len(lines)
    end = different[-1] + 1 if different else start
    what = _described(start, end, len(quoted) - head - tail)
    shown = "\n".join(lines[start : min(end, start + MAX_SHOWN_LINES)])
    return Problem(
        Code.ANCHOR_NOT_FOUND,
        f"the diff deletes another version of the file: {what}",
        (Candidate(start, end, "the diff deletes other lines here", shown),),
    )


def _num_alike(quoted: Iterable[str], theirs: Iterable[str]) -> int:
    """Counts the lines that the two have in common from their first on."""
    pairs = zip(quoted, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: likeness(*pair).is_same, pairs))


def _described(start: int, end: int, num_quoted: int) -> str:
    place = f"line {end}" if end - start == 1 else f"lines {start + 1}-{end}"
    if start == end:
        return f"{num_quoted} of its lines are not in the file, where it has line {start + 1}"
    if not num_quoted:
        return f"{place} of the file are not in it" if end - start > 1 else f"{place} of the file is not in it"
    return f"it has {num_quoted} other lines for {place} of the file"
