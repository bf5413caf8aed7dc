"""What every launch needs to know of shapes and of the device."""

from __future__ import annotations

from functools import lru_cache

import torch
import triton
from torch import Tensor

INTERPRETED_PROGRAMS = 3  # stands for the multiprocessors where the interpreter runs the kernels on a CPU


@lru_cache
def num_multiprocessors(device: torch.device) -> int:
    if device.type != "cuda":
        return INTERPRETED_PROGRAMS
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


@lru_cache
def has_tma(device: torch.device) -> bool:
    """Whether the device has Hopper's copy engine for tiles; the interpreter plays along.

    Consumer Blackwell (12.x) has it too, but not the shared memory for the tiles that go with it.
    """
    return device.type != "cuda" or (9, 0) <= torch.cuda.get_device_capability(device) < (12, 0)


def block_of(size: int, smallest: int = 1) -> int:
    """The smallest power of two that holds `size`, and no less than `smallest`."""
    return max(smallest, int(triton.next_power_of_2(size)))


def dot_precision(dtype: torch.dtype) -> str:
    """float32 products in full precision; half precision has one way only."""
    return "ieee" if dtype == torch.float32 else "tf32"


def require(is_met: bool, what: str) -> None:
    """ValueError saying `what` is expected, unless it is met."""
    if not is_met:
        raise ValueError(f"expected {what}")


def require_ragged(cu_seqlens: Tensor, *per_request: Tensor | None) -> int:
    """The number of requests N, after a look at the index tensors: int32, contiguous, N + 1 and N long."""
    num_requests = len(cu_seqlens) - 1
    for tensor, size in (
        (cu_seqlens, num_requests + 1),
        *((tensor, num_requests) for tensor in per_request if tensor is not None),
    ):
        require(tensor.dtype == torch.int32, f"int32 index tensors, not {tensor.dtype}")
        require(tensor.shape == (size,) and tensor.is_contiguous(), f"contiguous index tensors of {size} entries")
    return num_requests
