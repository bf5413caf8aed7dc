"""What a target's word on drafts and readings is worth, by cases whose results are known."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.anchor.lazy.reading import NAMES
from fastedit.merged import TRUSTED_CERTAINTY
from fastedit.targets.templates import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MAX_READINGS = 5
FOLDS = 5
PENALTY = 1.0
RESAMPLED = 2000
WRONGS = (2, 5, 10, 15, 20)  # at which the right ones are counted
TOLD = ("likelihood", "choices", "misses", "least")
JUDGED_BY = TOLD.index("choices")  # in production
SURE, STEP = 1e-4, 1e-5
FEATURES = ("share", *TOLD)
SETS = {
    "alignment alone": ("share",),
    "with the likelihood": ("share", "likelihood"),
    "with the likelihood of what it chooses": ("share", "choices"),
    "with the number of tokens that it would choose otherwise": ("share", "misses"),
    "with its least likely choice": ("share", "least"),
    "with all of these": FEATURES,
    "target alone": TOLD,
}


@dataclass(frozen=True, slots=True)
class Row:
    """What was made of a case. No text of it is kept.

    features: of each reading that the guard lets pass, likeliest first, what the search scores it by; values: what the
    target makes of it, in the order of TOLD; is_right: whether it is right; shares: its probability; draft: which of
    them the draft is. certainty: of the draft; is_draft_right; is_agreed: whether the target wrote the same, None where
    it wasn't asked.
    """

    package: str
    features: list[list[float]]
    values: list[list[float]]
    is_right: list[bool]
    certainty: float = 0.0
    is_draft_right: bool = False
    is_agreed: bool | None = None
    shares: list[float] = field(default_factory=list)
    draft: int = 0

    @property
    def fold(self) -> int:
        return zlib.crc32(self.package.encode()) % FOLDS


def judged(rows: Sequence[Row]) -> dict[str, Any]:
    """How often the right reading is chosen, of those edits that have it among several; by what it is chosen.

    The alignment's part comes from weights of the search that were fitted to the other packages alone, too.
    """
    known = [row for row in rows if any(row.is_right) and len(row.is_right) > 1 and np.any(row.values)]
    if not known:
        return {"edits": 0}
    values = np.full((len(known), MAX_READINGS, len(FEATURES)), np.nan)
    right = np.zeros((len(known), MAX_READINGS), bool)
    shares = _log_shares(known)
    for number, row in enumerate(known):
        count = len(row.is_right)
        values[number, :count] = np.column_stack([shares[number], row.values])
        right[number, :count] = row.is_right
    there = ~np.isnan(values[:, :, 0])
    values = np.where(there[..., None], values - np.nanmax(values, axis=1, keepdims=True), 0.0)
    values /= values[there].std(axis=0) + 1e-9
    folds = np.array([row.fold for row in known])
    found: dict[str, Any] = {"edits": len(known)}
    hits = {name: _hits(values, right, there, folds, names) for name, names in SETS.items()}
    alone = hits["alignment alone"]
    for name, hit in hits.items():
        low, high = _interval(hit.astype(float) - alone, [row.package for row in known])
        found[name] = {"right": int(hit.sum()), "more_than_alignment_95": [low, high]}
    return found


def _log_shares(rows: Sequence[Row]) -> list[Numbers]:
    """For each row its readings' log-probabilities among one another."""
    from fastedit.training.alignment.__main__ import PRIOR
    from fastedit.training.alignment.weights import CaseReadings, fitted, read_weights

    prior = read_weights(PRIOR)
    weights: dict[int, Numbers] = {}
    for fold in range(FOLDS):
        groups = []
        for row in rows:
            pairs = zip(np.array(row.features, np.float32), row.is_right, strict=True)
            if row.fold != fold and not all(row.is_right):
                groups.append(CaseReadings(1.0, {bytes([number]): pair for number, pair in enumerate(pairs)}))
        best, _ = fitted(groups, prior, prior, step=1.0)
        weights[fold] = np.array([best[name] for name in NAMES])
    scores = [np.array(row.features) @ weights[row.fold] for row in rows]
    return [np.asarray(one - np.logaddexp.reduce(one)) for one in scores]


