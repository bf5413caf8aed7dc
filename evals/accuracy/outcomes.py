"""What can come of an edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from fastedit.applied import Stats


class Outcome(StrEnum):
    """exact: the expected bytes, or the refusal that was right. wrong: another result, or the disk touched.
    refused: EditRefused where an answer was expected. error: any other exception."""

    EXACT = "exact"
    WRONG = "wrong"
    REFUSED = "refused"
    ERROR = "error"


# Upper ends of the classes in which originals and changes are counted, in lines.
SIZES = (100, 300, 1000)
CHANGES = (3, 10, 30, 100)


def _class_of(count: int, ends: tuple[int, ...]) -> str:
    if count == 0:
        return ""
    largest = next((end for end in ends if count <= end), None)
    return f"over {ends[-1]:>4} lines" if largest is None else f"up to {largest:>3} lines"


@dataclass(frozen=True, slots=True)
class JudgedSegment:
    """A segment of an alignment. kind: of the segment; certainty: what it claimed; is_right: what the truth says."""

    kind: str
    certainty: float
    is_right: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One edit and what came of it.

    kind: of change (generated edits), or "" (cases). note: the refusal's code or the exception. diff: how a wrong
    result differs from what was expected. strategy: whose text it is, see `fastedit.Applied`; "" where there is none.
    stats: of the target's work. num_lines: of the original; num_changed: lines that come, go or are replaced.
    """

    name: str
    tier: str
    format: str
    language: str
    kind: str
    outcome: Outcome
    elapsed_ms: float
    note: str = ""
    diff: str = ""
    habits: tuple[str, ...] = ()
    segments: tuple[JudgedSegment, ...] = ()
    strategy: str = ""
    stats: Stats = field(default_factory=Stats)
    num_lines: int = 0
    num_changed: int = 0

    @property
    def size(self) -> str:
        """The class of the original's length, "" where it isn't known."""
        return _class_of(self.num_lines, SIZES)

    @property
    def changed(self) -> str:
        """The class of the change's length, "" where it isn't known."""
        return _class_of(self.num_changed, CHANGES)
