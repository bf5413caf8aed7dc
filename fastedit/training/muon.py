"""Muon with matrices of one shape stepped together, in numbers that the device is quick at.

torch's own steps them one by one, in some thirty launches each: on a GPU that takes a small model longer than its
backward pass. It also computes in bfloat16 everywhere, which takes a CPU without instructions for that longer than
forward and backward pass together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from fastedit.targets.target import is_slow_in_bfloat16

_Muon: Any = torch.optim.Muon


class BatchedMuon(_Muon):  # type: ignore[misc]
    """As torch.optim.Muon with adjust_lr_fn="original", and with the same state."""

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:
        for group in self.param_groups:
            alike: dict[torch.Size, list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    alike[weight.shape].append((weight, weight.grad))
            for shape, pairs in alike.items():
                self._step(group, pairs, max(1.0, shape[0] / shape[1]) ** 0.5)

    def _step(self, group: dict[str, Any], pairs: list[tuple[Tensor, Tensor]], ratio: float) -> None:
        weights, gradients = ([pair[number] for pair in pairs] for number in (0, 1))
        buffers = [self._momentum(weight) for weight in weights]
        torch._foreach_lerp_(buffers, gradients, 1.0 - group["momentum"])
        updates = torch._foreach_lerp(gradients, buffers, group["momentum"]) if group["nesterov"] else buffers
        is_slow = weights[0].device.type == "cpu" and is_slow_in_bfloat16()
        dtype = torch.float32 if is_slow else torch.bfloat16
        directions = orthogonalized(
            torch.stack(updates), group["ns_coefficients"], group["ns_steps"], group["eps"], dtype
        )
        torch._foreach_mul_(weights, 1.0 - group["lr"] * group["weight_decay"])
        torch._foreach_add_(weights, list(directions.float()), alpha=-group["lr"] * ratio)

    def _momentum(self, weight: Tensor) -> Tensor:
        state = self.state[weight]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(weight)
        buffer: Tensor = state["momentum_buffer"]
        return buffer


def orthogonalized(
    matrices: Tensor,
    coefficients: tuple[float, float, float],
    num_steps: int,
    eps: float = 1e-7,
    dtype: torch.dtype = torch.bfloat16,
) -> Tensor:
    """Each matrix with its singular values brought near 1 by Newton-Schulz steps.

    matrices: [B, M, N]; -> the same shape, in `dtype`. coefficients: of the odd polynomial that each step applies to
    the singular values.
    """
    first, third, fifth = coefficients
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.to(dtype)
    x = x.transpose(1, 2) if is_tall else x  # the smaller side's products are the cheaper ones
    x = x / x.flatten(1).norm(dim=1).clamp(min=eps)[:, None, None]
    for _ in range(num_steps):
        gram = x @ x.transpose(1, 2)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=third, alpha=fifth), x, beta=first)
    return x.transpose(1, 2) if is_tall else x
