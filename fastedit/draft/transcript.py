"""The target's output so far, as tokens and as bytes. Every drafter of a request reads the same one."""

from __future__ import annotations

from collections.abc import Iterable

from fastedit.draft.model import Codec


class Transcript:
    """The output so far. tokens: its tokens. data: the bytes they stand for. ends: end in `data` of each token."""

    def __init__(self, codec: Codec) -> None:
        self.tokens: list[int] = []
        self.data = bytearray()
        self.ends: list[int] = []
        self._piece = codec.piece

    def extend(self, tokens: Iterable[int]) -> None:
        for token in tokens:
            self.tokens.append(token)
            self.data += self._piece(token)
            self.ends.append(len(self.data))

    def start_of(self, index: int) -> int:
        """The byte at which token `index` begins; the end of everything for `index == len(tokens)`."""
        return self.ends[index - 1] if index else 0

    def whole_text(self, start: int = 0) -> tuple[str, int]:
        """The text from byte `start` on that ends with a whole character, and the byte where it ends.

        Bytes that are no UTF-8 come out as U+FFFD; only a character that may still be completed is held back.
        """
        end = len(self.data) - _unfinished(self.data)
        return self.data[start:end].decode("utf-8", errors="replace"), end

    def line_start(self, byte: int) -> int:
        """The byte where the line that contains `byte` begins."""
        return self.data.rfind(b"\n", 0, byte) + 1


def _unfinished(data: bytearray) -> int:
    """Counts the bytes at the end of `data` that are the beginning of a character that isn't whole yet."""
    for back in range(1, min(3, len(data)) + 1):
        lead = data[-back]
        if lead < 0x80:
            return 0
        if lead >= 0xC0:
            width = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2
            return back if back < width else 0
    return 0
