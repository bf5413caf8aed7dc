"""A draft text as tokens and bytes, and its tokens from any byte on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from fastedit.draft.model import Codec, Draft

WINDOW_BYTES = 512  # tokenised anew from an anchor on, until the old tokens are met
RESYNC_TOKENS = 3  # that have to agree before the old tokens are trusted again


@dataclass(frozen=True, slots=True)
class Queue:
    """Tokens of a text from some byte on. starts: where in the text each begins, and where the last one ends."""

    tokens: list[int]
    starts: list[int]


class Source:
    """A text in a target's tokens. whole: all of them, with the ending. data: the bytes they stand for.
    boundaries: bytes where declarations begin."""

    def __init__(self, draft: Draft, codec: Codec, ending: Sequence[int]) -> None:
        self.use(codec)
        self._ending = list(ending)
        tokens = [*codec.encode(draft.text), *ending]
        # A tokenizer may normalise; what counts is what its tokens stand for.
        pieces = list(map(codec.piece, tokens))
        self.data = b"".join(pieces)
        self.whole = Queue(tokens, [0, *accumulate(map(len, pieces))])
        self.boundaries = _byte_offsets(draft.text, draft.boundaries)
        self._edges = _byte_offsets(draft.text, draft.edges)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the codec: to be sent to another process, and be given one there by `use`."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_piece", "_encode")}

    def use(self, codec: Codec) -> None:
        self._piece, self._encode = codec.piece, codec.encode

    def from_byte(self, offset: int) -> Queue:
        """Tokens of the text from byte `offset` on: its first part at least; none where no character begins there."""
        if offset == len(self.data):
            return Queue(self._ending, [offset] * (len(self._ending) + 1))
        if _is_continuation(self.data, offset):
            return Queue([], [offset])
        end = min(offset + WINDOW_BYTES, len(self.data))
        while _is_continuation(self.data, end):
            end -= 1
        fresh = self._encode(self.data[offset:end].decode("utf-8", errors="replace"))
        return self._spliced(fresh, offset)

    def edges_within(self, queue: Queue, at: int, num_tokens: int) -> tuple[int, ...]:
        """Places of hunks' edges in a queue: indices of tokens, counted from its token `at` on, below `num_tokens`."""
        starts = queue.starts
        first = bisect_left(self._edges, starts[at])
        last = bisect_left(self._edges, starts[at + num_tokens], lo=first)
        edges = self._edges[first:last]
        return tuple(dict.fromkeys(bisect_right(starts, edge, lo=at) - 1 - at for edge in edges))

    def _spliced(self, fresh: list[int], offset: int) -> Queue:
        """Joins `fresh`, up to where it meets the whole text's tokens, with those from there on."""
        tokens, starts = self.whole.tokens, self.whole.starts
        fresh_starts = list(accumulate((len(self._piece(token)) for token in fresh), initial=offset))
        for index, start in enumerate(fresh_starts):
            old = bisect_left(starts, start)
            if old >= len(tokens) or starts[old] != start:
                continue
            following = fresh[index : index + RESYNC_TOKENS]
            if following == tokens[old : old + len(following)]:
                return Queue(fresh[:index] + tokens[old:], fresh_starts[:index] + starts[old:])
        return Queue(fresh, fresh_starts)


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
