"""Helpers that the patch readers share: elisions, the line diff of two sides, and their one error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rapidfuzz.distance import LCSseq

from fastedit.edits.model import Op, PatchLine
from fastedit.errors import Code, EditUnreadable

# All that an elision inside a patch can be: dots alone, words between dots, a comment that starts with dots.
_ELISION = re.compile(
    r"^\s*(?:(?:\.{3,}|…)(?:[^=;{}()]*(?:\.{3,}|…))?|(?://|#|--|;|%|/\*|<!--|\{/\*)\s*(?:\.{3,}|…).*)\s*$"
)
# Beyond this many pairs of lines a diff would cost more than it is worth: the sides are taken as replaced.
_MAX_CELLS = 40_000_000


def unreadable(message: str, line: int) -> EditUnreadable:
    """EDIT_UNPARSABLE for a 0-based line of the message (the text names it 1-based)."""
    return EditUnreadable(Code.EDIT_UNPARSABLE, f"line {line + 1}: {message}")


def is_elision(line: str) -> bool:
    """Whether a line of a patch stands for other lines: `...`, `# ...`, `// ... existing code ...`."""
    return bool(_ELISION.match(line))


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
