# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The noise by itself, as a kernel: for the test that holds it to its definition."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from fastedit_kernels.gpu.noise import gumbel, row_keys

BLOCK = 512


@triton.jit
def gumbel_kernel(seeds_ptr, positions_ptr, tokens_ptr, out_ptr, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    c1, key = row_keys(tl.load(seeds_ptr + row), tl.load(positions_ptr + row))
    tokens = tl.load(tokens_ptr + columns, mask=columns < V, other=0)
    tl.store(out_ptr + row * V + columns, gumbel(tokens, c1, key), mask=columns < V)


def gumbel_rows(seeds: Tensor, positions: Tensor, token_ids: Tensor) -> Tensor:
    """See `noise.gumbel`: float32 [R, V] from seeds int64 [R], positions int32 [R], token_ids int32 [V]."""
    out = torch.empty((len(seeds), len(token_ids)), dtype=torch.float32, device=seeds.device)
    grid = (len(seeds), triton.cdiv(len(token_ids), BLOCK))
    gumbel_kernel[grid](seeds, positions, token_ids, out, len(token_ids), BLOCK=BLOCK, enable_fp_fusion=False)
    return out
