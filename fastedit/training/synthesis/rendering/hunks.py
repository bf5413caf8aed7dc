"""A change as patch hunks: what all patch formats are written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.edits.model import Op, PatchLine
from fastedit.training.synthesis.model import Change, Splice
from fastedit.training.synthesis.rendering.reader import normal

MAX_CONTEXT = 12


@dataclass(frozen=True, slots=True)
class HunkText:
    """Lines of the original [old_start, old_end) with what becomes of them; new_start: in the changed file."""

    lines: tuple[PatchLine, ...]
    old_start: int
    old_end: int
    new_start: int

    @property
    def old(self) -> list[str]:
        return [line.text for line in self.lines if line.op is not Op.ADD]

    @property
    def new(self) -> list[str]:
        return [line.text for line in self.lines if line.op is not Op.DELETE]


def hunks_of(change: Change, context: int) -> list[HunkText]:
    """Hunks with `context` kept lines around every splice; those that would touch are one."""
    lines = change.before.lines
    groups: list[list[Splice]] = []
    for splice in change.splices:
        if groups and splice.start - groups[-1][-1].end <= 2 * context:
            groups[-1].append(splice)
        else:
            groups.append([splice])
    result, shift = [], 0
    for group in groups:
        start, end = max(0, group[0].start - context), min(len(lines), group[-1].end + context)
        result.append(HunkText(_patch_lines(lines, group, start, end), start, end, start + shift))
        shift += sum(len(splice.lines) - (splice.end - splice.start) for splice in group)
    return result


def _patch_lines(lines: Sequence[str], group: Sequence[Splice], start: int, end: int) -> tuple[PatchLine, ...]:
    result: list[PatchLine] = []
    position = start
    for splice in group:
        result += [PatchLine(Op.KEEP, line) for line in lines[position : splice.start]]
        result += [PatchLine(Op.DELETE, line) for line in lines[splice.start : splice.end]]
        result += [PatchLine(Op.ADD, line) for line in splice.lines]
        position = splice.end
    return (*result, *(PatchLine(Op.KEEP, line) for line in lines[position:end]))


def unique_hunks(change: Change, context: int, *, within: Sequence[range] | None = None) -> list[HunkText] | None:
    """Hunks with the least context (from `context` up) whose old lines occur once in the file, white space aside.

    within: for each hunk the lines of the original among which a reader looks, where something else tells them.
    None where even MAX_CONTEXT lines don't tell the place, or a hunk has no old lines.
    """
    text = [normal(line) for line in change.before.lines]
    while context <= MAX_CONTEXT:
        hunks = hunks_of(change, context)
        regions = within if within is not None and len(within) == len(hunks) else [range(len(text))] * len(hunks)
        if all(occurrences(text, hunk.old, region) == 1 for hunk, region in zip(hunks, regions, strict=True)):
            return hunks
        context += 1
    return None


def occurrences(text: Sequence[str], old: Sequence[str], region: range) -> int:
    """Counts the places of the old lines in the region of the (normalised) text; 0 where none of them has letters."""
    wanted = [normal(line) for line in old]
    if not any(any(letter.isalnum() for letter in line) for line in wanted):
        return 0
    first = next(index for index, line in enumerate(wanted) if line)
    return sum(
        text[start + first] == wanted[first] and list(text[start : start + len(wanted)]) == wanted
        for start in range(region.start, min(region.stop, len(text)) - len(wanted) + 1)
    )


def scope_region(change: Change, hunk: HunkText) -> tuple[str, range] | None:
    """The header of the innermost function around the hunk's first change and the function's lines, where its name
    tells which one it is; else None."""
    declarations = [d for d in change.before.declarations if d.kind in ("function", "class") and d.name]
    first = hunk.old_start + next((i for i, line in enumerate(hunk.lines) if line.op is not Op.KEEP), 0)
    around = [d for d in declarations if d.header_line < first < d.end_line]
    if not around or sum(d.name == around[-1].name for d in declarations) > 1:
        return None
    home = around[-1]
    return change.before.lines[home.header_line], range(home.header_line, home.end_line)
