"""One request as the proposer sees it: its tokens so far, the drafts that it runs along, and what may come next."""

from __future__ import annotations

from concurrent.futures import Future
from math import log, log1p

from fastedit.decode.controller import Acceptance
from fastedit.draft import Cascade, Codec, Proposal, TextDrafter, Transcript
from fastedit.vllm.lookup import RowLookup, Tokens
from fastedit.vllm.making import Plan

MIN_CHANCE = 0.2  # a token that is less likely to be accepted costs a busy engine more than it saves


class Follower:
    """Follows one request. prompt: (N,) its tokens. plan: on its way, or already there."""

    def __init__(self, prompt: Tokens, plan: Future[Plan], codec: Codec) -> None:
        self.prompt = prompt
        self._plan: Future[Plan] | None = plan
        self._codec = codec
        self._acceptance = Acceptance()
        self._lookup = RowLookup()
        self._cascade = Cascade((), (self._lookup,), self._acceptance.worth)
        self._transcript: Transcript | None = None  # where there are drafts
        self._waiting: list[int] = []  # output that came before the drafts
        self._last: Proposal | None = None

    def propose(self, tokens: Tokens, sampled: list[int], limit: int) -> list[int]:
        """At most `limit` tokens that may come next. tokens: all so far. sampled: those that the last pass gave.

        EngineUnavailable for a token that the tokenizer doesn't have.
        """
        if self._last is not None:
            self._acceptance.observe(self._last, min(len(sampled) - 1, len(self._last.tokens)))
        self._take(sampled)
        self._lookup.tokens = tokens
        self._last = self._cascade.propose(limit)
        if self._last is None:
            return []
        return self._last.tokens[: self._worth_proposing(self._last)]

    def settle(self) -> None:
        """Waits until the plan is made."""
        if self._plan is not None:
            self._plan.result()

    def give_up(self) -> None:
        """Looks up only, from now on."""
        self._plan, self._transcript = None, None
        self._cascade = Cascade((), (self._lookup,), self._acceptance.worth)

    def _take(self, sampled: list[int]) -> None:
        if self._plan is not None:
            self._waiting += sampled
            if not self._plan.done():
                return
            self._begin(self._plan.result())
            sampled, self._plan, self._waiting = self._waiting, None, []
        if self._transcript is not None:
            self._transcript.extend(sampled)

    def _begin(self, plan: Plan) -> None:
        if not plan:
            return
        transcript = self._transcript = Transcript(self._codec)
        texts = [TextDrafter(one.draft, self._codec, transcript, source=one.source) for one in plan]
        self._cascade = Cascade(texts, (self._lookup,), self._acceptance.worth)

    def _worth_proposing(self, proposal: Proposal) -> int:
        """How many of its tokens are likely enough, by what is known of its kind."""
        first, hazard = self._acceptance.rates(proposal.kind)
        if first <= MIN_CHANCE:
            return 0
        return 1 + int(log(MIN_CHANCE / first) / log1p(-hazard))
