"""Sees each job through: picks its lane, limits its time, and stops it when nobody waits for it.

Lanes are bounded queues: what can't be worked on soon is turned away at once, with a word about when to come back. Work
with a target is done by threads: passes let go of the interpreter, and the target can't leave the process.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

import anyio
from anyio import CancelScope, fail_after, move_on_after

from fastedit.decode.request import GroupPlace
from fastedit.edits.message import NamedFile
from fastedit.errors import Code, EditRefused, EngineUnavailable, Warning
from fastedit.server.explain import Explanation
from fastedit.server.jobs import Drafted, Job, JobOutcome, run_with_target
from fastedit.server.loading import State, TargetSlot
from fastedit.server.observe import Metrics, log_edit
from fastedit.server.settings import ServerSettings
from fastedit.server.workers import Workers, settle

logger = logging.getLogger(__name__)
Listener = Callable[[str], None]  # gets pieces of the new file's text, in the event loop's thread
AUTO = "auto"
MODEL = "model"
STRUCTURAL = "structural"
DRAFT = "draft"
LARGE = "large"
LARGE_WAITING = 32  # large files that wait are memory that is held
TARGET_SHARE = 0.6  # of the time that an `auto` request may take: if no target has answered by then, the draft stands
GRACE_S = 5.0  # in which a draft that stands is made ready, though the deadline passes: it takes milliseconds
T = TypeVar("T")


class Lane:
    """Lets `width` jobs work and `max_waiting` wait. Structural work, a target's drafts and the target's own work have
    one each: none waits for another."""

    def __init__(self, name: str, width: int, max_waiting: int) -> None:
        self.name = name
        self.max_waiting = max_waiting
        self.num_waiting = 0
        self.num_running = 0
        self._places = anyio.CapacityLimiter(width)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Waits for a place and holds it. Raises EngineUnavailable(OVERLOADED) where too many wait already."""
        # One job may be several places' borrower (a batch has many), so each borrows under a name of its own.
        borrower = object()
        try:
            self._places.acquire_on_behalf_of_nowait(borrower)
        except anyio.WouldBlock:
            await self._wait(borrower)
        self.num_running += 1
        try:
            yield
        finally:
            self.num_running -= 1
            self._places.release_on_behalf_of(borrower)

    async def _wait(self, borrower: object) -> None:
        if self.num_waiting >= self.max_waiting:
            message = f"{self.num_waiting} {self.name} requests are waiting already."
            raise EngineUnavailable(Code.OVERLOADED, message)
        self.num_waiting += 1
        try:
            await self._places.acquire_on_behalf_of(borrower)
        finally:
            self.num_waiting -= 1


class TargetThreads:
    """At most `num_threads` jobs that ask the target at once; it works on them side by side."""

    def __init__(self, slot: TargetSlot, num_threads: int) -> None:
        self._slot = slot
        self._executor = ThreadPoolExecutor(num_threads, "fastedit-model")

    async def run(
        self, job: Job, drafted: Drafted, deadline_s: float, on_text: Listener | None, place: GroupPlace | None
    ) -> JobOutcome:
        """The outcome of a job that was drafted. Cancelling gives it up: the target is done with it after the pass that
        is running.

        EditRefused as its code says: TARGET_UNAVAILABLE where there is no target.
        """
        from fastedit.decode.request import Sampling
        from fastedit.verify.asking import DecodeOptions

        target = self._slot.target
        chosen = job.sampling
        sampling = Sampling(chosen.temperature, chosen.top_p, chosen.top_k, chosen.seed) if chosen else None
        listener = _in_loop(asyncio.get_running_loop(), on_text) if on_text else None
        options = DecodeOptions(sampling=sampling, deadline_s=deadline_s, on_text=listener, place=place)
        future = self._executor.submit(_guarded, lambda: run_with_target(job, drafted, target, options))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            options.cancellation.cancel()
            raise

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


def _in_loop(loop: asyncio.AbstractEventLoop, listener: Listener) -> Listener:
    def tell(piece: str) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(listener, piece)

    return tell


def _guarded(work: Callable[[], JobOutcome]) -> JobOutcome:
    """Gives what `work` gives. Unforeseen failures become ENGINE_ERROR, and are logged without any texts."""
    try:
        return work()
    except EditRefused:
        raise
    except CancelledError as error:
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "The request was given up.") from error
    except Exception as error:  # noqa: BLE001 this request's failure is no other's
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.error("a request failed: %s\n%s", type(error).__name__, frames)
        raise EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {type(error).__name__}.") from None


