from __future__ import annotations

import os
import random
import sys
import threading
import time
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fastedit.decode import engine as engine_module
from fastedit.decode.controller import CostTable
from fastedit.decode.engine import MIN_SHARE, fair_shares, pass_budget
from fastedit.decode.request import DecodeRequest, EditRequest, Group
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft
from fastedit.errors import Code, EngineUnavailable, InputRefused, SettingsError
from support.examples import examples
from support.tiny_targets import run

SMALL = EngineSettings(num_slots=2, slot_len=128, min_slot_len=16, max_waiting=3, pass_tokens=64)


def request(start=5, length=10, num_tokens=8, **options):
    return DecodeRequest(tuple(range(start, start + length)), num_tokens, **options)


def test_requests_join_and_leave_between_passes(tiny):
    engine = tiny.engine(SMALL)
    long, short = engine.submit(request(num_tokens=20)), engine.submit(request(30, num_tokens=3))
    engine.step()
    late = engine.submit(request(60, num_tokens=3))
    assert (engine.num_running, engine.num_waiting) == (2, 1)
    while not late.is_done:
        engine.step()
        engine.check_integrity()
    assert short.is_done
    while engine.step():
        pass
    assert long.is_done
    assert engine.num_running == 0


def test_a_perfect_draft_is_one_pass(tiny):
    plain = run(tiny.engine(), request(num_tokens=60))
    text = tiny.target.codec.text(list(plain.tokens))
    drafted = run(tiny.engine(), request(num_tokens=60, drafts=(Draft(text),)))
    assert drafted.tokens == plain.tokens
    assert (drafted.stats.passes, drafted.stats.divergences) == (1, 0)
    assert drafted.stats.completion_tokens == len(plain.tokens)


def test_the_same_beginning_is_not_read_twice(tiny):
    engine = tiny.engine(EngineSettings(num_slots=2, slot_len=256, min_slot_len=16))
    prompt = tuple(range(10, 110))
    first = run(engine, DecodeRequest(prompt, 10))
    again = run(engine, DecodeRequest((*prompt[:80], 3, 4, 5), 10))
    assert first.stats.cached_tokens == 0
    assert again.stats.cached_tokens == 80
    assert again.tokens == run(tiny.engine(), DecodeRequest((*prompt[:80], 3, 4, 5), 10)).tokens


def test_concurrent_requests_share_a_beginning_too(tiny):
    engine = tiny.engine(EngineSettings(num_slots=3, slot_len=256, min_slot_len=16))
    prompt = tuple(range(10, 110))
    first = engine.submit(DecodeRequest(prompt, 10))
    engine.step()
    second = engine.submit(DecodeRequest((*prompt, 7), 10))
    while engine.step():
        pass
    assert second.result(0).stats.cached_tokens == 100
    alone = run(tiny.engine(), DecodeRequest((*prompt, 7), 10))
    assert second.result(0).tokens == alone.tokens
    assert first.result(0).stats.cached_tokens == 0


def test_a_long_prompt_is_read_in_pieces(tiny):
    engine = tiny.engine(SMALL)
    result = run(engine, request(3, 100, 5, speculate=False))
    assert result.stats.passes == 2 - 1 + len(result.tokens)
    assert result.tokens == run(tiny.engine(), request(3, 100, 5)).tokens


def test_short_requests_do_not_wait_for_a_long_prompt(tiny):
    settings = EngineSettings(num_slots=4, slot_len=1024, min_slot_len=16, pass_tokens=512)
    engine = tiny.engine(settings)
    huge = engine.submit(request(3, 240, 700, speculate=False))
    shorts = [engine.submit(request(start, num_tokens=4, speculate=False)) for start in range(10, 70, 10)]
    steps = 0
    while not all(short.is_done for short in shorts):
        engine.step()
        steps += 1
    assert steps <= 2 * 4 + 2  # two rounds in the three slots that the huge one leaves
    assert not huge.is_done


def test_too_long_a_request_is_refused_with_both_numbers(tiny):
    with pytest.raises(InputRefused, match=r"take 257 tokens.*hold 256") as refused:
        tiny.engine(SMALL).submit(request(length=100, num_tokens=158))
    assert refused.value.code == Code.TOO_LARGE
    tiny.engine(SMALL).submit(request(length=100, num_tokens=157))


