"""The lines of a hunk: with or without their prefix, elided, deleted and added again; shared by the patch readers.

Models often leave out the blank before context lines, of all of them or some. What was meant shows in the columns:
added and deleted lines do carry their prefix, so their indentation is known, and context has the same unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rapidfuzz.distance import LCSseq

from fastedit.edits.model import Op, PatchLine
from fastedit.edits.wording import is_elision
from fastedit.errors import Code, EditUnreadable
from fastedit.lines import indent_of

# Beyond this many pairs of lines a diff would cost more than it is worth: the sides are taken as replaced.
_MAX_CELLS = 40_000_000
_MARKS = {"+": Op.ADD, "-": Op.DELETE}
_STEPS = (4, 3, 2)
_DEFAULT_STEP = 2


def unreadable(message: str, line: int) -> EditUnreadable:
    """EDIT_UNPARSABLE for a 0-based line of the message (the text names it 1-based)."""
    return EditUnreadable(Code.EDIT_UNPARSABLE, f"line {line + 1}: {message}")


def diff_lines(before: Sequence[str], after: Sequence[str]) -> list[PatchLine]:
    """The two sides as kept, deleted and added lines, the deleted ones of a change first."""
    start, limit = 0, min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    lines = [PatchLine(Op.KEEP, text) for text in before[:start]]
    lines.extend(_changed(before[start : len(before) - end], after[start : len(after) - end]))
    lines.extend(PatchLine(Op.KEEP, text) for text in before[len(before) - end :])
    return lines


def _changed(before: Sequence[str], after: Sequence[str]) -> Iterator[PatchLine]:
    if len(before) * len(after) > _MAX_CELLS:
        yield from (PatchLine(Op.DELETE, text) for text in before)
        yield from (PatchLine(Op.ADD, text) for text in after)
        return
    src = dest = 0
    for block in (*_equal_blocks(before, after), (len(before), len(after), 0)):
        yield from (PatchLine(Op.DELETE, text) for text in before[src : block[0]])
        yield from (PatchLine(Op.ADD, text) for text in after[dest : block[1]])
        src, dest = block[0] + block[2], block[1] + block[2]
        yield from (PatchLine(Op.KEEP, text) for text in before[block[0] : src])


def _equal_blocks(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """(start before, start after, length) of the lines that both share."""
    blocks = [opcode for opcode in LCSseq.opcodes(before, after) if opcode.tag == "equal"]
    return [(block.src_start, block.dest_start, block.src_end - block.src_start) for block in blocks]


def settle(lines: Sequence[PatchLine]) -> list[PatchLine]:
    """The lines with what is deleted and straight away added again unchanged turned into context."""
    result: list[PatchLine] = []
    deleted: list[str] = []
    for op, run in groupby(lines, key=lambda line: line.op):
        same = list(run)
        if op is Op.ADD and deleted:
            result.extend(diff_lines(deleted, [line.text for line in same]))
            deleted = []
            continue
        result.extend(PatchLine(Op.DELETE, text) for text in deleted)
        deleted = [line.text for line in same] if op is Op.DELETE else []
        if op is not Op.DELETE:
            result.extend(same)
    result.extend(PatchLine(Op.DELETE, text) for text in deleted)
    return result


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
