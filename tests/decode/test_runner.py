from __future__ import annotations

import random
from dataclasses import replace

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode.passes import Append
from fastedit.decode.request import GREEDY, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.decode.verify import sample
from fastedit.errors import Code, EngineUnavailable
from support.tiny_targets import Tiny, own_tokens

SETTINGS = EngineSettings(num_slots=4, slot_len=200, min_slot_len=16)


def reference_tokens(tiny: Tiny, tokens):
    """What transformers' own forward would write after each token."""
    with torch.inference_mode():
        return tiny.reference(input_ids=torch.tensor([tokens])).logits[0].argmax(-1).tolist()


@pytest.mark.parametrize("is_light", [False, True])
@pytest.mark.parametrize("name", ["llama", "qwen2", "qwen3", "merges"])
def test_any_cut_into_chunks_gives_the_models_own_tokens(tinies, name, is_light):
    tiny, chance = tinies[name], random.Random(name)
    runner = ModelRunner(tiny.target, SETTINGS, is_light=is_light)
    texts = {slot: [chance.randrange(3, 250) for _ in range(chance.randrange(30, 200))] for slot in (3, 0, 2)}
    seen: dict[int, list[int]] = {slot: [] for slot in texts}
    while any(len(seen[slot]) < len(text) for slot, text in texts.items()):
        appends = []
        for slot, text in texts.items():
            length = len(seen[slot])
            chunk = text[length : length + chance.choice((1, 2, 7, 40, 133))]
            if chunk:
                appends.append(Append(slot, length, chunk, len(chunk)))
        for append, own in zip(appends, own_tokens(runner, appends), strict=True):
            seen[append.slot] += own
    for slot, text in texts.items():
        assert seen[slot] == reference_tokens(tiny, text)


def test_rolling_back_leaves_no_trace(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 60))
    own_tokens(runner, [Append(1, 0, text[:30], 0)])
    own_tokens(runner, [Append(1, 30, [200] * 50, 50)])  # a draft that was refused
    assert own_tokens(runner, [Append(1, 30, text[30:], 20)])[0] == reference_tokens(tiny, text)[30:]


def test_a_copied_prefix_is_as_good_as_a_computed_one(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 60))
    own_tokens(runner, [Append(0, 0, text, 0)])
    runner.copy_prefix(0, 2, 25)
    assert own_tokens(runner, [Append(2, 25, text[25:], 25)])[0] == reference_tokens(tiny, text)[25:]


def test_only_the_wanted_rows_are_answered(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 40))
    own = own_tokens(runner, [Append(0, 0, text, 4), Append(1, 0, text, 0), Append(2, 0, text, 1)])
    expected = reference_tokens(tiny, text)
    assert own == [expected[-4:], [], expected[-1:]]
    assert own_tokens(runner, [Append(3, 0, text, 0, GREEDY)]) == [[]]


def test_the_cache_is_no_larger_than_allowed(tiny):
    cache_bytes = 3 * 2**20
    runner = ModelRunner(tiny.target, EngineSettings(num_slots=4, cache_bytes=cache_bytes, min_slot_len=64))
    assert runner.cache_bytes <= cache_bytes
    assert runner.num_slots * runner.slot_len <= cache_bytes // (2 * 2 * 2 * 12 * 4)


def test_kernels_and_plain_torch_agree(tiny):
    pytest.importorskip("fastedit_kernels")
    with_kernels = ModelRunner(tiny.target, SETTINGS, use_kernels=True)
    plain = ModelRunner(tiny.target, SETTINGS, use_kernels=False)
    chance = random.Random(0)
    lengths = [0, 0, 0]
    for _ in range(4):
        chunks = [[chance.randrange(3, 250) for _ in range(chance.randrange(1, 30))] for _ in lengths]
        appends = [Append(slot, lengths[slot], chunk, len(chunk)) for slot, chunk in enumerate(chunks)]
        assert own_tokens(with_kernels, appends) == own_tokens(plain, appends)
        lengths = [length + len(chunk) for length, chunk in zip(lengths, chunks, strict=True)]


def test_kernels_that_fail_are_given_up_and_that_is_said(tiny, monkeypatch):
    kernels = pytest.importorskip("fastedit_kernels")

    def broken(*_, **__):
        raise RuntimeError("no kernel image is available for execution on the device")

    runner = ModelRunner(tiny.target, SETTINGS, use_kernels=True)
    monkeypatch.setattr(kernels, "chunk_attention", broken)
    text = list(range(10, 40))
    assert own_tokens(runner, [Append(0, 0, text, 30)])[0] == reference_tokens(tiny, text)
    assert "no kernel image" in runner.fallbacks[0]


def made(tiny: Tiny, family: str, **options):
    """A target with a model of its own, its weights random."""
    torch.manual_seed(0)
    shape = {
        "vocab_size": 259, "hidden_size": 48, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12, "max_position_embeddings": 256,
        "initializer_range": 0.3,
    }  # fmt: skip
    config = AutoConfig.for_model(family, **{**shape, **options})
    return replace(tiny.target, name=family, model=AutoModelForCausalLM.from_config(config).eval(), max_positions=256)


WINDOW = {"sliding_window": 40}
EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2}
MASKED_ONLY = {
    "qwen2_moe": {
        **WINDOW, **EXPERTS, "use_sliding_window": True, "max_window_layers": 1, "moe_intermediate_size": 32,
        "shared_expert_intermediate_size": 32,
    },
    "phimoe": {**WINDOW, **EXPERTS},
}  # fmt: skip


