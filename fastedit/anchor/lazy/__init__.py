"""Lazy edits laid on their original: one fitted search over snippet and file (see README.md beside this file)."""

from __future__ import annotations

from collections.abc import Sequence

from fastedit.anchor.lazy.certainty import certainty_of
from fastedit.anchor.lazy.readings import Reading, readings_of
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

__all__ = ["align_lazy"]


def align_lazy(
    lines: Sequence[str], snippets: Sequence[Snippet], language: str, message: str, found: Outline, instruction: str = ""
) -> list[Alignment]:
    """The likeliest alignments of an edit's snippets, best first; none where there is nothing to place.

    lines: of the original, without line ends; found: its outline. Their certainties add up to 1 at most.
    """
    readings = readings_of(lines, snippets, language, message, found, instruction)
    if not readings:
        return []
    certainty = certainty_of(readings)
    rest = sum(reading.probability for reading in readings[1:])
    shares = [certainty, *((1 - certainty) * reading.probability / max(rest, 1e-9) for reading in readings[1:])]
    return [
        Alignment(_segments(reading, lines, min(share, 1.0)), (), (), min(share, 1.0), _is_anchored(reading), _is_quoted(reading))
        for reading, share in zip(readings, shares, strict=True)
    ]


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
    """Whether every line of code of the snippets stands in the original as it is, and there is one."""
    rows = [(part, row) for part in reading.parts for row, one in enumerate(part.grid.rows) if not one.is_blank]
    code = [(part, row) for part, row in rows if row not in part.plan.markers and row not in part.plan.left_out]
    return bool(code) and all(
        row in part.plan.quoted and part.grid.shown.keys[row] in part.grid.original.places for part, row in code
    )
