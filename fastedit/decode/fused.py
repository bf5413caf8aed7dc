"""A thin decoder for the Llama, Qwen2 and Qwen3 families, built from a Hugging Face module's weights.

A GPU's path has nine kernels a layer instead of some thirty: products of joined weights, and `fastedit_kernels` for
what lies between. On a CPU the kernels' torch references run, which is how the tests hold it to the module that it was
built from; what a CPU uses is `PlainDecoder`, in torch's own operations. There the many small operations of a module
tell, most of all where a pass has few tokens: `python -m evals.speed.light` shows by how much. Here weights are joined,
and queries and keys are normalized and rotated together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from fastedit.decode.attention import SlotsPass, attend_with_torch
from fastedit.decode.cache import CacheShape, KVSlots
from fastedit.decode.devices import load_kernels

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FAMILIES = ("llama", "qwen2", "qwen3")


@dataclass(frozen=True, slots=True)
class Linear:
    """One matrix of a model. weight: [outputs, inputs]; bias: [outputs] or None."""

    weight: Tensor
    bias: Tensor | None = None

    def __call__(self, x: Tensor) -> Tensor:
        """x [T, inputs] -> [T, outputs]."""
        return functional.linear(x, self.weight, self.bias)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer's weights, those that are multiplied together joined.

    norms: before attention and before the feed-forward part. head_norms: of queries and keys (Qwen3) or None.
    window: how far back it looks, None for all.
    """

    qkv: Linear
    output: Linear
    gate_up: Linear
    down: Linear
    norms: tuple[Tensor, Tensor]
    head_norms: tuple[Tensor | None, Tensor | None] = (None, None)
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """Places in the cache of a pass's packed tokens; int32 on the device: cu_seqlens [N + 1], slots [N], lengths [N],
    offsets [N].

    max_chunk, max_kv_len: no chunk, and no request with its chunk, is longer.
    """

    cu_seqlens: Tensor
    slots: Tensor
    lengths: Tensor
    offsets: Tensor
    max_chunk: int
    max_kv_len: int


@dataclass(frozen=True, slots=True)
class FusedDecoder:
    """The weights of a model, and its decoding by kernels.

    embedding, head: [V, D]. cos, sin: float32 [positions, head_dim / 2]. scale: of attention scores."""

    embedding: Tensor
    layers: tuple[Layer, ...]
    norm: Tensor
    head: Tensor
    cos: Tensor
    sin: Tensor
    num_heads: int
    num_kv_heads: int
    eps: float
    scale: float

    @property
    def cache_shape(self) -> CacheShape:
        head_dim = 2 * self.cos.shape[1]
        return CacheShape(len(self.layers), self.num_kv_heads, head_dim, self.embedding.dtype)

    def hidden(self, tokens: Tensor, index: Index, cache: KVSlots, mode: Any) -> Tensor:
        """The last hidden states of packed tokens [T], after the final norm: [T, D]; their keys go into the slots."""
        kernels = load_kernels()
        where = (index.cu_seqlens, index.slots, index.lengths)
        x, residual = functional.embedding(tokens, self.embedding), None
        for number, layer in enumerate(self.layers):
            keys, values = cache.layer(number)
            x, residual = kernels.rms_norm_residual(x, residual, layer.norms[0], self.eps)
            query = kernels.rope_append(
                layer.qkv(x), self.cos, self.sin, keys, values, *where, slot_len=cache.slot_len,
                num_heads=self.num_heads, query_norm=layer.head_norms[0], key_norm=layer.head_norms[1], eps=self.eps,
                offsets=index.offsets,
            )  # fmt: skip
            attended = kernels.chunk_attention(
                query, keys, values, *where, slot_len=cache.slot_len, max_chunk=index.max_chunk, scale=self.scale,
                window=layer.window, max_kv_len=index.max_kv_len, offsets=index.offsets, mode=mode,
            )  # fmt: skip
            x, residual = kernels.rms_norm_residual(
                layer.output(attended.flatten(1)), residual, layer.norms[1], self.eps
            )
            x = layer.down(kernels.silu_mul(layer.gate_up(x)))
        hidden: Tensor = kernels.rms_norm_residual(x, residual, self.norm, self.eps)[0]
        return hidden


def can_fuse(model: PreTrainedModel) -> bool:
    """Whether the model is one of the families that `fuse` knows, with nothing unusual about it."""
    config = model.config
    return (
        config.model_type in FAMILIES
        and not getattr(model, "is_quantized", False)
        and getattr(config, "hidden_act", "") == "silu"
        and getattr(model.get_output_embeddings(), "bias", None) is None  # type: ignore[no-untyped-call]
    )


@torch.no_grad()
def fuse(model: PreTrainedModel, num_positions: int) -> FusedDecoder:
    """The decoder of a Llama, Qwen2 or Qwen3 model, on the model's own device; the joined weights cost no second copy.

    num_positions: the longest request. ValueError where `can_fuse` says no.
    """
    if not can_fuse(model):
        raise ValueError(f"no fused decoder for {model.config.model_type}")
    base: Any = model.base_model
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    positions = torch.arange(num_positions, device=model.device)[None]
    # In float32, as the modules compute it before they round to their dtype.
    cos, sin = base.rotary_emb(torch.zeros(1, device=model.device), positions)
    half = cos.shape[-1] // 2
    attention = base.layers[0].self_attn
    return FusedDecoder(
        embedding=base.embed_tokens.weight,
        layers=tuple(_layer(layer) for layer in base.layers),
        norm=base.norm.weight,
        head=head.weight,
        cos=cos[0, :, :half].contiguous(),
        sin=sin[0, :, :half].contiguous(),
        num_heads=model.config.num_attention_heads,
        num_kv_heads=model.config.num_key_value_heads,
        eps=model.config.rms_norm_eps,
        scale=attention.scaling,
    )


def _layer(layer: Any) -> Layer:
    attention, feed_forward = layer.self_attn, layer.mlp
    head_norms = tuple(getattr(getattr(attention, name, None), "weight", None) for name in ("q_norm", "k_norm"))
    return Layer(
        qkv=_joined(attention.q_proj, attention.k_proj, attention.v_proj),
        output=Linear(attention.o_proj.weight, attention.o_proj.bias),
        gate_up=_joined(feed_forward.gate_proj, feed_forward.up_proj),
        down=Linear(feed_forward.down_proj.weight, feed_forward.down_proj.bias),
        norms=(layer.input_layernorm.weight, layer.post_attention_layernorm.weight),
        head_norms=(head_norms[0], head_norms[1]),
        window=getattr(attention, "sliding_window", None),
    )


def _joined(*layers: nn.Linear) -> Linear:
    """One product for several. The layers' parameters become views of it, so that they cost no second copy."""
    weight = torch.cat([layer.weight for layer in layers])
    bias: Tensor | None = layers[0].bias
    if bias is not None:
        bias = torch.cat([layer.bias for layer in layers])
    parts = torch.split(weight, [layer.out_features for layer in layers])
    for layer, part in zip(layers, parts, strict=True):
        layer.weight.data = part
    return Linear(weight, bias)


# ---- in torch alone --------------------------------------------------------------------------------------------------


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
