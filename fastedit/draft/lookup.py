"""Drafts from what was written before: the original, the edit and the output itself.

Nothing is indexed. The places where the last token occurs are found by a scan of an array, and of those few the ones
where the tokens before it occur, too: some ten microseconds in ten thousand tokens. An index would take tens of
milliseconds to build, and while one request builds it all the others wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastedit.draft.model import Kind, Proposal, Transcript

Tokens = NDArray[np.int64]
Sources = Callable[[], Sequence[Tokens | Sequence[int]]]

LONG_MATCH = 8
LONGEST_MATCH = 32  # more tokens tell no places apart
SOURCE_END = -1  # between two sources; no token has this id


def as_tokens(tokens: Tokens | Sequence[int]) -> Tokens:
    """The same as an array, which one that several drafters search should be."""
    return np.asarray(tokens, np.int64)


def matches(tokens: NDArray[np.integer[Any]], longest: int) -> tuple[NDArray[np.intp], int]:
    """(ascending ends of all earlier occurrences of the longest suffix of `tokens` that has one, its length).

    longest: a longer suffix isn't looked for. (none, 0) where the last token is new.
    """
    last = len(tokens) - 1
    if last < 1 or longest < 1:
        return np.empty(0, np.intp), 0
    ends = np.flatnonzero(tokens[:last] == tokens[last]) + 1
    length = min(len(ends), 1)
    while 0 < length < longest:
        if len(ends) == 1:  # how far a single place goes is one comparison
            most = min(longest, int(ends[0]))
            here, there = tokens[last + 1 - most : last + 1], tokens[ends[0] - most : ends[0]]
            differs = (here != there)[::-1]
            return ends, int(differs.argmax()) if differs.any() else most
        # What begins before the first token wraps round and is cut off.
        longer = ends[(ends > length) & (tokens[ends - length - 1] == tokens[last - length])]
        if not len(longer):
            break
        ends, length = longer, length + 1
    return ends, length


def kind_of_match(length: int) -> Kind:
    if length >= LONG_MATCH:
        return Kind.SUFFIX_LONG
    return Kind.SUFFIX if length > 1 else Kind.SUFFIX_SHORT


class SuffixDrafter:
    """Proposes what followed the first occurrence of the longest suffix of the output that occurred before.

    sources: makes them, in order of preference (the edit before the original); the output comes last. They are made
    when first asked for, so that a request whose draft never diverges pays nothing.
    """

    def __init__(self, sources: Sources, transcript: Transcript) -> None:
        self._sources = sources
        self._transcript = transcript
        self._text: _Text | None = None

    def propose(self, limit: int) -> Proposal | None:
        text = self._text = self._text or _Text(self._sources())
        text.follow(self._transcript)
        ends, length = text.matches(LONGEST_MATCH)
        if not length:
            return None
        tokens = text.copied(int(ends[0]), limit)
        return Proposal(tokens, kind_of_match(length)) if tokens else None


class NgramDrafter:
    """Proposes what followed the latest occurrence of the last `n` tokens. sources: as for `SuffixDrafter`."""

    def __init__(self, sources: Sources, transcript: Transcript, n: int = 3) -> None:
        self._sources = sources
        self._transcript = transcript
        self._n = n
        self._text: _Text | None = None

    def propose(self, limit: int) -> Proposal | None:
        text = self._text = self._text or _Text(reversed(self._sources()))
        text.follow(self._transcript)
        ends, length = text.matches(self._n)
        if length < self._n:
            return None
        tokens = text.copied(int(ends[-1]), limit)
        return Proposal(tokens, Kind.NGRAM) if tokens else None


class _Text:
    """Sources, each with an end, and behind them the output so far."""

    def __init__(self, sources: Iterable[Tokens | Sequence[int]]) -> None:
        parts = [part for source in sources for part in (source, (SOURCE_END,))]
        self._tokens: Tokens = np.concatenate([as_tokens(part) for part in ((), *parts)])
        self._size = len(self._tokens)
        self._num_written = 0

    def follow(self, transcript: Transcript) -> None:
        """Adds what the target has written since."""
        new = transcript.tokens[self._num_written :]
        self._num_written += len(new)
        end = self._size + len(new)
        if end > len(self._tokens):
            grown = np.empty(2 * end, np.int64)
            grown[: self._size] = self._tokens[: self._size]
            self._tokens = grown
        self._tokens[self._size : end] = new
        self._size = end

    def matches(self, longest: int) -> tuple[NDArray[np.intp], int]:
        """`matches` of the output's last tokens, of at most `longest`."""
        return matches(self._tokens[: self._size], min(longest, self._num_written))

    def copied(self, start: int, limit: int) -> list[int]:
        """Up to `limit` tokens from `start` on, to the end of their source.

        Where they reach the end of everything, the copy goes on with itself: what repeats goes on repeating.
        """
        tokens: list[int] = self._tokens[start : min(start + limit, self._size)].tolist()
        if SOURCE_END in tokens:
            return tokens[: tokens.index(SOURCE_END)]
        while tokens and len(tokens) < limit:
            tokens += tokens[: limit - len(tokens)]
        return tokens
