from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from fastedit.training.muon import BatchedMuon, orthogonalized

SHAPES = ((24, 16), (24, 16), (16, 24), (16, 16), (24, 16))


def weights() -> list[nn.Parameter]:
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(shape)) for shape in SHAPES]


def steps(optimizer: torch.optim.Optimizer, given: list[nn.Parameter], count: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        for weight in given[:-1]:  # the last has no gradient
            weight.grad = torch.randn(weight.shape, generator=generator)
        optimizer.step()


OPTIONS = [{"lr": 0.05, "weight_decay": 0.0}, {"lr": 0.02, "weight_decay": 0.1, "nesterov": False, "momentum": 0.8}]


@pytest.mark.parametrize("options", OPTIONS)
def test_steps_as_torch_does(options):
    own, theirs = weights(), weights()
    steps(BatchedMuon(own, **options, adjust_lr_fn="original"), own, 4, seed=1)
    steps(torch.optim.Muon(theirs, **options, adjust_lr_fn="original"), theirs, 4, seed=1)
    for mine, other, start in zip(own, theirs, weights(), strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=0.02 * options["lr"])  # products in bfloat16
        if mine.grad is not None:
            assert (mine - start).abs().max() > options["lr"] / 4


def test_goes_on_from_torch_s_state_and_back():
    plain, given = weights(), weights()
    first = torch.optim.Muon(plain, lr=0.05)
    steps(first, plain, 3, seed=1)
    for weight, source in zip(given, plain, strict=True):
        weight.data.copy_(source.data)
    second = BatchedMuon(given, lr=0.05)
    second.load_state_dict(deepcopy(first.state_dict()))  # else they share their buffers
    for optimizer, held in ((first, plain), (second, given)):
        steps(optimizer, held, 2, seed=2)
    for mine, other in zip(given, plain, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-3)
    torch.optim.Muon(weights(), lr=0.05).load_state_dict(second.state_dict())


def test_singular_values_come_near_one():
    torch.manual_seed(0)
    matrices = torch.randn(3, 40, 24) * torch.tensor([1e-3, 1.0, 50.0])[:, None, None]
    values = torch.linalg.svdvals(orthogonalized(matrices, (3.4445, -4.7750, 2.0315), 5).float())
    assert values.min() > 0.5
    assert values.max() < 1.3
