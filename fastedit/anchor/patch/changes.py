"""Turns a hunk into changes of the original once its place is known, indented as the original indents its lines."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from fastedit.anchor.patch.locate import LineIndex, Place, Span
from fastedit.anchor.patch.quoted import is_comment, likeness
from fastedit.edits.model import Format, Op, PatchLine
from fastedit.lines import TAB_COLUMNS, columns_of, indent_of

_LIKELY_STEPS = (2, 3, 4, 8)
SURE = 1.0
BESIDE_LEFT_OUT_COMMENT = 0.7
BESIDE_ABSENT_CONTEXT = 0.6
BESIDE_LEFT_OUT_LINES = 0.6
BETWEEN_LEFT_OUT_LINES = 0.4
UNTOLD = 0.2


class Reindenter:
    """Maps the indentation of a hunk's lines to the original's.

    pairs: (the hunk's line, the original's line) for lines that are the same, blank ones apart. new: the
    hunk's added lines. original: all lines of the file, for its manner where the pairs don't show it.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], new: Sequence[str], original: Sequence[str]) -> None:
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for mine, theirs in pairs:
            votes[indent_of(mine)][indent_of(theirs)] += 1
        self.known = {mine: theirs.most_common(1)[0][0] for mine, theirs in votes.items()}
        self.is_same = all(mine == theirs for mine, theirs in self.known.items())
        self.uses_tabs = any("\t" in theirs for theirs in self.known.values())
        if not any(self.known.values()) and _is_in_other_manner(new, original):
            self.known.setdefault("", "")
            self.is_same, self.uses_tabs = False, _is_tabbed(original)
        self.mine_step, self.theirs_step = self._steps(new)

    def rewrite(self, line: str) -> str:
        """The line as it is to stand in the original."""
        if self.is_same or not line.strip():
            return line
        indent = indent_of(line)
        return self._map(indent) + line[len(indent) :]

    def _steps(self, new: Sequence[str]) -> tuple[int, int]:
        """(mine, theirs): so many columns of the hunk are so many of the original, as the known pairs tell."""
        points = sorted((columns_of(mine), columns_of(theirs)) for mine, theirs in self.known.items())
        if len(points) == 1 and self.uses_tabs and points[0][0]:
            points.insert(0, (0, 0))
        mine = math.gcd(*(after[0] - before[0] for before, after in pairwise(points)))
        theirs = math.gcd(*(after[1] - before[1] for before, after in pairwise(points)))
        if mine in _LIKELY_STEPS and theirs in _LIKELY_STEPS:
            return mine, theirs
        step = math.gcd(*(columns_of(line) for line in new if line.strip()))
        return (step, TAB_COLUMNS) if self.uses_tabs and step in _LIKELY_STEPS else (TAB_COLUMNS, TAB_COLUMNS)

    def _map(self, indent: str) -> str:
        if indent in self.known:
            return self.known[indent]
        columns = columns_of(indent)
        shallower = [mine for mine in self.known if columns_of(mine) <= columns]
        nearest = max(shallower, key=columns_of) if shallower else min(self.known, key=columns_of)
        levels, rest = divmod(abs(columns - columns_of(nearest)), self.mine_step)
        difference = levels * self.theirs_step + rest
        if shallower:
            return self.known[nearest] + self._blanks(difference)
        return self._blanks(max(0, columns_of(self.known[nearest]) - difference))

    def _blanks(self, columns: int) -> str:
        if self.uses_tabs:
            return "\t" * (columns // TAB_COLUMNS) + " " * (columns % TAB_COLUMNS)
        return " " * columns


def _is_in_other_manner(new: Sequence[str], original: Sequence[str]) -> bool:
    """Whether the new lines are indented with blanks alone where the file uses tabs, or the other way round."""
    indents = [indent for line in new if line.strip() and (indent := indent_of(line))]
    if not indents:
        return False
    if all("\t" not in indent for indent in indents):
        return _is_tabbed(original)
    return all(indent.startswith("\t") for indent in indents) and _is_blanked(original)


def _is_tabbed(original: Sequence[str]) -> bool:
    return sum(line.startswith("\t") for line in original) > sum(line.startswith("  ") for line in original)


def _is_blanked(original: Sequence[str]) -> bool:
    return not any(line.startswith("\t") for line in original) and any(line.startswith("  ") for line in original)


@dataclass(frozen=True, slots=True)
class HunkChange:
    """Lines [start, end) become `lines`. certainty and reason are for the place inside of the hunk alone."""

    start: int
    end: int
    lines: tuple[str, ...]
    certainty: float = SURE
    reason: str = ""


@dataclass(slots=True)
class _Run:
    """Deleted and added lines between two kept ones. after, before: the kept lines' ends that touch it, if known."""

    after: int | None
    before: int | None = None
    deleted: list[Span] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    is_beside_absent: bool = False

    def is_done_before(self, deleted: Span) -> bool:
        """Whether the run has its new lines already and the next deleted line stands apart from it."""
        return bool(self.added and self.deleted) and deleted[0] > self.deleted[-1][1]


def changed_span(lines: Sequence[PatchLine], place: Place) -> Span:
    """The original's lines [start, end) that the patch lines change at this place; empty for an insertion."""
    runs = _runs(lines, place)
    starts = [_extent(run, place)[0] for run in runs]
    ends = [_extent(run, place)[1] for run in runs]
    return (min(starts), max(ends)) if runs else (place.start, place.start)


def changes_at(index: LineIndex, lines: Sequence[PatchLine], place: Place, format: Format) -> list[HunkChange]:
    """The changes that the patch lines make at this place, new lines indented as the original is."""
    pairs = _quoted_pairs(index, lines, place)
    if any(line.text != line.text.rstrip() and original == original.rstrip() for line, original in pairs):
        # The patch puts blanks at the ends of lines that have none: those of its new lines mean nothing.
        lines = [replace(line, text=line.text.rstrip()) for line in lines]
    new = [line.text for line in lines if line.op is Op.ADD]
    telling = [(line.text, original) for line, original in pairs if not _is_misread_prefix(line, original, format)]
    reindenter = Reindenter(telling, new, index.lines)
    return [_change(index, run, place, reindenter) for run in _runs(lines, place)]


def _runs(lines: Sequence[PatchLine], place: Place) -> list[_Run]:
    runs: list[_Run] = []
    run: _Run | None = None
    cursor: int | None = None
    is_after_absent = False
    spans = iter(place.spans)
    for line in lines:
        span = None if line.op is Op.ADD else next(spans)
        if line.op is Op.KEEP:
            if span is None:
                is_after_absent = is_after_absent or bool(line.text.strip())
                if run is not None:
                    run.is_beside_absent = run.is_beside_absent or is_after_absent
                continue
            if run is not None:
                run.before = span[0]
                run = None
            cursor, is_after_absent = span[1], False
            continue
        if run is not None and span is not None and run.is_done_before(span):
            # A blank line that the patch leaves out parts two changes.
            run.before = span[0]
            run = None
        if run is None:
            run = _Run(cursor, is_beside_absent=is_after_absent)
            runs.append(run)
        if line.op is Op.ADD:
            run.added.append(line.text)
        elif span is not None:
            run.deleted.append(span)
            cursor = span[1]
    return runs


def _extent(run: _Run, place: Place) -> Span:
    """The lines that a run takes away, or the empty range where it inserts."""
    if run.deleted:
        return run.deleted[0][0], run.deleted[-1][1]
    after, before = run.after, run.before
    if after is None and before is None:
        return place.start, place.start
    if after is None or before is None:
        at = before if after is None else after
        assert at is not None
        return at, at
    # Between the neighbours lie lines that the patch doesn't show. Where they are blank, the new lines' own
    # blank lines tell which side they belong to.
    at = before if run.added and not run.added[-1].strip() and run.added[0].strip() else after
    return at, at


def _change(index: LineIndex, run: _Run, place: Place, reindenter: Reindenter) -> HunkChange:
    start, end = _extent(run, place)
    lines = tuple(reindenter.rewrite(text) for text in run.added)
    certainty, reason = _certainty(index, run, place, reindenter.is_same)
    return HunkChange(start, end, lines, certainty, reason)


def _certainty(index: LineIndex, run: _Run, place: Place, is_unshifted: bool) -> tuple[float, str]:
    """(certainty, reason): how certain the lines of a run belong just here, given where the hunk is."""
    if run.after is not None and run.before is not None and run.after > run.before:
        return UNTOLD, "the change lies inside of one line of the file"
    if run.deleted:
        return min(_between_deleted(index, run), _beside_deleted(index, run, is_unshifted))
    if place.spans and run.after is None and run.before is None:
        return UNTOLD, "no context beside the new lines is there"
    certainty = SURE, ""
    if run.after is not None and run.before is not None:
        certainty = _gap_certainty(index, range(run.after, run.before), BETWEEN_LEFT_OUT_LINES)
    if run.is_beside_absent:
        certainty = min(certainty, (BESIDE_ABSENT_CONTEXT, "a line of context beside the change is not there"))
    return certainty


def _between_deleted(index: LineIndex, run: _Run) -> tuple[float, str]:
    """(certainty, reason): how certain it is that what lies between the deleted lines goes with them."""
    quoted = {row for span in run.deleted for row in range(*span)}
    rows = [row for row in range(run.deleted[0][0], run.deleted[-1][1]) if row not in quoted]
    return _gap_certainty(index, rows, BETWEEN_LEFT_OUT_LINES)


def _beside_deleted(index: LineIndex, run: _Run, is_unshifted: bool) -> tuple[float, str]:
    """Rates how certain deleted lines are meant where context that adjoins them in the patch doesn't in the file."""
    start, end = run.deleted[0][0], run.deleted[-1][1]
    rows = [
        *range(start if run.after is None else run.after, start),
        *range(end, end if run.before is None else run.before),
    ]
    return _gap_certainty(index, rows, BESIDE_LEFT_OUT_LINES if is_unshifted else BETWEEN_LEFT_OUT_LINES)


def _gap_certainty(index: LineIndex, rows: Sequence[int], with_code: float) -> tuple[float, str]:
    """(certainty, reason) of a change that has these lines, which the patch doesn't show, in its midst."""
    told = [row for row in rows if index.lines[row].strip()]
    if not told:
        return SURE, ""
    if all(is_comment(index.lines[row]) for row in told):
        return BESIDE_LEFT_OUT_COMMENT, "the patch leaves out a comment at the change"
    return with_code, "the patch leaves out lines at the change"


def _quoted_pairs(index: LineIndex, lines: Sequence[PatchLine], place: Place) -> list[tuple[PatchLine, str]]:
    """The expected lines with the original's line that each quotes, blank ones and joined ones apart.

    Lines that are only alike count where none is the same.
    """
    expected = [line for line in lines if line.op is not Op.ADD]
    same: list[tuple[PatchLine, str]] = []
    alike: list[tuple[PatchLine, str]] = []
    for line, span in zip(expected, place.spans, strict=True):
        if span is None or span[1] - span[0] != 1 or not line.text.strip():
            continue
        original = index.lines[span[0]]
        found = likeness(line.text, original)
        if found.value:
            (same if found.is_same else alike).append((line, original))
    return same or alike


def _is_misread_prefix(line: PatchLine, original: str, format: Format) -> bool:
    """Whether a context line is one column off because its prefix was forgotten, or taken for one: that says
    nothing of the added lines, which have theirs."""
    mine, theirs = indent_of(line.text), indent_of(original)
    is_prefixed = format in (Format.UDIFF, Format.V4A) and line.op is Op.KEEP and "\t" not in mine + theirs
    return is_prefixed and abs(len(mine) - len(theirs)) == 1


def composed(
    first: Sequence[HunkChange],
    later: Sequence[HunkChange],
    rows: Sequence[int | None],
    texts: Sequence[str],
    certainty: float,
    reason: str,
) -> list[HunkChange]:
    """Joins both as changes of the original, where `later` are changes of what `first` made of it.

    rows: for each line of that text the original's line, None for a new one; texts: the lines themselves.
    certainty, reason: for the changes in which later ones have a part.
    """
    final: list[tuple[int | None, str]] = []
    position = 0
    for change in sorted(later, key=lambda change: (change.start, change.end)):
        final += zip(rows[position : change.start], texts[position : change.start], strict=True)
        final += [(None, line) for line in change.lines]
        position = max(position, change.end)
    final += zip(rows[position:], texts[position:], strict=True)
    num_lines = max((row for row in rows if row is not None), default=-1) + 1
    num_lines = max([num_lines, *(change.end for change in first)])
    known = {(change.start, change.end, change.lines): change for change in first}
    result: list[HunkChange] = []
    for start, end, lines in _differences(final, num_lines):
        result.append(known.get((start, end, lines)) or HunkChange(start, end, lines, certainty, reason))
    return result


def _differences(final: Sequence[tuple[int | None, str]], num_lines: int) -> list[tuple[int, int, tuple[str, ...]]]:
    """(start, end, new lines) of each stretch of the original that didn't stay."""
    differences: list[tuple[int, int, tuple[str, ...]]] = []
    expected = 0
    new: list[str] = []
    for row, text in (*final, (num_lines, "")):
        if row is None:
            new.append(text)
            continue
        if new or row > expected:
            differences.append((expected, row, tuple(new)))
        expected, new = row + 1, []
    return differences
