"""How the kernels stand, in a few minutes.

    python -m fastedit_kernels.check

Runs every kernel against its reference, on a GPU where there is one, else in Triton's interpreter; and compiles every
shipped tile for Ampere and Hopper. The last line counts: kernels compiled, checks and builds failed, builds that spill
registers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import torch

CHECKS = "--checks"  # the part that runs in a process of its own, since the interpreter excludes the compiler


def main(arguments: list[str]) -> int:
    if arguments == [CHECKS]:
        return checked(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    if arguments:
        print(__doc__)
        return 2
    started = time.monotonic()
    interpret = "0" if torch.cuda.is_available() else "1"
    checks = subprocess.run(
        [sys.executable, "-m", "fastedit_kernels.check", CHECKS], env=environment(interpret), check=False
    )
    builds = subprocess.run(
        [sys.executable, "-m", "fastedit_kernels.aot"],
        env=environment("0"),
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    print(builds.stdout, end="")
    counts = dict(part.split("=") for part in builds.stdout.splitlines()[-1].split()) if builds.stdout else {}
    compiled, spilled, problems = (int(counts.get(name, 0)) for name in ("compiled", "spilled", "problems"))
    failed = problems + abs(checks.returncode) + (not counts)
    print(f"{time.monotonic() - started:.0f} s")
    print(f"kernels={compiled} failed={failed} spilled={spilled}")
    return 1 if failed or spilled else 0


def environment(interpret: str) -> dict[str, str]:
    """This process's, with the interpreter on or off, and this package importable where it was found."""
    found_in = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, (found_in, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "TRITON_INTERPRET": interpret, "PYTHONPATH": path}


def checked(device: torch.device) -> int:
    """Run the checks; the number of those that failed, 100 at most, is the exit status."""
    from fastedit_kernels.checks import all_outcomes

    warnings.filterwarnings("ignore", module="numpy|triton")
    torch.set_num_threads(1)
    passed = failed = 0
    for outcome in all_outcomes(device):
        passed += not outcome.problem
        failed += bool(outcome.problem)
        if outcome.problem:
            print(f"FAILED {outcome.kernel} {outcome.case}: {outcome.problem}")
    where = "on the GPU" if device.type == "cuda" else "in the interpreter"
    print(f"kernels {where} against references: {passed} passed, {failed} failed", flush=True)
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
