# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""RMS norm with its residual addition, and the gated activation: one launch each."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from fastedit_kernels.gpu.launch import block_of, require

SILU_BLOCK = 1024


# fmt: off


@triton.jit
def rms_norm_residual_kernel(
    x_ptr, residual_ptr, weight_ptr, normed_ptr, total_ptr, eps,
    D: tl.constexpr, D_BLOCK: tl.constexpr, RESIDUAL: tl.constexpr,
):
    """Grid (T,): one row a program."""
    row = tl.program_id(0).to(tl.int64) * D
    d = tl.arange(0, D_BLOCK)
    in_d = d < D
    total = tl.load(x_ptr + row + d, mask=in_d, other=0.0)
    if RESIDUAL:
        total += tl.load(residual_ptr + row + d, mask=in_d, other=0.0)
        tl.store(total_ptr + row + d, total, mask=in_d)
    wide = total.to(tl.float32)
    scale = tl.rsqrt(tl.sum(wide * wide, axis=0) / D + eps)
    weight = tl.load(weight_ptr + d, mask=in_d, other=0.0)
    tl.store(normed_ptr + row + d, (wide * scale).to(total.dtype) * weight, mask=in_d)


@triton.jit
def silu_mul_kernel(gate_up_ptr, out_ptr, F, BLOCK: tl.constexpr):
    """Grid (T, blocks of F)."""
    row = tl.program_id(0).to(tl.int64)
    f = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(gate_up_ptr + row * 2 * F + f, mask=f < F, other=0.0)
    up = tl.load(gate_up_ptr + row * 2 * F + F + f, mask=f < F, other=0.0)
    wide = gate.to(tl.float32)
    activated = (wide / (1.0 + tl.exp(-wide))).to(gate.dtype)
    tl.store(out_ptr + row * F + f, activated * up, mask=f < F)


# fmt: on


def norm_warps(block: int) -> int:
    """Warps for a row of so many numbers: 16 numbers a thread, within what a program may have."""
    return min(16, max(4, block // 512))


def rms_norm_residual(x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """See `reference.rms_norm_residual`."""
    require(x.is_contiguous() and (residual is None or residual.is_contiguous()), "contiguous x and residual")
    num_rows, width = x.shape
    normed = torch.empty_like(x)
    total = x if residual is None else torch.empty_like(x)
    block = block_of(width)
    rms_norm_residual_kernel[(num_rows,)](
        x, x if residual is None else residual, weight, normed, total, eps,
        D=width, D_BLOCK=block, RESIDUAL=residual is not None, num_warps=norm_warps(block),
    )  # fmt: skip
    return normed, total


def silu_mul(gate_up: Tensor) -> Tensor:
    """See `reference.silu_mul`."""
    require(gate_up.is_contiguous() and gate_up.shape[1] % 2 == 0, "contiguous gate_up of an even width")
    num_rows, width = gate_up.shape[0], gate_up.shape[1] // 2
    out = torch.empty((num_rows, width), dtype=gate_up.dtype, device=gate_up.device)
    silu_mul_kernel[(num_rows, triton.cdiv(width, SILU_BLOCK))](gate_up, out, width, BLOCK=SILU_BLOCK)
    return out
