"""Fits how certain a reading is: a logistic model of what tells right readings from wrong ones, then a table of shares.

The model is fitted to training cases; messages that have to be refused count as read wrongly. The table turns its odds
into shares of right readings, and is made from other cases: of them only the odds, and whether each is right, are used.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.anchor.lazy.certainty import (
    CHANGE_FACTORS,
    CHANGE_FACTS,
    FACTORS,
    FAR_BEHIND,
    ChangeNetwork,
    change_factors,
    factors_of,
    facts_of_first,
    shares_of,
)
from fastedit.anchor.lazy.reading import NAMES, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.errors import InputRefused, SettingsError
from fastedit.training.alignment.cases import WRITTEN, Case, ProcessMap, laid
from fastedit.training.alignment.changes import are_right, fit_network
from fastedit.training.alignment.weights import CaseReadings, Weights, fitted, minimised

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Numbers = NDArray[np.float64]

PENALTY = 120.0  # on weights of factors brought to a deviation of 1
MAX_FIRST = 5  # readings whose factors are kept
POINTS = 41  # of the table of shares
FOLDS = 5
LATER = 0.35  # what the changes of a reading count that isn't the likeliest, for the network
TOLERATED = 0.01  # share of wrong answers at which the share that can be answered is told


@dataclass(frozen=True, slots=True)
class Judged:
    """The readings of a case, likeliest first.

    features: (k, len(NAMES)), what their scores are made of. is_right: (k,), whether each is the known result.
    factors: (at most MAX_FIRST, len(FACTORS)), of each of the first ones, were it the likeliest. changes: of each of
    these (C, len(CHANGE_FACTS)), the facts of its changes; right_changes: (C,), which of them are right, none where the
    message has to be refused.
    """

    package: str
    features: Numbers
    is_right: NDArray[np.bool_]
    factors: Numbers
    changes: tuple[Numbers, ...]
    right_changes: tuple[NDArray[np.bool_], ...]

    def first(self, network: ChangeNetwork, weights: Numbers | None = None) -> tuple[Numbers, bool] | None:
        """The likeliest reading's factors, and whether it is right; with other weights, if any are given.

        network: tells how likely its changes are right. None where the likeliest one by those weights is too far behind
        for its factors to be known.
        """
        best = 0 if weights is None else int(np.argsort(-(self.features @ weights), kind="stable")[0])
        if best >= len(self.factors):
            return None
        factors = self.factors[best].copy()
        factors[-len(CHANGE_FACTORS) :] = change_factors(network.chances(self.changes[best]))
        if weights is None:
            return factors, bool(self.is_right[0])
        scores = self.features @ weights
        order = np.argsort(-scores, kind="stable")
        behind = scores[best] - scores[order[1]] if len(order) > 1 else FAR_BEHIND
        share = 1 / float(np.exp(scores - scores[best]).sum())
        for name, value in shares_of(share, float(behind)).items():
            factors[FACTORS.index(name)] = value
        return factors, bool(self.is_right[best])


def fit_certainty(
    train: Sequence[Case], calibration: Sequence[Case], weights: Weights, prior: Weights, workers: ProcessMap, seed: int
) -> tuple[dict[str, Any], ChangeNetwork, dict[str, Any]]:
    """The content of `certainty.json`, the network of changes, and figures. SettingsError where nothing is read.

    The weights know the training cases, whose shares are better than those of others therefore. So each part of them
    is judged by weights, and a network, that are fitted to the other parts, the weights from `prior` on; its figures
    come from a model of these.
    """
    known, others = (_judged(cases, weights, workers) for cases in (train, calibration))
    folds = np.array([zlib.crc32(one.package.encode()) % FOLDS for one in known])
    unseen: list[tuple[int, Numbers, bool]] = []
    for fold in sorted(set(folds.tolist())):
        rest = [one for one, theirs in zip(known, folds, strict=True) if theirs != fold]
        groups = [group for group in map(_group, rest) if group.tells()]
        fitted_to_others, _ = fitted(groups, prior, prior, step=1.0)
        values = np.array([fitted_to_others[name] for name in NAMES])
        network = _network(rest, seed)
        found = (one.first(network, values) for one, theirs in zip(known, folds, strict=True) if theirs == fold)
        unseen += [(fold, *first) for first in found if first is not None]
    factors, is_right = _table([(factors, right) for _, factors, right in unseen])
    odds = np.zeros(len(unseen))
    for fold in set(folds.tolist()):
        inside = np.array([theirs == fold for theirs, *_ in unseen])
        odds[inside] = factors[inside] @ logistic(factors[~inside], is_right[~inside])
    model = np.round(logistic(factors, is_right), 4)
    network = _network(known, seed)
    other_factors, other_right = _table([first for one in others if (first := one.first(network)) is not None])
    other_odds = other_factors @ model
    table = calibrated(other_odds, other_right)
    stored = {"weights": dict(zip(FACTORS, model.tolist(), strict=True)), "calibration": table}
    return stored, network, {"train": scores(odds, is_right), "calibration": scores(other_odds, other_right)}


def _network(judged: Sequence[Judged], seed: int) -> ChangeNetwork:
    """The network of the changes of these cases."""
    facts, right, counted = [np.zeros((0, len(CHANGE_FACTS)))], [np.zeros(0, bool)], [np.zeros(0)]
    for one in judged:
        for number, (changes, are_good) in enumerate(zip(one.changes, one.right_changes, strict=False)):
            facts.append(changes)
            right.append(are_good)
            counted.append(np.full(len(are_good), LATER if number else 1.0))
    return fit_network(np.concatenate(facts), np.concatenate(right), np.concatenate(counted), seed)


def judge(case: Case, weights: Weights) -> Judged | None:
    """Reads a case and says which readings are right; None where there is no reading."""
    try:
        given = laid(case)
        if given is None:
            return None
        ranked = readings_of(
            given.lines, given.snippets, given.language, case.message, given.found, known_weights=weights
        )
    except InputRefused:
        return None  # too large
    except Exception as error:
        error.add_note(f"while reading {case.name}")
        raise
    if not ranked:
        return None
    first = [probabilities([one, *ranked[:at], *ranked[at + 1 :]]) for at, one in enumerate(ranked[:MAX_FIRST])]
    right: list[NDArray[np.bool_]] = []
    for one in ranked[:MAX_FIRST] if given.goal is not None else ():
        right.append(are_right(one.lines, one.changes(given.lines), given.goal or ()))
    return Judged(
        case.package,
        np.stack([one.features() for one in ranked]).astype(np.float64),
        np.array([one.lines == given.goal for one in ranked]),
        np.stack([factors_of(readings, np.zeros(0)) for readings in first]),
        tuple(facts_of_first(readings) for readings in first),
        tuple(right),
    )


def _group(judged: Judged) -> CaseReadings:
    """The readings of a case as the weights are fitted to them."""
    readings = zip(judged.features.astype(np.float32), judged.is_right.tolist(), strict=True)
    return CaseReadings(WRITTEN, {bytes([number]): reading for number, reading in enumerate(readings)})


def _judged(cases: Sequence[Case], weights: Weights, workers: ProcessMap) -> list[Judged]:
    judged = [one for one in workers.map(partial(judge, weights=weights), cases) if one is not None]
    if not judged:
        raise SettingsError("none of the cases that certainty is fitted to has a reading")
    return judged


def _table(judged: Sequence[tuple[Numbers, bool]]) -> tuple[Numbers, Numbers]:
    """Returns (C, len(FACTORS)) factors and (C,) 1 for right, 0 for wrong."""
    if not judged:
        return np.zeros((0, len(FACTORS))), np.zeros(0)
    return np.stack([factors for factors, _ in judged]), np.array([float(right) for _, right in judged])


def logistic(factors: Numbers, is_right: Numbers, penalty: float = PENALTY) -> Numbers:
    """(len(FACTORS),): weights whose sum over a reading's factors is the logarithm of its odds to be right.

    factors: (C, len(FACTORS)), the first of them 1 throughout. is_right: (C,). Without cases, nothing is known: zeros.
    """
    import torch

    if not len(is_right):
        return np.zeros(factors.shape[1])
    mean, deviation = factors.mean(axis=0), factors.std(axis=0) + 1e-6
    mean[0], deviation[0] = 0, 1
    inputs, wanted = torch.from_numpy((factors - mean) / deviation), torch.from_numpy(is_right)

    def loss(values: Tensor) -> Tensor:
        wrong = torch.nn.functional.binary_cross_entropy_with_logits(inputs @ values, wanted, reduction="sum")
        return wrong + penalty * values[1:].square().sum()

    endless = torch.full((factors.shape[1],), math.inf, dtype=torch.float64)
    found = minimised(loss, torch.zeros_like(endless), -endless, endless).numpy() / deviation
    found[0] -= float(found @ mean)
    return np.asarray(found, np.float64)


def calibrated(odds: Numbers, is_right: Numbers) -> list[list[float]]:
    """Rising odds, and the share of right readings that each is worth: a logistic curve through the cases.

    A free curve would follow each of a few hundred cases. No share is nearer to 0 or 1 than so many cases can show
    (Platt, Probabilistic Outputs for Support Vector Machines, 1999).
    """
    count = len(odds)
    if not count:
        return [[0.0, 0.5], [1.0, 0.5]]
    right = float(is_right.sum())
    highest, lowest = (right + 1) / (right + 2), 1 / (count - right + 2)
    targets = np.where(is_right > 0, highest, lowest)
    offset, slope = logistic(np.stack([np.ones(count), odds], axis=1), targets, penalty=0.0)
    grid = np.linspace(float(odds.min()) - 1, float(odds.max()) + 1, POINTS)
    shares = 1 / (1 + np.exp(-(offset + max(0.0, slope) * grid)))
    shares = shares.clip(1 / (count + 2), 1 - 1 / (count + 2))
    return [[round(float(at), 4), round(float(share), 4)] for at, share in np.stack([grid, shares], axis=1)]


def scores(odds: Numbers, is_right: Numbers) -> dict[str, Any]:
    """Measures the odds: the Brier score, and the share of cases that can be answered with few wrong ones.

    They are answered from the most certain one on, as long as at most TOLERATED of all cases are answered wrongly.
    """
    num_cases = len(is_right)
    wrong = np.cumsum(1 - is_right[np.argsort(-odds, kind="stable")])
    answered = int((wrong <= TOLERATED * num_cases).sum())
    brier = float(((1 / (1 + np.exp(-odds)) - is_right) ** 2).mean())
    return {
        "cases": num_cases,
        "exact": round(float(is_right.mean()), 4),
        "brier": round(brier, 4),
        f"answered_at_{TOLERATED:.0%}_wrong": round(answered / num_cases, 4),
    }
