"""Launches of `split_attention` and `combine_splits`."""

from __future__ import annotations

import math

import torch
import triton
from torch import Tensor

from fastedit_kernels.gpu.attention_kernels import combine_splits, split_attention
from fastedit_kernels.gpu.launch import block_of, dot_precision, has_tma, num_multiprocessors, require, require_ragged
from fastedit_kernels.gpu.tiles import (
    ATTENTION_TILES,
    COMBINED_AT_ONCE,
    LONGEST_SPLIT,
    SHORTEST_SPLIT,
    WAVES_WITHOUT_SPLIT,
    AttentionTile,
)
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
    """See `reference.chunk_attention`. Graph-capturable: every length is read on the device, the grid covers
    `max_chunk` tokens and `max_kv_len` keys of each request, and programs without work leave at once.
    """
    num_tokens, num_heads, head_dim = query.shape
    num_kv_heads = keys.shape[1]
    num_requests = require_ragged(cu_seqlens, slots, lengths, offsets)
    require(
        query.is_contiguous() and keys.is_contiguous() and values.is_contiguous(), "contiguous query, keys and values"
    )
    require(keys.shape == values.shape and keys.shape[2] == head_dim, "keys and values of the query's head size")
    require(num_heads % num_kv_heads == 0, "a multiple of the KV heads as query heads")
    group = num_heads // num_kv_heads
    tile = attention_tile(head_dim, max_chunk * group, has_tma(query.device), mode)
    row_blocks = triton.cdiv(max_chunk * group, tile.block_m)
    max_kv_len = slot_len if max_kv_len is None else max_kv_len
    split = keys_per_split(row_blocks * num_kv_heads * num_requests, max_kv_len, tile, query.device, mode)
    num_splits = triton.cdiv(max_kv_len, split)
    shape = {
        "HEADS": num_heads,
        "D": head_dim,
        "D_BLOCK": block_of(head_dim, 16),
        "SPLIT": split,
        "WINDOW": window or 0,
    }
    one_split = num_splits == 1
    out = torch.zeros_like(query) if one_split else torch.empty_like(query)
    partial, lse = (out, out) if one_split else _workspace(query, num_splits)
    split_attention[(row_blocks, num_kv_heads * num_splits, num_requests)](
        query, keys, values, partial, lse, cu_seqlens, slots, lengths, lengths if offsets is None else offsets,
        scale / math.log(2.0), num_tokens, slot_len,
        KV_HEADS=num_kv_heads, BLOCK_M=tile.block_m, BLOCK_N=tile.block_n, ONE_SPLIT=one_split,
        PRECISION=dot_precision(query.dtype), BRANCHES=offsets is not None, num_warps=tile.num_warps,
        num_stages=tile.num_stages, enable_fp_fusion=not mode.is_exact, **shape,
    )  # fmt: skip
    if not one_split:
        combine_splits[(num_tokens, num_heads)](
            partial, lse, out, cu_seqlens, lengths, num_tokens, num_requests,
            N_BLOCK=block_of(num_requests), AT_ONCE=COMBINED_AT_ONCE, num_warps=1, **shape,
        )  # fmt: skip
    return out


def attention_tile(head_dim: int, num_rows: int, tma: bool, mode: Mode) -> AttentionTile:
    """The shipped tile for blocks of `num_rows` (tokens times heads of a group); in exact mode one tile for all."""
    by_rows = next((tiles for most, tiles in ATTENTION_TILES[tma] if head_dim <= most), None)
    if by_rows is None:
        raise ValueError(f"no attention tile for head dimension {head_dim}")
    if mode.is_exact:
        return by_rows[-1][1]
    return next(tile for most_rows, tile in by_rows if num_rows <= most_rows)


def keys_per_split(num_programs: int, max_kv_len: int, tile: AttentionTile, device: torch.device, mode: Mode) -> int:
    """Keys that one program sums: the mode's, or as many as leave enough splits to fill the device with `num_programs`
    each. A power of two: the kernels are compiled for every other one, and a prompt may have any length.
    """
    if mode.keys_per_split is not None:
        return mode.keys_per_split
    whole = block_of(max_kv_len, tile.block_n)
    wanted = triton.cdiv(WAVES_WITHOUT_SPLIT * num_multiprocessors(device), num_programs)
    if wanted == 1:
        return whole
    return min(whole, max(SHORTEST_SPLIT, min(LONGEST_SPLIT, whole // block_of(wanted))))


def _workspace(query: Tensor, num_splits: int) -> tuple[Tensor, Tensor]:
    partial = torch.empty((num_splits, *query.shape), dtype=torch.float32, device=query.device)
    return partial, torch.empty(partial.shape[:-1], dtype=torch.float32, device=query.device)
