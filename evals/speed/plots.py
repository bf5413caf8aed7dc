"""The benchmark's plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def plot_by_changed_share(rows: Sequence[dict[str, Any]], path: Path, caption: str) -> None:
    """Speed-up over `generate`, and tokens per pass, against the share of changed lines."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4))
    for scope, mark in (("windows", "o"), ("file", "s")):
        shown = [row for row in rows if row["scope"] == scope]
        share = [100 * row["changed_share"] for row in shown]
        for key, colour in (("merged", "tab:blue"), ("original", "tab:orange")):
            label = f"{'merged draft' if key == 'merged' else 'bare original'}, {scope}"
            speed = [row["generate_s"] / row[f"{key}_s"] for row in shown]
            axes[0].plot(share, speed, mark, color=colour, label=label, alpha=0.7)
            axes[1].plot(share, [row[f"{key}_tokens_per_pass"] for row in shown], mark, color=colour, alpha=0.7)
    axes[0].set(xlabel="changed lines, %", ylabel="times plain generate", ylim=(0, None))
    axes[1].set(xlabel="changed lines, %", ylabel="tokens per pass", yscale="log")
    axes[0].legend(fontsize=8)
    _save(figure, path, caption)


def plot_by_file_size(rows: Sequence[dict[str, Any]], path: Path, caption: str) -> None:
    """Time of a 5-line edit against the file's lines, windows and whole files."""
    pyplot = _pyplot()
    figure, axis = pyplot.subplots(figsize=(6, 4))
    for key, label in (("windows_s", "windows"), ("file_s", "whole file")):
        shown = [(row["num_lines"], row[key]) for row in rows if row[key] is not None]
        axis.plot(*zip(*shown, strict=True), "o-", label=label)
    axis.set(xlabel="lines in the file", ylabel="seconds for a 5-line edit", xscale="log", yscale="log")
    axis.legend()
    _save(figure, path, caption)


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    return plt


def _save(figure: Any, path: Path, caption: str) -> None:
    figure.suptitle(caption, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    _pyplot().close(figure)