def test_a_request_longer_than_a_slot_takes_several(tiny):
    long = request(length=100, num_tokens=120, speculate=False)
    expected = run(tiny.engine(replace(SMALL, slot_len=256)), long).tokens
    engine = tiny.engine(replace(SMALL, num_slots=3, max_waiting=9))
    handles = [engine.submit(one) for one in (request(20, num_tokens=9), long, request(30), request(40))]
    engine.step()
    assert (engine.num_running, engine.num_waiting) == (2, 2)
    while engine.step():
        engine.check_integrity()
    assert handles[1].result(0).tokens == expected
    for handle, start in ((handles[0], 20), (handles[2], 30), (handles[3], 40)):
        alone = run(tiny.engine(SMALL), request(start, num_tokens=9 if start == 20 else 8))
        assert handle.result(0).tokens == alone.tokens


def test_a_long_request_is_not_overtaken(tiny):
    """It waits for two slots; who came later waits behind it, though one slot is free."""
    engine = tiny.engine(SMALL)
    first = engine.submit(request(num_tokens=20))
    long = engine.submit(request(length=100, num_tokens=100))
    short = engine.submit(request(num_tokens=3))
    engine.step()
    assert (engine.num_running, engine.num_waiting) == (1, 2)
    while not first.is_done:
        engine.step()
    while not long.is_done:
        assert not short.is_done
        engine.step()
    while engine.step():
        pass
    assert short.result(0).tokens


def test_a_long_beginning_is_not_read_twice(tiny):
    engine = tiny.engine(replace(SMALL, num_slots=4, pass_tokens=512))
    long = request(length=200, num_tokens=20)
    first = run(engine, long)
    again = run(engine, long)
    assert (first.stats.cached_tokens, again.stats.cached_tokens) == (0, 199)
    assert again.tokens == first.tokens


def test_a_full_queue_is_refused(tiny):
    engine = tiny.engine(SMALL)
    handles = [engine.submit(request()) for _ in range(3)]
    with pytest.raises(EngineUnavailable) as refused:
        engine.submit(request())
    assert refused.value.code == Code.OVERLOADED
    while engine.step():
        pass
    assert all(handle.is_done for handle in handles)
    engine.submit(request())


def test_a_cancelled_request_frees_its_slot(tiny):
    engine = tiny.engine(SMALL)
    running = [engine.submit(request(num_tokens=50)) for _ in range(2)]
    waiting = engine.submit(request())
    engine.step()
    running[0].cancel()
    engine.step()
    assert running[0].is_done
    assert engine.num_waiting == 0
    engine.check_integrity()
    waiting.cancel()
    running[1].cancel()
    assert not engine.step()
    for handle in (*running, waiting):
        with pytest.raises(CancelledError):
            handle.result(0)


def test_deadlines_count_from_the_submission(tiny):
    engine = tiny.engine(SMALL)
    running = engine.submit(request(num_tokens=100, deadline_s=0.02))
    others = [engine.submit(request(num_tokens=4)), engine.submit(request(deadline_s=0.01))]
    engine.step()
    time.sleep(0.03)
    while engine.step():
        pass
    for handle in (running, others[1]):
        with pytest.raises(EngineUnavailable) as late:
            handle.result(0)
        assert late.value.code == Code.TIMEOUT
    assert others[0].result(0).tokens


class Crowds:
    """A runner that notes how many requests each pass is for."""

    def __init__(self, runner):
        self._runner = runner
        self.seen = []

    def __getattr__(self, name):
        return getattr(self._runner, name)

    def append(self, appends):
        self.seen.append(len(appends))
        return self._runner.append(appends)


@pytest.fixture
def started(tiny, monkeypatch):
    """An engine at work that waits long for groups, and its runner."""
    monkeypatch.setattr(engine_module, "LONGEST_WAIT_S", 20.0)
    settings = replace(SMALL, num_slots=3)
    runner = Crowds(ModelRunner(tiny.target, settings))
    engine = tiny.engine(settings, runner)
    engine.start()
    yield engine, runner
    engine.close()


def test_a_group_is_read_together(started):
    engine, runner = started
    group = Group(2)
    with group.place():
        early = engine.submit(request(), group=group)
    time.sleep(0.05)
    assert not runner.seen
    with group.place():
        late = engine.submit(request(30), group=group)
    assert early.result(60).tokens
    assert late.result(60).tokens
    assert runner.seen[0] == 2


