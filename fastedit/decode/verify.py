"""The target's own token for every row that predicts one, and its verdict on the drafts: formed on its device.

What comes back to the host is one small tensor, see `packed_verdicts`: `fastedit_kernels.verify` and the torch path
here both end in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor
from torch.nn import functional

from fastedit.decode.passes import NO_TOKEN, Append, Verdict
from fastedit.decode.request import GREEDY, Sampling

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
LOGITS_AT_ONCE = 2**21  # so many logits are held together: 8 MB in float32, which a CPU's caches hold
MIN_ROWS_AT_ONCE = 64  # or a large vocabulary's weights would be read for a few rows
NO_DRAFT = -1  # of the row behind a draft
SMALLEST_STEP = 8
STEPS_PER_DOUBLING = 8


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


@dataclass(frozen=True, slots=True)
class LogitsEnd:
    """The steps after a model's head, in this order: times a factor, over a divisor, under a soft cap."""

    factor: float | None = None
    divisor: float | None = None
    cap: float | None = None

    def __call__(self, logits: Tensor) -> Tensor:
        if self.factor is not None:
            logits = logits * self.factor
        if self.divisor is not None:
            logits = logits / self.divisor
        if self.cap is not None:
            logits = torch.tanh(logits / self.cap) * self.cap
        return logits


AS_THEY_ARE = LogitsEnd()


