"""Fits the weights of the search: the likelihood of the readings that are right, against all others that it finds."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.search.rows import Row
from fastedit.anchor.lazy.search.search import Known
from fastedit.errors import InputRefused, SettingsError
from fastedit.training.alignment.cases import Case, Laid, ProcessMap, RecordedChange, cut_cases, laid
from fastedit.training.alignment.everyday import everyday_cases, generated_cases
from fastedit.training.alignment.forecast import use_those_without

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    Floats = NDArray[np.float32]

Weights = dict[str, float]

PRICE = 4.0  # of a step that contradicts the known result, when looking for a way to it
MAX_REACHED = 14  # readings looked at with the known result
PENALTY = 0.25
PULL = 0.1  # of the weights that the fit began with; the rest pulls towards those of the round before
STEP = 0.7  # how far a round goes towards what fits best: what it hasn't seen yet may speak against it
SLACK = 0.01  # of the cases, by which later weights may get fewer exact: they have seen more readings
LED_AGAIN = 0.2  # of the cases with a right reading are led to it again
ITERATIONS = 150
MAX_HOLDINGS = 8
CHANGES_A_ROUND = 40
EVERYDAY_A_ROUND = 450
GENERATED_A_ROUND = 250
# What stays so whatever the data says: nothing is deleted or left out for nothing. (lowest, highest)
FREE = (-np.inf, np.inf)
BOUNDS: dict[str, tuple[float, float]] = {
    "deleted": (-np.inf, -0.05),
    "deleted_comment": (-np.inf, -0.05),
    "deleted_trivial": (-np.inf, -0.05),
    "deleted_header": (-np.inf, -0.05),
    "deleted_blank": (-np.inf, 0.0),
    "deleted_said": (0.0, 0.3),
    "deleted_like": (0.0, 0.15),
    "deleted_replaced": (0.0, 0.3),
    "jump": (-np.inf, 0.0),
    "delete_after_quote": (-np.inf, 0.0),
    "delete_to_quote": (-np.inf, 0.0),
    "back": (-np.inf, -4.0),
    # A snippet with markers says what stays: what a block without one passes over is likelier gone.
    "keys_marked": (-np.inf, -1.0),
    # Each further statement costs: a reward would add up along a chain of them.
    "outlived_more": (-np.inf, 0.0),
}


@dataclass(slots=True)
class CaseReadings:
    """The readings of one case found so far.

    readings: by a digest of their text, or of the path where that gives none: features, and whether it is right.
    """

    weight: float
    readings: dict[bytes, tuple[Floats, bool]] = field(default_factory=dict)

    def tells(self) -> bool:
        """Whether there is a right reading and another."""
        return len({is_right for _, is_right in self.readings.values()}) == 2


@dataclass(frozen=True, slots=True)
class FoundReadings:
    """The search's outcome for a case, and its readings.

    outcome: "exact": the best reading is right; "among": another one is; "reached": one that only the known result led
    to is; "spaces": the best is right but for white space; "wrong"; "none": no reading; "unread": no lazy snippets, or
    too many lines.
    """

    outcome: str
    readings: dict[bytes, tuple[Floats, bool]]


def read_weights(path: Path) -> Weights:
    """The stored weights, for the names that exist; new ones are 0."""
    stored = json.loads(path.read_text("utf-8"))["weights"]
    return {name: float(stored.get(name, 0.0)) for name in NAMES}


def mean_weights(paths: Sequence[Path]) -> Weights:
    """The mean of several fits' weights; a name that a fit lacks counts for the others alone. Raises SettingsError."""
    try:
        stored = [json.loads(path.read_text("utf-8"))["weights"] for path in paths]
        values = {name: [float(one[name]) for one in stored if name in one] for name in NAMES}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"weights can't be read: {error}") from error
    return {name: sum(found) / len(found) if found else 0.0 for name, found in values.items()}


def write_weights(weights: Weights, path: Path) -> None:
    rounded = {name: round(float(weights[name]), 4) + 0.0 for name in NAMES}
    path.write_text(json.dumps({"weights": rounded}, indent=1) + "\n", "utf-8")


