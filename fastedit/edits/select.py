"""Picks those of a message's edits that are meant for one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from fastedit.edits.model import Edit
from fastedit.errors import Code, EditUnreadable, Warning


def edits_for(edits: Sequence[Edit], path: str | None) -> tuple[list[Edit], list[Warning]]:
    """The edits for `path` in their order, with warnings about the others.

    An edit without a path is for the file; one with a path is where the names agree from the end. Where
    nothing agrees, edits for one single other name are taken with a warning: the alignment decides then
    whether the file is the right one. Raises EditUnreadable where the message is about several others.
    """
    if path is None:
        return list(edits), []
    mine = [edit for edit in edits if edit.path is None or is_same_file(edit.path, path)]
    if mine:
        skipped = sorted({edit.path for edit in edits if edit.path and edit not in mine})
        return mine, [Warning("OTHER_FILES", f"not applied here: {', '.join(skipped)}")] if skipped else []
    names = sorted({edit.path for edit in edits if edit.path})
    if len(names) > 1:
        raise EditUnreadable(Code.EDIT_EMPTY, f"no edit for {path} in the message, only for {', '.join(names)}")
    return list(edits), [Warning("OTHER_PATH", f"the message names {names[0]}, applied to {path}")]


def is_same_file(named: str, path: str) -> bool:
    """Whether the shorter of the two paths is the end of the other (`a/`, `b/`, `./` in front and case apart)."""
    ours, theirs = _parts(path.casefold()), _parts(named.casefold())
    shared = min(len(ours), len(theirs))
    return shared > 0 and ours[-shared:] == theirs[-shared:]


def _parts(path: str) -> tuple[str, ...]:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return tuple(part for part in parts if part not in (".", "/"))
