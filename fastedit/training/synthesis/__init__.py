"""Synthesis of edits with known truth, for the accuracy eval and for training.

    sources     folders of files, or git histories
    changes     (before, after) of every kind that people ask for
    rendering   the same change as assistants write it, so that a careful reader has no choice
    written     the same in the shares of habits that were measured on written messages, with prose about the change
    generate    the stream of samples

Nothing here knows the merge: what is unambiguous is decided by rules about reading.
"""

from fastedit.training.synthesis.generate import generate, generate_from_histories, rendered_sample
from fastedit.training.synthesis.model import BY_CARE, Change, Sample, Splice, Tier, make_change

__all__ = [
    "BY_CARE",
    "Change",
    "Sample",
    "Splice",
    "Tier",
    "generate",
    "generate_from_histories",
    "make_change",
    "rendered_sample",
]
