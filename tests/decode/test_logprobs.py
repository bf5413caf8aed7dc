"""How likely the target found what it wrote, and what it refused: as transformers' own logits say."""

from __future__ import annotations

import math

import pytest
import torch

from fastedit.decode.fused import fuse
from fastedit.decode.graphs import FusedRunner
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft
from support.tiny_targets import Tiny, run

SETTINGS = EngineSettings(num_slots=2, slot_len=256, min_slot_len=16)
PROMPT = tuple(range(40, 60))


def reference(tiny, result):
    """log p of every token at every place of the output."""
    with torch.inference_mode():
        logits = tiny.reference(input_ids=torch.tensor([[*PROMPT, *result.tokens]])).logits[0]
    return logits[len(PROMPT) - 1 : -1].log_softmax(-1)


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.8, seed=4), Sampling(0.7, top_k=5)])
@pytest.mark.parametrize("is_fused", [False, True])
def test_tokens_and_refused_drafts_have_the_models_own_probabilities(tiny_folders, is_fused, sampling):
    tiny = Tiny.load(tiny_folders["endless"])
    if is_fused:
        pytest.importorskip("fastedit_kernels")
        runner = FusedRunner(fuse(tiny.target.model, 256), 2, 256)
    else:
        runner = ModelRunner(tiny.target, SETTINGS)
    engine = tiny.engine(SETTINGS, runner)
    plain = run(engine, DecodeRequest(PROMPT, 40, sampling=sampling))
    assert plain.logprobs == plain.refused == ()
    text = tiny.target.codec.text(list(plain.tokens))
    draft = Draft(text[:9] + "~" + text[10:25] + "|" + text[26:])
    result = run(engine, DecodeRequest(PROMPT, 40, (draft,), sampling=sampling, logprobs=True))
    assert result.tokens == plain.tokens
    expected = reference(tiny, result)
    own = expected.gather(-1, torch.tensor(result.tokens)[:, None])[:, 0]
    assert result.logprobs == pytest.approx(own.tolist(), abs=1e-4)
    assert len(result.refused) == result.stats.divergences >= 2
    for refused in result.refused:
        assert refused.token != result.tokens[refused.index]
        assert refused.logprob == pytest.approx(float(expected[refused.index, refused.token]), abs=1e-4)


class Never:
    """Puts one token in the place of another."""

    start = None

    def __init__(self, banned, instead):
        self.banned, self.instead = banned, instead

    def choose(self, state, own):
        return (self.instead if own == self.banned else own), state


def test_a_constraints_word_has_no_probability_unless_it_was_drafted(tinies):
    tiny = tinies["endless"]
    banned = run(tiny.engine(SETTINGS), DecodeRequest(PROMPT, 40)).tokens[3]
    constraint = Never(banned, tiny.target.codec.encode("q")[0])
    plain = run(tiny.engine(SETTINGS), DecodeRequest(PROMPT, 40, speculate=False, constraint=constraint, logprobs=True))
    assert math.isnan(plain.logprobs[3])
    drafts = (Draft(tiny.target.codec.text(list(plain.tokens))),)
    drafted = run(tiny.engine(SETTINGS), DecodeRequest(PROMPT, 40, drafts, constraint=constraint, logprobs=True))
    assert drafted.tokens == plain.tokens
    own = reference(tiny, drafted).gather(-1, torch.tensor(drafted.tokens)[:, None])[:, 0]
    assert drafted.logprobs[:-1] == pytest.approx(own[:-1].tolist(), abs=1e-4)
    assert drafted.refused == ()
