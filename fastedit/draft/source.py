"""A draft text as tokens and bytes, and its tokens from any byte on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from fastedit.draft.model import Codec, Draft

WINDOW_BYTES = 512  # tokenised anew from an anchor on, until the old tokens are met
RESYNC_TOKENS = 3  # that have to agree before the old tokens are trusted again


class Source:
    """A text in a target's tokens. tokens: the whole text's, with its ending. data: the bytes they stand for.
    boundaries: bytes where declarations begin."""

    def __init__(self, draft: Draft, codec: Codec, ending: Sequence[int]) -> None:
        self.use(codec)
        self._ending = list(ending)
        self.tokens = [*codec.encode(draft.text), *ending]
        # A tokenizer may normalise; what counts is what its tokens stand for.
        self.data = b"".join(map(codec.piece, self.tokens))
        self.boundaries = _byte_offsets(draft.text, draft.boundaries)
        self._edges = _byte_offsets(draft.text, draft.edges)
        self._starts = [0, *accumulate(self.lengths(self.tokens))]

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the codec: to be sent to another process, and be given one there by `use`."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_piece", "_encode")}

    def use(self, codec: Codec) -> None:
        self._piece, self._encode = codec.piece, codec.encode

    def lengths(self, tokens: Sequence[int]) -> list[int]:
        """The bytes of each token."""
        return [len(self._piece(token)) for token in tokens]

    def from_byte(self, offset: int) -> list[int]:
        """Tokens of the text from byte `offset` on: its first part at least; none where no character begins there."""
        if offset == len(self.data):
            return self._ending
        if _is_continuation(self.data, offset):
            return []
        end = min(offset + WINDOW_BYTES, len(self.data))
        while _is_continuation(self.data, end):
            end -= 1
        fresh = self._encode(self.data[offset:end].decode("utf-8", errors="replace"))
        return self._spliced(fresh, offset)

    def edges_within(self, offset: int, tokens: Sequence[int]) -> tuple[int, ...]:
        """The indices of the tokens, the first of them at byte `offset`, that a hunk's edge lies in or before."""
        first = bisect_left(self._edges, offset)
        if first == len(self._edges):
            return ()
        ends = list(accumulate(self.lengths(tokens)))
        inside = (edge - offset for edge in self._edges[first:] if edge - offset < ends[-1])
        return tuple(dict.fromkeys(bisect_left(ends, edge + 1) for edge in inside))

    def _spliced(self, fresh: list[int], offset: int) -> list[int]:
        """Joins `fresh`, up to where it meets the whole text's tokens, with those from there on."""
        for index, start in enumerate(accumulate(self.lengths(fresh), initial=offset)):
            old = bisect_left(self._starts, start)
            if old >= len(self.tokens) or self._starts[old] != start:
                continue
            following = fresh[index : index + RESYNC_TOKENS]
            if following == self.tokens[old : old + len(following)]:
                return fresh[:index] + self.tokens[old:]
        return fresh


def _is_continuation(data: bytes, offset: int) -> bool:
    return offset < len(data) and 0x80 <= data[offset] < 0xC0


def _byte_offsets(text: str, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Character offsets, ascending, as offsets in the text's UTF-8."""
    result: list[int] = []
    character, byte = 0, 0
    for offset in offsets:
        byte += len(text[character:offset].encode("utf-8", errors="replace"))
        character = max(character, offset)
        result.append(byte)
    return tuple(result)
