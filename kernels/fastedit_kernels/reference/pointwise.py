"""RMS norm with its residual addition, and the gated activation: see `gpu/pointwise.py` for the kernels."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def rms_norm_residual(x: Tensor, residual: Tensor | None, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """The normed sum and the sum itself, which is the next residual.

    x, residual: [T, D]; weight: [D]. Rounds where Hugging Face's Llama rounds: sum = x + residual;
    sum / sqrt(mean(sum ** 2) + eps), in float32; to x's dtype; times weight. Without a residual the sum is x.
    """
    total = x if residual is None else x + residual
    wide = total.to(torch.promote_types(total.dtype, torch.float32))
    normed = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    return normed.to(x.dtype) * weight, total


def silu_mul(gate_up: Tensor) -> Tensor:
    """silu(gate) * up: [T, F] from gate_up [T, 2 * F], the gate's half first."""
    gate, up = gate_up.chunk(2, dim=-1)
    return functional.silu(gate) * up
