"""Rotary embedding of queries and keys, and the write into the KV slots: see `gpu/rope_append.py` for the kernel."""

from __future__ import annotations

import torch
from torch import Tensor

from fastedit_kernels.layout import token_positions, token_rows


def append(
    new_keys: Tensor,
    new_values: Tensor,
    keys: Tensor,
    values: Tensor,
    cu_seqlens: Tensor,
    slots: Tensor,
    lengths: Tensor,
    *,
    slot_len: int,
    offsets: Tensor | None = None,
) -> None:
    """Write the packed new keys and values, [T, num_kv_heads, head_dim], behind what their slots hold.

    For models that rotate by themselves. See `layout` for the cache's shape; padding goes to the scratch row.
    """
    rows = token_rows(cu_seqlens, slots, lengths, len(new_keys), slot_len, len(keys), offsets)
    keys[rows] = new_keys.to(keys.dtype)
    values[rows] = new_values.to(values.dtype)


def rope_append(
    qkv: Tensor,
    cos: Tensor,
    sin: Tensor,
    keys: Tensor,
    values: Tensor,
    cu_seqlens: Tensor,
    slots: Tensor,
    lengths: Tensor,
    *,
    slot_len: int,
    num_heads: int,
    query_norm: Tensor | None = None,
    key_norm: Tensor | None = None,
    eps: float = 1e-6,
    offsets: Tensor | None = None,
) -> Tensor:
    """The rotated queries, [T, num_heads, head_dim]; rotated keys, and values, go behind what their slots hold.

    qkv: [T, (num_heads + 2 * num_kv_heads) * head_dim], queries, keys, values. cos, sin: float32
    [max_positions, head_dim / 2], looked up by absolute position (halves are rotated against each other, as in
    Llama). query_norm, key_norm: [head_dim] weights of a per-head RMS norm before the rotation (Qwen3), or None.
    Arithmetic is in float32 and rounded once at the end (after the norm too).
    """
    head_dim = keys.shape[-1]
    num_kv_heads = keys.shape[1]
    heads = qkv.view(len(qkv), -1, head_dim)
    query, key, value = torch.split(heads, [num_heads, num_kv_heads, num_kv_heads], dim=1)
    positions = token_positions(cu_seqlens, lengths, len(qkv))
    angles = cos[positions][:, None, :], sin[positions][:, None, :]
    key = _rotated(_normed(key, key_norm, eps), *angles)
    append(key, value, keys, values, cu_seqlens, slots, lengths, slot_len=slot_len, offsets=offsets)
    return _rotated(_normed(query, query_norm, eps), *angles)


def _normed(x: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    if weight is None:
        return x
    wide = _widened(x)
    return (wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)).to(x.dtype) * weight


def _widened(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    low, high = _widened(x).chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1).to(x.dtype)
