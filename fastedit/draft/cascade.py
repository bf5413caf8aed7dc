"""Several drafters as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastedit.draft.model import Drafter, Proposal
from fastedit.draft.text import TextDrafter

Worth = Callable[[Proposal], float]
GUESSED_TOKENS = 512  # of a proposal that isn't in step: most end long before, and each is made anew for every pass


class Cascade:
    """Proposes what the first text that is in step says; where none is, the best of what all drafters say.

    texts: in order of trust (merged draft, original). worth: how many tokens of a proposal are likely to be accepted.
    """

    def __init__(self, texts: Sequence[TextDrafter], lookups: Sequence[Drafter], worth: Worth) -> None:
        self._texts = texts
        self._lookups = lookups
        self._worth = worth

    def propose(self, limit: int) -> Proposal | None:
        return next(iter(self.candidates(limit)), None)

    def candidates(self, limit: int) -> list[Proposal]:
        """The proposals that might be made, best first; only that of a text that is in step, where there is one."""
        for text in self._texts:
            if text.is_in_step and (proposal := text.propose(limit)):
                return [proposal]
        drafters: list[Drafter] = [*self._texts, *self._lookups]
        limit = min(limit, GUESSED_TOKENS)
        proposals = [proposal for drafter in drafters if (proposal := drafter.propose(limit))]
        return sorted(proposals, key=self._worth, reverse=True)

    @property
    def num_reanchors(self) -> int:
        return sum(text.num_reanchors for text in self._texts)
