# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels behind `chunk_attention`.

    split_attention   one block of rows against one split of the keys: normalised output and its log-sum-exp
    combine_splits    the splits of a row, in ascending order

A row is one token with one query head; the heads that share a KV head are rows of the same block (rows are ordered
by token, then by head), so that each key is read once for all of them. Splits and key blocks start at absolute
positions, and a masked key adds exactly nothing, so a row's result depends on its own keys alone: neither on the
chunk that it came in nor on its batch mates. For that, in exact mode, `split_attention` has to be compiled with
`enable_fp_fusion=False`: its two loops, with and without mask, would be fused differently.
"""

from __future__ import annotations

import triton
import triton.language as tl

from fastedit_kernels.gpu.ragged import request_of

# fmt: off


@triton.jit
def split_attention(
    query_ptr, keys_ptr, values_ptr, out_ptr, lse_ptr, cu_ptr, slots_ptr, lengths_ptr, offsets_ptr, scale_log2, T,
    slot_len, HEADS: tl.constexpr, KV_HEADS: tl.constexpr, D: tl.constexpr, D_BLOCK: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, SPLIT: tl.constexpr, WINDOW: tl.constexpr, ONE_SPLIT: tl.constexpr,
    PRECISION: tl.constexpr, BRANCHES: tl.constexpr,
):
    """Grid (row blocks, KV heads * splits, N). out: float32 [splits, T, HEADS, D] and lse (base 2) [splits, T, HEADS],
    or with ONE_SPLIT the result itself, [T, HEADS, D]. WINDOW: 0 for none.
    """
    GROUP: tl.constexpr = HEADS // KV_HEADS
    kv_head = tl.program_id(1) % KV_HEADS
    split = tl.program_id(1) // KV_HEADS
    request = tl.program_id(2)
    start = tl.load(cu_ptr + request)
    chunk = tl.load(cu_ptr + request + 1) - start
    length = tl.load(lengths_ptr + request)
    offset = 0
    if BRANCHES:
        offset = tl.load(offsets_ptr + request)
    first_row = tl.program_id(0) * BLOCK_M
    first_position = length + first_row // GROUP
    last_position = length + tl.minimum((first_row + BLOCK_M - 1) // GROUP, chunk - 1)
    low = split * SPLIT
    high = tl.minimum(low + SPLIT, last_position + 1)
    if WINDOW > 0:
        low = tl.maximum(low, (first_position - WINDOW + 1) // BLOCK_N * BLOCK_N)
    if (first_row < chunk * GROUP) & (low < high):
        rows = first_row + tl.arange(0, BLOCK_M)
        tokens = rows // GROUP
        in_chunk = tokens < chunk
        at = (start + tokens) * HEADS + kv_head * GROUP + rows % GROUP
        d = tl.arange(0, D_BLOCK)
        in_d = (d < D)[None, :]
        q = tl.load(query_ptr + at[:, None] * D + d[None, :], mask=in_chunk[:, None] & in_d, other=0.0)
        first_key = tl.load(slots_ptr + request).to(tl.int64) * slot_len
        keys = keys_ptr + (first_key * KV_HEADS + kv_head) * D
        values = values_ptr + (first_key * KV_HEADS + kv_head) * D
        peak = tl.full((BLOCK_M,), float("-inf"), tl.float32)
        total = tl.zeros((BLOCK_M,), tl.float32)
        acc = tl.zeros((BLOCK_M, D_BLOCK), tl.float32)
        unmasked_end = low
        if WINDOW == 0:
            unmasked_end = low + (tl.minimum(first_position + 1, high) - low) // BLOCK_N * BLOCK_N
            unmasked_end = tl.maximum(unmasked_end, low)
            for key in range(low, unmasked_end, BLOCK_N):
                peak, total, acc = _attend(
                    q, keys, values, peak, total, acc, key, high, length + tokens, length, offset, d, in_d, scale_log2,
                    KV_HEADS, D, BLOCK_N, WINDOW, False, PRECISION, BRANCHES,
                )
        for key in range(unmasked_end, high, BLOCK_N):
            peak, total, acc = _attend(
                q, keys, values, peak, total, acc, key, high, length + tokens, length, offset, d, in_d, scale_log2,
                KV_HEADS, D, BLOCK_N, WINDOW, True, PRECISION, BRANCHES,
            )
        # A row that sees no key of this split, but whose neighbours do, has a total of 0.
        acc = acc / tl.where(total > 0, total, 1.0)[:, None]
        if ONE_SPLIT:
            acc = acc.to(out_ptr.dtype.element_ty)
        else:
            at = split * T * HEADS + at
            tl.store(lse_ptr + at, tl.where(total > 0, peak + tl.log2(total), float("-inf")), mask=in_chunk)
        tl.store(out_ptr + at[:, None].to(tl.int64) * D + d[None, :], acc, mask=in_chunk[:, None] & in_d)


@triton.jit
def _attend(
    q, keys, values, peak, total, acc, key, high, positions, length, offset, d, in_d, scale_log2,
    KV_HEADS: tl.constexpr, D: tl.constexpr, BLOCK_N: tl.constexpr, WINDOW: tl.constexpr, MASKED: tl.constexpr,
    PRECISION: tl.constexpr, BRANCHES: tl.constexpr,
):
    """One block of keys, online softmax in base 2. Keys from `high` on may be stale: they are not read. Those from
    `length` on lie `offset` rows further on."""
    c = key + tl.arange(0, BLOCK_N)
    row = c
    if BRANCHES:
        row = c + tl.where(c >= length, offset, 0)
    offsets = row[:, None] * (KV_HEADS * D) + d[None, :]
    mask = in_d
    if MASKED:
        mask = in_d & (c < high)[:, None]
    k = tl.load(keys + offsets, mask=mask, other=0.0)
    scores = tl.dot(q, k.T, input_precision=PRECISION) * scale_log2
    if MASKED:
        visible = c[None, :] <= positions[:, None]
        if WINDOW > 0:
            visible = visible & (c[None, :] > positions[:, None] - WINDOW)
        scores = tl.where(visible, scores, float("-inf"))
    new_peak = tl.maximum(peak, tl.max(scores, axis=1))
    shift = tl.where(new_peak == float("-inf"), 0.0, new_peak)
    weights = tl.exp2(scores - shift[:, None])
    decay = tl.exp2(peak - shift)
    total = total * decay + tl.sum(weights, axis=1)
    v = tl.load(values + offsets, mask=mask, other=0.0)
    acc = tl.dot(weights.to(v.dtype), v, acc * decay[:, None], input_precision=PRECISION)
    return new_peak, total, acc


@triton.jit
def combine_splits(
    partial_ptr, lse_ptr, out_ptr, cu_ptr, lengths_ptr, T, N, HEADS: tl.constexpr, D: tl.constexpr,
    D_BLOCK: tl.constexpr, SPLIT: tl.constexpr, WINDOW: tl.constexpr, N_BLOCK: tl.constexpr, AT_ONCE: tl.constexpr,
):
    """Grid (T, HEADS): one row's splits in ascending order, AT_ONCE at a time; zeros for padding."""
    token = tl.program_id(0)
    head = tl.program_id(1)
    d = tl.arange(0, D_BLOCK)
    request = request_of(cu_ptr, token, N, N_BLOCK)
    acc = tl.zeros((D_BLOCK,), tl.float32)
    total = tl.full((), 1.0, tl.float32)
    if request < N:
        position = tl.load(lengths_ptr + request) + token - tl.load(cu_ptr + request)
        first = 0
        if WINDOW > 0:
            first = tl.maximum(position - WINDOW + 1, 0) // SPLIT
        total = tl.full((), 0.0, tl.float32)
        peak = tl.full((), float("-inf"), tl.float32)
        for group in range(first, position // SPLIT + 1, AT_ONCE):
            splits = group + tl.arange(0, AT_ONCE)
            in_splits = splits <= position // SPLIT
            at = (splits.to(tl.int64) * T + token) * HEADS + head
            lse = tl.load(lse_ptr + at, mask=in_splits, other=float("-inf"))
            new_peak = tl.maximum(peak, tl.max(lse, axis=0))
            weights = tl.exp2(lse - new_peak)
            decay = tl.exp2(peak - new_peak)
            mask = in_splits[:, None] & (d < D)[None, :]
            outs = tl.load(partial_ptr + at[:, None] * D + d[None, :], mask=mask, other=0.0)
            acc = acc * decay + tl.sum(weights[:, None] * outs, axis=0)
            total = total * decay + tl.sum(weights, axis=0)
            peak = new_peak
    out = (acc / total).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + (token.to(tl.int64) * HEADS + head) * D + d, out, mask=d < D)
