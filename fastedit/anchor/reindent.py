"""Where a hunk's new lines are indented to: as the original indents the lines that the hunk quotes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from fastedit.anchor.text import columns_of
from fastedit.lines import indent_of

DEFAULT_STEP = 4


class Reindenter:
    """Maps the indentation of a hunk's lines to the original's.

    pairs: (the hunk's line, the original's line) for lines that are the same, blank ones apart.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for mine, theirs in pairs:
            votes[indent_of(mine)][indent_of(theirs)] += 1
        self.known = {mine: theirs.most_common(1)[0][0] for mine, theirs in votes.items()}
        self.is_same = all(mine == theirs for mine, theirs in self.known.items())
        self.mine_step = _step(self.known)
        self.theirs_step = _step(self.known.values())
        self.uses_tabs = any("\t" in indent for indent in self.known.values())

    def rewrite(self, line: str) -> str:
        """The line as it is to stand in the original."""
        if self.is_same or not line.strip():
            return line
        indent = indent_of(line)
        return self._map(indent) + line[len(indent) :]

    def _map(self, indent: str) -> str:
        if indent in self.known:
            return self.known[indent]
        shallower = [mine for mine in self.known if columns_of(mine) <= columns_of(indent)]
        if shallower:
            nearest = max(shallower, key=lambda mine: columns_of(mine))
            return self.known[nearest] + self._deeper(columns_of(indent) - columns_of(nearest))
        nearest = min(self.known, key=lambda mine: columns_of(mine))
        return self._shallower(self.known[nearest], columns_of(nearest) - columns_of(indent))

    def _deeper(self, columns: int) -> str:
        """Additional indentation in the original's manner for that many columns of the hunk."""
        levels, rest = divmod(columns, self.mine_step)
        if self.uses_tabs:
            return "\t" * levels + " " * rest
        if self.mine_step == self.theirs_step or rest:
            return " " * columns
        return " " * (levels * self.theirs_step)

    def _shallower(self, theirs: str, columns: int) -> str:
        levels = columns / self.mine_step
        if theirs.endswith("\t"):
            return theirs[: max(0, len(theirs) - math.ceil(levels))]
        step = self.theirs_step if self.mine_step != self.theirs_step else self.mine_step
        return theirs[: max(0, len(theirs) - round(levels * step))]


def _step(indents: Iterable[str]) -> int:
    """The columns of one level among these indentations: their common measure, or the usual step."""
    columns = sorted({columns_of(indent) for indent in indents})
    steps = [after - before for before, after in pairwise(columns)]
    step = math.gcd(*steps) if steps else 0
    if not step:
        step = math.gcd(*columns) if columns else 0
    return step if step in (2, 3, 4, 8) else (DEFAULT_STEP if step % DEFAULT_STEP == 0 else max(1, step))
