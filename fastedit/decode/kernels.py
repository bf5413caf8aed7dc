"""The one place that asks whether `fastedit_kernels` is installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

PACKAGE = "fastedit_kernels"


@cache
def has_kernels() -> bool:
    return find_spec(PACKAGE) is not None


def load_kernels() -> Any:
    """The package `fastedit_kernels`; ImportError where it isn't installed."""
    return import_module(PACKAGE)
