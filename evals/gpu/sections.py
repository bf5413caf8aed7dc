"""What runs on a GPU, in which order, as data. Adding a measurement is adding a row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One program. `result`: the JSON file that it writes, put in place of `{result}` in the command, or None.

    limit_s: it is stopped after that. is_timed: it measures times, so it has the machine to itself; the others run
    side by side before. tool: a program that has to be there, else the section is left out.
    """

    name: str
    command: tuple[str, ...]
    limit_s: int
    is_timed: bool
    result: str | None = None
    tool: str | None = None


PYTHON = "{python}"
CHECKS = (PYTHON, "-m", "fastedit_kernels.checks", "--out", "{result}")
BENCH = (PYTHON, "-m", "fastedit_kernels.bench", "--out", "{folder}", "--only")
SPECIALIZED = ("--variant", "tma-ws-128x256")  # never ran on a GPU: apart, so that it can hang nothing else
# Without torch's own pool, memcheck sees where each tensor ends.
MEMCHECK = (
    "env",
    "PYTORCH_NO_CUDA_MEMORY_CACHING=1",
    "compute-sanitizer",
    "--tool",
    "memcheck",
    "--error-exitcode",
    "9",
)


def checks(name: str, limit_s: int, *more: str, sanitized: bool = False) -> Section:
    command = (*(MEMCHECK if sanitized else ()), *CHECKS, *more)
    return Section(name, command, limit_s, False, "checks.json", "compute-sanitizer" if sanitized else None)


def bench(name: str, limit_s: int, *only: str) -> Section:
    return Section(name, (*BENCH, *only), limit_s, True, "bench.json")


def module(name: str, limit_s: int, is_timed: bool) -> Section:
    command = (PYTHON, "-m", f"fastedit_kernels.bench.{name}", "--out", "{result}")
    return Section(name, command, limit_s, is_timed, f"{name}.json")


SECTIONS = (
    Section("environment", (PYTHON, "-m", "fastedit_kernels.bench.environment"), 60, False),
    checks("checks-verify", 280, "--kernel", "verify"),
    checks("checks-large", 280, "--large"),
    checks("checks-attention", 240, "--kernel", "chunk_attention"),
    checks("checks-small", 200, "--kernel", "small"),
    module("exactness", 200, is_timed=False),
    Section(
        "checks-training", (PYTHON, "-m", "evals.gpu.training_checks", "--out", "{result}"), 90, False, "checks.json"
    ),
    checks("sanitizer-small", 200, "--kernel", "small", "--most", "12", sanitized=True),
    checks("sanitizer-attention", 200, "--kernel", "chunk_attention", "--most", "9", sanitized=True),
    checks("sanitizer-verify", 200, "--kernel", "verify", "--most", "30", sanitized=True),
    bench("bench-pass", 120, "pass"),
    bench("bench-attention", 120, "chunk_attention"),
    bench("bench-verify", 180, "verify"),
    module("choice", 120, is_timed=True),
    bench("bench-small", 90, "small"),
    checks("checks-specialized", 90, "--kernel", "verify", "--most", "60", *SPECIALIZED),
    bench("bench-specialized", 90, "verify", *SPECIALIZED),
)
