"""Run the checks on this machine's GPU.

    python -m fastedit_kernels.checks [--large] [--kernel verify|chunk_attention|small] [--variant NAME]
                                      [--most N] [--out FILE.json]

The last line counts; the exit status is 1 where a check failed. On a CPU use `python -m fastedit_kernels.check`.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from itertools import islice, product
from pathlib import Path

import torch

from fastedit_kernels.checks import GPU_TYPES, LARGE, SMALL
from fastedit_kernels.checks.common import Outcome, Setting
from fastedit_kernels.checks.verify import TRUSTED, VARIANTS


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="the shapes of real models")
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    parser.add_argument("--kernel", choices=SMALL)
    parser.add_argument("--variant", choices=VARIANTS, action="append", help="of verify; default: all trusted ones")
    parser.add_argument("--most", type=int, help="stop each family after so many checks")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        parser.error("there is no GPU here: use python -m fastedit_kernels.check")
    found: list[Outcome] = []
    families = LARGE if options.large else SMALL
    variants = tuple(options.variant or TRUSTED)
    chosen = [options.kernel] if options.kernel else families
    for dtype, family in product(GPU_TYPES[:1] if options.large else GPU_TYPES, chosen):
        setting = Setting(torch.device("cuda"), dtype, options.seed)
        for outcome in islice(families[family](setting, variants), options.most):
            found.append(outcome)
            if outcome.problem:
                print(f"FAILED {outcome.kernel} {outcome.case}: {outcome.problem}", flush=True)
        write(found, options.out)
    failed = sum(bool(outcome.problem) for outcome in found)
    print(f"checks={len(found)} failed={failed}")
    return 1 if failed else 0


def write(found: list[Outcome], path: Path | None) -> None:
    """All outcomes as JSON, whose numbers are finite or null."""
    if path is None:
        return
    rows = [{key: value if value != float("inf") else None for key, value in asdict(it).items()} for it in found]
    path.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
