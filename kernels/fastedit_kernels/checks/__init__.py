"""Every kernel against its reference, on any device: in the interpreter on a CPU, for real on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import Outcome, Setting
from fastedit_kernels.gpu.tiles import CUBLAS

# The interpreter gets bf16 products wrong in silence; a GPU runs them too.
INTERPRETED_TYPES = (torch.float32, torch.float16)
GPU_TYPES = (torch.bfloat16, torch.float16)


Variants = tuple[str, ...]


def small_kernels(setting: Setting, variants: Variants = ()) -> Iterator[Outcome]:
    yield from small.rope_outcomes(setting)
    yield from small.append_outcomes(setting)
    yield from small.norm_outcomes(setting)
    yield from small.silu_outcomes(setting)


def chunk_attention_small(setting: Setting, variants: Variants = ()) -> Iterator[Outcome]:
    yield from attention.outcomes(setting)
    yield from attention.invariance_outcomes(setting)


def verify_small(setting: Setting, variants: Variants = verify.VARIANTS) -> Iterator[Outcome]:
    yield from verify.noise_outcomes(setting)
    yield from verify.outcomes(setting, variants=variants)
    if CUBLAS in variants:
        yield from verify.outcomes(setting, (verify.SEVERAL_BLOCKS,), (CUBLAS,))
    yield from verify.invariance_outcomes(setting)


def chunk_attention_large(setting: Setting, variants: Variants = ()) -> Iterator[Outcome]:
    yield from attention.outcomes(setting, attention.LARGE)
    yield from attention.invariance_outcomes(setting, scale=8)


def verify_large(setting: Setting, variants: Variants = verify.VARIANTS) -> Iterator[Outcome]:
    yield from verify.outcomes(setting, verify.LARGE, variants)
    yield from verify.invariance_outcomes(setting, rows=128, width=3584, vocab_size=152064)


Family = Callable[[Setting, Variants], Iterator[Outcome]]
# By kernel; `variants` are those of verify.
SMALL: dict[str, Family] = {
    "small": small_kernels,
    "chunk_attention": chunk_attention_small,
    "verify": verify_small,
}
# The shapes of real models, for a GPU.
LARGE: dict[str, Family] = {"chunk_attention": chunk_attention_large, "verify": verify_large}
