"""Fits the network that reads what words say of the names in them, see `fastedit.anchor.lazy.words.mentions`.

It is fitted to names in messages of cases, each with the role that a reader of the message gave it.
"""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, silu

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.readings import pieces_of, words_beside
from fastedit.anchor.lazy.words import mentions
from fastedit.anchor.lazy.words.mentions import (
    BUCKETS,
    DILATIONS,
    ROLES,
    TOKEN_FACTS,
    WIDTH,
    MentionTokens,
    mention_tokens,
    mentions_in,
)
from fastedit.errors import SettingsError
from fastedit.training.alignment.cases import Case, ProcessMap, laid, read_rows
from fastedit.training.alignment.wordings import PARTS, held_out, part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

UNITS = 48  # of each token
DROPPED, DROPPED_WORDS = 0.3, 0.15
EPOCHS, BATCH, RATE, DECAY = 10, 32, 3e-3, 0.02
SMOOTHED = 0.05  # readers err, too
LENGTH_STEP = 40  # tokens, by which messages may differ that come into one batch
COMMON = 0.004  # share of the messages that have a common word
MIN_LETTERS = 3
UNKNOWN = -1
_chosen = mentions._FILE

# id of a case → (piece, where it starts, role) of each name whose role is known
Roles = Mapping[str, Sequence[tuple[int, int, str]]]


@dataclass(frozen=True, slots=True)
class MentionSample:
    """The words of a message. roles: (M,), the number of each mention's role, UNKNOWN where none is told."""

    package: str
    tokens: MentionTokens
    roles: NDArray[np.int64]


def read_roles(path: Path) -> Roles:
    """The roles of a file of them. Raises SettingsError."""
    result = {}
    for row in read_rows(path):
        told = row.get("mentions", ())
        if "id" not in row or any(len(one) != 3 or one[2] not in ROLES for one in told):
            raise SettingsError(f"{path}: not mentions: each needs an id, and of each name its piece, place and role")
        result[row["id"]] = [(piece, start, role) for piece, start, role in told]
    return result


def fit_mentions(roles: Roles, cases: Sequence[Case], path: Path, seed: int, workers: ProcessMap) -> dict[str, Any]:
    """Fits the network, stores it at `path`, and beside it those that saw none of a part of the packages.

    Returns what there is to tell about it. Raises SettingsError where no case has names with known roles.
    """
    told_of = [(case, roles[case.name]) for case in cases if case.name in roles]
    common = common_words(workers.map(words_of, [case for case, _ in told_of], at_once=64))
    with path.open("wb") as file:  # names are looked for by the common words alone
        np.savez_compressed(file, common=np.array(sorted(common)))
    use_mentions(path)
    samples = [one for one in workers.map(_sample_of, [(path, *one) for one in told_of], at_once=64) if one is not None]
    if not samples:
        raise SettingsError("none of the cases has names whose roles are known")
    held_out(path, 0).parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        stored = Path(folder, "samples.pickle")
        stored.write_bytes(pickle.dumps(samples))
        told = workers.map(partial(_fit_without, stored, path, common, seed), [None, *range(PARTS)], at_once=1)
    right, known = (sum(counts, Counter[str]()) for counts in zip(*told, strict=True))
    use_mentions(path)
    return {
        "messages": len(samples),
        "roles": dict(sorted(Counter(ROLES[role] for one in samples for role in one.roles if role >= 0).items())),
        "accuracy_on_held_out_packages": round(right.total() / max(1, known.total()), 4),
        "found_on_held_out_packages": {role: round(right[role] / known[role], 3) for role in ROLES if known[role]},
    }


def _fit_without(
    stored: Path, path: Path, common: frozenset[str], seed: int, part: int | None
) -> tuple[Counter[str], Counter[str]]:
    """Stores the network fitted to the samples without a part of the packages, for None to all of them.

    Returns, by role, how many mentions of that part it reads rightly, and how many there are.
    """
    samples: list[MentionSample] = pickle.loads(stored.read_bytes())
    network = fitted_network([one for one in samples if part_of(one.package) != part], seed)
    _store(network, common, path if part is None else held_out(path, part))
    return _read_rightly(network, [one for one in samples if part_of(one.package) == part])


