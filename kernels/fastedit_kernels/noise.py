"""The sampling noise: one Gumbel number for every (seed, absolute position, token id), the same bits everywhere.

The target's own token at a position is `argmax(logits * inv_temperature + gumbel)`. Since the noise is a function of
seed, position and token alone, so is the sample: it depends neither on the draft, nor on how the draft was cut into
chunks, nor on batch mates, nor on the device.

Definition: Philox-2x32-10 (Salmon et al., SC'11) gives 32 random bits,

    c1, key = philox(counter=(seed_low, seed_high), key=position)         once for each row
    bits    = philox(counter=(token, c1), key=key)[0]                     once for each logit

and `gumbel_of_bits` turns them into -log(-log(1 - v)), v = (bits + 0.5) / 2**32, with additions, multiplications
and bit operations only, each rounded by itself. A library's logarithm would differ between devices in the last bit.

`gpu/noise.py` says the same in Triton; a test holds the two together.
"""

from __future__ import annotations

import torch
from torch import Tensor

PHILOX_ROUNDS = 10
PHILOX_MULTIPLIER = 0xD256D193
PHILOX_WEYL = 0x9E3779B9
MASK_32 = 0xFFFFFFFF

# log(1 + t) / t over [sqrt(1/2) - 1, sqrt(2) - 1]: lowest power first, relative error 1.8e-7.
LOG_COEFFICIENTS = (
    0.9999999403953552,
    -0.5000036358833313,
    0.33335113525390625,
    -0.24970071017742157,
    0.19898565113544464,
    -0.17247013747692108,
    0.1623418927192688,
    -0.10134056955575943,
)
LN_2 = 0.6931471824645996  # as float32 holds it
SQRT_HALF_BITS = 0x3F3504F3  # float32 sqrt(1/2): mantissas are taken from [sqrt(1/2), sqrt(2))
TWO_POW_MINUS_32 = 2.0**-32


def philox(counter_0: Tensor, counter_1: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Two words of 32 random bits for each (counter, key): Philox-2x32-10.

    All int64 holding unsigned 32-bit words, of shapes that broadcast; so are the results.
    """
    for _ in range(PHILOX_ROUNDS):
        product = counter_0 * PHILOX_MULTIPLIER  # wraps at 64 bits, which leaves the wanted bits as they are
        counter_0, counter_1 = ((product >> 32) & MASK_32) ^ key ^ counter_1, product & MASK_32
        key = (key + PHILOX_WEYL) & MASK_32
    return counter_0, counter_1


def row_keys(seeds: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
    """The (c1, key) words of each row, int64 [R].

    seeds: int64 [R], any 64 bits; positions: int [R], the absolute position of the token that the row predicts.
    """
    seeds = seeds.to(torch.int64)
    return philox(seeds & MASK_32, (seeds >> 32) & MASK_32, positions.to(torch.int64) & MASK_32)


def noise_bits(seeds: Tensor, positions: Tensor, token_ids: Tensor) -> Tensor:
    """The 32 random bits of every (row, token): int64 [R, V] from seeds [R], positions [R] and token_ids [V]."""
    c1, key = row_keys(seeds, positions)
    return philox(token_ids.to(torch.int64)[None, :], c1[:, None], key[:, None])[0]


def gumbel_of_bits(bits: Tensor) -> Tensor:
    """Standard Gumbel numbers, float32, from unsigned 32-bit words held in int64; any shape."""
    v = (bits.to(torch.float32) + 0.5) * TWO_POW_MINUS_32
    rest = ((MASK_32 - bits).to(torch.float32) + 0.5) * TWO_POW_MINUS_32  # 1 - v without its cancellation
    exponential = -_log(rest, rest_of_one=v)
    return -_log(exponential)


def gumbel(seeds: Tensor, positions: Tensor, token_ids: Tensor) -> Tensor:
    """The noise of every (row, token): float32 [R, V] from seeds [R], positions [R] and token_ids [V]."""
    return gumbel_of_bits(noise_bits(seeds, positions, token_ids))


def _log(x: Tensor, rest_of_one: Tensor | None = None) -> Tensor:
    """Natural logarithm of positive normal float32 numbers; `rest_of_one` is 1 - x where that is known better."""
    bits = x.view(torch.int32)
    exponent = (bits - SQRT_HALF_BITS) >> 23
    t = (bits - (exponent << 23)).view(torch.float32) - 1.0
    if rest_of_one is not None:
        t = torch.where(exponent == 0, -rest_of_one, t)
    series = torch.full_like(t, LOG_COEFFICIENTS[-1])
    for coefficient in reversed(LOG_COEFFICIENTS[:-1]):
        series = series * t + coefficient
    return exponent.to(torch.float32) * LN_2 + t * series