def test_whoever_comes_alone_waits_for_no_group(started):
    engine, _ = started
    early = engine.submit(request(), group=(group := Group(2)))
    assert engine.submit(request(30)).result(60).tokens
    assert early.result(60).tokens  # it has gone along
    assert not group.is_complete


def test_a_group_isnt_waited_for_with_all_slots_taken(started):
    engine, _ = started
    handles = [engine.submit(request(start), group=Group(4)) for start in (5, 30, 55)]
    assert all(handle.result(60).tokens for handle in handles)


def test_a_group_isnt_waited_for_by_an_engine_that_closes(started):
    engine, _ = started
    handle = engine.submit(request(), group=Group(2))
    engine.close(drain_s=5)
    assert handle.result(0).tokens


def test_a_group_is_waited_for_so_long_and_no_longer(started, monkeypatch):
    engine, _ = started
    monkeypatch.setattr(engine_module, "LONGEST_WAIT_S", 0.05)
    started_s = time.perf_counter()
    assert engine.submit(request(), group=Group(2)).result(60).tokens
    assert time.perf_counter() - started_s >= 0.05


def test_one_that_is_missing_and_gives_up_releases_its_group(started):
    engine, _ = started
    group = Group(2)
    group.place().take()
    handle = engine.submit(request(), group=group)
    threading.Timer(0.05, group.place().take).start()
    assert handle.result(60).tokens


def test_text_is_streamed_as_it_is_accepted(tiny):
    engine = tiny.engine()
    handle = engine.submit(request(num_tokens=20, speculate=False))
    engine.step()
    engine.step()
    stream = handle.stream()
    first = next(stream)
    assert not handle.is_done
    while engine.step():
        pass
    assert first + "".join(stream) == handle.result(0).text


def test_an_output_stops_at_its_limit(tiny):
    result = run(tiny.engine(), request(num_tokens=7, drafts=(Draft("x" * 100),)))
    assert len(result.tokens) == 7
    assert not result.is_finished


def test_stats_add_up(tiny):
    result = run(tiny.engine(), request(num_tokens=30, drafts=(Draft("nothing like it"),)))
    stats = result.stats
    assert stats.completion_tokens == len(result.tokens) == stats.passes + stats.accepted
    assert stats.prompt_tokens == 10
    assert 0 <= stats.accepted <= stats.drafted
    assert stats.rejected == stats.drafted - stats.accepted
    assert 0 < stats.divergences <= stats.passes
    assert 0 < stats.pass_ms <= stats.total_ms
    assert stats.total_ms == pytest.approx(stats.queue_ms + stats.prefill_ms + stats.decode_ms, abs=1)


@pytest.mark.parametrize("wrong", [{"prompt": ()}, {"max_new_tokens": 0}, {"max_chunk": -1}])
def test_meaningless_requests_are_refused(wrong):
    with pytest.raises(SettingsError):
        DecodeRequest(**{"prompt": (1,), "max_new_tokens": 1, **wrong})


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux only")
def test_its_thread_gives_way_to_others_where_it_is_told_to(tiny):
    engine = tiny.engine(replace(SMALL, niceness=19))
    engine.start()
    engine.submit(request()).result(60)
    (thread,) = (thread for thread in threading.enumerate() if thread is engine._thread)
    own, others = (os.getpriority(os.PRIO_PROCESS, number) for number in (thread.native_id, threading.get_native_id()))
    assert own > others
    engine.close()


def test_many_threads_share_an_engine(tiny):
    engine = tiny.engine(EngineSettings(num_slots=3, slot_len=128, min_slot_len=16, max_waiting=100))
    expected = {start: run(engine, request(start)).tokens for start in range(5, 15)}
    engine.start()
    engine.start()
    seen: list[bool] = []

    def client(seed):
        chance = random.Random(seed)
        for _ in range(4):
            start = chance.choice(sorted(expected))
            seen.append(engine.submit(request(start)).result(60).tokens == expected[start])

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.close()
    assert seen == [True] * 32
    engine.check_integrity()


