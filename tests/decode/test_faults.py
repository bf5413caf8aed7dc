"""Targets that misbehave (rows 25 to 35 of the list of faults): each a clear answer, and the engine serves on."""

from __future__ import annotations

import random
from itertools import count

import pytest
import torch

from fastedit.decode.passes import NO_TOKEN, Verdict
from fastedit.decode.request import DecodeRequest
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind
from fastedit.errors import Code, EngineUnavailable
from support.tiny_targets import Tiny, run

SETTINGS = EngineSettings(num_slots=4, slot_len=512, min_slot_len=16, pass_tokens=256)


def verdict_of(append, answer):
    """The verdict of a target that answers so: with a verdict, or with its own tokens."""
    return Verdict.of(answer, append.draft) if isinstance(answer, list) and answer else answer or None


class FaultyRunner:
    """Passes everything on to a real runner, but lets `fault` at the n-th call and those after it (`times` of them)."""

    def __init__(self, inner, fault, n=1, times=1):
        self.inner, self.fault, self.n, self.times, self.calls = inner, fault, n, times, 0
        self.released = 0

    num_slots = property(lambda self: self.inner.num_slots)
    slot_len = property(lambda self: self.inner.slot_len)
    max_len = property(lambda self: self.inner.max_len)
    fallbacks = property(lambda self: self.inner.fallbacks)
    step_widths = property(lambda self: self.inner.step_widths)

    def append(self, appends):
        self.calls += 1
        if self.n <= self.calls < self.n + self.times:
            answers = self.fault(self.inner, appends)
            return [verdict_of(append, answer) for append, answer in zip(appends, answers, strict=True)]
        return self.inner.append(appends)

    def copy_prefix(self, source, destination, length):
        self.inner.copy_prefix(source, destination, length)

    def move(self, slot, source, destination, length):
        self.inner.move(slot, source, destination, length)

    def release_memory(self):
        self.released += 1


def raising(error):
    def fault(_, __):
        raise error

    return fault


def out_of_memory_above(limit):
    """Fails for passes of more than `limit` tokens, like a card that is nearly full."""

    def fault(inner, appends):
        if sum(len(append.tokens) for append in appends) > limit:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return inner.append(appends)

    return fault


def faulty_engine(tiny: Tiny, fault, n=1, times=1):
    runner = FaultyRunner(ModelRunner(tiny.target, SETTINGS), fault, n, times)
    return tiny.engine(SETTINGS, runner), runner


PROMPT = tuple(range(20, 60))


def asked(num_tokens=30, **options):
    return DecodeRequest(PROMPT, num_tokens, **options)


@pytest.fixture(scope="module")
def plain(tinies):
    return run(tinies["endless"].engine(), asked(speculate=False))


@pytest.fixture
def endless(tinies):
    return tinies["endless"]


# 25: the target rejects every token, or accepts every token


def test_a_target_that_refuses_everything_costs_a_pass_a_token_at_most(endless, plain):
    text = endless.target.codec.text(list(plain.tokens))
    never = next(letter for letter in "~^`|" if letter not in text)
    result = run(endless.engine(), asked(drafts=(Draft(never * 200), Draft(never * 90, Kind.ORIGINAL))))
    assert result.tokens == plain.tokens
    assert result.stats.passes <= len(plain.tokens)


@pytest.mark.parametrize("chunk", [1, 2, 7, 31, 29, 30])
def test_a_target_that_accepts_everything_costs_a_pass_a_chunk(endless, plain, chunk):
    text = endless.target.codec.text(list(plain.tokens))
    result = run(endless.engine(), asked(drafts=(Draft(text),), max_chunk=chunk))
    assert result.tokens == plain.tokens
    assert result.stats.passes <= -(-len(plain.tokens) // chunk) + 1
    assert result.stats.accepted == result.stats.drafted


# 26: it never ends


def test_a_target_that_never_stops_is_cut_off(endless):
    result = run(endless.engine(), asked(200))
    assert len(result.tokens) == 200
    assert not result.is_finished


def test_a_target_that_repeats_itself_is_cut_off_and_soon(endless):
    def repeat(_, appends):
        return [[50] * append.num_rows for append in appends]

    engine, _ = faulty_engine(endless, repeat, times=10_000)
    result = run(engine, asked(300))
    assert result.tokens == (50,) * 300
    assert result.stats.passes < 30  # what repeats is drafted as a repetition


# 27, 28: ends early, prose, missing tags: see tests/targets/test_answer.py and test_api.py


# 29: NaN logits, unknown tokens


def nan_for(request):
    def fault(inner, appends):
        verdicts = inner.append(appends)
        return [
            [NO_TOKEN] * append.num_rows if append.request == request else verdict
            for append, verdict in zip(appends, verdicts, strict=True)
        ]

    return fault


def unknown_token(_, appends):
    return [[100_000] * append.num_rows for append in appends]


@pytest.mark.parametrize("fault", [nan_for(0), unknown_token, raising(RuntimeError("device-side assert"))])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_broken_pass_fails_its_request_alone(endless, plain, fault, n):
    engine, _ = faulty_engine(endless, fault, n)
    with pytest.raises(EngineUnavailable) as failed:
        run(engine, asked(speculate=False))
    assert failed.value.code == Code.ENGINE_ERROR
    engine.check_integrity()
    assert run(engine, asked()).tokens == plain.tokens


def test_real_nans_are_noticed(tiny_folders):
    tiny = Tiny.load(tiny_folders["qwen3"])
    engine = tiny.engine()
    with torch.no_grad():
        tiny.target.model.base_model.norm.weight[0] = float("nan")
    with pytest.raises(EngineUnavailable, match="NaN"):
        run(engine, asked())


def test_the_others_in_a_pass_are_served(endless):
    def poisoned(inner, appends):
        if any(append.request == 1 for append in appends):
            raise RuntimeError("something about this request")
        return inner.append(appends)

    engine, _ = faulty_engine(endless, poisoned, times=10_000)
    requests = [DecodeRequest(tuple(range(start, start + 20)), 10) for start in (10, 50, 90)]
    handles = [engine.submit(request) for request in requests]
    while engine.step():
        engine.check_integrity()
    with pytest.raises(EngineUnavailable):
        handles[1].result(0)
    for index in (0, 2):
        assert handles[index].result(0).tokens == run(endless.engine(), requests[index]).tokens


def test_draft_tokens_that_the_model_lacks_are_never_fed(endless, plain):
    """A tokenizer with more ids than the model has embeddings."""
    fewer = endless.vocabulary.num_ids - 250
    engine = endless.engine()
    engine._vocabulary = type(endless.vocabulary)(endless.target.codec, endless.target.stop_tokens, fewer)
    result = run(engine, asked(drafts=(Draft("plain text"), Draft("é" * 40, Kind.ORIGINAL))))
    assert result.tokens == plain.tokens


# 30: memory runs out at the n-th pass


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 byte"),
    ],
    ids=["cuda", "python", "cpu"],
)
def test_running_out_of_memory_once_changes_nothing(endless, plain, error):
    """At the first pass, at the second, and so on until none fails."""
    text = endless.target.codec.text(list(plain.tokens))
    drafted = asked(drafts=(Draft(text[:9] + "~" + text[10:]),), max_chunk=4)
    for n in count(1):
        engine, runner = faulty_engine(endless, raising(error), n)
        assert run(engine, drafted).tokens == plain.tokens
        engine.check_integrity()
        if runner.calls < n:
            break
        assert runner.released == 1
    assert n > 5


