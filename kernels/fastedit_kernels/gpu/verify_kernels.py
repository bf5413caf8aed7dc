# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels behind `verify`.

    sampling_rows    what a row needs to draw its noise, once for all its logits
    product_tiles    lm_head product, tile by tile, and each tile's best token; no logits are written
    logits_tiles     the same from logits that a library computed, one block of the vocabulary at a time
    merge_rows       the best token of each row over its tiles
    first_mismatch   how many draft tokens of each request were confirmed

A tile's result is (best score, its lowest token id, log-sum-exp), in arrays [tiles, R]. No atomics: every reduction
has one fixed order.
"""

from __future__ import annotations

import triton
import triton.language as tl

from fastedit_kernels.gpu.noise import gumbel, row_keys
from fastedit_kernels.gpu.ragged import NONE, requests_of
from fastedit_kernels.verdict import GREEDY_BELOW

GREEDY_BELOW_ = tl.constexpr(GREEDY_BELOW)


# fmt: off


@triton.jit
def sampling_rows(
    seeds_ptr, temperature_ptr, positions_ptr, cu_ptr, c1_ptr, key_ptr, inverse_ptr, R, N, N_BLOCK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """c1 and key words (as int32) and 1 / temperature of each row; 1 / temperature is 0 where the row is greedy."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    in_rows = rows < R
    requests = requests_of(cu_ptr, rows, N, N_BLOCK)
    has_request = in_rows & (requests < N)
    temperature = tl.load(temperature_ptr + requests, mask=has_request, other=0.0)
    is_sampled = temperature >= GREEDY_BELOW_
    inverse = tl.where(
        is_sampled, tl.div_rn(tl.full((BLOCK,), 1.0, tl.float32), tl.where(is_sampled, temperature, 1.0)), 0.0
    )
    seeds = tl.load(seeds_ptr + requests, mask=has_request, other=0)
    positions = tl.load(positions_ptr + rows, mask=in_rows, other=0)
    c1, key = row_keys(seeds, positions)
    tl.store(c1_ptr + rows, c1.to(tl.int32, bitcast=True), mask=in_rows)
    tl.store(key_ptr + rows, key.to(tl.int32, bitcast=True), mask=in_rows)
    tl.store(inverse_ptr + rows, inverse, mask=in_rows)


@triton.jit
def _tile_result(
    logits, rows, tokens, tile, R, vocab_size, draft_ptr, c1_ptr, key_ptr, inverse_ptr, best_ptr, token_ptr,
    lse_ptr, draft_logits_ptr, SAMPLE: tl.constexpr, LOGPROBS: tl.constexpr,
):
    """Reduce float32 logits [rows, tokens] to the tile's entries of the [tiles, R] arrays, tokens ascending by one.

    A NaN logit is never chosen: tl.max passes over it, and it equals nothing. Stores come last, since stores between
    the reductions cost registers.
    """
    in_rows = rows < R
    out = tile.to(tl.int64) * R + rows
    logits = tl.where((tokens < vocab_size)[None, :], logits, float("-inf"))
    if LOGPROBS:
        peak = _finite(tl.max(logits, axis=1))
        lse = peak + tl.log(tl.sum(tl.exp(logits - peak[:, None]), axis=1))
        draft = tl.load(draft_ptr + rows, mask=in_rows, other=-1)
        draft_logit = tl.sum(tl.where(tokens[None, :] == draft[:, None], logits, 0.0), axis=1)
        is_here = (draft >= tl.min(tokens, axis=0)) & (draft <= tl.max(tokens, axis=0)) & (draft < vocab_size)
        tl.store(lse_ptr + out, lse, mask=in_rows)
        tl.store(draft_logits_ptr + rows, draft_logit, mask=in_rows & is_here)
    if SAMPLE:
        c1 = tl.load(c1_ptr + rows, mask=in_rows, other=0).to(tl.uint32, bitcast=True)
        key = tl.load(key_ptr + rows, mask=in_rows, other=0).to(tl.uint32, bitcast=True)
        inverse = tl.load(inverse_ptr + rows, mask=in_rows, other=0.0)
        is_sampled = inverse > 0
        noise = gumbel(tokens[None, :], c1[:, None], key[:, None])
        logits = logits * tl.where(is_sampled, inverse, 1.0)[:, None] + tl.where(is_sampled, 1.0, 0.0)[:, None] * noise
    # Not tl.max(return_indices=True): its tuple reduction breaks Triton 3.6's warp specialisation on Hopper.
    best = tl.max(logits, axis=1)
    token = tl.min(tl.where(logits == best[:, None], tokens[None, :], NONE), axis=1)
    tl.store(best_ptr + out, best, mask=in_rows)
    tl.store(token_ptr + out, token, mask=in_rows)


