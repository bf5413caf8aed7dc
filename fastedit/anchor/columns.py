"""Lines with aligned columns: whether a snippet aligns a block anew because a new line is wider."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastedit.lines import indent_of

MIN_ALIGNED = 2
_SECOND_CELL = re.compile(r"\s*\S+( +)(?=\S)")


def is_realigned(quoted: Sequence[str], original: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the snippet's `quoted` lines stand in the original but for the column of their second word, which both
    texts align, and the new lines among them have the snippet's column.
    """
    mine, theirs = _column(quoted), _column(original)
    if mine is None or theirs is None or mine == theirs or len(quoted) < MIN_ALIGNED:
        return False
    widths = {len(line.split(maxsplit=1)[0]) for line in (*quoted, *new)}
    return len(widths) > 1 and bool(new) and _column(new) == mine


def _column(lines: Sequence[str]) -> int | None:
    """Where the second words of all the lines start, behind their indentation; None where they differ."""
    columns = {_second_cell(line) for line in lines}
    return columns.pop() if len(columns) == 1 else None


def _second_cell(line: str) -> int | None:
    found = _SECOND_CELL.match(line)
    return found.end() - len(indent_of(line)) if found else None
