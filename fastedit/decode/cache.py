"""The KV cache: a flat pool of slots, one or several side by side a request, and what of earlier prompts is in it.

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
    """Sizes of one token's keys and values in every layer. value_dim: a value's dimensions, None for a key's."""

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
        self.device = device
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

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        """Make the tokens from `destination` on those from `source` on, `length` of them, counted from the slot's."""
        start, end = slot * self.slot_len + source, slot * self.slot_len + destination
        for pool in self._pools:
            pool[:, end : end + length] = pool[:, start : start + length].clone()  # they may overlap


@dataclass(frozen=True, slots=True)
class Lease:
    """Slots for a request, `slot` the first of them. The first `num_cached` tokens of its prompt are to be copied from
    slot `copy_from` (from nowhere where they are in the slot already, or are none)."""

    slot: int
    num_cached: int
    copy_from: int | None


@dataclass(slots=True)
class _Slot:
    tokens: list[int] = field(default_factory=list)  # what the rows from its first on hold, beyond its own end too
    is_leased: bool = False
    last_used: int = 0
    num_leased: int = 0  # slots of the request that begins here


class SlotPool:
    """Slots with their owners, and the beginnings of prompts that are kept in them and need no computing."""

    def __init__(self, num_slots: int, slot_len: int) -> None:
        self._slots = [_Slot() for _ in range(num_slots)]
        self._slot_len = slot_len
        self._clock = 0

    @property
    def num_slots(self) -> int:
        return len(self._slots)

    @property
    def num_leased(self) -> int:
        return sum(slot.is_leased for slot in self._slots)

    def can_acquire(self, num_slots: int = 1) -> bool:
        """Whether so many slots side by side are free."""
        return bool(self._free_runs(num_slots))

    def acquire(self, prompt: Sequence[int], num_slots: int = 1) -> Lease:
        """`num_slots` slots side by side for `prompt`, with the longest beginning of it that can be had from any slot
        (never all of it: its last token has to be fed for its logits). Prefers empty slots, then the least recently
        used ones.

        LookupError where no so many are free.
        """
        runs = self._free_runs(num_slots)
        if not runs:
            raise LookupError(f"no {num_slots} slots side by side are free")
        source, num_shared = self._longest_shared(prompt)

        def cost(run: int) -> tuple[bool, bool, int, int]:
            # The source is spared as long as there are others; an empty slot was used at 0.
            is_source = source is not None and self._overlap(source, num_shared, run, num_slots)
            last_used = max(slot.last_used for slot in self._slots[run : run + num_slots])
            return is_source, run != source, last_used, self._num_lost(run, num_slots)

        first = min(runs, key=cost)
        if source is not None and source != first and self._overlap(source, num_shared, first, num_slots):
            source, num_shared = None, 0  # a copy mustn't read what it has written over
        self._take(first, num_slots, prompt[:num_shared])
        if source is not None:
            self._touch(source)
        return Lease(first, num_shared, None if source == first else source)

    def hold(self, index: int, tokens: Sequence[int]) -> None:
        """The leased slots' rows now begin with these tokens, for good: others may copy them."""
        self._slots[index].tokens = list(tokens)

    def release(self, index: int) -> None:
        """The slots are free again; what they were said to hold can still be copied until they are needed."""
        slot = self._slots[index]
        if not slot.num_leased:
            raise LookupError(f"no lease begins with slot {index}")
        for part in self._slots[index : index + slot.num_leased]:
            part.is_leased = False
            if not slot.tokens:
                part.last_used = 0
        slot.num_leased = 0

    def forget(self) -> None:
        """Drop every beginning that isn't part of a running request."""
        for slot in self._slots:
            if not slot.is_leased:
                slot.tokens, slot.last_used = [], 0

    def _free_runs(self, num_slots: int) -> list[int]:
        """The slots from which on `num_slots` are free."""
        return [
            first
            for first in range(len(self._slots) - num_slots + 1)
            if not any(slot.is_leased for slot in self._slots[first : first + num_slots])
        ]

    def _longest_shared(self, prompt: Sequence[int]) -> tuple[int | None, int]:
        shared = [_num_shared(slot.tokens, prompt) for slot in self._slots]
        best = max(range(len(shared)), key=shared.__getitem__)
        length = min(shared[best], len(prompt) - 1)
        return (best, length) if length >= MIN_SHARED_TOKENS else (None, 0)

    def _overlap(self, source: int, num_shared: int, first: int, num_slots: int) -> bool:
        """Whether the rows that are to be copied lie where they are to be copied to."""
        return source < first + num_slots and first < source + self._slots_of(num_shared)

    def _num_lost(self, first: int, num_slots: int) -> int:
        """Number of tokens that could be copied no more if these slots were taken."""
        before = enumerate(self._slots[: first + num_slots])
        return sum(max(0, len(slot.tokens) - max(0, first - index) * self._slot_len) for index, slot in before)

    def _take(self, first: int, num_slots: int, tokens: Sequence[int]) -> None:
        """Lease the slots, which begin with these tokens; nobody else's tokens lie there any more."""
        for index, slot in enumerate(self._slots[:first]):
            if not slot.is_leased:
                del slot.tokens[(first - index) * self._slot_len :]
        for slot in self._slots[first : first + num_slots]:
            slot.tokens, slot.is_leased = [], True
        self._slots[first].tokens = list(tokens)
        self._slots[first].num_leased = num_slots
        self._touch(first)

    def _touch(self, index: int) -> None:
        self._clock += 1
        slot = self._slots[index]
        for part in self._slots[index : index + max(1, slot.num_leased, self._slots_of(len(slot.tokens)))]:
            part.last_used = self._clock

    def _slots_of(self, num_tokens: int) -> int:
        return -(-num_tokens // self._slot_len)


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
