from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from fastedit.training import muon, optimizer
from fastedit.training.muon import BatchedMuon, orthogonalized
from fastedit.training.optimizer import Optimizers
from fastedit.training.settings import OptimizerSettings

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


@pytest.fixture(params=[True, False], ids=["bfloat16", "float32"])
def is_quick(request, monkeypatch):
    """Whether the machine seems to have instructions for bfloat16."""
    monkeypatch.setattr(muon, "is_slow_in_bfloat16", lambda: not request.param)
    monkeypatch.setattr(optimizer, "is_slow_in_bfloat16", lambda: not request.param)
    return request.param


@pytest.mark.parametrize("options", OPTIONS)
def test_steps_as_torch_does(options, is_quick):
    own, theirs = weights(), weights()
    steps(BatchedMuon(own, **options, adjust_lr_fn="original"), own, 4, seed=1)
    steps(torch.optim.Muon(theirs, **options, adjust_lr_fn="original"), theirs, 4, seed=1)
    for mine, other, start in zip(own, theirs, weights(), strict=True):
        # Products in bfloat16, of which several rounded alike differ less.
        atol = (0.02 if is_quick else 0.05) * options["lr"]
        torch.testing.assert_close(mine, other, rtol=0, atol=atol)
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
    for stepped, held in ((first, plain), (second, given)):
        steps(stepped, held, 2, seed=2)
    for mine, other in zip(given, plain, strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-3)
    torch.optim.Muon(weights(), lr=0.05).load_state_dict(second.state_dict())


def test_no_bfloat16_is_computed_where_that_is_slow(is_quick, monkeypatch):
    used = []
    own = muon.orthogonalized
    monkeypatch.setattr(muon, "orthogonalized", lambda *given: used.append(given[-1]) or own(*given))
    optimizers = Optimizers({"layer": nn.Parameter(torch.randn(24, 16))}, OptimizerSettings())
    weight = optimizers._all[0].param_groups[0]["params"][0]
    weight.grad = torch.randn(24, 16)
    optimizers.step(1.0)
    assert used == ([] if is_quick else [torch.float32])  # torch's own is as good where bfloat16 is quick


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_singular_values_come_near_one(dtype):
    torch.manual_seed(0)
    matrices = torch.randn(3, 40, 24) * torch.tensor([1e-3, 1.0, 50.0])[:, None, None]
    found = orthogonalized(matrices, (3.4445, -4.7750, 2.0315), 5, dtype=dtype)
    assert found.dtype is dtype
    values = torch.linalg.svdvals(found.float())
    assert values.min() > 0.5
    assert values.max() < 1.3
