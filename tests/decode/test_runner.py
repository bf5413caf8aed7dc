from __future__ import annotations

import random

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode.request import GREEDY
from fastedit.decode.runner import Append, ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.errors import Code, EngineUnavailable
from support.tiny_targets import Tiny

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
        for append, own in zip(appends, runner.append(appends), strict=True):
            seen[append.slot] += own
    for slot, text in texts.items():
        assert seen[slot] == reference_tokens(tiny, text)


def test_rolling_back_leaves_no_trace(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 60))
    runner.append([Append(1, 0, text[:30], 0)])
    runner.append([Append(1, 30, [200] * 50, 50)])  # a draft that was refused
    assert runner.append([Append(1, 30, text[30:], 20)])[0] == reference_tokens(tiny, text)[30:]


def test_a_copied_prefix_is_as_good_as_a_computed_one(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 60))
    runner.append([Append(0, 0, text, 0)])
    runner.copy_prefix(0, 2, 25)
    assert runner.append([Append(2, 25, text[25:], 25)])[0] == reference_tokens(tiny, text)[25:]


def test_only_the_wanted_rows_are_answered(tiny):
    runner = ModelRunner(tiny.target, SETTINGS)
    text = list(range(10, 40))
    own = runner.append([Append(0, 0, text, 4), Append(1, 0, text, 0), Append(2, 0, text, 1)])
    expected = reference_tokens(tiny, text)
    assert own == [expected[-4:], [], expected[-1:]]
    assert runner.append([Append(3, 0, text, 0, GREEDY)]) == [[]]


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
        assert with_kernels.append(appends) == plain.append(appends)
        lengths = [length + len(chunk) for length, chunk in zip(lengths, chunks, strict=True)]


def test_kernels_that_fail_are_given_up_and_that_is_said(tiny, monkeypatch):
    kernels = pytest.importorskip("fastedit_kernels")

    def broken(*_, **__):
        raise RuntimeError("no kernel image is available for execution on the device")

    runner = ModelRunner(tiny.target, SETTINGS, use_kernels=True)
    monkeypatch.setattr(kernels, "chunk_attention", broken)
    text = list(range(10, 40))
    assert runner.append([Append(0, 0, text, 30)])[0] == reference_tokens(tiny, text)
    assert "no kernel image" in runner.fallbacks[0]


def test_models_that_attend_otherwise_are_refused(tmp_path, tiny):
    """A model with learned positions and no rotation works; one whose logits are scaled is no target."""
    config = AutoConfig.for_model(
        "gemma2", vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, query_pre_attn_scalar=16, max_position_embeddings=64,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config).eval()
    target = type(tiny.target)("gemma", model, tiny.target.tokenizer, tiny.target.codec, tiny.target.template, (2,), 64)
    with pytest.raises(EngineUnavailable, match=r"can't be a target|isn't supported") as refused:
        ModelRunner(target, SETTINGS)
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_sliding_windows_are_kept(tmp_path, tiny):
    config = AutoConfig.for_model(
        "mistral", vocab_size=259, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, sliding_window=9, max_position_embeddings=256, initializer_range=0.3,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config).eval()
    text = [3 + 7 * index % 250 for index in range(80)]
    with torch.inference_mode():
        expected = model(input_ids=torch.tensor([text])).logits[0].argmax(-1).tolist()
    target = type(tiny.target)(
        "mistral", model, tiny.target.tokenizer, tiny.target.codec, tiny.target.template, (2,), 256
    )
    runner = ModelRunner(target, SETTINGS)
    own = [runner.append([Append(0, start, text[start : start + 16], 16)])[0] for start in range(0, 80, 16)]
    assert [token for part in own for token in part] == expected
