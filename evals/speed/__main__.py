"""python -m evals.speed: every speed benchmark of the project, one after the other, and one page over all of them.

Each runs in a process of its own, so that none has another's memory, caches or threads. What can't be run here is told
and left out; what fails is told, and the others go on.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from evals.report import write_page
from evals.report.page import ReportError

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"
TITLE = "FastEdit: speed"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark. arguments, quick: what it is called with, always and under --quick; result, quick_result: the
    files that it writes into RESULTS. needs: a module that it
    can't do without. needs_gpu: whether it shows nothing on a CPU."""

    module: str
    result: str
    quick_result: str
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    needs: str = ""
    needs_gpu: bool = False


BENCHMARKS: dict[str, Benchmark] = {
    "structural": Benchmark(
        "evals.speed.structural", "structural.json", "structural-quick.json",
        quick=("--edits", "2", "--repeats", "2", "--max-lines", "5000", "--json", "{results}/structural-quick.json"),
    ),
    "decode": Benchmark(
        "evals.speed.decode", "decode.json", "decode-quick.json", quick=("--quick",), needs="transformers"
    ),
    "llama": Benchmark("evals.speed.llama", "llama.json", "llama-quick.json", quick=("--quick",), needs="llama_cpp"),
    "light": Benchmark("evals.speed.light", "light.json", "light-quick.json", quick=("--quick",), needs="transformers"),
    "serve": Benchmark("evals.speed.serve", "serve.json", "serve-quick.json", quick=("--quick",), needs="fastapi"),
    "kernels": Benchmark(
        "fastedit_kernels.bench", "kernels/bench.json", "kernels/bench.json", ("--out", "{results}/kernels"),
        needs="fastedit_kernels", needs_gpu=True,
    ),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a benchmark failed, or no page could be made."""
    options = _parser().parse_args(arguments)
    verdicts: dict[str, str] = {}
    for name in options.only:
        verdicts[name] = _run(BENCHMARKS[name], is_quick=options.quick)
        print(f"{name}: {verdicts[name]}", flush=True)
    quick = [
        RESULTS / (b.quick_result if options.quick else b.result) for b in map(BENCHMARKS.__getitem__, options.only)
    ]
    try:
        write_page([path for path in quick if path.exists()], options.out, TITLE)
    except ReportError as error:
        print(f"evals.speed: {error}", file=sys.stderr)
        return 1
    print(" ".join(f"{name}={verdict.split(':')[0].replace(' ', '-')}" for name, verdict in verdicts.items()))
    return int(any(verdict.startswith("failed") for verdict in verdicts.values()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few minutes in all")
    parser.add_argument("--only", nargs="+", choices=list(BENCHMARKS), default=list(BENCHMARKS))
    parser.add_argument("--out", type=Path, default=RESULTS / "index.html", help="where the page goes")
    return parser


def _run(benchmark: Benchmark, *, is_quick: bool) -> str:
    """`done: …`, `failed: …` or `left out: …`."""
    reason = _missing(benchmark)
    if reason:
        return f"left out: {reason}"
    words = [*benchmark.arguments, *(benchmark.quick if is_quick else ())]
    command = [
        sys.executable,
        "-m",
        benchmark.module,
        *(word.format(results=RESULTS.relative_to(ROOT)) for word in words),
    ]
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, check=False)
    elapsed_s = time.monotonic() - started
    return f"failed: exit status {done.returncode}" if done.returncode else f"done: {elapsed_s:.0f} s"


def _missing(benchmark: Benchmark) -> str:
    """Why a benchmark can't be run here, or ""."""
    if find_spec(benchmark.module.partition(".")[0]) is None or find_spec(benchmark.module) is None:
        return f"{benchmark.module} is not there"
    if benchmark.needs and find_spec(benchmark.needs) is None:
        return f"{benchmark.needs} is not installed"
    if benchmark.needs_gpu and shutil.which("nvidia-smi") is None:
        return "there is no GPU here"
    return ""


if __name__ == "__main__":
    sys.exit(main())
