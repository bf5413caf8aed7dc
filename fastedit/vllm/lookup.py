"""Drafts from what stands in a request's own tokens, prompt and output: what followed the longest earlier match.

As by `draft.lookup`, nothing is built or kept, so that a prompt of any length costs the engine's loop nothing before
its first token.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastedit.draft.lookup import kind_of_match, matches
from fastedit.draft.model import Proposal

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
        ends, length = matches(tokens, MAX_MATCH)
        if length == 0:
            return None
        end = int(ends[-1])
        return Proposal(tokens[end : end + limit].tolist(), kind_of_match(length))
