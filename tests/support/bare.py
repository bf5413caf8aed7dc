"""A program's beginning, after which it can import only what is installed on a GPU machine."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WITHOUT = (
    "charset_normalizer",
    "click",
    "fastapi",
    "markdown_it",
    "matplotlib",
    "peft",
    "pydantic",
    "rapidfuzz",
    "rich",
    "tree_sitter",
)
BLOCKED = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {WITHOUT!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
sys.path.insert(0, {str(ROOT)!r})
import importlib.util
plain = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {WITHOUT!r} else plain(name, *rest)
from evals.gpu.bare import make_importable
make_importable()
"""
