"""Helpers that the scanners share."""

from __future__ import annotations

import re
from bisect import bisect_right

from fastedit.syntax.model import Found

_MAX_NAME = 200
_MAX_INDENT = 1000


class Rows:
    """Turns offsets in a text into its rows."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.num_rows = len(self._starts) - (not text or text.endswith("\n"))

    def of(self, offset: int) -> int:
        """The row that the offset lies on."""
        return bisect_right(self._starts, offset) - 1

    def is_alone(self, start: int, end: int) -> bool:
        """Whether nothing but blanks stands before `start` and behind `end` on their rows.

        Rows with much before or behind are taken for full: a look at all of them would cost their length each.
        """
        before = self._text[max(self._starts[self.of(start)], start - _MAX_INDENT) : start]
        behind = self._text[end : end + _MAX_INDENT].split("\n", 1)[0]
        return len(before) < _MAX_INDENT and not before.strip() and not behind.strip()


def declaration(kind: str, name: str, start: int, body: int, end: int, header: str) -> Found:
    """A declaration without comments above it and without a parent as yet. header: its text, not folded."""
    signature = " ".join(header[:1000].split())
    end = max(end, start + 1)
    return Found(kind, name.strip()[:_MAX_NAME], start, start, max(start + 1, min(body, end)), end, -1, signature)


def without_blank_end(lines: list[str], start: int, end: int) -> int:
    """Moves `end` up over blank lines, not further than behind `start`."""
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end
