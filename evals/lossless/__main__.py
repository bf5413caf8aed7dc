"""Whether FastEdit's own engine writes, token by token, what transformers writes.

    python -m evals.lossless [MODEL ...] [--device D] [--dtype D] [--prompts N] [--tokens N] [--save FILE]

MODEL: a folder, a hub id in the local cache, or a registered name; or one of the tiny architectures, which is also
what is checked without any: checkpoints with random weights made on the spot from transformers' configs, many with a
sliding window shorter than the prompts. For each, transformers' `generate` writes after random prompts, greedily and
sampled; the engine then gets every prompt three times, with right, misleading or no drafts, chunks of 1 to 256 tokens,
alone and in batches, by each way that it has for the model: the module itself, the plain decoder of a CPU, the fused
decoder (its kernels' references on a CPU), and that in exact mode.

An output that differs first where transformers' own two best tokens were too close to call in the model's number
format counts as identical, and is also counted as close. A model that can't be decoded right has to be refused in one
line with its type. The last line sums up; the command fails where anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from evals.lossless.architectures import ARCHITECTURES, make_architecture
from evals.lossless.comparing import compare, reference_model, ways_of, written_by
from fastedit.errors import EngineUnavailable
from fastedit.targets import Target
from fastedit.targets.registry import folder_of

SLOTS = 8


def main() -> int:
    options = _options()
    logging.getLogger("transformers").setLevel(logging.ERROR)
    if not options.models:
        torch.set_num_threads(1)  # tiny models lose more by waiting for one another's threads than they win
    names = options.models or list(ARCHITECTURES)
    with tempfile.TemporaryDirectory() as scratch:
        rows = []
        for name in names:
            rows.append(row_for(name, Path(scratch), options))
            print(line_of(rows[-1]), flush=True)
    summary = summed_up(rows)
    if options.save:
        machine = {"torch": torch.__version__, "python": platform.python_version(), "threads": torch.get_num_threads()}
        report = {"machine": machine, "summary": summary, "rows": rows}
        options.save.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(" ".join(f"{name}={value}" for name, value in summary.items()))
    return int(bool(summary["wrong"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="auto", help="the number format; auto takes what the engine would")
    parser.add_argument("--prompts", type=int, default=14)
    parser.add_argument("--tokens", type=int, default=40, help="of an output, at most")
    parser.add_argument("--save", type=Path, help="a JSON file for all figures")
    return parser.parse_args()


def row_for(name: str, scratch: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One model's figures: by way, or why it was refused, or the error it ended in."""
    started_s = time.perf_counter()
    row: dict[str, Any] = {"name": name}
    try:
        folder = make_architecture(scratch / name, name) if name in ARCHITECTURES else folder_of(name)
        row["type"] = json.loads((folder / "config.json").read_bytes())["model_type"]
        target = Target.load(folder, options.device, options.dtype)
        ways = [(way, make()) for way, make in ways_of(target, SLOTS)]
        references = written_by(reference_model(folder, target), target, options.prompts, options.tokens)
        row["ways"] = {}
        for way, runner in ways:
            tally = compare(target, references, runner, options.tokens)
            row["ways"][way] = {name: value for name in tally.__slots__ if (value := getattr(tally, name)) != ""}
        row["outcome"] = "wrong" if any(way["wrong"] for way in row["ways"].values()) else "identical"
    except EngineUnavailable as error:
        is_clear = "\n" not in error.message and str(row.get("type", name)) in error.message
        row |= {"outcome": "refused" if is_clear else "unclear", "reason": error.message}
    except Exception as error:  # noqa: BLE001 a crash of any kind is what this looks for
        row |= {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    return row | {"seconds": round(time.perf_counter() - started_s, 1)}


def line_of(row: dict[str, Any]) -> str:
    ways = row.get("ways") if row["outcome"] in ("identical", "wrong") else None
    figures = row.get("reason", "") if ways is None else ", ".join(_way(name, way) for name, way in ways.items())
    return f"{row['name']:18} {row['outcome']:10} {figures}"


def _way(name: str, way: dict[str, Any]) -> str:
    same = f"{name} {way['identical']}/{way['identical'] + way['close'] + way['wrong']}"
    return (
        same
        + (f" (+{way['close']} close)" if way["close"] else "")
        + (f" ({way['first_wrong']})" if way["wrong"] else "")
    )


def summed_up(rows: list[dict[str, Any]]) -> dict[str, int]:
    """architectures = identical + refused_clearly + wrong; a crash or an unclear refusal is wrong, too."""
    outcomes = [row["outcome"] for row in rows]
    identical, refused = outcomes.count("identical"), outcomes.count("refused")
    return {
        "architectures": len(rows),
        "identical": identical,
        "refused_clearly": refused,
        "wrong": len(rows) - identical - refused,
    }


if __name__ == "__main__":
    sys.exit(main())
