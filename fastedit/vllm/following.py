"""One request as the proposer sees it: its tokens so far, the drafts that it runs along, and what may come next.

What takes longer than comparing tokens, making the drafts and finding where one goes on after a divergence, is done in
the maker's thread. As long as it works on a request, its output waits, and its drafts are looked up.
"""

from __future__ import annotations

from concurrent.futures import Future
from math import log, log1p

import numpy as np

from fastedit.decode.controller import Acceptance
from fastedit.draft import Cascade, Proposal, TextDrafter, Transcript
from fastedit.vllm.lookup import RowLookup, Tokens
from fastedit.vllm.making import Maker
from fastedit.vllm.planning import Plan

MIN_CHANCE = 0.2  # a token that is less likely to be accepted costs a busy engine more than it saves
NUM_PROBES = 128  # tokens of a prompt that are compared


class Follower:
    """Follows one request. prompt: (N,) its tokens, not to be changed afterwards."""

    def __init__(self, prompt: Tokens, maker: Maker) -> None:
        self._maker = maker
        self._probes = np.linspace(0, len(prompt) - 1, min(len(prompt), NUM_PROBES)).astype(np.int64)
        self._probed = prompt[self._probes]
        self._acceptance = Acceptance()
        self._lookup = RowLookup()
        self._looking_up = Cascade((), (self._lookup,), self._acceptance.worth)
        self._cascade = self._looking_up
        self._transcript = Transcript(maker.codec)
        self._texts: list[TextDrafter] = []
        self._plan: Future[Plan] | None = maker.begin(prompt)
        self._anchoring: Future[None] | None = None
        self._waiting: list[int] = []  # output that came while the thread was at work
        self._last: Proposal | None = None

    def is_of(self, tokens: Tokens) -> bool:
        """Whether the tokens begin with this request's prompt, as far as a sample of it tells."""
        return bool((tokens[self._probes] == self._probed).all())

    def propose(self, tokens: Tokens, sampled: list[int], limit: int) -> list[int]:
        """At most `limit` tokens that may come next, which may be 0. tokens: all so far. sampled: of the last pass.

        EditRefused for a token that the tokenizer doesn't have.
        """
        if self._last is not None:
            self._acceptance.observe(self._last, min(len(sampled) - 1, len(self._last.tokens)))
        self._lookup.tokens = tokens
        cascade = self._cascade if self._is_caught_up(sampled) else self._looking_up
        self._last = cascade.propose(limit) if limit else None
        if self._last is None:
            return []
        return self._last.tokens[: self._worth_proposing(self._last)]

    def settle(self) -> None:
        """Waits until the thread has done what it was asked."""
        for work in (self._plan, self._anchoring):
            if work is not None:
                work.result()

    def give_up(self) -> None:
        """Looks up only, from now on."""
        self._plan, self._anchoring, self._texts, self._cascade = None, None, [], self._looking_up

    def _is_caught_up(self, sampled: list[int]) -> bool:
        """Takes new output in; False where the drafts have to wait for the thread."""
        self._waiting += sampled
        if self._plan is not None:
            if not self._plan.done():
                return False
            self._begin(self._plan.result())
            self._plan = None
        if self._anchoring is not None:
            if not self._anchoring.done():
                return False
            self._anchoring.result()
            self._anchoring = None
        if not self._texts:
            self._waiting.clear()
            return True
        self._transcript.extend(self._waiting)
        self._waiting.clear()
        if self._goes_along():
            return True
        self._anchoring = self._maker.run(self._anchor)
        return False

    def _begin(self, plan: Plan) -> None:
        self._texts = [TextDrafter(one.draft, self._maker.codec, self._transcript, source=one.source) for one in plan]
        self._cascade = Cascade(self._texts, (self._lookup,), self._acceptance.worth)

    def _goes_along(self) -> bool:
        """Whether the drafts that will be asked have no anchor to look for."""
        if not self._texts[0].goes_along:
            return False
        return self._texts[0].is_in_step or all(text.goes_along for text in self._texts[1:])

    def _anchor(self) -> None:
        for text in self._texts:
            _ = text.is_in_step  # catches up

    def _worth_proposing(self, proposal: Proposal) -> int:
        """The number of its first tokens that are likely enough, as often as its kind was accepted so far."""
        first, hazard = self._acceptance.rates(proposal.kind)
        if first <= MIN_CHANCE:
            return 0
        return 1 + int(log(MIN_CHANCE / first) / log1p(-hazard))
