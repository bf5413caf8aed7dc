"""Attention of packed, ragged chunks over the KV slots, as transformers' models call it.

Registered under `NAME`, which transformers knows no mask for: it builds none and passes `attention_mask=None`. The
whole pass comes in as one keyword, `slots_pass`; a model's layers hand it through untouched. So no mask tells a layer's
window here: when a model is loaded, one pass under the name `WATCHING` notes them, with masks that hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from fastedit.decode.cache import KVSlots
from fastedit.decode.devices import load_kernels

NAME = "fastedit"
WATCHING = "fastedit-watching"
FAR = 2**24  # a position so late that no window reaches from it to the beginning
QUERIES_AT_ONCE = 64
ROWS = (8, 32, QUERIES_AT_ONCE)  # numbers of queries that products with the values are formed for
SHORT_CHUNK = 128  # up to here torch's own attention is faster on a CPU: `python -m evals.speed.light`
SCORES_AT_ONCE = 2**24  # so many attention scores are held together: 64 MB in float32
MORE_THAN_THIS = {"softcap": "a soft cap on its scores", "s_aux": "sinks"}  # by the keywords that bring it
HARMLESS = frozenset(
    {"position_ids", "output_attentions", "use_cache", "cache_position", "is_causal", "num_items_in_batch"}
)


@dataclass(frozen=True, slots=True)
class Span:
    """The packed tokens [start, end) of one request; `length` tokens are in its slot before them, then `offset` rows
    of other branches, which they don't see."""

    slot: int
    length: int
    start: int
    end: int
    offset: int = 0


