# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""RoPE (after Qwen3's per-head norm, where there is one) and the write into the KV slots, in one kernel.

Reads the joined projection once and writes queries, keys and values once: eager layers take about ten launches for
it. One program handles a token and HEADS_AT_ONCE heads.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from fastedit_kernels.gpu.launch import block_of, require, require_ragged
from fastedit_kernels.gpu.ragged import request_of

HEADS_AT_ONCE = 4


# fmt: off










# fmt: on


@triton.jit
def rope_append_kernel(
    qkv_ptr,
    cos_ptr,
    sin_ptr,
    query_norm_ptr,
    key_norm_ptr,
    query_ptr,
    keys_ptr,
    values_ptr,
    cu_ptr,
    slots_ptr,
    lengths_ptr,
    slot_len,
    num_rows,
    N,
    eps,
    qkv_stride,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HALF: tl.constexpr,
    HALF_BLOCK: tl.constexpr,
    N_BLOCK: tl.constexpr,
    BLOCK_H: tl.constexpr,
    NORM: tl.constexpr,
    ROTATE: tl.constexpr,
):
    """Grid (T, head blocks) over qkv [T, HEADS + 2 * KV_HEADS, 2 * HALF]; padding goes to the last row."""
    token = tl.program_id(0)
    request = request_of(cu_ptr, token, N, N_BLOCK)
    is_real = request < N
    begin = tl.load(cu_ptr + request, mask=is_real, other=0)
    position = tl.load(lengths_ptr + request, mask=is_real, other=0) + tl.where(is_real, token - begin, 0)
    row = tl.load(slots_ptr + request, mask=is_real, other=0).to(tl.int64) * slot_len + position
    row = tl.where(is_real, row, num_rows - 1)

    heads = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    d = tl.arange(0, HALF_BLOCK)
    mask = (heads < HEADS + 2 * KV_HEADS)[:, None] & (d < HALF)[None, :]
    source = qkv_ptr + token.to(tl.int64) * qkv_stride + heads[:, None] * (2 * HALF) + d[None, :]
    low = tl.load(source, mask=mask, other=0.0)
    high = tl.load(source + HALF, mask=mask, other=0.0)
    is_query = (heads < HEADS)[:, None]
    is_key = (heads >= HEADS)[:, None] & (heads < HEADS + KV_HEADS)[:, None]
    is_value = (heads >= HEADS + KV_HEADS)[:, None]
    if NORM:
        low_normed, high_normed = _normed(low, high, is_query, query_norm_ptr, key_norm_ptr, d, HALF, eps)
        low, high = tl.where(is_value, low, low_normed), tl.where(is_value, high, high_normed)
    if ROTATE:
        cos = tl.load(cos_ptr + position * HALF + d, mask=d < HALF, other=1.0)[None, :]
        sin = tl.load(sin_ptr + position * HALF + d, mask=d < HALF, other=0.0)[None, :]
        wide_low, wide_high = low.to(tl.float32), high.to(tl.float32)
        low = tl.where(is_value, low, (wide_low * cos - wide_high * sin).to(low.dtype))
        high = tl.where(is_value, high, (wide_high * cos + wide_low * sin).to(high.dtype))

    query_at = query_ptr + (token.to(tl.int64) * HEADS + heads[:, None]) * (2 * HALF) + d[None, :]
    tl.store(query_at, low, mask=mask & is_query)
    tl.store(query_at + HALF, high, mask=mask & is_query)
    key_at = keys_ptr + (row * KV_HEADS + heads[:, None] - HEADS) * (2 * HALF) + d[None, :]
    tl.store(key_at, low.to(keys_ptr.dtype.element_ty), mask=mask & is_key)
    tl.store(key_at + HALF, high.to(keys_ptr.dtype.element_ty), mask=mask & is_key)
    value_at = values_ptr + (row * KV_HEADS + heads[:, None] - HEADS - KV_HEADS) * (2 * HALF) + d[None, :]
    tl.store(value_at, low.to(values_ptr.dtype.element_ty), mask=mask & is_value)
    tl.store(value_at + HALF, high.to(values_ptr.dtype.element_ty), mask=mask & is_value)


