"""Decodes a target's output, with drafts verified many tokens a pass.

Importing this costs no torch; `Engine` and what makes one do. A target that is computed elsewhere needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastedit.decode.api import make_engine, shared_engine, submit, verify_draft
    from fastedit.decode.asking import decode_request
    from fastedit.decode.engine import Engine
    from fastedit.decode.request import GREEDY, DecodeRequest, DecodeResult, DecodeStats, EditRequest, Handle, Sampling
    from fastedit.decode.settings import EngineSettings

__all__ = [
    "GREEDY",
    "DecodeRequest",
    "DecodeResult",
    "DecodeStats",
    "EditRequest",
    "Engine",
    "EngineSettings",
    "Handle",
    "Sampling",
    "decode_request",
    "make_engine",
    "shared_engine",
    "submit",
    "verify_draft",
]

_MODULES = {
    "api": ("make_engine", "shared_engine", "submit", "verify_draft"),
    "asking": ("decode_request",),
    "engine": ("Engine",),
    "request": ("GREEDY", "DecodeRequest", "DecodeResult", "DecodeStats", "EditRequest", "Handle", "Sampling"),
    "settings": ("EngineSettings",),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"fastedit.decode.{module}"), name)
    raise AttributeError(f"module 'fastedit.decode' has no attribute {name!r}")
