"""A reading of an edit: one result that merging may have, and what its score is made of."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.forecast.network import FORECAST, Forecast
from fastedit.anchor.lazy.identity import columns_of
from fastedit.anchor.lazy.keys import KEYS
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS, ProposedLoss
from fastedit.anchor.lazy.result.claims import CLAIMS
from fastedit.anchor.lazy.result.coherence import COHERENCE
from fastedit.anchor.lazy.result.facts import FACTS
from fastedit.anchor.lazy.result.losses import LOSSES
from fastedit.anchor.lazy.result.message import FULFILLED, Shown
from fastedit.anchor.lazy.scattered import SCATTERED
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import Path, PathPlan
from fastedit.anchor.lazy.search.rows import Taste
from fastedit.anchor.lazy.search.search import Search
from fastedit.anchor.lazy.words.repeated import REPEATED

if TYPE_CHECKING:
    from numpy.typing import NDArray

TASTES = ("keeps_notes", "keeps_stubs", "joins", "by_keys", "flips_note", "keeps_asides")
# Of several snippets: one that changes what stands above the one before it, lines of an earlier one that it changes. Of
# all: changes that are made in other places too, see `REPEATED`.
JOINED = ("upwards", "rewritten", "repeated", *(f"repeated_{name}" for name in REPEATED))
REPEATED_AT = JOINED.index("repeated")
# Of a merged result. broken, mended: parse errors that come with what no snippet changes, or go with it.
WHOLE = (*COHERENCE, *LOSSES, *FULFILLED, *CLAIMS, "broken", "mended", *FORECAST)
BY_KEYS = (*KEYS, *SCATTERED)  # of readings that no path of the search leads to
NAMES: tuple[str, ...] = (*FEATURES, *FACTS, *TASTES, *BY_KEYS, *PROPOSALS, *JOINED, *WHOLE)
STRIDES = (512, 32, 4, 1)  # lines that are compared at once
_FILE = FITTED / "weights.json"
MAX_READINGS = 10
COLUMNS_SHOWN, BLANKS_SHOWN = FACTS.index("columns_shown"), FACTS.index("blanks_shown")


@cache
def weights() -> dict[str, float]:
    """The fitted weights, name → weight."""
    return dict(json.loads(_FILE.read_text(encoding="utf-8"))["weights"])


@dataclass(frozen=True, slots=True)
class SnippetReading:
    """One way to read one snippet: the grid it was found in, the path, and what comes of it.

    repeated: what speaks for changes that are made elsewhere too, by the names of `JOINED`; empty where none are.
    """

    grid: Grid
    search: Search
    path: Path
    plan: PathPlan
    facts: Any
    taste: Taste
    keys: tuple[float, ...] = (0.0,) * len(BY_KEYS)
    repeated: tuple[tuple[str, float], ...] = ()

    @property
    def is_as_shown(self) -> bool:
        """Whether the text has white space that only the snippet speaks for."""
        return bool(self.facts[COLUMNS_SHOWN] or self.facts[BLANKS_SHOWN])

    def features(self) -> NDArray[np.float32]:
        """(len(FEATURES) + len(FACTS) + len(TASTES) + len(BY_KEYS),)."""
        tastes = np.array([float(getattr(self.taste, name)) for name in TASTES] + [*self.keys], np.float32)
        return np.concatenate([self.search.features(self.path), self.facts, tastes])


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an edit.

    lines: of the result. origins: for each of them its line in the original where that stands unchanged, else None.
    score: the higher the likelier. parts: one for each snippet. joined, whole: see `JOINED` and `WHOLE`.
    place: the line of the original at which the last snippet begins to change it. shown: what the message shows and
    says. outlook: what `WHOLE` is expected to be worth by what each snippet changes, while that isn't known.
    forecast: of what becomes of each line, None where there is none. asked: see `odds_asked`.
    """

    lines: tuple[str, ...]
    origins: tuple[int | None, ...]
    score: float
    parts: tuple[SnippetReading, ...] = ()
    proposals: tuple[ProposedLoss, ...] = ()
    joined: tuple[float, ...] = (0.0,) * len(JOINED)
    whole: tuple[float, ...] = (0.0,) * len(WHOLE)
    place: int = -1
    probability: float = 0.0
    shown: Shown | None = None
    original: Lines | None = None
    outlook: float = 0.0
    forecast: Forecast | None = None
    asked: float = 0.0

    @property
    def promise(self) -> float:
        """The score that the reading may have as a whole."""
        return self.score + self.outlook

    @property
    def worded(self) -> frozenset[int]:
        """The lines of the original that only words change, and those before which they alone add some."""
        changed = (line for one in self.proposals for line, _ in one.changed)
        return frozenset((*changed, *(line + 1 for one in self.proposals for line, _ in one.added)))

    def features(self) -> NDArray[np.float32]:
        """(len(NAMES),): what the score is made of."""
        size = len(FEATURES) + len(FACTS) + len(TASTES) + len(BY_KEYS)
        total = np.zeros(len(NAMES), np.float32)
        for part in self.parts:
            total[:size] += part.features()
        for proposal in self.proposals:
            total[size : size + len(PROPOSALS)] += proposal.features()
        total[size + len(PROPOSALS) :] += (*self.joined, *self.whole)
        return total

    def changes(self, original: Sequence[str]) -> list[tuple[int, int, list[str]]]:
        """Lines [start, end) of the original that become other lines; ascending."""
        changes: list[tuple[int, int, list[str]]] = []
        new: list[str] = []
        at = line = 0
        while line < len(self.origins):
            origin = self.origins[line]
            if origin is None:
                new.append(self.lines[line])
                line += 1
                continue
            if new or origin > at:
                changes.append((at, origin, new))
                new = []
            length = _run(self.origins, line)
            line, at = line + length, origin + length
        if new or at < len(original):
            changes.append((at, len(original), new))
        return changes