def _read_rightly(network: WordModule, samples: Sequence[MentionSample]) -> tuple[Counter[str], Counter[str]]:
    """The number of mentions of each role that a network reads rightly, and that there are."""
    right, known = Counter[str](), Counter[str]()
    for one in samples:
        for found, role in zip(_likeliest(network, one).tolist(), one.roles.tolist(), strict=True):
            if role != UNKNOWN:
                known[ROLES[role]] += 1
                right[ROLES[role]] += found == role
    return right, known


def use_mentions(path: Path) -> None:
    """Has this process read mentions by the network stored at `path`."""
    global _chosen
    _chosen = path
    mentions._FILE = path
    mentions._network.cache_clear()


def use_mentions_without(package: str) -> None:
    """Has this process read mentions by a network that saw none of a package, where there is such a one."""
    path = held_out(_chosen, part_of(package))
    mentions._FILE = path if path.exists() else _chosen


def words_of(case: Case) -> frozenset[str]:
    """The words of a message, in small letters, without what stands in backticks."""
    found = laid(case)
    if found is None:
        return frozenset()
    prose = "\n".join(pieces_of(found.snippets, words_beside(found.message, found.snippets)))
    unquoted = "".join(part for at, part in enumerate(prose.split("`")) if at % 2 == 0)
    words = mentions._TOKEN.findall(unquoted.lower())
    return frozenset(word for word in words if len(word) >= MIN_LETTERS and word.isalpha())


def common_words(messages: Sequence[Iterable[str]]) -> frozenset[str]:
    """The words that more than a share of `COMMON` of the messages have."""
    counts = Counter(word for words in messages for word in words)
    return frozenset(word for word, count in counts.items() if count > COMMON * len(messages))


def _sample_of(given: tuple[Path, Case, Sequence[tuple[int, int, str]]]) -> MentionSample | None:
    path, case, told = given
    if path != mentions._FILE:
        use_mentions(path)
    found = laid(case)
    if found is None:
        return None
    pieces = pieces_of(found.snippets, words_beside(found.message, found.snippets))
    snippets = [one.lines for one in found.snippets]
    named = mentions_in(pieces, snippets, Lines(found.lines))
    tokens = mention_tokens(named, pieces, snippets)
    roles = {(piece, start): ROLES.index(role) for piece, start, role in told}
    known = [roles.get((one.piece, one.start), UNKNOWN) for one in named[: len(tokens.at)]]
    return MentionSample(case.package, tokens, np.array(known, np.int64)) if max(known, default=UNKNOWN) >= 0 else None


