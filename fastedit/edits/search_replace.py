"""SEARCH/REPLACE blocks: aider's and Cline's markers, Roo's line numbers, ORIGINAL/UPDATED.

A block becomes one `PatchHunk` by a line diff of its two sides. Which file it is for may stand in the
line above it; other prose between blocks is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.edits.hunks import diff_lines, unreadable
from fastedit.edits.model import Op, PatchHunk, PatchLine
from fastedit.edits.naming import path_in_comment, path_in_line
from fastedit.edits.wording import is_elision

_HEAD = re.compile(
    r"^\s{0,12}(?:<{4,12}\s*(?:SEARCH|ORIGINAL|FIND)\b|-{4,12}\s*SEARCH\b)[>\s:]*(?P<rest>.*)$", re.IGNORECASE
)
_DIVIDER = re.compile(r"^\s{0,12}={4,12}\s*$")
_TAIL = re.compile(
    r"^\s{0,12}(?:>{4,12}\s*(?:REPLACE|UPDATED|REPLACEMENT)\b|\+{4,12}\s*REPLACE\b)[>\s]*$", re.IGNORECASE
)
_START_LINE = re.compile(r"^:(?P<key>start|end)_line:\s*(?P<number>\d{1,9})\s*$")
_DASHES = re.compile(r"^-{5,}\s*$")


@dataclass(frozen=True, slots=True)
class FileBlocks:
    """The hunks for one file. path: None where no line names it."""

    path: str | None
    hunks: tuple[PatchHunk, ...]


def is_search_replace(lines: Sequence[str]) -> bool:
    """Whether a block opens in these lines."""
    return any(_HEAD.match(line) for line in lines)


def raw_end(lines: list[str], start: int) -> int:
    """The line behind the SEARCH/REPLACE block that opens at `start`; `start` where none opens there.

    An unclosed block reaches to the next one or to the end.
    """
    if not _HEAD.match(lines[start]):
        return start
    for number in range(start + 1, len(lines)):
        if _TAIL.match(lines[number]):
            return number + 1
        if _HEAD.match(lines[number]):
            return number
    return len(lines)


def closed_end(lines: list[str], start: int) -> int:
    """The line behind the block that opens at `start` where it is closed; `start` where none is."""
    end = raw_end(lines, start)
    return end if end > start and _TAIL.match(lines[end - 1]) else start


def parse_search_replace(lines: Sequence[str], first_line: int) -> list[FileBlocks]:
    """The blocks in order, joined where neighbours are for the same file.

    first_line: 0-based line of the message where `lines` start. Raises EditUnreadable (EDIT_UNPARSABLE)
    for a block that isn't closed or has no divider.
    """
    files: list[FileBlocks] = []
    path: str | None = None
    position = 0
    while position < len(lines):
        head = _HEAD.match(lines[position])
        if not head:
            path = _path_above(lines[position]) or path
            position += 1
            continue
        path = _path_above(head.group("rest")) or path
        end = _closing(lines, position, first_line)
        hunk = _hunk(lines[position + 1 : end], first_line + position)
        if files and files[-1].path == path:
            files[-1] = FileBlocks(path, (*files[-1].hunks, hunk))
        else:
            files.append(FileBlocks(path, (hunk,)))
        position = end + 1
    return files


def _path_above(line: str) -> str | None:
    mention = path_in_line(line) or path_in_comment(line) if line.strip() else None
    return mention.path if mention else None


def _closing(lines: Sequence[str], head: int, first_line: int) -> int:
    for number in range(head + 1, len(lines)):
        if _TAIL.match(lines[number]):
            return number
        if _HEAD.match(lines[number]):
            break
    raise unreadable("the SEARCH/REPLACE block that opens here is not closed", first_line + head)


def _hunk(inner: Sequence[str], head_line: int) -> PatchHunk:
    """The hunk of one block; inner: what stands between its outer markers."""
    hint, inner = _line_hint(inner)
    divider = _divider(inner, head_line)
    search, replace = list(inner[:divider]), list(inner[divider + 1 :])
    return PatchHunk(tuple(pair_lines(search, replace)), line_hint=hint, source_line=head_line)


def _line_hint(inner: Sequence[str]) -> tuple[int | None, Sequence[str]]:
    hint: int | None = None
    position = 0
    while position < len(inner) and (match := _START_LINE.match(inner[position])):
        if match.group("key") == "start":
            hint = max(0, int(match.group("number")) - 1)
        position += 1
    if position and position < len(inner) and _DASHES.match(inner[position]):
        position += 1
    return hint, inner[position:]


def _divider(inner: Sequence[str], head_line: int) -> int:
    """The line that parts the sides. Where the code has such lines too, they stand in both sides alike:
    the middle one parts them, if there is one."""
    dividers = [number for number, line in enumerate(inner) if _DIVIDER.match(line)]
    if not dividers:
        raise unreadable("the SEARCH/REPLACE block that opens here has no line of = between its sides", head_line)
    if len(dividers) % 2 == 0:
        raise unreadable("the SEARCH/REPLACE block that opens here has several lines of =", head_line)
    return dividers[len(dividers) // 2]


def pair_lines(search: Sequence[str], replace: Sequence[str]) -> list[PatchLine]:
    """The block's sides as one run of patch lines; elisions that stand in both become SKIP."""
    in_search = [number for number, line in enumerate(search) if is_elision(line)]
    in_replace = [number for number, line in enumerate(replace) if is_elision(line)]
    if len(in_search) != len(in_replace) or not in_search:
        return diff_lines(search, replace)
    lines: list[PatchLine] = []
    last_search = last_replace = 0
    for at_search, at_replace in zip(in_search, in_replace, strict=True):
        lines.extend(diff_lines(search[last_search:at_search], replace[last_replace:at_replace]))
        lines.append(PatchLine(Op.SKIP, ""))
        last_search, last_replace = at_search + 1, at_replace + 1
    lines.extend(diff_lines(search[last_search:], replace[last_replace:]))
    return lines
