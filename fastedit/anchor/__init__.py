"""The alignment of an edit with its original."""

from __future__ import annotations

from fastedit.anchor.alignment import Alignment, Problem, Segment, SegmentKind, align, align_readings

__all__ = ["Alignment", "Problem", "Segment", "SegmentKind", "align", "align_readings"]
