"""Code fences without a patch in them: snippets, whole files, before/after pairs, and what is no edit at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from fastedit.edits.hunks import is_elision
from fastedit.edits.model import Edit, Format, PatchHunk, Snippet
from fastedit.edits.places import PlacedBlock
from fastedit.edits.search_replace import pair_lines
from fastedit.edits.signals import (
    has_commands,
    has_marker,
    has_prompt,
    is_after,
    is_before,
    is_example,
    is_output,
    is_shell,
    says_run,
)
from fastedit.edits.whole import whole_edit

_SCRIPT_EXTENSIONS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")


def snippet_of(placed: PlacedBlock) -> Snippet:
    """The block as a snippet, its locator gone from the code and kept in the prose."""
    return Snippet(placed.lines, placed.block.info, placed.prose, placed.start_line)


def code_edit(placed: PlacedBlock) -> Edit:
    """A code fence as an edit: created, whole where the message says so, else LAZY."""
    snippet = snippet_of(placed)
    if placed.is_new and not has_marker(placed.lines):
        return whole_edit(placed.path, snippet, is_new=True)
    if placed.is_whole and not any(is_elision(line) for line in placed.lines):
        return whole_edit(placed.path, snippet, is_new=False)
    return Edit(Format.LAZY, placed.path, snippets=(snippet,))


def pair_edit(before: PlacedBlock, after: PlacedBlock) -> Edit:
    """Two fences of which the second takes the place of the first."""
    hunk = PatchHunk(tuple(pair_lines(before.lines, after.lines)), source_line=before.start_line)
    return Edit(Format.SEARCH_REPLACE, before.path or after.path, hunks=(hunk,))


def is_pair(before: PlacedBlock, after: PlacedBlock) -> bool:
    """Whether the prose says `replace this:` before the first and `with:` before the second."""
    same_file = after.path in (before.path, None) or before.path is None
    return same_file and is_before(before.block.prose) and is_after(after.block.prose) and bool(before.lines)


class Role(StrEnum):
    """The purpose of a code fence, as far as it and the prose before it tell."""

    EDIT = "edit"
    COMMANDS = "commands"
    OTHER = "other"


def role_of(placed: PlacedBlock) -> Role:
    """COMMANDS for a fence that looks like commands, but would also do for a part of a script."""
    lines, prose, info = placed.lines, placed.block.prose, placed.block.info
    if not any(line.strip() for line in lines):
        return Role.EDIT if placed.is_new else Role.OTHER
    if placed.is_cited:
        return Role.OTHER
    if has_marker(lines) or (placed.path and placed.has_own_path and _is_script(placed.path)):
        return Role.EDIT
    if has_commands(info, lines):
        return Role.OTHER if has_prompt(lines) or says_run(prose) else Role.COMMANDS
    if placed.has_own_path:
        return Role.EDIT
    return Role.OTHER if is_output(info, prose) or is_example(prose) else Role.EDIT


def edits_among(placed: Sequence[PlacedBlock]) -> list[PlacedBlock]:
    """The code fences that are edits. Where none is for certain, all that hold code are taken for it.

    What looks like commands is an edit beside parts of a script, not beside another language.
    """
    roles = [role_of(block) for block in placed]
    edits = [block for block, role in zip(placed, roles, strict=True) if role is Role.EDIT]
    if not edits:
        maybe = [block for block, role in zip(placed, roles, strict=True) if role is Role.COMMANDS]
        return maybe or [block for block in placed if any(line.strip() for line in block.lines)]
    if all(is_shell(block.block.info) for block in edits):
        return [block for block, role in zip(placed, roles, strict=True) if role is not Role.OTHER]
    return edits


def edits_beside_patch(placed: Sequence[PlacedBlock]) -> list[PlacedBlock]:
    """The code fences that are edits in a message that holds patches: a nameless one may only show what they did."""
    return [
        block for block in placed if role_of(block) is Role.EDIT and (block.has_own_path or has_marker(block.lines))
    ]


def _is_script(path: str) -> bool:
    name = re.split(r"[/\\]", path)[-1]
    return "." not in name.lstrip(".") or name.endswith(_SCRIPT_EXTENSIONS)
