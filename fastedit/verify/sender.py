"""Gives out the new file's text while it comes to be, and never a character that the result could lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastedit.errors import Code, EngineUnavailable
from fastedit.lines import split_lines

if TYPE_CHECKING:
    from fastedit.verify.windows import Window

Listener = Callable[[str], None]


class TextSender:
    """Gives `listener` pieces of the new file's text, in order; joined they are all of it.

    listener: None where nobody listens.
    """

    def __init__(self, original: str, listener: Listener | None) -> None:
        self._lines = split_lines(original) if listener else []
        self._listener = listener
        self._sent = ""
        self._line = 0  # of the original: those before have been dealt with
        self._agreed: str | None = None
        self._has_diverged = False

    def follow(self, agreed: str | None) -> Callable[[Window, str], None] | None:
        """The function that takes the target's text for each window from `verified.ask`; None where nobody listens.

        agreed: the merged draft, where what the target writes counts for certain only as far as both say the same; None
        where it counts whatever it is.
        """
        self._agreed = agreed
        return self._take if self._listener else None

    def finish(self, text: str) -> None:
        """Gives the rest of `text`, the whole result.

        Raises EngineUnavailable(ENGINE_ERROR) where that doesn't begin with what was given before.
        """
        if self._listener is None:
            return
        if not text.startswith(self._sent):
            raise EngineUnavailable(Code.ENGINE_ERROR, "What was streamed isn't the beginning of the result.")
        self._send(text[len(self._sent) :])

    def _take(self, window: Window, piece: str) -> None:
        kept = "".join(self._lines[self._line : window.start])
        self._line = max(self._line, window.end)
        self._offer(kept + piece)

    def _offer(self, text: str) -> None:
        if self._agreed is not None and not self._has_diverged:
            expected = self._agreed[len(self._sent) : len(self._sent) + len(text)]
            if text != expected:
                self._has_diverged = True
                text = text[: _num_shared(text, expected)]
                self._send(text)
        if not self._has_diverged:
            self._send(text)

    def _send(self, text: str) -> None:
        if text and self._listener:
            self._sent += text
            self._listener(text)


def _num_shared(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))
