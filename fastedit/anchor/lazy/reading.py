"""A reading of a lazy edit: one of the results that merging its snippets may have, and what speaks for it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.anchor.lazy.coherence import COHERENCE
from fastedit.anchor.lazy.everywhere import REPEATED
from fastedit.anchor.lazy.facts import FACTS
from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.grid import Grid
from fastedit.anchor.lazy.keys import KEYS
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.paths import Path
from fastedit.anchor.lazy.plan import PathPlan
from fastedit.anchor.lazy.proposals import PROPOSALS, ProposedLoss
from fastedit.anchor.lazy.rows import Taste
from fastedit.anchor.lazy.search import Search
from fastedit.anchor.lazy.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

TASTES = ("keeps_notes", "keeps_stubs", "joins", "by_keys", "flips_note")
# Of several snippets: one that changes what stands above the one before it, lines of an earlier one that it changes. Of
# all: changes that are made in other places too, see `REPEATED`.
JOINED = ("upwards", "rewritten", "repeated", *(f"repeated_{name}" for name in REPEATED))
NAMES: tuple[str, ...] = (*FEATURES, *FACTS, *TASTES, *KEYS, *PROPOSALS, *JOINED, *COHERENCE)
STRIDES = (512, 32, 4, 1)  # lines that are compared at once
_FILE = FilePath(__file__).with_name("weights.json")


@cache
def weights() -> dict[str, float]:
    """The fitted weights, name → weight."""
    return dict(json.loads(_FILE.read_text(encoding="utf-8"))["weights"])


@dataclass(frozen=True, slots=True)
class SnippetReading:
    """One way to read one snippet: the grid it was found in, the path, and what comes of it."""

    grid: Grid
    search: Search
    path: Path
    plan: PathPlan
    facts: Any
    taste: Taste
    keys: tuple[float, ...] = (0.0,) * len(KEYS)

    def features(self) -> NDArray[np.float32]:
        """(len(FEATURES) + len(FACTS) + len(TASTES) + len(KEYS),)."""
        tastes = np.array([float(getattr(self.taste, name)) for name in TASTES] + [*self.keys], np.float32)
        return np.concatenate([self.search.features(self.path), self.facts, tastes])


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an edit.

    lines: of the result. origins: for each of them its line in the original where that stands unchanged, else None.
    score: the higher the likelier. parts: one for each snippet. joined, coherence: see `JOINED` and `COHERENCE`.
    place: the line of the original at which the last snippet begins to change it. shown: what the message shows and
    says.
    """

    lines: tuple[str, ...]
    origins: tuple[int | None, ...]
    score: float
    parts: tuple[SnippetReading, ...] = ()
    proposals: tuple[ProposedLoss, ...] = ()
    joined: tuple[float, ...] = (0.0,) * len(JOINED)
    coherence: tuple[float, ...] = (0.0,) * len(COHERENCE)
    place: int = -1
    probability: float = 0.0
    shown: Shown | None = None
    original: Lines | None = None

    def features(self) -> NDArray[np.float32]:
        """(len(NAMES),): what the score is made of."""
        size = len(FEATURES) + len(FACTS) + len(TASTES) + len(KEYS)
        total = np.zeros(len(NAMES), np.float32)
        for part in self.parts:
            total[:size] += part.features()
        for proposal in self.proposals:
            total[size : size + len(PROPOSALS)] += proposal.features()
        total[size + len(PROPOSALS) :] += (*self.joined, *self.coherence)
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
