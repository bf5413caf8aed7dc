"""Unified diffs as models write them: line numbers and counts are hints at best.

Linear in the text's length whatever it holds. A file's header may be git's, plain `---`/`+++`, a path on a
line of its own, or missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.edits.hunks import unreadable
from fastedit.edits.model import Action, Edit, Format, PatchHunk
from fastedit.edits.paths import is_path, path_in_comment, path_in_line
from fastedit.edits.prefixes import indent_unit, read_lines

DEV_NULL = "/dev/null"
_GIT = re.compile(r"^diff --git (?P<paths>.+)$")
_EXTENDED = re.compile(
    r"^(?:index [0-9a-fA-F]{3,}|(?:old|new) mode |similarity index |dissimilarity index |Index: |={60,}$|diff -)"
)
_MOVED = re.compile(r"^(?P<verb>rename|copy) (?P<side>from|to) (?P<path>.+)$")
_BINARY = re.compile(r"^(?:GIT binary patch|Binary files .* differ)")
_RANGES = re.compile(r"^-(\d{1,9})(?:,(\d{1,9}))?\s+\+\d{1,9}(?:,(\d{1,9}))?$")
_COMBINED = re.compile(r"^@@@+ -\d")
_MAX_RANGES = 60
_SIDES = (("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("old/", "new/"), ("orig/", "new/"))
_SIGNATURE = re.compile(r"^\d+\.\d+")


@dataclass(slots=True)
class _RawHunk:
    """old_left, new_left: lines that the header still promises, or None where it gave no counts."""

    source_line: int
    line_hint: int | None = None
    scope: str = ""
    old_left: int | None = None
    new_left: int | None = None
    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append(line)
        if self.old_left is not None and line[:1] != "+":
            self.old_left -= 1
        if self.new_left is not None and line[:1] != "-":
            self.new_left -= 1

    @property
    def wants_more(self) -> bool:
        return (self.old_left or 0) > 0 or (self.new_left or 0) > 0


@dataclass(slots=True)
class _RawFile:
    source_line: int
    old: str | None = None
    new: str | None = None
    git: str | None = None
    renamed_from: str | None = None
    renamed_to: str | None = None
    is_created: bool = False
    is_deleted: bool = False
    has_mode: bool = False
    hunks: list[_RawHunk] = field(default_factory=list)


def is_unified_diff(lines: Sequence[str]) -> bool:
    """Whether these lines hold a diff's header or a hunk with a changed line."""
    has_header = has_change = False
    for number, line in enumerate(lines):
        if _GIT.match(line) or _is_file_header(lines, number):
            return True
        has_header = has_header or line.startswith("@@")
        has_change = has_change or line[:1] in ("+", "-")
    return has_header and has_change


def has_changes(lines: Sequence[str]) -> bool:
    """Whether any line is marked as added or deleted."""
    return any(line[:1] in ("+", "-") for line in lines)


def raw_end(lines: list[str], start: int) -> int:
    """One behind the unfenced diff that starts at `start`; `start` where none starts there."""
    first = lines[start]
    if not (_GIT.match(first) or _is_file_header(lines, start) or _opens_hunk(lines, start)):
        return start
    end = number = start
    while number < len(lines):
        line = lines[number]
        if line[:1] in (" ", "+", "-", "\\", "@", "\t") or _is_header_line(line):
            end = number + 1
        elif line.strip():
            break
        number += 1
    return end


def parse_unified_diff(lines: Sequence[str], first_line: int) -> list[Edit]:
    """One edit for each file of the diff, in order; path None where the diff doesn't name it.

    first_line: 0-based line of the message where `lines` start. Raises EditUnreadable (EDIT_UNPARSABLE) for
    binary patches, combined diffs, and a file that is named but not changed.
    """
    files = _files(lines, first_line)
    return [_edit(file) for file in files]


def _opens_hunk(lines: Sequence[str], number: int) -> bool:
    return lines[number].startswith("@@") and number + 1 < len(lines) and lines[number + 1][:1] in (" ", "+", "-", "")


def _is_file_header(lines: Sequence[str], number: int) -> bool:
    return (
        lines[number].startswith("--- ")
        and number + 1 < len(lines)
        and lines[number + 1].startswith("+++ ")
        and bool(lines[number][4:].strip())
        and bool(lines[number + 1][4:].strip())
    )


def _is_header_line(line: str) -> bool:
    return bool(
        _GIT.match(line)
        or _EXTENDED.match(line)
        or _MOVED.match(line)
        or line.startswith(("new file mode", "deleted file mode"))
    )


def _files(lines: Sequence[str], first_line: int) -> list[_RawFile]:
    files: list[_RawFile] = []
    hunk: _RawHunk | None = None
    position = 0
    while position < len(lines):
        line, number = lines[position], first_line + position
        position += 1
        if _BINARY.match(line):
            raise unreadable("a binary patch can't be applied to text", number)
        if _COMBINED.match(line):
            raise unreadable("a combined diff (of a merge) has no single original", number)
        if _GIT.match(line):
            files.append(_RawFile(number, git=_git_path(line)))
            hunk = None
        elif _starts_file(lines, position - 1, hunk):
            if not files or files[-1].hunks or files[-1].new is not None:
                files.append(_RawFile(number))
            files[-1].old, files[-1].new = _named(line), _named(lines[position])
            position += 1
            hunk = None
        elif line.startswith("@@"):
            hunk = _header(line, number)
            _current(files, number).hunks.append(hunk)
        elif hunk is None:
            hunk = _outside(files, line, number)
        elif _is_signature(lines, position - 1, hunk):
            break
        elif not line.startswith("\\ "):
            hunk.add(line)
    return files


