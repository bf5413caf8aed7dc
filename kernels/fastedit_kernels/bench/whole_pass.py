"""A whole pass of a decoder with random weights: what all kernels and products together cost.

Random weights give honest times, since nothing here depends on the values; they say nothing about acceptance.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from fastedit_kernels import Mode, chunk_attention, rms_norm_residual, rope_append, silu_mul, verify
from fastedit_kernels.bench.cases import Place, Shape
from fastedit_kernels.checks.small import rope_tables
from fastedit_kernels.verdict import Verdict

EPS = 1e-6


@dataclass(frozen=True, slots=True)
class Layer:
    qkv: Tensor
    output: Tensor
    gate_up: Tensor
    down: Tensor
    norms: Tensor  # [2, width]
    keys: Tensor
    values: Tensor


@dataclass(frozen=True, slots=True)
class Stack:
    """The layers of one model, their KV slots, and its lm_head."""

    shape: Shape
    layers: tuple[Layer, ...]
    lm_head: Tensor
    cos: Tensor
    sin: Tensor
    slot_len: int

    @classmethod
    def random(cls, place: Place, shape: Shape, slot_len: int, num_slots: int = 1) -> Stack:
        rows = num_slots * slot_len + 1
        layers = tuple(_random_layer(place, shape, rows) for _ in range(shape.num_layers))
        cos, sin = rope_tables(slot_len, shape.head_dim, place.device)
        return cls(shape, layers, _weight(place, shape.vocab_size, shape.width), cos, sin, slot_len)

    @property
    def weight_bytes(self) -> int:
        parts = [
            self.lm_head,
            *(w for layer in self.layers for w in (layer.qkv, layer.output, layer.gate_up, layer.down)),
        ]
        return sum(part.nbytes for part in parts)

    def run(self, x: Tensor, index: tuple[Tensor, Tensor, Tensor], max_chunk: int, mode: Mode) -> Verdict:
        """One pass over embedded tokens x [T, width]; index: cu_seqlens, slots, lengths. Greedy, every row verified."""
        return self.verdict(self.hidden(x, index, max_chunk, mode), index[0], mode)

    def hidden(self, x: Tensor, index: tuple[Tensor, Tensor, Tensor], max_chunk: int, mode: Mode) -> Tensor:
        """The last hidden states, after the final norm: [T, width]."""
        shape, residual = self.shape, None
        for layer in self.layers:
            x, residual = rms_norm_residual(x, residual, layer.norms[0], EPS)
            qkv = functional.linear(x, layer.qkv)
            query = rope_append(
                qkv,
                self.cos,
                self.sin,
                layer.keys,
                layer.values,
                *index,
                slot_len=self.slot_len,
                num_heads=shape.num_heads,
            )
            x = chunk_attention(
                query, layer.keys, layer.values, *index, slot_len=self.slot_len, max_chunk=max_chunk,
                scale=shape.head_dim**-0.5, mode=mode,
            )  # fmt: skip
            x = functional.linear(x.flatten(1), layer.output)
            x, residual = rms_norm_residual(x, residual, layer.norms[1], EPS)
            x = functional.linear(silu_mul(functional.linear(x, layer.gate_up)), layer.down)
        return rms_norm_residual(x, residual, self.layers[0].norms[0], EPS)[0]

    def verdict(self, hidden: Tensor, cu_rows: Tensor, mode: Mode) -> Verdict:
        drafts = torch.zeros(len(hidden), dtype=torch.int32, device=hidden.device)
        return verify(hidden, self.lm_head, drafts, cu_rows, mode=mode)


def _random_layer(place: Place, shape: Shape, num_rows: int) -> Layer:
    heads_width = shape.num_heads * shape.head_dim
    keys, values = (place.randn(num_rows, shape.num_kv_heads, shape.head_dim) for _ in range(2))
    return Layer(
        qkv=_weight(place, heads_width + 2 * shape.num_kv_heads * shape.head_dim, shape.width),
        output=_weight(place, shape.width, heads_width),
        gate_up=_weight(place, 2 * shape.intermediate, shape.width),
        down=_weight(place, shape.width, shape.intermediate),
        norms=torch.ones(2, shape.width, device=place.device, dtype=place.dtype),
        keys=keys,
        values=values,
    )


def _weight(place: Place, outputs: int, inputs: int) -> Tensor:
    return place.randn(outputs, inputs).mul_(inputs**-0.5)
