"""The thin decoder in torch's own operations: a small target's path on a CPU.

There the many small operations of a module tell, most of all where a pass has few tokens: `python -m evals.speed.light`
shows by how much. Here weights are joined, and queries and keys are normalized and rotated together.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from fastedit.decode.attention import SlotsPass, attend_with_torch
from fastedit.decode.fused import FusedDecoder, Layer


class PlainDecoder:
    """Computes what a fused decoder does, from the same weights."""

    def __init__(self, decoder: FusedDecoder) -> None:
        self._decoder = decoder
        dtype = decoder.embedding.dtype
        # A head's first half gets -sin times its second one, the second half +sin times the first.
        self._cos = torch.cat((decoder.cos, decoder.cos), dim=-1).to(dtype)[:, None]
        self._sin = torch.cat((-decoder.sin, decoder.sin), dim=-1).to(dtype)[:, None]
        self._head_norms = [self._norms_of_heads(layer) for layer in decoder.layers]

    def hidden(self, tokens: Tensor, positions: Tensor, slots_pass: SlotsPass) -> Tensor:
        """The last hidden states of packed tokens [T], after the final norm: [T, D]; their keys go into the slots."""
        decoder, num_tokens = self._decoder, len(tokens)
        num_rotated = decoder.num_heads + decoder.num_kv_heads
        x = functional.embedding(tokens, decoder.embedding)
        cos, sin = self._cos[positions], self._sin[positions]
        for number, (layer, head_norms) in enumerate(zip(decoder.layers, self._head_norms, strict=True)):
            heads = layer.qkv(self._norm(x, layer.norms[0])).view(num_tokens, -1, cos.shape[-1])
            rotated, value = heads[:, :num_rotated], heads[:, num_rotated:]
            if head_norms is not None:
                rotated = self._norm(rotated) * head_norms
            swapped = rotated.roll(rotated.shape[-1] // 2, dims=-1)
            rotated = torch.addcmul(rotated * cos, swapped, sin)
            query, key = rotated[:, : decoder.num_heads], rotated[:, decoder.num_heads :]
            attended = attend_with_torch(slots_pass, number, query, key, value, decoder.scale, layer.window)
            x = x + layer.output(attended.flatten(1))
            gate, up = layer.gate_up(self._norm(x, layer.norms[1])).chunk(2, dim=-1)
            x = x + layer.down(functional.silu(gate) * up)
        return self._norm(x, decoder.norm)

    def _norm(self, x: Tensor, weight: Tensor | None = None) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:], weight, self._decoder.eps)

    def _norms_of_heads(self, layer: Layer) -> Tensor | None:
        """[num_heads + num_kv_heads, head_dim], or None."""
        query, key = layer.head_norms
        if query is None or key is None:
            return None
        return torch.cat((query.expand(self._decoder.num_heads, -1), key.expand(self._decoder.num_kv_heads, -1)))
