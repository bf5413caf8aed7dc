"""The target's own tokens and how much of each draft they confirm: see `gpu/verify.py` for the kernels."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from fastedit_kernels.filters import kept_tokens
from fastedit_kernels.layout import token_requests
from fastedit_kernels.modes import EXACT, Mode
from fastedit_kernels.noise import gumbel
from fastedit_kernels.verdict import GREEDY_BELOW, Sampling, Verdict

LOGITS_AT_ONCE = 2**23  # so many logits are held together: 32 MB, and 64 MB for the noise's words
WEIGHT_ROWS_AT_ONCE = 8192  # so many rows of a half-precision weight are widened together


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
    """Which tokens the target would write in every row, and how many draft tokens of each request it confirms.

    hidden: [R, D], after the final norm. lm_head: [V, D]. draft_ids: int32 [R], for each row the draft's token for
    the position that the row predicts; -1 for rows with no draft (the bonus row). cu_rows: int32 [N + 1], request i
    owns rows cu_rows[i] .. cu_rows[i + 1], the rest is padding. vocab_size: ids from there on are padding of lm_head
    and never chosen. sampling: None for greedy.

    With logits = hidden @ lm_head.T in float32, the own token is argmax(logits), or
    argmax(logits / temperature + gumbel(seed, position, token)) over the filtered tokens, an exact sample; ties go to
    the lowest id, and a NaN logit is never chosen.
    """
    num_rows = len(hidden)
    vocab_size = len(lm_head) if vocab_size is None else vocab_size
    requests = token_requests(cu_rows, num_rows)
    per_row = None if sampling is None else by_row(sampling, requests)
    token_ids = torch.full((num_rows,), -1, dtype=torch.int32, device=hidden.device)
    extras = torch.full((3, num_rows), float("nan"), device=hidden.device) if need_logprobs else None
    for rows in _row_blocks(num_rows, vocab_size):
        logits = plain_logits(hidden[rows], lm_head[:vocab_size])
        token_ids[rows] = own_tokens(logits, None if per_row is None else rows_of(per_row, rows))
        if extras is not None:
            extras[:, rows] = _logprob_parts(logits, token_ids[rows], draft_ids[rows])
    is_padding = requests >= len(cu_rows) - 1
    token_ids.masked_fill_(is_padding, -1)
    accepted = num_accepted(token_ids, draft_ids, cu_rows, requests)
    if extras is None:
        return Verdict(token_ids, accepted)
    return Verdict(token_ids, accepted, *extras.masked_fill_(is_padding, float("nan")))


def num_accepted(token_ids: Tensor, draft_ids: Tensor, cu_rows: Tensor, requests: Tensor) -> Tensor:
    """Rows before each request's first row whose token isn't its draft: int32 [N]; all its rows where there is none.

    Same as (token_ids == draft_ids).int().cumprod(0).sum() over a request's rows.
    """
    starts, ends = cu_rows[:-1].to(torch.int64), cu_rows[1:].to(torch.int64)
    rows = torch.arange(len(token_ids), device=token_ids.device)
    mismatch = torch.where((token_ids != draft_ids) | (draft_ids < 0), rows, len(token_ids))
    first = torch.cat((ends, ends.new_zeros(1)))  # the last entry takes the padding rows
    first = first.scatter_reduce(0, requests, mismatch, reduce="amin")[:-1]
    return (first - starts).to(torch.int32)


def plain_logits(hidden: Tensor, lm_head: Tensor) -> Tensor:
    """hidden [R, D] @ lm_head [V, D].T, summed in float32 at least: [R, V]."""
    wide = torch.promote_types(hidden.dtype, torch.float32)
    if lm_head.dtype == wide:
        return hidden.to(wide) @ lm_head.T
    if hidden.is_cuda:
        return torch.mm(hidden, lm_head.T, out_dtype=wide)
    blocks = torch.split(lm_head, WEIGHT_ROWS_AT_ONCE)
    return torch.cat([hidden.to(wide) @ block.to(wide).T for block in blocks], dim=1)


def scores_of(logits: Tensor, sampling: Sampling | None) -> Tensor:
    """What the own token is the argmax of: [R, V] from plain logits [R, V]; every field of sampling is a row's."""
    logits = logits.masked_fill(logits.isnan(), float("-inf"))
    if sampling is None:
        return logits
    is_sampled = (sampling.temperature >= GREEDY_BELOW)[:, None]
    inverse = torch.where(is_sampled, 1.0 / sampling.temperature.clamp(min=GREEDY_BELOW)[:, None], 1.0)
    scaled = logits * inverse
    noise = gumbel(sampling.seeds, sampling.positions, torch.arange(logits.shape[-1], device=logits.device))
    scores = torch.where(is_sampled, scaled + noise, scaled)
    if sampling.is_filtered:
        kept = kept_tokens(scaled, sampling.top_k, sampling.top_p)
        scores = scores.masked_fill(is_sampled & ~kept, float("-inf"))
    return scores


def _row_blocks(num_rows: int, vocab_size: int) -> Iterator[slice]:
    step = max(1, LOGITS_AT_ONCE // vocab_size)
    return (slice(start, min(start + step, num_rows)) for start in range(0, num_rows, step))


def by_row(sampling: Sampling, requests: Tensor) -> Sampling:
    """The same, with every field a row's."""
    requests = requests.clamp(max=len(sampling.seeds) - 1)
    return Sampling(
        seeds=sampling.seeds[requests],
        temperature=sampling.temperature[requests],
        positions=sampling.positions,
        top_k=None if sampling.top_k is None else sampling.top_k[requests],
        top_p=None if sampling.top_p is None else sampling.top_p[requests],
    )


def rows_of(sampling: Sampling, rows: slice) -> Sampling:
    """Some rows of a sampling whose every field is a row's."""
    return Sampling(
        sampling.seeds[rows],
        sampling.temperature[rows],
        sampling.positions[rows],
        None if sampling.top_k is None else sampling.top_k[rows],
        None if sampling.top_p is None else sampling.top_p[rows],
    )


def own_tokens(logits: Tensor, sampling: Sampling | None) -> Tensor:
    """The lowest token id with the best score: int32 [R] from plain logits [R, V]; -1 where no score is above -inf."""
    scores = scores_of(logits, sampling)
    best = scores.amax(dim=-1, keepdim=True)
    ids = torch.arange(scores.shape[-1], device=scores.device)
    lowest = torch.where(scores == best, ids, scores.shape[-1]).amin(dim=-1)  # argmax promises no order among ties
    return torch.where(best[:, 0] > float("-inf"), lowest, -1).to(torch.int32)


def _logprob_parts(logits: Tensor, token_ids: Tensor, draft_ids: Tensor) -> Tensor:
    # -> [3, R]: logsumexp, the own token's logit, the draft's logit
    def at(ids: Tensor) -> Tensor:
        picked = logits.gather(-1, ids.clamp(min=0, max=logits.shape[-1] - 1).to(torch.int64)[:, None])[:, 0]
        return picked.masked_fill((ids < 0) | (ids >= logits.shape[-1]), float("nan"))

    return torch.stack((logits.logsumexp(dim=-1), at(token_ids), at(draft_ids)))
