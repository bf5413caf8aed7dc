"""The forward pass of training: a packed row in, the summed loss of its answers out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from fastedit.training.loss import linear_cross_entropy
from fastedit.training.packing import Row


@dataclass(frozen=True, slots=True)
class Scored:
    """loss: summed over the row's answer tokens. is_right: [N], whether each is the model's likeliest token."""

    loss: Tensor
    is_right: Tensor


class RowModel:
    """A causal LM (with adapters or without) that is asked in packed rows."""

    def __init__(self, model: Any, *, compile: bool = False) -> None:
        inner = model.get_base_model() if hasattr(model, "get_base_model") else model
        self._head = inner.get_output_embeddings()
        self._device = inner.device
        decoder: Callable[..., Any] = inner.get_decoder()
        self._decoder = torch.compile(decoder, dynamic=False) if compile else decoder

    def __call__(self, row: Row) -> Scored:
        row = row.to(self._device)
        hidden = self._decoder(
            input_ids=row.tokens, position_ids=row.positions, packed_bounds=row.bounds, use_cache=False
        ).last_hidden_state
        loss, is_right = linear_cross_entropy(hidden[0, row.outputs], self._head.weight, row.targets)
        return Scored(loss, is_right)
