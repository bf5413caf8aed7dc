"""Constrained decoding: what counts doesn't depend on drafts, chunks or the batch either."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind
from support.tiny_targets import run

NUM_TOKENS = 40


@dataclass(frozen=True)
class EveryThird:
    """Every third token is given; the others are the target's."""

    given: int
    start: int = 0

    def choose(self, state: int, own: int) -> tuple[int, int]:
        return (self.given if state % 3 == 2 else own), state + 1


@pytest.fixture
def plain(tiny):
    given = tiny.target.codec.encode("q")[0]
    request = DecodeRequest(tuple(range(40, 60)), NUM_TOKENS, speculate=False, constraint=EveryThird(given))
    return request, run(tiny.engine(), request).tokens, given


def test_the_output_obeys_and_goes_on_from_what_it_was_made_to_be(tiny, plain):
    request, tokens, given = plain
    assert set(tokens[2::3]) == {given}
    free = run(tiny.engine(), replace(request, constraint=None)).tokens
    assert free[:2] == tokens[:2]
    again = run(tiny.engine(), DecodeRequest((*request.prompt, *tokens[:3]), 2, speculate=False)).tokens
    assert again == tokens[3:5]


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 4, 7, 64])
def test_drafts_change_nothing(tiny, plain, chunk):
    request, tokens, _ = plain
    text = tiny.target.codec.text(list(tokens))
    chance = random.Random(3)
    other = "".join(chance.choice("xyz") if chance.random() < 0.1 else character for character in text)
    for drafts in ((Draft(text),), (Draft(other),), (Draft(text[5:]), Draft(other, Kind.ORIGINAL)), (Draft("qq" * 9),)):
        drafted = replace(request, drafts=drafts, speculate=True, max_chunk=chunk)
        assert run(tiny.engine(), drafted).tokens == tokens


def test_a_perfect_draft_is_accepted_whole(tiny, plain):
    request, tokens, _ = plain
    perfect = replace(request, drafts=(Draft(tiny.target.codec.text(list(tokens))),), speculate=True)
    stats = run(tiny.engine(), perfect).stats
    assert stats.accepted >= len(tokens) - 1 > 10
    assert stats.divergences == 0


def test_requests_with_and_without_one_share_a_batch(tiny, plain):
    request, tokens, _ = plain
    free = replace(request, constraint=None)
    expected = run(tiny.engine(), free).tokens
    engine = tiny.engine(EngineSettings(num_slots=4, slot_len=128, min_slot_len=16))
    handles = [engine.submit(one) for one in (request, free, replace(request, sampling=Sampling(seed=1)), free)]
    while engine.step():
        pass
    assert [handle.result(0).tokens for handle in handles] == [tokens, expected, tokens, expected]
