"""Causal attention of ragged chunks over their cached keys: see `gpu/chunk_attention.py` for the kernels."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from fastedit_kernels.modes import EXACT, Mode


def chunk_attention(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    cu_seqlens: Tensor,
    slots: Tensor,
    lengths: Tensor,
    *,
    slot_len: int,
    max_chunk: int,
    scale: float,
    window: int | None = None,
    max_kv_len: int | None = None,
    offsets: Tensor | None = None,
    mode: Mode = EXACT,
) -> Tensor:
    """Every packed token's attention over its request's cached keys up to itself: [T, num_heads, head_dim].

    query: [T, num_heads, head_dim], already rotated; its own keys and values are already in the cache. See `layout`
    for the cache's shape. max_chunk, max_kv_len: bounds known on the host, no chunk, and no request with its chunk, is
    longer (None: slot_len; a longer request goes on in the next slots). window: only the last `window` keys count, the
    token's own included. Query head h uses KV head h // (num_heads / num_kv_heads). Padding tokens get zeros.
    """
    out = torch.zeros_like(query)
    bounds = cu_seqlens.tolist()
    new_at = lengths if offsets is None else lengths + offsets
    requests = zip(slots.tolist(), lengths.tolist(), new_at.tolist(), strict=True)
    for request, (slot, length, new) in enumerate(requests):
        start, end = bounds[request], bounds[request + 1]
        if start == end:
            continue
        first = slot * slot_len
        cached, added = slice(first, first + length), slice(first + new, first + new + end - start)
        seen_keys, seen_values = (torch.cat((cache[cached], cache[added])) for cache in (keys, values))
        out[start:end] = _attend(query[start:end], seen_keys, seen_values, length, scale, window)
    return out


def _attend(query: Tensor, keys: Tensor, values: Tensor, length: int, scale: float, window: int | None) -> Tensor:
    # query: [K, Hq, D]; keys, values: [length + K, Hkv, D] -> [K, Hq, D]
    query_positions = torch.arange(length, length + len(query), device=query.device)
    key_positions = torch.arange(len(keys), device=query.device)
    behind = query_positions[:, None] - key_positions[None, :]
    visible = behind >= 0 if window is None else (behind >= 0) & (behind < window)
    out = functional.scaled_dot_product_attention(
        query.transpose(0, 1)[None],
        keys.transpose(0, 1)[None].to(query.dtype),
        values.transpose(0, 1)[None].to(query.dtype),
        attn_mask=visible,
        scale=scale,
        enable_gqa=True,
    )
    return out[0].transpose(0, 1)
