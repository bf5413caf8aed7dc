"""The speculative loop: propose, verify, accept, re-anchor; for many requests at once.

Requests join and leave between passes. Each pass appends tokens to the slots of all running requests: unread prompt,
the last token written, and drafts, which the same pass verifies. What a draft is, where it comes from and where it
goes on after a divergence is the drafters' business (`fastedit.draft`); how long it should be, the controller's.

A pass has everyone's unread tokens in fair shares and the drafts that are worth their time. Of one that fails, what can
be done again smaller or alone is, and only who is at fault goes without an answer. It left no trace that counts
(lengths move only when tokens are accepted), so it can simply be run again.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from collections.abc import Sequence as Many
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import chain, count, islice

from fastedit.decode.cache import SlotPool
from fastedit.decode.controller import Acceptance, CostTable, Offer, draft_lengths
from fastedit.decode.devices import is_out_of_memory
from fastedit.decode.passes import Append, Branch, Verdict, settle
from fastedit.decode.request import DecodeRequest, Group, Handle
from fastedit.decode.runner import Runner
from fastedit.decode.sequence import Part, Sequence, Vocabulary
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Proposal
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused

logger = logging.getLogger(__name__)

LONGEST_WAIT_S = 0.15  # for the rest of a group; drafting several small files takes less

MIN_SHARE = 32  # tokens that every request of a crowd can feed in a pass, however slow the machine


class Engine:
    """Decodes requests of one target. `submit` is safe from any thread; `step` belongs to one, which `start` makes."""

    def __init__(
        self,
        runner: Runner,
        vocabulary: Vocabulary,
        settings: EngineSettings | None = None,
        costs: CostTable | None = None,
    ) -> None:
        self._runner = runner
        self._vocabulary = vocabulary
        self._settings = settings or EngineSettings()
        self._costs = costs or CostTable.measure(self._time_of_pass, runner.step_widths)
        self._pool = SlotPool(runner.num_slots, runner.slot_len)
        self._acceptance = Acceptance()
        self._numbers = count()
        self._running: list[Sequence] = []
        self._waiting: deque[Sequence] = deque()
        self._changed = threading.Condition()  # guards _waiting, _is_closed
        self._is_closed = self._is_aborted = False
        self._thread: threading.Thread | None = None

    def submit(self, request: DecodeRequest, handle: Handle | None = None, group: Group | None = None) -> Handle:
        """Queue a request. group: it isn't begun on before the others, for LONGEST_WAIT_S and while nothing is running.

        InputRefused(TOO_LARGE) where it can't fit into all slots, EngineUnavailable(OVERLOADED) where too many wait,
        EngineUnavailable(TARGET_UNAVAILABLE) after `close`.
        """
        handle = handle or Handle()
        self._check_fits(request)
        sequence = Sequence(next(self._numbers), request, self._vocabulary, self._acceptance.fork(), handle, group)
        with self._changed:
            if self._is_closed:
                raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "The engine is shutting down.")
            if len(self._waiting) >= self._settings.max_waiting:
                raise EngineUnavailable(Code.OVERLOADED, f"{len(self._waiting)} requests are waiting already.")
            self._waiting.append(sequence)
            self._changed.notify()
        if group is not None:
            group.listen(self._wake)
        return handle

    def step(self) -> bool:
        """One pass for all running requests; False where there is nothing to do."""
        self._drop_abandoned()
        self._admit()
        if not self._running:
            return False
        parts = plan_pass(self._running, self._costs, self._settings)  # propose
        started_s = time.perf_counter()
        outcomes = run_guarded(self._runner, parts, self._pool.forget)  # verify
        pass_s = time.perf_counter() - started_s
        for outcome in outcomes:
            self._accept(outcome, pass_s)  # accept; drafters re-anchor when they are next asked
        return True

    def start(self) -> None:
        """Run `step` in a thread of the engine's own whenever there is something to do. A second call does nothing."""
        with self._changed:
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._serve, name="fastedit-engine", daemon=True)
                self._thread.start()

    def close(self, drain_s: float = 0.0) -> None:
        """Take no more requests; after `drain_s` seconds give up those that aren't done (TARGET_UNAVAILABLE)."""
        deadline_s = time.monotonic() + drain_s
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(max(0.0, deadline_s - time.monotonic()))
        self._is_aborted = True
        if self._thread is not None:
            self._thread.join()
        self._drop_abandoned()

    def forget_prefixes(self) -> None:
        """Keep no earlier prompt's beginning for later ones; for the thread that steps."""
        self._pool.forget()

    @property
    def max_len(self) -> int:
        """Tokens that prompt and output of a request can have together."""
        return self._runner.max_len

    @property
    def num_running(self) -> int:
        return len(self._running)

    @property
    def num_waiting(self) -> int:
        return len(self._waiting)

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return self._runner.fallbacks

    def check_integrity(self) -> None:
        """RuntimeError where slots and requests don't match. Cheap; meant for idle moments and tests."""
        slots = [sequence.slot for sequence in self._running]
        num_held = sum(self._num_slots(sequence.request) for sequence in self._running)
        if len(set(slots)) != len(slots) or num_held != self._pool.num_leased:
            raise RuntimeError(f"{self._pool.num_leased} slots are leased, running requests have {slots}")

    def _serve(self) -> None:
        if self._settings.niceness and sys.platform == "linux":  # elsewhere it would be the whole process's
            thread = threading.get_native_id()
            niceness = os.getpriority(os.PRIO_PROCESS, thread) + self._settings.niceness
            os.setpriority(os.PRIO_PROCESS, thread, min(niceness, 19))
        while True:
            with self._changed:
                while not (self._waiting or self._running or self._is_closed):
                    self._changed.wait()
                if self._is_closed and not (self._waiting or self._running):
                    return
                if not self._running:
                    self._changed.wait_for(lambda: not self._are_others_coming(), LONGEST_WAIT_S)
            try:
                if not self.step():
                    self.check_integrity()
            except Exception as error:
                # Nothing known gets here; if something does, those it hit fail and the others are still served.
                logger.exception("the decoding loop failed")
                for sequence in list(self._running):
                    self._finish(sequence, EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {type(error).__name__}."))

    def _are_others_coming(self) -> bool:
        """Whether a pass now would be for the first of a group only."""
        is_full = len(self._waiting) >= self._runner.num_slots
        return not is_full and not self._is_closed and all(sequence.is_early for sequence in self._waiting)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify()

    def _check_fits(self, request: DecodeRequest) -> None:
        given, limit = _num_rows(request), self._runner.max_len
        if given > limit:
            raise InputRefused(
                Code.TOO_LARGE, f"Prompt and output may take {given} tokens together; the target's slots hold {limit}."
            )
        if max(request.scored, default=0) >= self._vocabulary.num_ids:
            raise InputRefused(Code.NOT_TEXT, "The output has a token that the target has no embedding for.")

    def _num_slots(self, request: DecodeRequest) -> int:
        return -(-_num_rows(request) // self._runner.slot_len)

    def _admit(self) -> None:
        # One that needs several slots waits for them at the head of the queue: who came later can't take them away.
        while self._waiting and self._pool.can_acquire(num_slots := self._num_slots(self._waiting[0].request)):
            with self._changed:
                sequence = self._waiting.popleft()
            lease = self._pool.acquire(sequence.request.prompt, num_slots)
            if lease.copy_from is not None:
                self._runner.copy_prefix(lease.copy_from, lease.slot, lease.num_cached)
            sequence.start(lease.slot, lease.num_cached, num_slots * self._runner.slot_len)
            self._running.append(sequence)

    def _drop_abandoned(self) -> None:
        now_s = time.perf_counter()
        for sequence in self._all_sequences():
            if self._is_aborted:
                self._finish(sequence, EngineUnavailable(Code.TARGET_UNAVAILABLE, "The engine is shutting down."))
            elif sequence.handle.is_cancelled:
                self._finish(sequence, CancelledError())
            elif sequence.is_expired(now_s):
                limit = f"{sequence.request.deadline_s:g} s"
                self._finish(sequence, EngineUnavailable(Code.TIMEOUT, f"The deadline of {limit} has passed."))

    def _accept(self, outcome: Outcome, pass_s: float) -> None:
        sequence = outcome.part.sequence
        if isinstance(outcome.verdict, EditRefused):
            self._finish(sequence, outcome.verdict)
            return
        was_reading = sequence.length < len(sequence.request.prompt)
        try:
            sequence.accept(outcome.part, outcome.verdict, pass_s)
        except EditRefused as error:
            self._finish(sequence, error)
            return
        if was_reading and sequence.slot is not None:
            self._pool.hold(sequence.slot, sequence.request.prompt[: sequence.length])
        if sequence.is_finished:
            if not sequence.request.scored:
                self._acceptance.learn(sequence.acceptance)
            self._finish(sequence, None)

    def _finish(self, sequence: Sequence, error: BaseException | None) -> None:
        if sequence in self._running:
            self._running.remove(sequence)
            assert sequence.slot is not None
            self._pool.release(sequence.slot)
        else:
            with self._changed:
                if sequence in self._waiting:
                    self._waiting.remove(sequence)
        sequence.handle.finish(error or sequence.result(self._runner.fallbacks))

    def _all_sequences(self) -> list[Sequence]:
        with self._changed:
            return [*self._running, *self._waiting]

    def _time_of_pass(self, width: int) -> float:
        width = min(width, self._runner.slot_len)
        tokens = [index % self._vocabulary.num_ids for index in range(width)]
        started_s = time.perf_counter()
        self._runner.append([Append(0, 0, tokens, width)])
        return time.perf_counter() - started_s


def _num_rows(request: DecodeRequest) -> int:
    """Rows that it can come to need; the last token written is never fed, so it needs none, unless it is scored."""
    return len(request.prompt) + request.max_new_tokens - (not request.scored)


# ---- one pass --------------------------------------------------------------------------------------------------------


def plan_pass(sequences: Many[Sequence], costs: CostTable, settings: EngineSettings) -> list[Part]:
    """A part for every sequence, together at most `settings.pass_tokens` tokens."""
    budget = pass_budget(len(sequences), costs, settings)
    num_fed = fair_shares([sequence.num_unfed for sequence in sequences], budget)
    rest = budget - sum(num_fed)
    proposals = [
        sequence.propose(rest) if fed == sequence.num_unfed else (None, [])
        for sequence, fed in zip(sequences, num_fed, strict=True)
    ]
    offers = [
        _offers(sequence, fed, *proposed) for sequence, fed, proposed in zip(sequences, num_fed, proposals, strict=True)
    ]
    lengths = iter(draft_lengths(list(chain(*offers)), costs, budget))
    of_each = [list(islice(lengths, len(own))) for own in offers]  # of the draft, then of its branches
    spare = rest - sum(map(sum, of_each))
    for sequence, (proposal, _), own in zip(sequences, proposals, of_each, strict=True):
        # Whoever counts its passes wants the draft checked, whatever another token costs; so does who wants it scored.
        if proposal is not None and (sequence.request.max_passes is not None or sequence.request.scored):
            more = max(0, min(spare, len(proposal.tokens) - own[0]))
            own[0] += more
            spare -= more
    return [
        sequence.part(fed, proposal, own[0], branches, own[1:])
        for sequence, fed, (proposal, branches), own in zip(sequences, num_fed, proposals, of_each, strict=True)
    ]


def _offers(sequence: Sequence, num_fed: int, proposal: Proposal | None, branches: Many[Branch]) -> list[Offer]:
    """A sequence's offers for a pass: with its draft, and with each of the branches."""
    if proposal is None:
        return [Offer(num_fed, ())]
    survival = sequence.acceptance.survival(proposal)
    others = [Offer(0, sequence.acceptance.branch_survival(survival, branch.fork, branch.rest)) for branch in branches]
    return [Offer(num_fed, survival), *others]


def pass_budget(num_sequences: int, costs: CostTable, settings: EngineSettings) -> int:
    """Tokens that a pass may feed: all that is allowed for a request alone; else what doesn't take too long."""
    if num_sequences <= 1:
        return settings.pass_tokens
    timely = max(costs.width_for(settings.pass_s), MIN_SHARE * num_sequences)
    return min(settings.pass_tokens, timely)


def fair_shares(wanted: Many[int], budget: int) -> list[int]:
    """Each one's share of `budget`: all it wants, or an equal share of what those who want less leave over.

    Each gets at least 1, even of a budget that is smaller than their number.
    """
    shares = [0] * len(wanted)
    rest = budget
    for rank, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[index] = max(1, min(wanted[index], rest // (len(wanted) - rank)))
        rest -= shares[index]
    return shares


@dataclass(frozen=True, slots=True)
class Outcome:
    """A part's outcome; it may have been made smaller: the target's verdict, None where it asks for none, or an
    error."""

    part: Part
    verdict: Verdict | EditRefused | None


def run_guarded(runner: Runner, parts: list[Part], free_memory: Callable[[], None]) -> list[Outcome]:
    """Run a pass. One outcome for each part, in order; never raises for a part's sake.

    free_memory: gives up whatever is kept for later.
    """
    try:
        outcomes = _run(runner, parts)
    except EditRefused as error:
        return _alone(runner, parts, free_memory, error)
    except Exception as error:
        if is_out_of_memory(error):
            logger.warning("out of memory in a pass of %d tokens", sum(part.num_tokens for part in parts))
            free_memory()
            runner.release_memory()
            return _smaller(runner, parts, free_memory)
        logger.exception("a pass of %d requests failed", len(parts))
        reason = f"The target failed: {type(error).__name__}."
        return _alone(runner, parts, free_memory, EngineUnavailable(Code.ENGINE_ERROR, reason))
    return outcomes


def _run(runner: Runner, parts: list[Part]) -> list[Outcome]:
    """A pass, and of a part with branches the one that the target went along with."""
    appends = [part.appends for part in parts]
    verdicts = iter(runner.append(list(chain(*appends))))
    outcomes = []
    for part, own in zip(parts, appends, strict=True):
        found = list(islice(verdicts, len(own)))
        given = [verdict for verdict in found if verdict is not None]
        if part.draft is None or not part.branches or len(given) < len(own):
            outcomes.append(Outcome(part, found[0]))
            continue
        settled = settle(part.draft, part.branches, own, given, runner.move)
        part.sequence.note_branches(part, given[0].num_accepted, settled)
        outcomes.append(Outcome(Part(part.sequence, part.num_fed, settled.draft), settled.verdict))
    return outcomes


def _alone(runner: Runner, parts: list[Part], free_memory: Callable[[], None], error: EditRefused) -> list[Outcome]:
    """Each part in a pass of its own, to find whose fault it is; a part that was alone already has failed."""
    if len(parts) == 1:
        return [Outcome(parts[0], error)]
    return [outcome for part in parts for outcome in run_guarded(runner, [part], free_memory)]


def _smaller(runner: Runner, parts: list[Part], free_memory: Callable[[], None]) -> list[Outcome]:
    """The pass in two halves; a single part without its draft, then with half of its tokens, and so on."""
    if len(parts) > 1:
        middle = len(parts) // 2
        halves = (parts[:middle], parts[middle:])
        return [outcome for half in halves for outcome in run_guarded(runner, half, free_memory)]
    smaller = parts[0].smaller()
    if smaller is None:
        error = EngineUnavailable(Code.TARGET_UNAVAILABLE, "There is no memory left for even one token.")
        return [Outcome(parts[0], error)]
    return run_guarded(runner, [smaller], free_memory)
