"""The best way to lay the lines that a patch expects on a stretch of the original, where they don't match outright.

A monotone alignment: an expected line may quote one line, several (it was joined), share one with others
(it was wrapped), or stand nowhere; lines of the original may be missing from the patch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.anchor.patch.locate import UNLIKE_COST, Level, LineIndex, Place, Span
from fastedit.anchor.patch.quoted import is_comment, likeness, loose_key, weight_of
from fastedit.edits.model import Op, PatchLine

MIN_QUALITY = 0.7
MAX_JOINED = 4
MIN_BAND = 16
_JOINED_VALUE = 0.9
# What the quality loses by each line of code that the file should have and hasn't, beyond its weight: it tells of
# another version; and by each line that the patch passes over.
_MISSED_COST = 0.15
_TELLING = 0.5
_LEFT_OUT_COST = 0.03
_ABSENT_KEEP = 0.5
_ABSENT_DELETE = 4.0
_UNQUOTED = 0.25
_UNQUOTED_COMMENT = 0.12
_UNQUOTED_BLANK = 0.02


@dataclass(frozen=True, slots=True)
class Fit:
    """A place, and whether it may be taken. refusal: in a few words why not, "" where it may."""

    place: Place
    refusal: str = ""


@dataclass(slots=True)
class _Step:
    """The best way to a cell of the table: its score, and the cell before it."""

    score: float
    old: int
    row: int


_Table = list[dict[int, _Step]]
_NOWHERE = _Step(-1e9, 0, 0)


def fit(index: LineIndex, expected: Sequence[PatchLine], window: Span) -> Fit | None:
    """The best alignment of the expected (kept and deleted) lines with the window's; None where nothing fits."""
    rows = range(*window)
    if not expected or not rows:
        return None
    spans = _trace(_table(index, expected, rows), expected, rows)
    placed = [span for span in spans if span]
    if not placed:
        return None
    start, end = placed[0][0], placed[-1][1]
    quality, reason = _quality(index, expected, spans)
    _pair_leftovers(index, expected, spans)
    place = Place(start, end, tuple(spans), Level.FUZZY, quality, reason)
    return Fit(place, _refusal(index, expected, place))


def num_cells(expected: Sequence[PatchLine], window: Span) -> int:
    """The number of cells in the table that `fit` fills: how much work it is."""
    below, above = _band(len(expected), window[1] - window[0])
    return (len(expected) + 1) * min(window[1] - window[0] + 1, below + above)


def _band(num_expected: int, num_rows: int) -> tuple[int, int]:
    """(below, above): how far from the diagonal the columns of a row reach."""
    spare = num_rows - num_expected
    return MIN_BAND // 2 + max(spare // 2, -spare), MIN_BAND + max(0, spare)


def _table(index: LineIndex, expected: Sequence[PatchLine], rows: range) -> _Table:
    """Fills in cells [i][j]: the first i expected lines on the first j rows. Rows before the first match are free.

    Only a band around the diagonal is filled: what lies outside of it would leave out too much.
    """
    below, beyond = _band(len(expected), len(rows))
    table: _Table = [{column: _Step(0.0, 0, max(0, column - 1)) for column in range(len(rows) + 1)}]
    for number, line in enumerate(expected, 1):
        absent = weight_of(line.text) * (_ABSENT_DELETE if line.op is Op.DELETE else _ABSENT_KEEP)
        above = table[-1]
        first = max(0, number - below)
        current: dict[int, _Step] = {}
        table.append(current)
        for column in range(first, min(len(rows), number + beyond) + 1):
            best = _Step(above.get(column, _NOWHERE).score - absent, number - 1, column)
            if column > first:
                left = current[column - 1].score - (
                    0.0 if number == len(expected) else _unquoted(index, rows[column - 1])
                )
                best = best if best.score >= left else _Step(left, number, column - 1)
            step = _matched(table, index, expected, number, column, rows) if column else None
            current[column] = step if step is not None and step.score > best.score else best
    return table


def _matched(
    table: _Table, index: LineIndex, expected: Sequence[PatchLine], number: int, column: int, rows: range
) -> _Step | None:
    """The best step that ends with the expected line quoting the row, alone or joined with its neighbours."""
    line, row = expected[number - 1], rows[column - 1]
    before = table[number - 1].get(column - 1, _NOWHERE).score
    if not loose_key(line.text) and not index.keys[row]:
        return _Step(before + weight_of(""), number - 1, column - 1)
    alike = likeness(line.text, index.lines[row])
    if alike.value and (alike.is_same or line.op is Op.KEEP):
        gain = weight_of(line.text) * (alike.value if alike.is_same else 2 * alike.value - 1)
        if gain > 0:
            return _Step(before + gain, number - 1, column - 1)
    return _joined(table, index, expected, number, column, rows)


