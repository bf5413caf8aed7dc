"""Words that say nothing of an edit, and fits that learn to pass over them.

Assistants write them around every edit: "Sure, here is the change", "The rest stays as it is", "Run the tests
afterwards". Who writes edits for a benchmark is told to be brief and leaves them out, so that fits take them for a sign
of more that is asked for. A case with some more of such words has the same result, and should be as certain.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.anchor.lazy import certainty
from fastedit.anchor.lazy.certainty import FACTORS, MAX_DEVIATIONS, Network, factors_of, facts_of_first
from fastedit.anchor.lazy.changes import CHANGE_FACTS
from fastedit.anchor.lazy.readings import readings_of
from fastedit.errors import InputRefused, SettingsError
from fastedit.training.alignment.cases import Case, ProcessMap, laid
from fastedit.training.alignment.wordings import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.training.alignment.weights import Weights

    Numbers = NDArray[np.float64]

# open: before the code; close: behind it; rest: that what isn't shown stays; why: effects and reasons; run: what to do
# afterwards. A file's name as a heading comes before them.
BEFORE, BEHIND = ("open", "why", "rest"), ("close", "rest", "why", "run")
KINDS = frozenset((*BEFORE, *BEHIND))
OPENED, CLOSED, HEADED = 0.5, 0.75, 0.25  # shares of the cases with words before the code, behind it, and a heading
HEADINGS = ("### `{}`", "**{}**", "File: `{}`", "In `{}`:", "`{}`:", "## {}")
MIN_MOVED = 0.02  # deviations that idle words move a factor on average
MAX_PAIRS = 4000
EPOCHS, RATE, BATCH = 40, 2e-3, 256
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class IdleWords:
    """A sentence or two that say nothing of an edit. kind: one of KINDS."""

    kind: str
    text: str


def read_idle(path: Path) -> list[IdleWords]:
    """The idle words of a file: a kind, a tab and the words in each line. Raises SettingsError."""
    try:
        rows = [line.partition("\t") for line in path.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}") from None
    for number, (kind, _, text) in enumerate(rows, 1):
        if kind not in KINDS or not text.strip():
            raise SettingsError(f"{path}, line {number}: not a kind ({', '.join(sorted(KINDS))}), a tab and words")
    return [IdleWords(kind, text.strip()) for kind, _, text in rows]


def with_idle(case: Case, idle: Sequence[IdleWords], chance: random.Random) -> Case | None:
    """The case with idle words before its code, behind it, or both; None for a message without fences."""
    message = idle_around(case.message, case.file, idle, chance)
    return None if message is None else replace(case, message=message)


def idle_around(message: str, file: str, idle: Sequence[IdleWords], chance: random.Random) -> str | None:
    """A message about a file with idle words before its code, behind it, or both; None for one without fences."""
    if not _FENCE.search(message):
        return None
    before, behind = ([one.text for one in idle if one.kind in kinds] for kinds in (BEFORE, BEHIND))
    is_opened, is_closed = chance.random() < OPENED, chance.random() < CLOSED
    if before and (is_opened or not is_closed):
        message = f"{chance.choice(before)}\n\n{message}"
    if behind and is_closed:
        message = f"{message.rstrip()}\n\n{chance.choice(behind)}\n"
    if chance.random() < HEADED:
        message = f"{chance.choice(HEADINGS).format(file)}\n\n{message}"
    return message


# ---- certainty -------------------------------------------------------------------------------------------------------


def fit_steadily(
    cases: Sequence[Case], idle: Sequence[IdleWords], weights: Weights, folder: Path, seed: int, workers: ProcessMap
) -> dict[str, Any]:
    """Fits the stored network of readings so that idle words change no odds, and stores it.

    Each case is read as it is and with idle words. Where both lead to the same text, the odds without them are what is
    to come out of both; so a network that has seen the cases can be taught by them. Only factors that idle words move
    are fitted. Returns how much such words changed odds in packages that weren't learned from, before and after.
    """
    chance = random.Random(f"{seed} idle")
    drawn = chance.sample(list(cases), min(MAX_PAIRS, len(cases)))
    pairs = [(case, more) for case in drawn if (more := with_idle(case, idle, chance)) is not None]
    known = [one for one in workers.map(partial(_factors, weights=weights), pairs, at_once=16) if one is not None]
    if not known:
        raise SettingsError("none of the cases is read alike with idle words")
    is_held_out = np.array([part_of(package) == 0 for package, *_ in known])
    before, behind = np.stack([plain for _, plain, _ in known]), np.stack([more for *_, more in known])
    path = folder / "certainty.npz"
    certainty.network.cache_clear()
    network = certainty.network(path, FACTORS)
    steady = steadied(network, before[~is_held_out], behind[~is_held_out], seed)
    told: dict[str, Any] = {"pairs": len(known), "held_out": int(is_held_out.sum())}
    for name, one in (("before", network), ("after", steady)):
        odds, moved = one.odds(before[is_held_out]), one.odds(behind[is_held_out])
        told[f"moved_{name}"] = round(float(np.abs(moved - odds).mean()), 3)
        told[f"lowered_{name}"] = round(float((odds - moved).mean()), 3)
    told["odds_changed"] = round(float(np.abs(steady.odds(before) - network.odds(before)).mean()), 3)
    steadied(network, before, behind, seed).save(path, FACTORS)
    certainty.network.cache_clear()
    return told


def _factors(pair: tuple[Case, Case], weights: Weights) -> tuple[str, Numbers, Numbers] | None:
    """The factors of a case's first reading without and with idle words; None where these lead to another text."""
    found: list[tuple[tuple[str, ...], Numbers]] = []
    for case in pair:
        try:
            given = laid(case)
            if given is None:
                return None
            asked = (given.lines, given.snippets, given.language, given.message, given.found)
            readings = readings_of(*asked, known_weights=weights)
        except InputRefused:
            return None
        if not readings:
            return None
        network = certainty.network(certainty.CHANGES_FILE, CHANGE_FACTS)
        found.append((tuple(readings[0].lines), factors_of(readings, network.chances(facts_of_first(readings)))))
    (text, plain), (other, more) = found
    return (pair[0].package, plain, more) if text == other else None


