from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from fastedit.decode import verify
from fastedit.decode.request import GREEDY, Sampling
from fastedit.decode.verify import NO_TOKEN, Question, TokenChooser, accepted_length


def chooser(weight, bias=None):
    return TokenChooser(lambda hidden: functional.linear(hidden, weight, bias), len(weight))


tokens = st.lists(st.integers(0, 2), max_size=12)


@given(own=tokens, draft=tokens)
def test_accepted_length_is_the_common_prefix(own, draft):
    own = [*own, *draft][: len(draft) + 1]  # a target answers at every position of the draft
    same = (torch.tensor(own[: len(draft)]) == torch.tensor(draft)).int()
    assert accepted_length(own, draft) == int(same.cumprod(0).sum())


def questions(*counts, sampling=GREEDY):
    return [Question(count, 10 * index, sampling) for index, count in enumerate(counts)]


def test_rows_are_given_back_to_whom_they_belong():
    torch.manual_seed(0)
    weight, bias, hidden = torch.randn(50, 8), torch.randn(50), torch.randn(6, 8)
    expected = (hidden @ weight.T + bias).argmax(-1).tolist()
    assert chooser(weight, bias).choose(hidden, questions(1, 0, 5)) == [expected[:1], [], expected[1:]]


def test_logits_are_formed_a_few_rows_at_a_time(monkeypatch):
    torch.manual_seed(0)
    weight, hidden = torch.randn(50, 8), torch.randn(7, 8)
    whole = chooser(weight).choose(hidden, questions(7))
    monkeypatch.setattr(verify, "LOGITS_AT_ONCE", 100)
    monkeypatch.setattr(verify, "MIN_ROWS_AT_ONCE", 1)
    assert chooser(weight).choose(hidden, questions(7)) == whole
    sampling = Sampling(temperature=1.0)
    pieces = chooser(weight).choose(hidden, questions(7, sampling=sampling))
    monkeypatch.undo()
    assert chooser(weight).choose(hidden, questions(7, sampling=sampling)) == pieces


def test_equal_logits_go_to_the_lowest_id():
    weight = torch.ones(9, 4)
    assert chooser(weight).choose(torch.ones(2, 4), questions(2)) == [[0, 0]]


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.0, top_p=0.9)])
def test_a_nan_is_no_token(sampling):
    hidden = torch.ones(3, 4)
    hidden[1, 2] = float("nan")
    chosen = chooser(torch.randn(9, 4)).choose(hidden, questions(3, sampling=sampling))[0]
    assert [token == NO_TOKEN for token in chosen] == [False, True, False]


def test_greedy_and_sampled_requests_share_a_pass():
    torch.manual_seed(3)
    weight, hidden = torch.randn(50, 8), torch.randn(6, 8)
    sampling = Sampling(temperature=0.8, seed=4)
    mixed = [Question(2, 0, GREEDY), Question(4, 7, sampling)]
    greedy, sampled = chooser(weight).choose(hidden, mixed)
    assert greedy == chooser(weight).choose(hidden[:2], mixed[:1])[0]
    assert sampled == chooser(weight).choose(hidden[2:], mixed[1:])[0]