def _hits(values: Numbers, right: Any, there: Any, folds: Any, names: Sequence[str]) -> Any:
    """(G,): whether each edit's right reading is chosen, by weights that were fitted to the other folds."""
    columns = [FEATURES.index(name) for name in names]
    hit = np.zeros(len(values), bool)
    for fold in range(FOLDS):
        is_out = folds == fold
        weights = _weights(values[~is_out][:, :, columns], right[~is_out], there[~is_out])
        scores = np.where(there[is_out], values[is_out][:, :, columns] @ weights, -np.inf)
        hit[is_out] = right[is_out][np.arange(is_out.sum()), scores.argmax(axis=1)]
    return hit


def _weights(values: Numbers, right: Any, there: Any) -> Numbers:
    """The weights under which the right readings are likeliest among those of their edits."""
    import torch

    inputs, is_right, is_there = (torch.from_numpy(one) for one in (values, right, there))
    weights = torch.zeros(values.shape[-1], dtype=torch.float64, requires_grad=True)
    steps = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        steps.zero_grad()
        scores = (inputs @ weights).masked_fill(~is_there, -1e9)
        value = -(scores.masked_fill(~is_right, -1e9).logsumexp(1) - scores.logsumexp(1)).sum()
        value = value + PENALTY * weights.square().sum()
        torch.autograd.backward(value)
        return value

    steps.step(loss)  # type: ignore[no-untyped-call]
    return np.asarray(weights.detach().numpy(), np.float64)


# ---- the weight of its likelihoods -----------------------------------------------------------------------------------


def weighed(rows: Sequence[Row]) -> dict[str, Any]:
    """The weight that the target's log-likelihoods deserve beside the probabilities of readings, and what they bring.

    Of uncertain drafts with close readings. readings: the likeliest weight from 0 to 1, at which a likelihood is taken
    at its word, as `Word.shares` joins them; 0 unless it makes the right readings likelier beyond chance, by weights
    that were fitted to other packages. one_is_right: how often one of the readings is, and how often they say so.
    """
    asked = [row for row in rows if np.any(row.values) and len(row.shares) > 1]
    asked = [row for row in asked if row.shares[row.draft] < TRUSTED_CERTAINTY]
    if not any(any(row.is_right) for row in asked):
        return {"edits": len(asked)}
    others = {fold: _likeliest_weight([row for row in asked if row.fold != fold]) for fold in range(FOLDS)}
    gains = np.array([_log_chance(row, others[row.fold]) - _log_chance(row, 0.0) for row in asked])
    low, high = _interval(gains, [row.package for row in asked], digits=2)
    weight = _likeliest_weight(asked)
    found: dict[str, Any] = {
        "edits": len(asked),
        "fitted": round(weight, 4),
        "readings": round(weight, 4) if low > 0 else 0.0,
        "gain": {"nats": round(float(gains.sum()), 2), "95": [low, high]},
        "one_is_right": {
            "said": round(float(np.mean([sum(row.shares) for row in asked])), 3),
            "true": round(float(np.mean([any(row.is_right) for row in asked])), 3),
        },
    }
    for name, weights in (("certainty", dict.fromkeys(others, 0.0)), ("certainty and likelihoods", others)):
        certainty, right = _chosen(asked, weights)
        odds = np.log(certainty / (1 - certainty))
        found[name] = {
            "right": int(right.sum()),
            "right_at_wrong": _right_at(odds, right),
            "log_loss": round(_loss(odds, right), 4),
        }
    return found


def _shares(row: Row, weight: float) -> Numbers:
    likelihoods = [values[JUDGED_BY] for values in row.values]
    return np.array(Word(readings=weight).shares(row.shares, likelihoods))


def _log_chance(row: Row, weight: float) -> float:
    """The logarithm of the right readings' part of all; 0 where none is right."""
    shares = _shares(row, weight)
    return float(np.log(max(shares[row.is_right].sum() / shares.sum(), SURE))) if any(row.is_right) else 0.0


