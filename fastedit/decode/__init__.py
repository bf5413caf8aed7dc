"""Does the target agree? Its output, with drafts verified many tokens a pass. Importing this imports torch."""

from fastedit.decode.api import decode_request, make_engine, shared_engine, submit, verify_draft
from fastedit.decode.engine import Engine
from fastedit.decode.handle import Handle
from fastedit.decode.request import GREEDY, DecodeRequest, DecodeResult, EditRequest, Sampling
from fastedit.decode.settings import EngineSettings
from fastedit.decode.stats import DecodeStats

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
