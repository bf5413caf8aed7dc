"""What a claimed certainty is worth: reliability, its expected error, and how much is answered at what risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from evals.accuracy.reliability import Bin, draw_bins

NUM_BINS = 10
RISK = 0.01

Claim = tuple[float, bool]  # a certainty, and whether the answer is right


@dataclass(frozen=True, slots=True)
class Point:
    """All answers of at least this certainty: their share of all cases, and the share of them that is wrong."""

    certainty: float
    coverage: float
    risk: float


def reliability(claims: Sequence[Claim]) -> list[Bin]:
    """NUM_BINS bins of equal width; the last one holds certainty 1 too."""
    groups: list[list[Claim]] = [[] for _ in range(NUM_BINS)]
    for claim in claims:
        groups[min(int(claim[0] * NUM_BINS), NUM_BINS - 1)].append(claim)
    return [
        Bin(
            index / NUM_BINS,
            (index + 1) / NUM_BINS,
            len(group),
            sum(is_right for _, is_right in group),
            sum(certainty for certainty, _ in group) / len(group) if group else 0.0,
        )
        for index, group in enumerate(groups)
    ]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The mean distance between claimed certainty and share that is right, weighted by count; None without answers."""
    total = sum(entry.count for entry in bins)
    return sum(abs(entry.claimed * entry.count - entry.right) for entry in bins) / total if total else None


def risk_coverage(claims: Sequence[Claim], num_cases: int) -> list[Point]:
    """A point for each certainty that was claimed, the highest first."""
    points: list[Point] = []
    count = wrong = 0
    ordered = sorted(claims, key=lambda claim: -claim[0])
    for certainty, group in groupby(ordered, key=lambda claim: claim[0]):
        rights = [is_right for _, is_right in group]
        count, wrong = count + len(rights), wrong + rights.count(False)
        points.append(Point(certainty, count / num_cases, wrong / count))
    return points


def coverage_at(points: Sequence[Point], risk: float = RISK) -> float:
    """The largest share of all cases that can be answered with no more than `risk` of the answers wrong."""
    return max((point.coverage for point in points if point.risk <= risk), default=0.0)


def draw(curves: Mapping[str, tuple[Sequence[Bin], Sequence[Point]]], path: Path) -> None:
    """Both as a PNG (needs matplotlib: ImportError where it is not installed)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_bins(left, {name: bins for name, (bins, _) in curves.items()})
    for name, (_, points) in curves.items():
        right.plot([point.coverage for point in points], [point.risk for point in points], ".-", label=name)
    right.axhline(RISK, color="0.7", linestyle=":", label=f"{RISK:.0%} wrong")
    left.set_xlabel("certainty that was claimed")
    right.set(xlabel="share of all cases that is answered", ylabel="share of the answers that is wrong", xlim=(0, 1.03))
    for axes in (left, right):
        axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
