"""Explains how a message was read: what its lines were taken for, what becomes of the file, and how certain that is.

For people who look at it, in the playground; applying an edit needs none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.apply import begin
from fastedit.edits.model import Edit, Format, Snippet
from fastedit.edits.wording import LineKind, classify_lines
from fastedit.lines import body, key_of, split_lines
from fastedit.server.jobs import Job

# Marks of the patch formats around lines, and what stands after each until the next one.
SECTIONS = {"<<<<<<<": "removed", "=======": "new", ">>>>>>>": ""}


class LineRole(StrEnum):
    """The part that a line plays in a message.

    PROSE: around the edit. QUOTE: stands in the file, and stays. MARKER: stands for what isn't shown. REMOVAL: says
    that something goes. NOTE: speaks to the reader. CHANGE: takes the place of a line. NEW: is added. REMOVED: goes."""

    PROSE = "prose"
    QUOTE = "quote"
    MARKER = "marker"
    REMOVAL = "removal"
    NOTE = "note"
    CHANGE = "change"
    NEW = "new"
    REMOVED = "removed"
    BLANK = "blank"


KINDS = {
    LineKind.BLANK: LineRole.BLANK,
    LineKind.MARKER: LineRole.MARKER,
    LineKind.REMOVAL: LineRole.REMOVAL,
    LineKind.REMARK: LineRole.NOTE,
}


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """Lines [start_line, end_line) of the original, 0-based, become `lines`; kept ones have none."""

    kind: str
    start_line: int
    end_line: int
    lines: tuple[str, ...]
    certainty: float
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reading of a message. roles: one for each line. segments: of the likeliest reading, or the chosen one."""

    roles: tuple[LineRole, ...]
    segments: tuple[ExplainedSegment, ...]
    certainty: float


def explain(job: Job) -> Explanation:
    """Explains the reading of a job's message, applied or not. Raises EditRefused where there is no edit."""
    edits, _ = job.edits()
    begun = begin(job.original, edits, path=job.name, message=job.edit, instruction=job.instruction, choice=job.choice)
    alignment = begun.merged.alignment
    segments = tuple(
        ExplainedSegment(one.kind.value, one.start, one.end, one.lines, one.certainty, one.reason)
        for one in alignment.segments
    )
    lines = job.edit.split("\n")
    roles = [LineRole.PROSE if line.strip() else LineRole.BLANK for line in lines]
    for edit in edits:
        for number, role in _roles(edit, lines, job.original, alignment):
            if number < len(roles):
                roles[number] = role
    return Explanation(tuple(roles), segments, alignment.certainty)


def _roles(edit: Edit, lines: list[str], original: str, alignment: Alignment) -> Iterator[tuple[int, LineRole]]:
    """The roles of the message's lines that belong to the edit, with the lines' numbers."""
    if edit.format not in (Format.LAZY, Format.WHOLE):
        yield from _patch_roles(lines)
        return
    known = {key_of(body(line)) for line in split_lines(original)}
    changed = {key_of(line) for one in alignment.segments if one.kind is SegmentKind.REPLACE for line in one.lines}
    for snippet in edit.snippets:
        yield from _snippet_roles(snippet, known, changed)


def _snippet_roles(snippet: Snippet, known: set[str], changed: set[str]) -> Iterator[tuple[int, LineRole]]:
    for number, line in enumerate(snippet.lines, snippet.source_line):
        kind = classify_lines([line], lambda text: key_of(text) in known)[0].kind
        if kind in KINDS:
            yield number, KINDS[kind]
        elif key_of(line) in known:
            yield number, LineRole.QUOTE
        else:
            yield number, LineRole.CHANGE if key_of(line) in changed else LineRole.NEW


def _patch_roles(lines: list[str]) -> Iterator[tuple[int, LineRole]]:
    section = ""
    for number, line in enumerate(lines):
        if line[:7] in SECTIONS:
            section = SECTIONS[line[:7]]
            yield number, LineRole.MARKER
        elif section and line.strip():
            yield number, LineRole(section)
        elif line.startswith(("+++ ", "--- ", "@@", "*** ", "diff ")):
            yield number, LineRole.MARKER
        elif line.startswith("+"):
            yield number, LineRole.NEW
        elif line.startswith("-"):
            yield number, LineRole.REMOVED
        elif line.startswith(" "):
            yield number, LineRole.QUOTE
