"""Which tokens top-k and top-p leave, exactly: ties go to the lowest token ids."""

from __future__ import annotations

import torch
from torch import Tensor


def kept_tokens(scaled_logits: Tensor, top_k: Tensor | None, top_p: Tensor | None) -> Tensor:
    """True for the tokens that may be sampled, bool [R, V].

    scaled_logits: float32 [R, V], after the temperature, NaN-free. top_k: int [R], the k likeliest stay, 0 for all.
    top_p: float32 [R], then of those the fewest likeliest stay whose probabilities reach p (renormalised after
    top-k); at least one always stays.
    """
    order = torch.sort(scaled_logits, dim=-1, descending=True, stable=True)
    keep = order.values > float("-inf")
    if top_k is not None:
        ranks = torch.arange(scaled_logits.shape[-1], device=scaled_logits.device)
        keep &= (ranks[None, :] < top_k[:, None]) | (top_k[:, None] <= 0)
    if top_p is not None:
        probabilities = order.values.masked_fill(~keep, float("-inf")).softmax(dim=-1, dtype=torch.float64)
        before = probabilities.cumsum(dim=-1) - probabilities
        keep &= (before < top_p[:, None]) | (top_p[:, None] >= 1)
        keep[:, 0] = True
    return torch.zeros_like(keep).scatter_(-1, order.indices, keep)
