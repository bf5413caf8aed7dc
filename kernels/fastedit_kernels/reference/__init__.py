"""The kernels' meaning in plain torch, for any device; used on CPUs and as the tests' yardstick."""

from fastedit_kernels.reference.chunk_attention import chunk_attention
from fastedit_kernels.reference.pointwise import rms_norm_residual, silu_mul
from fastedit_kernels.reference.rope_append import append, rope_append
from fastedit_kernels.reference.verify import verify

__all__ = ["append", "chunk_attention", "rms_norm_residual", "rope_append", "silu_mul", "verify"]
