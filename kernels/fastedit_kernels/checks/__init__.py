"""Every kernel against its reference, on any device: in the interpreter on a CPU, for real on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import Outcome, Setting
from fastedit_kernels.gpu.tiles import CUBLAS

# The interpreter gets bf16 products wrong in silence; a GPU runs them too.
INTERPRETED_TYPES = (torch.float32, torch.float16)
GPU_TYPES = (torch.bfloat16, torch.float16)


def small_outcomes(setting: Setting, variants: tuple[str, ...] = verify.VARIANTS) -> Iterator[Outcome]:
    """All kernels on small shapes."""
    yield from small.rope_outcomes(setting)
    yield from small.append_outcomes(setting)
    yield from small.norm_outcomes(setting)
    yield from small.silu_outcomes(setting)
    yield from attention.outcomes(setting)
    yield from attention.invariance_outcomes(setting)
    yield from verify.noise_outcomes(setting)
    yield from verify.outcomes(setting, variants=variants)
    yield from verify.outcomes(setting, (verify.SEVERAL_BLOCKS,), (CUBLAS,))
    yield from verify.invariance_outcomes(setting)


def large_outcomes(setting: Setting) -> Iterator[Outcome]:
    """The shapes of real models, for a GPU."""
    yield from attention.outcomes(setting, attention.LARGE)
    yield from attention.invariance_outcomes(setting, scale=8)
    yield from verify.outcomes(setting, verify.LARGE)
    yield from verify.invariance_outcomes(setting, rows=128, width=3584, vocab_size=152064)
