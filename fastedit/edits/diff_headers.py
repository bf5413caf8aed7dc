"""The lines of a unified diff that aren't code: file headers, hunk headers, and what they say.

Linear in a line's length whatever it holds: numbers of more than nine digits are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
_STAMP = pattern(
    r"\s+\d{4}-\d\d-\d\d[ T].*$|\s+\((?:original|modified|new|old|updated|revision \w+|working copy)\)$"
)
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
