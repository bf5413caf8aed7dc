"""By how much what decodes a model misses the model's own logits."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from fastedit.decode.cache import CacheShape
from fastedit.decode.probe import TOLERANCE, Traits, difference
from fastedit.decode.verify import AS_THEY_ARE

NUM_IDS, NUM_TOKENS = 32, 60
TOKENS = [(7 * index) % NUM_IDS for index in range(NUM_TOKENS)]
TABLE = torch.randn(NUM_IDS, NUM_IDS, generator=torch.Generator().manual_seed(1))
ROWS = [*range(8), *range(NUM_TOKENS - 8, NUM_TOKENS)]


def traits(logits: Tensor | None = None) -> Traits:
    """Those of a model whose logits depend on the last token alone."""
    own = TABLE[torch.tensor([TOKENS[row] for row in ROWS])] if logits is None else logits
    shape = CacheShape(1, 1, 4, torch.float32)
    return Traits(shape, (None,), NUM_IDS, AS_THEY_ARE, TOKENS, ROWS, own, "sdpa")


class Passes:
    """Decodes the model rightly, but for `noise`, and remembers what it was fed."""

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise
        self.fed: list[list[tuple[int, int, int]]] = []

    def hidden(self, parts: Sequence[tuple[int, int, list[int]]]) -> Tensor:
        self.fed.append([(slot, length, len(tokens)) for slot, length, tokens in parts])
        found = TABLE[torch.tensor([token for _, _, tokens in parts for token in tokens])]
        return found + self.noise * torch.randn(found.shape, generator=torch.Generator().manual_seed(2))


def off(passes: Passes, num_slots: int = 2, slot_len: int = 256, of: Traits | None = None) -> float:
    return difference(of or traits(), passes.hidden, lambda hidden: hidden, num_slots, slot_len)


def test_the_models_own_logits_are_no_difference() -> None:
    assert off(Passes()) == 0.0
    assert off(Passes(noise=TOLERANCE[torch.float32] / 10)) == 0.0


def test_other_logits_are_told_by_their_size() -> None:
    small, large = off(Passes(noise=0.05)), off(Passes(noise=0.5))
    assert 0.02 < small < 0.1 < 0.3 < large


def test_a_row_alone_may_be_off() -> None:
    """A rounding can choose another expert for it."""
    logits = traits().logits.clone()
    many = logits.repeat(3, 1)
    many[0] += 100
    rows = ROWS * 3
    odd = Traits(traits().shape, (None,), NUM_IDS, AS_THEY_ARE, TOKENS, rows, many, "sdpa")
    assert off(Passes(), of=odd) == 0.0


def test_a_logit_that_is_no_number_is_a_difference() -> None:
    assert off(Passes(noise=float("nan"))) == float("inf")


def test_the_probe_goes_through_in_chunks_once_beside_another_request() -> None:
    passes = Passes()
    off(passes)
    own = [next(part for part in fed if part[0] == 0) for fed in passes.fed]
    assert sum(num for _, _, num in own) == NUM_TOKENS
    assert [length for _, length, _ in own] == [sum(num for _, _, num in own[:index]) for index in range(len(own))]
    assert [len(fed) for fed in passes.fed].count(2) == 1
    alone = Passes()
    off(alone, num_slots=1)
    assert all(len(fed) == 1 for fed in alone.fed)


def test_a_short_slot_takes_a_part_of_the_probe() -> None:
    passes = Passes()
    assert off(passes, slot_len=20) == 0.0
    assert sum(fed[-1][2] for fed in passes.fed) == 20
