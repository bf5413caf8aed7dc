"""Which `verify` variant is fastest for how many rows, measured once when an engine starts.

Random hidden states against the engine's own lm_head. A variant that doesn't compile, or that disagrees with the
library's product, is out, and says why.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor
from triton.errors import TritonError

from fastedit_kernels.gpu.tiles import ANY, CUBLAS, VERIFY_TILES
from fastedit_kernels.gpu.verify import can_use_tma, verify
from fastedit_kernels.modes import Mode
from fastedit_kernels.verdict import Sampling, Verdict

Timer = Callable[[Callable[[], object]], float]  # a call -> its milliseconds
MEASURED_ROWS = (16, 64, 128, 256, 512)
WARM_UPS, REPEATS = 3, 9
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

    lm_head: [V, D] on the GPU. timer: CUDA events, where None.
    """
    if mode.is_exact:
        raise ValueError(f"mode {mode.name} is exact: its tile is fixed")
    rows = tuple(_measurements(mode, lm_head, vocab_size, row_counts, timer or event_milliseconds))
    chosen = tuple((count, _fastest(rows, count, False), _fastest(rows, count, True)) for count in sorted(row_counts))
    last = (ANY, *chosen[-1][1:])
    return replace(mode, verify_tiles=(*chosen, last)), rows


def event_milliseconds(call: Callable[[], object]) -> float:
    """Median time of a call on the current CUDA stream."""
    for _ in range(WARM_UPS):
        call()
    times: list[float] = []
    for _ in range(REPEATS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def _measurements(
    mode: Mode, lm_head: Tensor, vocab_size: int, row_counts: tuple[int, ...], timer: Timer
) -> Iterator[Measurement]:
    for count in row_counts:
        hidden = torch.randn((count, lm_head.shape[1]), device=lm_head.device, dtype=lm_head.dtype)
        for is_sampled in (False, True):
            call = _Call(hidden, lm_head, vocab_size, _sampling(count, lm_head.device) if is_sampled else None)
            library = _only(mode, CUBLAS)
            expected = call.run(library).token_ids
            yield Measurement(count, is_sampled, CUBLAS, timer(partial(call.run, library)))
            for name in _candidates(count, is_sampled, can_use_tma(hidden)):
                yield _measurement(call, count, _only(mode, name), name, expected, timer)


@dataclass(frozen=True, slots=True)
class _Call:
    hidden: Tensor
    lm_head: Tensor
    vocab_size: int
    sampling: Sampling | None

    def run(self, mode: Mode) -> Verdict:
        count, device = len(self.hidden), self.hidden.device
        drafts = torch.zeros(count, dtype=torch.int32, device=device)
        cu_rows = torch.tensor([0, count], dtype=torch.int32).to(device)
        return verify(
            self.hidden, self.lm_head, drafts, cu_rows, vocab_size=self.vocab_size, sampling=self.sampling, mode=mode
        )


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
    for name, tile in VERIFY_TILES.items():
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
