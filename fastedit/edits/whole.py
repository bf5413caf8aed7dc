"""Whole files: a fence that is the file from its first line to its last."""

from __future__ import annotations

from collections.abc import Sequence

from fastedit.edits.model import Action, Edit, Format, Snippet


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
