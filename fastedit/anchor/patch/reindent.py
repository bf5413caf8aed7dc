"""Indents a hunk's new lines as the original indents the lines that the hunk quotes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from fastedit.lines import TAB_COLUMNS, columns_of, indent_of

_LIKELY_STEPS = (2, 3, 4, 8)


class Reindenter:
    """Maps the indentation of a hunk's lines to the original's.

    pairs: (the hunk's line, the original's line) for lines that are the same, blank ones apart. new: the
    hunk's added lines. original: all lines of the file, for its manner where the pairs don't show it.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], new: Sequence[str], original: Sequence[str]) -> None:
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for mine, theirs in pairs:
            votes[indent_of(mine)][indent_of(theirs)] += 1
        self.known = {mine: theirs.most_common(1)[0][0] for mine, theirs in votes.items()}
        self.is_same = all(mine == theirs for mine, theirs in self.known.items())
        self.uses_tabs = any("\t" in theirs for theirs in self.known.values())
        if not any(self.known.values()) and _is_in_other_manner(new, original):
            self.known.setdefault("", "")
            self.is_same, self.uses_tabs = False, _is_tabbed(original)
        self.mine_step, self.theirs_step = self._steps(new)

    def rewrite(self, line: str) -> str:
        """The line as it is to stand in the original."""
        if self.is_same or not line.strip():
            return line
        indent = indent_of(line)
        return self._map(indent) + line[len(indent) :]

    def _steps(self, new: Sequence[str]) -> tuple[int, int]:
        """(mine, theirs): so many columns of the hunk are so many of the original, as the known pairs tell."""
        points = sorted((columns_of(mine), columns_of(theirs)) for mine, theirs in self.known.items())
        if len(points) == 1 and self.uses_tabs and points[0][0]:
            points.insert(0, (0, 0))
        mine = math.gcd(*(after[0] - before[0] for before, after in pairwise(points)))
        theirs = math.gcd(*(after[1] - before[1] for before, after in pairwise(points)))
        if mine in _LIKELY_STEPS and theirs in _LIKELY_STEPS:
            return mine, theirs
        step = math.gcd(*(columns_of(line) for line in new if line.strip()))
        return (step, TAB_COLUMNS) if self.uses_tabs and step in _LIKELY_STEPS else (TAB_COLUMNS, TAB_COLUMNS)

    def _map(self, indent: str) -> str:
        if indent in self.known:
            return self.known[indent]
        columns = columns_of(indent)
        shallower = [mine for mine in self.known if columns_of(mine) <= columns]
        nearest = max(shallower, key=columns_of) if shallower else min(self.known, key=columns_of)
        levels, rest = divmod(abs(columns - columns_of(nearest)), self.mine_step)
        difference = levels * self.theirs_step + rest
        if shallower:
            return self.known[nearest] + self._blanks(difference)
        return self._blanks(max(0, columns_of(self.known[nearest]) - difference))

    def _blanks(self, columns: int) -> str:
        if self.uses_tabs:
            return "\t" * (columns // TAB_COLUMNS) + " " * (columns % TAB_COLUMNS)
        return " " * columns


def _is_in_other_manner(new: Sequence[str], original: Sequence[str]) -> bool:
    """Whether the new lines are indented with blanks alone where the file uses tabs, or the other way round."""
    indents = [indent for line in new if line.strip() and (indent := indent_of(line))]
    if not indents:
        return False
    if all("\t" not in indent for indent in indents):
        return _is_tabbed(original)
    return all(indent.startswith("\t") for indent in indents) and _is_blanked(original)


def _is_tabbed(original: Sequence[str]) -> bool:
    return sum(line.startswith("\t") for line in original) > sum(line.startswith("  ") for line in original)


def _is_blanked(original: Sequence[str]) -> bool:
    return not any(line.startswith("\t") for line in original) and any(line.startswith("  ") for line in original)
