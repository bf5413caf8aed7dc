"""Fits the network that forecasts what becomes of each line, see `fastedit.anchor.lazy.forecast.network`.

It is fitted to the known results of edits alone: which lines of the original these lack, where they have new ones, and
what became of each row of a snippet. Beside written messages it sees made ones, which count less: of several hundred
thousand parameters some thousand messages would leave many to chance. For the same reason it sees each written one
altered as well, see `altered`.
"""

from __future__ import annotations

import math
import pickle
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, pad, silu

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.forecast import network as read
from fastedit.anchor.lazy.forecast.network import (
    APART,
    HEADS,
    LAYERS,
    MAX_DEVIATIONS,
    NOWHERE,
    Forecast,
    compared,
    forecast_network,
)
from fastedit.anchor.lazy.forecast.tokens import FITS, LINE_FACTS, PAIR_FACTS, ROW_FACTS, TIES, Tokens, tokens_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.parts import Base, plain_grids
from fastedit.anchor.lazy.reading import slid
from fastedit.anchor.lazy.readings import contexts_of, pieces_of, words_beside
from fastedit.anchor.lazy.words.mentions import mentioned
from fastedit.errors import InputRefused, SettingsError
from fastedit.syntax import language_of
from fastedit.training.alignment.altered import Blocks, altered, blocks_of
from fastedit.training.alignment.asking import use_asking, use_asking_without
from fastedit.training.alignment.cases import WRITTEN, Case, Laid, ProcessMap, laid
from fastedit.training.alignment.mentions import use_mentions, use_mentions_without
from fastedit.training.alignment.wordings import PARTS, held_out, part_of, use_classifier, use_classifier_without

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

UNITS = 64  # of each token
PAIR_UNITS = 32
WIDTHS = 7, 5  # of the convolutions along lines and rows
DROPPED, DROPPED_FACTS = 0.2, 0.1
DRAWN = 1 << 21  # of a mask, at least
EPOCHS, RATE, DECAY = 6, 2e-3, 0.05
CELLS = 120_000  # rows times lines of a batch
LENGTH_STEP = 60  # lines, by which cases may differ that come into one batch
MADE = 0.4  # what a made message counts beside a written one
ALTERED, ALTERED_COUNTS = 2, 0.5  # how often each written edit comes altered too, and what that counts
FATES_COUNT, PLACES_COUNT = 0.5, 0.5
STEEPEST = 5.0
SAMPLED = 7  # one of so many cases tells the means and deviations of the facts
UNKNOWN = -1
_chosen = read._FILE


@dataclass(frozen=True, slots=True)
class ForecastSample:
    """The tokens of a case, and what became of them.

    gone, new: (N,), see `Outcomes`. fates: (R,), places: (R,), the token before which a new row stands; UNKNOWN where
    the result doesn't tell.
    """

    package: str
    weight: float
    tokens: Tokens
    gone: NDArray[np.float32]
    new: NDArray[np.float32]
    fates: NDArray[np.int64]
    places: NDArray[np.int64]

    @property
    def num_lines(self) -> int:
        return len(self.gone)

    @property
    def num_rows(self) -> int:
        return len(self.fates)


def fit_forecast(cases: Sequence[Case], path: Path, seed: int, workers: ProcessMap) -> dict[str, Any]:
    """Fits the network, stores it at `path`, and beside it those that saw none of a part of the packages.

    Returns what there is to tell about it: the loss of cases whose package wasn't seen. Raises SettingsError where no
    case can be learned from.
    """
    known = [case for case in cases if case.expected is not None]
    samples = [one for one in workers.map(sample_of, known) if one]
    num_samples, num_written = len(samples), sum(one.weight == 1 for one in samples)
    if not num_written:
        raise SettingsError("none of the cases that the forecast is fitted to can be read")
    written = [case for case in known if case.weight == WRITTEN]
    blocks = blocks_of((language_of(one.file, one.original), one.original.splitlines()) for one in written)
    alter = partial(altered_sample_of, blocks=blocks, seed=seed)
    jobs = [(case, number) for number in range(ALTERED) for case in written]
    samples += [one for one in workers.map(alter, jobs, at_once=64) if one]
    num_altered = len(samples) - num_samples
    held_out(path, 0).parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        stored = Path(folder, "samples.pickle")
        stored.write_bytes(pickle.dumps(samples))
        del samples  # some gigabytes, which each worker holds as well
        # The one that saw everything takes longest, so it comes first.
        losses = workers.map(partial(_fit_without, stored, path, seed), [None, *range(PARTS)], at_once=1)
    return {
        "samples": num_samples,
        "written": num_written,
        "altered": num_altered,
        "loss_on_held_out_packages": round(sum(losses) / num_written, 3),
    }


