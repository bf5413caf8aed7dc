"""Muon for the matrices inside a decoder, AdamW for everything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from fastedit.targets.target import is_slow_in_bfloat16
from fastedit.training.beginning import WRITTEN
from fastedit.training.muon import BatchedMuon
from fastedit.training.settings import OptimizerSettings

OUTSIDE = ("embed", "lm_head")  # matrices whose rows are tokens: what Muon assumes doesn't hold for them
ADAM_BETAS = (0.9, 0.95)


class Optimizers:
    """The optimizers of one run. Learning rates are the settings' times a factor that the schedule gives."""

    def __init__(self, masters: Mapping[str, nn.Parameter], settings: OptimizerSettings) -> None:
        matrices, others = _Groups(settings.written), _Groups(settings.written)
        for name, master in masters.items():
            (matrices if settings.muon_lr and _is_matrix(name, master) else others).add(name, master)
        decay = settings.weight_decay
        self._all: list[torch.optim.Optimizer] = []
        if groups := matrices.at(settings.muon_lr):
            device = groups[0]["params"][0].device
            # On a CPU that has bfloat16, torch's own is as quick and needs less memory.
            muon: Any = torch.optim.Muon if device.type == "cpu" and not is_slow_in_bfloat16() else BatchedMuon
            self._all.append(muon(groups, momentum=settings.muon_momentum, weight_decay=decay, adjust_lr_fn="original"))
        if groups := others.at(settings.adamw_lr):
            self._all.append(torch.optim.AdamW(groups, betas=ADAM_BETAS, weight_decay=decay))
        self._rates = [[group["lr"] for group in optimizer.param_groups] for optimizer in self._all]

    def step(self, factor: float) -> None:
        for optimizer, rates in zip(self._all, self._rates, strict=True):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            optimizer.step()

    def state(self) -> list[dict[str, Any]]:
        return [optimizer.state_dict() for optimizer in self._all]

    def load(self, states: list[dict[str, Any]]) -> None:
        for optimizer, state in zip(self._all, states, strict=True):
            optimizer.load_state_dict(state)


class _Groups:
    """Groups of weights that random numbers filled, and of those that `beginning` wrote, with a rate of their own."""

    def __init__(self, written_factor: float) -> None:
        self._random: list[nn.Parameter] = []
        self._written: list[nn.Parameter] = []
        self._factor = written_factor

    def add(self, name: str, weight: nn.Parameter) -> None:
        is_written = self._factor != 1.0 and any(part in name for part in WRITTEN)
        (self._written if is_written else self._random).append(weight)

    def at(self, rate: float) -> list[dict[str, Any]]:
        groups = [{"params": self._random, "lr": rate}, {"params": self._written, "lr": rate * self._factor}]
        return [group for group in groups if group["params"]]


def _is_matrix(name: str, weight: nn.Parameter) -> bool:
    return weight.ndim == 2 and not any(part in name for part in OUTSIDE)
