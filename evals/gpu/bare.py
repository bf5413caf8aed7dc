"""Importing the decoder where only torch, transformers and Triton are installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent.parent


def make_importable() -> None:
    """Let `fastedit.decode`, `evals` and `fastedit_kernels` be imported from the repository as it lies.

    `fastedit/__init__.py` offers the whole pipeline, parsers included. Where those aren't installed, an empty package
    of that name takes its place: decoding needs nothing of it.
    """
    for path in (ROOT / "kernels", ROOT):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    if "fastedit" not in sys.modules and any(
        importlib.util.find_spec(name) is None for name in ("tree_sitter", "rapidfuzz", "markdown_it")
    ):
        package = ModuleType("fastedit")
        package.__path__ = [str(ROOT / "fastedit")]
        sys.modules["fastedit"] = package