def _fit_without(stored: Path, path: Path, seed: int, part: int | None) -> float:
    """Stores the network fitted to the samples without a part of the packages, for None to all of them.

    Returns the loss of the part's written samples.
    """
    samples: list[ForecastSample] = pickle.loads(stored.read_bytes())
    seen = [one for one in samples if part_of(one.package) != part]
    network = fitted_network(seen, seed)
    store(network, path if part is None else held_out(path, part))
    return _loss_of(network, [one for one in samples if one.weight == 1 and part_of(one.package) == part])


def use_forecast(path: Path) -> None:
    """Has this process forecast by the network stored at `path`."""
    global _chosen
    _chosen = read._FILE = path
    forecast_network.cache_clear()


def use_words(folder: Path) -> None:
    """Has this process read comments, and what words name, by what is stored in a folder."""
    use_classifier(folder / "comments.npz")
    use_mentions(folder / "mentions.npz")
    use_asking(folder / "asking.npz")


def use_those(folder: Path) -> None:
    """Has this process forecast, and read words, by what is stored in a folder."""
    use_forecast(folder / "forecast.npz")
    use_words(folder)


def use_those_without(package: str) -> None:
    """Has this process read comments, and forecast, by what saw none of a package, where there is such.

    See `use_classifier_without`.
    """
    use_classifier_without(package)
    use_mentions_without(package)
    use_asking_without(package)
    path = held_out(_chosen, part_of(package))
    read._FILE = path if path.exists() else _chosen


# ---- samples ---------------------------------------------------------------------------------------------------------


def sample_of(case: Case) -> ForecastSample | None:
    """The tokens of a case, with what became of them; None where it isn't read as lazy snippets or is too large."""
    given = laid(case)
    return None if given is None else _sample(case, given, 1.0 if case.weight == WRITTEN else MADE)


def altered_sample_of(job: tuple[Case, int], blocks: Blocks, seed: int) -> ForecastSample | None:
    """The tokens of a case with something altered that its result doesn't depend on; None where there is nothing.

    job: the case, and the how manieth of its altered ones this is. blocks: see `altered`.
    """
    case, number = job
    given = laid(case)
    if given is None or given.goal is None:
        return None
    chance = random.Random(f"{seed} {number} {case.name}")
    other = altered(given, words_beside(given.message, given.snippets), blocks, chance)
    return None if other is None else _sample(case, other, ALTERED_COUNTS)


