"""How the kernels stand, without a GPU, in a few minutes.

    python -m fastedit_kernels.check

Runs every kernel in Triton's interpreter against its reference, and compiles every shipped tile for Ampere and
Hopper. The last line counts: kernels compiled, checks and builds failed, builds that spill registers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from itertools import chain
from pathlib import Path

INTERPRETED = "--interpreted"  # the part that runs in a process of its own, since the interpreter excludes the compiler


def main(arguments: list[str]) -> int:
    if arguments == [INTERPRETED]:
        return interpreted()
    if arguments:
        print(__doc__)
        return 2
    started = time.monotonic()
    checks = subprocess.run(
        [sys.executable, "-m", "fastedit_kernels.check", INTERPRETED], env=environment("1"), check=False
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


def interpreted() -> int:
    """Run the checks in the interpreter; the number of those that failed, 100 at most, is the exit status."""
    import torch

    from fastedit_kernels import checks
    from fastedit_kernels.checks.common import Setting
    from fastedit_kernels.checks.verify import VARIANTS

    warnings.filterwarnings("ignore", module="numpy|triton")
    torch.set_num_threads(1)
    families = checks.SMALL.values()
    passed = failed = 0
    for dtype in checks.INTERPRETED_TYPES:
        for outcome in chain.from_iterable(
            family(Setting(torch.device("cpu"), dtype, 0), VARIANTS) for family in families
        ):
            passed += not outcome.problem
            failed += bool(outcome.problem)
            if outcome.problem:
                print(f"FAILED {outcome.kernel} {outcome.case}: {outcome.problem}")
    print(f"interpreter against reference: {passed} passed, {failed} failed", flush=True)
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
