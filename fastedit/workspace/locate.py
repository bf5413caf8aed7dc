"""Judges file names as messages give them, before anything on the disk is looked at, and finds the files of a root that
they name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Candidate, Code, InputRefused, PlaceUnknown, Warning
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
MAX_WALKED = 200_000
MAX_CANDIDATES = 10
# Folders that hold what is installed or generated: a message never means them by half a name.
SKIPPED_FOLDERS = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache"})


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


@dataclass(frozen=True, slots=True)
class Location:
    """A place for a file inside a root. path: absolute, without symbolic links; name: relative, with slashes."""

    path: Path
    name: str
    warnings: tuple[Warning, ...] = ()


def inside(root: Path, name: str) -> str:
    """The name as it is from the root: an absolute one that leads into it loses what is above. No file is opened.

    root: absolute, without symbolic links. What leads elsewhere stays as it is, for `locate` to refuse.
    """
    if not name.startswith("/") or ".." in name.split("/"):
        return name
    real = Path(os.path.realpath(name))
    return real.relative_to(root).as_posix() if real.is_relative_to(root) and real != root else name


def locate(root: Path, name: str) -> Location:
    """The place that a name stands for, be there a file or not. root: absolute, without symbolic links.

    Raises InputRefused INVALID_PATH for a name that can't be trusted or that a link leads out of the root.
    """
    return _location(root, parts_of(name), name)


def locate_file(root: Path, name: str) -> Location:
    """The place of a file that must be there: under its name or, with a warning, the one that its name ends.

    Raises PlaceUnknown ANCHOR_AMBIGUOUS where several end so, InputRefused INVALID_PATH where none does.
    """
    exact = locate(root, name)
    if os.path.lexists(exact.path):
        return exact
    parts = parts_of(name)
    found = [shorter for shorter in _shorter(root, parts) if os.path.isfile(root.joinpath(*shorter))]
    found += _files_ending_with(root, parts)
    if not found:
        candidates = _candidates(_files_ending_with(root, parts[-1:]))
        raise InputRefused(Code.INVALID_PATH, f"there is no file {name} in {root}", candidates)
    if len(found) > 1:
        raise PlaceUnknown(Code.ANCHOR_AMBIGUOUS, f"{name} may be one of several files", _candidates(found))
    warning = Warning("OTHER_PATH", f"the message names {name}, applied to {'/'.join(found[0])}")
    return _location(root, found[0], name, (warning,))


def _location(root: Path, parts: tuple[str, ...], name: str, warnings: tuple[Warning, ...] = ()) -> Location:
    path = Path(os.path.realpath(root.joinpath(*parts)))
    if not path.is_relative_to(root) or path == root:
        raise InputRefused(Code.INVALID_PATH, f"{name} leads out of {root}")
    inside = path.relative_to(root)
    if any(is_private(part) for part in inside.parts):
        raise InputRefused(Code.INVALID_PATH, f"{name} leads into a folder that isn't edited")
    return Location(path, inside.as_posix(), warnings)


def _shorter(root: Path, parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The name without folders in front that are the root's own last ones (`project/src/x.py` in `project`)."""
    for count in range(1, len(parts)):
        if root.parts[-count:] == parts[:count]:
            yield parts[count:]


def _files_ending_with(root: Path, parts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The files, as parts below `root`, whose last parts are `parts`; at most MAX_CANDIDATES.

    Raises InputRefused TOO_LARGE where the root has too many files to be sure.
    """
    found: list[tuple[str, ...]] = []
    num_walked = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and not is_private(name))
        num_walked += len(folders) + len(files)
        if num_walked > MAX_WALKED:
            message = f"more than {MAX_WALKED:,} files in {root}: name the file from there"
            raise InputRefused(Code.TOO_LARGE, message)
        inside = Path(folder).relative_to(root).parts
        if parts[-1] in files and (*inside, parts[-1])[-len(parts) :] == parts:
            found.append((*inside, parts[-1]))
    return found[:MAX_CANDIDATES]


def _candidates(files: list[tuple[str, ...]]) -> tuple[Candidate, ...]:
    return tuple(Candidate(0, 0, "a file of that name", path="/".join(parts)) for parts in files)