@triton.jit
def _finite(peak):
    # Subtracting an infinite peak would make NaN of what has a plain answer.
    return tl.where((peak == float("-inf")) | (peak == float("inf")), 0.0, peak)


@triton.jit
def product_tiles(
    hidden, lm_head, draft_ptr, c1_ptr, key_ptr, inverse_ptr, best_ptr, token_ptr, lse_ptr, draft_logits_ptr, R, V,
    vocab_size, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    NUM_PROGRAMS: tl.constexpr, SAMPLE: tl.constexpr, LOGPROBS: tl.constexpr, TMA: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Persistent: NUM_PROGRAMS programs share the tiles of hidden [R, D] @ lm_head[V, D].T.

    hidden and lm_head are TMA descriptors of blocks [BLOCK_M, BLOCK_K] and [BLOCK_N, BLOCK_K], or pointers.
    """
    num_row_blocks = tl.cdiv(R, BLOCK_M)
    num_tiles = num_row_blocks * tl.cdiv(vocab_size, BLOCK_N)
    for work in tl.range(tl.program_id(0), num_tiles, NUM_PROGRAMS, flatten=True):
        # All row blocks of a weight tile run side by side: it comes from memory once, then from the L2 cache.
        tile = work // num_row_blocks
        row = (work % num_row_blocks) * BLOCK_M
        rows = row + tl.arange(0, BLOCK_M)
        tokens = tile * BLOCK_N + tl.arange(0, BLOCK_N)
        logits = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(0, D, BLOCK_K):
            if TMA:
                a = hidden.load([row, k])
                b = lm_head.load([tile * BLOCK_N, k])
            else:
                ks = k + tl.arange(0, BLOCK_K)
                in_k = (ks < D)[None, :]
                a = tl.load(hidden + rows[:, None] * D + ks[None, :], mask=(rows < R)[:, None] & in_k, other=0.0)
                w_rows = lm_head + tokens[:, None].to(tl.int64) * D
                b = tl.load(w_rows + ks[None, :], mask=(tokens < V)[:, None] & in_k, other=0.0)
            logits = tl.dot(a, b.T, logits, input_precision=PRECISION)
        _tile_result(
            logits, rows, tokens, tile, R, vocab_size, draft_ptr, c1_ptr, key_ptr, inverse_ptr, best_ptr, token_ptr,
            lse_ptr, draft_logits_ptr, SAMPLE, LOGPROBS,
        )


@triton.jit
def logits_tiles(
    logits_ptr, draft_ptr, c1_ptr, key_ptr, inverse_ptr, best_ptr, token_ptr, lse_ptr, draft_logits_ptr, R, width,
    first_token, first_tile, vocab_size, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, SAMPLE: tl.constexpr,
    LOGPROBS: tl.constexpr,
):
    """Grid (row blocks, tiles) over float32 logits [R, width] of the tokens from first_token on.

    The width is a multiple of BLOCK_N, except in the last block, so that no tile reaches into the next one.
    """
    tile = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile * BLOCK_N + tl.arange(0, BLOCK_N)
    is_inside = (rows < R)[:, None] & (columns < width)[None, :]
    logits = tl.load(
        logits_ptr + rows[:, None].to(tl.int64) * width + columns[None, :], mask=is_inside, other=float("-inf")
    )
    _tile_result(
        logits, rows, first_token + columns, first_tile + tile, R, vocab_size, draft_ptr, c1_ptr, key_ptr, inverse_ptr,
        best_ptr, token_ptr, lse_ptr, draft_logits_ptr, SAMPLE, LOGPROBS,
    )


@triton.jit
def merge_rows(
    best_ptr, token_ptr, lse_ptr, draft_ptr, cu_ptr, c1_ptr, key_ptr, inverse_ptr, token_ids_ptr, logsumexp_ptr,
    token_logits_ptr, draft_logits_ptr, R, N, num_tiles, vocab_size, N_BLOCK: tl.constexpr, BLOCK_R: tl.constexpr,
    BLOCK_T: tl.constexpr, SAMPLE: tl.constexpr, LOGPROBS: tl.constexpr,
):
    """Own token of BLOCK_R rows over all tiles, ties to the lowest id; -1 for padding and where nothing is finite."""
    rows = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    in_rows = rows < R
    best = tl.full((BLOCK_R,), float("-inf"), tl.float32)
    token = tl.full((BLOCK_R,), NONE, tl.int32)
    lse_peak = tl.full((BLOCK_R,), float("-inf"), tl.float32)
    lse_sum = tl.zeros((BLOCK_R,), tl.float32)
    for first in range(0, num_tiles, BLOCK_T):
        tiles = first + tl.arange(0, BLOCK_T)
        is_inside = (tiles < num_tiles)[:, None] & in_rows[None, :]
        at = tiles[:, None].to(tl.int64) * R + rows[None, :]
        scores = tl.load(best_ptr + at, mask=is_inside, other=float("-inf"))
        ids = tl.load(token_ptr + at, mask=is_inside, other=NONE)
        block_best = tl.max(scores, axis=0)
        block_token = tl.min(tl.where(scores == block_best[None, :], ids, NONE), axis=0)
        # Tiles ascend, so an equal score of a later block has a higher id.
        token = tl.where(block_best > best, block_token, token)
        best = tl.maximum(best, block_best)
        if LOGPROBS:
            lse = tl.load(lse_ptr + at, mask=is_inside, other=float("-inf"))
            lse_peak, lse_sum = _joined_lse(lse, lse_peak, lse_sum)
    is_real = requests_of(cu_ptr, rows, N, N_BLOCK) < N
    token = tl.where((best > float("-inf")) & is_real, token, -1)
    tl.store(token_ids_ptr + rows, token, mask=in_rows)
    if LOGPROBS:
        if SAMPLE:
            c1 = tl.load(c1_ptr + rows, mask=in_rows, other=0).to(tl.uint32, bitcast=True)
            key = tl.load(key_ptr + rows, mask=in_rows, other=0).to(tl.uint32, bitcast=True)
            inverse = tl.load(inverse_ptr + rows, mask=in_rows, other=0.0)
            plain = (best - gumbel(token, c1, key)) / tl.where(inverse > 0, inverse, 1.0)
            best = tl.where(inverse > 0, plain, best)
        nan = float("nan")
        tl.store(token_logits_ptr + rows, tl.where(token >= 0, best, nan), mask=in_rows)
        tl.store(logsumexp_ptr + rows, tl.where(is_real, _finite(lse_peak) + tl.log(lse_sum), nan), mask=in_rows)
        draft = tl.load(draft_ptr + rows, mask=in_rows, other=-1)
        has_draft = is_real & (draft >= 0) & (draft < vocab_size)  # else no tile has written the draft's logit
        tl.store(draft_logits_ptr + rows, tl.full((BLOCK_R,), nan, tl.float32), mask=in_rows & ~has_draft)


@triton.jit
def _joined_lse(lse, peak, total):
    # lse: [tiles, rows]; peak and total: [rows], with log-sum-exp = peak + log(total)
    new_peak = tl.maximum(peak, tl.max(lse, axis=0))
    shift = _finite(new_peak)
    total = total * tl.exp(_finite(peak) - shift) + tl.sum(tl.exp(lse - shift[None, :]), axis=0)
    return new_peak, total


@triton.jit
def first_mismatch(token_ids_ptr, draft_ptr, cu_ptr, num_accepted_ptr, BLOCK: tl.constexpr):
    """One program a request: rows before its first row whose own token isn't its draft."""
    request = tl.program_id(0)
    start = tl.load(cu_ptr + request)
    end = tl.load(cu_ptr + request + 1)
    first = end
    for at in range(start, end, BLOCK):
        rows = at + tl.arange(0, BLOCK)
        in_request = rows < end
        token = tl.load(token_ids_ptr + rows, mask=in_request, other=-1)
        draft = tl.load(draft_ptr + rows, mask=in_request, other=-1)
        is_mismatch = in_request & ((token != draft) | (draft < 0))
        first = tl.minimum(first, tl.min(tl.where(is_mismatch, rows, end), axis=0))
    tl.store(num_accepted_ptr + request, first - start)