@dataclass(slots=True)
class Seen:
    """Notes on a model's layers, by their numbers: (key heads, dimensions of a key, of a value, their dtype)
    and windows."""

    shapes: dict[int, tuple[int, int, int, torch.dtype]] = field(default_factory=dict)
    windows: dict[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SlotsPass:
    """The requests of a pass, as attention sees them: which of the packed tokens are whose, and what their slots hold.

    windows: how far back each layer looks, None for one that sees all. cu_seqlens [N + 1], slots, lengths, offsets [N]:
    the spans for kernels, int32 on the cache's device; None where plain torch attends. seen: for a pass that only
    watches the layers; it has no cache.
    """

    cache: KVSlots | None
    spans: tuple[Span, ...]
    windows: tuple[int | None, ...] = ()
    cu_seqlens: Tensor | None = None
    slots: Tensor | None = None
    lengths: Tensor | None = None
    offsets: Tensor | None = None
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class SeenMask:
    """Stands for a mask while a model is watched. window: how many positions it leaves, None for all earlier ones."""

    window: int | None

    def __getattr__(self, name: str) -> Any:
        raise AttentionUnsupported("its layers change their masks")

    def __getitem__(self, _: object) -> Any:
        raise AttentionUnsupported("its layers change their masks")


class AttentionUnsupported(Exception):
    """A model's attention has more to it than the engine computes; the message says what."""


def register() -> None:
    """Makes NAME and WATCHING known to transformers; may be called repeatedly."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface

    AttentionInterface.register(NAME, slots_attention)
    AttentionInterface.register(WATCHING, slots_attention)
    AttentionMaskInterface.register(WATCHING, lambda *_, mask_function, **__: SeenMask(window_of(mask_function)))


def slots_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | SeenMask | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    slots_pass: SlotsPass | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """Write the pass's keys and values into their slots and attend to all that the slots hold.

    query: [1, Hq, T, D]; key, value: [1, Hkv, T, D], all rotated. -> ([1, T, Hq, D], None).
    AttentionUnsupported for a model whose attention has more to it (soft caps, sinks, masks of its own).
    """
    unknown = [name for name, given in others.items() if given is not None and name not in HARMLESS]
    if unknown:
        raise AttentionUnsupported(f"its attention has {', '.join(MORE_THAN_THIS.get(name, name) for name in unknown)}")
    if slots_pass is None:
        raise AttentionUnsupported("its layers don't pass on what their attention is told")
    if isinstance(attention_mask, Tensor):
        raise AttentionUnsupported("its layers make masks of their own")
    number = getattr(module, "layer_idx", None)
    if number is None:
        raise AttentionUnsupported("its layers have no numbers")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    # [1, H, T, D] -> [T, H, D]
    q, k, v = (tensor[0].transpose(0, 1) for tensor in (query, key, value))
    if slots_pass.seen is not None:
        window = sliding_window if attention_mask is None else attention_mask.window
        slots_pass.seen.shapes[number] = (k.shape[1], k.shape[2], v.shape[2], k.dtype)
        slots_pass.seen.windows[number] = window
        return causal_attention(q, k, v, scale, window)[None], None
    attend = _attend_with_kernels if slots_pass.cu_seqlens is not None else attend_with_torch
    return attend(slots_pass, number, q, k, v, scale, slots_pass.windows[number])[None], None


def window_of(is_visible: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> int | None:
    """Number of positions that a causal mask leaves, the own one included; None where it leaves all.

    is_visible(batch, head, query position, key position), as transformers' mask functions.
    AttentionUnsupported for a mask that isn't a causal window.
    """
    nothing = torch.zeros((), dtype=torch.long)

    def ask(query: Tensor, key: Tensor) -> Tensor:
        return is_visible(nothing, nothing, query, key)

    far = torch.tensor(FAR)
    low, high = 1, FAR + 1  # so many positions are seen at least; so many aren't
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bool(ask(far, far - middle + 1)) else (low, middle)
    window = low if low < FAR else None
    edge = min(low, 2**20)
    queries = torch.tensor([*range(48), edge - 1, edge, edge + 1, 2 * edge + 7, 3 * edge + 1, FAR - 5])[:, None]
    back = torch.tensor([-2, -1, *range(48), edge - 2, edge - 1, edge, edge + 1, 2 * edge])[None]
    keys = queries - back
    expected = (back >= 0) & (back < low)
    if bool((ask(queries, keys) != expected)[keys >= 0].any()):
        raise AttentionUnsupported("its attention masks more than a sliding window does")
    return window


def _attend_with_kernels(
    slots_pass: SlotsPass,
    layer: int,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: float,
    window: int | None,
) -> Tensor:
    kernels = load_kernels()
    assert slots_pass.cache is not None
    keys, values = slots_pass.cache.layer(layer)
    where = (slots_pass.cu_seqlens, slots_pass.slots, slots_pass.lengths)
    slot_len = slots_pass.cache.slot_len
    new = key.contiguous(), value.contiguous()
    kernels.append(*new, keys, values, *where, slot_len=slot_len, offsets=slots_pass.offsets)
    longest = max(span.end - span.start for span in slots_pass.spans)
    max_kv_len = max(span.length + span.end - span.start for span in slots_pass.spans)
    out: Tensor = kernels.chunk_attention(
        query.contiguous(), keys, values, *where, slot_len=slot_len, max_chunk=longest, scale=scale, window=window,
        max_kv_len=max_kv_len, offsets=slots_pass.offsets,
    )  # fmt: skip
    return out


def attend_with_torch(
    slots_pass: SlotsPass,
    layer: int,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: float,
    window: int | None,
) -> Tensor:
    """Write the pass's keys and values into their slots and attend to all that the slots hold, span by span.

    query: [T, Hq, D]; key, value: [T, Hkv, D], rotated; -> [T, Hq, D]. A value's D may differ from a key's.
    """
    assert slots_pass.cache is not None
    keys, values = slots_pass.cache.layer(layer)
    # Rows of no span, which fill a pass up, stay numbers.
    out = query.new_zeros(*query.shape[:2], value.shape[-1])
    for span in slots_pass.spans:
        first = span.slot * slots_pass.cache.slot_len
        here = slice(span.start, span.end)
        cached = slice(first, first + span.length)
        added = slice(cached.stop + span.offset, cached.stop + span.offset + span.end - span.start)
        keys[added], values[added] = key[here], value[here]
        if span.offset:
            seen = torch.cat((keys[cached], keys[added])), torch.cat((values[cached], values[added]))
        else:
            seen = keys[first : added.stop], values[first : added.stop]
        out[here] = causal_attention(query[here], *seen, scale, window)
    return out


def causal_attention(query: Tensor, keys: Tensor, values: Tensor, scale: float, window: int | None = None) -> Tensor:
    """Attention of the last K of L positions to all positions up to their own.

    query: [K, Hq, D]; keys, values: [L, Hkv, D]; -> [K, Hq, D]. Same as scaled_dot_product_attention with a
    lower-right causal mask and `enable_gqa`; `window` keeps only the last so many positions, the own one included.
    """
    if query.is_cuda and len(query) == len(keys) and window is None:
        return _whole(query, keys, values, scale)
    if query.device.type == "cpu" and len(query) <= SHORT_CHUNK and window is None:
        return with_mask(query, keys, values, scale)
    return in_blocks(query, keys, values, scale, window)


def in_blocks(query: Tensor, keys: Tensor, values: Tensor, scale: float, window: int | None = None) -> Tensor:
    """`causal_attention` where blocks of queries meet only the keys up to their last one.

    Torch's own forms the scores that its mask hides as well. A group's heads are stacked as rows of one product.
    """
    num_queries, num_heads, head_dim = query.shape
    num_keys, num_kv_heads, _ = keys.shape
    group = num_heads // num_kv_heads
    step = _block_size(SCORES_AT_ONCE // (num_heads * num_keys))
    # Scores are formed in float32: rounded to half precision they would be worse than torch's own.
    # q: [Hkv, G, K, D]; k: [Hkv, D, L]; v: [Hkv, L and zeros, D]
    q = (query.float() * scale).view(num_queries, num_kv_heads, group, head_dim).permute(1, 2, 0, 3)
    k = keys.float().permute(1, 2, 0)
    v = functional.pad(values, (0, 0, 0, 0, 0, -num_keys % step)).transpose(0, 1)
    value_dim = values.shape[-1]
    out = query.new_empty(num_queries, num_heads, value_dim)
    for start, end in _blocks(num_queries, num_keys, step):
        rows = end - start
        last = num_keys - num_queries + end
        first = 0 if window is None else max(0, last - rows - window + 1) // step * step
        scores = torch.bmm(q[:, :, start:end].reshape(num_kv_heads, group * rows, head_dim), k[:, :, first:last])
        scores = scores.view(num_kv_heads, group, rows, last - first)
        _mask(scores, window)
        # The half-precision product is one of few shapes, see `ROWS`; no sum is another for the zeros added to it.
        past = -(-last // step) * step
        weights = values.new_zeros(num_kv_heads, group, next(size for size in ROWS if size >= rows), past - first)
        weights[:, :, :rows, : last - first] = scores.softmax(dim=-1)
        block = torch.bmm(weights.flatten(1, 2), v[:, first:past]).view(num_kv_heads, group, -1, value_dim)[:, :, :rows]
        out[start:end] = block.permute(2, 0, 1, 3).reshape(rows, num_heads, value_dim)
    return out


def _block_size(most: int) -> int:
    """Queries of a block: QUERIES_AT_ONCE, or the next smaller power of two that isn't above `most`."""
    return 1 << (max(1, min(QUERIES_AT_ONCE, most)).bit_length() - 1)


def _blocks(num_queries: int, num_keys: int, step: int) -> Iterator[tuple[int, int]]:
    """Blocks [start, end) of up to `step` queries, cut where positions are multiples of `step`.

    So whole blocks meet a multiple of `step` keys, whatever the slot held before.
    """
    before = num_keys - num_queries
    inner = range(before // step * step + step, num_keys, step) if num_queries > step else ()
    return pairwise((0, *(position - before for position in inner), num_queries))


def _whole(query: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    q, k, v = (tensor.transpose(0, 1)[None] for tensor in (query, keys, values))
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=True)[0].transpose(
        0, 1
    )


def with_mask(query: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    """`causal_attention` by torch's own: one operation, which is most of what a short chunk takes."""
    num_queries, num_keys = len(query), len(keys)
    q, k, v = (tensor.transpose(0, 1)[None] for tensor in (query, keys, values))
    future = query.new_full((num_queries, num_queries), float("-inf")).triu_(1)
    mask = functional.pad(future, (num_keys - num_queries, 0)) if num_queries > 1 else None
    attended = functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, scale=scale, enable_gqa=query.shape[1] != keys.shape[1]
    )
    return attended[0].transpose(0, 1)


def _mask(scores: Tensor, window: int | None) -> None:
    """Put -inf where a query (the last dimension but one, ending at the last key) may not look."""
    rows, num_keys = scores.shape[-2:]
    if rows > 1:  # only the last `rows` keys can lie in a query's future
        future = torch.ones(rows, rows, dtype=torch.bool, device=scores.device).triu_(1)
        scores[..., num_keys - rows :].masked_fill_(future, float("-inf"))
    if window is not None:
        past = torch.ones(rows, num_keys, dtype=torch.bool, device=scores.device).tril_(num_keys - rows - window)
        scores.masked_fill_(past, float("-inf"))
