"""Devices: their kernels, their memory and when it ran out, and the cores of a CPU, which share a pass's requests.

A small model's operations are over in microseconds. Torch divides each among the cores and has them wait for one
another at its end; requests have nothing to wait for.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import Barrier
from typing import Any, TypeVar

import torch

PACKAGE = "fastedit_kernels"
MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory")  # CPU allocators raise RuntimeError
MIN_TOKENS = 128  # a core's share; less isn't worth handing over
LARGEST_BYTES = 2**25  # weights that stay in a core's reach; larger ones are better read once for all requests
T = TypeVar("T")


@cache
def has_kernels() -> bool:
    """Whether `fastedit_kernels` is installed; nothing else asks for that."""
    return find_spec(PACKAGE) is not None


def load_kernels() -> Any:
    """The package `fastedit_kernels`; ImportError where it isn't installed."""
    return import_module(PACKAGE)


def is_out_of_memory(error: Exception) -> bool:
    """Whether the error says that there was no memory, on a CPU or a GPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in MEMORY_WORDS)


def on_device(device: torch.device) -> AbstractContextManager[object]:
    """Makes a GPU the current one: kernels are launched and graphs captured there, wherever their tensors are."""
    return torch.cuda.device(device) if device.type == "cuda" and device.index is not None else nullcontext()


def release_memory(device: torch.device) -> None:
    """Gives back what nothing refers to any more."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()


class Shares:
    """Runs shares of a pass side by side, in threads that have a core each; with one core nothing is divided.

    They start with the first pass that is divided, at the priority of the thread that asks for it.
    """

    def __init__(self, num_cores: int) -> None:
        self._num_cores = num_cores
        self._threads: ThreadPoolExecutor | None = None

    def divided(self, num_tokens: Sequence[int]) -> list[list[int]]:
        """Groups of requests, by the tokens of each: about as many tokens for every core, or all in one."""
        whole = list(range(len(num_tokens)))
        if self._num_cores == 1 or len(whole) < self._num_cores:
            return [whole]
        shares: list[list[int]] = [[] for _ in range(self._num_cores)]
        totals = [0] * self._num_cores
        for index in sorted(whole, key=num_tokens.__getitem__, reverse=True):
            smallest = totals.index(min(totals))
            shares[smallest].append(index)
            totals[smallest] += num_tokens[index]
        return shares if min(totals) >= MIN_TOKENS else [whole]

    def run(self, work: Callable[[list[int]], T], shares: Sequence[list[int]]) -> list[T]:
        """Runs `work` on each share; the results in their order. Raises the first error, once all have ended."""
        if self._threads is None:
            self._threads = _single_cored_threads(self._num_cores)
        running = [self._threads.submit(work, share) for share in shares]
        wait(running)
        return [one.result() for one in running]


def _single_cored_threads(count: int) -> ThreadPoolExecutor:
    """Threads whose operations use one core each."""
    barrier = Barrier(count)  # or a thread that is ready early would do a later one's share of getting ready

    def get_ready() -> None:
        torch.get_num_threads()  # sets the default, which would undo what follows if it were set later
        torch.set_num_threads(1)
        barrier.wait()

    threads = ThreadPoolExecutor(count, "fastedit-share")
    num_threads = torch.get_num_threads()
    wait([threads.submit(get_ready) for _ in range(count)])
    # What a thread sets is also what MKL does everywhere and later threads begin with.
    torch.set_num_threads(num_threads)
    return threads
