"""Drafts from what stands in a request's own tokens, prompt and output: what followed the longest earlier match.

The same as a suffix automaton's proposal (`draft.lookup`), without one: nothing is built or kept, so that a prompt of
any length costs the engine's loop nothing before its first token.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastedit.draft.lookup import LONG_MATCH
from fastedit.draft.model import Kind, Proposal

Tokens = npt.NDArray[np.int32]

MAX_MATCH = 12  # a longer match tells little more, and each token of it takes some microseconds
SEEN_TOKENS = 65_536  # of a longer request the last ones: a scan of so many takes some 30 us


class RowLookup:
    """Proposes what followed the longest suffix of `tokens` that occurs in them before; of several places the last.

    tokens: (N,) prompt and output so far; to be set before each call.
    """

    def __init__(self) -> None:
        self.tokens: Tokens = np.zeros(0, np.int32)

    def propose(self, limit: int) -> Proposal | None:
        tokens = self.tokens[-SEEN_TOKENS:]
        end, length = longest_match(tokens)
        if length == 0:
            return None
        return Proposal(tokens[end : end + limit].tolist(), _kind(length))


def longest_match(tokens: Tokens) -> tuple[int, int]:
    """The index behind the last occurrence of the longest suffix that occurs before, and the suffix's length.

    (0, 0) where the last token is new. Lengths above MAX_MATCH aren't told apart.
    """
    if len(tokens) < 2:
        return 0, 0
    ends = np.flatnonzero(tokens[:-1] == tokens[-1])
    if not len(ends):
        return 0, 0
    length = 1
    while length < min(MAX_MATCH, len(tokens) - 1):
        # What begins before the first token wraps round and is cut off.
        longer = ends[(ends >= length) & (tokens[ends - length] == tokens[-1 - length])]
        if not len(longer):
            break
        ends, length = longer, length + 1
    return int(ends[-1]) + 1, length


def _kind(length: int) -> Kind:
    if length >= LONG_MATCH:
        return Kind.SUFFIX_LONG
    return Kind.SUFFIX if length > 1 else Kind.SUFFIX_SHORT
