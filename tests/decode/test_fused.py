"""The thin decoder on a CPU, by the kernels' torch references and in torch alone: it gives its module's tokens."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode import runner as runner_module
from fastedit.decode.attention import SlotsPass, Span
from fastedit.decode.cache import KVSlots
from fastedit.decode.devices import LARGEST_BYTES
from fastedit.decode.fused import PlainDecoder, can_fuse, fuse
from fastedit.decode.graphs import Bucket, FusedRunner, Inputs, Layout, Wanted, bucket_for, packed_inputs
from fastedit.decode.passes import Append
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.decode.verify import read_verdicts
from fastedit.draft import Draft
from fastedit.targets import Target
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


SLOT_LEN = 256
IN_TORCH = EngineSettings(num_slots=3, slot_len=SLOT_LEN, min_slot_len=16)


def states(model, tokens):
    """[T, D], by the module itself."""
    with torch.inference_mode():
        return model.base_model(input_ids=torch.tensor([tokens]), use_cache=False).last_hidden_state[0]


def plain_states(model, texts, chunks):
    """[T, D] for each text, read side by side in chunks of so many tokens."""
    fused = fuse(model, SLOT_LEN)
    decoder, cache = PlainDecoder(fused), KVSlots(fused.cache_shape, len(texts), SLOT_LEN, torch.device("cpu"))
    seen = [[] for _ in texts]
    starts = [0 for _ in texts]
    while any(start < len(text) for start, text in zip(starts, texts, strict=True)):
        spans, tokens, positions = [], [], []
        for slot, text in enumerate(texts):
            chunk = text[starts[slot] : starts[slot] + chunks[slot]]
            spans.append(Span(slot, starts[slot], len(tokens), len(tokens) + len(chunk)))
            tokens += chunk
            positions += range(starts[slot], starts[slot] + len(chunk))
            starts[slot] += len(chunk)
        spans = [span for span in spans if span.end > span.start]
        with torch.inference_mode():
            hidden = decoder.hidden(torch.tensor(tokens), torch.tensor(positions), SlotsPass(cache, tuple(spans)))
        for span in spans:
            seen[span.slot].append(hidden[span.start : span.end])
    return [torch.cat(parts) for parts in seen]


@pytest.mark.parametrize("name", ["llama", "qwen2", "qwen3"])
def test_gives_the_modules_states(tiny_folders, name):
    model, chance = Tiny.load(tiny_folders[name]).reference, random.Random(name)
    texts = [[chance.randrange(3, 250) for _ in range(count)] for count in (7, 60, 200)]
    expected = [states(model, text) for text in texts]
    for chunks in ((1, 9, 150), (7, 60, 200)):
        for ours, theirs in zip(plain_states(model, texts, chunks), expected, strict=True):
            assert (ours - theirs).abs().max() < 1e-4 * theirs.abs().max()


def test_keeps_to_the_windows_of_layers():
    config = AutoConfig.for_model(
        "qwen2", vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=2, use_sliding_window=True, sliding_window=5, max_window_layers=1, initializer_range=0.3,
    )  # fmt: skip
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa").eval()
    text = [index * 7 % 64 for index in range(40)]
    expected = states(model, text)
    (ours,) = plain_states(model, [text], [11])
    assert (ours - expected).abs().max() < 1e-4 * expected.abs().max()


def test_half_precision_is_as_near_to_full_as_the_modules():
    written = "".join(f"def area_{n}(width, height):\n    return {n} * width * height\n\n\n" for n in range(20))
    text = Target.load("embedded", "cpu").codec.encode(written)[:200]
    exact = states(Target.load("embedded", "cpu", torch.float32).model, text)
    module = Target.load("embedded", "cpu", torch.bfloat16).model
    theirs = (states(module, text).float() - exact).square().mean().sqrt()
    (ours,) = plain_states(module, [text], [128])
    assert (ours.float() - exact).square().mean().sqrt() < 1.2 * theirs


@pytest.mark.parametrize(("largest", "is_plain"), [(0, False), (LARGEST_BYTES, True)])
def test_is_for_small_targets(tiny_folders, monkeypatch, largest, is_plain):
    made = []
    monkeypatch.setattr(runner_module, "LARGEST_BYTES", largest)
    monkeypatch.setattr(runner_module, "PlainDecoder", made.append)
    ModelRunner(Target.load(tiny_folders["qwen3"], "cpu"), IN_TORCH)
    assert bool(made) == is_plain
