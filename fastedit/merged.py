"""The merged draft: an edit's lines where the alignment says they belong, and what speaks against that."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from fastedit.anchor import align
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.anchor.text import key_of
from fastedit.applied import render
from fastedit.edits.model import Edit
from fastedit.errors import Candidate, Code, EditRefused, PlaceUnknown, Warning
from fastedit.guard import Original, inspect, refuse_or_warn
from fastedit.lines import body, split_lines

MIN_CERTAINTY = 0.5
LINES_BEFORE, LINES_BEHIND = 1, 1  # that have to be the same for two places to look alike
MAX_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Merged:
    """text: the alignment's rendering. refusal: why it must not be applied without a target's word, or None."""

    text: str
    alignment: Alignment
    warnings: tuple[Warning, ...] = ()
    refusal: EditRefused | None = None

    @property
    def certainty(self) -> float:
        """The share of such drafts that are right; 0 for one that must not be applied as it is."""
        return 0.0 if self.refusal else self.alignment.certainty


def merge(original: Original, edit: Edit, message: str, instruction: str | None) -> Merged:
    """The merged draft of an edit, right or not. EditRefused for an edit that no draft can be made of."""
    alignment = align(original.text, edit, original.language, message, original.outline)
    text = render(original.text, alignment)
    notes = tuple(Warning("NOTE", note) for note in alignment.notes)
    try:
        _refuse_uncertain(original.text, alignment)
        findings = inspect(original, text, alignment, (edit,), f"{message}\n{instruction or ''}")
        return Merged(text, alignment, (*refuse_or_warn(findings), *notes))
    except EditRefused as refusal:
        return Merged(text, alignment, notes, refusal)


def _refuse_uncertain(original: str, alignment: Alignment) -> None:
    for problem in alignment.problems:
        raise PlaceUnknown(problem.code, problem.message, problem.candidates)
    for segment in alignment.segments:
        if segment.kind is not SegmentKind.KEEP and segment.certainty < MIN_CERTAINTY:
            raise PlaceUnknown(
                Code.ANCHOR_AMBIGUOUS,
                f"lines {segment.start + 1}-{segment.end}: not certain what the edit means here ({segment.reason})",
                alike_places(original, segment),
            )


def alike_places(original: str, segment: Segment) -> tuple[Candidate, ...]:
    """The segment's place and those that look like it, blank lines apart: the same lines there, before and behind."""
    lines = split_lines(original)
    rows = [index for index, line in enumerate(lines) if line.strip()]
    keys = [key_of(lines[row]) for row in rows]
    first, last = bisect_left(rows, segment.start), bisect_left(rows, segment.end)
    num_before = min(first, LINES_BEFORE)
    context = keys[first - num_before : last + LINES_BEHIND]
    if not context:
        return ()
    starts = [at for at in range(len(keys) - len(context) + 1) if keys[at : at + len(context)] == context]
    starts.sort(key=lambda at: (at + num_before != first, at))
    ends = [*rows, len(lines)]
    reasons = ["the likeliest place", *["looks like the likeliest place, and so do the lines around"] * len(starts)]
    length = segment.end - segment.start
    # The first line of what is replaced, or the one that an insertion follows.
    shown = num_before if last > first else 0
    return tuple(
        Candidate(ends[at + num_before], ends[at + num_before] + length, reason, body(lines[rows[at + shown]]))
        for at, reason in zip(starts[:MAX_CANDIDATES], reasons, strict=False)
    )
