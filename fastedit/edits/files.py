"""Tells which files a message is about, and what it does to each, as far as can be said without seeing one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.edits.lazy import LineKind, classify_lines, elides_inline
from fastedit.edits.model import Action, Edit, Format


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as the message names it.

    path: None for whichever file the message is applied to. can_create: nothing that is said needs the file to be
    there already.
    """

    path: str | None
    action: Action
    new_path: str | None = None
    can_create: bool = False


def named_files(edits: Sequence[Edit]) -> list[NamedFile]:
    """Each file that the edits are for, once, in their order."""
    grouped: dict[str | None, list[Edit]] = {}
    for edit in edits:
        grouped.setdefault(edit.path, []).append(edit)
    return [_named(path, mine) for path, mine in grouped.items()]


def needs_original(edit: Edit) -> bool:
    """Whether the edit speaks of lines that a file must already have."""
    if edit.format is Format.WHOLE:
        return False
    if edit.format is Format.LAZY:
        lines = [line for snippet in edit.snippets for line in snippet.lines]
        shown = classify_lines(lines, lambda _: False)
        return any(line.kind in (LineKind.MARKER, LineKind.REMOVAL) or elides_inline(line.text) for line in shown)
    return edit.new_path is not None or not edit.hunks or any(hunk.old for hunk in edit.hunks)


def _named(path: str | None, edits: Sequence[Edit]) -> NamedFile:
    first, last = edits[0], edits[-1]
    action = Action.UPDATE
    if last.action is Action.DELETE:
        action = Action.DELETE
    elif first.action is Action.CREATE:
        action = Action.CREATE
    new_path = next((edit.new_path for edit in reversed(edits) if edit.new_path), None)
    can_create = action is not Action.DELETE and (first.action is Action.CREATE or not needs_original(first))
    return NamedFile(path, action, new_path, can_create)
