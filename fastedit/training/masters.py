"""Weights in float32 beside a model's own in bfloat16: small steps add up there instead of rounding away."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class Masters:
    """float32 masters of the trainable weights of a model. A weight that is float32 already is its own master."""

    def __init__(self, model: nn.Module) -> None:
        self.weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
        self.masters = {
            name: weight if weight.dtype == torch.float32 else nn.Parameter(weight.detach().float())
            for name, weight in self.weights.items()
        }
        self._gradient = torch.zeros(sum(weight.numel() for weight in self.weights.values()), device=self._device)
        for name, view in zip(self.weights, self._views(), strict=True):
            self.masters[name].grad = view

    @property
    def _device(self) -> torch.device:
        return next(iter(self.weights.values())).device

    @property
    def gradient(self) -> Tensor:
        """The gradient of all masters, float32, one behind the other: what ranks average."""
        return self._gradient

    def collect(self) -> None:
        """Adds the model's gradients to the masters', and drops them."""
        for name, weight in self.weights.items():
            master = self.masters[name]
            if weight is not master and weight.grad is not None:
                assert master.grad is not None
                master.grad += weight.grad
                weight.grad = None

    def clip(self, max_norm: float) -> Tensor:
        """Scales the gradient down to `max_norm` where it is larger, and gives the norm it had. Waits for no GPU."""
        norm: Tensor = torch.linalg.vector_norm(self._gradient)
        self._gradient *= (max_norm / norm).clamp(max=1.0)
        return norm

    def zero(self) -> None:
        self._gradient.zero_()

    @torch.no_grad()
    def write_back(self) -> None:
        """Sets the model's weights to the masters, rounded."""
        for name, weight in self.weights.items():
            if weight is not self.masters[name]:
                weight.copy_(self.masters[name])

    def state(self) -> dict[str, Tensor]:
        return {name: master.detach() for name, master in self.masters.items()}

    @torch.no_grad()
    def load(self, state: dict[str, Tensor]) -> None:
        """Takes over saved masters. Raises KeyError where one is missing."""
        for name, master in self.masters.items():
            master.copy_(state[name])
        self.write_back()

    def _views(self) -> Iterable[Tensor]:
        start = 0
        for weight in self.weights.values():
            yield self._gradient[start : start + weight.numel()].view_as(weight)
            start += weight.numel()
