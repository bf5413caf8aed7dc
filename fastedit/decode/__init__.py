"""Decodes a target's output, with drafts verified many tokens a pass.

The way of a request:

request     requests, their handles and results; an edit's request as tokens, and its answer as the new file
api         the engine that all requests of a target share, made when first asked for
settings    its limits
engine      the loop: propose, verify, accept, re-anchor; one pass: planned, run, and run again smaller where it fails
controller  how long drafts are worth being: what passes cost, how often drafts are right
sequence    a request's part in a pass, and what the pass adds to its output
passes      the input of a pass, the target's verdict on it, branches of a draft

What runs a pass:

runner      any model of transformers, over slots of a cache
cache       keys and values in slots, and which slot is whose
attention   attention over the slots
verify      the target's own tokens and its verdict, formed on its device
fused       a model's weights for a path of our own: with kernels, or in torch alone for a small target on a CPU
graphs      the fused path in CUDA graphs, and all that one needs, in one copy
probe       what a model's attention looks at, and whether our path gives its own logits
devices     kernels, memory and cores

Importing this costs no torch; `Engine` and what makes one do. A target that is computed elsewhere needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastedit.decode.api import make_engine, shared_engine, submit, verify_draft
    from fastedit.decode.engine import Engine
    from fastedit.decode.request import (
        GREEDY,
        DecodeRequest,
        DecodeResult,
        DecodeStats,
        EditRequest,
        Handle,
        Sampling,
        decode_request,
    )
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
    "engine": ("Engine",),
    "request": (
        "GREEDY",
        "DecodeRequest",
        "DecodeResult",
        "DecodeStats",
        "EditRequest",
        "Handle",
        "Sampling",
        "decode_request",
    ),
    "settings": ("EngineSettings",),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"fastedit.decode.{module}"), name)
    raise AttributeError(f"module 'fastedit.decode' has no attribute {name!r}")
