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
    pool = SlotPool(2, 128)
    first = pool.acquire(range(100))
    pool.hold(first.slot, range(100))
    pool.release(first.slot)
    second = pool.acquire([*range(60), *range(500, 540)])
    assert (second.num_cached, second.copy_from) == (60, first.slot)


def test_a_running_request_shares_what_it_has_read():
    pool = SlotPool(2, 128)
    first = pool.acquire(range(100))
    assert pool.acquire(range(100)).num_cached == 0  # nothing read yet
    pool.release(1)
    pool.hold(first.slot, range(40))
    assert pool.acquire(range(100)).num_cached == 40


def test_the_last_token_of_a_prompt_is_never_cached():
    pool = SlotPool(1, 128)
    pool.hold(pool.acquire(range(50)).slot, range(50))
    pool.release(0)
    lease = pool.acquire(range(50))
    assert (lease.num_cached, lease.copy_from) == (49, None)


def test_the_least_recently_used_beginning_goes_first():
    pool = SlotPool(3, 128)
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
    pool = SlotPool(1, 128)
    pool.acquire([1])
    assert not pool.can_acquire()
    with pytest.raises(LookupError):
        pool.acquire([1])
    pool.release(0)
    with pytest.raises(LookupError):
        pool.release(0)


def test_a_long_request_takes_slots_side_by_side():
    pool = SlotPool(4, 32)
    first = pool.acquire([1])
    long = pool.acquire(range(70), num_slots=3)
    assert (first.slot, long.slot, pool.num_leased) == (0, 1, 4)
    pool.release(first.slot)
    assert pool.can_acquire()
    assert not pool.can_acquire(2)
    pool.release(long.slot)
    assert pool.can_acquire(4)
    with pytest.raises(LookupError):
        pool.release(2)  # a slot in the middle of what was leased


def test_what_is_left_of_a_long_beginning_can_be_shared():
    pool = SlotPool(4, 32)
    long = pool.acquire(range(90), num_slots=3)
    pool.hold(long.slot, range(90))
    pool.release(long.slot)
    assert (pool.acquire([500]).slot, pool.acquire([600]).slot) == (3, 2)  # the empty one, then the end of the long one
    again = pool.acquire(range(90), num_slots=2)
    assert (again.slot, again.num_cached, again.copy_from) == (0, 64, None)


def test_slots_that_hold_the_beginning_further_on_share_nothing():
    """It would be written over while it is copied."""
    pool = SlotPool(2, 32)
    other, early = pool.acquire([500]), pool.acquire(range(30))
    pool.hold(early.slot, range(30))
    pool.release(early.slot)
    pool.release(other.slot)
    lease = pool.acquire(range(60), num_slots=2)
    assert (early.slot, lease.slot, lease.num_cached, lease.copy_from) == (1, 0, 0, None)


SLOT_LEN = 24


class Slots(RuleBasedStateMachine):
    """Leases against a model that writes every row: what a lease says is cached must really be there to be copied."""

    @initialize(num_slots=st.integers(1, 5))
    def begin(self, num_slots):
        self.pool = SlotPool(num_slots, SLOT_LEN)
        self.rows = [-1] * (num_slots * SLOT_LEN)
        self.leased = {}  # prompt and number of slots, by the first of them

    prompts = st.tuples(st.integers(0, 2), st.integers(1, 60), st.integers(0, 3)).map(
        lambda drawn: [*range(drawn[0] * 100, drawn[0] * 100 + drawn[1]), *[900 + drawn[2]] * (drawn[2] + 1)]
    )

    def free_run(self):
        """The most slots side by side that nobody has."""
        taken = {slot + more for slot, (_, count, _) in self.leased.items() for more in range(count)}
        longest = run = 0
        for slot in range(self.pool.num_slots):
            run = 0 if slot in taken else run + 1
            longest = max(longest, run)
        return longest

    @rule(prompt=prompts, more=st.integers(0, 30))
    def acquire(self, prompt, more):
        num_slots = -(-(len(prompt) + more) // SLOT_LEN)
        assert self.pool.can_acquire(num_slots) == (num_slots <= self.free_run())
        if num_slots > self.free_run():
            with pytest.raises(LookupError):
                self.pool.acquire(prompt, num_slots)
            return
        lease = self.pool.acquire(prompt, num_slots)
        mine = range(lease.slot, lease.slot + num_slots)
        assert not any(slot in mine or lease.slot in range(slot, slot + n) for slot, (_, n, _) in self.leased.items())
        assert lease.num_cached < len(prompt)
        assert lease.num_cached == 0 or lease.num_cached >= MIN_SHARED_TOKENS
        source = (lease.slot if lease.copy_from is None else lease.copy_from) * SLOT_LEN
        copied = self.rows[source : source + lease.num_cached]
        assert copied == prompt[: lease.num_cached]
        start, end = lease.slot * SLOT_LEN, (lease.slot + num_slots) * SLOT_LEN
        assert lease.copy_from is None or source + lease.num_cached <= start or end <= source
        self.rows[start:end] = copied + [-1] * (end - start - len(copied))
        self.leased[lease.slot] = (prompt, num_slots, lease.num_cached)

    @precondition(lambda self: self.leased)
    @rule(data=st.data())
    def read_on(self, data):
        slot = data.draw(st.sampled_from(sorted(self.leased)))
        prompt, num_slots, num_read = self.leased[slot]
        length = data.draw(st.integers(num_read, len(prompt)))
        self.rows[slot * SLOT_LEN : slot * SLOT_LEN + length] = prompt[:length]
        self.leased[slot] = (prompt, num_slots, length)
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

    @invariant()
    def counts_agree(self):
        if hasattr(self, "pool"):
            assert self.pool.num_leased == sum(count for _, count, _ in self.leased.values())


TestSlots = Slots.TestCase