def test_closing_finishes_what_is_running(tiny):
    engine = tiny.engine()
    engine.start()
    handle = engine.submit(request(num_tokens=30))
    engine.close(drain_s=20)
    assert handle.result(0).tokens
    with pytest.raises(EngineUnavailable) as refused:
        engine.submit(request())
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_closing_at_once_gives_up_what_is_running(tiny):
    engine = tiny.engine()
    engine.start()
    handle = engine.submit(request(num_tokens=900, length=3, speculate=False))
    engine.close(drain_s=0)
    with pytest.raises(EngineUnavailable) as refused:
        handle.result(0)
    assert refused.value.code == Code.TARGET_UNAVAILABLE


class Traffic(RuleBasedStateMachine):
    """Any order of submitting, cancelling and stepping leaves no slot behind, and every answer right."""

    tiny = None
    answers: ClassVar[dict[tuple[int, int], tuple[int, ...]]] = {}

    @initialize()
    def begin(self):
        self.engine = self.tiny.engine(
            EngineSettings(num_slots=2, slot_len=64, min_slot_len=16, max_waiting=4, pass_tokens=24),
            ModelRunner(self.tiny.target, EngineSettings(num_slots=2, slot_len=64, min_slot_len=16)),
        )
        self.handles = []

    @rule(start=st.integers(3, 6), num_tokens=st.integers(1, 9), draft=st.sampled_from(["", "abc", "zzzzzzzz"]))
    def submit(self, start, num_tokens, draft):
        asked = request(start, 30, num_tokens, drafts=(Draft(draft),))
        try:
            self.handles.append((self.engine.submit(asked), start, num_tokens))
        except EngineUnavailable as refused:
            assert refused.code == Code.OVERLOADED
            assert self.engine.num_waiting == 4

    @rule(data=st.data())
    def cancel(self, data):
        if self.handles:
            data.draw(st.sampled_from(self.handles))[0].cancel()

    @rule()
    def step(self):
        self.engine.step()

    @invariant()
    def slots_match(self):
        if hasattr(self, "engine"):
            self.engine.check_integrity()

    def teardown(self):
        while self.engine.step():
            pass
        self.engine.check_integrity()
        assert self.engine.num_running == 0
        for handle, start, num_tokens in self.handles:
            assert handle.is_done
            if not handle.is_cancelled:
                assert handle.result(0).tokens == self.answer(start, num_tokens)

    def answer(self, start, num_tokens):
        key = (start, num_tokens)
        if key not in self.answers:
            self.answers[key] = run(self.tiny.engine(), request(start, 30, num_tokens, speculate=False)).tokens
        return self.answers[key]


def test_any_traffic_is_served_and_leaves_no_slot_behind(tiny):
    case = type("TinyTraffic", (Traffic,), {"tiny": tiny}).TestCase
    case.settings = hypothesis_settings(examples(25), stateful_step_count=25)
    case().runTest()


def test_edit_requests_know_their_defaults():
    assert EditRequest("a", "b").drafts == ()


@pytest.mark.parametrize(
    ("wanted", "budget", "shares"),
    [
        ([5, 5], 100, [5, 5]),
        ([1, 100, 1], 50, [1, 48, 1]),
        ([100, 100, 10], 70, [30, 30, 10]),
        ([4, 4, 4], 2, [1, 1, 1]),
        ([], 10, []),
    ],
)
def test_small_requests_get_all_and_large_ones_share_the_rest(wanted, budget, shares):
    assert fair_shares(wanted, budget) == shares


@given(wanted=st.lists(st.integers(1, 500), max_size=20), budget=st.integers(1, 1000))
def test_shares_are_fair(wanted, budget):
    shares = fair_shares(wanted, budget)
    assert all(1 <= share <= want for share, want in zip(shares, wanted, strict=True))
    assert sum(shares) <= max(budget, len(wanted))
    unfilled = [share for share, want in zip(shares, wanted, strict=True) if share < want]
    assert not unfilled or (max(unfilled) - min(unfilled) <= 1 and max(shares) <= max(unfilled))


def test_a_request_alone_gets_the_whole_pass():
    slow = CostTable({1: 1.0, 2: 2.0})
    settings = EngineSettings(pass_tokens=5000, pass_s=0.1)
    assert pass_budget(1, slow, settings) == 5000
    assert pass_budget(3, slow, settings) == 3 * MIN_SHARE


def test_several_requests_wait_no_longer_than_a_passs_time():
    costs = CostTable({1: 0.001, 1001: 1.001})
    assert 128 <= pass_budget(2, costs, EngineSettings(pass_tokens=5000, pass_s=0.25)) <= 256
