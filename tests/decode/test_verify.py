from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from fastedit.decode import verify
from fastedit.decode.passes import NO_TOKEN, Append, Verdict, accepted_length
from fastedit.decode.request import GREEDY, Sampling
from fastedit.decode.verify import TokenChooser


def chooser(weight, bias=None):
    return TokenChooser(lambda hidden: functional.linear(hidden, weight, bias), len(weight))


tokens = st.lists(st.integers(0, 2), max_size=12)


@given(own=tokens, draft=tokens)
def test_accepted_length_is_the_common_prefix(own, draft):
    own = [*own, *draft][: len(draft) + 1]  # a target answers at every position of the draft
    same = (torch.tensor(own[: len(draft)]) == torch.tensor(draft)).int()
    assert accepted_length(own, draft) == int(same.cumprod(0).sum())


def rows(*counts, sampling=GREEDY, **asked):
    """Appends that have nothing but rows, their drafts random."""
    chance = random.Random(len(counts))
    return [
        Append(
            index, 10 * index, [chance.randrange(50) for _ in range(count)], count, sampling, needs_own=True, **asked
        )
        for index, count in enumerate(counts)
    ]


def own(verdicts):
    return [list(verdict.own) if verdict else [] for verdict in verdicts]


def test_rows_are_given_back_to_whom_they_belong():
    torch.manual_seed(0)
    weight, bias, hidden = torch.randn(50, 8), torch.randn(50), torch.randn(6, 8)
    expected = (hidden @ weight.T + bias).argmax(-1).tolist()
    verdicts = chooser(weight, bias).verify(hidden, rows(1, 0, 5))
    assert own(verdicts) == [expected[:1], [], expected[1:]]
    assert verdicts[1] is None
    assert chooser(weight, bias).verify(hidden[:0], rows(0, 0)) == [None, None]


@given(counts=st.lists(st.integers(0, 6), min_size=1, max_size=4), data=st.data())
def test_drafts_are_accepted_as_far_as_they_are_the_targets_own(counts, data):
    """Whatever the requests, the drafts and where they go wrong: as the plain comparison on the host says."""
    hidden = torch.randn(sum(counts), 8, generator=torch.Generator().manual_seed(sum(counts)))
    weight = torch.randn(5, 8, generator=torch.Generator().manual_seed(1))
    best = (hidden @ weight.T).argmax(-1).tolist()
    appends, start = [], 0
    for count in counts:
        tokens = best[start : start + count]
        for at in data.draw(st.sets(st.integers(0, max(0, count - 1)), max_size=2)) if count else ():
            tokens[at] = (tokens[at] + 1) % 5
        appends.append(Append(0, 0, [0, *tokens[:-1]][:count], count))
        start += count
    bare = chooser(weight).verify(hidden, appends)
    full = chooser(weight).verify(hidden, [replace(append, needs_own=True) for append in appends])
    start = 0
    for append, verdict, with_own in zip(appends, bare, full, strict=True):
        mine = best[start : start + append.num_rows]
        start += append.num_rows
        assert with_own == (Verdict.of(mine, append.draft) if mine else None)
        assert verdict == (replace(with_own, own=()) if with_own else None)


def test_logits_are_formed_a_few_rows_at_a_time(monkeypatch):
    torch.manual_seed(0)
    weight, hidden = torch.randn(50, 8), torch.randn(7, 8)
    sampled = rows(7, sampling=Sampling(temperature=1.0), needs_logprobs=True)
    whole = [chooser(weight).verify(hidden, appends) for appends in (rows(7), sampled)]
    monkeypatch.setattr(verify, "LOGITS_AT_ONCE", 100)
    monkeypatch.setattr(verify, "MIN_ROWS_AT_ONCE", 1)
    pieces = [chooser(weight).verify(hidden, appends) for appends in (rows(7), sampled)]
    assert own(whole[0] + whole[1]) == own(pieces[0] + pieces[1])
    assert pieces[1][0].logprobs == pytest.approx(whole[1][0].logprobs, abs=1e-5)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.5, top_k=3)])
def test_logprobs_are_those_of_the_plain_logits(sampling):
    torch.manual_seed(2)
    weight, hidden = torch.randn(50, 8), torch.randn(6, 8)
    appends = rows(2, 4, sampling=sampling, needs_logprobs=True)
    expected = (hidden @ weight.T).log_softmax(-1)
    start = 0
    for append, verdict in zip(appends, chooser(weight).verify(hidden, appends), strict=True):
        of_rows = expected[start : start + append.num_rows]
        start += append.num_rows
        mine = of_rows.gather(-1, torch.tensor(verdict.own)[:, None])[:, 0]
        drafted = of_rows[:-1].gather(-1, torch.tensor(append.draft)[:, None])[:, 0]
        assert verdict.logprobs == pytest.approx(mine.tolist(), abs=1e-5)
        assert verdict.draft_logprobs[:-1] == pytest.approx(drafted.tolist(), abs=1e-5)
        assert math.isnan(verdict.draft_logprobs[-1])


def test_equal_logits_go_to_the_lowest_id():
    weight = torch.ones(9, 4)
    assert own(chooser(weight).verify(torch.ones(2, 4), rows(2))) == [[0, 0]]


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=1.0, top_p=0.9)])
def test_a_nan_is_no_token(sampling):
    hidden = torch.ones(3, 4)
    hidden[1, 2] = float("nan")
    weight = torch.randn(9, 4)
    chosen = own(chooser(weight).verify(hidden, rows(3, sampling=sampling)))[0]
    assert [token == NO_TOKEN for token in chosen] == [False, True, False]
    accepted = chooser(weight).verify(hidden, [Append(0, 0, [0, chosen[0], 5], 3, sampling)])[0]
    assert (accepted.num_accepted, accepted.next_token) == (1, NO_TOKEN)


def test_greedy_and_sampled_requests_share_a_pass():
    torch.manual_seed(3)
    weight, hidden = torch.randn(50, 8), torch.randn(6, 8)
    sampling = Sampling(temperature=0.8, seed=4)
    mixed = [rows(2)[0], rows(4, sampling=sampling)[0]]
    both = chooser(weight).verify(hidden, mixed)
    assert both[:1] == chooser(weight).verify(hidden[:2], mixed[:1])
    assert both[1:] == chooser(weight).verify(hidden[2:], mixed[1:])
