"""The Triton kernels, under the names and with the signatures of `fastedit_kernels.reference`."""

from fastedit_kernels.gpu.chunk_attention import chunk_attention
from fastedit_kernels.gpu.pointwise import rms_norm_residual, silu_mul
from fastedit_kernels.gpu.rope_append import append, rope_append
from fastedit_kernels.gpu.verify import verify

__all__ = ["append", "chunk_attention", "rms_norm_residual", "rope_append", "silu_mul", "verify"]
