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

from fastedit.anchor.lazy.certainty import FACTORS, factors_of
from fastedit.anchor.lazy.readings import readings_of
from fastedit.errors import InputRefused, SettingsError
from fastedit.training.alignment.cases import Case, Workers, laid
from fastedit.training.alignment.weights import Weights, minimised

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Numbers = NDArray[np.float64]

PENALTY = 100.0  # on weights of factors brought to a deviation of 1: the search was fitted to the same cases
POINTS = 41  # of the table of shares
FOLDS = 5
TOLERATED = 0.01  # share of wrong answers at which the share that can be answered is told


@dataclass(frozen=True, slots=True)
class Judged:
    """The best reading of a case. factors: (len(FACTORS),). is_right: it is the known result."""

    package: str
    factors: Numbers
    is_right: bool


def fit_certainty(
    train: Sequence[Case], calibration: Sequence[Case], weights: Weights, workers: Workers
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The content of `certainty.json`, and figures on it. Raises SettingsError where nothing can be read.

    The training cases' scores come from models that were fitted without their packages.
    """
    known, others = (_judged(cases, weights, workers) for cases in (train, calibration))
    factors, is_right = _table(known)
    unseen = np.zeros(len(known))
    folds = np.array([zlib.crc32(one.package.encode()) % FOLDS for one in known])
    for fold in set(folds.tolist()):
        inside = folds == fold
        unseen[inside] = factors[inside] @ logistic(factors[~inside], is_right[~inside])
    fitted = np.round(logistic(factors, is_right), 4)
    other_factors, other_right = _table(others)
    odds = other_factors @ fitted
    stored = {"weights": dict(zip(FACTORS, fitted.tolist(), strict=True)), "calibration": calibrated(odds, other_right)}
    return stored, {"train": scores(unseen, is_right), "calibration": scores(odds, other_right)}


def judge(case: Case, weights: Weights) -> Judged | None:
    """Reads a case and says whether that is right; None where there is no reading."""
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
    return Judged(case.package, factors_of(ranked), ranked[0].lines == given.goal) if ranked else None


def _judged(cases: Sequence[Case], weights: Weights, workers: Workers) -> list[Judged]:
    judged = [one for one in workers.map(partial(judge, weights=weights), cases) if one is not None]
    if not judged:
        raise SettingsError("none of the cases that certainty is fitted to has a reading")
    return judged


def _table(judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
    """Returns (C, len(FACTORS)) factors and (C,) 1 for right, 0 for wrong."""
    return np.stack([one.factors for one in judged]), np.array([float(one.is_right) for one in judged])


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
    least, most = 1 / (count + 2), 1 - 1 / (count + 2)
    table = np.stack([grid, shares.clip(least, most)], axis=1)
    return np.round(table, 4).tolist()


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
