"""The kernels run in Triton's interpreter here, which has to be said before Triton is imported."""

import inspect
import os
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
from triton import language as tl
from triton.runtime import interpreter

# At each call of a kernel or of a function in one, the interpreter looks through all that the language has for what it
# has to replace, which took a fifth of the tests' time. The names are always the same ones.
_replace_all = interpreter._patch_builtin
_NAMES = {
    package: [name for name, member in inspect.getmembers(package) if tl.core.is_builtin(member)]
    for package in (tl, tl.core, tl.math, tl.tensor, tl.core.tensor_descriptor_base)
}


def _replace_builtins(package: Any, builder: Any, scope: Any) -> None:
    if package not in _NAMES:
        _replace_all(package, builder, scope)
        return
    for name in _NAMES[package]:
        member = getattr(package, name)
        if tl.core.is_builtin(member):  # within a call they are replaced already
            interpreter._patch_attr(package, name, member, builder, scope)


interpreter._patch_builtin = _replace_builtins


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
