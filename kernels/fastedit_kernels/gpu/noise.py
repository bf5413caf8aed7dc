# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""`fastedit_kernels.noise` in Triton, bit for bit.

Kernels that call `gumbel_of_bits` have to be compiled with `enable_fp_fusion=False`: a fused multiply-add rounds once
where the definition rounds twice.
"""

from __future__ import annotations

import triton
import triton.language as tl

from fastedit_kernels import noise

ROUNDS = tl.constexpr(noise.PHILOX_ROUNDS)
MULTIPLIER = tl.constexpr(noise.PHILOX_MULTIPLIER)
WEYL = tl.constexpr(noise.PHILOX_WEYL)
MASK_32 = tl.constexpr(noise.MASK_32)
LN_2 = tl.constexpr(noise.LN_2)
SQRT_HALF_BITS = tl.constexpr(noise.SQRT_HALF_BITS)
TWO_POW_MINUS_32 = tl.constexpr(noise.TWO_POW_MINUS_32)
C0, C1, C2, C3, C4, C5, C6, C7 = (tl.constexpr(c) for c in noise.LOG_COEFFICIENTS)


@triton.jit
def philox(counter_0, counter_1, key):
    """Two words of 32 random bits for each (counter, key); uint32 in, uint32 out."""
    for _ in tl.static_range(ROUNDS):
        high = tl.umulhi(counter_0, tl.full((), MULTIPLIER, tl.uint32))
        low = tl.mul(counter_0, tl.full((), MULTIPLIER, tl.uint32), sanitize_overflow=False)
        counter_0 = high ^ key ^ counter_1
        counter_1 = low
        key = tl.add(key, tl.full((), WEYL, tl.uint32), sanitize_overflow=False)
    return counter_0, counter_1


@triton.jit
def row_keys(seeds, positions):
    """The (c1, key) words of each row, uint32; seeds int64, positions int32."""
    low = (seeds & MASK_32).to(tl.uint32)
    high = ((seeds >> 32) & MASK_32).to(tl.uint32)
    return philox(low, high, positions.to(tl.uint32))


@triton.jit
def gumbel_of_bits(bits):
    """Standard Gumbel numbers, float32, from uint32 words."""
    v = (bits.to(tl.float32) + 0.5) * TWO_POW_MINUS_32
    rest = ((bits ^ tl.full((), MASK_32, tl.uint32)).to(tl.float32) + 0.5) * TWO_POW_MINUS_32
    exponent, t = _split(rest)
    t = tl.where(exponent == 0, -v, t)
    return -_log(-_log_of(exponent, t))


@triton.jit
def gumbel(token_ids, c1, key):
    """The noise of each logit: float32, of the shape that int32 token_ids and uint32 c1, key broadcast to."""
    tokens, _ = tl.broadcast(token_ids.to(tl.uint32), c1)
    bits, _ = philox(tokens, c1, key)
    return gumbel_of_bits(bits)


@triton.jit
def _split(x):
    bits = x.to(tl.int32, bitcast=True)
    exponent = (bits - SQRT_HALF_BITS) >> 23
    return exponent, (bits - (exponent << 23)).to(tl.float32, bitcast=True) - 1.0


@triton.jit
def _log_of(exponent, t):
    series = tl.full(t.shape, C7, tl.float32)
    series = series * t + C6
    series = series * t + C5
    series = series * t + C4
    series = series * t + C3
    series = series * t + C2
    series = series * t + C1
    series = series * t + C0
    return exponent.to(tl.float32) * LN_2 + t * series


@triton.jit
def _log(x):
    exponent, t = _split(x)
    return _log_of(exponent, t)
