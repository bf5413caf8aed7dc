from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.decode.controller import CostTable
from fastedit.decode.engine import MIN_SHARE, fair_shares, pass_budget
from fastedit.decode.settings import EngineSettings


@pytest.mark.parametrize(
    ("wanted", "budget", "shares"),
    [
        ([5, 5], 100, [5, 5]),
        ([1, 100, 1], 50, [1, 48, 1]),
        ([100, 100, 10], 70, [30, 30, 10]),
        ([4, 4, 4], 2, [1, 1, 1]),
        ([], 10, []),
    ],
)
def test_small_requests_get_all_and_large_ones_share_the_rest(wanted, budget, shares):
    assert fair_shares(wanted, budget) == shares


@given(wanted=st.lists(st.integers(1, 500), max_size=20), budget=st.integers(1, 1000))
def test_shares_are_fair(wanted, budget):
    shares = fair_shares(wanted, budget)
    assert all(1 <= share <= want for share, want in zip(shares, wanted, strict=True))
    assert sum(shares) <= max(budget, len(wanted))
    unfilled = [share for share, want in zip(shares, wanted, strict=True) if share < want]
    assert not unfilled or (max(unfilled) - min(unfilled) <= 1 and max(shares) <= max(unfilled))


def test_a_request_alone_gets_the_whole_pass():
    slow = CostTable({1: 1.0, 2: 2.0})
    settings = EngineSettings(pass_tokens=5000, pass_s=0.1)
    assert pass_budget(1, slow, settings) == 5000
    assert pass_budget(3, slow, settings) == 3 * MIN_SHARE


def test_several_requests_wait_no_longer_than_a_passs_time():
    costs = CostTable({1: 0.001, 1001: 1.001})
    assert 128 <= pass_budget(2, costs, EngineSettings(pass_tokens=5000, pass_s=0.25)) <= 256
