"""Which segments of an alignment are right, told from the expected text."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from evals.accuracy.outcomes import JudgedSegment
from fastedit.anchor import align, align_readings
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Format
from fastedit.lines import body, split_lines
from fastedit.syntax import language_of, outline


def judged_segments(original: str, message: str, path: str, expected: str) -> tuple[JudgedSegment, ...]:
    """The segments of the message's only edit; none where it has several, or can't be read."""
    edits, _ = edits_for(parse_message(message), path)
    if len(edits) != 1:
        return ()
    language = language_of(path, original)
    if edits[0].format is not Format.LAZY:
        return judge(original, align(original, edits[0], outline(original, language)), expected)
    readings = align_readings(original, edits[0], language, message)
    return judge(original, readings[0], expected) if readings else ()


def judge(original: str, alignment: Alignment, expected: str) -> tuple[JudgedSegment, ...]:
    """A segment is right where its lines stand in the expected text, in their place, and nothing is missing at it."""
    lines = [body(line) for line in split_lines(original)]
    wanted = [body(line) for line in split_lines(expected)]
    rendered, owners = _rendered(alignment.segments, lines)
    wrong = set[int]() if rendered == wanted else _wrong_owners(rendered, wanted, owners, alignment.segments)
    return tuple(
        JudgedSegment(segment.kind.value, segment.certainty, index not in wrong)
        for index, segment in enumerate(alignment.segments)
    )


def _rendered(segments: Sequence[Segment], lines: Sequence[str]) -> tuple[list[str], list[int]]:
    """The lines of the merged draft, and for each the index of its segment."""
    rendered: list[str] = []
    owners: list[int] = []
    for index, segment in enumerate(segments):
        own = lines[segment.start : segment.end] if segment.kind is SegmentKind.KEEP else segment.lines
        rendered.extend(own)
        owners.extend([index] * len(own))
    return rendered, owners


def _wrong_owners(rendered: list[str], wanted: list[str], owners: list[int], segments: Sequence[Segment]) -> set[int]:
    """The segments that differ; where lines are missing, a deletion there or else the segments on both sides."""
    wrong: set[int] = set()
    matcher = difflib.SequenceMatcher(None, rendered, wanted, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag in ("replace", "delete"):
            wrong.update(owners[start:end])
        if tag in ("replace", "insert"):
            wrong.update(_at_seam(start, end, owners, segments))
    return wrong


def _at_seam(start: int, end: int, owners: list[int], segments: Sequence[Segment]) -> list[int]:
    left = owners[start - 1] if start > 0 else -1
    right = owners[end] if end < len(owners) else len(segments)
    deletions = [index for index in range(left + 1, right) if segments[index].kind is SegmentKind.DELETE]
    if deletions or start < end:
        return deletions
    return [index for index in (left, right) if 0 <= index < len(segments)]
