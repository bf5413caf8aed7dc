"""Fits the networks that tell right from wrong: one reads a change of a result, another a reading as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.certainty import MAX_DEVIATIONS, Network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UNITS = 64  # of each network


@dataclass(frozen=True, slots=True)
class Schedule:
    """The steps that a network is fitted in. count: so many are, with other seeds, and are one of all their units.

    dropped_facts, dropped_units: the shares of both that are left out of each step, so that none is relied on alone
    (Srivastava et al., Dropout, 2014).
    """

    epochs: int
    batch: int
    rate: float
    decay: float
    dropped_facts: float
    dropped_units: float
    count: int


def fit_network(facts: Floats, is_right: NDArray[np.bool_], weights: Floats, seed: int, schedule: Schedule) -> Network:
    """A network that tells right from wrong.

    facts: (C, F), not a number where one isn't known; is_right: (C,); weights: (C,), what each counts. Without both
    kinds it says 0.5 of all.
    """
    import torch

    if not len(facts) or is_right.all() or not is_right.any():
        num_facts = facts.shape[1]
        none = np.zeros((num_facts, 1))
        return Network(np.zeros(num_facts), np.ones(num_facts), none, np.zeros(1), np.zeros(1), 0.0)
    mean, deviation = np.nanmean(facts, axis=0), np.nanstd(facts, axis=0) + 1e-6
    limits = -MAX_DEVIATIONS, MAX_DEVIATIONS
    scaled = torch.from_numpy(np.nan_to_num((facts - mean) / deviation).clip(*limits).astype(np.float32))
    wanted = torch.from_numpy(is_right.astype(np.float32))
    counted = torch.from_numpy(weights.astype(np.float32))
    inner, biases, outer, bias = [], [], [], 0.0
    for number in range(schedule.count):
        torch.manual_seed(seed * schedule.count + number)
        first, last = torch.nn.Linear(facts.shape[1], UNITS), torch.nn.Linear(UNITS, 1)
        thinned = torch.nn.Dropout(schedule.dropped_facts), first
        network = torch.nn.Sequential(*thinned, torch.nn.ReLU(), torch.nn.Dropout(schedule.dropped_units), last)
        steps = torch.optim.AdamW(network.parameters(), lr=schedule.rate, weight_decay=schedule.decay)
        batches = len(scaled) // schedule.batch + 1
        rates = torch.optim.lr_scheduler.OneCycleLR(steps, schedule.rate, total_steps=schedule.epochs * batches)
        for _ in range(schedule.epochs):
            for chosen in torch.randperm(len(scaled)).tensor_split(batches):
                odds = network(scaled[chosen])[:, 0]
                each = torch.nn.functional.binary_cross_entropy_with_logits(odds, wanted[chosen], reduction="none")
                steps.zero_grad()
                torch.autograd.backward((each * counted[chosen]).mean())
                steps.step()
                rates.step()
        inner.append(first.weight.detach().numpy().T.astype(np.float64))
        biases.append(first.bias.detach().numpy().astype(np.float64))
        outer.append(last.weight.detach().numpy()[0].astype(np.float64) / schedule.count)
        bias += last.bias.item() / schedule.count
    together = np.concatenate(inner, axis=1), np.concatenate(biases), np.concatenate(outer)
    return Network(mean, deviation, *together, bias)
