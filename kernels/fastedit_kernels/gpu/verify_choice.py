"""Which `verify` variant is fastest for how many rows, measured once when an engine starts.

Random hidden states against the engine's own lm_head. A variant that doesn't compile, or that disagrees with the
library's product, is out, and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import torch
from torch import Tensor
from triton.errors import TritonError

from fastedit_kernels.gpu.tiles import ANY, CUBLAS, START_UP_CANDIDATES, VERIFY_TILES
from fastedit_kernels.gpu.verify import can_use_tma, verify
from fastedit_kernels.modes import Mode
from fastedit_kernels.timing import milliseconds
from fastedit_kernels.verdict import Sampling, Verdict

Timer = Callable[[Callable[[], object]], float]  # a call -> its milliseconds
MEASURED_ROWS = (16, 64, 128, 256, 512)
# Sums in another order may swap near-ties in a few rows in ten thousand; a broken variant differs in nearly all.
DIFFERING_ROWS = 0.02


@dataclass(frozen=True, slots=True)
class Measurement:
    """One variant at one number of rows; `problem` says why it is out."""

    rows: int
    is_sampled: bool
    variant: str
    milliseconds: float
    problem: str = ""


def measured(
    mode: Mode,
    lm_head: Tensor,
    vocab_size: int,
    row_counts: tuple[int, ...] = MEASURED_ROWS,
    timer: Timer | None = None,
) -> tuple[Mode, tuple[Measurement, ...]]:
    """The mode with `verify_tiles` filled in, and all measurements behind it. Not for exact modes, whose tile is fixed.

    lm_head: [V, D] on the GPU. timer: `timing.milliseconds`, where None.
    """
    if mode.is_exact:
        raise ValueError(f"mode {mode.name} is exact: its tile is fixed")
    rows = tuple(
        _measurements(mode, lm_head, vocab_size, row_counts, timer or partial(milliseconds, device=lm_head.device))
    )
    chosen = tuple((count, _fastest(rows, count, False), _fastest(rows, count, True)) for count in sorted(row_counts))
    last = (ANY, *chosen[-1][1:])
    return replace(mode, verify_tiles=(*chosen, last)), rows


def _measurements(
    mode: Mode, lm_head: Tensor, vocab_size: int, row_counts: tuple[int, ...], timer: Timer
) -> Iterator[Measurement]:
    for count, is_sampled in product(row_counts, (False, True)):
        call = _Call.of(lm_head, vocab_size, count, is_sampled)
        library = _only(mode, CUBLAS)
        expected = call.run(library).token_ids
        yield Measurement(count, is_sampled, CUBLAS, timer(partial(call.run, library)))
        for name in _candidates(count, is_sampled, can_use_tma(call.hidden, lm_head)):
            yield _measurement(call, count, _only(mode, name), name, expected, timer)


@dataclass(frozen=True, slots=True)
class _Call:
    hidden: Tensor
    lm_head: Tensor
    draft_ids: Tensor
    cu_rows: Tensor
    vocab_size: int
    sampling: Sampling | None

    @classmethod
    def of(cls, lm_head: Tensor, vocab_size: int, count: int, is_sampled: bool) -> _Call:
        device = lm_head.device
        hidden = torch.randn((count, lm_head.shape[1]), device=device, dtype=lm_head.dtype)
        cu_rows = torch.tensor([0, count], dtype=torch.int32).to(device)
        sampling = _sampling(count, device) if is_sampled else None
        return cls(hidden, lm_head, torch.zeros_like(hidden[:, 0], dtype=torch.int32), cu_rows, vocab_size, sampling)

    def run(self, mode: Mode) -> Verdict:
        return verify(
            self.hidden, self.lm_head, self.draft_ids, self.cu_rows, vocab_size=self.vocab_size, sampling=self.sampling,
            mode=mode,
        )  # fmt: skip


def _measurement(call: _Call, count: int, mode: Mode, name: str, expected: Tensor, timer: Timer) -> Measurement:
    is_sampled = call.sampling is not None
    try:
        differing = (call.run(mode).token_ids != expected).float().mean().item()
        if differing > DIFFERING_ROWS:
            return Measurement(count, is_sampled, name, float("inf"), f"{differing:.0%} of the rows differ")
        return Measurement(count, is_sampled, name, timer(partial(call.run, mode)))
    except (RuntimeError, TritonError) as error:  # it doesn't compile or fit here
        return Measurement(count, is_sampled, name, float("inf"), f"{type(error).__name__}: {error}"[:200])


def _candidates(count: int, is_sampled: bool, tma: bool) -> Iterator[str]:
    """The variants worth a try: right for the device, and no row block that would stand nearly empty or be many."""
    for name in START_UP_CANDIDATES:
        tile = VERIFY_TILES[name]
        if tile.tma == tma and (tile.samples or not is_sampled) and (count <= 4 * tile.block_m):
            yield name


def _only(mode: Mode, name: str) -> Mode:
    return replace(mode, verify_tiles=((ANY, name, name),))


def _sampling(count: int, device: torch.device) -> Sampling:
    return Sampling(
        torch.tensor([1], dtype=torch.int64).to(device), torch.ones(1, device=device),
        torch.arange(count, dtype=torch.int32, device=device),
    )  # fmt: skip


def _fastest(rows: tuple[Measurement, ...], count: int, is_sampled: bool) -> str:
    fitting = [row for row in rows if row.rows == count and row.is_sampled == is_sampled and not row.problem]
    return min(fitting, key=lambda row: row.milliseconds).variant
