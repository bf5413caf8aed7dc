"""python -m evals.speed.light [--quick]: what makes a small target's passes on a CPU quick, each step measured.

The embedded target, by turns: through its module, as a larger target would be; by the plain decoder; and by the plain
decoder with the cores sharing a pass by requests. Passes as small edits have them: a prompt with its draft, and the
few tokens after a divergence; of one request and of eight. Then attention by itself, torch's own beside our blocks, for
chunks of different lengths behind a prompt.

The last line: plain_x, shared_x: how many times as fast as the module the plain decoder is with one request, and with
its passes shared with eight (medians). Results go to evals/speed/results/light.json; it takes a minute.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from evals.accuracy.report import machine
from fastedit.decode import EngineSettings
from fastedit.decode.attention import in_blocks, with_mask
from fastedit.decode.passes import Append
from fastedit.decode.runner import ModelRunner
from fastedit.targets import Target

RESULTS = Path(__file__).parent / "results"
ROUNDS, QUICK_ROUNDS = 12, 2
RUNS_OF_TURN = 4
PROMPT = 230  # tokens of a small edit's prompt
DRAFT = 140
# (requests, tokens already in the slot, tokens of the chunk, rows that are asked for)
PASSES = {
    "1 prompt with its draft": (1, 0, PROMPT + DRAFT, DRAFT),
    "1 rest of 45": (1, PROMPT + DRAFT, 45, 45),
    "1 rest of 9": (1, PROMPT + DRAFT, 9, 9),
    "8 prompts with their drafts": (8, 0, PROMPT + DRAFT, DRAFT),
    "8 rests of 45": (8, PROMPT + DRAFT, 45, 45),
    "8 rests of 9": (8, PROMPT + DRAFT, 9, 9),
}
ATTENTIONS: dict[str, Callable[..., Tensor]] = {"torch": with_mask, "blocks": in_blocks}
CHUNKS = (1, 9, 45, 128, 192, 256, 370)


def passes(target: Target, rounds: int) -> list[dict[str, Any]]:
    """A row for each kind of pass: median milliseconds of each way."""
    num_threads = torch.get_num_threads()
    settings = EngineSettings(num_slots=8, slot_len=1024, min_slot_len=16)
    shared = ModelRunner(target, settings, is_light=True)
    torch.set_num_threads(1)  # so many cores share a pass
    plain = ModelRunner(target, settings, is_light=True)
    torch.set_num_threads(num_threads)
    ways = {"module": ModelRunner(target, settings, is_light=False), "plain": plain, "shared": shared}
    rows = []
    for name, (count, length, width, num_rows) in PASSES.items():
        tokens = [3 + 7 * index % 2000 for index in range(width)]
        appends = [Append(slot, length, tokens, num_rows) for slot in range(count)]
        taken = _by_turns({way: partial(runner.append, appends) for way, runner in ways.items()}, rounds)
        rows.append({"pass": name, **taken, "x": taken["module"] / taken["shared" if count > 1 else "plain"]})
        print(f"{name:30} " + ", ".join(f"{way} {taken[way]:.1f} ms" for way in taken), flush=True)
    return rows


def attentions(rounds: int) -> list[dict[str, Any]]:
    """A row for each length of a chunk behind a prompt: median milliseconds of both ways, half precision."""
    rows = []
    for width in CHUNKS:
        query = torch.randn(width, 4, 64, dtype=torch.bfloat16)
        keys, values = torch.randn(2, PROMPT + width, 4, 64, dtype=torch.bfloat16)
        work = {way: partial(attend, query, keys, values, 0.125) for way, attend in ATTENTIONS.items()}
        taken = _by_turns(work, 5 * rounds)
        rows.append({"chunk": width, **taken})
        print(
            f"attention of {width:3} behind {PROMPT:9} " + ", ".join(f"{way} {ms:.2f} ms" for way, ms in taken.items())
        )
    return rows


@torch.inference_mode()
def _by_turns(work: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each way. A turn's first run isn't counted: the way before still keeps a core busy then,
    with threads that wait actively."""
    taken: dict[str, list[float]] = {way: [] for way in work}
    for _ in range(rounds):
        for way, once in work.items():
            once()
            for _ in range(RUNS_OF_TURN):
                started_s = time.perf_counter()
                once()
                taken[way].append(1000 * (time.perf_counter() - started_s))
    return {way: round(median(times), 3) for way, times in taken.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="evals.speed.light", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few rounds; the result is light-quick.json")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result (default: %(default)s)")
    given = parser.parse_args(arguments)
    rounds = QUICK_ROUNDS if given.quick else ROUNDS
    rows, attended = passes(Target.load("embedded", "cpu"), rounds), attentions(rounds)
    one, many = (median(row["x"] for row in rows if row["pass"].startswith(count)) for count in "18")
    report = {
        "machine": machine("evals.speed.light"),
        "num_threads": torch.get_num_threads(),
        "passes": rows,
        "attention": attended,
        "summary": f"plain_x={one:.2f} shared_x={many:.2f}",
    }
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / ("light-quick.json" if given.quick else "light.json")
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(report["summary"])


if __name__ == "__main__":
    main()
