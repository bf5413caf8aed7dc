"""Attention over packed rows: each document sees itself alone.

Registered with transformers as `fastedit_packed`, so that any of its causal LMs can be trained on packed rows: call the
model with `packed_bounds`. On a CPU, torch's own attention for bfloat16 is several times slower than the plain matrix
products of which it consists; there a blocked form of those is used, forwards and backwards, in float32 where the CPU
has no quick ones in bfloat16. On a GPU one call of torch's variable-length attention takes all documents of a row,
where this torch has it.
"""

from __future__ import annotations

from inspect import signature
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface

from fastedit.decode.attention import HARMLESS
from fastedit.errors import SettingsError
from fastedit.targets.target import is_slow_in_bfloat16

try:
    from torch.nn.attention import varlen
except ImportError:  # torch before 2.10
    varlen = None  # type: ignore[assignment]

NAME = "fastedit_packed"
BLOCK = 128  # query rows at a time: their scores stay in a core's cache
HAS_VARLEN = varlen is not None
CAUSAL = (-1, 0)  # of a window: everything before, nothing behind


def register() -> None:
    """Makes `attn_implementation="fastedit_packed"` known to transformers; may be called again."""
    AttentionInterface.register(NAME, packed_attention)


def packed_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    packed_bounds: Tensor | None = None,
    packed_longest: int | None = None,
    sliding_window: int | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """Causal attention within each document of one packed row, as transformers' attention functions give it.

    query: [1, H, T, D]; key, value: [1, Hkv, T, D]; packed_bounds: int64 on the CPU, where each document begins and,
    last, where the last one ends; trailing entries may repeat the last. Rows behind it are padding and come out zero.
    With `packed_longest`, packed_bounds is as `bounds_in_one_call` gives it, on the device of the rest, and padding
    comes out as some finite number.
    Result: [1, T, H, D]. SettingsError for a model whose attention has more to it (windows, soft caps, sinks).
    """
    if packed_bounds is None or dropout:
        raise ValueError("packed attention needs packed_bounds and has no dropout")
    unknown = [name for name, given in others.items() if given is not None and name not in HARMLESS]
    if sliding_window is not None and sliding_window < query.shape[2]:
        unknown.append("sliding_window")
    if unknown:
        raise SettingsError(f"the model's attention can't be trained on packed rows: {', '.join(unknown)}")
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = (tensor.repeat_interleave(groups, dim=1) for tensor in (key, value))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if packed_longest is not None:
        return _in_one_call(query[0], key[0], value[0], packed_bounds, packed_longest, scale)[None], None
    if query.device.type == "cpu":
        out = _blocked(query[0] * scale, key[0], value[0], packed_bounds)
    else:
        out = _by_document(query[0], key[0], value[0], packed_bounds, scale)
    return out.transpose(0, 1)[None], None


def takes_one_call(device: torch.device) -> bool:
    """Whether `packed_longest` may be given for tensors there."""
    # In 2.10 there was no window yet, nor a scale.
    return device.type == "cuda" and HAS_VARLEN and "window_size" in signature(varlen.varlen_attn).parameters


