"""Checks of verify and of its noise: every tile, ragged rows, ties, NaN, infinities, padding, sampling, filters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from unittest import mock

import torch
from torch import Tensor

from fastedit_kernels import gpu, noise, reference
from fastedit_kernels.checks.common import LIMITS, CheckOutcome, Setting, equal, poisoned, relative_error
from fastedit_kernels.gpu.noise_kernel import gumbel_rows
from fastedit_kernels.gpu.tiles import ANY, CUBLAS, DEFAULT_TILES, LOGITS_TILE, VERIFY_TILES
from fastedit_kernels.gpu.verify import can_use_tma
from fastedit_kernels.layout import token_requests
from fastedit_kernels.modes import EXACT, FAST, Mode
from fastedit_kernels.reference.verify import by_row, num_accepted, plain_logits, scores_of
from fastedit_kernels.verdict import Sampling, Verdict

SCORE_SLACK = {
    torch.float32: 1e-4,
    torch.float16: 1e-3,
    torch.bfloat16: 1e-3,
}  # of scores of about 10, summed otherwise
VARIANTS = (*VERIFY_TILES, CUBLAS)


@dataclass(frozen=True, slots=True)
class VerifyCase:
    """chunks: rows of each request. vocab_size: without the padding that rounds it up to `V`."""

    chunks: tuple[int, ...]
    padding: int
    D: int
    V: int
    vocab_size: int
    is_sampled: bool = False
    is_filtered: bool = False
    has_specials: bool = False


SMALL = (
    VerifyCase((1,), 0, 16, 40, 40),
    VerifyCase((5, 0, 1), 2, 32, 300, 257),
    VerifyCase((17, 3), 0, 40, 520, 511),
    VerifyCase((17, 0, 1, 9), 5, 24, 300, 290, is_sampled=True),
    VerifyCase((6, 2, 4, 5), 1, 32, 300, 300, is_sampled=True, is_filtered=True),
    VerifyCase((12,), 0, 32, 300, 290, has_specials=True),
    VerifyCase((4, 8), 0, 32, 300, 290, is_sampled=True, has_specials=True),
    VerifyCase((130,), 0, 16, 130, 129),
)
SEVERAL_BLOCKS = VerifyCase((3,), 0, 8, LOGITS_TILE.vocab_block + 300, LOGITS_TILE.vocab_block + 200)


def outcomes(
    setting: Setting, cases: tuple[VerifyCase, ...] = SMALL, variants: tuple[str, ...] = VARIANTS
) -> Iterator[CheckOutcome]:
    """Each case with integer data, where everything is exact, and with normal data, against float64.

    In exact mode, and with every variant that the data allows.
    """
    for number, case in enumerate(cases):
        for is_exact in (True, False):
            if case.has_specials and not is_exact:
                continue
            inputs = VerifyInputs.of(setting, case, number, is_exact)
            name = f"{case} {'integers' if is_exact else 'normal'} {setting.dtype}"
            yield from inputs.outcomes(f"{name} exact", inputs.run(EXACT), is_exact)
            for variant in usable(inputs, variants):
                with forced(variant):
                    found = inputs.run(FAST)
                yield from inputs.outcomes(f"{name} {variant}", found, is_exact)


def usable(inputs: VerifyInputs, variants: tuple[str, ...]) -> Iterator[str]:
    """The variants that can take such inputs."""
    tma = can_use_tma(inputs.hidden, inputs.lm_head)
    for name in () if inputs.is_filtered else variants:
        tile = VERIFY_TILES.get(name)
        if tile is None or ((tile.samples or inputs.sampling is None) and (tma or not tile.tma)):
            yield name


@contextmanager
def forced(variant: str) -> Iterator[None]:
    """Has fast mode take this variant for any number of rows."""
    table = ((ANY, variant, variant),)
    with mock.patch.dict(DEFAULT_TILES, {True: table, False: table}):
        yield


def noise_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    """Triton's noise and torch's have the same bits, for any seed, position and token."""
    random = setting.generator()
    seeds = torch.randint(-(2**63), 2**63 - 1, (7,), generator=random)
    seeds[:3] = torch.tensor([0, -1, 2**63 - 1])
    positions = torch.randint(0, 2**31 - 1, (7,), generator=random, dtype=torch.int32)
    seeds, positions = seeds.to(setting.device), positions.to(setting.device)
    tokens = torch.arange(3000, dtype=torch.int32, device=setting.device) * 61
    with poisoned():
        found = gumbel_rows(seeds, positions, tokens)
    yield equal("noise", "seeds, positions, tokens", found, noise.gumbel(seeds, positions, tokens))


def invariance_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    """In exact mode a row's token and logits have the same bits alone, in another place, and with other rows."""
    inputs = VerifyInputs.of(setting, VerifyCase((24,), 0, 64, 600, 600, is_sampled=True), 0, is_exact=False)
    picked = [0, 12, 23]
    together, alone = inputs.run(EXACT), [inputs.only_row(row).run(EXACT) for row in picked]
    for name in ("token_ids", "logsumexp", "token_logits"):
        found = torch.cat([getattr(verdict, name) for verdict in alone])
        yield equal("verify", f"row alone or not: {name} {setting.dtype}", found, getattr(together, name)[picked])


