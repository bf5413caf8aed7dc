"""What a level of an alignment inherits from what it stands in, and what an alignment finds out about itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastedit.anchor.indent import Reference
from fastedit.anchor.units import Unit


@dataclass(slots=True)
class Findings:
    """What an alignment found out about itself.

    lines: the snippet's. num_anchors: units that stand in both texts; num_new: units that came in;
    contradicted: new units with a marker inside, which stands for nothing; doubtful: units that follow
    directly on what stands in another block of the original.
    """

    lines: list[str]
    num_anchors: int = 0
    num_new: int = 0
    contradicted: list[Unit] = field(default_factory=list)
    doubtful: list[Unit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a level's lines inherit from what they stand in.

    reference: where the snippet's columns go; old, new: how kept lines are moved (equal: not at all).
    certainty: that the units around this level are paired rightly.
    """

    reference: Reference | None
    old: str = ""
    new: str = ""
    certainty: float = 1.0

    @property
    def is_shifted(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class Frame:
    """What a level stands in: the two units whose bodies are aligned, and the snippet's lines of the body.

    my_start, my_end: None at the root, where nothing frames the snippet.
    """

    mine: Unit | None = None
    theirs: Unit | None = None
    my_start: int | None = None
    my_end: int | None = None
    is_root: bool = False

    def is_direct(self, mine: Unit, theirs: Unit) -> bool:
        """Whether a pair stands directly in the frame on both sides, neither wrapped nor unwrapped."""
        return mine.parent is self.mine and (self.is_root or theirs.parent is self.theirs)
