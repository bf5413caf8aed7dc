"""FastEdit beside llama.cpp on the CPU: the same target, the same outputs, the same threads, in one run.

    pip install '.[llama]'          # compiles llama.cpp for this machine's CPU: minutes
    python -m evals.speed.llama [--quick] [--json FILE] [--target FOLDER] [--matrices KIND] [--threads N] [--clock cpu]

The embedded target is written as GGUF, and llama.cpp decodes the edits of `evals.speed.decode` with it: token by token,
and with the prompt look-up decoding that llama-cpp-python has. FastEdit's engine verifies the merged draft. Everywhere
everything is computed and the known output then taken in its stead (`evals.speed.replay`), so that all write the same.
Ways take turns, case by case; a case's time is the median of its rounds, and the ratios are medians over the cases.

For llama.cpp: it gets token ids, while FastEdit's time counts tokenising and drafting; matrices are bfloat16, the
checkpoint's own and the fastest of the four kinds where the CPU has instructions for them, with flash attention and
its default batches and float16 cache; its decode calls are made directly, without what llama-cpp-python's `generate`
adds (`evals.speed.llama.peer`), which is timed beside.
Against it: of llama.cpp's other ways to draft from the prompt (its server's n-gram ones) the package has none.
On a busy machine take `--threads 1 --clock cpu`: threads that wait for each other stall there.

The last line sums up. engine_x_llama: llama.cpp's time over FastEdit's; engine_x_llama_lookup: that of the case's best
prompt look-up setting; agreement: share of the outputs' tokens that llama.cpp and transformers choose alike, the output
before them as known; edits: files that were edited. Exit status 1 where llama.cpp computes another model.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from evals.speed.bench import CLOCKS, Bench, machine
from evals.speed.decode import RESULTS, Case
from evals.speed.llama.agreement import Agreement, Judge
from evals.speed.llama.binding import Binding
from evals.speed.llama.cases import chosen_cases
from evals.speed.llama.comparison import by_scope, in_turn, line_of, ratios, row_of
from evals.speed.llama.export import MATRICES, ExportError, export_gguf
from evals.speed.llama.peer import LlamaPeer, PeerError, built_with
from evals.speed.llama.ways import ways_of
from evals.speed.pairs import load_pairs
from fastedit.decode import EngineSettings
from fastedit.targets.default import EMBEDDED_FOLDER

NEEDED = ("gguf", "llama_cpp")
LOOKUPS = (2, 10, 64)  # tokens; llama-cpp-python's README advises 2 on a CPU and 10 on a GPU
BOUND_LOOKUPS = (0, LOOKUPS[0])  # of llama-cpp-python's own loop: none, and what is advised
NUM_PAIRS = {True: 6, False: 16}  # by --quick
ROUNDS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a package is missing, or llama.cpp can't run the target or computes another model."""
    options = _options(arguments)
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        return _failed(f"{' and '.join(missing)} not installed: pip install '.[llama]'")
    if options.threads:
        torch.set_num_threads(options.threads)
    bench = Bench(options.target, options.dtype, EngineSettings(num_slots=2, pass_tokens=32_768), options.clock)
    pairs, source = load_pairs(options.cases)
    cases, left_out = chosen_cases(bench, pairs, NUM_PAIRS[options.quick])
    print(f"{bench.num_parameters / 1e6:.1f} M parameters, {options.matrices} for llama.cpp; {source}")
    if left_out:
        print(f"left out, since the target has no room for them, or couldn't write them: {', '.join(left_out)}")
    if not cases:
        return _failed("there is no case that the target can be asked")
    try:
        agreement, rows = measured(bench, cases, options)
    except (ExportError, PeerError) as error:
        return _failed(str(error))
    if not agreement.is_same_model:
        return _failed(f"llama.cpp computes another model than transformers: {asdict(agreement)}")
    report = report_of(bench, agreement, rows) | {"source": source, "left_out": left_out, "matrices": options.matrices}
    report["machine"] = machine() | {"clock": options.clock, "versions": built_with(), "command": _command()}
    out = options.json or RESULTS / ("llama-quick.json" if options.quick else "llama.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n")
    edits = len({row["case"] for row in rows})
    print(" ".join(f"{name}={value:.2f}" for name, value in ratios(rows).items()), end=" ")
    print(f"agreement={agreement.share:.4f} edits={edits}")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m evals.speed.llama", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few cases, under 3 minutes")
    parser.add_argument("--json", type=Path, help="where the result goes (default: llama.json in evals/speed/results)")
    parser.add_argument("--cases", type=Path, help="folder of cases (default: ../shared/apply_cases/cases)")
    parser.add_argument("--target", type=Path, default=EMBEDDED_FOLDER, help="a Qwen3 checkpoint's folder")
    parser.add_argument("--dtype", default="bfloat16", choices=("bfloat16", "float32"), help="of FastEdit's target")
    parser.add_argument("--matrices", default="bf16", choices=MATRICES, help="what llama.cpp gets them as")
    parser.add_argument("--threads", type=int, default=0, help="for all ways (default: as many as torch takes)")
    parser.add_argument("--clock", choices=sorted(CLOCKS), default="wall", help="cpu: with --threads 1, if it's busy")
    return parser.parse_args(arguments)


def measured(
    bench: Bench, cases: Sequence[Case], options: argparse.Namespace
) -> tuple[Agreement, list[dict[str, Any]]]:
    """Whether both compute the same model, over all cases, and a row for each case."""
    num_threads = torch.get_num_threads()
    longest = max(len(trace.prompt) + len(trace.output) for case in cases for trace in case.traces)
    room = longest + max(LOOKUPS) + 1  # at the end of its context llama-cpp-python's drafts overflow its arrays
    rows = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        model = export_gguf(options.target, Path(folder) / "target.gguf", options.matrices)
        peer = opened.enter_context(closing(LlamaPeer(model, num_threads, room)))
        agreement = agreement_over(bench, peer, cases)
        bindings = [opened.enter_context(closing(Binding(model, num_threads, room, size))) for size in BOUND_LOOKUPS]
        ways = ways_of(bench, peer, LOOKUPS, bindings)
        for case in cases:
            rows.append(row_of(case, in_turn(ways, case, ROUNDS)))
            print(line_of(rows[-1]), flush=True)
    return agreement, rows


def agreement_over(bench: Bench, peer: LlamaPeer, cases: Sequence[Case]) -> Agreement:
    judge = Judge(bench.model)
    compared = [judge.compare(trace, peer.one_pass(trace, bench.clock)[1]) for case in cases for trace in case.traces]
    return sum(compared, Agreement())


def report_of(bench: Bench, agreement: Agreement, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "replayed": True,
        "num_parameters": bench.num_parameters,
        "summary": {**ratios(rows), "agreement": agreement.share, "edits": len({row["case"] for row in rows})},
        "agreement": asdict(agreement),
        "by_scope": by_scope(rows),
        "rows": list(rows),
    }


def _command() -> str:
    return " ".join(["python -m evals.speed.llama", *sys.argv[1:]])


def _failed(why: str) -> int:
    print(f"evals.speed.llama: {why}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
