"""Fits the network that tells how likely each change of a reading is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.certainty import ChangeNetwork
from fastedit.anchor.lazy.lines import Change

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

UNITS = 64
EPOCHS, BATCH = 14, 256
RATE, DECAY, DROPPED = 3e-3, 0.03, 0.3
SEEDS = 2  # networks, which are one with as many units together


def are_right(lines: Sequence[str], changes: Sequence[Change], goal: Sequence[str]) -> NDArray[np.bool_]:
    """(len(changes),): whether the result that changes lead to has nothing that differs from the known one where each
    of them is, or right beside it.

    lines: of the result; changes: lines [start, end) of the original that become others; ascending.
    """
    differing = [step for step in Indel.opcodes(lines, goal) if step.tag != "equal"]
    result, shift = [], 0
    for start, end, new in changes:
        first, last = start + shift, start + shift + len(new)
        shift += len(new) - (end - start)
        result.append(not any(step.src_start <= last and step.src_end >= first for step in differing))
    return np.array(result, bool)


def fit_network(facts: Floats, is_right: NDArray[np.bool_], weights: Floats, seed: int) -> ChangeNetwork:
    """A network that tells right changes from wrong ones.

    facts: (C, F); is_right: (C,); weights: (C,), what each counts. Without changes of both kinds it says 0.5 of all.
    """
    import torch

    if not len(facts) or is_right.all() or not is_right.any():
        num_facts = facts.shape[1]
        none = np.zeros((num_facts, 1))
        return ChangeNetwork(np.zeros(num_facts), np.ones(num_facts), none, np.zeros(1), np.zeros(1), 0.0)
    mean, deviation = facts.mean(axis=0), facts.std(axis=0) + 1e-6
    scaled = torch.from_numpy(((facts - mean) / deviation).clip(-5, 5).astype(np.float32))
    wanted = torch.from_numpy(is_right.astype(np.float32))
    counted = torch.from_numpy(weights.astype(np.float32))
    inner, biases, outer, bias = [], [], [], 0.0
    for number in range(SEEDS):
        torch.manual_seed(seed * SEEDS + number)
        first, last = torch.nn.Linear(facts.shape[1], UNITS), torch.nn.Linear(UNITS, 1)
        network = torch.nn.Sequential(first, torch.nn.ReLU(), torch.nn.Dropout(DROPPED), last)
        steps = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        batches = len(scaled) // BATCH + 1
        rates = torch.optim.lr_scheduler.OneCycleLR(steps, RATE, total_steps=EPOCHS * batches)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(scaled)).tensor_split(batches):
                odds = network(scaled[chosen])[:, 0]
                each = torch.nn.functional.binary_cross_entropy_with_logits(odds, wanted[chosen], reduction="none")
                steps.zero_grad()
                torch.autograd.backward((each * counted[chosen]).mean())
                steps.step()
                rates.step()
        inner.append(first.weight.detach().numpy().T.astype(np.float64))
        biases.append(first.bias.detach().numpy().astype(np.float64))
        outer.append(last.weight.detach().numpy()[0].astype(np.float64) / SEEDS)
        bias += last.bias.item() / SEEDS
    together = np.concatenate(inner, axis=1), np.concatenate(biases), np.concatenate(outer)
    return ChangeNetwork(mean, deviation, *together, bias)
