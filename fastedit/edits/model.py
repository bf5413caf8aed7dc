"""An assistant's edits as data: `Edit` for one file, made of `Snippet`s or `PatchHunk`s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Format(StrEnum):
    LAZY = "lazy"
    UDIFF = "udiff"
    SEARCH_REPLACE = "search_replace"
    V4A = "v4a"
    WHOLE = "whole"


class Action(StrEnum):
    UPDATE = "update"
    CREATE = "create"
    DELETE = "delete"


class Op(StrEnum):
    """The operation that a patch line stands for: what it does to the original."""

    KEEP = " "
    DELETE = "-"
    ADD = "+"
    SKIP = "..."  # an elision inside a SEARCH/REPLACE block: stands for any lines of the original


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One line of a patch. text has no line end; it is empty for `Op.SKIP`."""

    op: Op
    text: str


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Lines to find in the original and what becomes of them.

    line_hint: 0-based line of the original where the hunk says it starts, or None.
    scopes: texts after `@@` that name what the hunk is inside of, outermost first.
    at_end: the hunk belongs at the end of the file (`*** End of File`).
    source_line: 0-based line of the message where the hunk starts.
    """

    lines: tuple[PatchLine, ...]
    line_hint: int | None = None
    scopes: tuple[str, ...] = ()
    at_end: bool = False
    source_line: int = 0

    @property
    def old(self) -> list[str]:
        """The lines that the hunk expects in the original (kept and deleted ones)."""
        return [line.text for line in self.lines if line.op in (Op.KEEP, Op.DELETE)]

    @property
    def new(self) -> list[str]:
        """The lines that stand there afterwards (kept and added ones)."""
        return [line.text for line in self.lines if line.op in (Op.KEEP, Op.ADD)]


@dataclass(frozen=True, slots=True)
class Snippet:
    """One fenced piece of a lazy edit, or the whole new file.

    lines: without line ends. info: the fence's language tag. prose: the message's text between the
    previous fence and this one (it may say where the snippet goes). source_line: 0-based line of the
    message where the snippet's first line stands.
    """

    lines: tuple[str, ...]
    info: str = ""
    prose: str = ""
    source_line: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that is to happen to one file.

    path: as the message names it (never resolved, may be hostile), or None where it names none.
    new_path: where the file moves to (`*** Move to:`, a rename in a diff), or None.
    snippets: for LAZY and WHOLE (exactly one for WHOLE; for LAZY one for each fence, in their order);
    hunks: for the patch formats; of a deletion the lines that the file must have, none where it may have any.
    message, shared: what a message about several files says of this one, and of all of them together; None where all
    of it is about this one.
    """

    format: Format
    path: str | None = None
    action: Action = Action.UPDATE
    new_path: str | None = None
    snippets: tuple[Snippet, ...] = ()
    hunks: tuple[PatchHunk, ...] = ()
    message: str | None = None
    shared: str = ""

    def part_of(self, message: str) -> str:
        """The part about the edit's file of the message that it was read from."""
        return message if self.message is None else self.message


def whole_edit(path: str | None, snippet: Snippet, *, is_new: bool, is_exact: bool = False) -> Edit:
    """The edit that puts the snippet in the place of the file, or creates it.

    is_exact: somebody said that this is the whole file, so that blank lines at its end are meant.
    """
    action = Action.CREATE if is_new else Action.UPDATE
    return Edit(Format.WHOLE, path, action, snippets=(snippet if is_exact else trimmed(snippet),))


def trimmed(snippet: Snippet) -> Snippet:
    """The snippet without blank lines at its end: a message can't show how a file ends."""
    lines = list(snippet.lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return Snippet(tuple(lines), snippet.info, snippet.prose, snippet.source_line)


def longest(snippets: Sequence[Snippet]) -> Snippet:
    """The longest snippet: the one that can be the whole file where a message holds several."""
    return max(snippets, key=lambda snippet: len(snippet.lines))
