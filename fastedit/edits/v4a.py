"""V4A patches: `*** Begin Patch`, file operations, hunks under `@@` scopes.

Read as models write them: without the first or last line, without the blank before context lines, with
abbreviated or stacked `@@` texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.edits.hunks import indent_unit, read_lines, unreadable
from fastedit.edits.model import Action, Edit, Format, Op, PatchHunk, PatchLine
from fastedit.edits.wording import is_prose
from fastedit.patterns import pattern

_BEGIN = pattern(r"^\s*\*\*\* *Begin Patch\b", re.IGNORECASE)
_END = pattern(r"^\s*\*\*\* *End Patch\b", re.IGNORECASE)
_FILE = pattern(
    r"^\s*\*\*\* *(?P<verb>Add|Create|New|Delete|Remove|Update|Modify|Edit)(?: File)? *: *(?P<path>\S.*?)\s*$",
    re.IGNORECASE,
)
_MOVE = pattern(r"^\s*\*\*\* *(?:Move|Rename)(?: to)? *: *(?P<path>\S.*?)\s*$", re.IGNORECASE)
_END_OF_FILE = pattern(r"^\s*\*\*\* *End of File\b", re.IGNORECASE)
_RANGES = pattern(r"^-(\d{1,9})(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})?$")
_ACTIONS = {
    "add": Action.CREATE,
    "create": Action.CREATE,
    "new": Action.CREATE,
    "delete": Action.DELETE,
    "remove": Action.DELETE,
}


@dataclass(slots=True)
class _RawHunk:
    source_line: int
    scopes: list[str] = field(default_factory=list)
    line_hint: int | None = None
    lines: list[str] = field(default_factory=list)
    at_end: bool = False


@dataclass(slots=True)
class _Section:
    """One file operation with its body. numbers: the body's lines in the message."""

    action: Action
    path: str
    source_line: int
    new_path: str | None = None
    body: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def is_v4a(lines: Sequence[str]) -> bool:
    """Whether a patch begins or a file operation stands in these lines."""
    return any(_BEGIN.match(line) or _FILE.match(line) for line in lines)


def raw_end(lines: list[str], start: int) -> int:
    """The line behind the unfenced patch that begins at `start`; `start` where none begins there.

    Without its last line it reaches to the next fence, to a paragraph of prose, or to the end.
    """
    if not (_BEGIN.match(lines[start]) or _FILE.match(lines[start])):
        return start
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if _END.match(line):
            return number + 1
        if line.startswith(("```", "~~~", "#")) or (not lines[number - 1].strip() and _leaves_patch(line)):
            return number
    return len(lines)


def _leaves_patch(line: str) -> bool:
    return line[:1] not in (" ", "+", "-", "@", "*", "") and is_prose(line)


def parse_v4a(lines: Sequence[str], first_line: int) -> list[Edit]:
    """One edit for each file operation, in order.

    first_line: 0-based line of the message where `lines` start. Raises EditUnreadable (EDIT_UNPARSABLE)
    for an update that changes nothing and moves nothing.
    """
    return [_edit(section) for section in _sections(lines, first_line)]


def _sections(lines: Sequence[str], first_line: int) -> list[_Section]:
    sections: list[_Section] = []
    for number, line in enumerate(lines, first_line):
        if _END.match(line):
            break
        file = _FILE.match(line)
        if file:
            action = _ACTIONS.get(file.group("verb").lower(), Action.UPDATE)
            sections.append(_Section(action, file.group("path").strip("`\"'"), number))
        elif sections:
            move = _MOVE.match(line)
            if move:
                sections[-1].new_path = move.group("path").strip("`\"'")
            else:
                sections[-1].body.append(line)
                sections[-1].numbers.append(number)
    return sections


def _edit(section: _Section) -> Edit:
    if section.action is Action.DELETE:
        return Edit(Format.V4A, section.path, Action.DELETE)
    if section.action is Action.CREATE:
        return Edit(Format.V4A, section.path, Action.CREATE, hunks=(_created(section),))
    hunks = _hunks(section)
    if not hunks and not section.new_path:
        raise unreadable("the patch updates a file but holds no hunk for it", section.source_line)
    return Edit(Format.V4A, section.path, Action.UPDATE, section.new_path, hunks=hunks)


def _created(section: _Section) -> PatchHunk:
    body = [line for line in section.body if not _END_OF_FILE.match(line)]
    while body and not body[-1]:
        body.pop()
    has_marks = any(line.startswith("+") for line in body)
    texts = [line[1:] if has_marks and line.startswith("+") else line for line in body]
    return PatchHunk(tuple(PatchLine(Op.ADD, text) for text in texts), source_line=section.source_line)


def _hunks(section: _Section) -> tuple[PatchHunk, ...]:
    raw: list[_RawHunk] = []
    current: _RawHunk | None = None
    for number, line in zip(section.numbers, section.body, strict=True):
        if line.startswith("@@"):
            if current is None or current.lines:
                current = _RawHunk(number)
                raw.append(current)
            _add_scope(current, line)
        elif _END_OF_FILE.match(line):
            if current is not None:
                current.at_end = True
        elif current is not None:
            current.lines.append(line)
        elif line.strip():
            current = _RawHunk(number, lines=[line])
            raw.append(current)
    unit = indent_unit(line for hunk in raw for line in hunk.lines)
    return tuple(_finish(hunk, unit) for hunk in raw if any(line.strip() for line in hunk.lines))


def _add_scope(hunk: _RawHunk, line: str) -> None:
    text = line[2:].strip()
    ranges, separator, behind = text.partition("@@")
    found = _RANGES.match(ranges.strip())
    if found:
        hunk.line_hint = max(0, int(found.group(1)) - 1)
        text = behind.strip()
    elif separator and not behind.strip():
        text = ranges.strip()
    if text.strip(".… "):
        hunk.scopes.append(text)


def _finish(hunk: _RawHunk, unit: int) -> PatchHunk:
    lines = list(hunk.lines)
    while lines and not lines[-1]:
        lines.pop()
    return PatchHunk(read_lines(lines, unit), hunk.line_hint, tuple(hunk.scopes), hunk.at_end, hunk.source_line)
