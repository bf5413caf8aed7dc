"""The small targets' decoder on a CPU: it gives its module's states."""

from __future__ import annotations

import random

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.decode import runner as runner_module
from fastedit.decode.attention import SlotsPass, Span
from fastedit.decode.cache import KVSlots
from fastedit.decode.devices import LARGEST_BYTES
from fastedit.decode.fused import PlainDecoder, fuse
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.targets import Target
from support.tiny_targets import Tiny

SLOT_LEN = 256
SETTINGS = EngineSettings(num_slots=3, slot_len=SLOT_LEN, min_slot_len=16)


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
    ModelRunner(Target.load(tiny_folders["qwen3"], "cpu"), SETTINGS)
    assert bool(made) == is_plain
