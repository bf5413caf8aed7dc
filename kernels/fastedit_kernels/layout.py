"""Ragged chunks over flat KV slots: which request, position and cache row each packed token has.

cu_seqlens  [N + 1]  int32  request i owns the packed tokens cu_seqlens[i] .. cu_seqlens[i + 1]; tokens from
                            cu_seqlens[N] on are padding of the row bucket
slots       [N]      int32  the KV slot of each request
lengths     [N]      int32  tokens cached in that slot before the pass
offsets     [N]      int32  the request's new tokens lie so many rows behind the end of the cached ones; None for 0.
                            A branch is a request over another one's slot whose tokens go behind those of that one:
                            it sees the first `length` tokens, the other's new ones among them, and its own
keys, values [num_slots * slot_len + 1, num_kv_heads, head_dim]; request i's tokens lie in the rows
                            slots[i] * slot_len .. + length; the last row is scratch, for padding
"""

from __future__ import annotations

import torch
from torch import Tensor


def token_requests(cu_seqlens: Tensor, num_tokens: int) -> Tensor:
    """The request of each packed token, int64 [num_tokens]; N for padding. Empty chunks own no token."""
    tokens = torch.arange(num_tokens, device=cu_seqlens.device, dtype=cu_seqlens.dtype)
    return torch.searchsorted(cu_seqlens[1:].contiguous(), tokens, right=True)


def token_positions(cu_seqlens: Tensor, lengths: Tensor, num_tokens: int) -> Tensor:
    """The absolute position of each packed token in its request, int64 [num_tokens]; 0 for padding."""
    requests = token_requests(cu_seqlens, num_tokens)
    tokens = torch.arange(num_tokens, device=cu_seqlens.device)
    starts = (lengths - cu_seqlens[:-1]).to(torch.int64)
    return torch.where(requests < len(lengths), tokens + _of_request(starts, requests), 0)


def token_rows(
    cu_seqlens: Tensor,
    slots: Tensor,
    lengths: Tensor,
    num_tokens: int,
    slot_len: int,
    num_rows: int,
    offsets: Tensor | None = None,
) -> Tensor:
    """The KV row that each packed token is written to, int64 [num_tokens]; the scratch row for padding."""
    requests = token_requests(cu_seqlens, num_tokens)
    positions = token_positions(cu_seqlens, lengths, num_tokens)
    rows = _of_request(slots.to(torch.int64), requests) * slot_len + positions
    if offsets is not None:
        rows = rows + _of_request(offsets.to(torch.int64), requests)
    return torch.where(requests < len(lengths), rows, num_rows - 1)


def _of_request(values: Tensor, requests: Tensor) -> Tensor:
    return values[requests.clamp(max=len(values) - 1)]
