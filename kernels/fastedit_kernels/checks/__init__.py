"""Every kernel against its reference, on any device: in the interpreter on a CPU, for real on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import CheckOutcome, Setting
from fastedit_kernels.gpu.tiles import CUBLAS

# The interpreter gets bf16 products wrong in silence; a GPU runs them too.
INTERPRETED_TYPES = (torch.float32, torch.float16)
GPU_TYPES = (torch.bfloat16, torch.float16)


def all_outcomes(device: torch.device) -> Iterator[CheckOutcome]:
    """All checks, on every type that the device gets right."""
    for dtype in GPU_TYPES if device.type == "cuda" else INTERPRETED_TYPES:
        setting = Setting(device, dtype, seed=0)
        yield from small.rope_outcomes(setting)
        yield from small.append_outcomes(setting)
        yield from small.norm_outcomes(setting)
        yield from small.silu_outcomes(setting)
        yield from attention.outcomes(setting)
        yield from attention.invariance_outcomes(setting)
        yield from verify.noise_outcomes(setting)
        yield from verify.outcomes(setting)
        yield from verify.outcomes(setting, (verify.SEVERAL_BLOCKS,), (CUBLAS,))
        yield from verify.invariance_outcomes(setting)
