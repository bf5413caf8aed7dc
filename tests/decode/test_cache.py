from __future__ import annotations

import pytest
import torch
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fastedit.decode.cache import MIN_SHARED_TOKENS, CacheShape, KVSlots, SlotPool, plan_slots
from fastedit.errors import Code, EngineUnavailable

SHAPE = CacheShape(num_layers=2, num_kv_heads=3, head_dim=4, dtype=torch.float32)


def test_bytes_of_a_token_are_keys_and_values_of_all_layers():
    assert SHAPE.bytes_per_token == 2 * 2 * 3 * 4 * 4


@pytest.mark.parametrize(
    ("num_tokens", "wanted", "slot_len", "expected"),
    [
        (8001, 8, None, (8, 1000)),  # all slots, as long as there is room
        (8001, 8, 500, (8, 500)),  # all slots, as long as asked
        (1001, 8, None, (5, 200)),  # fewer slots of the shortest length
        (1001, 8, 900, (1, 900)),
        (100_001, 2, None, (2, 4096)),  # no longer than the model's context
    ],
)
def test_slots_fit_the_memory(num_tokens, wanted, slot_len, expected):
    cache_bytes = num_tokens * SHAPE.bytes_per_token
    assert plan_slots(SHAPE, cache_bytes, wanted, slot_len, 200, 4096) == expected
    slots, length = expected
    assert KVSlots(SHAPE, slots, length, torch.device("cpu")).num_bytes <= cache_bytes


def test_too_little_memory_is_refused_with_both_numbers():
    with pytest.raises(EngineUnavailable, match=r"holds 99 tokens.*needs 200") as refused:
        plan_slots(SHAPE, 100 * SHAPE.bytes_per_token, 8, None, 200, 4096)
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_copying_a_prefix_leaves_all_else_alone():
    slots = KVSlots(SHAPE, 3, 10, torch.device("cpu"))
    for layer in range(2):
        for tensor in slots.layer(layer):
            tensor.copy_(torch.randn(tensor.shape))
    before = [tensor.clone() for layer in range(2) for tensor in slots.layer(layer)]
    slots.copy_prefix(2, 0, 4)
    after = [tensor for layer in range(2) for tensor in slots.layer(layer)]
    for old, new in zip(before, after, strict=True):
        assert torch.equal(new[:4], old[20:24])
        assert torch.equal(new[4:], old[4:])


def test_the_same_beginning_is_taken_from_an_earlier_request():
    pool = SlotPool(2)
    first = pool.acquire(range(100))
    pool.hold(first.slot, range(100))
    pool.release(first.slot)
    second = pool.acquire([*range(60), *range(500, 540)])
    assert (second.num_cached, second.copy_from) == (60, first.slot)


def test_a_running_request_shares_what_it_has_read():
    pool = SlotPool(2)
    first = pool.acquire(range(100))
    assert pool.acquire(range(100)).num_cached == 0  # nothing read yet
    pool.release(1)
    pool.hold(first.slot, range(40))
    assert pool.acquire(range(100)).num_cached == 40


def test_the_last_token_of_a_prompt_is_never_cached():
    pool = SlotPool(1)
    pool.hold(pool.acquire(range(50)).slot, range(50))
    pool.release(0)
    lease = pool.acquire(range(50))
    assert (lease.num_cached, lease.copy_from) == (49, None)


def test_the_least_recently_used_beginning_goes_first():
    pool = SlotPool(3)
    prompts = [list(range(start, start + 50)) for start in (0, 1000, 2000)]
    for slot, prompt in enumerate(prompts):
        assert pool.acquire(prompt).slot == slot
        pool.hold(slot, prompt)
    for slot in range(3):
        pool.release(slot)
    shared = pool.acquire(prompts[0])  # slot 0 has it, and 1 is the oldest of the others
    assert (shared.slot, shared.copy_from) == (1, 0)
    assert pool.acquire([7]).slot == 2


def test_more_requests_than_slots_is_an_error():
    pool = SlotPool(1)
    pool.acquire([1])
    assert not pool.can_acquire()
    with pytest.raises(LookupError):
        pool.acquire([1])
    pool.release(0)
    with pytest.raises(LookupError):
        pool.release(0)


class Slots(RuleBasedStateMachine):
    """Leases and rows against a model that writes every row: what a lease says is cached must really be there."""

    @initialize(num_slots=st.integers(1, 4))
    def begin(self, num_slots):
        self.pool = SlotPool(num_slots)
        self.rows = [[] for _ in range(num_slots)]
        self.leased = {}

    prompts = st.tuples(st.integers(0, 2), st.integers(1, 60), st.integers(0, 3)).map(
        lambda drawn: [*range(drawn[0] * 100, drawn[0] * 100 + drawn[1]), *[900 + drawn[2]] * (drawn[2] + 1)]
    )

    @precondition(lambda self: self.pool.can_acquire())
    @rule(prompt=prompts)
    def acquire(self, prompt):
        lease = self.pool.acquire(prompt)
        assert lease.slot not in self.leased
        assert lease.num_cached < len(prompt)
        source = lease.slot if lease.copy_from is None else lease.copy_from
        assert self.rows[source][: lease.num_cached] == prompt[: lease.num_cached]
        assert lease.num_cached == 0 or lease.num_cached >= MIN_SHARED_TOKENS
        self.rows[lease.slot] = prompt[: lease.num_cached]
        self.leased[lease.slot] = prompt

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def read_on(self, data):
        slot = data.draw(st.sampled_from(sorted(self.leased)))
        prompt = self.leased[slot]
        length = data.draw(st.integers(len(self.rows[slot]), len(prompt)))
        self.rows[slot] = prompt[:length]
        self.pool.hold(slot, prompt[:length])

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def release(self, data):
        slot = data.draw(st.sampled_from(sorted(self.leased)))
        del self.leased[slot]
        self.pool.release(slot)

    @rule()
    def forget(self):
        self.pool.forget()
        for slot in range(self.pool.num_slots):
            if slot not in self.leased:
                self.rows[slot] = []

    @invariant()
    def counts_agree(self):
        if hasattr(self, "pool"):
            assert self.pool.num_leased == len(self.leased)
            assert self.pool.can_acquire() == (len(self.leased) < self.pool.num_slots)


TestSlots = Slots.TestCase
