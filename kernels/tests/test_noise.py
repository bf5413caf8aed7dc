"""The noise's definition: published Philox vectors, the Gumbel distribution, exact samples."""

import math

import pytest
import torch

from fastedit_kernels import Sampling, noise
from fastedit_kernels.reference import verify

# Known answers of Random123 for philox2x32-10: counter, counter, key -> word, word.
KNOWN_ANSWERS = [
    ((0, 0, 0), (0xFF1DAE59, 0x6CD10DF2)),
    ((0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), (0x2C3F628B, 0xAB4FD7AD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E), (0xDD7CE038, 0xF62A4C12)),
]


@pytest.mark.parametrize(("words", "expected"), KNOWN_ANSWERS)
def test_philox_known_answers(words: tuple[int, int, int], expected: tuple[int, int]) -> None:
    found = noise.philox(*(torch.tensor([word]) for word in words))
    assert tuple(int(word) for word in found) == expected


def test_gumbel_is_accurate_over_all_bits() -> None:
    bits = torch.randint(0, 2**32, (200_000,), generator=torch.Generator().manual_seed(0))
    bits[:4] = torch.tensor([0, 1, 2**32 - 2, 2**32 - 1])
    v = (bits.double() + 0.5) / 2**32
    exact = -torch.log(-torch.log1p(-v))
    assert (noise.gumbel_of_bits(bits) - exact).abs().max() < 2e-6
    assert noise.gumbel_of_bits(bits).max() < 22.88  # -log(2**-33), rounded up


def test_gumbel_has_its_moments() -> None:
    drawn = noise.gumbel(torch.arange(40), torch.arange(40), torch.arange(5000)).double()
    assert drawn.mean() == pytest.approx(0.5772, abs=0.01)
    assert drawn.var() == pytest.approx(math.pi**2 / 6, abs=0.03)


def test_neighbours_are_independent() -> None:
    """Seeds, positions and tokens one apart give noise that isn't correlated."""
    drawn = noise.gumbel(torch.tensor([1, 1, 2]), torch.tensor([7, 8, 7]), torch.arange(20_000))
    correlations = torch.corrcoef(torch.cat((drawn, drawn[:1].roll(1, dims=1))))
    assert (correlations - torch.eye(4)).abs().max() < 0.03


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_samples_follow_the_softmax(temperature: float) -> None:
    num_rows, logits = 20_000, torch.tensor([2.0, 1.0, 0.0, -1.0, -3.0])
    sampling = Sampling(torch.tensor([42]), torch.tensor([temperature]), torch.arange(num_rows, dtype=torch.int32))
    hidden = torch.ones(num_rows, 1)
    drafts = torch.full((num_rows,), -1, dtype=torch.int32)
    cu_rows = torch.tensor([0, num_rows], dtype=torch.int32)
    verdict = verify(hidden, logits[:, None], drafts, cu_rows, sampling=sampling)
    counts = torch.bincount(verdict.token_ids, minlength=5).double()
    expected = num_rows * (logits.double() / temperature).softmax(-1)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 18.5  # 4 degrees of freedom, one in a thousand


def test_a_draft_changes_nothing_that_is_drawn() -> None:
    generator = torch.Generator().manual_seed(1)
    hidden, lm_head = torch.randn(9, 16, generator=generator), torch.randn(50, 16, generator=generator)
    sampling = Sampling(torch.tensor([5]), torch.tensor([0.9]), torch.arange(9, dtype=torch.int32))
    cu_rows = torch.tensor([0, 9], dtype=torch.int32)
    drafts = [torch.randint(0, 50, (9,), generator=generator, dtype=torch.int32) for _ in range(3)]
    drawn = [verify(hidden, lm_head, draft, cu_rows, sampling=sampling).token_ids for draft in drafts]
    assert torch.equal(drawn[0], drawn[1])
    assert torch.equal(drawn[0], drawn[2])
