"""Guards results: what was lost, leaked or broken is found, and refused or told; and whose text counts is decided."""

from fastedit.guard.faithful import Finding, Original, inspect, refuse_or_warn

__all__ = ["Finding", "Original", "inspect", "refuse_or_warn"]
