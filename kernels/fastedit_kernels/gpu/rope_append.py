"""Launches of `rope_append_kernel` and `append_kernel`."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from fastedit_kernels.gpu.append_kernels import append_kernel, rope_append_kernel
from fastedit_kernels.gpu.launch import block_of, require, require_ragged

HEADS_AT_ONCE = 4  # that one program handles
APPEND_BLOCK = 1024


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
    """See `reference.rope_append`."""
    num_requests = require_ragged(cu_seqlens, slots, lengths, offsets)
    num_kv_heads, head_dim = _require_cache(keys, values)
    num_all = num_heads + 2 * num_kv_heads
    require(qkv.stride(1) == 1 and qkv.shape[1] == num_all * head_dim, "qkv of all heads' width")
    require(cos.shape == sin.shape and cos.shape[1] * 2 == head_dim, "cos and sin [positions, head_dim / 2]")
    require(cos.is_contiguous() and sin.is_contiguous(), "contiguous cos and sin")
    require((query_norm is None) == (key_norm is None), "both norms or none")
    query = torch.empty((len(qkv), num_heads, head_dim), dtype=qkv.dtype, device=qkv.device)
    norms = (qkv, qkv) if query_norm is None else (query_norm, key_norm)  # anything, where the kernel doesn't look
    rope_append_kernel[(len(qkv), triton.cdiv(num_all, HEADS_AT_ONCE))](
        qkv, cos, sin, *norms, query, keys, values, cu_seqlens, slots, lengths,
        lengths if offsets is None else offsets, slot_len, len(keys), num_requests, eps, qkv.stride(0),
        HEADS=num_heads, KV_HEADS=num_kv_heads, HALF=head_dim // 2, HALF_BLOCK=block_of(head_dim // 2),
        N_BLOCK=block_of(num_requests), BLOCK_H=HEADS_AT_ONCE, NORM=query_norm is not None,
        BRANCHES=offsets is not None,
    )  # fmt: skip
    return query


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
    """See `reference.append`."""
    num_requests = require_ragged(cu_seqlens, slots, lengths, offsets)
    num_kv_heads, head_dim = _require_cache(keys, values)
    require(new_keys.shape == new_values.shape == (len(new_keys), num_kv_heads, head_dim), "new keys and values alike")
    require(new_keys.is_contiguous() and new_values.is_contiguous(), "contiguous new keys and values")
    width = num_kv_heads * head_dim
    append_kernel[(len(new_keys), triton.cdiv(width, APPEND_BLOCK))](
        new_keys, new_values, keys, values, cu_seqlens, slots, lengths, lengths if offsets is None else offsets,
        slot_len, len(keys), num_requests,
        WIDTH=width, BLOCK=APPEND_BLOCK, N_BLOCK=block_of(num_requests), BRANCHES=offsets is not None,
    )  # fmt: skip


def _require_cache(keys: Tensor, values: Tensor) -> tuple[int, int]:
    """(KV heads, head size) of a layer's cache."""
    require(
        keys.shape == values.shape and keys.is_contiguous() and values.is_contiguous(), "contiguous keys and values"
    )
    return keys.shape[1], keys.shape[2]
