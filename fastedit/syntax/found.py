"""Declarations as a walk or a scanner finds them, and what becomes of them once all are known."""

from __future__ import annotations

from dataclasses import dataclass

from fastedit.syntax.model import Declaration


@dataclass(slots=True)
class Found:
    """A `Declaration` in the making: its neighbours may still move its first and last line."""

    kind: str
    name: str
    start_line: int
    header_line: int
    body_line: int
    end_line: int
    parent: int
    signature: str


def settle(found: list[Found]) -> tuple[Declaration, ...]:
    """The declarations, with ranges that nest and siblings that overlap in no more than one line.

    found: in order, parents before their children.
    """
    for item in reversed(found):
        if item.parent >= 0:
            parent = found[item.parent]
            parent.end_line = max(parent.end_line, item.end_line)
    free_from: dict[int, int] = {}
    declarations: list[Declaration] = []
    for item in found:
        parent_start = declarations[item.parent].start_line if item.parent >= 0 else 0
        floor = max(parent_start, free_from.get(item.parent, 0))
        free_from[item.parent] = item.end_line
        declarations.append(
            Declaration(
                kind=item.kind,
                name=item.name,
                start_line=max(item.start_line, min(floor, item.header_line)),
                header_line=item.header_line,
                body_line=item.body_line,
                end_line=item.end_line,
                parent=item.parent,
                depth=declarations[item.parent].depth + 1 if item.parent >= 0 else 0,
                signature=item.signature,
            )
        )
    return tuple(declarations)
