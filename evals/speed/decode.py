"""Decoding speed: FastEdit against plain `generate`, prompt look-up and the one-pass limit, side by side.

    python -m evals.speed.decode [--quick] [--cases FOLDER] [--target FOLDER] [--dtype D] [--threads N] [--clock cpu]
                                 [--rounds N]

Every way decodes the same outputs with the same model. The outputs are known: FastEdit runs the Replay target (a real
model computed in full whose decisions come from the known output, see `evals.speed.replay`), the transformers ways run
with a logits processor that lets only the known output through. Prefill is counted everywhere; FastEdit's times also
count tokenising. `generate` is measured on the first tokens of a long output and scaled up, which flatters it, since
its passes get slower as the output grows.

Every round measures every case by turns, so that a machine that is busy for a while is so for all ways; what is told of
a case is the median over the rounds of each time, and of each ratio of times of one round. All settings of prompt
look-up are tried in the first round, the best one in the others.

The last line sums up. generate_x: plain `generate`'s time over FastEdit's (merged draft); lookup_x: the time of the
best prompt look-up setting over FastEdit's; limit_x: FastEdit's time over a single pass over prompt and output, also
for windows and whole files apart. pass_x, host_x: what limit_x is made of, FastEdit's passes and what lies between
them, over the same single pass. Medians over all cases. passes_per_divergence: with the bare original as the only draft
text (its edit's lines can be looked up), the passes needed more than a perfect draft needs, for each place where the
text changes; drafts of at most 256 tokens a pass, counted by `evals.speed.passes`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch

from evals.speed.baselines import Timing, generate, one_pass
from evals.speed.bench import CLOCKS, Bench, machine, peak_rss_bytes
from evals.speed.long_edits import time_against_size
from evals.speed.pairs import Pair, load_pairs
from evals.speed.passes import count_passes, from_originals
from evals.speed.plots import plot_by_changed_share, plot_by_file_size
from evals.speed.replay import Trace
from evals.speed.texts import line_changes
from fastedit.decode import EngineSettings
from fastedit.syntax import language_of, outline
from fastedit.verify.windows import Window, plan_windows, whole_file

RESULTS = Path(__file__).parent / "results"
LOOKUPS = (10, 32, 64, 128)
GENERATED_TOKENS = {True: 96, False: 400}  # of a long output, by --quick
NUM_PAIRS = {True: 6, False: 16}
LARGEST_OUTPUT = {True: 2500, False: 10_000}  # tokens
ROUNDS = 3
TIMES = ("merged_s", "merged_pass_s", "original_s", "original_pass_s", "generate_s", "one_pass_s")
CACHE_BYTES = 2**30


def main() -> None:
    options = _options()
    if options.threads:
        torch.set_num_threads(options.threads)
    settings = EngineSettings(num_slots=2, cache_bytes=CACHE_BYTES, pass_tokens=32_768)
    bench = Bench(options.target, options.dtype, settings, options.clock)
    pairs, source = load_pairs(options.cases)
    print(f"Replay target: {bench.num_parameters / 1e6:.1f} M parameters, {options.dtype}, random weights;", source)
    chosen = choose(pairs, NUM_PAIRS[options.quick])
    largest = LARGEST_OUTPUT[options.quick]
    cases = [case for pair in chosen for case in cases_of(bench, pair) if case.num_output_tokens <= largest]
    for case in cases:
        bench.fastedit(case.traced, with_merged_draft=True)
    memory = peak_rss_bytes()  # before the others have had any
    rows = []
    for case in cases:
        rows.append(measured(bench, case, options.quick, options.rounds))
        print(line_of(rows[-1]), flush=True)
    count = count_passes(from_originals([pair for pair in pairs if pair.changed_share < 0.3]), bench.target.codec)
    sizes = time_against_size(bench, (100, 300, 20_000) if options.quick else (100, 300, 1000, 3000, 10_000, 20_000))
    summary = summed_up(rows, count.passes_per_place)
    report = {
        "machine": machine() | {"clock": options.clock},
        "replayed": True,
        "source": source,
        "rounds": options.rounds,
        "num_parameters": bench.num_parameters,
        "kv_cache_bytes": bench.runner.cache_bytes,
        "peak_rss_bytes": memory,
        "summary": summary,
        "rows": rows,
        "by_file_size": sizes,
    }
    save(report, "decode-quick" if options.quick else "decode", rows, sizes)
    cache = CACHE_BYTES / 2**20
    print(
        f"memory: {memory / 2**20:.0f} MiB at most, with two copies of the model and up to {cache:.0f} MiB of KV cache"
    )
    print(" ".join(f"{name}={value:.2f}" for name, value in summary.items()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few cases, under 5 minutes")
    parser.add_argument("--cases", type=Path, help="folder of cases (default: ../shared/apply_cases/cases)")
    parser.add_argument("--target", type=Path, help="a checkpoint; its decisions are replayed all the same")
    parser.add_argument("--dtype", default="bfloat16", choices=("bfloat16", "float32"))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--clock", choices=sorted(CLOCKS), default="wall", help="cpu: with --threads 1, on a busy machine"
    )
    return parser.parse_args()


def choose(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """Pairs of 100 to 800 lines, 80 to 99 % of them unchanged; always the same ones."""
    fitting = [pair for pair in pairs if 100 <= pair.num_lines <= 800 and 0.01 <= pair.changed_share <= 0.2]
    random.Random(0).shuffle(fitting)
    return sorted(fitting[:count], key=lambda pair: pair.num_lines)


@dataclass(frozen=True, slots=True)
class Case:
    """A pair as the target sees it. scope: "windows" or "file". traced: each window with what is known of it."""

    pair: Pair
    scope: str
    traced: list[tuple[Window, Trace]]

    @property
    def traces(self) -> list[Trace]:
        return [trace for _, trace in self.traced]

    @property
    def num_output_tokens(self) -> int:
        return sum(len(trace.output) for trace in self.traces)

    def described(self) -> dict[str, Any]:
        """What a row of a result says of the case, whoever is measured."""
        return {
            "case": self.pair.name,
            "scope": self.scope,
            "num_lines": self.pair.num_lines,
            "changed_share": self.pair.changed_share,
            "num_windows": len(self.traced),
            "prompt_tokens": sum(len(trace.prompt) for trace in self.traces),
            "output_tokens": self.num_output_tokens,
        }


def cases_of(bench: Bench, pair: Pair) -> list[Case]:
    """The pair by windows, and as a whole file."""
    lines, changes = line_changes(pair)
    found = outline(pair.original, language_of(pair.name, pair.original)).declarations
    blocks = [(declaration.start_line, declaration.end_line) for declaration in found]
    scopes = {"windows": list(plan_windows(lines, changes, blocks)), "file": [whole_file(lines, changes, blocks)]}
    return [
        Case(pair, scope, [(window, bench.trace(window)) for window in windows]) for scope, windows in scopes.items()
    ]


def measured(bench: Bench, case: Case, is_quick: bool, num_rounds: int) -> dict[str, Any]:
    """A row: the medians over the rounds of every time, and of the ratios of times of a round."""
    rounds: list[dict[str, Any]] = []
    lookups: dict[str, float] = {}
    for number in range(num_rounds):
        sizes = LOOKUPS if number == 0 else (int(min(lookups, key=lookups.__getitem__)),)
        one = ours(bench, case) | theirs(bench, case, is_quick, sizes)
        lookups = lookups or one["lookup_s"]
        rounds.append(one)
    row = rounds[0] | {name: median(one[name] for one in rounds) for name in TIMES}
    best = min(lookups, key=lookups.__getitem__)
    row["lookup_s"] = lookups | {best: median(one["lookup_s"][best] for one in rounds)}
    ratios = [_ratios(one) for one in rounds]
    return row | {name: median(one[name] for one in ratios) for name in ratios[0]}


def _ratios(one: dict[str, Any]) -> dict[str, float]:
    """Ratios of the times of one round."""
    passes_s = one["merged_pass_s"] * one["merged_passes"]
    return {
        "generate_x": one["generate_s"] / one["merged_s"],
        "lookup_x": min(one["lookup_s"].values()) / one["merged_s"],
        "limit_x": one["merged_s"] / one["one_pass_s"],
        "pass_x": passes_s / one["one_pass_s"],
        "host_x": (one["merged_s"] - passes_s) / one["one_pass_s"],
    }


def ours(bench: Bench, case: Case) -> dict[str, Any]:
    """FastEdit with the merged draft and with the bare original; sums over the windows."""
    row = case.described()
    for name, is_merged in (("merged", True), ("original", False)):
        runs = bench.fastedit(case.traced, with_merged_draft=is_merged)
        stats = [run.result.stats for run in runs]
        num_passes = sum(stat.passes for stat in stats)
        row |= {
            f"{name}_s": sum(run.seconds for run in runs),
            f"{name}_pass_s": sum(stat.pass_ms for stat in stats) / 1000 / num_passes,
            f"{name}_passes": num_passes,
            f"{name}_divergences": sum(stat.divergences for stat in stats),
            f"{name}_tokens_per_pass": case.num_output_tokens / num_passes,
        }
    return row


def theirs(bench: Bench, case: Case, is_quick: bool, lookups: Sequence[int]) -> dict[str, Any]:
    """The ways of transformers, and the limit. lookups: the settings of prompt look-up."""
    model, clock = bench.model, bench.clock
    limit_s = _seconds([one_pass(model, trace, clock) for trace in case.traces])  # right behind FastEdit's
    return {
        "one_pass_s": limit_s,
        "generate_s": sum(_scaled_generate(bench, trace, GENERATED_TOKENS[is_quick]) for trace in case.traces),
        "lookup_s": {
            str(size): _seconds([generate(model, trace, clock, prompt_lookup_num_tokens=size) for trace in case.traces])
            for size in lookups
        },
    }


def line_of(row: dict[str, Any]) -> str:
    best = min(row["lookup_s"].values())
    return (
        f"{row['case'][:44]:44} {row['scope']:7} {row['num_lines']:4} lines {100 * row['changed_share']:4.1f} % "
        f"{row['prompt_tokens']:5}+{row['output_tokens']:5} tokens | generate {row['generate_s']:6.2f} s, look-up "
        f"{best:5.2f}, one pass {row['one_pass_s']:5.3f} | merged {row['merged_s']:5.3f} in {row['merged_passes']} "
        f"({row['generate_x']:4.1f}x, {row['lookup_x']:4.1f}x, {row['limit_x']:4.2f}x) | "
        f"original {row['original_s']:5.3f} in {row['original_passes']}"
    )


def summed_up(rows: Sequence[dict[str, Any]], passes_per_divergence: float) -> dict[str, float]:
    found = {
        name: median(row[name] for row in rows) for name in ("generate_x", "lookup_x", "limit_x", "pass_x", "host_x")
    }
    for scope in ("windows", "file"):
        found[f"limit_{scope}_x"] = median(row["limit_x"] for row in rows if row["scope"] == scope)
    return found | {"passes_per_divergence": passes_per_divergence}


def save(report: dict[str, Any], name: str, rows: Sequence[dict[str, Any]], sizes: Sequence[dict[str, Any]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    caption = f"Replay target, {report['num_parameters'] / 1e6:.1f} M parameters, {report['machine']['processor']}"
    plot_by_changed_share(rows, RESULTS / f"{name}-changed-share.png", caption)
    plot_by_file_size(sizes, RESULTS / f"{name}-file-size.png", caption)


def _scaled_generate(bench: Bench, trace: Trace, max_tokens: int) -> float:
    """Seconds of plain `generate` for the whole output, scaled up from its first tokens where it is longer."""
    if len(trace.output) <= max_tokens:
        return generate(bench.model, trace, bench.clock).seconds
    first, all_of_it = (generate(bench.model, trace, bench.clock, length) for length in (1, max_tokens))
    per_token_s = (all_of_it.seconds - first.seconds) / (max_tokens - 1)
    return first.seconds + per_token_s * (len(trace.output) - 1)


def _seconds(timings: Sequence[Timing]) -> float:
    return sum(timing.seconds for timing in timings)


if __name__ == "__main__":
    main()
