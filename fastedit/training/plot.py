"""python -m fastedit.training.plot LOG IMAGE: the curve of a run, drawn from its log."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def read_log(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def plot_log(entries: Sequence[dict[str, Any]], path: Path, caption: str = "") -> None:
    """Loss, token accuracy and, for held-out documents, the share of exact answers against tokens seen."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4))
    steps = [entry for entry in entries if "loss" in entry]
    seen = [entry["tokens"] / 1e6 for entry in steps]
    axes[0].plot(seen, [entry["loss"] for entry in steps], linewidth=0.8)
    axes[0].set(ylabel="loss", yscale="log")
    # The share of wrong tokens, on a scale on which the last per mille can be seen.
    axes[1].plot(seen, [1 - entry["token_accuracy"] for entry in steps], linewidth=0.8)
    axes[1].set(ylabel="wrong tokens", yscale="log")
    for limit in sorted({entry["max_tokens"] for entry in entries if "exact" in entry}):
        group = [entry for entry in entries if entry.get("max_tokens") == limit]
        label = f"up to {limit} tokens"
        axes[2].plot([e["tokens"] / 1e6 for e in group], [100 * e["exact"] for e in group], "o-", label=label)
    axes[2].set(ylabel="held-out answers exact, %", ylim=(0, 100))
    if axes[2].lines:
        axes[2].legend(fontsize=8)
    for axis in axes:
        axis.set_xlabel("million tokens")
    figure.suptitle(caption, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fastedit.training.plot", description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("--caption", default="")
    options = parser.parse_args(arguments)
    plot_log(read_log(options.log), options.image, options.caption)
    return 0


if __name__ == "__main__":
    sys.exit(main())
