"""Whether words ask for a change that no snippet shows: another name everywhere, a line that goes, a blank one less.

What does only as the snippets show is wrong then, however likely each of its lines is. A small network reads the words
as the one for `mentions` does. It is fitted to messages whose results have changes that no snippet shows or borders
on, see `fastedit.training.alignment.asking`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.words.mentions import CODE_BREAK, MentionTokens, WordNetwork

MAX_ODDS = 6.0
_FILE = FITTED / "asking.npz"


def odds_asked(tokens: MentionTokens) -> float:
    """The logarithm of the odds that a message's words ask for a change that no snippet shows."""
    if not (tokens.buckets != CODE_BREAK).any():
        return -MAX_ODDS  # there are no words
    return max(-MAX_ODDS, min(MAX_ODDS, _network(_FILE).odds(tokens)))


class AskingNetwork(WordNetwork):
    """The network: each word may ask, and the message does where any of them does."""

    def odds(self, tokens: MentionTokens) -> float:
        """The logarithm of the odds that the message asks for more."""
        odds = self.told("asks", tokens)[:, 0]
        return float(np.logaddexp.reduce(odds) + self.of["bias"])


@cache
def _network(path: Path) -> AskingNetwork:
    """The stored network."""
    with np.load(path) as stored:
        return AskingNetwork({name: stored[name] for name in stored.files})
