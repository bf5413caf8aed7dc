from __future__ import annotations

import random

import pytest
import torch
from torch.nn import functional

from fastedit.decode.attention import QUERIES_AT_ONCE, ROWS
from fastedit.decode.passes import Append
from fastedit.decode.request import GREEDY, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.decode.verify import FewWidthsChooser, TokenChooser, repeated_width
from fastedit.targets import Target

SLOT_LEN = 512
NUM_PASSES = 150


def chooser(weight, kind=TokenChooser):
    return kind(lambda hidden: functional.linear(hidden, weight), len(weight))


def test_widths_are_few_and_hardly_larger():
    widths = range(1, 8193)
    for width in widths:
        repeated = repeated_width(width)
        assert 0 <= repeated - width < max(8, width / 8)
        assert repeated_width(repeated) == repeated
    assert len({repeated_width(width) for width in widths}) < 70


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.8, seed=3)])
@pytest.mark.parametrize("num_rows", [1, 2, 8, 13, 100])
def test_logits_of_filled_rows_are_the_same(num_rows, sampling):
    torch.manual_seed(num_rows)
    weight, hidden = torch.randn(50, 16), torch.randn(num_rows, 16)
    appends = [Append(0, 7, range(num_rows), num_rows, sampling, needs_own=True)]
    assert chooser(weight, kind=FewWidthsChooser).logits(hidden).shape == (num_rows, 50)
    assert chooser(weight, kind=FewWidthsChooser).verify(hidden, appends) == chooser(weight).verify(hidden, appends)


def test_passes_of_any_width_meet_few_shapes(tiny_folders, monkeypatch):
    """Every shape of a half-precision product is remembered by the process; there mustn't be new ones for ever."""
    runner = ModelRunner(
        Target.load(tiny_folders["qwen3"], "cpu", torch.bfloat16),
        EngineSettings(num_slots=3, slot_len=SLOT_LEN, min_slot_len=16),
    )
    linears, blocks = set(), set()
    plain_linear, plain_bmm = functional.linear, torch.bmm

    def linear(rows, weight, bias=None):
        linears.add((rows.shape[-2], weight.shape))
        return plain_linear(rows, weight, bias)

    def bmm(one, other):
        if one.dtype == torch.bfloat16:
            blocks.add((one.shape, other.shape))
        return plain_bmm(one, other)

    monkeypatch.setattr(functional, "linear", linear)
    monkeypatch.setattr(torch, "bmm", bmm)
    chance = random.Random(0)
    widths, spans = set(), set()
    for _ in range(NUM_PASSES):
        appends = [_append(slot, chance) for slot in chance.sample(range(3), chance.choice((1, 1, 2, 3)))]
        runner.append(appends)
        widths.add(sum(len(append.tokens) for append in appends))
        spans |= {(append.length, len(append.tokens)) for append in appends}
    assert len(widths) > 90
    assert len(spans) > 200
    kinds = {weight for _, weight in linears}
    assert len(linears) <= len(kinds) * len({repeated_width(width) for width in range(1, 3 * SLOT_LEN + 1)})
    assert {width for width, _ in linears} == {repeated_width(width) for width, _ in linears}
    assert len(blocks) <= len(ROWS) * SLOT_LEN // QUERIES_AT_ONCE


def _append(slot, chance):
    length = chance.randrange(SLOT_LEN - 1)
    tokens = [chance.randrange(3, 250) for _ in range(chance.randint(1, SLOT_LEN - length))]
    return Append(slot, length, tokens, chance.randint(1, len(tokens)))
