"""The likeliest alignments of a lazy edit with its original."""

from __future__ import annotations

from collections.abc import Sequence

from fastedit.anchor.alignment import Alignment, Segment, SegmentKind
from fastedit.anchor.lazy.certainty import certainty_of
from fastedit.anchor.lazy.reading import Reading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

__all__ = ["align_lazy"]

NUM_JUDGED = 3  # readings whose certainty is worth its time
NOTE_ODDS = -1.5  # a comment that is likelier to be code than this isn't surely a note
SECOND_BEST = 0.9  # a reading that counts only because a likelier one was turned down is right less often


def align_lazy(
    lines: Sequence[str],
    snippets: Sequence[Snippet],
    language: str,
    message: str,
    found: Outline,
    instruction: str = "",
) -> list[Alignment]:
    """The likeliest alignments of an edit's snippets, best first; none where there is nothing to place.

    lines: of the original, without line ends; found: its outline. Their certainties add up to 1 at most.
    """
    readings = readings_of(lines, snippets, language, message, found, instruction)
    if not readings:
        return []
    return [
        Alignment(_segments(reading, lines, share), (), (), share, _is_anchored(reading), _is_quoted(reading))
        for reading, share in zip(readings, _shares(readings), strict=True)
    ]


def _shares(readings: Sequence[Reading]) -> list[float]:
    """The probability of each reading: the first's certainty, then a later one's own, were those before it out."""
    shares: list[float] = []
    left = 1.0
    for number in range(len(readings)):
        behind = probabilities(readings[number:])
        certainty = certainty_of(behind) if number < NUM_JUDGED else behind[0].probability
        if number:
            certainty *= SECOND_BEST
        shares.append(left * min(1.0, certainty))
        left *= 1 - min(1.0, certainty)
    return shares


def _segments(reading: Reading, lines: Sequence[str], certainty: float) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    at = 0
    for start, end, new in reading.changes(lines):
        if at < start:
            segments.append(Segment(SegmentKind.KEEP, at, start))
        kind = SegmentKind.REPLACE if new and start < end else SegmentKind.INSERT if new else SegmentKind.DELETE
        segments.append(Segment(kind, start, end, tuple(new), certainty, "the likeliest reading"))
        at = end
    if at < len(lines):
        segments.append(Segment(SegmentKind.KEEP, at, len(lines)))
    return tuple(segments)


def _is_anchored(reading: Reading) -> bool:
    """Whether any telling line of the snippets stands in the original."""
    return any(
        not part.grid.rows[row].is_blank and not part.grid.shown.is_trivial[row]
        for part in reading.parts
        for row in part.plan.quoted
    )


def _is_quoted(reading: Reading) -> bool:
    """Whether every line of code of the snippets stands in the original as it is, nothing passed over unsaid."""
    if any(step.target.state in "JB" for part in reading.parts for step in part.path.steps):
        return False
    rows = [(part, row) for part in reading.parts for row, one in enumerate(part.grid.rows) if not one.is_blank]
    if any(row in part.plan.left_out and part.grid.rows[row].role("code") > NOTE_ODDS for part, row in rows):
        return False  # it may be a comment that is to be written
    code = [(part, row) for part, row in rows if row not in part.plan.markers and row not in part.plan.left_out]
    return bool(code) and all(
        row in part.plan.quoted and part.grid.shown.keys[row] in part.grid.original.places for part, row in code
    )
