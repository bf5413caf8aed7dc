"""Finds the declarations that own the lines of a text, and lines that went from one owner to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from fastedit.anchor.text import is_trivial, key_of
from fastedit.lines import split_lines
from fastedit.syntax.model import Declaration, Outline

PARTS = ("value", "import")  # kinds that own no lines but their own


def taken_over(
    before: str, outline_before: Outline, after: str, outline_after: Outline, gone: Collection[str]
) -> tuple[str, str] | None:
    """The names of a declaration that is gone, and of another that was there before and has lines of it now.

    None where there are no such two. They are a sign that lines were found in the wrong place: a function's end is left
    behind under another one, a table's keys come to be another table's. Lines that stand once in each text count.
    gone: names of declarations that may be gone.
    """
    names = {found.name for found in _owning(outline_before)}
    lost = set(gone) & names - {found.name for found in _owning(outline_after)}
    if not lost:
        return None
    lines, lines_after = split_lines(before), split_lines(after)
    owners, owners_after = _owners(outline_before, len(lines)), _owners(outline_after, len(lines_after))
    place_after = _single_places(lines_after)
    for key, line in _single_places(lines).items():
        if key not in place_after:
            continue
        losing = [found.name for found in owners[line] if found.name in lost and found.header_line != line]
        known = names - {found.name for found in owners[line]}
        taking = [found.name for found in owners_after[place_after[key]] if found.name in known]
        if losing and taking:
            return losing[-1], taking[-1]
    return None


def _owning(outline: Outline) -> list[Declaration]:
    return [found for found in outline.declarations if found.name and found.kind not in PARTS]


def _owners(outline: Outline, num_lines: int) -> list[tuple[Declaration, ...]]:
    """The declarations that each line is in, from the outermost to the innermost."""
    owners: list[tuple[Declaration, ...]] = [()] * num_lines
    for found in _owning(outline):  # a parent comes before its children
        for line in range(found.start_line, min(num_lines, found.end_line)):
            owners[line] += (found,)
    return owners


def _single_places(lines: Sequence[str]) -> dict[str, int]:
    """The positions of the telling lines that stand in the text once, by their keys."""
    keys = [key_of(line) for line in lines]
    counts = Counter(keys)
    return {key: line for line, key in enumerate(keys) if counts[key] == 1 and not is_trivial(key)}
