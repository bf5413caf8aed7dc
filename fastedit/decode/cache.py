"""The KV cache: a flat pool of slots, one a request, and what of earlier prompts is still in it.

`KVSlots` are the tensors, `SlotPool` the bookkeeping. Rolling back is a smaller length, which the pool never hears of;
sharing a prompt's beginning is a copy of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from fastedit.errors import Code, EngineUnavailable

MIN_SHARED_TOKENS = 16  # a shorter beginning isn't worth a copy


@dataclass(frozen=True, slots=True)
class CacheShape:
    """What one token takes: keys and values of every layer. value_dim: a value's dimensions, None for a key's."""

    num_layers: int
    num_kv_heads: int
    head_dim: int
    dtype: torch.dtype
    value_dim: int | None = None

    @property
    def dims(self) -> tuple[int, int]:
        """Dimensions of a key and of a value."""
        return self.head_dim, self.head_dim if self.value_dim is None else self.value_dim

    @property
    def bytes_per_token(self) -> int:
        return self.num_layers * self.num_kv_heads * sum(self.dims) * self.dtype.itemsize


def plan_slots(
    shape: CacheShape, cache_bytes: int, num_slots: int, slot_len: int | None, min_slot_len: int, max_positions: int
) -> tuple[int, int]:
    """(slots, tokens a slot) that fit `cache_bytes`: first as many slots as wanted, then as long as there is room.

    EngineUnavailable(TARGET_UNAVAILABLE) where not even one slot of `slot_len` or `min_slot_len` fits.
    """
    num_tokens = cache_bytes // shape.bytes_per_token - 1  # one row is scratch
    shortest = min(slot_len or min_slot_len, max_positions)
    slots = min(num_slots, num_tokens // shortest)
    if slots < 1:
        raise EngineUnavailable(
            Code.TARGET_UNAVAILABLE,
            f"A KV cache of {cache_bytes} bytes holds {max(num_tokens, 0)} tokens; one request needs {shortest}.",
        )
    return slots, min(slot_len or num_tokens // slots, max_positions)


class KVSlots:
    """Keys and values of every layer, each [num_slots * slot_len + 1, num_kv_heads, head_dim]; the last row is scratch.

    The rows of slot s begin at s * slot_len. Memory is reserved, not written: on a CPU it is taken as slots fill.
    """

    def __init__(self, shape: CacheShape, num_slots: int, slot_len: int, device: torch.device) -> None:
        self.num_slots = num_slots
        self.slot_len = slot_len
        rows = num_slots * slot_len + 1
        self._pools = [
            torch.empty(shape.num_layers, rows, shape.num_kv_heads, dim, dtype=shape.dtype, device=device)
            for dim in shape.dims
        ]

    @property
    def num_bytes(self) -> int:
        return sum(pool.nbytes for pool in self._pools)

    def layer(self, index: int) -> tuple[Tensor, Tensor]:
        """Keys and values of one layer."""
        keys, values = self._pools
        return keys[index], values[index]

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        """Make the first `length` tokens of one slot those of another."""
        start, end = source * self.slot_len, destination * self.slot_len
        for pool in self._pools:
            pool[:, end : end + length] = pool[:, start : start + length]


@dataclass(frozen=True, slots=True)
class Lease:
    """A slot for a request. The first `num_cached` tokens of its prompt are to be copied from slot `copy_from`
    (from nowhere where they are in the slot already, or are none)."""

    slot: int
    num_cached: int
    copy_from: int | None


@dataclass(slots=True)
class _Slot:
    tokens: list[int] = field(default_factory=list)  # what its first rows hold
    is_leased: bool = False
    last_used: int = 0


class SlotPool:
    """Who has which slot, and which beginnings of prompts can be had without computing them."""

    def __init__(self, num_slots: int) -> None:
        self._slots = [_Slot() for _ in range(num_slots)]
        self._clock = 0

    @property
    def num_slots(self) -> int:
        return len(self._slots)

    @property
    def num_leased(self) -> int:
        return sum(slot.is_leased for slot in self._slots)

    def can_acquire(self) -> bool:
        return self.num_leased < len(self._slots)

    def acquire(self, prompt: Sequence[int]) -> Lease:
        """A slot for `prompt`, with the longest beginning of it that any slot holds (never all of it: its last token
        has to be fed for its logits). Prefers an empty slot, then the one least recently used.

        LookupError where all slots are leased.
        """
        source, num_shared = self._longest_shared(prompt)
        free = [index for index, slot in enumerate(self._slots) if not slot.is_leased]
        if not free:
            raise LookupError("all slots are leased")
        # An empty slot was used at 0; the source is spared as long as there is another.
        chosen = min(free, key=lambda index: (index == source, self._slots[index].last_used))
        slot = self._slots[chosen]
        slot.tokens = list(prompt[:num_shared])
        slot.is_leased = True
        self._touch(chosen)
        if source is not None:
            self._touch(source)
        is_copied = source is not None and source != chosen
        return Lease(chosen, num_shared, source if is_copied else None)

    def hold(self, index: int, tokens: Sequence[int]) -> None:
        """The leased slot's rows now begin with these tokens, for good: others may copy them."""
        self._slots[index].tokens = list(tokens)

    def release(self, index: int) -> None:
        """The slot is free again; what it was said to hold can still be copied until the slot is needed."""
        slot = self._slots[index]
        if not slot.is_leased:
            raise LookupError(f"slot {index} isn't leased")
        slot.is_leased = False
        if not slot.tokens:
            slot.last_used = 0

    def forget(self) -> None:
        """Drop every beginning that isn't part of a running request."""
        for slot in self._slots:
            if not slot.is_leased:
                slot.tokens, slot.last_used = [], 0

    def _longest_shared(self, prompt: Sequence[int]) -> tuple[int | None, int]:
        shared = [_num_shared(slot.tokens, prompt) for slot in self._slots]
        best = max(range(len(shared)), key=shared.__getitem__)
        length = min(shared[best], len(prompt) - 1)
        return (best, length) if length >= MIN_SHARED_TOKENS else (None, 0)

    def _touch(self, index: int) -> None:
        self._clock += 1
        self._slots[index].last_used = self._clock


def _num_shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the common beginning; by bisection over slices, which compare at C's speed."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if list(one[low:middle]) == list(other[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low
