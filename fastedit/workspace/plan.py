"""Works out what a message does to the files of a root, before anything is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from fastedit.anchor.patch.align import deletion_problem
from fastedit.applied import Applied, unified_diff
from fastedit.apply import apply_edits, check_choice
from fastedit.edits.message import needs_original
from fastedit.edits.model import Action, Edit, Format
from fastedit.errors import Code, EditRefused, EditUnreadable, InputRefused, PlaceUnknown, Warning
from fastedit.files import (
    SYSTEM,
    UTF_8,
    Delete,
    Encoding,
    Filesystem,
    Operation,
    TextFile,
    Write,
    encode,
    read_text_file,
    recover,
    sha256_of,
)
from fastedit.lines import body, split_lines
from fastedit.merged import DEFAULT_CHOICE, Choice
from fastedit.workspace.locate import Location, locate, locate_file

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable


NO_CHANGE = "NO_CHANGE"
DEV_NULL = "/dev/null"


class ChangeAction(StrEnum):
    UPDATE = "update"
    CREATE = "create"
    DELETE = "delete"
    MOVE = "move"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class FileChange:
    """The outcome for one file.

    path: relative to the root, with slashes; where it was before a move: moved_from. before, after: sha256
    of its bytes, None where there is no file. applied: the edit's outcome, None for a deletion.
    """

    path: str
    action: ChangeAction
    before: str | None
    after: str | None
    applied: Applied | None = None
    moved_from: str | None = None
    diff: str = ""
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A change, the file's bytes after it, and what has to be done on the disk for it."""

    change: FileChange
    data: bytes = b""
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """A message to apply, and the options for it.

    message: the edit's text; mode, scope, target: as for `fastedit.apply`. max_file_bytes: the limit for a file
    and for the message. can_create: whether files that don't exist may come to be. apply: merges edits into a
    text in place of `apply_edits`, with the same contract. choice: a rule for doubt; a reading can be chosen
    where one lazy edit is meant.
    """

    message: str
    instruction: str | None = None
    mode: str = "auto"
    scope: str = "auto"
    target: Askable | None = None
    max_file_bytes: int = 16 << 20
    can_create: bool = True
    apply: Callable[..., Applied] | None = None
    choice: Choice = DEFAULT_CHOICE


def plan_changes(
    root: Path, edits: Sequence[Edit], options: Options, *, fs: Filesystem = SYSTEM
) -> tuple[PlannedChange, ...]:
    """The changes of a message, in the order in which it first names the files. Nothing is written.

    Every name is judged before any file is read. Raises EditRefused.
    """
    check_choice(edits, options.choice)
    locations: dict[Path, Location] = {}
    moves: dict[Path, Location] = {}
    grouped: dict[Path, list[Edit]] = {}
    for edit in edits:
        location = _locate(root, edit, created={path for path, known in grouped.items() if _creates(known)})
        locations.setdefault(location.path, location)
        grouped.setdefault(location.path, []).append(edit)
        if edit.new_path:
            moves[location.path] = locate(root, edit.new_path)
    for folder in {path.parent for path in grouped}:
        recover(folder, fs=fs)
    return tuple(
        plan_file(locations[path], known, _options_for(known, options), move_to=moves.get(path), fs=fs)
        for path, known in grouped.items()
    )


def _options_for(edits: Sequence[Edit], options: Options) -> Options:
    """The options for one file of several: the reading that was chosen is the lazy edit's."""
    if any(edit.format is Format.LAZY for edit in edits):
        return options
    return replace(options, choice=replace(options.choice, reading=None))


def plan_file(
    location: Location,
    edits: Sequence[Edit],
    options: Options,
    *,
    move_to: Location | None = None,
    fs: Filesystem = SYSTEM,
) -> PlannedChange:
    """The change of one file by its edits, applied one after the other. Raises EditRefused."""
    file = _read(location, options, fs)
    last_deletion = max((i for i, edit in enumerate(edits) if edit.action is Action.DELETE), default=-1)
    rest = edits[last_deletion + 1 :]
    if last_deletion >= 0 and file is not None:
        _check_deletion(location, file, edits[last_deletion])
    if last_deletion >= 0 and not rest:
        return _deletion(location, file)
    is_fresh = last_deletion >= 0 or file is None or edits[0].action is Action.CREATE
    if file is None and not options.can_create:
        raise InputRefused(Code.INVALID_PATH, f"there is no file {location.name}, and creating files isn't allowed")
    applied = _apply("" if is_fresh or file is None else file.text, rest, location, options)
    if file is None:
        return _creation(location, applied)
    if is_fresh and last_deletion < 0 and applied.text != file.text:
        raise InputRefused(Code.FILE_EXISTS, f"{location.name} is to be created, but exists with another text")
    if move_to is not None and move_to.path != location.path:
        return _move(location, move_to, file, applied, options, fs)
    return _update(location, file, replace(applied, original=file.text))


def _apply(original: str, edits: Sequence[Edit], location: Location, options: Options) -> Applied:
    try:
        return (options.apply or apply_edits)(
            original,
            edits,
            path=location.name,
            message=options.message,
            instruction=options.instruction,
            mode=options.mode,
            scope=options.scope,
            target=options.target,
            choice=options.choice,
        )
    except EditRefused as refusal:
        candidates = tuple(replace(candidate, path=location.name) for candidate in refusal.candidates)
        message = f"{location.name}: {refusal.message}"
        raise type(refusal)(refusal.code, message, candidates, refusal.certainty) from refusal


