"""The result of an alignment while it is being made: pieces in the order of the result."""

from __future__ import annotations

from dataclasses import dataclass

from fastedit.anchor.model import Segment, SegmentKind


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines [start, end) of the original go out and `lines` come in; `lines` None: they stay.

    certainty, reason: as in `Segment`.
    """

    start: int
    end: int
    lines: tuple[str, ...] | None
    certainty: float = 1.0
    reason: str = ""


class Pieces:
    """Collects pieces; every line of the original goes through it exactly once, in order."""

    def __init__(self) -> None:
        self.items: list[Piece] = []
        self.at = 0

    @property
    def has_dropped(self) -> bool:
        """Whether the last of the original's lines went without anything in their place."""
        return bool(self.items) and self.items[-1].lines == ()

    def keep(self, end: int) -> None:
        """The original stays up to line `end`."""
        self._go(end, None, 1.0, "")

    def drop(self, end: int, certainty: float = 1.0, reason: str = "deleted by adjacency") -> None:
        """The original goes up to line `end`."""
        self._go(end, (), certainty, reason)

    def replace(self, end: int, lines: list[str], certainty: float = 1.0, reason: str = "") -> None:
        """`lines` stand for the original up to line `end`."""
        self._go(end, tuple(lines), certainty, reason)

    def add(self, lines: list[str], certainty: float = 1.0, reason: str = "") -> None:
        """`lines` come in here."""
        if lines:
            self.items.append(Piece(self.at, self.at, tuple(lines), certainty, reason))

    def _go(self, end: int, lines: tuple[str, ...] | None, certainty: float, reason: str) -> None:
        if end < self.at:
            raise ValueError(f"line {end} was passed already, at {self.at}")
        if end > self.at or lines:
            self.items.append(Piece(self.at, end, lines, certainty, reason))
        self.at = end

    def segments(self, original: list[str]) -> list[Segment]:
        """The pieces as segments: neighbours joined, and what comes in as it went out counted as kept."""
        segments: list[Segment] = []
        pending: list[Piece] = []
        for piece in self.items:
            if piece.lines is None:
                _flush(pending, original, segments)
                _append_keep(segments, piece.start, piece.end)
            else:
                pending.append(piece)
        _flush(pending, original, segments)
        # Where something is doubtful, so is what stays beside it.
        certainty = min((segment.certainty for segment in segments), default=1.0)
        return [Segment(s.kind, s.start, s.end, (), certainty) if s.kind is SegmentKind.KEEP else s for s in segments]


def _append_keep(segments: list[Segment], start: int, end: int) -> None:
    if start == end:
        return
    if segments and segments[-1].kind is SegmentKind.KEEP:
        start = segments.pop().start
    segments.append(Segment(SegmentKind.KEEP, start, end))


def _flush(pending: list[Piece], original: list[str], segments: list[Segment]) -> None:
    if not pending:
        return
    start, end = pending[0].start, pending[-1].end
    lines = [line for piece in pending for line in piece.lines or ()]
    certain = min(pending, key=lambda piece: piece.certainty)
    pending.clear()
    head = 0
    while start + head < end and head < len(lines) and original[start + head] == lines[head]:
        head += 1
    tail = 0
    while (
        end - tail > start + head
        and len(lines) - tail > head
        and original[end - tail - 1] == lines[len(lines) - tail - 1]
    ):
        tail += 1
    _append_keep(segments, start, start + head)
    new = tuple(lines[head : len(lines) - tail])
    start, stop = start + head, end - tail
    if new and start < stop:
        segments.append(Segment(SegmentKind.REPLACE, start, stop, new, certain.certainty, certain.reason))
    elif new:
        segments.append(Segment(SegmentKind.INSERT, start, start, new, certain.certainty, certain.reason))
    elif start < stop:
        segments.append(Segment(SegmentKind.DELETE, start, stop, (), certain.certainty, certain.reason))
    _append_keep(segments, stop, end)
