"""Says what a target's word on a draft is worth, by how often it agreed with right drafts and with wrong ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

WORD_FILE = "word.json"  # in a target's folder; `python -m evals.applybench judging` measures it
NEARLY_SURE = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Word:
    """agrees, differs: factors on the odds that a draft is right, where the target writes the same and where it
    doesn't. Without any measuring both are 1: the word tells nothing.
    """

    agrees: float = 1.0
    differs: float = 1.0

    def certainty(self, before: float, *, is_agreed: bool) -> float:
        """The share of such drafts that are right, of those that were right in a share of `before`."""
        odds = before / (1 - min(before, NEARLY_SURE)) * (self.agrees if is_agreed else self.differs)
        return odds / (1 + odds)


NOTHING = Word()


def read_word(folder: Path) -> Word:
    """The word of the target in a folder; one that tells nothing where it wasn't measured."""
    path = folder / WORD_FILE
    if not path.is_file():
        return NOTHING
    stored = json.loads(path.read_text("utf-8"))
    return Word(float(stored["agrees"]), float(stored["differs"]))
