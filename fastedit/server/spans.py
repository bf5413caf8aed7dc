"""A new file as spans: pieces, from its top to its end, each of which stands for lines of the original.

The texts of all spans joined are the new file. Putting each span's text in place of its lines of the original gives the
same: together the spans cover the original once, in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from fastedit.lines import split_lines

RESUME_LINES = 2  # lines that must agree before a growing text counts as back in the original


@dataclass(frozen=True, slots=True)
class FileSpan:
    """Lines [start_line, end_line) of the original, 0-based, are `text` in the new file.

    is_kept: they are so already. start_line == end_line inserts; an empty text deletes.
    """

    start_line: int
    end_line: int
    text: str
    is_kept: bool


def spans_of(original: str, text: str) -> tuple[FileSpan, ...]:
    """The spans of a text that is there as a whole, with as much kept as can be."""
    old, new = split_lines(original), split_lines(text)
    head = _num_shared(old, new)
    tail = _num_shared(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    spans = [FileSpan(0, head, "".join(old[:head]), True)]
    spans += _differing(middle_old, middle_new, head)
    spans.append(FileSpan(len(old) - tail, len(old), "".join(old[len(old) - tail :]), True))
    return tuple(span for span in spans if span.start_line < span.end_line or span.text)


def _differing(old: list[str], new: list[str], shift: int) -> Iterator[FileSpan]:
    """The spans of what lies between shared ends; a deletion and the insertion beside it are one span."""
    replaced: list[int] | None = None  # [old start, old end, new start, new end]
    for step in Indel.opcodes(old, new):
        if step.tag != "equal":
            begun = replaced or [step.src_start, step.src_end, step.dest_start, step.dest_end]
            replaced = [begun[0], step.src_end, begun[2], step.dest_end]
            continue
        if replaced:
            yield _replaced(replaced, new, shift)
            replaced = None
        kept = "".join(old[step.src_start : step.src_end])
        yield FileSpan(shift + step.src_start, shift + step.src_end, kept, True)
    if replaced:
        yield _replaced(replaced, new, shift)


def _replaced(place: list[int], new: list[str], shift: int) -> FileSpan:
    return FileSpan(shift + place[0], shift + place[1], "".join(new[place[2] : place[3]]), False)


def _num_shared(some: list[str], others: list[str]) -> int:
    """Counts the lines that both lists begin with."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(some), len(others)))


def _joined(spans: Iterable[FileSpan]) -> list[FileSpan]:
    """The spans without empty ones, neighbours that are both kept as one."""
    joined: list[FileSpan] = []
    for span in spans:
        if joined and joined[-1].is_kept and span.is_kept:
            last = joined.pop()
            joined.append(FileSpan(last.start_line, span.end_line, last.text + span.text, True))
        elif span.text or span.start_line < span.end_line:
            joined.append(span)
    return joined


class SpanWriter:
    """Spans of a text that is still being written. Which lines are taken as kept is a guess; that the spans join and
    apply to the text is not."""

    def __init__(self, original: str) -> None:
        self._old = split_lines(original)
        self._places: dict[str, list[int]] = {}
        for index, line in enumerate(self._old):
            self._places.setdefault(line, []).append(index)
        self._at = 0  # lines of the original that spans have been given for
        self._pending: list[str] = []  # whole new lines that agreed with nothing yet
        self._partial: list[str] = []  # pieces of a line whose end hasn't come

    def feed(self, text: str) -> list[FileSpan]:
        """The spans that more of the new text makes certain."""
        self._partial.append(text)
        if "\n" not in text:
            return []
        lines = split_lines("".join(self._partial))
        self._partial = [lines.pop()] if not lines[-1].endswith("\n") else []
        return _joined(span for line in lines for span in self._line(line))

    def finish(self) -> list[FileSpan]:
        """The spans of the rest: the text has ended."""
        rest, shift = "".join([*self._pending, *self._partial]), self._at
        old = "".join(self._old[shift:])
        self._at, self._pending, self._partial = len(self._old), [], []
        return [
            replace(span, start_line=shift + span.start_line, end_line=shift + span.end_line)
            for span in spans_of(old, rest)
        ]

    def _line(self, line: str) -> Iterator[FileSpan]:
        if not self._pending and self._at < len(self._old) and self._old[self._at] == line:
            yield FileSpan(self._at, self._at + 1, line, True)
            self._at += 1
            return
        self._pending.append(line)
        end = self._resumed()
        if end is None:
            return
        num_kept = _num_shared(self._pending[::-1], self._old[self._at : end][::-1])
        split = len(self._pending) - num_kept
        yield FileSpan(self._at, end - num_kept, "".join(self._pending[:split]), False)
        yield FileSpan(end - num_kept, end, "".join(self._pending[split:]), True)
        self._at, self._pending = end, []

    def _resumed(self) -> int | None:
        """The nearest line of the original with which the text goes on, if its last lines stand before one."""
        last = self._pending[-RESUME_LINES:]
        if len(last) < RESUME_LINES or not any(line.strip() for line in last):
            return None
        places = self._places.get(last[0], [])
        later = places[bisect_left(places, self._at) :]
        found = next((at for at in later if self._old[at : at + RESUME_LINES] == last), None)
        return None if found is None else found + RESUME_LINES
