"""What an engine's start-up measurement would pick on this GPU.

python -m fastedit_kernels.bench.choice [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch

from fastedit_kernels import FAST
from fastedit_kernels.bench.cases import LLAMA_70B, QWEN_7B


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        parser.error("there is no GPU here")
    from fastedit_kernels.gpu.verify_choice import measured

    held = {}
    for shape in (QWEN_7B, LLAMA_70B):
        lm_head = torch.randn(shape.vocab_size, shape.width, device="cuda", dtype=torch.bfloat16)
        started = time.perf_counter()
        mode, rows = measured(FAST, lm_head, shape.vocab_size)
        seconds = time.perf_counter() - started
        print(f"{shape.name}, {seconds:.0f} s: {mode.verify_tiles}", flush=True)
        measurements = [asdict(row) | {"milliseconds": None if row.problem else row.milliseconds} for row in rows]
        held[shape.name] = {"tiles": mode.verify_tiles, "seconds": seconds, "measurements": measurements}
        if options.out:
            options.out.write_text(json.dumps(held, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