def fit_weights(
    cases: Sequence[Case],
    changes: Sequence[RecordedChange],
    phrases: Sequence[str],
    start: Weights,
    rounds: int,
    seed: int,
    workers: ProcessMap,
    report: Callable[[Weights, dict[str, Any]], None],
    free: Collection[str] = NAMES,
) -> Weights:
    """The weights that get most cases exact, or nearly so, of those fitted in `rounds` rounds and those at the start.

    Each round reads the cases, snippets newly cut from the changes, messages generated for them and plain edits of
    their files, with the weights of the round before, and fits them to all readings found so far. report: is told of
    each round, with the best weights until then. free: the names of those that are fitted; the others stay.
    """
    known = [case for case in cases if case.expected is not None]
    groups: dict[tuple[int, int], CaseReadings] = {}
    weights, best, best_exact = start, start, -1
    for number in range(rounds + 1):
        is_last = number == rounds
        chance = random.Random(f"{seed} {number}")
        cut: list[Case] = []
        if not is_last:
            cut += cut_cases(changes, phrases, CHANGES_A_ROUND, chance)
            cut += everyday_cases(changes, EVERYDAY_A_ROUND, chance)
            cut += generated_cases(changes, GENERATED_A_ROUND, chance)
        reached = {at for (at, _), group in groups.items() if any(right for _, right in group.readings.values())}
        reached -= set(range(len(known), len(known) + len(cut)))
        asked = [(case, at not in reached or chance.random() < LED_AGAIN) for at, case in enumerate((*known, *cut))]
        read = workers.map(partial(find, weights=weights, is_learning=not is_last), asked)
        outcomes = Counter(one.outcome for one in read[: len(known)])
        if outcomes["exact"] >= best_exact - SLACK * len(known):
            best, best_exact = weights, max(best_exact, outcomes["exact"])
        cut_outcomes = Counter(one.outcome for one in read[len(known) :])
        told: dict[str, Any] = {"round": number, **_shares(outcomes)}
        if cut:
            told["cut"] = _shares(cut_outcomes)
        if not is_last:
            for at, (case, one) in enumerate(zip((*known, *cut), read, strict=True)):
                # A change is cut differently in each round, and is then another case.
                key = (at, 0 if at < len(known) else number)
                groups.setdefault(key, CaseReadings(case.weight)).readings.update(one.readings)
            telling = [group for group in groups.values() if group.tells()]
            weights, loss = fitted(telling, weights, start, free=free)
            told |= {"groups": len(telling), "loss": round(loss, 3)}
        report(best, told)
    return best


def _shares(outcomes: Counter[str]) -> dict[str, Any]:
    num_read = sum(outcomes.values()) - outcomes["unread"]
    return {"exact": round(outcomes["exact"] / max(1, num_read), 4), "outcomes": dict(sorted(outcomes.items()))}


# ---- readings --------------------------------------------------------------------------------------------------------


def find(asked: tuple[Case, bool], weights: Weights, is_learning: bool = True) -> FoundReadings:
    """Reads a case whose result is known; with the readings to learn from where that is asked for.

    asked: the case, and whether to look for its result by leaning on it, where it isn't among the best readings.
    """
    case, leads = asked
    use_those_without(case.package)
    try:
        return _find(case, weights, is_learning, leads)
    except InputRefused:
        return FoundReadings("unread", {})  # too large
    except Exception as error:
        error.add_note(f"while reading {case.name}")
        raise


def _find(case: Case, weights: Weights, is_learning: bool, leads: bool) -> FoundReadings:
    given = laid(case)
    if given is None or given.goal is None:
        return FoundReadings("unread", {})
    rejected: list[Floats] | None = [] if is_learning else None
    asked = (given.lines, given.snippets, given.language, given.message, given.found)
    ranked = readings_of(*asked, known_weights=weights, rejected=rejected)
    texts = [reading.lines for reading in ranked]
    outcome = _outcome(texts, given.goal)
    if not is_learning:
        return FoundReadings(outcome, {})
    led = []
    if leads and given.goal not in texts:
        known = partial(known_result, given)
        led = readings_of(*asked, known_weights=weights, known_for=known, count=MAX_REACHED)
    if given.goal in [reading.lines for reading in led] and given.goal not in texts:
        outcome = "reached"
    readings = {_digest("\n".join(one.lines)): (one.features(), one.lines == given.goal) for one in (*ranked, *led)}
    readings |= {_digest(repr(features.tolist())): (features, False) for features in rejected or ()}
    return FoundReadings(outcome, readings)


def _outcome(texts: Sequence[tuple[str, ...]], goal: tuple[str, ...]) -> str:
    if not texts:
        return "none"
    if goal in texts:
        return "exact" if texts[0] == goal else "among"
    first, wanted = ([line.strip() for line in lines if line.strip()] for lines in (texts[0], goal))
    return "spaces" if first == wanted else "wrong"


