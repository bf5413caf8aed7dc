from __future__ import annotations

import pytest
import torch
from torch import nn

from fastedit.training.masters import Masters
from fastedit.training.optimizer import Optimizers
from fastedit.training.settings import OptimizerSettings


def model(dtype: torch.dtype) -> nn.Module:
    torch.manual_seed(0)
    layers = nn.ModuleDict({"embed": nn.Linear(4, 8, bias=False), "inner": nn.Linear(4, 4)})
    return layers.to(dtype)


def test_small_steps_add_up():
    net = model(torch.bfloat16)
    masters = Masters(net)
    before = net["inner"].weight.clone()
    for _ in range(64):
        masters.zero()
        net["inner"].weight.grad = torch.ones_like(before)
        masters.collect()
        masters.gradient.mul_(1e-4)
        for master in masters.masters.values():
            master.data -= master.grad
        masters.write_back()
    torch.testing.assert_close(net["inner"].weight, (before.float() - 64e-4).to(torch.bfloat16), rtol=0, atol=2e-3)


def test_gradients_of_several_rows_add_up():
    net = model(torch.bfloat16)
    masters = Masters(net)
    for _ in range(3):
        net["inner"].bias.grad = torch.full((4,), 2.0, dtype=torch.bfloat16)
        masters.collect()
    assert masters.masters["inner.bias"].grad.tolist() == [6.0] * 4
    assert net["inner"].bias.grad is None
    assert masters.gradient.sum() == 24.0


def test_a_float32_weight_is_its_own_master():
    net = model(torch.float32)
    masters = Masters(net)
    assert masters.masters["inner.bias"] is net["inner"].bias
    net["inner"].bias.sum().backward()
    masters.collect()
    assert masters.gradient.sum() == 4.0


def test_frozen_weights_have_none():
    net = model(torch.bfloat16)
    net["embed"].requires_grad_(False)
    assert set(Masters(net).masters) == {"inner.weight", "inner.bias"}


def test_clips_to_a_norm():
    masters = Masters(model(torch.float32))
    masters.gradient.fill_(1.0)
    norm = float(masters.clip(0.5))
    assert norm == pytest.approx(len(masters.gradient) ** 0.5)
    assert float(masters.gradient.norm()) == pytest.approx(0.5)
    assert float(masters.clip(1.0)) == pytest.approx(0.5)
    assert float(masters.gradient.norm()) == pytest.approx(0.5)


@pytest.mark.parametrize(("is_slow", "name"), [(False, "Muon"), (True, "BatchedMuon")])
def test_muon_takes_the_matrices_inside(monkeypatch, is_slow, name):
    monkeypatch.setattr("fastedit.training.optimizer.is_slow_in_bfloat16", lambda: is_slow)
    masters = Masters(model(torch.float32))
    optimizers = Optimizers(masters.masters, OptimizerSettings())
    kinds = [type(optimizer).__name__ for optimizer in optimizers._all]
    sizes = [sum(len(group["params"]) for group in optimizer.param_groups) for optimizer in optimizers._all]
    assert (kinds, sizes) == ([name, "AdamW"], [1, 2])
    only_adamw = Optimizers(masters.masters, OptimizerSettings(muon_lr=0.0))
    assert [type(optimizer).__name__ for optimizer in only_adamw._all] == ["AdamW"]


def test_written_weights_have_rates_of_their_own():
    names = ("model.layers.0.self_attn.q_proj.weight", "model.layers.2.self_attn.q_proj.weight", "model.norm.weight")
    shapes = ((2, 2), (2, 2), (2,))
    weights = {name: nn.Parameter(torch.zeros(shape)) for name, shape in zip(names, shapes, strict=True)}
    for weight in weights.values():
        weight.grad = torch.eye(2) if weight.ndim == 2 else torch.ones(2)
    optimizers = Optimizers(weights, OptimizerSettings(muon_lr=0.1, adamw_lr=0.01, written=0.25))
    optimizers.step(0.5)
    sizes = [float(weight.detach().abs().max()) for weight in weights.values()]
    assert sizes[0] == pytest.approx(sizes[1] / 4, rel=1e-2)
    assert sizes[2] == pytest.approx(0.01 * 0.25 * 0.5, rel=1e-2)
