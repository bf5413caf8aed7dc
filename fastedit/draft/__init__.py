"""Proposes the next tokens: from the merged draft and the original with re-anchoring, look-up."""

from fastedit.draft.lookup import NgramDrafter, SnippetDrafter, SuffixDrafter
from fastedit.draft.model import Codec, Draft, Drafter, Kind, Proposal, Transcript
from fastedit.draft.text import Cascade, TextDrafter

__all__ = [
    "Cascade",
    "Codec",
    "Draft",
    "Drafter",
    "Kind",
    "NgramDrafter",
    "Proposal",
    "SnippetDrafter",
    "SuffixDrafter",
    "TextDrafter",
    "Transcript",
]
