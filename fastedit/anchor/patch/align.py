"""The alignment of a patch: each hunk's place in the original, all of them chosen together.

A hunk is found as it is quoted, or white space apart, or line by line where it was quoted from memory; what
was loose shows in the certainty. Lines that a hunk removes must be there: one that merely resembles them
belongs to another version of the file. And a file that a diff deletes has to be the one that it shows: what isn't
shown would be lost without a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind
from fastedit.anchor.patch.changes import HunkChange, composed
from fastedit.anchor.patch.hunks import MIN_CERTAINTY, HunkOutcome, locate_hunks
from fastedit.anchor.patch.locate import LineIndex
from fastedit.anchor.patch.quoted import likeness
from fastedit.anchor.patch.scopes import Scopes
from fastedit.edits.model import Action, Edit, Op, PatchHunk
from fastedit.errors import Candidate, Code
from fastedit.syntax.model import Outline

MAX_SHOWN_LINES = 12
ALREADY_APPLIED = "already applied"
ONE_AFTER_THE_OTHER = "the patch expects what an earlier hunk of it writes"
_COMPOSED_CERTAINTY = 0.85


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


def align_patch(original_lines: list[str], edit: Edit, outline: Outline | None) -> Alignment:
    """Aligns a patch's hunks with the original (its lines without their ends).

    A hunk without a place, with several, or that removes what isn't there is a problem of the alignment; the
    others' segments stand all the same. A hunk that the file shows as applied changes nothing, which a note says.
    """
    if edit.action is Action.DELETE:
        whole = HunkChange(0, len(original_lines), ())
        problem = deletion_problem(original_lines, edit.hunks)
        segments = _segments([whole] if original_lines else [], len(original_lines))
        return Alignment(segments, (problem,) if problem else ())
    hunks = [hunk for hunk in edit.hunks if any(line.op in (Op.ADD, Op.DELETE) for line in hunk.lines)]
    index = LineIndex(original_lines)
    outcomes = locate_hunks(index, Scopes(index, outline), hunks, edit.format)
    changes, clashes = _without_clashes(outcomes)
    missing = [outcome for outcome in outcomes if outcome.problem and outcome.problem.code is Code.ANCHOR_NOT_FOUND]
    if missing and changes and not clashes:
        changes, outcomes = _then(index, changes, outcomes, edit)
    problems = [outcome.problem for outcome in outcomes if outcome.problem] + clashes
    problems += [_doubt(change) for change in changes if change.certainty < MIN_CERTAINTY]
    notes = (ALREADY_APPLIED,) if any(outcome.is_applied for outcome in outcomes) else ()
    return Alignment(_segments(changes, len(original_lines)), tuple(problems), notes)


def _without_clashes(outcomes: Sequence[HunkOutcome]) -> tuple[list[HunkChange], list[Problem]]:
    """All changes in order, and a problem for each two that want the same lines. What is given twice counts once."""
    changes: list[HunkChange] = []
    clashes: list[Problem] = []
    ordered = sorted(
        ((change, number) for number, outcome in enumerate(outcomes) for change in outcome.changes),
        key=lambda pair: (pair[0].start, pair[0].end, pair[1]),
    )
    for change, _ in ordered:
        if changes and (change.start, change.end, change.lines) == (
            changes[-1].start,
            changes[-1].end,
            changes[-1].lines,
        ):
            continue
        if changes and change.start < changes[-1].end:
            clashes.append(
                Problem(Code.ANCHOR_AMBIGUOUS, f"two hunks change line {change.start + 1} in different ways")
            )
            continue
        changes.append(change)
    return changes, clashes


def _then(
    index: LineIndex, changes: list[HunkChange], outcomes: list[HunkOutcome], edit: Edit
) -> tuple[list[HunkChange], list[HunkOutcome]]:
    """The changes and outcomes with missing hunks looked for in what the other hunks make of the file.

    Some tools apply blocks one after the other, and models write a block for the text that the one before left.
    """
    rows: list[int | None] = []
    texts: list[str] = []
    position = 0
    for change in changes:
        rows += range(position, change.start)
        texts += index.lines[position : change.start]
        rows += [None] * len(change.lines)
        texts += change.lines
        position = change.end
    rows += range(position, len(index.lines))
    texts += index.lines[position:]
    patched = LineIndex(texts)
    missing = [number for number, outcome in enumerate(outcomes) if outcome.problem]
    found = locate_hunks(
        patched, Scopes(patched, None), [outcomes[number].hunk for number in missing], edit.format, strict=True
    )
    settled = list(outcomes)
    later: list[HunkChange] = []
    for number, outcome in zip(missing, found, strict=True):
        touches_new = any(None in rows[max(0, place.start) : place.end] for place in outcome.places)
        if outcome.problem is None and touches_new:
            settled[number] = outcome
            later += outcome.changes
    if not later:
        return changes, outcomes
    return composed(changes, later, rows, texts, _COMPOSED_CERTAINTY, ONE_AFTER_THE_OTHER), settled


def _doubt(change: HunkChange) -> Problem:
    return Problem(Code.ANCHOR_NOT_FOUND, f"line {change.start + 1}: {change.reason or 'the place is not certain'}")


def _segments(changes: Sequence[HunkChange], num_lines: int) -> tuple[Segment, ...]:
    """The changes with the kept lines between them."""
    segments: list[Segment] = []
    position = 0
    for change in changes:
        if change.start > position:
            segments.append(Segment(SegmentKind.KEEP, position, change.start))
        kind = _kind(change)
        if kind is not None:
            segments.append(Segment(kind, change.start, change.end, change.lines, change.certainty, change.reason))
        position = change.end
    if position < num_lines:
        segments.append(Segment(SegmentKind.KEEP, position, num_lines))
    return tuple(segments)


def _kind(change: HunkChange) -> SegmentKind | None:
    if change.start == change.end:
        return SegmentKind.INSERT if change.lines else None
    return SegmentKind.REPLACE if change.lines else SegmentKind.DELETE
