"""A request in flight: what was fed, what was written, and what is proposed next."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence as Tokens
from dataclasses import dataclass, replace
from functools import cache

from fastedit.decode.controller import Acceptance
from fastedit.decode.passes import NO_TOKEN, Append, Branch, Settled, Verdict, appends_of, branches_of
from fastedit.decode.request import Constraint, DecodeRequest, DecodeResult, DecodeStats, Group, Handle, Refused
from fastedit.draft import (
    Cascade,
    Codec,
    Kind,
    NgramDrafter,
    Proposal,
    SnippetDrafter,
    SuffixDrafter,
    TextDrafter,
    Transcript,
)
from fastedit.draft.lookup import Tokens as TokenArray
from fastedit.draft.lookup import as_tokens
from fastedit.errors import Code, EngineUnavailable

NOT_A_NUMBER = "The target's output isn't a number (NaN)."


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The parts of a target's tokenizer that a request needs. num_ids: the model has embeddings below this id."""

    codec: Codec
    stop_tokens: tuple[int, ...]
    num_ids: int


@dataclass(frozen=True, slots=True)
class Part:
    """A request's share of one pass: its next `num_fed` tokens, and a draft behind them.

    Where `num_fed` leaves a rest of the prompt for later passes, there is no draft and nothing to be read off.
    """

    sequence: Sequence
    num_fed: int
    draft: Proposal | None
    branches: tuple[Branch, ...] = ()

    @property
    def num_tokens(self) -> int:
        drafts = [*([self.draft] if self.draft else []), *(branch.rest for branch in self.branches)]
        return self.num_fed + sum(len(draft.tokens) for draft in drafts)

    @property
    def appends(self) -> list[Append]:
        """The part's append, and those of its branches behind it."""
        trunk = self.sequence.append_for(self)
        return list(appends_of(trunk, len(self.draft.tokens), self.branches)) if self.draft else [trunk]

    def smaller(self) -> Part | None:
        """Half of it, first without the draft; None where it can't be made smaller."""
        if self.draft and self.sequence.request.scored and self.num_fed == 1:  # there is nothing else to do in it
            half = self.sequence.cut(self.draft, len(self.draft.tokens) // 2)
            return Part(self.sequence, self.num_fed, half) if half else None
        if self.draft:
            return Part(self.sequence, self.num_fed, None)
        return Part(self.sequence, self.num_fed // 2, None) if self.num_fed > 1 else None


class Sequence:
    """A request in flight: its slot, its drafters, its output so far.

    tokens: prompt and output. length: of these, so many are in the slot. stats: counts so far.
    """

    def __init__(
        self,
        number: int,
        request: DecodeRequest,
        vocabulary: Vocabulary,
        acceptance: Acceptance,
        handle: Handle,
        group: Group | None = None,
    ) -> None:
        self.number = number
        self.request = request
        self.handle = handle
        self._group = group
        self.acceptance = acceptance
        self.tokens = list(request.prompt)
        self.transcript = Transcript(vocabulary.codec)
        self.slot: int | None = None
        self.length = 0
        self._num_rows = 0
        self.submitted_s = time.perf_counter()
        self.stats = DecodeStats(prompt_tokens=len(request.prompt) + len(request.scored))
        self._stop_tokens = frozenset(() if request.scored else vocabulary.stop_tokens)
        self._num_ids = vocabulary.num_ids
        self._cascade = (
            cascade_for(request, vocabulary.codec, vocabulary.stop_tokens, self.transcript, acceptance)
            if request.speculate
            else None
        )
        self._state = request.constraint.start if request.constraint else None
        self._streamed_byte = 0
        self._logprobs: list[float] = []
        self._refused: list[Refused] = []
        self._num_writing = 0  # passes that wrote something
        self._started_s = self._first_token_s = self.submitted_s

    @property
    def num_unfed(self) -> int:
        """Tokens that have to be fed before the target can say anything new; at least 1."""
        return len(self.tokens) - self.length

    @property
    def num_left(self) -> int:
        """Tokens that may still be written."""
        return self.request.max_new_tokens - len(self.transcript.tokens)

    @property
    def is_finished(self) -> bool:
        return self.num_left == 0 or self._has_stopped or self._is_given_up

    @property
    def _is_given_up(self) -> bool:
        limit = self.request.max_passes
        if limit is None or self._has_stopped:
            return False
        return self._num_writing >= limit or self.num_left == 0

    @property
    def _has_stopped(self) -> bool:
        return bool(self.transcript.tokens) and self.transcript.tokens[-1] in self._stop_tokens

    @property
    def is_early(self) -> bool:
        """Whether others of its group are still to come."""
        return self._group is not None and not self._group.is_complete

    def is_expired(self, now_s: float) -> bool:
        deadline_s = self.request.deadline_s
        return deadline_s is not None and now_s - self.submitted_s > deadline_s

    def start(self, slot: int, num_cached: int, num_rows: int) -> None:
        """Takes the request's slots, of `num_rows` rows in all."""
        self.slot, self.length, self._num_rows = slot, num_cached, num_rows
        self._started_s = time.perf_counter()
        self.stats = replace(self.stats, cached_tokens=num_cached, queue_ms=1000 * (self._started_s - self.submitted_s))

    def propose(self, limit: int) -> tuple[Proposal | None, list[Branch]]:
        """A draft of at most `limit` tokens, and branches of it where more than one place to go on suggests itself.

        The last token to be written needs no draft: it is the bonus token.
        """
        if self.request.scored:
            rest = self.request.scored[len(self.transcript.tokens) :][:limit]
            return Proposal(list(rest), Kind.MERGED) if rest else None, []
        limit = min(limit, self.num_left - 1, self.request.max_chunk if self.request.max_chunk is not None else limit)
        if self._cascade is None or limit < 1:
            return None, []
        candidates = self._cascade.candidates(limit)
        # A constraint's state, and the probabilities of what was refused, follow one draft.
        follows_one = self.request.constraint is not None or self.request.logprobs
        return next(iter(candidates), None), [] if follows_one else branches_of(candidates)

    def part(
        self, num_fed: int, proposal: Proposal | None, length: int, branches: Tokens[Branch], lengths: Tokens[int]
    ) -> Part:
        """The part with the first `length` tokens of a proposal, and so many of each branch as `lengths` says."""
        draft = self.cut(proposal, length)
        num_drafted = len(draft.tokens) if draft else 0
        room = self._num_rows - self.length - num_fed - num_drafted
        kept = []
        for branch, wanted in zip(branches, lengths, strict=True):
            rest = self.cut(branch.rest, max(0, min(wanted, room)))
            if rest is not None and branch.fork < num_drafted:
                room -= len(rest.tokens)
                kept.append(Branch(branch.fork, rest))
        return Part(self, num_fed, draft, tuple(kept))

    def cut(self, proposal: Proposal | None, length: int) -> Proposal | None:
        """The first `length` tokens of a proposal, fewer where the model has no embedding for one; None for none."""
        if proposal is None or length == 0:
            return None
        tokens = proposal.tokens[:length]
        if max(tokens) >= self._num_ids:
            length = next(index for index, token in enumerate(tokens) if token >= self._num_ids)
            tokens = tokens[:length]
        return (
            Proposal(tokens, proposal.kind, tuple(edge for edge in proposal.edges if edge < length)) if tokens else None
        )

    def append_for(self, part: Part) -> Append:
        assert self.slot is not None  # only sequences with a slot are planned
        fed = self.tokens[self.length : self.length + part.num_fed]
        draft = part.draft.tokens if part.draft else []
        num_rows = 1 + len(draft) if part.num_fed == self.num_unfed else 0
        return Append(
            self.slot,
            self.length,
            fed + draft,
            num_rows,
            self.request.sampling,
            self.number,
            needs_own=self.request.constraint is not None,
            needs_logprobs=self.request.logprobs,
        )

    def note_branches(self, part: Part, num_accepted: int, settled: Settled) -> None:
        """Learns what became of a part's branches. num_accepted: of its draft."""
        assert part.draft is not None
        num_reached = sum(branch.fork <= num_accepted for branch in part.branches)
        self.acceptance.observe_branches(num_reached, int(settled.is_branch))
        if settled.is_branch:
            self.acceptance.observe(part.draft, num_accepted)
            self._num_writing += 1  # whoever counts disagreements has seen one

    def accept(self, part: Part, verdict: Verdict | None, pass_s: float) -> None:
        """Take over what the pass has shown: the draft as far as the target agrees, then the target's own token.

        EngineUnavailable(ENGINE_ERROR) where the target had no answer (NaN) or wrote what no token is.
        """
        draft = part.draft.tokens if part.draft else []
        self.length += part.num_fed
        self.stats = replace(self.stats, passes=self.stats.passes + 1, pass_ms=self.stats.pass_ms + 1000 * pass_s)
        if verdict is None:
            return
        if self.request.scored:
            self._score(draft, verdict)
            return
        num_accepted, next_token = verdict.num_accepted, verdict.next_token
        if self.request.constraint is not None:
            own = self._constrained(self.request.constraint, verdict.own, draft)
            num_accepted, next_token = len(own) - 1, own[-1]
        self._num_writing += 1
        self._count(part.draft, num_accepted)
        self.length += num_accepted
        written = [*draft[:num_accepted], next_token]
        if self.request.logprobs:
            self._note_logprobs(verdict, draft, written)
        self._write(written)

    def result(self, fallbacks: tuple[str, ...] = ()) -> DecodeResult:
        """Text and tokens so far; complete once `is_finished`."""
        now_s = time.perf_counter()
        stats = replace(
            self.stats,
            completion_tokens=0 if self.request.scored else len(self.transcript.tokens),
            reanchors=self._cascade.num_reanchors if self._cascade else 0,
            prefill_ms=1000 * (self._first_token_s - self._started_s),
            decode_ms=1000 * (now_s - self._first_token_s),
            total_ms=1000 * (now_s - self.submitted_s),
            fallbacks=fallbacks,
        )
        tokens = tuple(self.transcript.tokens)
        return DecodeResult(
            self.transcript.data.decode("utf-8", errors="replace"),
            tokens,
            stats,
            self._has_stopped or bool(self.request.scored),
            self._is_given_up,
            tuple(self._logprobs[: len(tokens)]),
            tuple(refused for refused in self._refused if refused.index < len(tokens)),
        )

    def _score(self, draft: Tokens[int], verdict: Verdict) -> None:
        """Takes the draft for written, whatever the target would have. Its last token is fed once more with the next
        ones: it is that token's row that they need."""
        self.length += len(draft) - 1
        self._logprobs += verdict.draft_logprobs[: len(draft)]
        if any(map(math.isnan, self._logprobs)):
            raise EngineUnavailable(Code.ENGINE_ERROR, NOT_A_NUMBER)
        if draft:
            self._write(list(draft))

    def _note_logprobs(self, verdict: Verdict, draft: Tokens[int], written: Tokens[int]) -> None:
        for index, token in enumerate(written):
            if token == verdict.own[index]:
                self._logprobs.append(verdict.logprobs[index])
            else:  # a constraint's word, of which only the draft's probability is known
                is_drafted = index < len(draft) and token == draft[index]
                self._logprobs.append(verdict.draft_logprobs[index] if is_drafted else math.nan)
        if len(written) <= len(draft):
            at = len(written) - 1
            place = len(self.transcript.tokens) + at
            self._refused.append(Refused(place, draft[at], verdict.draft_logprobs[at]))

    def _constrained(self, constraint: Constraint, own: Tokens[int], draft: Tokens[int]) -> list[int]:
        """The tokens that count: the draft's as far as they are the same, and one more."""
        chosen: list[int] = []
        for index, token in enumerate(own):
            if token == NO_TOKEN:
                return [*chosen, token]
            token, self._state = constraint.choose(self._state, token)
            chosen.append(token)
            if index < len(draft) and draft[index] != token:
                break
        return chosen

    def _write(self, tokens: list[int]) -> None:
        for index, token in enumerate(tokens):
            if token in self._stop_tokens:
                tokens = tokens[: index + 1]
                break
        if tokens[-1] == NO_TOKEN:
            raise EngineUnavailable(Code.ENGINE_ERROR, NOT_A_NUMBER)
        if not self.transcript.tokens:
            self._first_token_s = time.perf_counter()
        self.transcript.extend(tokens)
        self.tokens += tokens
        text, self._streamed_byte = self.transcript.whole_text(self._streamed_byte)
        self.handle.push(text)

    def _count(self, draft: Proposal | None, num_accepted: int) -> None:
        if draft is None:
            return
        self.acceptance.observe(draft, num_accepted)
        self.stats = replace(
            self.stats,
            drafted=self.stats.drafted + len(draft.tokens),
            accepted=self.stats.accepted + num_accepted,
            divergences=self.stats.divergences + (num_accepted < len(draft.tokens)),
        )


def cascade_for(
    request: DecodeRequest, codec: Codec, stop_tokens: Tokens[int], transcript: Transcript, acceptance: Acceptance
) -> Cascade:
    """The drafters that follow the request's output as `transcript` has it."""
    texts = [TextDrafter(draft, codec, transcript, stop_tokens[:1]) for draft in request.drafts]
    for text in texts:
        text.prepare()  # in the thread of whoever submits, not in the engine's, where the others would wait

    snippets = list(map(codec.encode, request.snippets))

    @cache
    def sources() -> list[TokenArray]:
        """Tokens that may be copied: the edit first, then the last of the texts, the original as a rule."""
        return list(map(as_tokens, [*snippets, *(text.tokens for text in texts[-1:])]))

    lookups = (
        SnippetDrafter(request.snippets, request.original, codec, transcript),
        SuffixDrafter(sources, transcript),
        NgramDrafter(sources, transcript),
    )
    return Cascade(texts, lookups, acceptance.worth)
