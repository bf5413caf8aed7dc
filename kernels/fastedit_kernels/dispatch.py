"""One name for each kernel; the device of its first tensor chooses. Nothing else in the project asks which.

CUDA tensors go to the Triton kernels, everything else to the torch references, of the same signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import ParamSpec, TypeVar

from torch import Tensor

from fastedit_kernels import reference

P = ParamSpec("P")
R = TypeVar("R")


def _by_device(plain: Callable[P, R]) -> Callable[P, R]:
    name = plain.__name__

    @wraps(plain)
    def chosen(*args: P.args, **kwargs: P.kwargs) -> R:
        first = args[0]
        if not (isinstance(first, Tensor) and first.is_cuda):
            return plain(*args, **kwargs)
        # Imported here, since the references have to work where there is no Triton.
        kernel: Callable[P, R] = getattr(import_module("fastedit_kernels.gpu"), name)
        return kernel(*args, **kwargs)

    return chosen


verify = _by_device(reference.verify)
chunk_attention = _by_device(reference.chunk_attention)
rope_append = _by_device(reference.rope_append)
append = _by_device(reference.append)
rms_norm_residual = _by_device(reference.rms_norm_residual)
silu_mul = _by_device(reference.silu_mul)
