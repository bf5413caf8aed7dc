"""Own tokens under top-k and top-p: they need a row's logits together, so torch sorts them, a few rows at a time."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from fastedit_kernels.layout import token_requests
from fastedit_kernels.reference.verify import by_row, own_tokens, plain_logits, rows_of
from fastedit_kernels.verdict import GREEDY_BELOW, Sampling

# Always so many, padded: the product of another number of rows could differ in the last bits.
ROWS_AT_ONCE = 32


def filtered_tokens(
    hidden: Tensor, lm_head: Tensor, cu_rows: Tensor, vocab_size: int, sampling: Sampling
) -> tuple[Tensor, Tensor, Tensor]:
    """(whether a filter applies: bool [R]; own tokens: int32 [R]; their plain logits: float32 [R])."""
    num_rows = len(hidden)
    per_row = by_row(sampling, token_requests(cu_rows, num_rows))
    tokens = torch.empty(num_rows, dtype=torch.int32, device=hidden.device)
    logits_of_tokens = torch.empty(num_rows, dtype=torch.float32, device=hidden.device)
    for start in range(0, num_rows, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, num_rows))
        count = rows.stop - start
        block = functional.pad(hidden[rows], (0, 0, 0, ROWS_AT_ONCE - count))
        logits = plain_logits(block, lm_head[:vocab_size])[:count]
        tokens[rows] = own_tokens(logits, rows_of(per_row, rows))
        logits_of_tokens[rows] = logits.gather(-1, tokens[rows].clamp(min=0).long()[:, None])[:, 0]
    return _has_filter(per_row), tokens, logits_of_tokens


def _has_filter(per_row: Sampling) -> Tensor:
    has_filter = torch.zeros_like(per_row.temperature, dtype=torch.bool)
    if per_row.top_k is not None:
        has_filter |= per_row.top_k > 0
    if per_row.top_p is not None:
        has_filter |= per_row.top_p < 1
    return has_filter & (per_row.temperature >= GREEDY_BELOW)
