"""The promise of the whole package: the output is the target's own, whatever the drafts, chunks and batch mates."""

from __future__ import annotations

import random

import pytest

from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind
from support.examples import share_of
from support.tiny_targets import MIN_MARGIN, run

FAMILIES = ("llama", "qwen2", "qwen3", "merges")
NUM_TOKENS = 48
CHUNKS = (1, 2, 3, 5, 7, 8, 13, 16, 31, 32, 33, 64, 100, 128, 255, 256, 511, 512)


def written_by(tiny, chance, num_tokens=NUM_TOKENS, min_tokens=1):
    """A random prompt and the `min_tokens` or more that `generate` writes after it, no choice too close to call."""
    num_ids = tiny.vocabulary.num_ids
    while True:
        prompt = tuple(chance.randrange(3, num_ids) for _ in range(chance.randrange(1, 80)))
        output, margin = tiny.greedy(prompt, num_tokens)
        if margin > MIN_MARGIN and len(output) >= min_tokens:
            return prompt, output


def drafts_for(tiny, output, chance):
    """Perfect, original-only, garbage, empty and adversarial drafts of an output."""
    text = tiny.target.codec.text(list(output))
    middle = len(text) // 2
    swapped = list(text)
    for _ in range(3 if text else 0):
        swapped[chance.randrange(len(swapped))] = chance.choice("xyz(\n é")
    return {
        "perfect": (Draft(text),),
        "original": (Draft("".join(swapped), Kind.ORIGINAL),),
        "shorter": (Draft(text[:middle] + text[middle + 9 :], Kind.ORIGINAL),),
        "garbage": (Draft("".join(chance.choices("abc \n(){}é→", k=120))),),
        "empty": (Draft(""),),
        "none": (),
        # wrong at every other character; right, then wrong at once, again and again; the truth one off
        "adversarial": (Draft("".join(a + "~" for a in text)), Draft(text[1:] + text, Kind.ORIGINAL)),
        "repeating": (Draft(text[:5] * 40), Draft(text[3:9] * 30, Kind.ORIGINAL)),
    }


def requests_for(tiny, chance, **options):
    # Now and then one that ends at once, mostly such with something to draft.
    prompt, output = written_by(tiny, chance, min_tokens=chance.choice((1, 24, 24, NUM_TOKENS)))
    text = tiny.target.codec.text(list(output))
    for name, drafts in drafts_for(tiny, output, chance).items():
        chunk = chance.choice(CHUNKS)
        snippets = (text[4:14] + "\n", text[20:30])
        request = DecodeRequest(prompt, NUM_TOKENS, drafts, snippets, original=text[::-1], max_chunk=chunk, **options)
        yield name, request, output


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_alone_equals_generate(tinies, family):
    tiny, chance = tinies[family], random.Random(family)
    engine = tiny.engine()
    for _ in range(share_of(12)):
        for name, request, output in requests_for(tiny, chance):
            assert run(engine, request).tokens == output, (name, request.max_chunk)
    engine.check_integrity()


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_through_the_module_equals_generate(tinies, family):
    tiny, chance = tinies[family], random.Random(family)
    settings = EngineSettings(num_slots=4, slot_len=1024, min_slot_len=16)
    runner = ModelRunner(tiny.target, settings, is_light=False)  # as for targets that aren't small
    engine = tiny.engine(settings, runner)
    for _ in range(share_of(4)):
        for name, request, output in requests_for(tiny, chance):
            assert run(engine, request).tokens == output, (name, request.max_chunk)


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_in_ragged_batches_equals_generate(tinies, family):
    tiny, chance = tinies[family], random.Random(family)
    engine = tiny.engine()
    for _ in range(share_of(4)):
        cases = [case for _ in range(2) for case in requests_for(tiny, chance)]
        chance.shuffle(cases)
        handles = [engine.submit(request) for _, request, _ in cases]
        while engine.step():
            engine.check_integrity()
        for (name, request, output), handle in zip(cases, handles, strict=True):
            assert handle.result(0).tokens == output, (name, request.max_chunk)


@pytest.fixture(scope="module")
def long_output(tinies):
    return written_by(tinies["endless"], random.Random(5), num_tokens=600, min_tokens=600)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_every_chunk_size_on_a_long_output(tinies, long_output, chunk):
    tiny, (prompt, output) = tinies["endless"], long_output
    text = tiny.target.codec.text(list(output))
    damaged = text[:150] + "###" + text[180:400] + text[390:]
    result = run(tiny.engine(), DecodeRequest(prompt, 600, (Draft(damaged, Kind.ORIGINAL),), max_chunk=chunk))
    assert result.tokens == output
    perfect = run(tiny.engine(), DecodeRequest(prompt, 600, (Draft(text),), max_chunk=chunk))
    assert perfect.tokens == output
    assert perfect.stats.passes == -(-len(output) // (chunk + 1))


@pytest.mark.slow
def test_all_chunk_sizes_from_1_to_512(tinies, long_output):
    tiny, (prompt, output) = tinies["endless"], long_output
    text = tiny.target.codec.text(list(output))
    engine = tiny.engine()
    for chunk in range(1, 513):
        request = DecodeRequest(prompt, 600, (Draft(text[:300] + "!" + text[301:]),), max_chunk=chunk)
        assert run(engine, request).tokens == output, chunk


SAMPLINGS = (
    Sampling(temperature=1.0, seed=7),
    Sampling(temperature=0.7, top_p=0.8, seed=1),
    Sampling(temperature=1.3, top_k=20, seed=2**40 + 3),
    Sampling(temperature=0.9, top_k=50, top_p=0.95, seed=0),
)


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=str)
def test_a_seed_gives_one_text_for_every_draft_chunk_and_batch(tiny, sampling):
    chance = random.Random(str(sampling))
    prompt = tuple(chance.randrange(3, 200) for _ in range(20))
    alone = tiny.engine()
    plain = run(alone, DecodeRequest(prompt, NUM_TOKENS, sampling=sampling, speculate=False))
    drafts = drafts_for(tiny, plain.tokens, chance).values()
    requests = [
        DecodeRequest(prompt, NUM_TOKENS, draft, max_chunk=chance.choice(CHUNKS), sampling=sampling) for draft in drafts
    ]
    assert all(run(alone, request).tokens == plain.tokens for request in requests)
    others = [request for _, request, _ in requests_for(tiny, chance)]
    engine = tiny.engine()
    handles = [engine.submit(request) for request in (*requests, *others)]
    while engine.step():
        pass
    assert all(handle.result(0).tokens == plain.tokens for handle in handles[: len(requests)])


def test_other_seeds_give_other_texts(tiny):
    engine = tiny.engine()
    texts = {
        run(engine, DecodeRequest((5, 6, 7), 30, sampling=Sampling(temperature=1.0, seed=seed))).tokens
        for seed in range(8)
    }
    assert len(texts) == 8


def test_speculation_switched_off_drafts_nothing(tiny):
    prompt, output = written_by(tiny, random.Random(8))
    text = tiny.target.codec.text(list(output))
    result = run(tiny.engine(), DecodeRequest(prompt, NUM_TOKENS, (Draft(text),), speculate=False))
    assert result.tokens == output
    assert (result.stats.drafted, result.stats.passes) == (0, len(output))
