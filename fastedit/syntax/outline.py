"""The declarations of a text: `outline`."""

from __future__ import annotations

import time

from fastedit.syntax.model import Outline
from fastedit.syntax.parse import DEFAULT_BUDGET_S
from fastedit.syntax.reading import read
from fastedit.syntax.recovery import read_in_pieces

# Broken code isn't worth more than this on top of the first reading.
_MAX_RECOVERY_S = 0.5


def outline(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> Outline:
    """The declarations of `text`, an empty outline where the language has neither grammar nor scanner.

    Never raises for odd text: what is whole in broken code is there.
    """
    start = time.monotonic()
    found = read(text, language, budget_s=budget_s)
    if not found.num_errors or not found.is_complete:
        return found
    deadline = min(start + budget_s, time.monotonic() + _MAX_RECOVERY_S)
    return read_in_pieces(text, language, found, deadline=deadline)
