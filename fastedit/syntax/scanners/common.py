"""What the scanners share."""

from __future__ import annotations

import re
from bisect import bisect_right

from fastedit.syntax.walk import Found

_MAX_NAME = 200


class Rows:
    """From offsets in a text to its rows."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.num_rows = len(self._starts) - (not text or text.endswith("\n"))

    def of(self, offset: int) -> int:
        """The row that the offset lies on."""
        return bisect_right(self._starts, offset) - 1


def declaration(kind: str, name: str, start: int, body: int, end: int, header: str) -> Found:
    """A declaration without comments above it and without a parent as yet. header: its text, not folded."""
    signature = " ".join(header[:1000].split())
    end = max(end, start + 1)
    return Found(kind, name.strip()[:_MAX_NAME], start, start, max(start + 1, min(body, end)), end, -1, signature)


def without_blank_end(lines: list[str], start: int, end: int) -> int:
    """`end` moved up over blank lines, not further than behind `start`."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end
