"""File names as messages give them, judged before anything on the disk is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable

from fastedit.errors import Code, InputRefused
from fastedit.patterns import pattern

MAX_PART_BYTES = 255
MAX_NAME_BYTES = 4096

# Names that mean a device on Windows. With an extension they are common names elsewhere (`aux.c`).
_DEVICE = pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ .:]*", re.IGNORECASE)
# Folders that version control trusts, also as case-blind file systems and 8.3 names spell them.
_VERSION_CONTROL = pattern(r"\.(?:git|hg|svn)[ .]*|git~\d+", re.IGNORECASE)
_OWN = pattern(r"\.fastedit-.*", re.IGNORECASE)
# Invisible characters that some file systems drop from names: `.g\u200cit` would come to be `.git`.
_INVISIBLE = pattern(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

# What is refused of a whole name, and of each of its parts, with the words for it.
_NAME_RULES: tuple[tuple[Callable[[str], object], str], ...] = (
    (lambda name: not name.strip("./ "), "names no file"),
    (_INVISIBLE.search, "has control or invisible characters"),
    (lambda name: len(_bytes(name)) > MAX_NAME_BYTES, "is too long"),
    (re.compile(r"[/\\]").match, "is absolute"),
    (re.compile(r"[A-Za-z]:").match, "is absolute"),
    (re.compile(r"~[^/\\]*[/\\]").match, "starts in a home folder"),
    (re.compile(r"[/\\]$").search, "is a folder"),
)
_PART_RULES: tuple[tuple[Callable[[str], object], str], ...] = (
    (lambda part: part == "..", "leaves the root"),
    (lambda part: len(_bytes(part)) > MAX_PART_BYTES, "is too long"),
    (_VERSION_CONTROL.fullmatch, "is inside a version control's own folder"),
    (_DEVICE.fullmatch, "is a device"),
    (_OWN.fullmatch, "is a file of FastEdit's own"),
)


def parts_of(name: str) -> tuple[str, ...]:
    """The name's parts, outermost folder first. Raises InputRefused INVALID_PATH for what can't be trusted.

    A backslash parts folders, as on Windows.
    """
    parts = tuple(part for part in re.split(r"[/\\]", name) if part not in ("", "."))
    for is_refused, words in _NAME_RULES:
        if is_refused(name):
            raise _refused(name, words)
    for is_refused, words in _PART_RULES:
        if any(is_refused(part) for part in parts):
            raise _refused(name, words)
    return parts


def is_private(part: str) -> bool:
    """Whether a folder or file of this name is version control's or FastEdit's own, and never edited."""
    return bool(_VERSION_CONTROL.fullmatch(part) or _OWN.fullmatch(part))


def _refused(name: str, words: str) -> InputRefused:
    shown = name if len(name) <= 80 else name[:77] + "..."
    return InputRefused(Code.INVALID_PATH, f"the message's file name {shown!a} {words}")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