class TokenChooser:
    """Chooses from logits = end(head(hidden)), formed in the head's own dtype as the model itself would.

    head: [R, D] -> [R, num_ids].
    """

    def __init__(self, head: Callable[[Tensor], Tensor], num_ids: int, end: LogitsEnd = AS_THEY_ARE) -> None:
        self._head = head
        self._num_ids = num_ids
        self._end = end

    def verify(self, hidden: Tensor, appends: Sequence[Append]) -> list[Verdict | None]:
        """The verdict on each append's draft; None for one that has no rows.

        hidden: [R, D], after the final norm, the appends' rows one behind the other.
        """
        drafts = draft_ids(appends)
        if not drafts:
            return [None] * len(appends)
        bounds = [0, *accumulate(append.num_rows for append in appends)]
        on_device = torch.tensor(drafts, device=hidden.device)
        cu_rows = torch.tensor(bounds, device=hidden.device)
        needs_logprobs = any(append.needs_logprobs for append in appends)
        tokens, logprobs = [], []
        for rows, sampling, first_position in self._blocks(appends, bounds):
            logits = self.logits(hidden[rows])
            tokens.append(own_tokens(logits, sampling, first_position))
            if needs_logprobs:
                logprobs.append(_logprobs(logits, tokens[-1], on_device[rows]))
        token_ids = torch.cat(tokens)
        packed = packed_verdicts(
            token_ids,
            num_accepted(token_ids, on_device, cu_rows),
            cu_rows,
            torch.cat(logprobs, dim=1) if logprobs else None,
        )
        return read_verdicts(packed, appends, len(appends), len(drafts))

    def _blocks(self, appends: Sequence[Append], bounds: Sequence[int]) -> Iterator[tuple[slice, Sampling, int]]:
        """(rows, how their tokens are chosen, the position that the first of them predicts), a few rows each."""
        groups = [
            (start, end, append.sampling, append.first_position)
            for append, start, end in zip(appends, bounds, bounds[1:], strict=False)
        ]
        if all(append.sampling.is_greedy for append in appends):  # then positions don't matter
            groups = [(0, bounds[-1], GREEDY, 0)]
        step = max(MIN_ROWS_AT_ONCE, LOGITS_AT_ONCE // self._num_ids)
        for start, end, sampling, first_position in groups:
            for at in range(start, end, step):
                yield slice(at, min(at + step, end)), sampling, first_position + at - start

    def logits(self, hidden: Tensor) -> Tensor:
        """float32 [R, V]."""
        # float32 holds half-precision logits exactly, and its maximum is several times faster on a CPU
        return self._end(self._head(hidden)).float()


def own_tokens(logits: Tensor, sampling: Sampling, first_position: int) -> Tensor:
    """The target's own token of every row, int64 [R]; `NO_TOKEN` where the logits, float32 [R, V], hold a NaN.

    first_position: the absolute position of the token that the first row predicts; the others' follow it.
    """
    if sampling.is_greedy:
        best, ids = logits.max(dim=-1)  # the lowest id among equals
        return torch.where(best.isnan(), NO_TOKEN, ids)
    return sample(logits, first_position + torch.arange(len(logits), device=logits.device), sampling)


def _logprobs(logits: Tensor, *tokens: Tensor) -> Tensor:
    """The logarithm of each token's probability, float32 [len(tokens), R]; NaN for a token below 0."""
    total = logits.logsumexp(dim=-1)
    return torch.stack(
        [
            (logits.gather(-1, ids.clamp(min=0)[:, None])[:, 0] - total).masked_fill(ids < 0, float("nan"))
            for ids in tokens
        ]
    )


def draft_ids(appends: Sequence[Append]) -> list[int]:
    """For each row the draft's token for the position that it predicts, `NO_DRAFT` for an append's last row."""
    return [token for append in appends if append.num_rows for token in (*append.draft, NO_DRAFT)]


def num_accepted(token_ids: Tensor, drafts: Tensor, cu_rows: Tensor) -> Tensor:
    """Rows of each request before its first one whose own token isn't its draft: int64 [N].

    token_ids, drafts: [R]. cu_rows: [N + 1], request i has the rows cu_rows[i] .. cu_rows[i + 1], of which the last has
    no draft. Of a request with no rows the number means nothing.
    """
    rows = torch.arange(len(token_ids), device=token_ids.device)
    differs = (token_ids != drafts) | (drafts == NO_DRAFT)
    firsts = torch.where(differs, rows, len(rows)).flip(0).cummin(0).values.flip(0)  # at or behind each row
    starts = cu_rows[:-1].long()
    return firsts[starts.clamp(max=len(rows) - 1)] - starts


def packed_verdicts(token_ids: Tensor, accepted: Tensor, cu_rows: Tensor, logprobs: Tensor | None = None) -> Tensor:
    """Verdicts on N drafts of R rows as one int32 tensor, of which `read_verdicts` copies as much as is asked for.

    The accepted lengths [N], the next tokens [N], the own tokens [R]; with logprobs, float32 [2, R], their bits: of the
    own tokens and of the drafts'.
    """
    at = (cu_rows[:-1] + accepted).long().clamp(min=0, max=len(token_ids) - 1)
    parts = [accepted, token_ids[at], token_ids]
    if logprobs is not None:
        parts.append(logprobs.flatten().view(torch.int32))
    return torch.cat([part.to(torch.int32) for part in parts])


def read_verdicts(packed: Tensor, appends: Sequence[Append], num_requests: int, num_rows: int) -> list[Verdict | None]:
    """The verdict on each append's draft, None for one without rows: in one copy to the host.

    num_requests, num_rows: of the packed verdicts, which may hold more than the appends'.
    """
    needs_logprobs = any(append.needs_logprobs for append in appends)
    needs_rows = needs_logprobs or any(append.needs_own for append in appends)
    summaries = 2 * num_requests
    wanted = summaries + num_rows * (needs_rows + 2 * needs_logprobs)
    on_host = packed[:wanted].cpu()
    numbers: list[int] = on_host[: summaries + num_rows].tolist()
    logprobs: list[float] = on_host[summaries + num_rows :].view(torch.float32).tolist()
    verdicts: list[Verdict | None] = []
    start = 0
    for index, append in enumerate(appends):
        if not append.num_rows:
            verdicts.append(None)
            continue
        end = start + append.num_rows
        own = tuple(numbers[summaries + start : summaries + end])
        of_rows = tuple(logprobs[start:end]), tuple(logprobs[num_rows + start : num_rows + end])
        verdicts.append(Verdict(numbers[index], numbers[num_requests + index], own, *of_rows))
        start = end
    return verdicts


def repeated_width(width: int) -> int:
    """The next of few widths: 1, then multiples of SMALLEST_STEP, later STEPS_PER_DOUBLING from one power of two to the
    next. So fewer than 8 rows are added, or less than an eighth.
    """
    if width <= 1:
        return width
    octave = 1 << ((width - 1).bit_length() - 1)  # octave < width <= 2 * octave
    step = max(SMALLEST_STEP, octave // STEPS_PER_DOUBLING)
    return -(-width // step) * step


class FewWidthsChooser(TokenChooser):
    """A TokenChooser that forms its logits at repeated widths."""

    def logits(self, hidden: Tensor) -> Tensor:
        """float32 [R, V]."""
        num_rows = len(hidden)
        filled = functional.pad(hidden, (0, 0, 0, repeated_width(num_rows) - num_rows))
        return super().logits(filled)[:num_rows]