def _creates(edits: Sequence[Edit]) -> bool:
    return any(edit.action is Action.CREATE or not needs_original(edit) for edit in edits)


def _locate(root: Path, edit: Edit, created: set[Path]) -> Location:
    """The file that the edit is for. created: files that earlier edits may bring about."""
    if edit.path is None:
        raise EditUnreadable(Code.EDIT_UNPARSABLE, "the message doesn't say which file the edit is for")
    location = locate(root, edit.path)
    if edit.action is not Action.UPDATE or location.path in created or os.path.lexists(location.path):
        return location
    if needs_original(edit):
        return locate_file(root, edit.path)
    if os.path.lexists(location.path.parent):
        return location
    # Neither the file nor its folder is there: perhaps the name leaves out the folders in front.
    try:
        return locate_file(root, edit.path)
    except InputRefused:
        return location


def _read(location: Location, options: Options, fs: Filesystem) -> TextFile | None:
    """The file, or None where there is none."""
    if not os.path.lexists(location.path):
        return None
    return read_text_file(location.path, max_bytes=options.max_file_bytes, name=location.name, fs=fs)


def _update(location: Location, file: TextFile, applied: Applied) -> PlannedChange:
    data = _encoded(applied.text, file.encoding, location)
    after = sha256_of(data)
    warnings = (*location.warnings, *applied.warnings)
    if after == file.sha256:
        if not any(warning.code == NO_CHANGE for warning in warnings):
            warnings += (Warning(NO_CHANGE, "the edit is in the file already"),)
        change = FileChange(location.name, ChangeAction.NONE, file.sha256, after, applied, warnings=warnings)
        return PlannedChange(change, data)
    change = FileChange(
        location.name, ChangeAction.UPDATE, file.sha256, after, applied, diff=applied.diff, warnings=warnings
    )
    return PlannedChange(change, data, (Write(file.path, data, file.sha256),))


def _creation(location: Location, applied: Applied) -> PlannedChange:
    data = _encoded(applied.text, UTF_8, location)
    diff = file_diff(None, "", location.name, applied.text)
    warnings = (*location.warnings, *applied.warnings)
    change = FileChange(
        location.name, ChangeAction.CREATE, None, sha256_of(data), applied, diff=diff, warnings=warnings
    )
    return PlannedChange(change, data, (Write(location.path, data),))


def _check_deletion(location: Location, file: TextFile, edit: Edit) -> None:
    """Raises PlaceUnknown ANCHOR_NOT_FOUND where the edit shows other lines than the file would lose."""
    problem = deletion_problem([body(line) for line in split_lines(file.text)], edit.hunks)
    if problem is not None:
        candidates = tuple(replace(candidate, path=location.name) for candidate in problem.candidates)
        raise PlaceUnknown(problem.code, f"{location.name}: {problem.message}", candidates)


def _deletion(location: Location, file: TextFile | None) -> PlannedChange:
    if file is None:
        warnings = (*location.warnings, Warning(NO_CHANGE, f"{location.name} is to be deleted, and isn't there"))
        return PlannedChange(FileChange(location.name, ChangeAction.NONE, None, None, warnings=warnings))
    diff = file_diff(location.name, file.text, None, "")
    change = FileChange(location.name, ChangeAction.DELETE, file.sha256, None, diff=diff, warnings=location.warnings)
    return PlannedChange(change, operations=(Delete(file.path, file.sha256),))


def _move(
    location: Location, move_to: Location, file: TextFile, applied: Applied, options: Options, fs: Filesystem
) -> PlannedChange:
    if _read(move_to, options, fs) is not None:
        raise InputRefused(Code.FILE_EXISTS, f"{location.name} is to become {move_to.name}, which exists already")
    data = _encoded(applied.text, file.encoding, location)
    change = FileChange(
        move_to.name,
        ChangeAction.MOVE,
        file.sha256,
        sha256_of(data),
        applied,
        location.name,
        file_diff(location.name, file.text, move_to.name, applied.text),
        (*location.warnings, *applied.warnings),
    )
    return PlannedChange(change, data, (Write(move_to.path, data, like=file.path), Delete(file.path, file.sha256)))


def _encoded(text: str, encoding: Encoding, location: Location) -> bytes:
    try:
        return encode(text, encoding)
    except InputRefused as refusal:
        raise InputRefused(refusal.code, f"{location.name}: {refusal.message}") from refusal


def file_diff(old_name: str | None, before: str, new_name: str | None, after: str) -> str:
    """The unified diff from one file to the other, as `git apply` and `patch` take it. Empty where nothing changes.

    A name of None stands for no file.
    """
    name = new_name or old_name or ""
    diff = unified_diff(before, after, name)
    if old_name == new_name:
        return diff
    if old_name and new_name:
        head = f"diff --git a/{old_name} b/{new_name}\nrename from {old_name}\nrename to {new_name}\n"
        return head + diff.replace(f"--- a/{name}\n", f"--- a/{old_name}\n", 1)
    kind, missing = ("new", "--- a/") if new_name else ("deleted", "+++ b/")
    head = f"diff --git a/{name} b/{name}\n{kind} file mode 100644\n"
    return head + diff.replace(f"{missing}{name}\n", f"{missing[:4]}{DEV_NULL}\n", 1)