def steadied(network: Network, plain: Numbers, more: Numbers, seed: int) -> Network:
    """The network with the weights of those factors that idle words move fitted so that its odds stay.

    plain, more: (C, len(FACTORS)), of the same readings without and with idle words.
    """
    import torch

    limits = -MAX_DEVIATIONS, MAX_DEVIATIONS
    scaled = [np.nan_to_num((one - network.mean) / network.deviation).clip(*limits) for one in (plain, more)]
    moved = np.abs(scaled[1] - scaled[0]).mean(axis=0) > MIN_MOVED
    wanted = torch.from_numpy(1 / (1 + np.exp(-network.odds(plain)))).float()
    inputs = [torch.from_numpy(one).float() for one in scaled]
    inner, bias, outer = (torch.from_numpy(one).float() for one in (network.inner, network.inner_bias, network.outer))
    change = torch.zeros_like(inner, requires_grad=True)
    free = torch.from_numpy(moved).float()[:, None]
    torch.manual_seed(seed)
    steps = torch.optim.Adam([change], lr=RATE)
    batches = len(wanted) // BATCH + 1
    rates = torch.optim.lr_scheduler.OneCycleLR(steps, RATE, total_steps=EPOCHS * batches)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(wanted)).tensor_split(batches):
            odds = [
                torch.relu(one[chosen] @ (inner + change * free) + bias) @ outer + network.outer_bias for one in inputs
            ]
            loss = loss_of(torch.cat(odds), wanted[chosen].repeat(2))
            steps.zero_grad()
            torch.autograd.backward(loss)
            steps.step()
            rates.step()
    fitted = network.inner + (change * free).detach().numpy().astype(np.float64)
    return replace(network, inner=fitted)