def _run(origins: Sequence[int | None], start: int) -> int:
    """Counts the lines from `start` on that follow each other in the original, compared in strides."""
    first = origins[start]
    assert first is not None
    ahead = first - start
    end = start
    for stride in STRIDES:
        while origins[end : end + stride] == tuple(range(end + ahead, end + ahead + stride)):
            end += stride
    return end - start


def slid(changes: Sequence[Change], original: Lines) -> list[Change]:
    """The changes without lines that they leave as they are, and new lines as whole blocks, where that is the same.

    New `name: b`, `- job:` below `- job:` is the same text as `- job:`, `name: b` above it, and only that is one more
    job: nothing is the second name of the first one.
    """
    result: list[Change] = []
    for start, end, new in _bare(changes, original):
        at, lines = start, new
        least = result[-1][1] if result else 0
        while start == end and at > least and lines[-1] == original.texts[at - 1] and _leaves_its_block(lines):
            at, lines = at - 1, [lines[-1], *lines[:-1]]
        is_better = at < start and not _leaves_its_block(lines)
        result.append((at, at, lines) if is_better else (start, end, new))
    return result


def _bare(changes: Sequence[Change], original: Lines) -> Iterator[Change]:
    """The changes without equal lines at either end, which say how a reading came about and not what it does."""
    for start, end, lines in changes:
        new = list(lines)
        while start < end and new and original.texts[start] == new[0]:
            start, new = start + 1, new[1:]
        while start < end and new and original.texts[end - 1] == new[-1]:
            end, new = end - 1, new[:-1]
        if start < end or new:
            yield start, end, new


def _leaves_its_block(texts: Sequence[str]) -> bool:
    """Whether a line stands further out than the first one that isn't blank."""
    columns = [columns_of(text) for text in texts if text.strip()]
    return bool(columns) and min(columns) < columns[0]


def composed(before: Reading, changes: Sequence[Change]) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a reading with changes made to them, and where each is from."""
    lines, origins = list(before.lines), list(before.origins)
    for start, end, new in reversed(changes):
        lines[start:end] = new
        origins[start:end] = [None] * len(new)
    return tuple(lines), tuple(origins)


def probabilities(readings: Sequence[Reading]) -> list[Reading]:
    """The readings with the share that each has of them all."""
    if not readings:
        return []
    best = max(reading.score for reading in readings)
    odds = [math.exp(min(0.0, reading.score - best)) for reading in readings]
    total = sum(odds)
    return [replace(reading, probability=one / total) for reading, one in zip(readings, odds, strict=True)]
