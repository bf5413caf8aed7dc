# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels behind `rope_append` and `append`: both write new keys and values behind what their slots hold."""

from __future__ import annotations

import triton
import triton.language as tl

from fastedit_kernels.gpu.ragged import request_of

# fmt: off


@triton.jit
def rope_append_kernel(
    qkv_ptr, cos_ptr, sin_ptr, query_norm_ptr, key_norm_ptr, query_ptr, keys_ptr, values_ptr,
    cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, slot_len, num_rows, N, eps, qkv_stride,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, HALF: tl.constexpr, HALF_BLOCK: tl.constexpr,
    N_BLOCK: tl.constexpr, BLOCK_H: tl.constexpr, NORM: tl.constexpr, BRANCHES: tl.constexpr,
):
    """Grid (T, blocks of BLOCK_H heads) over qkv [T, HEADS + 2 * KV_HEADS, 2 * HALF]; each number is read once."""
    token = tl.program_id(0)
    position, row = _place(
        token, cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, slot_len, num_rows, N, N_BLOCK, BRANCHES
    )
    heads = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    d = tl.arange(0, HALF_BLOCK)
    mask = (heads < HEADS + 2 * KV_HEADS)[:, None] & (d < HALF)[None, :]
    source = qkv_ptr + token.to(tl.int64) * qkv_stride + heads[:, None] * (2 * HALF) + d[None, :]
    low = tl.load(source, mask=mask, other=0.0)
    high = tl.load(source + HALF, mask=mask, other=0.0)
    is_query = (heads < HEADS)[:, None]
    is_value = (heads >= HEADS + KV_HEADS)[:, None]
    turned_low, turned_high = low, high
    if NORM:
        turned_low, turned_high = _normed(low, high, is_query, query_norm_ptr, key_norm_ptr, d, HALF, eps)
    cos = tl.load(cos_ptr + position * HALF + d, mask=d < HALF, other=1.0)[None, :]
    sin = tl.load(sin_ptr + position * HALF + d, mask=d < HALF, other=0.0)[None, :]
    wide_low, wide_high = turned_low.to(tl.float32), turned_high.to(tl.float32)
    low = tl.where(is_value, low, (wide_low * cos - wide_high * sin).to(low.dtype))
    high = tl.where(is_value, high, (wide_high * cos + wide_low * sin).to(high.dtype))

    query_at = query_ptr + (token.to(tl.int64) * HEADS + heads[:, None]) * (2 * HALF) + d[None, :]
    tl.store(query_at, low, mask=mask & is_query)
    tl.store(query_at + HALF, high, mask=mask & is_query)
    is_key = ~is_query & ~is_value
    key_at = keys_ptr + (row * KV_HEADS + heads[:, None] - HEADS) * (2 * HALF) + d[None, :]
    tl.store(key_at, low.to(keys_ptr.dtype.element_ty), mask=mask & is_key)
    tl.store(key_at + HALF, high.to(keys_ptr.dtype.element_ty), mask=mask & is_key)
    value_at = values_ptr + (row * KV_HEADS + heads[:, None] - HEADS - KV_HEADS) * (2 * HALF) + d[None, :]
    tl.store(value_at, low.to(values_ptr.dtype.element_ty), mask=mask & is_value)
    tl.store(value_at + HALF, high.to(values_ptr.dtype.element_ty), mask=mask & is_value)


@triton.jit
def append_kernel(
    new_keys_ptr, new_values_ptr, keys_ptr, values_ptr, cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, slot_len, num_rows,
    N, WIDTH: tl.constexpr, BLOCK: tl.constexpr, N_BLOCK: tl.constexpr, BRANCHES: tl.constexpr,
):
    """Grid (T, blocks of WIDTH) over new keys and values [T, WIDTH], all heads of a token in a row."""
    token = tl.program_id(0)
    _, row = _place(token, cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, slot_len, num_rows, N, N_BLOCK, BRANCHES)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    source = token.to(tl.int64) * WIDTH + d
    key = tl.load(new_keys_ptr + source, mask=d < WIDTH)
    value = tl.load(new_values_ptr + source, mask=d < WIDTH)
    tl.store(keys_ptr + row * WIDTH + d, key.to(keys_ptr.dtype.element_ty), mask=d < WIDTH)
    tl.store(values_ptr + row * WIDTH + d, value.to(values_ptr.dtype.element_ty), mask=d < WIDTH)


@triton.jit
def _place(
    token, cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, slot_len, num_rows, N, N_BLOCK: tl.constexpr,
    BRANCHES: tl.constexpr,
):
    """(absolute position, KV row as int64) of a packed token; position 0 and the scratch row for padding."""
    request = request_of(cu_ptr, token, N, N_BLOCK)
    is_real = request < N
    begin = tl.load(cu_ptr + request, mask=is_real, other=0)
    position = tl.load(lengths_ptr + request, mask=is_real, other=0) + tl.where(is_real, token - begin, 0)
    row = tl.load(slots_ptr + request, mask=is_real, other=0).to(tl.int64) * slot_len + position
    if BRANCHES:
        row += tl.load(offsets_ptr + request, mask=is_real, other=0)
    return position, tl.where(is_real, row, num_rows - 1)


@triton.jit
def _normed(low, high, is_query, query_norm_ptr, key_norm_ptr, d, HALF: tl.constexpr, eps):
    """Each head's RMS norm, rounded before the weight as Hugging Face rounds."""
    wide_low, wide_high = low.to(tl.float32), high.to(tl.float32)
    squares = tl.sum(wide_low * wide_low, axis=1) + tl.sum(wide_high * wide_high, axis=1)
    scale = tl.rsqrt(squares / (2 * HALF) + eps)[:, None]
    weight_low = _norm_weight(query_norm_ptr, key_norm_ptr, is_query, d, HALF)
    weight_high = _norm_weight(query_norm_ptr + HALF, key_norm_ptr + HALF, is_query, d, HALF)
    return (wide_low * scale).to(low.dtype) * weight_low, (wide_high * scale).to(high.dtype) * weight_high


@triton.jit
def _norm_weight(query_norm_ptr, key_norm_ptr, is_query, d, HALF: tl.constexpr):
    of_query = tl.load(query_norm_ptr + d, mask=d < HALF, other=0.0)
    of_key = tl.load(key_norm_ptr + d, mask=d < HALF, other=0.0)
    return tl.where(is_query, of_query[None, :], of_key[None, :])
