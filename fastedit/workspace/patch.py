"""Applying a message to files on disk: worked out for all of them first, then written, all or none."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fastedit.apply import choice_of
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit
from fastedit.errors import Code, InputRefused, Warning
from fastedit.files import SYSTEM, Filesystem, commit, recover, too_large
from fastedit.workspace.locate import Location, inside, parts_of
from fastedit.workspace.plan import FileChange, Options, PlannedChange, plan_changes, plan_file

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes that have been worked out and not yet written. warnings: those about no single file."""

    root: Path
    planned: tuple[PlannedChange, ...]
    warnings: tuple[Warning, ...] = ()

    @property
    def changes(self) -> list[FileChange]:
        return [one.change for one in self.planned]


def apply_patch(
    edit: str,
    root: Path,
    *,
    instruction: str | None = None,
    format: str = "auto",
    mode: str = "auto",
    scope: str = "auto",
    target: Askable | None = None,
    certainty: float | None = None,
    choose: int | None = None,
    create: bool = True,
    dry_run: bool = False,
) -> list[FileChange]:
    """Applies a message to the files below `root` that it names, and says what became of each.

    All files are written or none. certainty, choose: as for `fastedit.apply`; a reading can be chosen where the message
    has one lazy edit. create: whether files that don't exist may come to be. dry_run: nothing is written. Raises
    EditRefused, and ValueError as `fastedit.apply` does.
    """
    choice = choice_of(certainty, choose)
    options = Options(edit, instruction, mode, scope, target, can_create=create, choice=choice)
    plan = plan_patch(root, options, format=format)
    write_plan(plan, dry_run=dry_run)
    return plan.changes


def plan_patch(root: Path, options: Options, *, format: str = "auto", fs: Filesystem = SYSTEM) -> Plan:
    """The plan for all files that the message names. Raises EditRefused."""
    root = _real_folder(root)
    edits = [_from_root(root, edit) for edit in _parse(options, format)]
    for name in [name for edit in edits for name in (edit.path, edit.new_path) if name]:
        parts_of(name)
    warnings = recover(root, fs=fs)
    return Plan(root, plan_changes(root, edits, options, fs=fs), warnings)


def plan_one(path: Path, options: Options, *, format: str = "auto", fs: Filesystem = SYSTEM) -> Plan:
    """The plan for the one file that is meant, whatever the message calls it. Raises EditRefused."""
    real = _real_file(path)
    edits, warnings = edits_for(_parse(options, format), str(path))
    if any(edit.new_path for edit in edits):
        raise InputRefused(Code.INVALID_PATH, "the edit moves the file: apply it to the folder, not to a file")
    warnings = [*recover(real.parent, fs=fs), *warnings]
    planned = plan_file(Location(real, str(path)), edits, options, fs=fs)
    return Plan(real.parent, (planned,), tuple(warnings))


def write_plan(
    plan: Plan, *, break_hard_links: bool = False, dry_run: bool = False, fs: Filesystem = SYSTEM
) -> tuple[Warning, ...]:
    """Writes a plan's files, all or none, as long as they still are what the plan was made from.

    dry_run: everything is checked and nothing written. Raises EditRefused.
    """
    operations = [operation for one in plan.planned for operation in one.operations]
    return commit(plan.root, operations, break_hard_links=break_hard_links, dry_run=dry_run, fs=fs)


def _from_root(root: Path, edit: Edit) -> Edit:
    """The edit with its names as they are from the root."""
    path, new_path = (inside(root, name) if name else name for name in (edit.path, edit.new_path))
    return edit if (path, new_path) == (edit.path, edit.new_path) else replace(edit, path=path, new_path=new_path)


def _parse(options: Options, format: str) -> list[Edit]:
    num_bytes = len(options.message.encode("utf-8", "surrogatepass"))
    if num_bytes > options.max_file_bytes:
        raise too_large("the edit", num_bytes, options.max_file_bytes)
    return parse_message(options.message, format=format)


def _real_folder(root: Path) -> Path:
    real = Path(os.path.realpath(root))
    if not real.is_dir():
        raise InputRefused(Code.INVALID_PATH, f"{root} is no folder")
    return real


def _real_file(path: Path) -> Path:
    real = Path(os.path.realpath(path))
    if not os.path.lexists(real):
        raise InputRefused(Code.INVALID_PATH, f"there is no file {path}")
    return real