@triton.jit
def _normed(low, high, is_query, query_norm_ptr, key_norm_ptr, d, HALF: tl.constexpr, eps):
    """Each head's RMS norm, rounded before the weight as Hugging Face rounds."""
    wide_low, wide_high = low.to(tl.float32), high.to(tl.float32)
    squares = tl.sum(wide_low * wide_low, axis=1) + tl.sum(wide_high * wide_high, axis=1)
    scale = tl.rsqrt(squares / (2 * HALF) + eps)[:, None]
    in_d = d < HALF
    q_low, q_high = (
        tl.load(query_norm_ptr + d, mask=in_d, other=0.0),
        tl.load(query_norm_ptr + HALF + d, mask=in_d, other=0.0),
    )
    k_low, k_high = (
        tl.load(key_norm_ptr + d, mask=in_d, other=0.0),
        tl.load(key_norm_ptr + HALF + d, mask=in_d, other=0.0),
    )
    weight_low = tl.where(is_query, q_low[None, :], k_low[None, :])
    weight_high = tl.where(is_query, q_high[None, :], k_high[None, :])
    return (wide_low * scale).to(low.dtype) * weight_low, (wide_high * scale).to(high.dtype) * weight_high


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
) -> Tensor:
    """See `reference.rope_append`."""
    head_dim, num_kv_heads = keys.shape[2], keys.shape[1]
    require(qkv.stride(1) == 1 and qkv.shape[1] == (num_heads + 2 * num_kv_heads) * head_dim, "qkv of the heads' size")
    require(
        cos.is_contiguous() and sin.is_contiguous() and cos.shape[1] * 2 == head_dim, "cos and sin [P, head_dim / 2]"
    )
    query = torch.empty((len(qkv), num_heads, head_dim), dtype=qkv.dtype, device=qkv.device)
    norms = None if query_norm is None or key_norm is None else (query_norm, key_norm)
    _launch(qkv, cos, sin, norms, query, keys, values, cu_seqlens, slots, lengths, slot_len, num_heads, eps)
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
) -> None:
    """See `reference.append`."""
    kv = torch.cat((new_keys.flatten(1), new_values.flatten(1)), dim=1)
    _launch(kv, kv, kv, None, kv, keys, values, cu_seqlens, slots, lengths, slot_len, 0, 0.0)


def _launch(
    qkv: Tensor,
    cos: Tensor,
    sin: Tensor,
    norms: tuple[Tensor, Tensor] | None,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    cu_seqlens: Tensor,
    slots: Tensor,
    lengths: Tensor,
    slot_len: int,
    num_heads: int,
    eps: float,
) -> None:
    num_requests = require_ragged(cu_seqlens, slots, lengths)
    require(
        keys.is_contiguous() and values.is_contiguous() and keys.shape == values.shape, "contiguous keys and values"
    )
    num_kv_heads, half = keys.shape[1], keys.shape[2] // 2
    blocks = triton.cdiv(num_heads + 2 * num_kv_heads, HEADS_AT_ONCE)
    query_norm, key_norm = norms or (qkv, qkv)  # anything, where the kernel doesn't look
    rope_append_kernel[(len(qkv), blocks)](
        qkv,
        cos,
        sin,
        query_norm,
        key_norm,
        query,
        keys,
        values,
        cu_seqlens,
        slots,
        lengths,
        slot_len,
        len(keys),
        num_requests,
        eps,
        qkv.stride(0),
        HEADS=num_heads,
        KV_HEADS=num_kv_heads,
        HALF=half,
        HALF_BLOCK=block_of(half),
        N_BLOCK=block_of(num_requests),
        BLOCK_H=HEADS_AT_ONCE,
        NORM=norms is not None,
        ROTATE=num_heads > 0,
    )
