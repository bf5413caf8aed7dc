"""The alignment of an edit with its original."""

from __future__ import annotations

from fastedit.anchor.alignment import align, align_readings
from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind

__all__ = ["Alignment", "Problem", "Segment", "SegmentKind", "align", "align_readings"]
