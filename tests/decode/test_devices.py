"""Passes that the cores of a CPU share by requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fastedit.decode.devices import MIN_TOKENS, Shares
from fastedit.decode.passes import Append
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from support.tiny_targets import own_tokens

SETTINGS = EngineSettings(num_slots=6, slot_len=256)


@given(num_tokens=st.lists(st.integers(1, 500), min_size=1, max_size=12), num_cores=st.integers(1, 5))
def test_each_request_is_in_one_share(num_tokens: list[int], num_cores: int) -> None:
    shares = Shares(num_cores).divided(num_tokens)
    assert sorted(index for share in shares for index in share) == list(range(len(num_tokens)))
    totals = [sum(num_tokens[index] for index in share) for share in shares]
    assert len(shares) in (1, num_cores)
    if len(shares) > 1:
        assert min(totals) >= MIN_TOKENS
        assert max(totals) - min(totals) <= max(num_tokens)


def test_fewer_requests_than_cores_have_all_of_them() -> None:
    assert Shares(4).divided([400, 400, 400]) == [[0, 1, 2]]


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_shares_run_side_by_side_on_one_core_each(two_threads: None) -> None:
    meeting = threading.Barrier(2)

    def work(share: list[int]) -> tuple[int, int]:
        meeting.wait(60)
        return sum(share), torch.get_num_threads()

    assert Shares(2).run(work, [[1, 2], [3]]) == [(3, 1), (3, 1)]
    assert torch.get_num_threads() == 2


def test_a_share_that_fails_fails_the_pass_once_the_others_have_ended() -> None:
    ended = []

    def work(share: list[int]) -> None:
        if share == [0]:
            raise ValueError("nothing for 0")
        time.sleep(0.05)
        ended.append(share)

    with pytest.raises(ValueError, match="nothing for 0"):
        Shares(2).run(work, [[0], [1]])
    assert ended == [[1]]


def test_a_divided_pass_gives_what_each_request_gives_alone(tiny) -> None:
    runner = ModelRunner(tiny.target, SETTINGS)
    runner._shares = Shares(2)
    num_ids = len(tiny.target.model.get_input_embeddings().weight)
    prompts = [[(7 * slot + 3 * index) % num_ids for index in range(40 + 10 * slot)] for slot in range(5)]
    first = [Append(slot, 0, prompt, 5) for slot, prompt in enumerate(prompts)]
    then = [Append(slot, len(prompt), [slot + 1] * 70, 70) for slot, prompt in enumerate(prompts)]
    for appends in (first, then):
        assert len(runner._shares.divided([len(append.tokens) for append in appends])) == 2
    divided = [own_tokens(runner, first), own_tokens(runner, then)]
    alone = ModelRunner(tiny.target, SETTINGS)
    assert divided == [[own_tokens(alone, [append])[0] for append in appends] for appends in (first, then)]
