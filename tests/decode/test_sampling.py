from __future__ import annotations

import pytest
import torch

from fastedit.decode.request import Sampling
from fastedit.decode.verify import gumbel, kept_tokens, sample
from fastedit.errors import SettingsError

NUM_DRAWS = 40_000
# chi-square values that a true sample exceeds once in 10,000 times
CRITICAL = {7: 29.9, 4: 23.5, 3: 21.1, 2: 18.4}


def drawn(logits, sampling, num_draws=NUM_DRAWS):
    """How often each token is drawn at positions 0, 1, 2, ..."""
    positions = torch.arange(num_draws)
    tokens = sample(logits.expand(num_draws, -1), positions, sampling)
    return torch.bincount(tokens, minlength=logits.shape[-1]).double()


def chi_square(counts, probabilities):
    possible = probabilities > 0
    assert counts[~possible].sum() == 0
    expected = probabilities[possible] * counts.sum()
    return float(((counts[possible] - expected) ** 2 / expected).sum()), int(possible.sum()) - 1


LOGITS = torch.tensor([2.0, 1.0, 0.5, 0.0, -0.5, -1.0, 1.5, 0.2])


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**62 + 5])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
def test_draws_follow_softmax(seed, temperature):
    counts = drawn(LOGITS, Sampling(temperature=temperature, seed=seed))
    statistic, degrees = chi_square(counts, (LOGITS / temperature).softmax(-1).double())
    assert statistic < CRITICAL[degrees]


def test_draws_are_as_good_as_multinomials():
    """Two samples of one distribution: their difference is no larger than chance makes it."""
    torch.manual_seed(0)
    probabilities = LOGITS.softmax(-1)
    theirs = torch.bincount(torch.multinomial(probabilities, NUM_DRAWS, replacement=True), minlength=8).double()
    ours = drawn(LOGITS, Sampling(temperature=1.0, seed=3))
    statistic = float(((ours - theirs) ** 2 / (ours + theirs)).sum())
    assert statistic < CRITICAL[7]


def test_draws_of_different_seeds_are_independent():
    """Pairs of draws at one position under two seeds fall into the cells as independence says."""
    logits = torch.tensor([0.0, 0.5, 1.0])
    positions = torch.arange(NUM_DRAWS)
    one, other = (
        sample(logits.expand(NUM_DRAWS, -1), positions, Sampling(temperature=1.0, seed=seed)) for seed in (11, 12)
    )
    cells = torch.bincount(3 * one + other, minlength=9).double()
    probabilities = logits.softmax(-1).double()
    expected = (probabilities[:, None] * probabilities[None, :]).flatten() * NUM_DRAWS
    assert float(((cells - expected) ** 2 / expected).sum()) < 31.9  # 8 degrees of freedom


@pytest.mark.parametrize(
    ("sampling", "kept"),
    [
        (Sampling(temperature=1.0, top_k=3, seed=5), [0, 6, 1]),
        (Sampling(temperature=1.0, top_k=1, seed=5), [0]),
        (Sampling(temperature=1.0, top_p=0.7, seed=5), [0, 6, 1]),
        (Sampling(temperature=1.0, top_p=1e-9, seed=5), [0]),
        (Sampling(temperature=1.0, top_k=5, top_p=0.75, seed=5), [0, 6, 1]),
        (Sampling(temperature=1.0, top_k=100, seed=5), list(range(8))),
    ],
)
def test_filters_keep_the_likeliest_and_their_proportions(sampling, kept):
    mask = torch.zeros(8, dtype=torch.bool)
    mask[kept] = True
    assert torch.equal(kept_tokens(LOGITS[None], sampling)[0], mask)
    statistic, degrees = chi_square(
        drawn(LOGITS, sampling), LOGITS.masked_fill(~mask, float("-inf")).softmax(-1).double()
    )
    assert degrees == 0 or statistic < CRITICAL[degrees]


def test_equal_logits_are_kept_by_lowest_id():
    kept = kept_tokens(torch.zeros(1, 6), Sampling(temperature=1.0, top_k=2))
    assert kept[0].tolist() == [True, True, False, False, False, False]


def test_a_row_depends_on_nothing_but_itself():
    torch.manual_seed(1)
    logits = torch.randn(20, 300)
    positions = torch.arange(100, 120)
    sampling = Sampling(temperature=0.8, top_p=0.9, seed=9)
    together = sample(logits, positions, sampling)
    alone = torch.cat([sample(logits[row : row + 1], positions[row : row + 1], sampling) for row in range(20)])
    assert torch.equal(together, alone)


def test_a_row_with_a_nan_has_no_token():
    logits = torch.zeros(3, 5)
    logits[1, 2] = float("nan")
    tokens = sample(logits, torch.arange(3), Sampling(temperature=1.0))
    assert [token >= 0 for token in tokens.tolist()] == [True, False, True]


def test_noise_is_the_kernels_noise():
    noise = pytest.importorskip("fastedit_kernels.noise")
    positions, tokens = torch.tensor([0, 1, 77, 2**31 - 1]), torch.arange(1000)
    for seed in (0, 5, 2**33 + 1, 2**63 - 1):
        theirs = noise.gumbel(torch.full((4,), seed), positions, tokens)
        assert torch.equal(gumbel(seed, positions, tokens), theirs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"top_p": 0},
        {"top_p": 1.1},
        {"top_k": -1},
        {"seed": -1},
        {"seed": 2**63},
    ],
)
def test_meaningless_settings_are_refused(wrong):
    with pytest.raises(SettingsError):
        Sampling(**wrong)


def test_a_temperature_that_would_overflow_is_greedy():
    assert Sampling(temperature=1e-30).is_greedy
    assert not Sampling(temperature=0.01).is_greedy
