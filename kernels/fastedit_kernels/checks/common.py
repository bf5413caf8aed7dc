"""What the checks share: outcomes, poisoned outputs, error measures, and ragged batches to run on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch import Tensor

# Relative error (L2) against float64 that no correct kernel exceeds, by the inputs' type.
LIMITS = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
POISON = {torch.int32: 0x5A5A5A5A, torch.int64: 0x5A5A5A5A5A5A5A5A}


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """One check of one kernel; `problem` is empty where it passed. error and limit: relative, against float64."""

    kernel: str
    case: str
    problem: str
    error: float = 0.0
    limit: float = 0.0


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a check runs and on what: device, floating type, and the seed of its data."""

    device: torch.device
    dtype: torch.dtype
    seed: int

    def generator(self) -> torch.Generator:
        return torch.Generator().manual_seed(self.seed)

    def normal(self, *shape: int, generator: torch.Generator) -> Tensor:
        """Standard normal numbers; drawn on the CPU, so that a seed means the same on any device."""
        return torch.randn(shape, generator=generator).to(self.device, self.dtype)

    def small_integers(self, *shape: int, generator: torch.Generator) -> Tensor:
        """-1, 0 and 1, whose products add up exactly in any order, with many ties."""
        return torch.randint(-1, 2, shape, generator=generator).to(self.device, self.dtype)

    def index(self, values: list[int]) -> Tensor:
        return torch.tensor(values, dtype=torch.int32, device=self.device)


@dataclass(frozen=True, slots=True)
class Ragged:
    """Chunks appended to cached requests in shuffled slots, with some padding behind: see `layout`."""

    cu_seqlens: Tensor
    slots: Tensor
    lengths: Tensor
    slot_len: int
    num_tokens: int
    max_chunk: int
    offsets: Tensor | None = None

    @classmethod
    def of(
        cls, setting: Setting, chunks: list[int], lengths: list[int], padding: int, offsets: list[int] | None = None
    ) -> Ragged:
        slot_len = max(map(sum, zip(chunks, lengths, offsets or [0] * len(chunks), strict=True))) + 3
        ends = torch.tensor([0, *chunks]).cumsum(0).tolist()
        slots = torch.randperm(len(chunks), generator=setting.generator()).tolist()
        index = setting.index
        return cls(
            index(ends), index(slots), index(lengths), slot_len, ends[-1] + padding, max(chunks),
            index(offsets) if offsets else None,
        )  # fmt: skip

    @property
    def num_rows(self) -> int:
        return len(self.slots) * self.slot_len + 1

    @property
    def num_real(self) -> int:
        return int(self.cu_seqlens[-1])


@contextmanager
def poisoned() -> Iterator[None]:
    """Memory that torch hands out uninitialised holds NaN or absurd numbers: what a kernel doesn't write shows."""

    def poisoning(allocate: Any) -> Any:
        def allocated(*args: Any, **kwargs: Any) -> Tensor:
            tensor: Tensor = allocate(*args, **kwargs)
            return tensor.fill_(POISON.get(tensor.dtype, float("nan")))

        return allocated

    with (
        mock.patch.object(torch, "empty", poisoning(torch.empty)),
        mock.patch.object(torch, "empty_like", poisoning(torch.empty_like)),
    ):
        yield


def relative_error(found: Tensor, expected: Tensor) -> float:
    """|found - expected| / |expected| (L2) over the whole; infinite where NaN is on one side only."""
    found, expected = found.double(), expected.double()
    if not torch.equal(found.isnan(), expected.isnan()):
        return float("inf")
    distance = (found - expected).nan_to_num(0.0).norm()
    return float(distance / expected.nan_to_num(0.0).norm().clamp(min=1e-30))


def against_float64(kernel: str, case: str, found: Tensor, in_torch: Tensor, exact: Tensor) -> CheckOutcome:
    """Passed where the kernel's error is within its type's limit and no worse than twice torch's."""
    error, torch_error = relative_error(found, exact), relative_error(in_torch, exact)
    limit = min(LIMITS[found.dtype], 2 * torch_error + LIMITS[torch.float32])
    problem = "" if error <= limit else f"error {error:.2e} is over {limit:.2e} (torch: {torch_error:.2e})"
    return CheckOutcome(kernel, case, problem, error, limit)


def equal(kernel: str, case: str, found: Tensor, expected: Tensor) -> CheckOutcome:
    """Passed where all bits agree (any NaN equals any)."""
    same = found.shape == expected.shape and torch.equal(found.isnan(), expected.isnan())
    same = same and torch.equal(found.nan_to_num(0.0), expected.nan_to_num(0.0))
    differing = "" if same else f"{int((found != expected).sum())} of {found.numel()} entries differ"
    return CheckOutcome(kernel, case, differing)
