"""Forecasts what becomes of each line: whether one of the original goes, where new ones come, which rows these are.

The search adds up what single steps are worth. How steps go together it knows only as far as a feature tells, and what
they come to at the other end of a snippet not at all. A small network reads all rows of a message beside the lines of
the original near which it may belong: convolutions along both, attention from rows to lines and back, led by the facts
of the pairs (Vaswani et al., Attention Is All You Need, 2017). It is fitted to edits with known results, see
`fastedit.training.alignment.forecast`, and knows nothing of the search: it errs elsewhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.forecast.tokens import Tokens
from fastedit.anchor.lazy.lines import Change
from fastedit.anchor.lazy.search.guide import Outcomes, SearchGuide, guide_of
from fastedit.anchor.lazy.search.rows import Row
from fastedit.lines import changed_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# How likely the changes of a reading are by the forecast. gone, new, place, rows: the logarithms of the chances of what
# becomes of the original's lines, of where new lines come, of each new line's place, of what becomes of the snippets'
# rows, summed up; ..._least: the least of them; ..._against: the log odds against what happens where it is the less
# likely, summed up. outside: changes where the forecast looked at no lines; unshown: new lines that no row shows.
# worded: the logarithms of the chances where words alone change lines, summed up. The others are of all else: that a
# sentence rewords a line the forecast can hardly foresee.
FORECAST = tuple(
    f"forecast_{name}"
    for name in (
        "gone", "gone_least", "new", "new_least", "place", "place_least", "rows", "rows_least", "gone_against",
        "new_against", "outside", "unshown", "worded",
    )
)  # fmt: skip
# Of one change: how likely what goes in it goes, that something new comes there (or not, where nothing does), the place
# of each new line, that these rows are new; ..._least: the least likely of them, the rest are means. beside: how likely
# the line above or below goes, too; unseen: the share of its lines that the forecast didn't look at.
OF_CHANGE = ("gone", "gone_least", "new", "place", "place_least", "rows", "rows_least", "beside", "unseen")
MAX_DEVIATIONS = 5.0
LEAST = -40.0  # no chance is told to be smaller
LEAST_PLACE, OUTSIDE = -12.0, -6.0
HEADS, LAYERS = 4, 3
# So many products at once OpenBLAS does in the thread that asks. More it shares out among as many threads as there are
# cores, and while others keep these busy, each of some fifty small matrices would wait for them.
MAX_PRODUCTS = 262_144
MAX_COMPARED = 3000  # lines, from the first change to the last; where they are more, each change is looked at by itself
APART = -2.0  # how much less rows of one snippet look at those of another
NOWHERE = -1e4
_FILE = FITTED / "forecast.npz"


# ---- the network -----------------------------------------------------------------------------------------------------


class ForecastNetwork:
    """The network with its parameters, by the names that fitting gives them; see `Outcomes` for what it says."""

    def __init__(self, parameters: Mapping[str, NDArray[np.generic]]) -> None:
        self.of = {name: value.astype(np.float32) for name, value in parameters.items()}

    def outcomes(self, tokens: Tokens) -> Outcomes:
        """Tells what becomes of a message's tokens."""
        rows, lines = self._scaled("rows", tokens.rows), self._scaled("lines", tokens.lines)
        pairs = _silu(self._linear("pairs_in", self._scaled("pairs", tokens.pair_facts)))
        row, line = tokens.pairs[:, 0], tokens.pairs[:, 1]
        r = self._linear("rows_in", rows) + _spread(self._linear("pairs_to_rows", pairs), row, len(rows))
        n = self._linear("lines_in", lines) + _spread(self._linear("pairs_to_lines", pairs), line, len(lines))
        bias = self._linear("fits_bias", tokens.fits.astype(np.float32))
        _add_at(bias.reshape(-1, bias.shape[2]), row * len(lines) + line, self._linear("pairs_bias", pairs))
        bias = bias.transpose(2, 0, 1)
        apart = APART * (tokens.snippets[:, None] != tokens.snippets[None]).astype(np.float32)
        ties = self._linear("ties_bias", tokens.ties.astype(np.float32)).transpose(2, 0, 1)
        for layer in range(LAYERS):
            at = 2 * HEADS * layer
            to_rows = bias[at : at + HEADS]
            to_lines = bias[at + HEADS : at + 2 * HEADS].transpose(0, 2, 1)
            among = apart + ties[HEADS * layer : HEADS * (layer + 1)]
            n, r = self._layer(f"layers.{layer}.", n, r, to_rows, to_lines, among)
        r, n = self._normal("rows_out", r), self._normal("lines_out", n)
        beside = np.concatenate([np.concatenate([np.zeros_like(n[:1]), n[:-1]]), n], axis=1)
        queries, keys = self._linear("queries", r), self._linear("keys", beside)
        places = queries @ keys.T / math.sqrt(queries.shape[1]) + bias[-1]
        return Outcomes(
            self._linear("gone", n)[:, 0],
            self._linear("new", beside)[:, 0],
            _log_softmax(self._linear("fate", r)),
            _log_softmax(places),
        )

    def _layer(
        self, name: str, n: Floats, r: Floats, to_rows: Floats, to_lines: Floats, among: Floats
    ) -> tuple[Floats, Floats]:
        def linear(part: str, values: Floats) -> Floats:
            return self._linear(name + part, values)

        def normal(part: str, values: Floats) -> Floats:
            return self._normal(name + part, values)

        n = n + linear("lines_mixed", _silu(self._along(f"{name}lines_along", normal("n0", n))))
        r = r + linear("rows_mixed", _silu(self._along(f"{name}rows_along", normal("n1", r))))
        own = np.split(linear("own", normal("n2", r)), 3, axis=1)
        r = r + self._attended(f"{name}rows_to_rows", own, among)
        from_n, from_r = normal("n3", n), normal("n4", r)
        lines_told, rows_told = (
            np.split(linear(part, values), 2, axis=1)
            for part, values in (("lines_told", from_n), ("rows_told", from_r))
        )
        r = r + self._attended(f"{name}lines_to_rows", (linear("rows_asking", from_r), *lines_told), to_rows)
        n = n + self._attended(f"{name}rows_to_lines", (linear("lines_asking", from_n), *rows_told), to_lines)
        n = n + linear("lines_last", _silu(linear("lines_first", normal("n5", n))))
        r = r + linear("rows_last", _silu(linear("rows_first", normal("n6", r))))
        return n, r

    def _attended(self, name: str, asked: Sequence[Floats], bias: Floats) -> Floats:
        """Returns what queries find among keys, each head for itself; they may find nothing.

        asked: queries (Q, d), keys (K, d) and values (K, d). bias: (HEADS, Q, K), or (Q, K).
        """
        heads = [part.reshape(len(part), HEADS, -1).transpose(1, 0, 2) for part in asked]
        scores = heads[0] @ heads[1].transpose(0, 2, 1) / math.sqrt(heads[0].shape[2]) + bias
        none = self.of[f"{name}_none"][:, None, None]
        top = np.maximum(scores.max(axis=2, keepdims=True), none)
        shares = np.exp(scores - top)
        shares /= shares.sum(axis=2, keepdims=True) + np.exp(none - top)
        found = (shares @ heads[2]).transpose(1, 0, 2).reshape(len(asked[0]), -1)
        return self._linear(name, found)

    def _along(self, name: str, values: Floats) -> Floats:
        """A convolution of each column by itself along the tokens."""
        kernel = self.of[f"{name}.weight"][:, 0]  # (d, k)
        width = kernel.shape[1]
        padded = np.pad(values, ((width // 2, width // 2), (0, 0)))
        total = np.tile(self.of[f"{name}.bias"], (len(values), 1))
        for at in range(width):
            total += padded[at : at + len(values)] * kernel[:, at]
        return total

    def _normal(self, name: str, values: Floats) -> Floats:
        centred = values - values.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5)
        return np.asarray(centred / scale * self.of[f"{name}.weight"] + self.of[f"{name}.bias"], np.float32)

    def _linear(self, name: str, values: Floats) -> Floats:
        weight, bias = self.of[f"{name}.weight"].T, self.of[f"{name}.bias"]
        flat = values.reshape(-1, weight.shape[0])
        result = np.empty((len(flat), weight.shape[1]), np.float32)
        size = max(1, MAX_PRODUCTS // weight.size)
        for start in range(0, len(flat), size):
            np.matmul(flat[start : start + size], weight, out=result[start : start + size])
        result += bias
        return result.reshape(*values.shape[:-1], weight.shape[1])

    def _scaled(self, name: str, values: Floats) -> Floats:
        scaled = (values - self.of[f"{name}_mean"]) / self.of[f"{name}_deviation"]
        return scaled.clip(-MAX_DEVIATIONS, MAX_DEVIATIONS)


def _add_at(table: Floats, at: NDArray[np.int32], values: Floats) -> None:
    """Adds each of the values to its line of a table; several may have the same."""
    if not len(at):
        return
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.diff(at[order], prepend=-1))
    table[at[order[starts]]] += np.add.reduceat(values[order], starts, axis=0)


def _spread(values: Floats, at: NDArray[np.int32], count: int) -> Floats:
    """(count, d): the sums of the values of each, over the root of how many they are."""
    table = np.zeros((count, values.shape[1]), np.float32)
    _add_at(table, at, values)
    numbers = np.maximum(1, np.bincount(at, minlength=count)) if len(at) else np.ones(count)
    return np.asarray(table / np.sqrt(numbers)[:, None], np.float32)


def _silu(values: Floats) -> Floats:
    return np.asarray(values / (1 + np.exp(-values.clip(-60, 60))), np.float32)


def _log_softmax(values: Floats) -> Floats:
    top = values.max(axis=1, keepdims=True)
    return np.asarray(values - top - np.log(np.exp(values - top).sum(axis=1, keepdims=True)), np.float32)


def _log_sigmoid(values: Floats | float) -> Floats:
    return np.asarray(-np.logaddexp(0, -values), np.float32)


@cache
def forecast_network(path: Path) -> ForecastNetwork:
    """The stored network."""
    with np.load(path) as stored:
        return ForecastNetwork({name: stored[name] for name in stored.files})


# ---- what it says of readings ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decisions:
    """The effect of changes on tokens.

    gone, new: tokens of lines that go, and before which something new comes. outside: changes of other lines. places:
    for each new line that a row shows these rows, and its place, -1 outside. unshown: how many no row shows. fates:
    (R,), what becomes of each row, see `Outcomes`; -1 where it can't be told.
    """

    gone: Sequence[int]
    new: Sequence[int]
    outside: int
    places: Sequence[tuple[Sequence[int], int]]
    unshown: int
    fates: NDArray[np.int64]


class Forecast:
    """The forecast of what becomes of each line of an original by a message."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.at = {line: at for at, line in enumerate(tokens.numbers.tolist())}
        self.rows_of: defaultdict[str, list[int]] = defaultdict(list)
        for row, key in enumerate(tokens.row_keys):
            if key:
                self.rows_of[key].append(row)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The word of the network in use."""
        return forecast_network(_FILE).outcomes(self.tokens)

    def guide(self, rows: Sequence[Row], first: int, num_lines: int, numbers: Sequence[int | None]) -> SearchGuide:
        """The forecast for one snippet's rows and a text's lines, as the guide of a search; see `guide_of`."""
        return guide_of(rows, self.outcomes, first, self.tokens.numbers, num_lines, numbers)

    def _chances_of(self, places: Sequence[tuple[Sequence[int], int]]) -> list[float]:
        """The logarithms of the chances of new lines' places, see `Decisions`."""
        told = self.outcomes.places
        return [max(LEAST_PLACE, float(told[rows, place].max())) if place >= 0 else OUTSIDE for rows, place in places]

    def facts_of(self, change: Change) -> tuple[float, ...]:
        """Tells how likely one change is, see `OF_CHANGE`. change: lines [start, end) that become others."""
        start, end, texts = change
        found, told = self.decisions([change]), self.outcomes
        places = self._chances_of(found.places)
        rows = [float(told.fates[rows, 0].max()) for rows, _ in found.places]
        here = self.at.get(start, -1)
        odds = (told.new[here] if texts else -told.new[here]) if here >= 0 else 0.0
        beside = [
            told.gone[self.at[line]]
            for line in (start - 1, end)
            if line in self.at and self.tokens.line_keys[self.at[line]]
        ]
        return (
            *_mean_and_least(_log_sigmoid(told.gone[list(found.gone)])),
            max(LEAST_PLACE, float(_log_sigmoid(odds))),
            *_mean_and_least(places),
            *_mean_and_least(rows),
            max(LEAST_PLACE, float(_log_sigmoid(max(beside)))) if beside else LEAST_PLACE,
            found.outside / max(1, end - start + len(texts)),
        )

    def decisions(self, changes: Sequence[Change]) -> Decisions:
        """Tells what changes do to the tokens. changes: lines [start, end) that become others; ascending."""
        gone: list[int] = []
        new: list[int] = []
        places: list[tuple[Sequence[int], int]] = []
        written: set[str] = set()
        outside = unshown = 0
        for start, end, texts in changes:
            place = self.at.get(start, -1)
            known = [self.at[line] for line in range(start, end) if line in self.at]
            gone += known
            outside += end - start - len(known) + (bool(texts) and place < 0)
            new += [place] if texts and place >= 0 else []
            for key in filter(None, ("".join(text.split()) for text in texts)):
                written.add(key)
                if key in self.rows_of:
                    places.append((self.rows_of[key], place))
                else:
                    unshown += 1
        return Decisions(gone, new, outside, places, unshown, self._fates(written, set(gone)))

    def _fates(self, written: set[str], gone: set[int]) -> NDArray[np.int64]:
        stay = {key for at, key in enumerate(self.tokens.line_keys) if at not in gone}

        def fate(key: str) -> int:
            if not key or (key in written and key in stay):
                return -1
            return 0 if key in written else 1 if key in stay else 2

        return np.array([fate(key) for key in self.tokens.row_keys], np.int64)

    def facts(self, changes: Sequence[Change], worded: Collection[int] = ()) -> tuple[float, ...]:
        """Tells how likely the changes are, see `FORECAST`. changes: see `decisions`.

        worded: lines of the original that only words change, or add others before.
        """
        found, told = self.decisions(changes), self.outcomes
        by_words = _marked(len(told.gone), [self.at[line] for line in worded if line in self.at])
        odds = [
            np.where(_marked(len(own), at), own, -own) for own, at in ((told.gone, found.gone), (told.new, found.new))
        ]
        gone, new = (_log_sigmoid(own[~by_words]) for own in odds)
        places = self._chances_of(found.places)
        known = np.flatnonzero(found.fates >= 0)
        rows = told.fates[known, found.fates[known]]
        return (
            *(value for chances in (gone, new, places, rows) for value in _together(chances)),
            *(max(LEAST, float(np.minimum(own[~by_words], 0).sum())) for own in odds),
            min(-LEAST, float(found.outside)),
            min(-LEAST, float(max(0, found.unshown - len(worded)))),
            max(LEAST, sum(float(_log_sigmoid(own[by_words]).sum()) for own in odds)),
        )


def _mean_and_least(chances: Floats | Sequence[float]) -> tuple[float, float]:
    """The mean and the least of logarithms, none of them below `LEAST_PLACE`; of none, 0."""
    if not len(chances):
        return 0.0, 0.0
    return max(LEAST_PLACE, float(np.mean(chances))), max(LEAST_PLACE, float(np.min(chances)))


def _marked(count: int, at: Sequence[int]) -> NDArray[np.bool_]:
    result = np.zeros(count, bool)
    result[list(at)] = True
    return result


def _together(chances: Floats | Sequence[float]) -> tuple[float, float]:
    """The sum and the least of logarithms, none of them below `LEAST`."""
    if not len(chances):
        return 0.0, 0.0
    return max(LEAST, float(np.sum(chances))), max(LEAST, float(np.min(chances)))


def plain_changes(original: Sequence[str], result: Sequence[str], changes: Sequence[Change]) -> list[Change]:
    """The changes that lead from an original to a result, as few lines as possible, however they are given.

    changes: those that led there.
    """
    if not changes:
        return []
    start, end = changes[0][0], changes[-1][1]
    if end - start <= MAX_COMPARED:
        return compared(original, result, start, len(original) - end)
    return [
        (start + first, start + last, texts)
        for start, end, new in changes
        for first, last, texts in compared(original[start:end], new)
    ]


def compared(original: Sequence[str], result: Sequence[str], start: int = 0, behind: int = 0) -> list[Change]:
    """The changes that lead from an original to a result. start, behind: lines that are equal at either end."""
    most = min(len(original), len(result))
    while start < most - behind and original[start] == result[start]:
        start += 1
    while behind < most - start and original[-1 - behind] == result[-1 - behind]:
        behind += 1
    old, new = original[start : len(original) - behind], result[start : len(result) - behind]
    return [(start + first, start + last, texts) for first, last, texts in changed_lines(old, new)]