def _sample(case: Case, given: Laid, weight: float) -> ForecastSample | None:
    """The tokens of a case that is laid out so, with what became of them."""
    use_classifier_without(case.package)
    use_mentions_without(case.package)
    if given.goal is None:
        return None
    base, hints = Base(Lines(given.lines), given.found, given.language), hints_of(given.message)
    try:
        pieces = pieces_of(given.snippets, words_beside(given.message, given.snippets))
        contexts = contexts_of(given.snippets, hints, given.message, pieces[-1])
        grids = plain_grids(base, given.snippets, contexts, given.language)
        named = mentioned(pieces, [snippet.lines for snippet in given.snippets], base.lines)
        tokens = tokens_of(grids, hints, pieces, named)
    except InputRefused:
        return None
    if tokens is None:
        return None
    changes = slid(compared(given.lines, given.goal), base.lines)
    found = Forecast(tokens).decisions(changes)
    gone, new = (np.zeros(len(tokens.numbers), np.float32) for _ in range(2))
    gone[list(found.gone)], new[list(found.new)] = 1, 1
    left: defaultdict[str, list[int]] = defaultdict(list)
    for rows, place in found.places:
        left[tokens.row_keys[rows[0]]].append(place)
    places = np.full(len(tokens.row_keys), UNKNOWN, np.int64)
    for row, key in enumerate(tokens.row_keys):
        if found.fates[row] == 0:
            places[row] = left[key].pop(0) if len(left[key]) > 1 else left[key][0]
    return ForecastSample(case.package, weight, tokens, gone, new, found.fates, places)


# ---- the network -----------------------------------------------------------------------------------------------------


