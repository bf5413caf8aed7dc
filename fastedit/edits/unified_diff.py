"""Unified diffs as models write them: line numbers and counts are hints at best.

A file's header may be git's, plain `---`/`+++`, a path on a line of its own, or missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.edits.hunks import indent_unit, read_lines, unreadable
from fastedit.edits.model import Action, Edit, Format, Op, PatchHunk
from fastedit.edits.naming import PathMention, is_path, path_in_comment, path_in_line
from fastedit.patterns import pattern

DEV_NULL = "/dev/null"
NEW_FILE = "new file mode"
DELETED_FILE = "deleted file mode"
GIT = pattern(r"^diff --git (?P<paths>.+)$")
MOVED = pattern(r"^(?P<verb>rename|copy) (?P<side>from|to) (?P<path>.+)$")
BINARY = pattern(r"^(?:GIT binary patch|Binary files .* differ)")
COMBINED = pattern(r"^@@@+ -\d")
EXTENDED = pattern(
    r"^(?:index [0-9a-fA-F]{3,}|(?:old|new) mode |similarity index |dissimilarity index |Index: |={60,}$|diff -)"
)
_RANGES = pattern(r"^-(\d{1,9})(?:,(\d{1,9}))?\s+\+\d{1,9}(?:,(\d{1,9}))?$")
_MAX_RANGES = 60
_STAMP = pattern(r"\s+\d{4}-\d\d-\d\d[ T].*$|\s+\((?:original|modified|new|old|updated|revision \w+|working copy)\)$")
# What stands before the old and the new path of one file.
_PREFIXES = (
    ("a/", "b/"),
    ("i/", "w/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("o/", "w/"),
    ("old/", "new/"),
    ("orig/", "new/"),
)
_VERSION = re.compile(r"^\d+\.\d+")


@dataclass(frozen=True, slots=True)
class HunkHeader:
    """A `@@` line, read. line_hint: 0-based; num_old, num_new: lines that it promises; None where it doesn't."""

    line_hint: int | None = None
    num_old: int | None = None
    num_new: int | None = None
    scope: str = ""


def is_file_header(lines: Sequence[str], number: int) -> bool:
    """Whether `---` and `+++` with names stand here, one above the other."""
    if not lines[number].startswith("--- ") or number + 1 >= len(lines) or not lines[number + 1].startswith("+++ "):
        return False
    return bool(lines[number][4:].strip() and lines[number + 1][4:].strip())


def is_header_line(line: str) -> bool:
    """Whether a line without prefix belongs to a diff all the same."""
    return bool(
        GIT.match(line) or EXTENDED.match(line) or MOVED.match(line) or line.startswith((NEW_FILE, DELETED_FILE))
    )


def hunk_header(line: str) -> HunkHeader:
    """Reads a line that starts with `@@`, however little it says."""
    inner, closing, behind = line[2:].partition("@@")
    ranges = inner.strip()
    found = _RANGES.match(ranges) if len(ranges) <= _MAX_RANGES else None
    scope = behind.strip() if closing else ""
    if not found and not re.match(r"^[-+\d]", ranges):
        scope = scope or ranges
    scope = scope if scope.strip(".… ") else ""
    if not found:
        return HunkHeader(scope=scope)
    start, num_old, num_new = int(found.group(1)), int(found.group(2) or 1), int(found.group(3) or 1)
    return HunkHeader(max(0, start - 1) if num_old else start, num_old, num_new, scope)


def named_path(line: str) -> str | None:
    """The path of a `---` or `+++` line, without time stamp and quotes."""
    name = _STAMP.sub("", line[4:].split("\t")[0].strip())
    return name.strip("\"`'") or None


def git_path(line: str) -> str | None:
    """The new path of a `diff --git` line (both paths may hold blanks: halves of equal length)."""
    paths = line[len("diff --git ") :].strip()
    half = len(paths) // 2
    if paths[half : half + 1] == " " and paths[:half][2:] == paths[half + 1 :][2:]:
        return paths[half + 1 :].removeprefix("b/")
    return paths.split(" ")[-1].strip('"').removeprefix("b/")


