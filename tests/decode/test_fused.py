"""The fused decoder on a CPU, where the kernels' torch references run: it gives its module's tokens."""

from __future__ import annotations

import random

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode.fused import FP8, FP8_LARGEST, Linear, can_fuse, fuse, packed_index
from fastedit.decode.graphs import Bucket, FusedRunner, bucket_for, packed_inputs
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import Append, ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft
from support.tiny_targets import Tiny, run

pytest.importorskip("fastedit_kernels")
SETTINGS = EngineSettings(num_slots=4, slot_len=256, min_slot_len=16)


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("name", ["llama", "qwen2", "qwen3"])
def test_gives_the_modules_tokens(tiny_folders, name, is_exact):
    tiny, chance = Tiny.load(tiny_folders[name]), random.Random(name)
    module = ModelRunner(tiny.target, SETTINGS, is_light=False)
    fused = FusedRunner(fuse(tiny.target.model, 256), 4, 256, is_exact=is_exact)
    lengths = [0, 0, 0]
    for _ in range(4):
        counts = [chance.randrange(1, 60) for _ in lengths]
        appends = [
            Append(3 - slot, lengths[slot], [chance.randrange(3, 250) for _ in range(count)], count - slot % 2)
            for slot, count in enumerate(counts)
        ]
        assert fused.append(appends) == module.append(appends)
        lengths = [length + count for length, count in zip(lengths, counts, strict=True)]


def test_joined_weights_leave_the_module_as_it_was(tiny_folders):
    tiny = Tiny.load(tiny_folders["qwen2"])
    tokens = torch.arange(10, 40)[None]
    with torch.inference_mode():
        before = tiny.target.model(tokens).logits
        fuse(tiny.target.model, 64)
        after = tiny.target.model(tokens).logits
    assert torch.equal(before, after)


@pytest.mark.parametrize("sampling", [Sampling(temperature=0.8, seed=5), Sampling(temperature=1.0, top_k=9, top_p=0.8)])
def test_samples_are_the_same_as_the_modules(tiny_folders, sampling):
    tiny = Tiny.load(tiny_folders["qwen3"])
    request = DecodeRequest(tuple(range(10, 40)), 40, (Draft("some draft"),), sampling=sampling)
    expected = run(tiny.engine(SETTINGS), request)
    runner = FusedRunner(fuse(tiny.target.model, 256), 4, 256)
    assert run(tiny.engine(SETTINGS, runner), request).tokens == expected.tokens


def test_prefixes_are_copied(tiny_folders):
    tiny = Tiny.load(tiny_folders["qwen3"])
    runner = FusedRunner(fuse(tiny.target.model, 256), 4, 256)
    text = list(range(10, 60))
    expected = runner.append([Append(0, 0, text, 50)])[0]
    runner.copy_prefix(0, 2, 30)
    assert runner.append([Append(2, 30, text[30:], 20)])[0] == expected[30:]
    assert runner.append([Append(1, 0, text, 0)]) == [[]]


@pytest.mark.parametrize(
    ("counts", "bucket"),
    [
        ([1], Bucket(1, 1, 1)),
        ([100], Bucket(1, 128, 128)),
        ([16, 1, 1], Bucket(4, 32, 16)),
        ([10] * 8, Bucket(8, 128, 32)),
        ([100, *[2] * 7], Bucket(8, 128, 128)),  # one long chunk among short ones
        ([513], None),
        ([1] * 33, None),
    ],
)
def test_buckets(counts, bucket):
    assert bucket_for(counts) == bucket


def test_a_graphs_inputs_are_read_as_they_are_packed(tiny_folders):
    """What a graph replays, run without one: padded requests and tokens change nothing."""
    tiny = Tiny.load(tiny_folders["qwen3"])
    runner = FusedRunner(fuse(tiny.target.model, 256), 4, 256)
    texts = [list(range(10, 50)), list(range(60, 85)), list(range(100, 103))]
    appends = [Append(slot, 0, text, len(text)) for slot, text in enumerate(texts)]
    expected = [token for own in runner.append(appends) for token in own]
    bucket = bucket_for([len(text) for text in texts])
    assert bucket == Bucket(4, 128, 64)
    inputs = torch.tensor(packed_inputs(appends, bucket), dtype=torch.int32)
    with torch.inference_mode():
        own = runner._run_static(inputs, bucket).tolist()
    assert own[: len(expected)] == expected
    assert set(own[len(expected) :]) == {-1}


def test_an_index_says_where_tokens_go():
    index = packed_index([5, 0], [3, 4], [1, 0], torch.device("cpu"))
    assert index.cu_seqlens.tolist() == [0, 3, 7]
    assert (index.max_chunk, index.max_kv_len) == (4, 8)


def test_fp8_weights_are_scaled_by_output():
    torch.manual_seed(0)
    plain = Linear(torch.randn(32, 16) * torch.logspace(-3, 3, 32)[:, None])
    narrow = plain.quantized()
    assert narrow.weight.dtype == FP8
    assert narrow.scale is not None
    assert narrow.weight.float().abs().amax(dim=1).eq(FP8_LARGEST).all()
    back = narrow.weight.float() * narrow.scale[:, None]
    assert ((back - plain.weight).abs() <= 0.07 * plain.weight.abs().amax(dim=1, keepdim=True)).all()


def test_unknown_families_are_left_to_the_module():
    config = AutoConfig.for_model(
        "gemma2", vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    assert not can_fuse(model)
    with pytest.raises(ValueError, match="gemma2"):
        fuse(model, 64)