class _Dropout(nn.Module):
    """Dropout (Srivastava et al., 2014) whose masks are parts of one that is drawn beforehand.

    On a processor, to draw a mask takes longer than most of what it masks.
    """

    drawn: Tensor

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.register_buffer("drawn", torch.zeros(0), persistent=False)

    def forward(self, values: Tensor) -> Tensor:
        if not self.training or not self.share:
            return values
        count = values.numel()
        if len(self.drawn) <= count:
            size = max(DRAWN, 2 * count)
            self.drawn = torch.empty(size).bernoulli_(1 - self.share).div_(1 - self.share)
        start = int(torch.randint(len(self.drawn) - count, ()))
        return values * self.drawn[start : start + count].view_as(values)


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lines_along, self.rows_along = (
            nn.Conv1d(UNITS, UNITS, width, padding=width // 2, groups=UNITS) for width in WIDTHS
        )
        self.n0, self.n1, self.n2, self.n3, self.n4, self.n5, self.n6 = (nn.LayerNorm(UNITS) for _ in range(7))
        self.lines_mixed, self.rows_mixed = (nn.Linear(UNITS, UNITS) for _ in range(2))
        self.own = nn.Linear(UNITS, 3 * UNITS)
        self.lines_asking, self.rows_asking = (nn.Linear(UNITS, UNITS) for _ in range(2))
        self.lines_told, self.rows_told = (nn.Linear(UNITS, 2 * UNITS) for _ in range(2))
        self.rows_to_rows, self.lines_to_rows, self.rows_to_lines = (nn.Linear(UNITS, UNITS) for _ in range(3))
        self.rows_to_rows_none, self.lines_to_rows_none, self.rows_to_lines_none = (
            nn.Parameter(torch.zeros(HEADS)) for _ in range(3)
        )
        self.lines_first, self.rows_first = (nn.Linear(UNITS, 2 * UNITS) for _ in range(2))
        self.lines_last, self.rows_last = (nn.Linear(2 * UNITS, UNITS) for _ in range(2))
        self.dropped = _Dropout(DROPPED)

    def forward(
        self, n: Tensor, r: Tensor, batch: _Batch, among: Tensor, to_rows: Tensor, to_lines: Tensor
    ) -> tuple[Tensor, Tensor]:
        """n: (B, N, UNITS) of lines, r: (B, R, UNITS) of rows; biases: (B, HEADS, R, R), of R, N and of N, R."""
        n = n + self.dropped(self.lines_mixed(silu(_along(self.lines_along, self.n0(n) * batch.has_line[..., None]))))
        r = r + self.dropped(self.rows_mixed(silu(_along(self.rows_along, self.n1(r) * batch.has_row[..., None]))))
        r = r + self._attended("rows_to_rows", self.own(self.n2(r)).chunk(3, dim=-1), among)
        from_n, from_r = self.n3(n), self.n4(r)
        lines_told, rows_told = self.lines_told(from_n).chunk(2, dim=-1), self.rows_told(from_r).chunk(2, dim=-1)
        r = r + self._attended("lines_to_rows", (self.rows_asking(from_r), *lines_told), to_rows)
        n = n + self._attended("rows_to_lines", (self.lines_asking(from_n), *rows_told), to_lines)
        n = n + self.dropped(self.lines_last(self.dropped(silu(self.lines_first(self.n5(n))))))
        r = r + self.dropped(self.rows_last(self.dropped(silu(self.rows_first(self.n6(r))))))
        return n, r

    def _attended(self, name: str, asked: Sequence[Tensor], bias: Tensor) -> Tensor:
        heads = [part.reshape(*part.shape[:2], HEADS, -1).transpose(1, 2) for part in asked]
        scores = heads[0] @ heads[1].transpose(-1, -2) / math.sqrt(heads[0].shape[-1]) + bias
        none = getattr(self, f"{name}_none").view(1, HEADS, 1, 1).expand(*scores.shape[:3], 1)
        shares = torch.cat([scores, none], dim=-1).softmax(dim=-1)[..., :-1]
        found: Tensor = self.dropped(getattr(self, name)((shares @ heads[2]).transpose(1, 2).flatten(2)))
        return found


def _along(convolution: nn.Module, values: Tensor) -> Tensor:
    result: Tensor = convolution(values.transpose(1, 2)).transpose(1, 2)
    return result


class _Network(nn.Module):
    """The network as `ForecastNetwork` has it, for batches."""

    rows_in: nn.Module
    lines_in: nn.Module
    pairs_in: nn.Module

    def __init__(self) -> None:
        super().__init__()
        num_biases = 2 * HEADS * LAYERS + 1
        self.facts_dropped = _Dropout(DROPPED_FACTS)
        for name, size, units in (
            ("rows", len(ROW_FACTS), UNITS), ("lines", len(LINE_FACTS), UNITS), ("pairs", len(PAIR_FACTS), PAIR_UNITS)
        ):  # fmt: skip
            self.add_module(f"{name}_in", nn.Linear(size, units))
            self.register_buffer(f"{name}_mean", torch.zeros(size))
            self.register_buffer(f"{name}_deviation", torch.ones(size))
        self.pairs_to_rows, self.pairs_to_lines = nn.Linear(PAIR_UNITS, UNITS), nn.Linear(PAIR_UNITS, UNITS)
        self.pairs_bias, self.fits_bias = nn.Linear(PAIR_UNITS, num_biases), nn.Linear(len(FITS), num_biases)
        self.ties_bias = nn.Linear(len(TIES), HEADS * LAYERS)
        self.layers = nn.ModuleList(_Layer() for _ in range(LAYERS))
        self.rows_out, self.lines_out = nn.LayerNorm(UNITS), nn.LayerNorm(UNITS)
        self.gone, self.new, self.fate = nn.Linear(UNITS, 1), nn.Linear(2 * UNITS, 1), nn.Linear(UNITS, 3)
        self.queries, self.keys = nn.Linear(UNITS, UNITS), nn.Linear(2 * UNITS, UNITS)

    def scale(self, samples: Sequence[ForecastSample]) -> None:
        """Takes the means and deviations of the facts from samples."""
        for name, get in (("rows", "rows"), ("lines", "lines"), ("pairs", "pair_facts")):
            facts = np.concatenate([getattr(one.tokens, get) for one in samples])
            getattr(self, f"{name}_mean").copy_(torch.from_numpy(facts.mean(axis=0)))
            getattr(self, f"{name}_deviation").copy_(torch.from_numpy(facts.std(axis=0) + 0.05))

    def forward(self, batch: _Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The log odds (B, N) that lines go and that something new comes before them, the fates (B, R, 3) and places
        (B, R, N) of rows, all but the first two before the softmax."""
        num, num_rows, num_lines = batch.size
        rows, lines = self.rows_in(self._scaled("rows", batch.rows)), self.lines_in(self._scaled("lines", batch.lines))
        pairs = silu(self.pairs_in(self._scaled("pairs", batch.pair_facts)))
        of_row, of_line = batch.of * num_rows + batch.row, batch.of * num_lines + batch.line
        rows = rows.flatten(0, 1).index_add(0, of_row, self.pairs_to_rows(pairs) * batch.row_share[:, None])
        lines = lines.flatten(0, 1).index_add(0, of_line, self.pairs_to_lines(pairs) * batch.line_share[:, None])
        ties = self.ties_bias(batch.ties).permute(0, 3, 1, 2).split(HEADS, dim=1)
        bias = (
            self.fits_bias(batch.fits)
            .flatten(0, 2)
            .index_add(0, of_row * num_lines + batch.line, self.pairs_bias(pairs))
        )
        # Parts of one split, since each slice of its own would fill a whole tensor with zeros on the way back.
        biases = bias.view(num, num_rows, num_lines, -1).permute(0, 3, 1, 2).split(HEADS, dim=1)
        r, n = rows.view(num, num_rows, -1), lines.view(num, num_lines, -1)
        no_line, no_row = (NOWHERE * (1 - has)[:, None, None] for has in (batch.has_line, batch.has_row))
        for number, layer in enumerate(self.layers):
            to_rows, to_lines = biases[2 * number : 2 * number + 2]
            among = batch.apart + ties[number]
            n, r = layer(n, r, batch, among, to_rows + no_line, to_lines.transpose(-1, -2) + no_row)
        r, n = self.rows_out(r), self.lines_out(n)
        beside = torch.cat([pad(n, (0, 0, 1, 0))[:, :-1], n], dim=-1)
        queries, keys = self.queries(r), self.keys(beside)
        places = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[-1]) + biases[-1][:, 0] + no_line[:, 0]
        return self.gone(n)[..., 0], self.new(beside)[..., 0], self.fate(r), places

    def _scaled(self, name: str, facts: Tensor) -> Tensor:
        scaled = (facts - getattr(self, f"{name}_mean")) / getattr(self, f"{name}_deviation")
        result: Tensor = self.facts_dropped(scaled.clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS))
        return result


class _Batch:
    """Samples side by side, filled up to the longest."""

    def __init__(self, samples: Sequence[ForecastSample]) -> None:
        num, num_rows = len(samples), max(one.num_rows for one in samples)
        num_lines = max(one.num_lines for one in samples)
        self.size = num, num_rows, num_lines
        self.rows = torch.zeros(num, num_rows, len(ROW_FACTS))
        self.lines = torch.zeros(num, num_lines, len(LINE_FACTS))
        self.has_row, self.has_line = torch.zeros(num, num_rows), torch.zeros(num, num_lines)
        self.fits, self.apart = (
            torch.zeros(num, num_rows, num_lines, len(FITS)),
            torch.zeros(num, 1, num_rows, num_rows),
        )
        self.ties = torch.zeros(num, num_rows, num_rows, len(TIES))
        self.gone, self.new = torch.zeros(num, num_lines), torch.zeros(num, num_lines)
        self.fates, self.places = (torch.full((num, num_rows), UNKNOWN) for _ in range(2))
        self.weights = torch.tensor([one.weight for one in samples])
        for at, one in enumerate(samples):
            r, n, tokens = one.num_rows, one.num_lines, one.tokens
            self.rows[at, :r], self.lines[at, :n] = torch.from_numpy(tokens.rows), torch.from_numpy(tokens.lines)
            self.has_row[at, :r], self.has_line[at, :n] = 1, 1
            self.fits[at, :r, :n] = torch.from_numpy(tokens.fits)
            self.ties[at, :r, :r] = torch.from_numpy(tokens.ties)
            others = torch.from_numpy(tokens.snippets[:, None] != tokens.snippets[None])
            self.apart[at, 0, :r, :r] = APART * others
            self.gone[at, :n], self.new[at, :n] = torch.from_numpy(one.gone), torch.from_numpy(one.new)
            self.fates[at, :r], self.places[at, :r] = torch.from_numpy(one.fates), torch.from_numpy(one.places)
        self.apart = self.apart + NOWHERE * (1 - self.has_row)[:, None, None]
        pairs = [torch.from_numpy(one.tokens.pairs).long() for one in samples]
        self.of = torch.arange(num).repeat_interleave(torch.tensor(list(map(len, pairs))))
        self.row, self.line = torch.cat(pairs).unbind(1)
        self.pair_facts = torch.cat([torch.from_numpy(one.tokens.pair_facts) for one in samples])
        self.row_share, self.line_share = (
            torch.bincount(key, minlength=1)[key].rsqrt()
            for key in (self.of * num_rows + self.row, self.of * num_lines + self.line)
        )


def fitted_network(
    samples: Sequence[ForecastSample], seed: int, say: Callable[[str], None] = lambda _: None
) -> _Network:
    """The network that is fitted to the samples."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = _Network()
    network.scale(samples[::SAMPLED])
    steps = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98))
    count = EPOCHS * (len(list(_batches(samples, random.Random(seed)))) + 20)
    rates = torch.optim.lr_scheduler.OneCycleLR(steps, RATE, total_steps=count, pct_start=0.15)
    for epoch in range(EPOCHS):
        total = 0.0
        for chosen in _batches(samples, chance):
            batch = _Batch(chosen)
            loss = (_losses(network(batch), batch) * batch.weights).sum() / batch.weights.sum()
            steps.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(network.parameters(), STEEPEST)
            steps.step()
            if rates.last_epoch < count - 1:
                rates.step()
            total += loss.item() * len(chosen)
        say(f"epoch {epoch}: {total / len(samples):.3f}")
    return network.eval()


