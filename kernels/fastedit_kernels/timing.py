"""How long a call takes, and what the machine could do at best."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

Call = Callable[[], object]
WARM_UPS = 3
REPEATS = 20
FLUSHED_BYTES = 256 * 2**20  # several times any L2 cache


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What was measured on this device: bytes a second of a large copy (read and written), FLOP a second of a large
    product of the type that the benchmarks use."""

    device: str
    bytes_per_s: float
    flops_per_s: float

    def milliseconds(self, num_bytes: float, flops: float) -> float:
        """The roofline: no call that moves so much and computes so much is faster."""
        return 1e3 * max(num_bytes / self.bytes_per_s, flops / self.flops_per_s)


def measured_ceilings(device: torch.device, dtype: torch.dtype) -> Ceilings:
    is_gpu = device.type == "cuda"
    name = torch.cuda.get_device_name(device) if is_gpu else "CPU"
    source = torch.randn(2**30 if is_gpu else 2**24, device=device)
    target = torch.empty_like(source)
    copy_ms = milliseconds(lambda: target.copy_(source), device)
    side = 8192 if is_gpu else 1024
    a, b = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    product_ms = milliseconds(lambda: a @ b, device)
    return Ceilings(name, 2e3 * source.nbytes / copy_ms, 2e3 * side**3 / product_ms)


def milliseconds(call: Call, device: torch.device, is_capturable: bool = True) -> float:
    """Median time of a call that finds the caches cold.

    On a GPU a CUDA graph of it is replayed, which leaves out what the host needs to launch it; unless it can't be
    captured, because it waits for the device.
    """
    for _ in range(WARM_UPS):
        call()
    if device.type != "cuda":
        return statistics.median(_host_milliseconds(call) for _ in range(WARM_UPS))
    replay = captured(call) if is_capturable else call
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device=device)
    return statistics.median(_event_milliseconds(replay, flushed) for _ in range(REPEATS))


def captured(call: Call) -> Call:
    """A replay of the call as a CUDA graph; call it once or more before, so that everything is compiled."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = call()

    def replay() -> object:
        graph.replay()
        return kept

    return replay


def extra_bytes(call: Call, device: torch.device) -> int:
    """The most GPU memory that a call holds beyond what was held before; 0 on a CPU, where nobody counts it."""
    if device.type != "cuda":
        return 0
    call()  # the library's own workspace comes with its first call
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated(device) - before


def _event_milliseconds(call: Call, flushed: torch.Tensor) -> float:
    flushed.zero_()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    start.record()
    call()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end))


def _host_milliseconds(call: Call) -> float:
    started = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - started)
