"""Charts as SVG text, the same for the same numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evals.report.page import ReportError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (7.0, 3.4)  # inches
# What a name means is seen by its colour, on every chart alike.
COLOURS = {
    "exact": "tab:green", "resolved": "tab:green", "wrong": "tab:red", "not resolved": "tab:red",
    "refused": "tab:orange", "not applied": "tab:orange", "error": "tab:purple", "broken": "tab:gray",
    "differs": "tab:blue", "as claimed": "lightgray",
}  # fmt: skip
SALT = "evals.report"  # matplotlib makes the names inside an SVG from it
_COMMENT = re.compile(r"<!--.*?-->|<\?xml.*?\?>|<!DOCTYPE.*?>", re.DOTALL)


def bars(labels: Sequence[str], series: Mapping[str, Sequence[float]], *, label: str, is_stacked: bool = False) -> str:
    """Horizontal bars: one group for each label, in it one bar for each of the series (or one of them all, stacked)."""
    figure, axes = _axes(height=0.9 + 0.28 * len(labels) * (1 if is_stacked else len(series)))
    height = 0.8 if is_stacked else 0.8 / len(series)
    lefts = [0.0] * len(labels)
    for index, (name, values) in enumerate(series.items()):
        places = [row + (0 if is_stacked else (index - (len(series) - 1) / 2) * height) for row in range(len(labels))]
        axes.barh(places, values, height, left=lefts if is_stacked else None, label=name, color=COLOURS.get(name))
        lefts = [left + value for left, value in zip(lefts, values, strict=True)]
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    if len(series) > 1:
        axes.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(series), frameon=False)
    return _svg(figure)


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], *, x_label: str, y_label: str, is_log: bool = False
) -> str:
    """One line of (x, y) points for each of the series."""
    figure, axes = _axes()
    for name, points in series.items():
        axes.plot(
            [x for x, _ in points], [y for _, y in points], "o-", markersize=3, label=name, color=COLOURS.get(name)
        )
    if is_log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(fontsize=8)
    return _svg(figure)


def points(
    series: Mapping[str, Sequence[tuple[float, float]]], *, x_label: str, y_label: str, is_log: bool = False
) -> str:
    """A cloud of (x, y) points for each of the series."""
    figure, axes = _axes()
    for name, cloud in series.items():
        axes.plot(
            [x for x, _ in cloud],
            [y for _, y in cloud],
            "o",
            markersize=4,
            alpha=0.7,
            label=name,
            color=COLOURS.get(name),
        )
    if is_log:
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(fontsize=8)
    return _svg(figure)


def _axes(height: float = SIZE[1]) -> tuple[Figure, Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReportError("plots need matplotlib (pip install 'fastedit-apply[evals]')") from error
    figure = Figure(figsize=(SIZE[0], height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> str:
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = _COMMENT.sub("", buffer.getvalue())
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL).strip()