def _batches(samples: Sequence[ForecastSample], chance: random.Random) -> Iterator[list[ForecastSample]]:
    """The samples in batches of about as many lines, in another order each time."""
    order = chance.sample(range(len(samples)), len(samples))
    order.sort(key=lambda number: samples[number].num_lines // LENGTH_STEP)
    batches: list[list[ForecastSample]] = [[]]
    num_rows = num_lines = 0
    for one in (samples[number] for number in order):
        rows, lines = max(num_rows, one.num_rows), max(num_lines, one.num_lines)
        if batches[-1] and (len(batches[-1]) + 1) * rows * lines > CELLS:
            batches.append([])
            rows, lines = one.num_rows, one.num_lines
        batches[-1].append(one)
        num_rows, num_lines = rows, lines
    chance.shuffle(batches)
    return iter(batches)


def _losses(told: tuple[Tensor, Tensor, Tensor, Tensor], batch: _Batch) -> Tensor:
    """(B,): the negative log likelihoods of what became of the samples' tokens."""
    gone, new, fates, places = told
    of_lines = [
        binary_cross_entropy_with_logits(odds, wanted, reduction="none") * batch.has_line
        for odds, wanted in ((gone, batch.gone), (new, batch.new))
    ]
    of_rows = [
        count * cross_entropy(odds.flatten(0, 1), wanted.flatten(), ignore_index=UNKNOWN, reduction="none")
        for count, odds, wanted in ((FATES_COUNT, fates, batch.fates), (PLACES_COUNT, places, batch.places))
    ]
    num = batch.size[0]
    return torch.stack([one.reshape(num, -1).sum(dim=1) for one in (*of_lines, *of_rows)]).sum(dim=0)


@torch.no_grad()
def _loss_of(network: _Network, samples: Sequence[ForecastSample]) -> float:
    total = 0.0
    for chosen in _batches(samples, random.Random(0)) if samples else ():
        batch = _Batch(chosen)
        total += float(_losses(network(batch), batch).sum())
    return total


def store(network: _Network, path: Path) -> None:
    """Stores the network in half precision as `ForecastNetwork` reads it; the facts' scales in single."""
    arrays = {
        name: value.numpy().astype(np.float32 if name.endswith(("_mean", "_deviation")) else np.float16)
        for name, value in network.state_dict().items()
    }
    np.savez_compressed(path, **arrays)