@dataclass(frozen=True, slots=True)
class VerifyInputs:
    hidden: Tensor
    lm_head: Tensor
    draft_ids: Tensor
    cu_rows: Tensor
    vocab_size: int
    sampling: Sampling | None

    @classmethod
    def of(cls, setting: Setting, case: VerifyCase, number: int, is_exact: bool) -> VerifyInputs:
        random = setting.generator().manual_seed(setting.seed + number)
        num_rows = sum(case.chunks) + case.padding
        draw = setting.small_integers if is_exact else setting.normal
        hidden = draw(num_rows, case.D, generator=random)
        lm_head = draw(case.V, case.D, generator=random)
        if not is_exact:
            lm_head = lm_head * (3 * case.D**-0.5)  # logits of about 3, as models have them
        if case.has_specials:
            _plant_specials(hidden, lm_head)
        cu_rows = setting.index(torch.tensor([0, *case.chunks]).cumsum(0).tolist())
        sampling = _sampling(setting, case, num_rows) if case.is_sampled else None
        inputs = cls(hidden, lm_head, torch.full_like(hidden[:, 0], -1).int(), cu_rows, case.vocab_size, sampling)
        return replace(inputs, draft_ids=_drafts(inputs, random))

    @property
    def is_filtered(self) -> bool:
        return self.sampling is not None and self.sampling.is_filtered

    def only_row(self, row: int) -> VerifyInputs:
        """That row as the only one of its only request."""
        assert self.sampling is not None
        request = int(token_requests(self.cu_rows, len(self.hidden))[row])
        sampling = Sampling(
            self.sampling.seeds[request : request + 1], self.sampling.temperature[request : request + 1],
            self.sampling.positions[row : row + 1],
        )  # fmt: skip
        cu_rows = torch.tensor([0, 1], dtype=torch.int32, device=self.hidden.device)
        one = slice(row, row + 1)
        return VerifyInputs(self.hidden[one], self.lm_head, self.draft_ids[one], cu_rows, self.vocab_size, sampling)

    def run(self, mode: Mode) -> Verdict:
        with poisoned():
            return gpu.verify(
                self.hidden, self.lm_head, self.draft_ids, self.cu_rows, vocab_size=self.vocab_size,
                sampling=self.sampling, need_logprobs=True, mode=mode,
            )  # fmt: skip

    def reference(self) -> Verdict:
        return reference.verify(
            self.hidden, self.lm_head, self.draft_ids, self.cu_rows, vocab_size=self.vocab_size,
            sampling=self.sampling, need_logprobs=True,
        )  # fmt: skip

    def outcomes(self, name: str, found: Verdict, is_exact: bool) -> Iterator[CheckOutcome]:
        requests = token_requests(self.cu_rows, len(self.hidden))
        accepted = num_accepted(found.token_ids, self.draft_ids, self.cu_rows, requests)
        yield equal("verify", f"{name} num_accepted", found.num_accepted, accepted)
        if is_exact:
            yield equal("verify", f"{name} token_ids", found.token_ids, self.reference().token_ids)
        else:
            yield self._regret(name, found, requests)
        yield from self._logprobs(name, found, self.reference(), is_exact)

    def _regret(self, name: str, found: Verdict, requests: Tensor) -> CheckOutcome:
        """How far the chosen tokens' float64 scores lie below the best ones: rounding may swap near-ties only."""
        sampling = None if self.sampling is None else by_row(self.sampling, requests)
        logits = plain_logits(self.hidden.double(), self.lm_head[: self.vocab_size].double())
        scores = scores_of(logits, sampling)
        chosen = scores.gather(-1, found.token_ids.clamp(min=0)[:, None].long())[:, 0]
        regret = torch.where(requests < len(self.cu_rows) - 1, scores.amax(dim=-1) - chosen, 0.0)
        is_padding_marked = bool((found.token_ids[requests >= len(self.cu_rows) - 1] == -1).all())
        worst, limit = float(regret.max()), SCORE_SLACK[self.hidden.dtype]
        problem = "" if worst <= limit and is_padding_marked else f"a token {worst:.2e} below the best was chosen"
        return CheckOutcome("verify", f"{name} token_ids", problem, worst, limit)

    def _logprobs(self, name: str, found: Verdict, expected: Verdict, is_exact: bool) -> Iterator[CheckOutcome]:
        for part in ("logsumexp", "token_logits", "draft_logits"):
            mine, theirs = getattr(found, part), getattr(expected, part)
            same_tokens = found.token_ids == expected.token_ids if part == "token_logits" else True
            finite = torch.isfinite(theirs) & same_tokens
            infinite = equal("verify", f"{name} {part}", mine[~torch.isfinite(theirs)], theirs[~torch.isfinite(theirs)])
            error = relative_error(mine[finite], theirs[finite])
            limit = LIMITS[torch.float32] * (1 if is_exact else 20)
            problem = infinite.problem or ("" if error <= limit else f"{part} is off by {error:.2e}")
            yield CheckOutcome("verify", f"{name} {part}", problem, error, limit)


