"""Several places to go on, verified in one pass: whichever is right, the output is the target's own."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from fastedit.decode.api import fused_runner
from fastedit.decode.controller import Acceptance, CostTable, Offer, draft_lengths
from fastedit.decode.devices import Shares
from fastedit.decode.passes import Append, Branch, branches_of, wanted_rows
from fastedit.decode.request import GREEDY, DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Kind, Proposal, Transcript
from support.tiny_targets import Tiny, run

SETTINGS = EngineSettings(num_slots=4, slot_len=512, min_slot_len=16)
NUM_TOKENS = 60
PROMPTS = tuple(tuple((7 * number + 3 * index) % 200 + 3 for index in range(9 + 20 * number)) for number in range(4))


@dataclass
class Candidates:
    """A cascade that knows the output: up to three proposals, of which at most one is right, and not always whole."""

    output: tuple[int, ...]
    transcript: Transcript
    chance: random.Random
    num_reanchors: int = 0

    def candidates(self, limit: int) -> list[Proposal]:
        rest = list(self.output[len(self.transcript.tokens) :])
        proposals = []
        for kind in self.chance.sample((Kind.ANCHORED, Kind.SNIPPET, Kind.SUFFIX), 3):
            tokens = rest[: self.chance.randrange(1, 20)]
            if kind is not Kind.SUFFIX and tokens:  # right up to somewhere
                at = self.chance.randrange(len(tokens))
                tokens = [*tokens[:at], tokens[at] % 200 + 4, *tokens[at + 1 :]]
            if tokens:
                proposals.append(Proposal(tokens[:limit], kind))
        return proposals


def with_candidates(engine, requests, outputs, seed):
    """The handles of requests whose drafts come from `Candidates`."""
    handles = [engine.submit(request) for request in requests]
    for sequence, output in zip(engine._waiting, outputs, strict=True):
        sequence._cascade = Candidates(output, sequence.transcript, random.Random(seed))
    return handles


def runner_of(tiny: Tiny, name: str):
    if name == "fused":
        return fused_runner(tiny.target, SETTINGS)
    if name == "exact":
        return fused_runner(tiny.target, replace(SETTINGS, is_exact=True))
    runner = ModelRunner(tiny.target, SETTINGS, is_light=name != "module", use_kernels=name == "kernels")
    if name == "shared":
        runner._shares = Shares(2)
    return runner


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.9, seed=3)])
@pytest.mark.parametrize("name", ["module", "plain", "shared", "kernels", "fused", "exact"])
def test_whichever_is_right_the_output_is_the_targets_own(tiny, name, sampling, monkeypatch):
    monkeypatch.setattr("fastedit.decode.devices.MIN_TOKENS", 1)
    requests = [DecodeRequest(prompt, NUM_TOKENS, sampling=sampling, speculate=False) for prompt in PROMPTS]
    outputs = [run(tiny.engine(), request).tokens for request in requests]
    requests = [replace(request, speculate=True) for request in requests]
    engine = tiny.engine(SETTINGS, runner_of(tiny, name))
    moved = []
    move = engine._runner.move
    monkeypatch.setattr(engine._runner, "move", lambda *where: (moved.append(where), move(*where)))
    for seed in range(4):
        handles = with_candidates(engine, requests, outputs, seed)
        while engine.step():
            pass
        assert [handle.result(0).tokens for handle in handles] == outputs
    engine.check_integrity()
    assert len(moved) > 10  # a branch went further so often


def test_a_branch_that_is_right_saves_a_pass(tiny):
    prompt = PROMPTS[1]
    output, _ = tiny.greedy(prompt, NUM_TOKENS)
    wrong = Proposal([*output[:3], output[3] % 200 + 4, 5, 5], Kind.ANCHORED)
    right = Proposal(list(output[:-1]), Kind.SUFFIX)
    passes = {}
    for candidates in ((wrong,), (wrong, right)):
        engine = tiny.engine()
        (handle,) = with_candidates(engine, [DecodeRequest(prompt, NUM_TOKENS)], [output], 0)
        cascade = engine._waiting[0]._cascade
        given = iter([list(candidates)])
        cascade.candidates = lambda limit, given=given: next(given, [])
        while engine.step():
            pass
        result = handle.result(0)
        assert result.tokens == output
        passes[len(candidates)] = result.stats.passes
    assert passes[2] == 1 < passes[1]


def test_branches_leave_the_draft_where_they_differ():
    draft = Proposal([1, 2, 3, 4], Kind.ANCHORED)
    others = [
        Proposal([1, 2], Kind.NGRAM),  # says nothing else
        Proposal([1, 2, 9, 9], Kind.SNIPPET),
        Proposal([1, 2, 9], Kind.SUFFIX),  # said already
        Proposal([7], Kind.SUFFIX_SHORT),
        Proposal([1, 2, 3, 4, 5], Kind.SUFFIX),  # only goes on
    ]
    assert branches_of([draft, *others]) == [
        Branch(2, Proposal([9, 9], Kind.SNIPPET)),
        Branch(0, Proposal([7], Kind.SUFFIX_SHORT)),
    ]
    assert branches_of([]) == []


def test_the_first_row_of_a_branch_is_the_token_that_it_follows():
    trunk = Append(0, 10, [1, 2, 3, 4, 5], 4)  # 2 fed, 3 drafted
    branch = Append(0, 13, [8, 9], 3, offset=2)
    assert wanted_rows([Append(1, 0, [6], 1), trunk, branch]) == [0, 2, 3, 4, 5, 3, 6, 7]
    assert (branch.is_branch, trunk.is_branch) == (True, False)
    assert list(branch.draft) == [8, 9]
    assert branch.first_position == 13


def test_branches_fill_free_width_and_cost_nothing_else():
    """They are verified where a pass takes no longer for them, and not where every token costs as much."""
    acceptance = Acceptance()
    survival = acceptance.survival(Proposal([1] * 40, Kind.ANCHORED))
    branch = acceptance.branch_survival(survival, 2, Proposal([2] * 40, Kind.SUFFIX))
    offers = [Offer(1, survival), Offer(0, branch)]
    assert draft_lengths(offers, CostTable({1: 1.0, 128: 1.0}), 128) == [40, 40]
    assert draft_lengths(offers, CostTable({1: 0.001, 128: 0.128}), 128)[1] == 0


def test_how_often_branches_are_right_is_learned():
    acceptance = Acceptance()
    known = acceptance.branch_right
    acceptance.observe_branches(50, 40)
    assert acceptance.branch_right > 2 * known
    shared = Acceptance()
    shared.learn(acceptance)
    assert shared.fork().branch_right == acceptance.branch_right
