"""Telling that memory ran out, whichever allocator says so."""

from __future__ import annotations

import torch

MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory")  # CPU allocators raise RuntimeError


def is_out_of_memory(error: Exception) -> bool:
    """Whether the error says that there was no memory, on a CPU or a GPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in MEMORY_WORDS)
