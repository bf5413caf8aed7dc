"""Threads for work with a target: passes let go of the interpreter, and the target can't leave the process."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor

from fastedit.errors import Code, EditRefused, EngineUnavailable
from fastedit.server.jobs import Drafted, Job, JobOutcome, run_with_target
from fastedit.server.loading import TargetSlot
from fastedit.verify.groups import GroupPlace

logger = logging.getLogger(__name__)

Listener = Callable[[str], None]  # gets pieces of the new file's text, in the event loop's thread


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
        from fastedit.verify.verified import DecodeOptions

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
