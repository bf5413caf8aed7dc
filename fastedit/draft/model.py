"""The interface of a drafter, and the data that goes in and out of one."""

from __future__ import annotations

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