def _likeliest_weight(rows: Sequence[Row]) -> float:
    """The weight from 0 to 1 under which the right readings are likeliest. By bisection: the logarithm is concave for
    one right reading."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        slope = sum(_log_chance(row, middle + STEP) - _log_chance(row, middle - STEP) for row in rows)
        low, high = (middle, high) if slope > 0 else (low, middle)
    return (low + high) / 2


def _chosen(rows: Sequence[Row], weights: Mapping[int, float]) -> tuple[Numbers, Any]:
    """The certainty of each edit's likeliest reading, and whether it is right. weights: by fold; 0 takes the draft."""
    certainty, right = [], []
    for row in rows:
        weight = weights[row.fold]
        shares = _shares(row, weight)
        best = int(shares.argmax()) if weight else row.draft
        certainty.append(shares[best])
        right.append(row.is_right[best])
    return np.clip(certainty, SURE, 1 - SURE), np.array(right)


# ---- the worth of its agreement --------------------------------------------------------------------------------------


def worded(rows: Sequence[Row]) -> dict[str, Any]:
    """How drafts and the target's word go together, and what the word is worth beside the certainty."""
    asked = [row for row in rows if row.is_agreed is not None]
    if not asked:
        return {"drafts": 0}
    certainty = np.clip([row.certainty for row in asked], 1e-4, 1 - 1e-4)
    odds = np.log(certainty / (1 - certainty))
    right = np.array([row.is_draft_right for row in asked])
    agreed = np.array([row.is_agreed for row in asked], bool)
    folds = np.array([row.fold for row in asked])
    joint = np.zeros(len(asked))
    for fold in range(FOLDS):
        is_out = folds == fold
        agrees, differs = _factors(odds[~is_out], right[~is_out], agreed[~is_out])
        joint[is_out] = odds[is_out] + np.log(np.where(agreed[is_out], agrees, differs))
    agrees, differs = _factors(odds, right, agreed)
    return {
        "drafts": len(asked),
        "agreed": {"right": int((agreed & right).sum()), "wrong": int((agreed & ~right).sum())},
        "differed": {"right": int((~agreed & right).sum()), "wrong": int((~agreed & ~right).sum())},
        "agrees": round(agrees, 3),
        "differs": round(differs, 3),
        "right_at_wrong": {
            "wrong": list(WRONGS),
            "certainty": _right_at(odds, right),
            "certainty and word": _right_at(joint, right),
        },
        "log_loss": {"certainty": round(_loss(odds, right), 4), "certainty and word": round(_loss(joint, right), 4)},
    }


def _factors(odds: Numbers, right: Any, agreed: Any) -> tuple[float, float]:
    """By what the odds are to be multiplied where the target agreed and where it didn't: the likeliest factors.

    Half a right and half a wrong draft are added to either side, so that neither is without any.
    """
    found = []
    for is_told in (agreed, ~agreed):
        shift = 0.0
        for _ in range(50):  # Newton's method
            share = 1 / (1 + np.exp(-(odds[is_told] + shift)))
            middle = 1 / (1 + math.exp(-shift))
            slope = right[is_told].sum() - share.sum() + 0.5 - middle
            shift += float(slope / ((share * (1 - share)).sum() + middle * (1 - middle)))
        found.append(math.exp(shift))
    return found[0], found[1]


def _right_at(odds: Numbers, right: Any) -> list[int]:
    """The number of right drafts that are as certain as need be for so many wrong ones."""
    order = np.argsort(-odds, kind="stable")
    wrong, rights = np.cumsum(~right[order]), np.cumsum(right[order])
    return [int(rights[wrong <= limit].max(initial=0)) for limit in WRONGS]


def _loss(odds: Numbers, right: Any) -> float:
    return float(np.log1p(np.exp(-np.where(right, odds, -odds))).mean())


def _interval(gains: Numbers, packages: Sequence[str], digits: int | None = None) -> tuple[float, float]:
    """The 95 % interval of the gains' sum, packages drawn with replacement."""
    names, owners = np.unique(np.array(packages), return_inverse=True)
    sums = np.bincount(owners, gains, len(names))
    chance = np.random.default_rng(0)
    drawn = [sums[chance.integers(0, len(names), len(names))].sum() for _ in range(RESAMPLED)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return round(float(low), digits), round(float(high), digits)
