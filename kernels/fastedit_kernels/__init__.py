"""Kernels that verify long drafts against a language model: Triton on a GPU, a torch reference anywhere."""

from fastedit_kernels.dispatch import append, chunk_attention, rms_norm_residual, rope_append, silu_mul, verify
from fastedit_kernels.modes import EXACT, FAST, Mode
from fastedit_kernels.verdict import Sampling, Verdict

__all__ = [
    "EXACT",
    "FAST",
    "Mode",
    "Sampling",
    "Verdict",
    "append",
    "chunk_attention",
    "rms_norm_residual",
    "rope_append",
    "silu_mul",
    "verify",
]
