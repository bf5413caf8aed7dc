"""What a certainty is worth: of the segments that claim so much, the share that is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from evals.accuracy.outcomes import JudgedSegment

EDGES: tuple[float, ...] = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Bin:
    """Segments or answers with a certainty in [low, high) (the last bin holds 1.0 itself).

    claimed: their mean certainty; right: how many are right.
    """

    low: float
    high: float
    count: int
    right: int
    claimed: float

    @property
    def share(self) -> float:
        return self.right / self.count if self.count else 0.0


def curve(segments: Iterable[JudgedSegment]) -> list[Bin]:
    """One bin for each pair of neighbouring EDGES, and one for certainty 1."""
    everything = list(segments)
    pairs = [*pairwise(EDGES), (EDGES[-1], 2.0)]
    return [_bin(everything, low, high) for low, high in pairs]


def _bin(segments: Sequence[JudgedSegment], low: float, high: float) -> Bin:
    inside = [segment for segment in segments if low <= segment.certainty < high]
    claimed = sum(segment.certainty for segment in inside) / len(inside) if inside else 0.0
    return Bin(low, min(high, 1.0), len(inside), sum(segment.is_right for segment in inside), claimed)


def share_of_sure(segments: Iterable[JudgedSegment]) -> tuple[int, float]:
    """How many segments claim SURE or more, and the share of them that is right (0 where there are none)."""
    sure = [segment.is_right for segment in segments if segment.certainty >= SURE]
    return len(sure), sum(sure) / len(sure) if sure else 0.0


def draw(curves: Mapping[str, Sequence[Bin]], path: Path) -> None:
    """The curves as a PNG (needs matplotlib: ImportError where it is not installed)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.add_subplot()
    draw_bins(axes, curves)
    axes.set_xlabel("certainty of the segment")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=110)


def draw_bins(axes: Any, curves: Mapping[str, Sequence[Bin]]) -> None:
    """Draws into a plot's axes, for each curve, the share that is right over the certainty that was claimed."""
    axes.plot([0, 1], [0, 1], color="0.7", linestyle=":", label="as claimed")
    for name, bins in curves.items():
        full = [entry for entry in bins if entry.count]
        axes.plot([entry.claimed for entry in full], [entry.share for entry in full], marker="o", label=name)
        for entry in full:
            spot = (entry.claimed, entry.share)
            axes.annotate(str(entry.count), spot, fontsize=7, xytext=(2, -9), textcoords="offset points")
    axes.set(ylabel="share that is right", xlim=(0, 1.03), ylim=(0, 1.03))