class Service:
    """Applies edits for whoever asks. Knows no HTTP."""

    def __init__(self, settings: ServerSettings, slot: TargetSlot | None = None) -> None:
        self.settings = settings
        self.slot = slot or slot_for(settings)
        self._asks_in_auto = settings.asks_in_auto or self.slot.name != settings.target
        num_drafters = _num_drafters(settings) if self.slot.state is not State.NONE else 0
        widths = {STRUCTURAL: settings.structural_workers, DRAFT: num_drafters, MODEL: settings.model_requests}
        self.lanes = {name: Lane(name, width, settings.max_waiting) for name, width in widths.items() if width}
        self.lanes[LARGE] = Lane(LARGE, settings.structural_workers, min(settings.max_waiting, LARGE_WAITING))
        self.metrics = Metrics(self.lanes.values(), self.slot)
        self.is_warm = False  # whether the workers are there
        self.is_stopping = False
        self._workers = Workers(settings.structural_workers + num_drafters, settings.structural_workers)
        self._threads = TargetThreads(self.slot, settings.model_requests)
        self._scopes: set[CancelScope] = set()

    async def start(self) -> None:
        """Starts what takes a while: the workers and, in a thread, the target."""
        self.slot.start()
        await self._workers.warm_up()
        settle()
        self.is_warm = True

    async def apply(
        self,
        job: Job,
        deadline_s: float | None = None,
        on_text: Listener | None = None,
        place: GroupPlace | None = None,
    ) -> JobOutcome:
        """The job's outcome. Cancelling gives it up. EditRefused as its code says; TIMEOUT after `deadline_s`.

        on_text: gets the new file's text piece by piece where a target writes it; nothing where none does.
        place: as for `DecodeOptions`.
        """
        started_s = time.perf_counter()
        try:
            limit_s = self._limit_s(deadline_s)
            outcome = await self._until_stopped(self._apply(job, limit_s, on_text, place), limit_s)
        except EditRefused as refusal:
            self.metrics.refused(refusal)
            self._log(job, refusal, started_s)
            raise
        except asyncio.CancelledError:
            self.metrics.cancelled(job)
            raise
        self.metrics.applied(outcome, time.perf_counter() - started_s)
        self._log(job, outcome, started_s)
        return outcome

    async def files(self, edit: str, format: str) -> list[NamedFile]:
        """The files that a message names. Cancelling gives it up. EditRefused as its code says."""
        return await self._until_stopped(self._files(edit, format), self.settings.deadline_s)

    async def explain(self, job: Job) -> Explanation:
        """Explains how the job's message is read. Cancelling gives it up. EditRefused as its code says."""
        return await self._until_stopped(self._explain(job), self.settings.deadline_s)

    async def stream(self, job: Job, deadline_s: float | None = None) -> AsyncGenerator[str | JobOutcome]:
        """The text piece by piece as `apply` tells it, then the outcome. Closing the iterator gives the job up."""
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        task = asyncio.create_task(self.apply(job, deadline_s, pieces.put_nowait))
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            yield await task
        finally:
            task.cancel()
            await asyncio.wait([task])  # or nobody would have asked for its exception

    def stop(self) -> None:
        """Takes no new jobs from now on."""
        self.is_stopping = True

    def abort(self) -> None:
        """Ends the jobs that are under way (TARGET_UNAVAILABLE)."""
        self.stop()
        for scope in self._scopes:
            scope.cancel()

    async def close(self) -> None:
        """Lets go of the processes and the target. For when no job is under way any more."""
        await self._workers.close()
        self._threads.close()
        self.slot.close()

    @property
    def num_running(self) -> int:
        return len(self._scopes)

    async def _until_stopped(self, work: Coroutine[Any, Any, T], limit_s: float) -> T:
        if self.is_stopping:
            work.close()
            raise _stopping()
        scope = CancelScope()
        self._scopes.add(scope)
        try:
            with scope, fail_after(limit_s):
                return await work
        except TimeoutError as error:
            raise EngineUnavailable(Code.TIMEOUT, f"The deadline of {limit_s:g} s has passed.") from error
        finally:
            self._scopes.discard(scope)
        raise _stopping()  # only `abort` cancels the scope

    async def _apply(self, job: Job, limit_s: float, on_text: Listener | None, place: GroupPlace | None) -> JobOutcome:
        has_target = self.slot.state is State.READY
        if job.mode == MODEL and not has_target:
            raise self.slot.absence
        if not self._asks(job) or not has_target:
            async with self._lane(job, STRUCTURAL).place():
                return self._with_absence(job, await self._workers.run(job))
        patience = move_on_after(limit_s * TARGET_SHARE if job.mode == AUTO else None)
        async with self._lane(job, DRAFT).place():
            drafted = await self._workers.run_until_target(job)
        if isinstance(drafted, JobOutcome):
            return drafted
        if job.mode == AUTO and not drafted.is_worth_asking(job.original, self.slot.target):
            async with self._lane(job, DRAFT).place():
                return await self._workers.run_drafted(job, drafted)
        told = _Told(on_text)
        try:
            with patience:
                async with self.lanes[MODEL].place():
                    return await self._threads.run(job, drafted, limit_s, told.add if on_text else None, place)
            busy = EngineUnavailable(Code.TIMEOUT, "the target had too much to do")
        except EngineUnavailable as error:
            busy = error
        return await self._without_answer(job, drafted, busy, told)

    async def _without_answer(self, job: Job, drafted: Drafted, busy: EngineUnavailable, told: _Told) -> JobOutcome:
        """The draft, with a warning, where an `auto` job's target was too busy. Raises `busy` where that can't be."""
        is_busy = busy.code in (Code.OVERLOADED, Code.TIMEOUT)
        refusal = drafted.begun.merged.refusal
        if job.mode != AUTO or not is_busy:
            raise busy
        if refusal is not None:
            raise refusal if self.slot.target.only_verifies else busy
        with fail_after(GRACE_S, shield=True):
            async with self._lane(job, DRAFT).place():
                outcome = await self._workers.run_drafted(job, drafted)
        if told.text:
            if not outcome.text.startswith(told.text):
                raise busy
            told.add(outcome.text[len(told.text) :])
            outcome = replace(outcome, spans=())
        warning = Warning(busy.code.value, f"not verified: {busy.message}")
        return replace(outcome, warnings=(*outcome.warnings, warning))

    def _asks(self, job: Job) -> bool:
        """Whether the target has a say in the job, if it is there."""
        return job.mode == MODEL or (job.mode == AUTO and self._asks_in_auto)

    def _lane(self, job: Job, name: str) -> Lane:
        """The lane in which the job waits for a process: large jobs have their own, and hold up no small ones."""
        return self.lanes[LARGE if job.is_large else name]

    async def _files(self, edit: str, format: str) -> list[NamedFile]:
        async with self.lanes[STRUCTURAL].place():
            return await self._workers.files(edit, format)

    async def _explain(self, job: Job) -> Explanation:
        async with self._lane(job, STRUCTURAL).place():
            return await self._workers.explain(job)

    def _with_absence(self, job: Job, outcome: JobOutcome) -> JobOutcome:
        """The outcome, which says so where a target should have looked at it and there is none."""
        if not self._asks(job) or self.slot.state in (State.NONE, State.READY):
            return outcome
        warning = Warning(Code.TARGET_UNAVAILABLE.value, f"Not verified by a target. {self.slot.explanation}")
        return replace(outcome, warnings=(*outcome.warnings, warning))

    def _log(self, job: Job, result: JobOutcome | EditRefused, started_s: float) -> None:
        log_edit(job, result, time.perf_counter() - started_s, with_source=self.settings.log_source)

    def _limit_s(self, deadline_s: float | None) -> float:
        return min(deadline_s or self.settings.deadline_s, self.settings.max_deadline_s)


class _Told:
    """Passes pieces of a text on to a listener, and remembers them."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self.text = ""

    def add(self, piece: str) -> None:
        self.text += piece
        if self._listener:
            self._listener(piece)


def slot_for(settings: ServerSettings) -> TargetSlot:
    """The place for the target that the settings name, computed by the engine that they name. Nothing is loaded yet."""
    if not settings.has_target or not settings.has_other_engine:
        name = settings.target if settings.has_target else None
        return TargetSlot(name, settings.device, num_requests=settings.model_requests, cache_bytes=settings.cache_bytes)
    from fastedit.server.elsewhere import ElsewhereSlot

    return ElsewhereSlot(settings.target, settings.engine_source)


def _num_drafters(settings: ServerSettings) -> int:
    """The number of drafts made at once: enough to keep a target busy and to let a small file pass a large one."""
    return min(settings.structural_workers, max(2, settings.structural_workers // 2))


def _stopping() -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, "The service is shutting down.")
