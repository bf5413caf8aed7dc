"""Lines of a result, each the original's or a new one, and what they change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of the result. line: of the original, None for a new one. text: None where the original's bytes stand.

    row: the snippet's row that it comes from, or None. count: so many lines of the original that stay together.
    """

    line: int | None
    text: str | None
    row: int | None = None
    count: int = 1

    @property
    def is_new(self) -> bool:
        return self.line is None


def changes_of(cells: Sequence[Cell], num_lines: int) -> list[tuple[int, int, list[str]]]:
    """The changes that cells make: lines [start, end) of the original become other lines; ascending, touching none."""
    changes: list[tuple[int, int, list[str]]] = []
    at = 0
    new: list[str] = []
    for cell in (*cells, Cell(num_lines, None, None, 0)):
        if cell.line is None:
            new.append(cell.text or "")
            continue
        if cell.text is not None:
            if cell.line > at and not new:
                changes.append((at, cell.line, []))
                at = cell.line
            new.append(cell.text)
            changes.append((at, cell.line + 1, new))
            new, at = [], cell.line + 1
            continue
        if new or cell.line > at:
            changes.append((at, cell.line, new))
            new = []
        at = cell.line + cell.count
    return _joined(changes)


def _joined(changes: list[tuple[int, int, list[str]]]) -> list[tuple[int, int, list[str]]]:
    result: list[tuple[int, int, list[str]]] = []
    for start, end, new in changes:
        if result and result[-1][1] == start:
            first, _, lines = result[-1]
            result[-1] = (first, end, lines + new)
        else:
            result.append((start, end, new))
    return result
