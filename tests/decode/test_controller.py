from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.decode.controller import (
    EDGE_HAZARD,
    MIN_SURVIVAL,
    PRIORS,
    Acceptance,
    CostTable,
    Offer,
    Stretch,
    draft_lengths,
)
from fastedit.draft import Kind, Proposal

FLAT = CostTable({1: 1.0, 10_000: 1.0})
PER_TOKEN = CostTable({1: 0.001, 1001: 1.001})  # all of the time is per token
KNEE = CostTable({1: 1.0, 128: 1.05, 256: 2.0, 512: 4.0})  # a data-centre GPU


def fading(length, chance):
    return [Stretch(chance ** (index + 1), 1) for index in range(length)]


def length_of(survival, costs, num_fed=1, budget=10_000):
    return draft_lengths([Offer(num_fed, survival)], costs, budget)[0]


def test_free_width_is_filled():
    assert length_of(fading(500, 0.99), FLAT) == 500


def test_a_certain_draft_is_taken_whole():
    assert length_of([Stretch(1.0, 1)] * 400, PER_TOKEN) == 400


def test_a_hopeless_draft_is_not_fed_where_tokens_cost():
    assert length_of(fading(50, 0.2), PER_TOKEN) == 0


def test_a_hopeless_draft_is_fed_where_tokens_are_free():
    assert length_of(fading(50, 0.2), FLAT) > 0


def test_drafts_stop_at_the_knee():
    assert 100 <= length_of(fading(1000, 0.994), KNEE) <= 200


def test_a_long_prompt_does_not_make_doubtful_tokens_worthwhile():
    """The prompt's time is spent anyway: what counts is what a drafted token adds and what it may save."""
    doubtful = fading(300, 0.9)
    assert length_of(doubtful, PER_TOKEN, num_fed=4000) <= length_of(doubtful, PER_TOKEN) + 2


def test_width_goes_to_the_likelier_tokens():
    sure, unsure = draft_lengths([Offer(1, fading(300, 0.999)), Offer(1, fading(300, 0.9))], KNEE, 10_000)
    assert sure > 3 * unsure > 0


def test_a_budget_is_kept():
    lengths = draft_lengths([Offer(10, [Stretch(1.0, 100)]), Offer(20, [Stretch(1.0, 1)] * 100)], FLAT, 64)
    assert sum(lengths) == 34
    assert draft_lengths([Offer(100, [Stretch(1.0, 10)])], FLAT, 64) == [0]


@given(
    chances=st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5),
    budget=st.integers(1, 300),
    costs=st.sampled_from([FLAT, PER_TOKEN, KNEE]),
)
def test_lengths_are_possible(chances, budget, costs):
    offers = [Offer(1 + index, fading(40, chance)) for index, chance in enumerate(chances)]
    lengths = draft_lengths(offers, costs, budget)
    num_fed = sum(offer.num_fed for offer in offers)
    assert all(0 <= length <= 40 for length in lengths)
    assert sum(lengths) <= max(0, budget - num_fed)


def test_nothing_offered():
    assert draft_lengths([Offer(5, ()), Offer(1, ())], KNEE, 100) == [0, 0]


def proposal(kind=Kind.MERGED, length=50, edges=()):
    return Proposal(list(range(length)), kind, edges)


def test_survival_falls_and_drops_at_edges():
    chances = [stretch.chance for stretch in Acceptance().survival(proposal(edges=(10,)))]
    assert all(later <= earlier for earlier, later in pairwise(chances))
    drops = [earlier / later for earlier, later in pairwise(chances)]
    assert max(range(len(drops)), key=drops.__getitem__) == 9


@given(
    length=st.integers(1, 3000),
    kind=st.sampled_from(Kind),
    edges=st.lists(st.integers(0, 2999), max_size=5, unique=True).map(sorted),
)
def test_stretches_say_what_single_tokens_would(length, kind, edges):
    edges = tuple(edge for edge in edges if edge < length)
    stretches = Acceptance().survival(proposal(kind, length, edges))
    assert len(stretches) <= 16 + 32 + length // 128 + 1
    first, hazard = PRIORS[kind]
    steps = [(1 - EDGE_HAZARD if index in edges else 1) * (1 - hazard if index else first) for index in range(length)]
    each = list(accumulate(steps, lambda before, step: before * step))
    covered = sum(stretch.num_tokens for stretch in stretches)
    assert covered == length or each[min(covered + 128, length) - 1] < MIN_SURVIVAL
    at = 0
    for stretch in stretches:
        mean = sum(each[at : at + stretch.num_tokens]) / stretch.num_tokens
        assert stretch.chance == pytest.approx(mean, abs=0.02)
        at += stretch.num_tokens


@given(st.lists(st.tuples(st.integers(1, 60), st.floats(0.9, 1.0)), min_size=1, max_size=4), st.integers(1, 200))
def test_stretches_are_cut_where_single_tokens_would_be(drafts, budget):
    """A stretch of equal chances weighs as much as its tokens one by one."""
    singles = [Offer(1, [Stretch(chance, 1)] * count) for count, chance in drafts]
    joined = [Offer(1, [Stretch(chance, count)]) for count, chance in drafts]
    assert draft_lengths(joined, KNEE, budget) == draft_lengths(singles, KNEE, budget)


def test_refusals_make_a_kind_less_trusted():
    acceptance = Acceptance()
    before = acceptance.rates(Kind.MERGED)
    for _ in range(20):
        acceptance.observe(proposal(), 0)
    for _ in range(5):
        acceptance.observe(proposal(), 3)
    first, hazard = acceptance.rates(Kind.MERGED)
    assert first < before[0] / 2
    assert hazard > before[1]
    assert acceptance.rates(Kind.ORIGINAL) == PRIORS[Kind.ORIGINAL]


def test_edges_are_learned_apart():
    acceptance = Acceptance()
    before = acceptance.edge_hazard
    for _ in range(10):
        acceptance.observe(proposal(edges=(5, 20)), 5)
    assert acceptance.edge_hazard > 10 * before
    assert acceptance.rates(Kind.MERGED)[1] <= PRIORS[Kind.MERGED][1]
    for _ in range(300):
        acceptance.observe(proposal(edges=(5, 20)), 50)
    assert acceptance.edge_hazard < 0.02
    known = Acceptance()
    known.learn(acceptance)
    assert known.fork().edge_hazard == acceptance.edge_hazard


def test_what_a_request_learned_helps_the_next():
    known = Acceptance()
    one = known.fork()
    for _ in range(10):
        one.observe(proposal(Kind.SUFFIX, 20), 0)
    assert known.rates(Kind.SUFFIX) == PRIORS[Kind.SUFFIX]
    known.learn(one)
    assert known.fork().rates(Kind.SUFFIX)[0] < PRIORS[Kind.SUFFIX][0]


def test_a_sure_short_draft_is_worth_more_than_a_long_guess():
    acceptance = Acceptance()
    assert acceptance.worth(proposal(Kind.SNIPPET, 8)) > acceptance.worth(proposal(Kind.GUESSED, 200))
    assert acceptance.worth(proposal(Kind.SNIPPET, 20)) > acceptance.worth(proposal(Kind.SNIPPET, 2))


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_prior(kind):
    first, hazard = PRIORS[kind]
    assert 0 < first <= 1
    assert 0 < hazard < 1
