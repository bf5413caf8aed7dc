"""Launches of the `verify` kernels: which variant, its workspace, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
import triton
from torch import Tensor
from triton.tools.tensor_descriptor import TensorDescriptor

from fastedit_kernels.gpu.launch import (
    block_of,
    dot_precision,
    has_tma,
    num_multiprocessors,
    require,
    require_ragged,
)
from fastedit_kernels.gpu.tiles import (
    CUBLAS,
    DEFAULT_TILES,
    EXACT_TILE,
    LOGITS_TILE,
    VERIFY_TILES,
    VerifyTile,
)
from fastedit_kernels.gpu.verify_filtered import filtered_tokens
from fastedit_kernels.gpu.verify_kernels import first_mismatch, logits_tiles, merge_rows, product_tiles, sampling_rows
from fastedit_kernels.modes import EXACT, Mode
from fastedit_kernels.reference.verify import plain_logits
from fastedit_kernels.verdict import Sampling, Verdict

MERGED_ROWS, MERGED_TILES = 8, 128  # what one step of `merge_rows` reads
ROW_BLOCK = 128


@dataclass(frozen=True, slots=True)
class DraftRows:
    """One call's rows: the draft, whose rows they are, and what they need to draw their noise (None: all greedy)."""

    draft_ids: Tensor  # int32 [R]
    cu_rows: Tensor  # int32 [N + 1]
    vocab_size: int
    noise: tuple[Tensor, Tensor, Tensor] | None  # c1, key: int32 [R]; 1 / temperature: float32 [R]
    need_logprobs: bool

    @property
    def num_rows(self) -> int:
        return len(self.draft_ids)

    def noise_pointers(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.noise or (self.draft_ids, self.draft_ids, self.draft_ids)  # anything, where none is drawn

    @property
    def flags(self) -> dict[str, bool]:
        return {"SAMPLE": self.noise is not None, "LOGPROBS": self.need_logprobs}

    @property
    def options(self) -> dict[str, bool]:
        return {"enable_fp_fusion": self.noise is None}  # the noise is defined without fused multiply-adds


@dataclass(frozen=True, slots=True)
class TileResults:
    """What each tile of the vocabulary found in each row, [tiles, R], and the drafts' logits, [R]."""

    best: Tensor
    tokens: Tensor
    logsumexp: Tensor
    draft_logits: Tensor

    @classmethod
    def empty(cls, num_tiles: int, rows: DraftRows) -> TileResults:
        device = rows.draft_ids.device
        best = torch.empty((num_tiles, rows.num_rows), dtype=torch.float32, device=device)
        tokens = torch.empty_like(best, dtype=torch.int32)
        if not rows.need_logprobs:
            return cls(best, tokens, best, best)
        return cls(best, tokens, torch.empty_like(best), torch.empty_like(best[0]))

    @property
    def pointers(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.best, self.tokens, self.logsumexp, self.draft_logits


@dataclass(frozen=True, slots=True)
class OwnTokens:
    """What a `Verdict` says of each row."""

    token_ids: Tensor
    logsumexp: Tensor | None = None
    token_logits: Tensor | None = None
    draft_logits: Tensor | None = None

    def with_tokens(self, is_replaced: Tensor, token_ids: Tensor, logits: Tensor) -> OwnTokens:
        """Other tokens, with their logits, in some rows; padding stays padding."""
        is_replaced = is_replaced & (self.token_ids >= 0)
        tokens = torch.where(is_replaced, token_ids, self.token_ids)
        if self.token_logits is None:
            return OwnTokens(tokens)
        return replace(self, token_ids=tokens, token_logits=torch.where(is_replaced, logits, self.token_logits))


def verify(
    hidden: Tensor,
    lm_head: Tensor,
    draft_ids: Tensor,
    cu_rows: Tensor,
    *,
    vocab_size: int | None = None,
    sampling: Sampling | None = None,
    need_logprobs: bool = False,
    mode: Mode = EXACT,
) -> Verdict:
    """See `reference.verify`. Never holds [R, V] logits, except for top-k and top-p, a few rows at a time."""
    require(hidden.is_contiguous() and lm_head.is_contiguous(), "contiguous hidden and lm_head")
    require(
        hidden.shape[1] == lm_head.shape[1] and hidden.dtype == lm_head.dtype,
        "hidden and lm_head of one width and dtype",
    )
    require(draft_ids.shape == (len(hidden),) and draft_ids.dtype == torch.int32, "int32 draft_ids, one for each row")
    require_ragged(cu_rows)
    vocab_size = len(lm_head) if vocab_size is None else vocab_size
    noise = None if sampling is None else _noise_of_rows(sampling, cu_rows, len(hidden))
    rows = DraftRows(draft_ids, cu_rows, vocab_size, noise, need_logprobs)
    name = tile_name(len(hidden), can_use_tma(hidden, lm_head), sampling is not None, mode)
    found = from_library(hidden, lm_head, rows) if name == CUBLAS else from_product(hidden, lm_head, rows, name)
    own = merged(found, rows)
    if sampling is not None and sampling.is_filtered:
        # Only rows with a filter take what torch chose: the others' bits must not depend on their batch mates.
        has_filter, token_ids, logits = filtered_tokens(hidden, lm_head, cu_rows, vocab_size, sampling)
        own = own.with_tokens(has_filter, token_ids, logits)
    return Verdict(own.token_ids, num_accepted(own.token_ids, rows), own.logsumexp, own.token_logits, own.draft_logits)


def tile_name(num_rows: int, tma: bool, is_sampled: bool, mode: Mode) -> str:
    """Which row of `VERIFY_TILES`, or CUBLAS, handles so many rows."""
    if mode.is_exact:
        return EXACT_TILE[tma]
    for most_rows, greedy, sampled in DEFAULT_TILES[tma]:
        if num_rows <= most_rows:
            return sampled if is_sampled else greedy
    return CUBLAS


def can_use_tma(hidden: Tensor, lm_head: Tensor) -> bool:
    """Whether the copy engine can read both; from rows off its 16-byte grid it would silently read wrong data."""
    operands = (hidden, lm_head)
    is_aligned = all(x.data_ptr() % 16 == 0 and x.stride(0) * x.element_size() % 16 == 0 for x in operands)
    return is_aligned and has_tma(hidden.device)


def from_product(hidden: Tensor, lm_head: Tensor, rows: DraftRows, name: str) -> TileResults:
    """The tiles' results by the fused kernel, with the named tile."""
    tile = VERIFY_TILES[name]
    num_tiles = triton.cdiv(rows.vocab_size, tile.block_n)
    found = TileResults.empty(num_tiles, rows)
    work = num_tiles * triton.cdiv(rows.num_rows, tile.block_m)
    num_programs = min(work, num_multiprocessors(hidden.device) * tile.programs_per_multiprocessor)
    a, b = _operands(hidden, lm_head, tile)
    product_tiles[(num_programs,)](
        a, b, rows.draft_ids, *rows.noise_pointers(), *found.pointers, rows.num_rows, len(lm_head), rows.vocab_size,
        D=hidden.shape[1], BLOCK_M=tile.block_m, BLOCK_N=tile.block_n, BLOCK_K=tile.block_k,
        NUM_PROGRAMS=num_programs, TMA=tile.tma, PRECISION=dot_precision(hidden.dtype), num_warps=tile.num_warps,
        num_stages=tile.num_stages, **rows.flags, **rows.options,
    )  # fmt: skip
    return found


def from_library(hidden: Tensor, lm_head: Tensor, rows: DraftRows) -> TileResults:
    """The same by the library's product, a block of the vocabulary at a time so that its logits stay in the cache."""
    tile = LOGITS_TILE
    tiles_a_block = tile.vocab_block // tile.block_n
    found = TileResults.empty(triton.cdiv(rows.vocab_size, tile.block_n), rows)
    for block, first_token in enumerate(range(0, rows.vocab_size, tile.vocab_block)):
        weight = lm_head[first_token : min(first_token + tile.vocab_block, rows.vocab_size)]
        logits = plain_logits(hidden, weight)
        logits_tiles[(triton.cdiv(rows.num_rows, tile.block_m), triton.cdiv(len(weight), tile.block_n))](
            logits, rows.draft_ids, *rows.noise_pointers(), *found.pointers, rows.num_rows, len(weight),
            first_token, block * tiles_a_block, rows.vocab_size,
            BLOCK_M=tile.block_m, BLOCK_N=tile.block_n, num_warps=tile.num_warps, **rows.flags, **rows.options,
        )  # fmt: skip
    return found


def merged(found: TileResults, rows: DraftRows) -> OwnTokens:
    """The rows' own tokens over all tiles."""
    num_requests = len(rows.cu_rows) - 1
    token_ids = torch.empty_like(rows.draft_ids)
    extras = (token_ids, token_ids)
    if rows.need_logprobs:
        extras = (torch.empty_like(found.draft_logits), torch.empty_like(found.draft_logits))
    merge_rows[(triton.cdiv(rows.num_rows, MERGED_ROWS),)](
        found.best, found.tokens, found.logsumexp, rows.draft_ids, rows.cu_rows, *rows.noise_pointers(), token_ids,
        *extras, found.draft_logits, rows.num_rows, num_requests, len(found.best), rows.vocab_size,
        N_BLOCK=block_of(num_requests), BLOCK_R=MERGED_ROWS, BLOCK_T=MERGED_TILES, **rows.flags, **rows.options,
    )  # fmt: skip
    if not rows.need_logprobs:
        return OwnTokens(token_ids)
    return OwnTokens(token_ids, extras[0], extras[1], found.draft_logits)


def num_accepted(token_ids: Tensor, rows: DraftRows) -> Tensor:
    """See `Verdict.num_accepted`."""
    num_requests = len(rows.cu_rows) - 1
    accepted = torch.empty(num_requests, dtype=torch.int32, device=token_ids.device)
    first_mismatch[(num_requests,)](token_ids, rows.draft_ids, rows.cu_rows, accepted, BLOCK=ROW_BLOCK)
    return accepted


def _noise_of_rows(sampling: Sampling, cu_rows: Tensor, num_rows: int) -> tuple[Tensor, Tensor, Tensor]:
    num_requests = require_ragged(cu_rows)
    require(sampling.seeds.shape == sampling.temperature.shape == (num_requests,), "a seed and a temperature a request")
    require(
        sampling.seeds.dtype == torch.int64 and sampling.temperature.dtype == torch.float32,
        "int64 seeds, float32 temperatures",
    )
    require(
        sampling.positions.shape == (num_rows,) and sampling.positions.dtype == torch.int32, "an int32 position a row"
    )
    c1 = torch.empty(num_rows, dtype=torch.int32, device=cu_rows.device)
    key, inverse = torch.empty_like(c1), torch.empty_like(c1, dtype=torch.float32)
    sampling_rows[(triton.cdiv(num_rows, ROW_BLOCK),)](
        sampling.seeds, sampling.temperature, sampling.positions, cu_rows, c1, key, inverse, num_rows, num_requests,
        N_BLOCK=block_of(num_requests), BLOCK=ROW_BLOCK,
    )  # fmt: skip
    return c1, key, inverse


def _operands(hidden: Tensor, lm_head: Tensor, tile: VerifyTile) -> tuple[object, object]:
    if not tile.tma:
        return hidden, lm_head
    return (
        TensorDescriptor.from_tensor(hidden, [tile.block_m, tile.block_k]),
        TensorDescriptor.from_tensor(lm_head, [tile.block_n, tile.block_k]),
    )
