"""The target's own token by sampling: Gumbel-max with noise that depends on seed, position and token alone.

argmax(logits / temperature + gumbel) is an exact sample of softmax(logits / temperature). Since the noise is a pure
function, so is the sample: it depends neither on the draft nor on chunks nor on batch mates, and comparing it with the
draft's token accepts that token with exactly its probability.

The noise is that of `fastedit_kernels.noise`, to the bit (a test holds the two together), so that a seed gives the
same text on a GPU. It is written down here once more because this path works without that package.
"""

from __future__ import annotations

import torch
from torch import Tensor

from fastedit.decode.request import Sampling

MASK_32 = 0xFFFFFFFF
PHILOX_MULTIPLIER = 0xD256D193
PHILOX_WEYL = 0x9E3779B9
PHILOX_ROUNDS = 10
# log(1 + t) / t over [sqrt(1/2) - 1, sqrt(2) - 1], lowest power first: the same bits everywhere, unlike a library's log
LOG_SERIES = (
    0.9999999403953552,
    -0.5000036358833313,
    0.33335113525390625,
    -0.24970071017742157,
    0.19898565113544464,
    -0.17247013747692108,
    0.1623418927192688,
    -0.10134056955975943,
)
LN_2 = 0.6931471824645996
SQRT_HALF_BITS = 0x3F3504F3
TWO_POW_MINUS_32 = 2.0**-32


def sample(logits: Tensor, positions: Tensor, sampling: Sampling) -> Tensor:
    """The sampled token of every row, int64 [R]; -1 for a row with a NaN.

    logits: float32 [R, V]. positions: int64 [R], the absolute position of the token that the row predicts.
    """
    scaled = logits * (1.0 / sampling.temperature)
    scaled = scaled.masked_fill(~kept_tokens(scaled, sampling), float("-inf"))
    scores = scaled + gumbel(sampling.seed, positions, torch.arange(logits.shape[-1], device=logits.device))
    best, tokens = scores.max(dim=-1)
    return torch.where(best.isnan(), -1, tokens)


def kept_tokens(scaled: Tensor, sampling: Sampling) -> Tensor:
    """True for the tokens that may be sampled, bool [R, V]: first top-k, then of those top-p; ties by lowest id.

    scaled: float32 [R, V], after the temperature.
    """
    if sampling.top_k == 0 and sampling.top_p == 1.0:
        return torch.ones_like(scaled, dtype=torch.bool)
    order = torch.sort(scaled, dim=-1, descending=True, stable=True)
    keep = torch.ones_like(scaled, dtype=torch.bool)
    if sampling.top_k:
        keep[:, sampling.top_k :] = False
    if sampling.top_p < 1.0:
        shares = order.values.masked_fill(~keep, float("-inf")).softmax(dim=-1, dtype=torch.float64)
        keep &= shares.cumsum(dim=-1) - shares < sampling.top_p
        keep[:, 0] = True
    return torch.zeros_like(keep).scatter_(-1, order.indices, keep)


def gumbel(seed: int, positions: Tensor, tokens: Tensor) -> Tensor:
    """Standard Gumbel noise, float32 [R, V], for positions int64 [R] and tokens int64 [V]."""
    low = torch.full_like(positions, seed & MASK_32)
    high = torch.full_like(positions, (seed >> 32) & MASK_32)
    word, key = _philox(low, high, positions & MASK_32)
    bits, _ = _philox(tokens[None, :], word[:, None], key[:, None])
    return _gumbel_of_bits(bits)


def _philox(counter_0: Tensor, counter_1: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Philox-2x32-10 (Salmon et al., SC'11) on unsigned 32-bit words held in int64."""
    for _ in range(PHILOX_ROUNDS):
        product = counter_0 * PHILOX_MULTIPLIER  # wraps at 64 bits, which leaves the wanted bits as they are
        counter_0, counter_1 = ((product >> 32) & MASK_32) ^ key ^ counter_1, product & MASK_32
        key = (key + PHILOX_WEYL) & MASK_32
    return counter_0, counter_1


def _gumbel_of_bits(bits: Tensor) -> Tensor:
    """-log(-log(1 - v)) for v = (bits + 0.5) / 2**32."""
    v = (bits.to(torch.float32) + 0.5) * TWO_POW_MINUS_32
    rest = ((MASK_32 - bits).to(torch.float32) + 0.5) * TWO_POW_MINUS_32  # 1 - v without its cancellation
    return -_log(-_log(rest, rest_of_one=v))


def _log(x: Tensor, rest_of_one: Tensor | None = None) -> Tensor:
    bits = x.view(torch.int32)
    exponent = (bits - SQRT_HALF_BITS) >> 23
    t = (bits - (exponent << 23)).view(torch.float32) - 1.0
    if rest_of_one is not None:
        t = torch.where(exponent == 0, -rest_of_one, t)
    series = torch.full_like(t, LOG_SERIES[-1])
    for coefficient in reversed(LOG_SERIES[:-1]):
        series = series * t + coefficient
    return exponent.to(torch.float32) * LN_2 + t * series
