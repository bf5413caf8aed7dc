"""A window's changes as an assistant would write them, for pairs that come without an edit for each window."""

from __future__ import annotations

from collections.abc import Iterator

from fastedit.verify.windows import Window

MARKER = "# ... existing code ..."
CONTEXT_LINES = 3


def lazy_edit(window: Window) -> str:
    """The changes with a few lines around them, a marker for what stays."""
    return "".join(MARKER + "\n" if piece is None else piece for piece in _shown(window))


def snippets(window: Window) -> tuple[str, ...]:
    """The same without the markers, in pieces."""
    return tuple(piece for piece in _shown(window) if piece is not None)


def _shown(window: Window) -> Iterator[str | None]:
    """Pieces of the merged window near its changes, and None for what is left out between them."""
    piece: list[str] = []
    runs = list(_runs(window))
    for index, (lines, is_new) in enumerate(runs):
        head = CONTEXT_LINES if index > 0 else 0
        tail = CONTEXT_LINES if index < len(runs) - 1 else 0
        if is_new or len(lines) <= head + tail:
            piece += lines
            continue
        piece += lines[:head]
        if piece:
            yield "".join(piece)
        yield None
        piece = list(lines[len(lines) - tail :])
    if piece:
        yield "".join(piece)


def _runs(window: Window) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The merged window in pieces: (lines, whether they are new)."""
    at = window.start
    for change in window.changes:
        yield window.lines[at - window.start : change.start - window.start], False
        yield change.lines, True
        at = change.end
    yield window.lines[at - window.start :], False
