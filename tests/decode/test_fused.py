"""The fused decoder on a CPU, where the kernels' torch references run: it gives its module's tokens."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode.fused import can_fuse, fuse
from fastedit.decode.graphs import Bucket, FusedRunner, Wanted, bucket_for
from fastedit.decode.inputs import Inputs, Layout, packed_inputs
from fastedit.decode.passes import Append
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.decode.verify import read_verdicts
from fastedit.draft import Draft
from support.tiny_targets import Tiny, own_tokens, run

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
        assert own_tokens(fused, appends) == own_tokens(module, appends)
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
    expected = own_tokens(runner, [Append(0, 0, text, 50)])[0]
    runner.copy_prefix(0, 2, 30)
    assert own_tokens(runner, [Append(2, 30, text[30:], 20)])[0] == expected[30:]
    assert own_tokens(runner, [Append(1, 0, text, 0)]) == [[]]


def test_a_request_may_go_on_in_the_next_slots(tiny_folders):
    """Over three slots: the same tokens as in one that is long enough, by the fused decoder and by the kernels."""
    tiny, text = Tiny.load(tiny_folders["qwen3"]), [token % 240 + 3 for token in range(150)]
    whole = ModelRunner(tiny.target, SETTINGS, is_light=False)
    settings = EngineSettings(num_slots=4, slot_len=64, min_slot_len=16)
    others = (
        FusedRunner(fuse(tiny.target.model, 256), 4, 64),
        ModelRunner(tiny.target, settings, use_kernels=True),
        ModelRunner(tiny.target, settings, is_light=True),
    )
    appends = [Append(1, start, text[start : start + 50], 50) for start in (0, 50, 100)]
    expected = [own_tokens(whole, [append]) for append in appends]
    for runner in others:
        assert runner.max_len == 256
        assert [own_tokens(runner, [append]) for append in appends] == expected


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


@pytest.mark.parametrize("needs_logprobs", [False, True])
@pytest.mark.parametrize("is_sampled", [False, True])
def test_what_a_graph_replays_is_the_modules_verdict(tiny_folders, is_sampled, needs_logprobs):
    """What is captured, run without a graph: padded requests, tokens and rows change nothing."""
    tiny = Tiny.load(tiny_folders["qwen3"])
    module = ModelRunner(tiny.target, SETTINGS, is_light=False)
    runner = FusedRunner(fuse(tiny.target.model, 256), 4, 256)
    sampling = Sampling(temperature=0.9, seed=2**62 + 7) if is_sampled else Sampling()
    appends = [
        Append(0, 0, list(range(10, 50)), 1, needs_logprobs=needs_logprobs),
        Append(2, 0, list(range(60, 75)), 0),
        Append(1, 0, [*range(100, 109)], 6, sampling),
    ]
    for _ in range(5):  # what it writes itself becomes the draft, a token more each time
        verdict = module.append(appends)[2]
        assert verdict is not None
        tokens, at = list(appends[2].tokens), 4 + verdict.num_accepted
        tokens[at : at + 1] = [verdict.next_token]
        appends[2] = replace(appends[2], tokens=tokens[:9])
    expected = module.append(appends)
    assert expected[2] is not None
    assert expected[2].num_accepted == 5
    bucket = bucket_for([len(append.tokens) for append in appends])
    assert bucket == Bucket(4, 64, 64)
    bucket = replace(bucket, wanted=Wanted.of(appends))
    with torch.inference_mode():
        packed = runner._run_static(packed_inputs(appends, bucket.layout), bucket)
    for given in (read_verdicts(packed, appends, bucket.requests, bucket.tokens), runner.append(appends)):
        for verdict, other in zip(given, expected, strict=True):
            assert (verdict is None) == (other is None)
            if verdict is not None and other is not None:
                assert (verdict.num_accepted, verdict.next_token) == (other.num_accepted, other.next_token)
                assert verdict.logprobs == pytest.approx(other.logprobs, abs=1e-4)
                assert verdict.draft_logprobs == pytest.approx(other.draft_logprobs, abs=1e-4, nan_ok=True)


def test_inputs_lie_where_kernels_need_no_other_build():
    """Views of one tensor, each at a multiple of 16 bytes, with every bit of what was packed."""
    layout = Layout(requests=3, tokens=11, rows=7)
    sampled = Sampling(temperature=0.75, top_p=0.5, top_k=9, seed=2**63 - 1)
    appends = [Append(4, 20, [1, 2, 3, 4, 5], 3, sampled), Append(1, 7, [8, 9], 2)]
    inputs = Inputs.of(packed_inputs(appends, layout), layout)
    for view in (getattr(inputs, field.name) for field in fields(Inputs)):
        assert view.storage_offset() * view.element_size() % 16 == 0
    assert inputs.seeds.tolist() == [2**63 - 1, 0, 0]
    assert inputs.temperature.tolist() == [0.75, 0.0, 0.0]
    assert (inputs.top_k.tolist(), inputs.top_p.tolist()) == ([9, 0, 0], [0.5, 1.0, 0.0])
    assert inputs.cu_seqlens.tolist() == [0, 5, 7, 7]
    assert (inputs.slots.tolist(), inputs.lengths.tolist()) == ([4, 1, 0], [20, 7, 0])
    assert inputs.cu_rows.tolist() == [0, 3, 5, 5]
    assert inputs.tokens.tolist() == [1, 2, 3, 4, 5, 8, 9, 0, 0, 0, 0]
    assert inputs.rows.tolist() == [2, 3, 4, 5, 6, 0, 0]
    assert inputs.draft_ids.tolist() == [4, 5, -1, 9, -1, 0, 0]
    assert inputs.positions.tolist() == [23, 24, 25, 8, 9, 0, 0]


def test_unknown_families_are_left_to_the_module():
    config = AutoConfig.for_model(
        "gemma2", vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    assert not can_fuse(model)
    with pytest.raises(ValueError, match="gemma2"):
        fuse(model, 64)
