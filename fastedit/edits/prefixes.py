"""The lines of a hunk with their one-character prefix, as models write them.

Context lines often lack their blank, all of them or some. What was meant shows in the columns: added and
deleted lines do carry their prefix, so their indentation is known, and context has the same unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fastedit.edits.hunks import is_elision, settle
from fastedit.edits.model import Op, PatchLine
from fastedit.lines import indent_of

_MARKS = {"+": Op.ADD, "-": Op.DELETE}
_STEPS = (4, 3, 2)
_DEFAULT_STEP = 2


def indent_unit(lines: Iterable[str]) -> int:
    """The step in which the added and deleted ones of these raw lines are indented; 0 where none is."""
    unit = 0
    for line in lines:
        if line[:1] in _MARKS and line[1:].strip() and "\t" not in indent_of(line[1:]):
            unit = math.gcd(unit, len(indent_of(line[1:])))
    return unit


def read_lines(raw: Sequence[str], unit: int) -> tuple[PatchLine, ...]:
    """The hunk's lines, context taken as it was meant; unit: `indent_unit` of the file's hunks.

    Blank raw lines are blank context. A run of deleted and added lines is settled: what is deleted and added
    again unchanged is context.
    """
    context = [line for line in raw if line[:1] not in _MARKS and line.strip()]
    lacks_prefix = _lacks_prefix(context, unit)
    return tuple(settle([_read(line, unit, lacks_prefix) for line in raw]))


def _lacks_prefix(context: Sequence[str], unit: int) -> bool:
    """Whether context lines show that their prefix was forgotten, in this hunk or some of it."""
    if any(line[0] != " " for line in context):
        return True
    columns = [len(indent_of(line)) for line in context if "\t" not in indent_of(line)]
    as_written = math.gcd(unit, *columns)
    without_prefix = math.gcd(unit, *(column - 1 for column in columns))
    return bool(unit and columns) and as_written > max(1, without_prefix)


def _read(line: str, unit: int, lacks_prefix: bool) -> PatchLine:
    op = _MARKS.get(line[:1])
    if op is not None:
        return PatchLine(op, line[1:])
    text = line if lacks_prefix and not _has_prefix(line, unit) else line[1:]
    return PatchLine(Op.SKIP, "") if is_elision(text) else PatchLine(Op.KEEP, text if text.strip() else "")


def _has_prefix(line: str, unit: int) -> bool:
    """Whether a context line has its prefix although others of its hunk lack theirs."""
    if not line.startswith(" "):
        return False
    indent = indent_of(line)
    if "\t" in indent:
        return True
    step = next((step for step in _STEPS if unit and unit % step == 0), _DEFAULT_STEP)
    return len(indent) % step == 1
