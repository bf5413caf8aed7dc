"""Weights joined at load time, so that a layer needs one product where it had two or three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class FusedWeight:
    """A joined linear layer: weight [sum of outputs, inputs], bias [sum of outputs] or None."""

    weight: Tensor
    bias: Tensor | None

    def __call__(self, x: Tensor) -> Tensor:
        """x [T, inputs] -> [T, sum of outputs]."""
        return nn.functional.linear(x, self.weight, self.bias)


@torch.no_grad()
def fuse_linears(layers: Sequence[nn.Linear]) -> FusedWeight:
    """The layers' weights and biases joined along the outputs, in order.

    The layers keep working and cost no second copy: their parameters become views of the joined tensors. A layer
    without a bias among some that have one counts as zero. ValueError where inputs or dtypes differ.
    """
    if len({(layer.in_features, layer.weight.dtype) for layer in layers}) != 1:
        raise ValueError("only layers of one input size and one dtype can be joined")
    weight = torch.cat([layer.weight for layer in layers])
    bias = _joined_bias(layers)
    start = 0
    for layer in layers:
        end = start + layer.out_features
        layer.weight.data = weight[start:end]
        if layer.bias is not None and bias is not None:
            layer.bias.data = bias[start:end]
        start = end
    return FusedWeight(weight, bias)


def fuse_qkv(query: nn.Linear, key: nn.Linear, value: nn.Linear) -> FusedWeight:
    """What `rope_append` takes: one product giving [T, (num_heads + 2 * num_kv_heads) * head_dim]."""
    return fuse_linears((query, key, value))


def fuse_gate_up(gate: nn.Linear, up: nn.Linear) -> FusedWeight:
    """What `silu_mul` takes: one product giving [T, 2 * intermediate_size], the gate's half first."""
    return fuse_linears((gate, up))


def _joined_bias(layers: Sequence[nn.Linear]) -> Tensor | None:
    if all(layer.bias is None for layer in layers):
        return None
    parts: list[Tensor] = []
    for layer in layers:
        parts.append(layer.bias if layer.bias is not None else layer.weight.new_zeros(layer.out_features))
    return torch.cat(parts)
