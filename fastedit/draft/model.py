"""The interface of a drafter, the data in and out of one, and the output so far, which all drafters read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """The origin of a proposal. How often each kind is accepted is learned apart (`decode.controller`)."""

    MERGED = "merged"  # in step with the merged draft
    ORIGINAL = "original"  # in step with the bare original
    ANCHORED = "anchored"  # re-anchored at a place that nothing else in the rest of the source looks like
    GUESSED = "guessed"  # re-anchored at the likeliest of several places
    SNIPPET = "snippet"  # the edit's own lines, in order
    SNIPPET_GUESSED = "snippet_guessed"  # a line of the edit that begins like the output's
    SUFFIX_LONG = "suffix_long"  # what followed the same eight tokens or more elsewhere
    SUFFIX = "suffix"  # what followed the same two to seven tokens
    SUFFIX_SHORT = "suffix_short"  # what followed the same token
    NGRAM = "ngram"  # what followed the same few tokens last time


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that the target's output probably is, or runs along.

    kind: MERGED or ORIGINAL. edges: offsets (characters of `text`, ascending) where hunks begin or end, so where a
    divergence is likely. boundaries: offsets where declarations begin; may be empty.
    """

    text: str
    kind: Kind = Kind.MERGED
    edges: tuple[int, ...] = ()
    boundaries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Tokens that may come next. edges: indices into `tokens` at which a hunk begins or ends, ascending."""

    tokens: list[int]
    kind: Kind
    edges: tuple[int, ...] = ()


class Codec(Protocol):
    """A target's tokenizer, as far as drafting needs it."""

    def encode(self, text: str) -> list[int]:
        """Token ids of `text` as ordinary text: nothing in it is read as a special token."""

    def piece(self, token: int) -> bytes:
        """The bytes that the token stands for (part of a character, perhaps); empty for special tokens."""


class Drafter(Protocol):
    """Knows what the target has written (it was made with the `Transcript`) and proposes what comes next."""

    def propose(self, limit: int) -> Proposal | None:
        """Between 1 and `limit` tokens that may come next, or None where nothing suggests itself."""


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
