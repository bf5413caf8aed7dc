"""Fits the network that tells whether words ask for more than snippets show, see `fastedit.anchor.lazy.words.asking`.

What a message asks for shows in its result alone: a change of which no snippet has a new line, or that goes between two
lines of which none shows either. Of a message that has to be refused a record may say that its words leave it untold.

Who asks for more mostly does so at the end, so that any words there would look like it. So messages that ask for no
more come once more, with words that say nothing of the edit: "Nothing else changes."
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.readings import pieces_of, words_beside
from fastedit.anchor.lazy.words import asking
from fastedit.anchor.lazy.words.mentions import MentionTokens, mention_tokens, mentions_in
from fastedit.lines import changed_lines
from fastedit.training.alignment.cases import WRITTEN, Case, Laid, ProcessMap, laid
from fastedit.training.alignment.idle import IdleWords, with_idle
from fastedit.training.alignment.mentions import WordModule, batch_of, batches_of, use_mentions_without
from fastedit.training.alignment.wordings import PARTS, held_out, part_of

if TYPE_CHECKING:
    from torch import Tensor

EPOCHS, RATE, DECAY = 6, 3e-3, 0.02
COUNTED = 4.0  # what a message that asks for more counts beside one that doesn't: they are few
START = -3.0  # log odds of a message without telling words
MAX_CLOSING = 120  # characters
UNTOLD = "untold"  # of a message to be refused: its words ask for what they don't tell
_chosen = asking._FILE


@dataclass(frozen=True, slots=True)
class AskingSample:
    """The words of a message, and whether they ask for more than its snippets show.

    closing: those behind its last snippet where they name nothing and ask for no more; "" otherwise. is_idle: it has
    idle words more.
    """

    package: str
    tokens: MentionTokens
    asks: bool
    closing: str = ""
    is_idle: bool = False


def use_asking(path: Path) -> None:
    """Has this process read what words ask for by the network stored at `path`."""
    global _chosen
    _chosen = asking._FILE = path
    asking._network.cache_clear()


def use_asking_without(package: str) -> None:
    """Has this process read that by a network that saw none of a package, where there is such a one."""
    path = held_out(_chosen, part_of(package))
    asking._FILE = path if path.exists() else _chosen


def asks_for_more(given: Laid) -> bool:
    """Whether the result of an edit has a change that no snippet shows or borders on; blank lines apart."""
    assert given.goal is not None
    shown = {_key(line) for one in given.snippets for line in one.lines} - {""}
    together = "\n".join(_key(line) for one in given.snippets for line in one.lines)
    lines = given.lines
    for start, end, texts in changed_lines(lines, given.goal):
        new = [key for key in map(_key, texts) if key]
        if new:
            if not any(key in shown or key in together for key in new):
                return True
            continue
        if not any(map(_key, lines[start:end])):
            continue
        above = next((key for line in reversed(lines[:start]) if (key := _key(line))), None)
        below = next((key for line in lines[end:] if (key := _key(line))), None)
        if not any(key is None or key in shown for key in (above, below)):
            return True
    return False


def sample_of(case: Case, *, is_idle: bool = False) -> AskingSample | None:
    """The words of a case; None where it isn't read as lazy snippets, or there is no telling what they ask for."""
    use_mentions_without(case.package)
    given = laid(case)
    if given is None or (given.goal is None and case.refusal != UNTOLD):
        return None
    *before, last = pieces = pieces_of(given.snippets, words_beside(given.message, given.snippets))
    snippets = [one.lines for one in given.snippets]
    mentions = mentions_in(pieces, snippets, Lines(given.lines))
    asks = given.goal is None or asks_for_more(given)
    is_plain = not asks and not is_idle and all(one.piece < len(before) for one in mentions)
    own = last.strip() if is_plain and len(last) <= MAX_CLOSING else ""
    return AskingSample(case.package, mention_tokens(mentions, pieces, snippets), asks, own, is_idle)