def test_a_nearly_full_memory_takes_smaller_passes(endless, plain):
    engine, _ = faulty_engine(endless, out_of_memory_above(16), times=10_000)
    text = endless.target.codec.text(list(plain.tokens))
    handles = [engine.submit(asked(drafts=(Draft(text),))) for _ in range(3)]
    while engine.step():
        pass
    assert all(handle.result(0).tokens == plain.tokens for handle in handles)


def test_no_memory_at_all_is_said_and_the_next_request_is_served(endless, plain):
    engine, runner = faulty_engine(endless, out_of_memory_above(0), times=40)
    with pytest.raises(EngineUnavailable, match="memory") as failed:
        run(engine, asked())
    assert failed.value.code == Code.TARGET_UNAVAILABLE
    runner.times = 0
    assert run(engine, asked()).tokens == plain.tokens
    engine.check_integrity()


# 31: a kernel that fails: see test_runner.py


# 32: characters and tokens that a chunk's end cuts


@pytest.mark.parametrize("chunk", range(1, 12))
def test_characters_cut_by_a_chunk_come_out_whole(endless, chunk):
    known = [*endless.target.codec.encode("naïve → 😀 “quoted” é\n"), endless.target.stop_tokens[0]]

    def recite(_, appends):
        firsts = [append.length + len(append.tokens) - append.num_rows + 1 - len(PROMPT) for append in appends]
        return [
            [known[min(first + row, len(known) - 1)] for row in range(append.num_rows)]
            for first, append in zip(firsts, appends, strict=True)
        ]

    for draft in ("naïve → 😀 “quoted” é\n", "naive → 😁 'quoted' è\n", "→→→", ""):
        engine, _ = faulty_engine(endless, recite, times=10_000)
        handle = engine.submit(asked(60, drafts=(Draft(draft),), max_chunk=chunk))
        while engine.step():
            pass
        result = handle.result(0)
        assert result.text == "".join(handle.stream()) == "naïve → 😀 “quoted” é\n"
        assert result.tokens == tuple(known)


# 33: anchors that jump, repeated blocks


@pytest.mark.parametrize("seed", range(6))
def test_repeated_blocks_end_and_change_nothing(endless, plain, seed):
    chance = random.Random(seed)
    text = endless.target.codec.text(list(plain.tokens))
    blocks = [text[start : start + 6] for start in range(0, len(text), 3)] * 5
    chance.shuffle(blocks)
    drafts = (Draft("".join(blocks)), Draft("".join(reversed(blocks)), Kind.ORIGINAL))
    result = run(endless.engine(), asked(drafts=drafts, snippets=tuple(blocks[:4])))
    assert result.tokens == plain.tokens
    assert result.stats.passes <= len(plain.tokens)


# 34: chunk sizes and an empty draft


@pytest.mark.parametrize("chunk", [0, 1, 2, 7, 29, 30, 31])
@pytest.mark.parametrize("draft", ["", "same"])
def test_chunk_sizes_change_nothing(endless, plain, chunk, draft):
    text = endless.target.codec.text(list(plain.tokens)) if draft else ""
    assert run(endless.engine(), asked(drafts=(Draft(text),), max_chunk=chunk)).tokens == plain.tokens


# 35: weights that are cut off, misshapen or pickled: see tests/targets/test_load.py
