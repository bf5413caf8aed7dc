"""Fits how certain a reading is: a network that tells right readings from wrong ones, then a table of shares.

The network is fitted to training cases; messages that have to be refused count as read wrongly. The table turns its
odds into shares of right readings. It is made from written cases, each with the odds of a network that saw none of its
package, and from the calibration cases: of these only the odds, and whether each is right, are used.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.certainty import (
    CHANGE_FACTORS,
    FACTORS,
    Network,
    change_factors,
    factors_of,
    facts_of_first,
    shares_of,
)
from fastedit.anchor.lazy.changes import CHANGE_FACTS
from fastedit.anchor.lazy.lines import Change
from fastedit.anchor.lazy.reading import NAMES, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.rivals import FAR_BEHIND
from fastedit.errors import InputRefused, SettingsError
from fastedit.training.alignment.cases import WRITTEN, Case, ProcessMap, laid
from fastedit.training.alignment.forecast import use_those_without
from fastedit.training.alignment.network import Schedule, fit_network
from fastedit.training.alignment.weights import CaseReadings, Weights, fitted, minimised

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Numbers = NDArray[np.float64]

OF_CHANGES = Schedule(epochs=14, batch=256, rate=3e-3, decay=0.03, dropped_facts=0.0, dropped_units=0.3, count=2)
OF_READINGS = Schedule(epochs=12, batch=128, rate=2e-3, decay=0.1, dropped_facts=0.25, dropped_units=0.5, count=4)
MAX_FIRST = 5  # readings whose factors are kept
POINTS = 41  # of the table of shares
FOLDS = 5
LATER = 0.35  # what the changes of a reading count that isn't the likeliest, for the network
TOLERATED = 0.01  # share of wrong answers at which the share that can be answered is told


@dataclass(frozen=True, slots=True)
class Judged:
    """The readings of a case, likeliest first.

    is_written: by an assistant, not made from a file's change.
    features: (k, len(NAMES)), what their scores are made of. is_right: (k,), whether each is the known result.
    factors: (at most MAX_FIRST, len(FACTORS)), of each of the first ones, were it the likeliest. changes: of each of
    these (C, len(CHANGE_FACTS)), the facts of its changes; right_changes: (C,), which of them are right, none where the
    message has to be refused.
    """

    package: str
    is_written: bool
    features: Numbers
    is_right: NDArray[np.bool_]
    factors: Numbers
    changes: tuple[Numbers, ...]
    right_changes: tuple[NDArray[np.bool_], ...]

    def first(self, network: Network, weights: Numbers | None = None) -> tuple[Numbers, bool] | None:
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


@dataclass(frozen=True, slots=True)
class Certainty:
    """The two networks and the table that tell how certain a reading is, as they were fitted.

    table: from odds to shares, see `calibrated`. scores: see there, of the training and of the calibration cases.
    """

    of_changes: Network
    of_readings: Network
    table: list[list[float]]
    scores: dict[str, dict[str, float]]

    def save(self, folder: Path) -> None:
        """Stores it as `fastedit.anchor.lazy.certainty` reads it."""
        self.of_changes.save(folder / "changes.npz", CHANGE_FACTS)
        self.of_readings.save(folder / "certainty.npz", FACTORS)
        (folder / "certainty.json").write_text(json.dumps({"calibration": self.table}, indent=1) + "\n", "utf-8")


def fit_certainty(
    train: Sequence[Case], calibration: Sequence[Case], weights: Weights, prior: Weights, workers: ProcessMap, seed: int
) -> Certainty:
    """Fits to the training cases. Raises SettingsError where nothing is read.

    The weights know the training cases, whose shares are better than those of others therefore. So each part of them
    is judged by weights, and a network of changes, that are fitted to the other parts, the weights from `prior` on; its
    figures, and the odds for the table, come from a network of readings fitted to these.
    """
    known, others = (_judged(cases, weights, workers) for cases in (train, calibration))
    folds = np.array([zlib.crc32(one.package.encode()) % FOLDS for one in known])
    unseen: list[tuple[int, bool, Numbers, bool]] = []
    for fold in sorted(set(folds.tolist())):
        rest = [one for one, theirs in zip(known, folds, strict=True) if theirs != fold]
        groups = [group for group in map(_group, rest) if group.tells()]
        fitted_to_others, _ = fitted(groups, prior, prior, step=1.0)
        values = np.array([fitted_to_others[name] for name in NAMES])
        network = _network_of_changes(rest, seed)
        for one in (one for one, theirs in zip(known, folds, strict=True) if theirs == fold):
            first = one.first(network, values)
            unseen += [(fold, one.is_written, *first)] if first is not None else []
    factors, is_right = _table([(factors, right) for *_, factors, right in unseen])
    odds = np.zeros(len(unseen))
    for fold in {fold for fold, *_ in unseen}:
        inside = np.array([theirs == fold for theirs, *_ in unseen])
        odds[inside] = _network_of_readings(factors[~inside], is_right[~inside], seed).odds(factors[inside])
    of_readings, of_changes = _network_of_readings(factors, is_right, seed), _network_of_changes(known, seed)
    others_first = [first for one in others if (first := one.first(of_changes)) is not None]
    other_factors, other_right = _table(others_first)
    other_odds = of_readings.odds(other_factors)
    is_written = np.array([written for _, written, *_ in unseen], bool)
    table = calibrated(
        np.concatenate([odds[is_written], other_odds]), np.concatenate([is_right[is_written], other_right])
    )
    told = {"train": scores(odds, is_right), "calibration": scores(other_odds, other_right)}
    return Certainty(of_changes, of_readings, table, told)


def _network_of_readings(factors: Numbers, is_right: Numbers, seed: int) -> Network:
    return fit_network(factors, is_right > 0, np.ones(len(is_right)), seed, OF_READINGS)


def _network_of_changes(judged: Sequence[Judged], seed: int) -> Network:
    """The network of the changes of these cases."""
    facts, right, counted = [np.zeros((0, len(CHANGE_FACTS)))], [np.zeros(0, bool)], [np.zeros(0)]
    for one in judged:
        for number, (changes, are_good) in enumerate(zip(one.changes, one.right_changes, strict=False)):
            facts.append(changes)
            right.append(are_good)
            counted.append(np.full(len(are_good), LATER if number else 1.0))
    return fit_network(np.concatenate(facts), np.concatenate(right), np.concatenate(counted), seed, OF_CHANGES)


def judge(case: Case, weights: Weights) -> Judged | None:
    """Reads a case and says which readings are right; None where there is no reading."""
    use_those_without(case.package)
    try:
        given = laid(case)
        if given is None:
            return None
        ranked = readings_of(
            given.lines, given.snippets, given.language, given.message, given.found, known_weights=weights
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
        case.weight == WRITTEN,
        np.stack([one.features() for one in ranked]).astype(np.float64),
        np.array([one.lines == given.goal for one in ranked]),
        np.stack([factors_of(readings, np.zeros(0)) for readings in first]),
        tuple(facts_of_first(readings) for readings in first),
        tuple(right),
    )


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
    offset, slope = _logistic_curve(odds, targets)
    grid = np.linspace(float(odds.min()) - 1, float(odds.max()) + 1, POINTS)
    shares = 1 / (1 + np.exp(-(offset + max(0.0, slope) * grid)))
    shares = shares.clip(1 / (count + 2), 1 - 1 / (count + 2))
    return [[round(float(at), 4), round(float(share), 4)] for at, share in np.stack([grid, shares], axis=1)]


def _logistic_curve(odds: Numbers, targets: Numbers) -> tuple[float, float]:
    """Offset and slope of the logistic curve through the targets that is likeliest."""
    import torch

    inputs, wanted = torch.from_numpy(np.stack([np.ones(len(odds)), odds], axis=1)), torch.from_numpy(targets)

    def loss(values: Tensor) -> Tensor:
        return torch.nn.functional.binary_cross_entropy_with_logits(inputs @ values, wanted, reduction="sum")

    endless = torch.full((2,), math.inf, dtype=torch.float64)
    offset, slope = minimised(loss, torch.zeros_like(endless), -endless, endless).tolist()
    return offset, slope


def scores(odds: Numbers, is_right: Numbers) -> dict[str, float]:
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