def _outside(files: list[_RawFile], line: str, number: int) -> _RawHunk | None:
    """What a line outside of any hunk says; the hunk that it opens, where it is code already."""
    moved = _MOVED.match(line)
    if moved and files:
        if moved.group("verb") == "rename" and moved.group("side") == "from":
            files[-1].renamed_from = moved.group("path")
        elif moved.group("verb") == "rename":
            files[-1].renamed_to = moved.group("path")
    elif line.startswith("new file mode") and files:
        files[-1].is_created = True
    elif line.startswith("deleted file mode") and files:
        files[-1].is_deleted = True
    elif _EXTENDED.match(line):
        if files:
            files[-1].has_mode = files[-1].has_mode or "mode" in line
    elif line.startswith(("+++ ", "--- ")) and is_path(_named(line) or ""):
        _current(files, number).new = _named(line)
    elif line.strip():
        mention = path_in_line(line) or path_in_comment(line) if line[:1] not in ("+", "-") else None
        if mention:
            files.append(_RawFile(number, new=mention.path))
            return None
        hunk = _RawHunk(number)
        hunk.add(line)
        _current(files, number).hunks.append(hunk)
        return hunk
    return None


def _current(files: list[_RawFile], number: int) -> _RawFile:
    if not files:
        files.append(_RawFile(number))
    return files[-1]


def _starts_file(lines: Sequence[str], number: int, hunk: _RawHunk | None) -> bool:
    """Whether `---`/`+++` here name a file rather than delete and add lines that start with `--` and `++`."""
    if not _is_file_header(lines, number):
        return False
    if hunk is None or not hunk.wants_more:
        return True
    behind = lines[number + 2] if number + 2 < len(lines) else ""
    return behind.startswith("@@")


def _header(line: str, number: int) -> _RawHunk:
    """The hunk that a `@@` line opens, with whatever hint it has."""
    inner, closing, behind = line[2:].partition("@@")
    ranges = inner.strip()
    found = _RANGES.match(ranges) if len(ranges) <= _MAX_RANGES else None
    hunk = _RawHunk(number)
    if found:
        hunk.line_hint = max(0, int(found.group(1)) - 1)
        hunk.old_left = int(found.group(2) or 1)
        hunk.new_left = int(found.group(3) or 1)
        if hunk.old_left == 0:
            hunk.line_hint = int(found.group(1))
    scope = behind.strip() if closing else ""
    if not found and not re.match(r"^[-+\d]", ranges):
        scope = scope or ranges
    hunk.scope = scope if scope.strip(".… ") else ""
    return hunk


def _is_signature(lines: Sequence[str], number: int, hunk: _RawHunk) -> bool:
    """Whether the `-- ` that ends a mailed patch stands here."""
    return (
        lines[number] == "-- "
        and not hunk.wants_more
        and number + 1 < len(lines)
        and bool(_SIGNATURE.match(lines[number + 1]))
    )


def _named(line: str) -> str | None:
    """The path of a `---` or `+++` line, without time stamp and quotes."""
    name = line[4:].split("\t")[0].strip()
    name = re.sub(
        r"\s+\d{4}-\d\d-\d\d[ T].*$|\s+\((?:original|modified|new|old|updated|revision \w+|working copy)\)$", "", name
    )
    return name.strip("\"`'") or None


def _git_path(line: str) -> str | None:
    """The new path of a `diff --git` line (both paths may hold blanks: halves of equal length)."""
    paths = line[len("diff --git ") :].strip()
    half = len(paths) // 2
    if paths[half : half + 1] == " " and paths[:half][2:] == paths[half + 1 :][2:]:
        return paths[half + 1 :].removeprefix("b/")
    return paths.split(" ")[-1].strip('"').removeprefix("b/")


def _sides(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Both paths without the prefixes that git puts before them."""
    for old_prefix, new_prefix in _SIDES:
        is_old = old is None or old == DEV_NULL or old.startswith(old_prefix)
        is_new = new is None or new == DEV_NULL or new.startswith(new_prefix)
        if is_old and is_new:
            return (old and old.removeprefix(old_prefix)), (new and new.removeprefix(new_prefix))
    if old and new and old.startswith("a/") and old == new:
        return old.removeprefix("a/"), new.removeprefix("a/")
    return old, new


def _edit(file: _RawFile) -> Edit:
    old, new = _sides(file.old, file.new)
    hunks = _hunks(file)
    path = new if new != DEV_NULL else old
    path = path or (old if old != DEV_NULL else None) or file.git
    if file.is_deleted or new == DEV_NULL:
        return Edit(Format.UDIFF, path, Action.DELETE)
    if file.is_created or old == DEV_NULL:
        return Edit(Format.UDIFF, path, Action.CREATE, hunks=hunks)
    new_path = None
    if file.renamed_from and file.renamed_to:
        path, new_path = file.renamed_from, file.renamed_to
    if not hunks and not new_path and not file.has_mode:
        raise unreadable("the diff names a file but holds no hunk for it", file.source_line)
    return Edit(Format.UDIFF, path, Action.UPDATE, new_path, hunks=hunks)


def _hunks(file: _RawFile) -> tuple[PatchHunk, ...]:
    unit = indent_unit(line for hunk in file.hunks for line in hunk.lines)
    return tuple(_finish(hunk, unit) for hunk in file.hunks if any(line.strip() for line in hunk.lines))


def _finish(hunk: _RawHunk, unit: int) -> PatchHunk:
    lines = list(hunk.lines)
    # An empty line behind the last one is the message's, not the file's, unless the header counts it.
    is_counted = hunk.old_left == 0 and hunk.new_left == 0
    while lines and not lines[-1] and not is_counted:
        lines.pop()
    scopes = (hunk.scope,) if hunk.scope else ()
    return PatchHunk(read_lines(lines, unit), hunk.line_hint, scopes, source_line=hunk.source_line)