def _plant_specials(hidden: Tensor, lm_head: Tensor) -> None:
    """A NaN row, a row of positive numbers that meets +inf and -inf tokens, a NaN token, and plain ties."""
    hidden[3] = float("nan")
    hidden[4], hidden[5] = 1.0, hidden[6]
    lm_head[7] = float("nan")
    lm_head[11] = lm_head[12]
    lm_head[20] = float("-inf")
    hidden[8] = 0.0  # meets the infinite token as NaN
    hidden[9] = 1.0
    lm_head[30], lm_head[260] = 2.0, 2.0  # the best of an all-ones row, twice, in different tiles


def _sampling(setting: Setting, case: VerifyCase, num_rows: int) -> Sampling:
    num_requests = len(case.chunks)
    values = torch.arange(num_requests)
    temperature = torch.where(values % 3 == 1, 0.0, 0.3 + 0.5 * values)
    seeds = values * 0x9E3779B97F4A7C1 - 5
    positions = torch.arange(num_rows, dtype=torch.int32) * 3 + 100
    plain = Sampling(seeds.to(setting.device), temperature.to(setting.device), positions.to(setting.device))
    if not case.is_filtered:
        return plain
    top_p = torch.where(values == 0, 0.5, 1.0)  # the third request has no filter, the fourth both
    top_k = torch.where(values % 2 == 1, 3, 0).int()
    top_p[3:] = 0.8
    return replace(plain, top_k=top_k.to(setting.device), top_p=top_p.to(setting.device))


def _drafts(inputs: VerifyInputs, random: torch.Generator) -> Tensor:
    """The target's own tokens with a wrong one in some requests, and none in each last row."""
    drafts = inputs.reference().token_ids.clone()
    bounds = inputs.cu_rows.tolist()
    for start, end in pairwise(bounds):
        if end - start > 2:
            wrong = start + int(torch.randint(0, end - start, (1,), generator=random))
            drafts[wrong] = (drafts[wrong] + 1) % inputs.vocab_size
        if end > start:
            drafts[end - 1] = -1
    return drafts
