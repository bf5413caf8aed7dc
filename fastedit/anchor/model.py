"""The alignment: how an edit's lines lie on the original's, with how certain each part is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from fastedit.errors import Candidate, Code


class SegmentKind(StrEnum):
    KEEP = "keep"
    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Segment:
    """Lines [start, end) of the original become `lines` (without line ends).

    For KEEP `lines` is empty and the original's bytes stand; for INSERT start == end.
    certainty: between 0 and 1, the share of such segments that are right (calibrated, see evals).
    reason: in a few words, what the certainty rests on.
    """

    kind: SegmentKind
    start: int
    end: int
    lines: tuple[str, ...] = ()
    certainty: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A reason not to apply an alignment without the target model's word."""

    code: Code
    message: str
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Segments that cover the original from its first line to its last, in order.

    problems: what `structural` mode refuses for; the segments are the best guess all the same. share: of a lazy edit,
    how likely this reading is; portion: how likely if one of those found is right, by the search's score alone.
    is_anchored: whether anything that the edit quotes stands in the original; is_quoted:
    whether all of its code does, as it stands.
    """

    segments: tuple[Segment, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = field(default=())
    share: float = 1.0
    is_anchored: bool = True
    is_quoted: bool = False
    portion: float = 1.0

    @property
    def certainty(self) -> float:
        """The smallest certainty of its segments and of the reading."""
        return min([self.share, *(segment.certainty for segment in self.segments)])

    @property
    def changes(self) -> tuple[Segment, ...]:
        """The segments that aren't kept."""
        return tuple(segment for segment in self.segments if segment.kind is not SegmentKind.KEEP)
