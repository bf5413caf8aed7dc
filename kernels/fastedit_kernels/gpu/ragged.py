# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Which request a packed token or row belongs to, inside a kernel: see `layout` for the arrays."""

from __future__ import annotations

import triton
import triton.language as tl

from fastedit_kernels.noise import MASK_32

NONE = tl.constexpr(MASK_32 >> 1)  # no token has so high an index


@triton.jit
def request_of(cu_ptr, token, N, N_BLOCK: tl.constexpr):
    """The request of a packed token, N for padding: so many requests end at or before it. N_BLOCK >= N."""
    i = tl.arange(0, N_BLOCK)
    ends = tl.load(cu_ptr + 1 + i, mask=i < N, other=NONE)
    return tl.sum((ends <= token).to(tl.int32), axis=0)


@triton.jit
def requests_of(cu_ptr, tokens, N, N_BLOCK: tl.constexpr):
    """The same for a block of tokens."""
    i = tl.arange(0, N_BLOCK)
    ends = tl.load(cu_ptr + 1 + i, mask=i < N, other=NONE)
    return tl.sum((ends[None, :] <= tokens[:, None]).to(tl.int32), axis=1)
