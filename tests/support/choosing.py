"""A lazy edit that can be read in several ways, whatever the alignment was fitted to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ORIGINAL = """\
def area(width, height):
    return width * height


def name():
    return 'shape'


def other():
    return 'shape'
"""
EDIT = "# ... existing code ...\n    return 'solid'\n# ... existing code ...\n"
SECOND = ORIGINAL.removesuffix("'shape'\n") + "'solid'\n"  # the edit where `other` is meant
PATCH = "<<<<<<< SEARCH\n    return width * height\n=======\n    return height * width\n>>>>>>> REPLACE\n"


def of_line(candidates: Iterable[Any], start_line: int) -> int:
    """The number of the reading that changes a line (0-based). candidates: as they are, or as JSON has them."""
    known = [
        one if isinstance(one, dict) else {"start_line": one.start_line, "choice": one.choice} for one in candidates
    ]
    return next(one["choice"] for one in known if one["start_line"] == start_line)