def without_prefixes(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Both paths of a file without what git puts before them."""
    for old_prefix, new_prefix in _PREFIXES:
        is_old = old is None or old == DEV_NULL or old.startswith(old_prefix)
        is_new = new is None or new == DEV_NULL or new.startswith(new_prefix)
        if is_old and is_new:
            return (old and old.removeprefix(old_prefix)), (new and new.removeprefix(new_prefix))
    if old and new and old.startswith("a/") and old == new:
        return old.removeprefix("a/"), new.removeprefix("a/")
    return old, new


@dataclass(slots=True)
class _RawHunk:
    source_line: int
    header: HunkHeader
    lines: list[str] = field(default_factory=list)
    num_old: int = 0
    num_new: int = 0

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.num_old += line[:1] != "+"
        self.num_new += line[:1] != "-"

    @property
    def is_short(self) -> bool:
        """Whether the header promises more lines."""
        return self.num_old < (self.header.num_old or 0) or self.num_new < (self.header.num_new or 0)

    @property
    def is_counted(self) -> bool:
        """Whether the header promises just these lines."""
        return (self.num_old, self.num_new) == (self.header.num_old, self.header.num_new)


@dataclass(slots=True)
class _RawFile:
    source_line: int
    old: str | None = None
    new: str | None = None
    git: str | None = None
    moves: dict[str, str] = field(default_factory=dict)
    is_created: bool = False
    is_deleted: bool = False
    has_mode: bool = False
    hunks: list[_RawHunk] = field(default_factory=list)


def is_unified_diff(lines: Sequence[str]) -> bool:
    """Whether these lines hold a diff's header or a hunk with a changed line."""
    has_header = has_change = False
    for number, line in enumerate(lines):
        if GIT.match(line) or is_file_header(lines, number):
            return True
        has_header = has_header or line.startswith("@@")
        has_change = has_change or line[:1] in ("+", "-")
    return has_header and has_change


def has_changes(lines: Sequence[str]) -> bool:
    """Whether any line is marked as added or deleted."""
    return any(line[:1] in ("+", "-") for line in lines)


def raw_end(lines: list[str], start: int) -> int:
    """The line behind the unfenced diff that starts at `start`; `start` where none starts there."""
    if not (GIT.match(lines[start]) or is_file_header(lines, start) or _opens_hunk(lines, start)):
        return start
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if line[:1] in (" ", "+", "-", "\\", "@", "\t") or is_header_line(line):
            end = number + 1
        elif line.strip():
            break
    return end


def parse_unified_diff(lines: Sequence[str], first_line: int) -> list[Edit]:
    """One edit for each file of the diff, in order; path None where the diff doesn't name it.

    first_line: 0-based line of the message where `lines` start. Raises EditUnreadable (EDIT_UNPARSABLE) for
    binary patches, combined diffs, a file that is named but not changed, and one that is deleted and gets new lines.
    """
    return [_edit(file) for file in _Reader(lines, first_line).read()]


def _opens_hunk(lines: Sequence[str], number: int) -> bool:
    return lines[number].startswith("@@") and number + 1 < len(lines) and lines[number + 1][:1] in (" ", "+", "-", "")


class _Reader:
    """Sorts a diff's lines into files and hunks."""

    def __init__(self, lines: Sequence[str], first_line: int) -> None:
        self.lines = lines
        self.first_line = first_line
        self.files: list[_RawFile] = []
        self.hunk: _RawHunk | None = None

    def read(self) -> list[_RawFile]:
        position = 0
        while position < len(self.lines) and not self._is_signature(position):
            position += self._take(position)
        return self.files

    def _take(self, position: int) -> int:
        """Reads what stands at this line, and says how many lines that was."""
        line, number = self.lines[position], self.first_line + position
        if BINARY.match(line):
            raise unreadable("a binary patch can't be applied to text", number)
        if COMBINED.match(line):
            raise unreadable("a combined diff (of a merge) has no single original", number)
        if GIT.match(line):
            self._open(_RawFile(number, git=git_path(line)))
        elif self._starts_file(position):
            self._name(named_path(line), named_path(self.lines[position + 1]), number)
            return 2
        elif line.startswith("@@"):
            self._open_hunk(number, hunk_header(line))
        elif self.hunk is None:
            self._take_outside(line, number)
        elif not line.startswith("\\ "):
            self.hunk.add(line)
        return 1

    def _open(self, file: _RawFile) -> _RawFile:
        self.files.append(file)
        self.hunk = None
        return file

    def _name(self, old: str | None, new: str | None, number: int) -> None:
        """Takes in a `---`/`+++` header: of the file that a `diff --git` line opened, or of a new one."""
        self.hunk = None
        file = self._current(number)
        if file.hunks or file.new is not None:
            file = self._open(_RawFile(number))
        file.old, file.new = old, new

    def _open_hunk(self, number: int, header: HunkHeader) -> _RawHunk:
        hunk = _RawHunk(number, header)
        self._current(number).hunks.append(hunk)
        self.hunk = hunk
        return hunk

    def _current(self, number: int) -> _RawFile:
        return self.files[-1] if self.files else self._open(_RawFile(number))

    def _take_outside(self, line: str, number: int) -> None:
        """Reads a line outside of any hunk: more of the header, a path alone, or code that opens a hunk."""
        if not line.strip() or self._take_extended(line):
            return
        mention = _path_alone(line)
        if mention is not None:
            self._open(_RawFile(number, new=mention.path))
        elif line.startswith(("+++ ", "--- ")) and is_path(named_path(line) or ""):
            self._current(number).new = named_path(line)
        else:
            self._open_hunk(number, HunkHeader()).add(line)

    def _take_extended(self, line: str) -> bool:
        """Notes a line of git's own below `diff --git`; False for any other line."""
        if not is_header_line(line):
            return False
        if self.files:
            file = self.files[-1]
            moved = MOVED.match(line)
            if moved and moved.group("verb") == "rename":
                file.moves[moved.group("side")] = moved.group("path")
            file.is_created = file.is_created or line.startswith(NEW_FILE)
            file.is_deleted = file.is_deleted or line.startswith(DELETED_FILE)
            file.has_mode = file.has_mode or bool(EXTENDED.match(line) and "mode" in line)
        return True

    def _starts_file(self, position: int) -> bool:
        """Whether `---`/`+++` here name a file rather than delete and add lines that start with `--` and `++`."""
        if not is_file_header(self.lines, position):
            return False
        if self.hunk is None or not self.hunk.is_short:
            return True
        return position + 2 < len(self.lines) and self.lines[position + 2].startswith("@@")

    def _is_signature(self, position: int) -> bool:
        """Whether the `-- ` that ends a mailed patch stands here."""
        if self.lines[position] != "-- " or self.hunk is None or self.hunk.is_short:
            return False
        return position + 1 < len(self.lines) and bool(_VERSION.match(self.lines[position + 1]))


def _path_alone(line: str) -> PathMention | None:
    return (path_in_line(line) or path_in_comment(line)) if line[:1] not in ("+", "-") else None


def _edit(file: _RawFile) -> Edit:
    old, new = without_prefixes(file.old, file.new)
    hunks = _hunks(file)
    path = (new if new != DEV_NULL else old) or (old if old != DEV_NULL else None) or file.git
    if file.is_deleted or new == DEV_NULL:
        return Edit(Format.UDIFF, path, Action.DELETE, hunks=_deleted(hunks))
    if file.is_created or old == DEV_NULL:
        return Edit(Format.UDIFF, path, Action.CREATE, hunks=hunks)
    if {"from", "to"} <= file.moves.keys():
        return Edit(Format.UDIFF, file.moves["from"], Action.UPDATE, file.moves["to"], hunks=hunks)
    if not hunks and not file.has_mode:
        raise unreadable("the diff names a file but holds no hunk for it", file.source_line)
    return Edit(Format.UDIFF, path, Action.UPDATE, hunks=hunks)


def _deleted(hunks: tuple[PatchHunk, ...]) -> tuple[PatchHunk, ...]:
    """A deleted file's hunks. EditUnreadable where they add lines: what then is to become of the file can't be told."""
    for hunk in hunks:
        if any(line.op is Op.ADD and line.text.strip() for line in hunk.lines):
            raise unreadable("the diff deletes the file, and adds lines to it", hunk.source_line)
    return hunks


def _hunks(file: _RawFile) -> tuple[PatchHunk, ...]:
    unit = indent_unit(line for hunk in file.hunks for line in hunk.lines)
    return tuple(_finish(hunk, unit) for hunk in file.hunks if any(line.strip() for line in hunk.lines))


def _finish(hunk: _RawHunk, unit: int) -> PatchHunk:
    lines = list(hunk.lines)
    # An empty line behind the last one is the message's, not the file's, unless the header counts it.
    while lines and not lines[-1] and not hunk.is_counted:
        lines.pop()
    header = hunk.header
    scopes = (header.scope,) if header.scope else ()
    return PatchHunk(read_lines(lines, unit), header.line_hint, scopes, source_line=hunk.source_line)
