"""python -m evals.speed.host [--beside CHECKOUT]: what the engine does on the host while its target waits.

Requests whose outputs are known are decoded by a target that answers at once, so that all the time that is left is
the host's: proposing, weighing, comparing, streaming. Modules of the standard library with a few lines changed, drafted
from the bare original, so that every change is a divergence; alone and eight at a time. A target's costs are those of
a small one on a CPU, so that long drafts are worth their time.

Prints for each the median milliseconds of a pass, the longest pass of the typical request (a stall: everybody waits
for it), and of the worst; of the thread's own time, which other programs don't add to. With --beside the same by turns
with another checkout of this repository, and how many times as long it took there. Results go to
evals/speed/results/host.json.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import environ
from pathlib import Path
from statistics import median
from typing import Any

from evals.speed.bench import machine
from evals.speed.pairs import Pair, derived_pairs
from evals.speed.replay import ReplayRunner, Trace
from fastedit.decode.controller import CostTable
from fastedit.decode.engine import Engine
from fastedit.decode.passes import Append, Verdict
from fastedit.decode.request import DecodeRequest
from fastedit.decode.sequence import Vocabulary
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind
from fastedit.targets import TokenizerCodec
from fastedit.targets.synthetic import make_tokenizer

RESULTS = Path(__file__).parent / "results"
ROUNDS = 5
NUM_PAIRS = 24
VOCABULARY = 8192
STOP = 0
COSTS = {1: 0.003, 16: 0.005, 64: 0.010, 256: 0.035}  # seconds; beyond, 0.1 ms a token
BATCHES = (1, 8)


@dataclass
class Instant:
    """A runner that computes nothing."""

    num_slots: int = max(BATCHES)
    slot_len: int = 2**17
    max_len: int = 2**17
    fallbacks: tuple[str, ...] = ()
    step_widths: tuple[int, ...] = ()

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        return [None] * len(appends)

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        pass

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        pass

    def release_memory(self) -> None:
        pass


@dataclass
class Timed(ReplayRunner):
    """Times itself, since looking up what is known is nobody's work."""

    taken_s: float = field(default=0.0)

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        started_s = time.thread_time()
        verdicts = super().append(appends)
        self.taken_s += time.thread_time() - started_s
        return verdicts


def measured() -> dict[str, dict[str, float]]:
    """Milliseconds by the number of requests at a time; see the module's docstring."""
    pairs = derived_pairs(NUM_PAIRS)
    codec = TokenizerCodec(make_tokenizer((pair.original for pair in pairs), VOCABULARY).backend_tokenizer)
    decoded(pairs[: max(BATCHES)], codec)  # a warm-up
    found = {}
    for batch in BATCHES:
        groups = [decoded(pairs[at : at + batch], codec) for at in range(0, NUM_PAIRS, batch)]
        found[str(batch)] = {
            "pass_ms": median(time for group in groups for time in group),
            "longest_ms": median(max(group) for group in groups),
            "worst_ms": max(max(group) for group in groups),
        }
    return found


def decoded(pairs: Sequence[Pair], codec: TokenizerCodec) -> list[float]:
    """The host's milliseconds of every pass over these pairs, decoded together."""
    runner = Timed(Instant())
    engine = Engine(runner, Vocabulary(codec, (STOP,), VOCABULARY), EngineSettings(), CostTable(COSTS))
    handles = []
    for pair in pairs:
        prompt, output = tuple(codec.encode(pair.original + pair.edit)), (*codec.encode(pair.edited), STOP)
        runner.traces.append(Trace(prompt, output))
        drafts = (Draft(pair.original, Kind.ORIGINAL),)
        request = DecodeRequest(prompt, len(output) + 64, drafts, pair.snippets, pair.original)
        handles.append(engine.submit(request))
    gc.collect()
    taken = []
    while True:
        runner.taken_s, started_s = 0.0, time.thread_time()
        if not engine.step():
            break
        taken.append(1000 * (time.thread_time() - started_s - runner.taken_s))
    for handle, trace in zip(handles, runner.traces, strict=True):
        if handle.result(0).tokens != trace.output:
            raise RuntimeError("a replayed output came out otherwise")
    return taken


def in_checkout(folder: Path) -> dict[str, dict[str, float]]:
    """What `measured` gives there, by a process of its own."""
    code = "import json, evals.speed.host as host; print(json.dumps(host.measured()))"
    paths = environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=paths, stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def typical(rounds: Sequence[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """The median over the rounds of every figure."""
    first = rounds[0]
    return {
        batch: {name: round(median(one[batch][name] for one in rounds), 3) for name in first[batch]} for batch in first
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", type=Path, help="another checkout, measured by turns with this one")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    here = Path(__file__).resolve().parent.parent.parent
    folders = {"here": here} | ({"beside": options.beside.resolve()} if options.beside else {})
    rounds: dict[str, list[dict[str, dict[str, float]]]] = {name: [] for name in folders}
    for _ in range(options.rounds):
        for name, folder in folders.items():
            rounds[name].append(in_checkout(folder))
    report: dict[str, Any] = {name: typical(found) for name, found in rounds.items()} | {"rounds": options.rounds}
    report["machine"] = machine() | {
        "command": "python -m evals.speed.host" + " --beside CHECKOUT" * bool(options.beside)
    }
    for name in folders:
        for batch, figures in report[name].items():
            print(f"{name:6} {batch} at a time: " + " ".join(f"{figure}={ms:.2f}" for figure, ms in figures.items()))
    if options.beside:
        report["beside_x"] = {
            batch: {figure: round(report["beside"][batch][figure] / max(ms, 1e-9), 2) for figure, ms in figures.items()}
            for batch, figures in report["here"].items()
        }
        for batch, figures in report["beside_x"].items():
            print(f"beside_x {batch} at a time: " + " ".join(f"{figure}={x:.2f}" for figure, x in figures.items()))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "host.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