class WordModule(nn.Module):
    """The network as `fastedit.anchor.lazy.words.mentions.WordNetwork` has it, for batches.

    head, count: the name of the linear layer behind it, and the number of its outputs.
    """

    def __init__(self, head: str, count: int) -> None:
        super().__init__()
        self.embedded = nn.Embedding(BUCKETS, UNITS)
        nn.init.normal_(self.embedded.weight, 0, 0.1)
        self.facts = nn.Linear(len(TOKEN_FACTS), UNITS)
        self.along = nn.ModuleList(
            nn.Conv1d(UNITS, 2 * UNITS, WIDTH, padding=WIDTH // 2 * dilation, dilation=dilation)
            for dilation in DILATIONS
        )
        self.outer = nn.ModuleList(nn.Linear(2 * UNITS, UNITS) for _ in DILATIONS)
        self.normal = nn.ModuleList(nn.LayerNorm(UNITS) for _ in DILATIONS)
        self.last = nn.LayerNorm(UNITS)
        self.head = head
        self.add_module(head, nn.Linear(UNITS, count))
        self.dropped = nn.Dropout(DROPPED)

    def forward(self, buckets: Tensor, facts: Tensor) -> Tensor:
        """(B, T) and (B, T, len(TOKEN_FACTS)) → (B, T, count): what the head says, before a softmax."""
        embedded = self.embedded(buckets)
        if self.training:
            embedded = embedded * (torch.rand(buckets.shape) > DROPPED_WORDS)[..., None]
        values = self.dropped(embedded) + self.facts(facts)
        for along, outer, normal in zip(self.along, self.outer, self.normal, strict=True):
            inner = along(normal(values).transpose(1, 2)).transpose(1, 2)
            values = values + self.dropped(outer(silu(inner)))
        result: Tensor = getattr(self, self.head)(self.dropped(self.last(values)))
        return result


def fitted_network(samples: Sequence[MentionSample], seed: int) -> WordModule:
    """The network that is fitted to the samples."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = WordModule("roles", len(ROLES))
    steps = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    count = max(1, EPOCHS * -(-len(samples) // BATCH))
    rates = torch.optim.lr_scheduler.OneCycleLR(steps, RATE, total_steps=count)
    for _ in range(EPOCHS):
        for batch in batches_of([len(one.tokens.buckets) for one in samples], chance):
            buckets, facts, roles = _batch([samples[number] for number in batch])
            odds = network(buckets, facts).flatten(0, 1)
            loss = cross_entropy(odds, roles.flatten(), ignore_index=UNKNOWN, label_smoothing=SMOOTHED)
            steps.zero_grad()
            torch.autograd.backward(loss)
            steps.step()
            rates.step()
    return network.eval()


def batch_of(messages: Sequence[MentionTokens]) -> tuple[Tensor, Tensor, Tensor]:
    """Messages side by side: (B, T) buckets, (B, T, len(TOKEN_FACTS)) facts, and (B, T) where there are words."""
    size = len(messages), max(len(one.buckets) for one in messages)
    buckets, facts, known = torch.zeros(size, dtype=torch.long), torch.zeros(*size, len(TOKEN_FACTS)), torch.zeros(size)
    for at, one in enumerate(messages):
        length = len(one.buckets)
        buckets[at, :length], facts[at, :length] = (torch.from_numpy(values) for values in (one.buckets, one.facts))
        known[at, :length] = 1
    return buckets, facts, known > 0


def batches_of(lengths: Sequence[int], chance: random.Random, size: int = BATCH) -> list[list[int]]:
    """The numbers of messages of these lengths in batches of about as long ones, in another order each time."""
    order = chance.sample(range(len(lengths)), len(lengths))
    order.sort(key=lambda number: lengths[number] // LENGTH_STEP)
    batches = [order[at : at + size] for at in range(0, len(order), size)]
    return chance.sample(batches, len(batches))


def _batch(samples: Sequence[MentionSample]) -> tuple[Tensor, Tensor, Tensor]:
    """Samples side by side: (B, T), (B, T, len(TOKEN_FACTS)) and (B, T) roles."""
    buckets, facts, _ = batch_of([one.tokens for one in samples])
    roles = torch.full(buckets.shape, UNKNOWN)
    for at, one in enumerate(samples):
        roles[at, torch.from_numpy(one.tokens.at)] = torch.from_numpy(one.roles)
    return buckets, facts, roles


@torch.no_grad()
def _likeliest(network: WordModule, sample: MentionSample) -> NDArray[np.int64]:
    """(M,): the likeliest role of each mention."""
    buckets, facts, _ = _batch([sample])
    found: NDArray[np.int64] = network(buckets, facts)[0, torch.from_numpy(sample.tokens.at)].argmax(dim=1).numpy()
    return found


def _store(network: WordModule, common: frozenset[str], path: Path) -> None:
    """Stores the network in half precision as `MentionNetwork` reads it."""
    arrays = {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}
    np.savez_compressed(path, common=np.array(sorted(common)), **arrays)
