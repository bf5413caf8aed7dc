"""How likely the target found what it wrote, and what it refused: as transformers' own logits say."""

from __future__ import annotations

import math

import pytest
import torch

from fastedit.decode.controller import CostTable
from fastedit.decode.fused import fuse
from fastedit.decode.graphs import FusedRunner
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft
from fastedit.errors import Code, EditRefused
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


# -- of a given output -------------------------------------------------------------------------------------------------


def logprobs_of(tiny, prompt, output):
    """The logarithm of each token's probability, by one plain forward pass."""
    with torch.inference_mode():
        logits = tiny.reference(input_ids=torch.tensor([[*prompt, *output]])).logits[0]
    rows = logits[len(prompt) - 1 : -1].log_softmax(-1)
    return rows.gather(-1, torch.tensor(output)[:, None])[:, 0].tolist()


@pytest.mark.parametrize("pass_tokens", [8192, 33, 2])
@pytest.mark.parametrize("is_fused", [False, True])
def test_a_scored_output_has_the_models_own_probabilities_however_it_is_cut(tiny_folders, is_fused, pass_tokens):
    tiny = Tiny.load(tiny_folders["endless"])
    settings = EngineSettings(num_slots=2, slot_len=80, min_slot_len=16, pass_tokens=pass_tokens)
    if is_fused:
        pytest.importorskip("fastedit_kernels")
        runner = FusedRunner(fuse(tiny.target.model, 160), 2, 80)
    else:
        runner = ModelRunner(tiny.target, settings)
    engine = tiny.engine(settings, runner, CostTable({1: 1e-5, 2**16: 1e3}))  # however dear wide passes seem
    stop = tiny.target.stop_tokens[0]
    output = (*tiny.target.codec.encode("    return width * height  # never written"), stop, 45, stop)
    result = run(engine, DecodeRequest.scoring(PROMPT, output))
    assert result.logprobs == pytest.approx(logprobs_of(tiny, PROMPT, output), abs=1e-4)
    assert (result.tokens, result.is_finished, result.is_given_up, result.refused) == (output, True, False, ())
    assert (result.stats.prompt_tokens, result.stats.completion_tokens) == (len(PROMPT) + len(output), 0)
    assert (result.stats.passes == 1) == (pass_tokens == 8192)
    engine.check_integrity()


def test_outputs_of_one_prompt_are_scored_in_one_pass_that_reads_it_no_more(tinies):
    tiny = tinies["endless"]
    engine = tiny.engine(EngineSettings(num_slots=8, slot_len=128, min_slot_len=16))
    outputs = [tuple(tiny.target.codec.encode(text)) for text in ("return 1", "return width", "pass", "~" * 40)]
    first = run(engine, DecodeRequest.scoring(PROMPT, outputs[0]))
    handles = [engine.submit(DecodeRequest.scoring(PROMPT, output)) for output in outputs[1:]]
    assert engine.step()
    results = [first, *(handle.result(0) for handle in handles)]
    for output, result in zip(outputs, results, strict=True):
        assert result.logprobs == pytest.approx(logprobs_of(tiny, PROMPT, output), abs=1e-4)
    assert [result.stats.cached_tokens for result in results] == [0, *[len(PROMPT) - 1] * 3]


def test_a_scored_output_that_fills_its_slot_leaves_the_next_one_alone(tinies):
    tiny = tinies["endless"]
    engine = tiny.engine(EngineSettings(num_slots=2, slot_len=len(PROMPT) + 12, min_slot_len=16))
    output = tuple(range(60, 72))
    handles = [engine.submit(DecodeRequest.scoring(PROMPT, output)) for _ in range(2)]
    while engine.step():
        pass
    expected = pytest.approx(logprobs_of(tiny, PROMPT, output), abs=1e-4)
    assert [handle.result(0).logprobs == expected for handle in handles] == [True, True]
    longer = engine.submit(DecodeRequest.scoring(PROMPT, (*output, 72)))  # in both slots
    assert engine.step()
    assert longer.result(0).logprobs == pytest.approx(logprobs_of(tiny, PROMPT, (*output, 72)), abs=1e-4)
    with pytest.raises(EditRefused) as refused:
        engine.submit(DecodeRequest.scoring(PROMPT, tuple(range(2 * (len(PROMPT) + 12) - len(PROMPT) + 1))))
    assert refused.value.code == Code.TOO_LARGE


def test_a_scored_output_is_cut_smaller_where_memory_runs_out(tinies):
    tiny = tinies["endless"]
    runner = ModelRunner(tiny.target, SETTINGS)
    whole, widths = runner.append, []

    def scarce(appends):
        widths.append(sum(len(append.tokens) for append in appends))
        if widths[-1] > limit:
            raise torch.OutOfMemoryError
        return whole(appends)

    runner.append = scarce
    engine, prompt, output = tiny.engine(SETTINGS, runner), PROMPT[:3], tuple(range(60, 68))
    limit = 5
    result = run(engine, DecodeRequest.scoring(prompt, output))
    assert result.logprobs == pytest.approx(logprobs_of(tiny, prompt, output), abs=1e-4)
    limit = 1
    with pytest.raises(EditRefused) as refused:
        run(engine, DecodeRequest.scoring(prompt, output))
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_an_output_that_the_model_has_no_numbers_for_is_refused(tiny_folders):
    tiny = Tiny.load(tiny_folders["endless"])
    engine = tiny.engine(SETTINGS)
    with pytest.raises(EditRefused) as unknown:
        engine.submit(DecodeRequest.scoring(PROMPT, (10**6,)))
    assert unknown.value.code == Code.NOT_TEXT
    with torch.no_grad():
        tiny.target.model.get_output_embeddings().weight[50] = math.nan
    with pytest.raises(EditRefused) as refused:
        run(engine, DecodeRequest.scoring(PROMPT, (51, 52)))
    assert refused.value.code == Code.ENGINE_ERROR
