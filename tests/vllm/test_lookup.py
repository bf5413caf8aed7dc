"""Look-up in a request's own tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft.lookup import matches
from fastedit.draft.model import Kind
from fastedit.vllm.lookup import MAX_MATCH, RowLookup


def slow_match(tokens):
    """The same, by trying every length and place."""
    for length in range(min(MAX_MATCH, len(tokens) - 1), 0, -1):
        for end in range(len(tokens) - 1, length - 1, -1):
            if tokens[end - length : end] == tokens[-length:]:
                return end, length
    return 0, 0


@given(st.lists(st.integers(0, 3), max_size=120))
def test_the_longest_match_is_found(tokens):
    ends, length = matches(np.array(tokens, np.int32), MAX_MATCH)
    assert (int(ends[-1]) if length else 0, length) == slow_match(tokens)


def test_what_followed_is_proposed():
    lookup = RowLookup()
    lookup.tokens = np.array([5, 1, 2, 3, 9, 9, 1, 2], np.int32)
    proposal = lookup.propose(3)
    assert proposal is not None
    assert (proposal.tokens, proposal.kind) == ([3, 9, 9], Kind.SUFFIX)


def test_nothing_is_proposed_after_a_new_token():
    lookup = RowLookup()
    lookup.tokens = np.array([1, 2, 3], np.int32)
    assert lookup.propose(8) is None
