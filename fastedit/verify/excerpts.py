"""The excerpts of an edit: what it says of each window of the file, as the assistant wrote it.

A window is cut where the alignment thinks that something changes. The target reads in the edit itself what is to happen
there, or it could only repeat what the alignment thinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from fastedit.edits.model import Edit, Op, PatchHunk, Snippet
from fastedit.edits.wording import LineKind, classify_lines
from fastedit.lines import ELISION, split_lines, twins

if TYPE_CHECKING:
    pass

from fastedit.verify.windows import Window

BETWEEN_PARTS = "..."  # two snippets or hunks leave out what lies between their places


@dataclass(frozen=True, slots=True)
class EditLine:
    """A line of an edit.

    text: as the target sees it. code: as it may stand in the result, None for a line that can't.
    is_elision: it stands for other lines. place: the line of the original that it plainly is.
    """

    text: str
    code: str | None = None
    is_elision: bool = False
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of an edit that has to do with a window.

    text: the edit's lines. runs: their code without the elisions, cut at them.
    elisions: (start, end) in `text` of what stands for lines that are left out, without its indentation. codes: for
    each line of `text` what of it may stand in the result, None for a line that may not.
    """

    text: str
    runs: tuple[str, ...]
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()


def excerpts_of(edit: Edit, windows: Sequence[Window], original: Sequence[str]) -> tuple[Excerpt, ...]:
    """The excerpt for each window: the edit's lines between those about the window before and those about the next.

    An only window gets the whole edit, and so does one in which no line of the edit stands (a pure deletion); but
    lines that plainly are lines of the original outside the window are left out everywhere. Hunks of all patch formats
    are shown alike: a column of ` `, `-` and `+` before each line. original: the lines of the whole file.
    """
    parts = _placed([*map(_of_snippet, edit.snippets), *map(_of_hunk, edit.hunks)], _keys(original))
    if len(windows) < 2:
        shares = [parts for _ in windows]
    else:
        merged = [_keys(split_lines(window.draft.text)) for window in windows]
        cuts = [_cut(part, merged) for part in parts]
        shares = [[cut[index] for cut in cuts if cut[index]] or parts for index in range(len(windows))]
    return tuple(excerpt_of(_inside(share, window)) for share, window in zip(shares, windows, strict=True))


def _placed(parts: Sequence[Sequence[EditLine]], original: Sequence[str]) -> list[list[EditLine]]:
    """The parts with the places of their lines. What a patch takes away stands for nothing in the result."""
    keys, places = list[str](), list[tuple[int, int]]()
    for index, part in enumerate(parts):
        for number, line in enumerate(part):
            if line.code is not None or line.is_elision:
                keys.append(ELISION if line.code is None else line.code.strip())
                places.append((index, number))
        keys.append(ELISION)
        places.append((index, len(part)))
    placed = [list(part) for part in parts]
    for at, place in twins(keys, original).items():
        index, number = places[at]
        placed[index][number] = replace(placed[index][number], place=place)
    return placed


def _inside(parts: Sequence[list[EditLine]], window: Window) -> list[list[EditLine]]:
    """The parts without the lines that have their place outside the window, unless they are new in it."""
    new = {line.strip() for change in window.changes for line in change.lines}
    cut = [[_is_outside(line, window) and (line.code or "").strip() not in new for line in part] for part in parts]
    left = [_with_elisions(part, outside) for part, outside in zip(parts, cut, strict=True)]
    return [part for part in left if not all(line.is_elision for line in part)] or [list(part) for part in parts]


def _is_outside(line: EditLine, window: Window) -> bool:
    return line.place is not None and not window.start <= line.place < window.end


def _with_elisions(part: Sequence[EditLine], outside: Sequence[bool]) -> list[EditLine]:
    """Puts one elision in the place of lines left out, of blank ones between them, and of elisions beside them."""
    lines: list[EditLine] = []
    elided = False, -1  # whether the last elision stands for lines left out here, and where it is
    for line, is_outside in zip(part, outside, strict=True):
        shown = EditLine(BETWEEN_PARTS, is_elision=True) if is_outside else line
        if shown.is_elision:
            was_outside, at = elided
            if (was_outside or (is_outside and at >= 0)) and not any(
                (old.code or "?").strip() for old in lines[at + 1 :]
            ):
                del lines[at + 1 :]
                continue
            elided = is_outside, len(lines)
        lines.append(shown)
    return lines


def _of_snippet(snippet: Snippet) -> list[EditLine]:
    kinds = [classify_lines([line], lambda _: False)[0].kind for line in snippet.lines]
    return [
        EditLine(line, is_elision=True) if kind is LineKind.MARKER else EditLine(line, line)
        for line, kind in zip(snippet.lines, kinds, strict=True)
    ]


def _of_hunk(hunk: PatchHunk) -> list[EditLine]:
    lines: list[EditLine] = []
    for line in hunk.lines:
        if line.op is Op.SKIP:
            lines.append(EditLine(Op.SKIP.value, is_elision=True))
        else:
            lines.append(EditLine(line.op.value + line.text, None if line.op is Op.DELETE else line.text))
    return lines


def _cut(part: list[EditLine], merged: Sequence[Sequence[str]]) -> list[list[EditLine]]:
    """Each window's share of one part: from behind the window before to the first line of the one behind."""
    owners = [index for index, keys in enumerate(merged) for _ in keys]
    found: dict[int, list[int]] = {}
    # A blank line is equal to none: it would tie a part to any window.
    shown = [(line.code or "").strip() or index for index, line in enumerate(part)]
    there = [key or (-index - 1) for index, key in enumerate(key for keys in merged for key in keys)]
    for block in Indel.opcodes(shown, there).as_matching_blocks():
        for offset in range(block.size):
            found.setdefault(owners[block.b + offset], []).append(block.a + offset)
    return [_share(part, found, index) for index in range(len(merged))]


def _share(part: list[EditLine], found: dict[int, list[int]], index: int) -> list[EditLine]:
    if index not in found:
        return []
    start = max((places[-1] + 1 for owner, places in found.items() if owner < index), default=0)
    end = min((places[0] for owner, places in found.items() if owner > index), default=len(part))
    return part[start:end]


def excerpt_of(parts: Sequence[Sequence[EditLine]]) -> Excerpt:
    """The excerpt of all lines of all parts, with an elision between two parts for what lies between their places."""
    between = EditLine(BETWEEN_PARTS, is_elision=True)
    lines = [line for part in parts for line in (between, *part)][1:]
    text, elisions = "", list[tuple[int, int]]()
    for line in lines:
        if line.is_elision:
            indent = len(line.text) - len(line.text.lstrip())
            elisions.append((len(text) + indent, len(text) + len(line.text.rstrip())))
        text += line.text + "\n"
    runs = tuple(run for part in parts for run in _runs(part))
    return Excerpt(text, runs, tuple(elisions), tuple(line.code for line in lines))


def _runs(part: Sequence[EditLine]) -> list[str]:
    runs = [""]
    for line in part:
        if line.is_elision:
            runs.append("")
        elif line.code is not None:
            runs[-1] += line.code + "\n"
    return [run for run in runs if run.strip()]


def _keys(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]