def known_result(given: Laid, original: Lines, rows: Sequence[Row]) -> Known:
    """The facts that the result gives about the lines of the original and the rows of one snippet."""
    gone = np.ones(len(original), bool)
    added: Counter[str] = Counter()
    keys = ["".join(line.split()) for line in given.goal or ()]
    for step in Indel.opcodes(original.keys, keys):
        if step.tag == "equal":
            gone[step.src_start : step.src_end] = False
        elif step.tag == "insert":
            added.update(keys[step.dest_start : step.dest_end])
    del added[""]
    shown = [("".join(row.text.split()), "".join((row.whole or "").split())) for row in rows]
    are_new = frozenset(number for number, names in enumerate(shown) if any(added[name] for name in names))
    return Known(gone, are_new, PRICE, is_alone=len(given.snippets) == 1)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


# ---- likelihood ------------------------------------------------------------------------------------------------------


def fitted(
    groups: Sequence[CaseReadings],
    weights: Weights,
    start: Weights,
    step: float = STEP,
    free: Collection[str] = NAMES,
) -> tuple[Weights, float]:
    """The weights under which the groups' right readings are likeliest, and the loss that is left.

    The loss is the negative logarithm of the likelihood, plus PENALTY times the squared distance from the weights
    before. With one right reading in each group it is convex. free: the names of those that are fitted.
    """
    import torch

    before = torch.tensor([weights[name] for name in NAMES], dtype=torch.float64)
    centre = PULL * torch.tensor([start[name] for name in NAMES], dtype=torch.float64) + (1 - PULL) * before
    if not groups:
        return weights, 0.0
    likelihood = _likelihood(groups)

    def loss(values: Tensor) -> Tensor:
        return PENALTY * (values - centre).square().sum() - likelihood(values)

    held = {name: (weights[name], weights[name]) for name in NAMES if name not in free}
    limits = torch.tensor([(BOUNDS | held).get(name, FREE) for name in NAMES], dtype=torch.float64)
    lowest, highest = limits[:, 0], limits[:, 1]
    values = (before + step * (minimised(loss, before, lowest, highest) - before)).clamp(lowest, highest)
    return dict(zip(NAMES, (round(value, 4) for value in values.tolist()), strict=True)), loss(values).item()


def _likelihood(groups: Sequence[CaseReadings]) -> Callable[[Tensor], Tensor]:
    import torch

    readings = [reading for group in groups for reading in group.readings.values()]
    features = torch.from_numpy(np.stack([values for values, _ in readings])).double()  # [R, F]
    is_right = torch.tensor([right for _, right in readings])  # [R]
    counts = torch.tensor([len(group.readings) for group in groups])
    owners = torch.arange(len(groups)).repeat_interleave(counts)  # [R]: the group of each reading
    shares = torch.tensor([group.weight for group in groups], dtype=torch.float64)  # [G]

    def log_sums(scores: Tensor) -> Tensor:
        """[R] → [G]: the logarithm of the groups' sums of exponentials."""
        top = scores.new_full((len(groups),), -torch.inf).scatter_reduce(0, owners, scores.detach(), "amax")
        return top + scores.new_zeros(len(groups)).index_add(0, owners, (scores - top[owners]).exp()).log()

    def likelihood(values: Tensor) -> Tensor:
        scores = features @ values
        return (shares * (log_sums(scores.where(is_right, -1e9)) - log_sums(scores))).sum()

    return likelihood


def minimised(loss: Callable[[Tensor], Tensor], start: Tensor, lowest: Tensor, highest: Tensor) -> Tensor:
    """The point between the limits where a convex loss is least.

    Values that a step takes past a limit are held there, the others are fitted again, until none is held too many.
    """
    import torch

    point = start.clamp(lowest, highest)
    held = torch.zeros_like(point, dtype=torch.bool)
    for _ in range(MAX_HOLDINGS):
        point = _descended(loss, point, ~held).clamp(lowest, highest).requires_grad_()
        (slope,) = torch.autograd.grad(loss(point), point)
        point = point.detach()
        at_limit = ((point <= lowest) & (slope > 0)) | ((point >= highest) & (slope < 0))
        if torch.equal(at_limit, held):
            break
        held = at_limit
    return point


def _descended(loss: Callable[[Tensor], Tensor], start: Tensor, is_free: Tensor) -> Tensor:
    """The point at which the loss is least when only the free values change."""
    import torch

    free = start[is_free].clone().requires_grad_()
    steps = torch.optim.LBFGS([free], max_iter=ITERATIONS, history_size=20, line_search_fn="strong_wolfe")

    def evaluate() -> Tensor:
        steps.zero_grad()
        value = loss(start.masked_scatter(is_free, free))
        torch.autograd.backward(value)
        return value

    steps.step(evaluate)  # type: ignore[no-untyped-call]
    return start.masked_scatter(is_free, free.detach())