def cut_up(runner, text, step=16):
    """The runner's token behind each of `text`."""
    own = [
        own_tokens(runner, [Append(0, start, text[start : start + step], len(text[start : start + step]))])[0]
        for start in range(0, len(text), step)
    ]
    return [token for part in own for token in part]


def models_tokens(model, text):
    with torch.inference_mode():
        return model(input_ids=torch.tensor([text])).logits[0].argmax(-1).tolist()


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("mistral", {"sliding_window": 9}),
        ("mistral", WINDOW),
        *MASKED_ONLY.items(),
        ("cohere2", {**WINDOW, "logit_scale": 0.0625}),
        ("granite", {"logits_scaling": 8.0, "attention_multiplier": 0.3}),
        ("gemma2", {**WINDOW, "attn_logit_softcapping": None, "final_logit_softcapping": 30.0}),
        ("deepseek_v3", {
            "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 12,
            "head_dim": 8, "num_key_value_heads": 4, "n_routed_experts": 4, "n_group": 1, "topk_group": 1,
            "num_experts_per_tok": 2, "moe_intermediate_size": 32, "first_k_dense_replace": 1,
        }),
    ],
)  # fmt: skip
def test_windows_and_ends_of_logits_are_the_models_own(tiny, family, options):
    """Qwen2-MoE and Phi-MoE have their window as a mask only, and it is longer than a probe of a few tokens."""
    target = made(tiny, family, **options)
    text = [3 + 7 * index % 250 for index in range(120)]
    expected = models_tokens(target.model, text)
    runner = ModelRunner(target, SETTINGS)
    assert cut_up(runner, text) == expected
    assert cut_up(ModelRunner(target, SETTINGS), text, 50) == expected  # what was seen the first time still holds


def test_samples_of_capped_logits_are_capped(tiny):
    """A soft cap leaves the best token the best, but not its chance."""
    target = made(
        tiny, "gemma2", initializer_range=1.0, attn_logit_softcapping=None, final_logit_softcapping=3.0, **WINDOW
    )
    text = list(range(3, 80))
    with torch.inference_mode():
        logits = target.model(input_ids=torch.tensor([text])).logits[0]
    expected = sample(logits, 1 + torch.arange(len(text)), Sampling(temperature=1.0, seed=3)).tolist()
    runner = ModelRunner(target, SETTINGS)
    own = own_tokens(runner, [Append(0, 0, text, len(text), Sampling(temperature=1.0, seed=3))])[0]
    assert own == expected


@pytest.mark.parametrize(
    ("family", "options", "reason"),
    [
        ("gemma2", {}, "soft cap"),
        ("gpt_oss", {"num_local_experts": 4, "num_experts_per_tok": 2}, "sinks"),
        ("doge", {}, "change their masks"),
        ("mamba", {"state_size": 8}, "none of its layers"),
        ("llama4_text", {**EXPERTS, "attention_chunk_size": 40, "intermediate_size_mlp": 64}, "mask"),
        ("bloom", {"n_head": 4, "n_layer": 2}, "can't be exchanged"),
        ("lfm2", {"layer_types": ["conv", "full_attention"]}, "not all of its layers attend"),
    ],
)
def test_models_that_attend_otherwise_are_refused_in_one_line(tiny, family, options, reason, capfd):
    target = made(tiny, family, **options)
    capfd.readouterr()
    before = target.model.config._attn_implementation
    with pytest.raises(EngineUnavailable, match=reason) as refused:
        ModelRunner(target, SETTINGS)
    assert refused.value.code == Code.TARGET_UNAVAILABLE
    message = refused.value.message
    assert family in message
    assert "--engine vllm" in message
    assert "\n" not in message
    assert capfd.readouterr() == ("", "")
    assert target.model.config._attn_implementation == before


def test_logits_that_something_unknown_is_done_to_are_refused(tiny):
    target = made(tiny, "llama")
    forward = target.model.forward

    def patched(*given, **named):
        output = forward(*given, **named)
        output.logits = output.logits.sin()
        return output

    target.model.forward = patched
    with pytest.raises(EngineUnavailable, match="logits"):
        ModelRunner(target, SETTINGS)


@pytest.mark.parametrize("is_light", [False, True])
def test_a_layer_that_someone_has_patched_is_computed_as_it_is(tiny, is_light):
    """As by an adapter: a fused or plain decoder made of the weights alone would leave it out."""
    target = made(tiny, "qwen3")
    projection = target.model.model.layers[1].mlp.down_proj
    forward = projection.forward
    projection.forward = lambda x: forward(x) + 0.3 * x[..., :48]
    text = list(range(3, 80))
    expected = models_tokens(target.model, text)
    runner = ModelRunner(target, SETTINGS, is_light=is_light)
    assert cut_up(runner, text) == expected
    assert bool(runner.fallbacks) == is_light


def test_kernels_that_compute_something_else_are_given_up(tiny, monkeypatch):
    kernels = pytest.importorskip("fastedit_kernels")
    attention = kernels.chunk_attention
    monkeypatch.setattr(kernels, "chunk_attention", lambda *given, **named: attention(*given, **named) * 1.5)
    runner = ModelRunner(tiny.target, SETTINGS, use_kernels=True)
    text = list(range(10, 40))
    assert own_tokens(runner, [Append(0, 0, text, 30)])[0] == reference_tokens(tiny, text)
    assert "kernels' logits differ" in runner.fallbacks[0]


def test_exact_mode_that_is_not_kept_is_said(tiny):
    assert ModelRunner(tiny.target, SETTINGS).fallbacks == ()
    assert "exact" in ModelRunner(tiny.target, replace(SETTINGS, is_exact=True)).fallbacks[0]
