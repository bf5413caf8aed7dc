"""Devices and their memory: which one is worked on, giving memory back, and telling that it ran out."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager, nullcontext

import torch

MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory")  # CPU allocators raise RuntimeError


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