def _joined(
    table: _Table, index: LineIndex, expected: Sequence[PatchLine], number: int, column: int, rows: range
) -> _Step | None:
    """A step in which one expected line quotes several rows, or several expected lines one row."""
    mine, theirs = loose_key(expected[number - 1].text), index.keys[rows[column - 1]]
    if len(mine) > len(theirs) and theirs and mine.endswith(theirs):
        for count in range(2, min(MAX_JOINED, column) + 1):
            joined = "".join(index.keys[row] for row in rows[column - count : column])
            if joined == mine:
                gain = weight_of(expected[number - 1].text) * _JOINED_VALUE
                return _Step(table[number - 1].get(column - count, _NOWHERE).score + gain, number - 1, column - count)
    if len(theirs) > len(mine) and mine and theirs.endswith(mine):
        op = expected[number - 1].op
        for count in range(2, min(MAX_JOINED, number) + 1):
            wrapped = expected[number - count : number]
            if all(line.op is op for line in wrapped) and "".join(loose_key(line.text) for line in wrapped) == theirs:
                gain = sum(weight_of(line.text) for line in wrapped) * _JOINED_VALUE
                return _Step(table[number - count].get(column - 1, _NOWHERE).score + gain, number - count, column - 1)
    return None


def _trace(table: _Table, expected: Sequence[PatchLine], rows: range) -> list[Span | None]:
    """The best path's span for each expected line."""
    spans: list[Span | None] = [None] * len(expected)
    number, column = len(expected), max(table[-1])
    while number > 0:
        step = table[number].get(column, _NOWHERE)
        if step.old < number and step.row < column:
            span = (rows[step.row], rows[column - 1] + 1)
            spans[step.old : number] = [span] * (number - step.old)
        number, column = step.old, step.row
    return spans


def _pair_leftovers(index: LineIndex, expected: Sequence[PatchLine], spans: list[Span | None]) -> None:
    """Takes kept lines that stand nowhere for the lines passed over between the same neighbours, if there are as many.

    That they are context, however badly quoted, tells on which side of them a change lies.
    """
    number = 0
    while number < len(spans):
        if spans[number] is not None:
            number += 1
            continue
        end = number
        while end < len(spans) and spans[end] is None:
            end += 1
        before = spans[number - 1] if number else None
        after = spans[end] if end < len(spans) else None
        told = [n for n in range(number, end) if expected[n].text.strip()]
        if before and after and all(expected[n].op is Op.KEEP for n in told):
            rows = [row for row in range(before[1], after[0]) if index.keys[row]]
            if len(rows) == len(told):
                for n, row in zip(told, rows, strict=True):
                    spans[n] = (row, row + 1)
        number = end


def _unquoted(index: LineIndex, row: int) -> float:
    """The cost of the patch passing over this row."""
    if not index.keys[row]:
        return _UNQUOTED_BLANK
    return _UNQUOTED_COMMENT if is_comment(index.lines[row]) else _UNQUOTED


def _quality(index: LineIndex, expected: Sequence[PatchLine], spans: Sequence[Span | None]) -> tuple[float, str]:
    """The share of the expected lines' weight that the original confirms, and what was inexact."""
    total = found = 0.0
    num_absent = num_inexact = num_missed = 0
    times = Counter(span for span in spans if span)
    for line, span in zip(expected, spans, strict=True):
        weight = weight_of(line.text)
        total += weight
        if span is None:
            num_absent += weight > 0.1
            num_missed += weight >= _TELLING and not is_comment(line.text)
            continue
        is_joined = span[1] - span[0] > 1 or times[span] > 1
        value = _JOINED_VALUE if is_joined else likeness(line.text, index.lines[span[0]]).value
        found += weight * (value if line.text.strip() else 1.0)
        num_inexact += value < 1
    num_unquoted = _num_unquoted(index, spans)
    quality = found / total - _MISSED_COST * num_missed if total else 0.0
    quality -= _LEFT_OUT_COST * num_unquoted + UNLIKE_COST * num_inexact / len(spans)
    told = [(num_inexact, "inexact"), (num_absent, "not there"), (num_unquoted, "lines between left out")]
    reason = ", ".join(f"{count} {what}" for count, what in told if count)
    return max(0.0, quality), f"context is quoted from memory ({reason})" if reason else ""


def _num_unquoted(index: LineIndex, spans: Sequence[Span | None]) -> int:
    """Counts the lines of the original, blank ones apart, that the patch passes over between two that it quotes."""
    count = 0
    last: int | None = None
    for span in spans:
        if span is None:
            continue
        if last is not None:
            count += sum(1 for row in range(last, span[0]) if index.keys[row])
        last = span[1]
    return count


def _refusal(index: LineIndex, expected: Sequence[PatchLine], place: Place) -> str:
    """Says why the place can't be taken: another version of the file, too little that is the same; "" where it can."""
    missing = [
        line
        for line, span in zip(expected, place.spans, strict=True)
        if span is None and line.op is Op.DELETE and line.text.strip()
    ]
    if missing:
        return f"{len(missing)} of the lines to remove are not there"
    if place.quality < MIN_QUALITY:
        return "too little of the context is there"
    if max((weight_of(line.text) for line, span in zip(expected, place.spans, strict=True) if span), default=0.0) < 0.3:
        return "what is there says too little"
    return ""
