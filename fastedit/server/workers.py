"""Processes for structural work: it is Python from end to end, and in threads it would hold up everybody else.

A worker that crashes or has to be stopped takes no other request with it. As with `multiprocessing`, workers import the
program's main module: a script of one's own that serves needs its `if __name__ == "__main__":`.
"""

from __future__ import annotations

import logging
import signal
import traceback
from collections.abc import Callable
from typing import TypeVar

from anyio import BrokenWorkerProcess, CapacityLimiter, create_task_group, to_process

from fastedit.edits import parse_message
from fastedit.edits.files import NamedFile, named_files
from fastedit.errors import Code, EditRefused, EngineUnavailable
from fastedit.server.garbage import settle
from fastedit.server.jobs import Drafted, Job, Outcome, run_structural, run_until_target

logger = logging.getLogger(__name__)

T = TypeVar("T")

# Files in the languages that are edited most, so that a worker's first request finds their grammars loaded.
WARM_UP = (
    ("warm.py", "def f():\n    return 1\n"),
    ("warm.ts", "function f() {\n  return 1\n}\n"),
    ("warm.go", "package f\n\nfunc f() int {\n\treturn 1\n}\n"),
)


class Failure(Exception):
    """Something unforeseen in a worker. Its texts stay there: name is the error's type, frames where it happened."""

    def __init__(self, name: str, frames: str) -> None:
        super().__init__(name, frames)
        self.name = name
        self.frames = frames


class Workers:
    """At most `num_workers` processes, started when first needed."""

    def __init__(self, num_workers: int) -> None:
        self.num_workers = num_workers
        self._limiter = CapacityLimiter(num_workers)

    async def warm_up(self) -> None:
        """Starts all the processes."""
        async with create_task_group() as group:
            for _ in range(self.num_workers):
                group.start_soon(self._in_worker, _warm_up)

    async def run(self, job: Job) -> Outcome:
        """As `run_structural`. Cancelling kills the process that is at it."""
        return await self._in_worker(_run, job)

    async def run_until_target(self, job: Job) -> Outcome | Drafted:
        """As `jobs.run_until_target`. Cancelling kills the process that is at it."""
        return await self._in_worker(_run_until_target, job)

    async def files(self, edit: str, format: str) -> list[NamedFile]:
        """The files that a message names. EditRefused where there is no edit in it."""
        return await self._in_worker(_files, edit, format)

    async def _in_worker(self, function: Callable[..., T], *arguments: object) -> T:
        try:
            return await to_process.run_sync(function, *arguments, cancellable=True, limiter=self._limiter)
        except BrokenWorkerProcess as error:
            logger.exception("a worker died")
            raise EngineUnavailable(Code.ENGINE_ERROR, "The process that merged the edit has died.") from error
        except Failure as failure:
            logger.error("a request failed: %s\n%s", failure.name, failure.frames)
            raise EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {failure.name}.") from None


def _run(job: Job) -> Outcome:
    return _answered(lambda: run_structural(job))


def _run_until_target(job: Job) -> Outcome | Drafted:
    return _answered(lambda: run_until_target(job))


def _files(edit: str, format: str) -> list[NamedFile]:
    return _answered(lambda: named_files(parse_message(edit, format=format)))


def _answered(work: Callable[[], T]) -> T:
    """What the work gives. Raises EditRefused, and Failure for whatever else goes wrong."""
    _leave_interrupts_to_the_server()
    try:
        return work()
    except EditRefused as refusal:
        raise refusal.with_traceback(None) from None
    except Exception as error:  # noqa: BLE001 this request's failure is no other's
        raise Failure(type(error).__name__, "".join(traceback.format_tb(error.__traceback__))) from None


def _warm_up() -> None:
    _leave_interrupts_to_the_server()
    for path, text in WARM_UP:
        run_structural(Job(text, text.replace("1", "2"), path))
    settle()


def _leave_interrupts_to_the_server() -> None:
    """A Ctrl-C reaches every process of the terminal; what is under way is to be finished all the same."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