def bounds_in_one_call(bounds: Tensor, num_tokens: int, longest: int) -> Tensor:
    """int32 bounds of a row's documents and, behind them, of its padding in pieces of at most `longest` tokens.

    bounds: [N], see `packed_attention`. Result: [N + ceil(num_tokens / longest)]. It leaves no part of the row out: the
    kernel writes nothing there, and what is in memory by chance, NaNs too, would reach the gradients of the weights.
    """
    steps = torch.arange(1, 1 - (-num_tokens // longest))
    padding = (bounds[-1] + longest * steps).clamp_(max=num_tokens)
    return torch.cat([bounds, padding]).to(torch.int32)


def _in_one_call(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, longest: int, scale: float) -> Tensor:
    """query, key, value: [H, T, D]; -> [T, H, D]."""
    # Contiguous, since results are laid out as the inputs are by some versions and plainly by others.
    q, k, v = (tensor.transpose(0, 1).contiguous() for tensor in (query, key, value))
    out = varlen.varlen_attn(q, k, v, bounds, bounds, longest, longest, scale=scale, window_size=CAUSAL)
    assert isinstance(out, Tensor)  # nothing beside it was asked for
    return out


def _by_document(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, scale: float) -> Tensor:
    attend = torch.nn.functional.scaled_dot_product_attention
    spans = _spans(bounds)
    pieces = [
        attend(query[None, :, a:b], key[None, :, a:b], value[None, :, a:b], is_causal=True, scale=scale)[0]
        for a, b in spans
    ]
    end = spans[-1][1] if spans else 0
    pieces.append(torch.zeros_like(query[:, end:]))
    return torch.cat(pieces, dim=1)


def _spans(bounds: Tensor) -> list[tuple[int, int]]:
    ends = bounds.tolist()
    return [(a, b) for a, b in pairwise(ends) if b > a]


@torch.library.custom_op("fastedit::packed_attention", mutates_args=())
def _blocked(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor) -> Tensor:
    """query (scaled already), key, value: [H, T, D]. Result: the same shape."""
    out = torch.zeros(query.shape, dtype=query.dtype)
    dtype = _product_dtype(query.dtype)
    mask = _causal_mask(dtype)
    for start, end in _spans(bounds):
        q, k, v = (tensor[:, start:end].to(dtype).contiguous() for tensor in (query, key, value))
        for a, b in _blocks(end - start):
            weights = _weights(q[:, a:b], k[:, :b], mask)
            out[:, start + a : start + b] = torch.bmm(weights, v[:, :b])
    return out


@_blocked.register_fake
def _(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor) -> Tensor:
    return torch.empty(query.shape, dtype=query.dtype)


@torch.library.custom_op("fastedit::packed_attention_backward", mutates_args=())
def _blocked_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, bounds: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    d_query, d_key, d_value = (torch.zeros(query.shape, dtype=query.dtype) for _ in range(3))
    dtype = _product_dtype(query.dtype)
    mask = _causal_mask(dtype)
    for start, end in _spans(bounds):
        q, k, v, g = (tensor[:, start:end].to(dtype).contiguous() for tensor in (query, key, value, grad))
        dk, dv = torch.zeros(k.shape), torch.zeros(k.shape)
        for a, b in _blocks(end - start):
            weights = _weights(q[:, a:b], k[:, :b], mask)
            dv[:, :b] += torch.bmm(weights.transpose(1, 2), g[:, a:b])
            d_weights = torch.bmm(g[:, a:b], v[:, :b].transpose(1, 2))
            d_scores = torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
            d_query[:, start + a : start + b] = torch.bmm(d_scores, k[:, :b])
            dk[:, :b] += torch.bmm(d_scores.transpose(1, 2), q[:, a:b])
        d_key[:, start:end], d_value[:, start:end] = dk, dv
    return d_query, d_key, d_value


@_blocked_backward.register_fake
def _(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, bounds: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    empty = [torch.empty(query.shape, dtype=query.dtype) for _ in range(3)]
    return empty[0], empty[1], empty[2]


def _save(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor, Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
    return (*_blocked_backward(grad, *ctx.saved_tensors), None)


_blocked.register_autograd(_backward, setup_context=_save)


def _blocks(length: int) -> list[tuple[int, int]]:
    return [(a, min(a + BLOCK, length)) for a in range(0, length, BLOCK)]


def _product_dtype(dtype: torch.dtype) -> torch.dtype:
    """The type in which products of tensors of a type are quick on this CPU."""
    return torch.float32 if dtype is torch.bfloat16 and is_slow_in_bfloat16() else dtype


def _causal_mask(dtype: torch.dtype) -> Tensor:
    """[BLOCK, BLOCK], added to the scores of a block with itself."""
    return torch.full((BLOCK, BLOCK), float("-inf"), dtype=dtype).triu(1)


def _weights(query: Tensor, key: Tensor, mask: Tensor) -> Tensor:
    """query: [H, B, D], the last B of key's rows. Result: [H, B, len(key)], rows summing to 1."""
    scores = torch.bmm(query, key.transpose(1, 2))
    size = query.shape[1]
    scores[:, :, -size:] += mask[:size, :size]
    return torch.softmax(scores, -1)
