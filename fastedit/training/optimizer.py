"""Muon for the matrices inside a decoder, AdamW for everything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from fastedit.training.settings import OptimizerSettings

OUTSIDE = ("embed", "lm_head")  # matrices whose rows are tokens: what Muon assumes doesn't hold for them
ADAM_BETAS = (0.9, 0.95)


class Optimizers:
    """The optimizers of one run. Learning rates are the settings' times a factor that the schedule gives."""

    def __init__(self, masters: Mapping[str, nn.Parameter], settings: OptimizerSettings) -> None:
        matrices = [master for name, master in masters.items() if settings.muon_lr and _is_matrix(name, master)]
        taken = set(map(id, matrices))
        others = [master for master in masters.values() if id(master) not in taken]
        self._all: list[torch.optim.Optimizer] = []
        if matrices:
            self._all.append(
                torch.optim.Muon(
                    matrices,
                    lr=settings.muon_lr,
                    momentum=settings.muon_momentum,
                    weight_decay=settings.weight_decay,
                    adjust_lr_fn="original",
                )
            )
        if others:
            self._all.append(
                torch.optim.AdamW(others, lr=settings.adamw_lr, betas=ADAM_BETAS, weight_decay=settings.weight_decay)
            )
        self._rates = [optimizer.param_groups[0]["lr"] for optimizer in self._all]

    def step(self, factor: float) -> None:
        for optimizer, rate in zip(self._all, self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.step()

    def state(self) -> list[dict[str, Any]]:
        return [optimizer.state_dict() for optimizer in self._all]

    def load(self, states: list[dict[str, Any]]) -> None:
        for optimizer, state in zip(self._all, states, strict=True):
            optimizer.load_state_dict(state)


def _is_matrix(name: str, weight: nn.Parameter) -> bool:
    return weight.ndim == 2 and not any(part in name for part in OUTSIDE)
