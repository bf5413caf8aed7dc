"""Synthesis of edits with known truth, for the accuracy eval and for training.

    sources     folders of files, or git histories
    changes     (before, after) of every kind that people ask for
    rendering   the same change as assistants write it, so that a careful reader has no choice
    generate    the stream of samples

Nothing here knows the merge: what is unambiguous is decided by rules about reading.
"""

from fastedit.training.synthesis.generate import generate, generate_from_histories, rendered_sample
from fastedit.training.synthesis.model import Change, Sample, Splice, Tier, make_change

__all__ = [
    "Change",
    "Sample",
    "Splice",
    "Tier",
    "generate",
    "generate_from_histories",
    "make_change",
    "rendered_sample",
]
