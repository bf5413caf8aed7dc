"""Results of a benchmark: as data, as a table, as JSON, as a plot."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from fastedit_kernels.timing import Ceilings

KERNEL, REFERENCE = "kernel", "reference"  # ways that start so are ours: on a GPU, and on a CPU


@dataclass(frozen=True, slots=True)
class Result:
    """One way of doing one thing. `floor_ms`: its roofline. `problem`: why there is no time."""

    kernel: str
    case: str
    way: str
    milliseconds: float
    floor_ms: float
    extra_bytes: int = 0
    problem: str = ""

    @property
    def is_ours(self) -> bool:
        return self.way.startswith((KERNEL, REFERENCE))


def table(results: list[Result], ceilings: Ceilings) -> str:
    """Markdown; `of roofline` is floor / time, `speed-up` the best other way's time / this one's."""
    speeds = ceilings.bytes_per_s / 1e12, ceilings.flops_per_s / 1e12
    lines = [
        f"{ceilings.device}: copy {speeds[0]:.2f} TB/s, product {speeds[1]:.1f} TFLOP/s",
        "",
        "| kernel | case | way | ms | roofline ms | of roofline | speed-up | extra MB | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        speed_up = best_other(results, result) / result.milliseconds if result.is_ours else math.nan
        lines.append(
            f"| {result.kernel} | {result.case} | {result.way} | {_number(result.milliseconds, '.4f')} "
            f"| {result.floor_ms:.4f} | {_number(100 * result.floor_ms / result.milliseconds, '.0f', '%')} "
            f"| {_number(speed_up, '.2f', 'x')} | {result.extra_bytes / 1e6:.1f} | {result.problem} |"
        )
    return "\n".join(lines) + "\n"


def best_other(results: Iterable[Result], mine: Result) -> float:
    """The time of the fastest way that isn't ours to do the same; NaN where there is none."""
    same = (r for r in results if (r.kernel, r.case) == (mine.kernel, mine.case) and not r.is_ours and not r.problem)
    return min((r.milliseconds for r in same), default=math.nan)


def write_json(results: list[Result], ceilings: Ceilings, path: Path) -> None:
    rows = [asdict(result) | {"milliseconds": _finite(result.milliseconds)} for result in results]
    path.write_text(json.dumps({"ceilings": asdict(ceilings), "results": rows}, indent=1) + "\n")


def read_json(path: Path) -> tuple[list[Result], Ceilings]:
    held = json.loads(path.read_text())
    rows = (
        {**row, "milliseconds": math.nan if row["milliseconds"] is None else row["milliseconds"]}
        for row in held["results"]
    )
    return [Result(**row) for row in rows], Ceilings(**held["ceilings"])


def plot(results: list[Result], ceilings: Ceilings, path: Path) -> None:
    """Bars of each way's share of its roofline, one panel a kernel. Needs matplotlib; ImportError without it."""
    from matplotlib import pyplot

    shown = [result for result in results if not result.problem]
    kernels = list(dict.fromkeys(result.kernel for result in shown))
    heights = [sum(result.kernel == kernel for result in shown) for kernel in kernels]
    figure, axes = pyplot.subplots(
        len(kernels), 1, squeeze=False, figsize=(10, 1.2 * len(kernels) + 0.2 * sum(heights)), height_ratios=heights
    )
    for kernel, axis in zip(kernels, axes[:, 0], strict=True):
        rows = [result for result in shown if result.kernel == kernel]
        axis.barh(
            [f"{row.case} {row.way}" for row in rows], [row.floor_ms / row.milliseconds for row in rows],
            color=["tab:green" if row.is_ours else "tab:gray" for row in rows],
        )  # fmt: skip
        axis.invert_yaxis()
        axis.set(xlim=(0, 1.05), title=kernel)
        axis.tick_params(axis="y", labelsize=6)
    axes[-1, 0].set_xlabel(f"share of the roofline, {ceilings.device}")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def _number(value: float, form: str, unit: str = "") -> str:
    return "" if math.isnan(value) or math.isinf(value) else f"{value:{form}}{unit}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
