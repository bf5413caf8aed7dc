"""The forward pass of training: a packed row in, the summed loss of its answers out."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from fastedit.training.attention import bounds_in_one_call, takes_one_call
from fastedit.training.loss import linear_cross_entropy
from fastedit.training.packing import PackedRow


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of a row.

    loss: summed over its answer tokens. is_right: [N], whether each is the model's likeliest token.
    """

    loss: Tensor
    is_right: Tensor


class RowModel:
    """A causal LM (with adapters or without) that is asked in packed rows.

    compile: training passes run compiled; others don't, since compiling takes longer than the few of them. longest: the
    tokens of the longest document that will come; a longer one costs another compilation.
    """

    def __init__(self, model: Any, *, compile: bool = False, longest: int = 1) -> None:
        inner = model.get_base_model() if hasattr(model, "get_base_model") else model
        self._head = inner.get_output_embeddings()
        self._device: torch.device = inner.device
        self._decoder: Any = inner.get_decoder()
        self._longest = longest
        if compile:
            compile_parts(self._decoder, by_layer=self._device.type == "cuda")

    def __call__(self, row: PackedRow) -> Scored:
        context = nullcontext() if torch.is_grad_enabled() else torch.compiler.set_stance("force_eager")
        asked = self._attention(row)
        row = row.to(self._device)
        with context:
            hidden = self._decoder(
                input_ids=row.tokens, position_ids=row.positions, use_cache=False, **asked
            ).last_hidden_state
        loss, is_right = linear_cross_entropy(hidden[0].index_select(0, row.outputs), self._head.weight, row.targets)
        return Scored(loss, is_right)

    def _attention(self, row: PackedRow) -> dict[str, Any]:
        """The arguments for `packed_attention`."""
        if not takes_one_call(self._device):
            return {"packed_bounds": row.bounds}
        longest = max(self._longest, row.longest)
        bounds = bounds_in_one_call(row.bounds, row.tokens.shape[1], longest)
        return {"packed_bounds": bounds.to(self._device, non_blocking=True), "packed_longest": longest}


def compile_parts(decoder: Any, *, by_layer: bool) -> None:
    """Compiles a decoder in place, as one or each layer for itself.

    Layers are alike, so that all of them cost one small compilation: where a run lasts minutes, that is a good part of
    it. As one, a little more is fused.
    """
    for part in decoder.layers if by_layer else [decoder]:
        part.compile(dynamic=False)
