"""What `verify` takes besides the model: how to sample; and what it gives: the verdict on the drafts."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

GREEDY_BELOW = 1e-5  # a lower temperature would overflow logits / temperature


@dataclass(frozen=True, slots=True)
class Sampling:
    """How each request's own token is drawn; all tensors on the hidden states' device.

    seeds: int64 [N]. temperature: float32 [N], 0 (or anything below GREEDY_BELOW) for greedy.
    positions: int32 [R], for every row the absolute position of the token that it predicts.
    top_k: int32 [N], 0 for no limit. top_p: float32 [N], 1 for no limit. Where one of them is not None the filtered
    path is taken, which needs a row's logits together.
    """

    seeds: Tensor
    temperature: Tensor
    positions: Tensor
    top_k: Tensor | None = None
    top_p: Tensor | None = None

    @property
    def is_filtered(self) -> bool:
        return self.top_k is not None or self.top_p is not None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the target says about the drafts.

    token_ids: int32 [R], the target's own token for every row; -1 for padding rows, and where no logit is above
    -inf (all NaN or -inf: the target is broken, and the caller has to say so).
    num_accepted: int32 [N], draft tokens accepted, that is rows before the request's first row whose own token isn't
    its draft. The request's next token is `token_ids[cu_rows[i] + num_accepted[i]]`, its correction or bonus token.
    The rest only with `need_logprobs`, float32 [R], of the plain logits (no temperature, no filter), NaN for padding
    rows: `logsumexp`; `token_logits` of the own token; `draft_logits` of the draft, NaN where a row has none.
    """

    token_ids: Tensor
    num_accepted: Tensor
    logsumexp: Tensor | None = None
    token_logits: Tensor | None = None
    draft_logits: Tensor | None = None
