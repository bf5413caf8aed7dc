"""Real launches, as far as they go without a GPU: what the interpreter doesn't see of binding and specialising."""

import subprocess
import sys
from pathlib import Path

from fastedit_kernels.check import environment

PROGRAM = Path(__file__).with_name("launched_without_gpu.py")
KERNELS = {
    "append_kernel",
    "combine_splits",
    "first_mismatch",
    "gumbel_kernel",
    "logits_tiles",
    "merge_rows",
    "product_tiles",
    "rms_norm_residual_kernel",
    "rope_append_kernel",
    "sampling_rows",
    "silu_mul_kernel",
    "split_attention",
}


def test_every_kernel_is_bound_specialised_and_compiled() -> None:
    run = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment("0"), check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    launched = {tuple(line.split()) for line in run.stdout.splitlines()}
    assert {name for name, _ in launched} == KERNELS
    assert {("product_tiles", "wgmma"), ("split_attention", "wgmma")} <= launched
