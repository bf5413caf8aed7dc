"""The jobs that the service gives to processes: structural work is Python from end to end, and in threads it would
hold up everybody else. A process that crashes or has to be stopped takes no other request with it.

Small jobs have processes of their own, so that none waits behind a large one; those for large jobs are nicer.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TypeVar

from fastedit.edits import parse_message
from fastedit.edits.message import NamedFile, named_files
from fastedit.errors import Code, EditRefused, EngineUnavailable
from fastedit.server.explain import Explanation, explain
from fastedit.server.garbage import settle
from fastedit.server.jobs import Drafted, Job, JobOutcome, run_drafted, run_structural, run_until_target
from fastedit.server.processes import ProcessDied, ProcessPool

logger = logging.getLogger(__name__)

T = TypeVar("T")

NICENESS = 5  # of the processes for large jobs: the one that answers clients, and small edits, go first

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
    """At most `num_small` processes for small jobs, there from the start, and `num_large` for large ones."""

    def __init__(self, num_small: int, num_large: int = 1) -> None:
        self._small = ProcessPool(num_small, _warm_up)
        self._large = ProcessPool(num_large, _warm_up, NICENESS)

    async def warm_up(self) -> None:
        """Starts the processes for small jobs."""
        await self._small.fill()

    async def close(self) -> None:
        """Ends all processes. For when no job is under way any more."""
        await self._small.close()
        await self._large.close()

    async def run(self, job: Job) -> JobOutcome:
        """Does `jobs.run_structural` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, _run, job)

    async def run_until_target(self, job: Job) -> JobOutcome | Drafted:
        """Does `jobs.run_until_target` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, _run_until_target, job)

    async def run_drafted(self, job: Job, drafted: Drafted) -> JobOutcome:
        """Does `jobs.run_drafted` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, _run_drafted, job, drafted)

    async def explain(self, job: Job) -> Explanation:
        """Does `explain.explain` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, _explain, job)

    async def files(self, edit: str, format: str) -> list[NamedFile]:
        """The files that a message names. EditRefused where there is no edit in it."""
        return await self._in_worker(False, _files, edit, format)

    async def _in_worker(self, is_large: bool, function: Callable[..., T], *arguments: object) -> T:
        try:
            return await (self._large if is_large else self._small).run(function, *arguments)
        except ProcessDied as error:
            logger.exception("a worker died")
            raise EngineUnavailable(Code.ENGINE_ERROR, "The process that merged the edit has died.") from error
        except Failure as failure:
            logger.error("a request failed: %s\n%s", failure.name, failure.frames)
            raise EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {failure.name}.") from None


def _run(job: Job) -> JobOutcome:
    return _answered(lambda: run_structural(job))


def _run_until_target(job: Job) -> JobOutcome | Drafted:
    return _answered(lambda: run_until_target(job))


def _run_drafted(job: Job, drafted: Drafted) -> JobOutcome:
    return _answered(lambda: run_drafted(job, drafted))


def _explain(job: Job) -> Explanation:
    return _answered(lambda: explain(job))


def _files(edit: str, format: str) -> list[NamedFile]:
    return _answered(lambda: named_files(parse_message(edit, format=format)))


def _answered(work: Callable[[], T]) -> T:
    """Gives what the work gives. Raises EditRefused, and Failure for whatever else goes wrong."""
    try:
        return work()
    except EditRefused as refusal:
        raise refusal.with_traceback(None) from None
    except Exception as error:  # noqa: BLE001 this request's failure is no other's
        raise Failure(type(error).__name__, "".join(traceback.format_tb(error.__traceback__))) from None


def _warm_up() -> None:
    for path, text in WARM_UP:
        run_structural(Job(text, text.replace("1", "2"), path))
    settle()