def fit_asking(
    cases: Sequence[Case], idle: Sequence[IdleWords], path: Path, seed: int, workers: ProcessMap
) -> dict[str, Any]:
    """Fits the network to written cases, stores it, and beside it those that saw none of a part of the packages.

    idle: words that say nothing of an edit; the ends of messages that ask for no more are such as well. Returns what
    there is to tell about it: how often it finds a message that asks for more likelier to than one that doesn't, of
    packages that it hasn't seen.
    """
    written = [case for case in cases if case.weight == WRITTEN]
    found = [(case, one) for case, one in zip(written, workers.map(sample_of, written, at_once=64), strict=True) if one]
    samples = [one for _, one in found]
    num_read, num_asking = len(samples), sum(one.asks for one in samples)
    closings = [IdleWords("close", text) for text in sorted({one.closing for one in samples} - {""})]
    chance, words = random.Random(seed), [*idle, *closings]
    plain = [more for case, one in found if not one.asks and words and (more := with_idle(case, words, chance))]
    samples += [one for one in workers.map(partial(sample_of, is_idle=True), plain, at_once=64) if one is not None]
    held_out(path, 0).parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        stored = Path(folder, "samples.pickle")
        stored.write_bytes(pickle.dumps(samples))
        told = workers.map(partial(_fit_without, stored, path, seed), [None, *range(PARTS)], at_once=1)
    odds, asks = (np.concatenate(part) for part in zip(*told, strict=True))
    use_asking(path)
    return {
        "messages": num_read,
        "asking": num_asking,
        "with_idle_words": len(samples) - num_read,
        "ranked_rightly_on_held_out_packages": round(_ranked_rightly(odds, asks), 4),
    }


def _fit_without(stored: Path, path: Path, seed: int, part: int | None) -> tuple[Any, Any]:
    """Stores the network fitted to the samples without a part of the packages, for None to all of them.

    Returns its odds for that part, and whether those ask for more.
    """
    samples: list[AskingSample] = pickle.loads(stored.read_bytes())
    network = fitted_network([one for one in samples if part_of(one.package) != part], seed)
    arrays = {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}
    np.savez_compressed(path if part is None else held_out(path, part), **arrays)
    rest = [one for one in samples if part_of(one.package) == part and not one.is_idle]
    with torch.no_grad():
        odds = [float(network(*batch_of([one.tokens]))[0]) for one in rest]
    return np.array(odds, np.float64), np.array([one.asks for one in rest], bool)


class _Network(WordModule):
    """The network as `AskingNetwork` has it, for batches."""

    def __init__(self) -> None:
        super().__init__("asks", 1)
        self.bias = nn.Parameter(torch.tensor(START))

    def forward(self, buckets: Tensor, facts: Tensor, known: Tensor | None = None) -> Tensor:
        """(B, T), (B, T, len(TOKEN_FACTS)) and (B, T), where there are words → (B,): log odds."""
        odds = super().forward(buckets, facts)[..., 0]
        if known is not None:
            odds = odds.masked_fill(~known, -torch.inf)
        return torch.logsumexp(odds, dim=1) + self.bias


def fitted_network(samples: Sequence[AskingSample], seed: int) -> _Network:
    """The network that is fitted to the samples."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network, lengths = _Network(), [len(one.tokens.buckets) for one in samples]
    steps = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    count = EPOCHS * len(batches_of(lengths, random.Random(seed)))
    rates = torch.optim.lr_scheduler.OneCycleLR(steps, RATE, total_steps=max(1, count))
    for _ in range(EPOCHS):
        for batch in batches_of(lengths, chance):
            wanted = torch.tensor([float(samples[number].asks) for number in batch])
            odds = network(*batch_of([samples[number].tokens for number in batch]))
            loss = binary_cross_entropy_with_logits(odds, wanted, pos_weight=torch.tensor(COUNTED))
            steps.zero_grad()
            torch.autograd.backward(loss)
            steps.step()
            rates.step()
    return network.eval()


def _ranked_rightly(odds: np.ndarray[Any, Any], asks: np.ndarray[Any, Any]) -> float:
    """The share of pairs of a message that asks for more and one that doesn't in which the odds say so."""
    ranks = np.empty(len(odds))
    ranks[np.argsort(odds, kind="stable")] = np.arange(len(odds))
    if asks.all() or not asks.any():
        return 1.0
    return float((ranks[asks].mean() - ranks[~asks].mean()) / len(odds) + 0.5)


def _key(line: str) -> str:
    return "".join(line.split())
