"""Cross entropy of a linear head, without ever holding all logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

CHUNK = 512  # rows whose logits exist at a time, at least
LOGITS_ON_GPU = 2**26  # a GPU takes more at a time: there each chunk costs launches


def linear_cross_entropy(hidden: Tensor, head: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Summed loss, and for each row whether the target token is the likeliest one.

    hidden: [N, D]; head: [V, D]; targets: [N]. Same as
    (F.cross_entropy(hidden @ head.T, targets, reduction="sum"), (hidden @ head.T).argmax(-1) == targets).
    """
    loss, is_right = _LinearCrossEntropy.apply(hidden, head, targets)  # type: ignore[no-untyped-call]
    return loss, is_right


class _LinearCrossEntropy(torch.autograd.Function):
    """Gradients are made on the way forward, while a chunk's logits are there."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, head: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        wants_hidden, wants_head = ctx.needs_input_grad[:2]
        d_hidden = torch.empty_like(hidden) if wants_hidden else None
        d_head = torch.zeros_like(head, dtype=torch.float32) if wants_head else None
        loss = torch.zeros((), device=hidden.device)
        is_right = torch.empty(len(hidden), dtype=torch.bool, device=hidden.device)
        chunk = max(CHUNK, LOGITS_ON_GPU // len(head)) if hidden.is_cuda else CHUNK
        for start in range(0, len(hidden), chunk):
            rows = slice(start, start + chunk)
            logits = (hidden[rows] @ head.T).float()  # [C, V]
            wanted = targets[rows, None]
            is_right[rows] = logits.argmax(-1) == targets[rows]
            log_sums = logits.logsumexp(-1, keepdim=True)
            loss += (log_sums - logits.gather(1, wanted)).sum()
            d_logits = logits.sub_(log_sums).exp_()
            d_logits.scatter_add_(1, wanted, torch.full_like(log_sums, -1.0))
            narrow = d_logits.to(hidden.dtype)
            if d_hidden is not None:
                d_hidden[rows] = narrow @ head
            if d_head is not None:
                d_head += narrow.T @ hidden[rows]
        ctx.save_for_backward(d_hidden, d_head)
        ctx.head_dtype = head.dtype
        ctx.mark_non_differentiable(is_right)
        return loss, is_right

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        d_hidden, d_head = ctx.saved_tensors
        return (
            None if d_hidden is None else d_hidden * grad.to(d_hidden.dtype),
            None if d_head is None else (d_head * grad).to(ctx.head_dtype),
            None,
        )
