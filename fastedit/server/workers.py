"""Processes for structural work: it is Python from end to end, and in threads it would hold up everybody else.

A worker that crashes or has to be stopped takes no other request with it.
"""

from __future__ import annotations

import os
import signal

from anyio import BrokenWorkerProcess, CapacityLimiter, create_task_group, to_process

from fastedit.errors import Code, EngineUnavailable
from fastedit.server.jobs import Job, Outcome, run_structural

# Files in the languages that are edited most, so that a worker's first request finds their grammars loaded.
WARM_UP = (
    ("warm.py", "def f():\n    return 1\n"),
    ("warm.ts", "function f() {\n  return 1\n}\n"),
    ("warm.go", "package f\n\nfunc f() int {\n\treturn 1\n}\n"),
)


class Workers:
    """At most `num_workers` processes, started when first needed."""

    def __init__(self, num_workers: int) -> None:
        self.num_workers = num_workers
        self._limiter = CapacityLimiter(num_workers)

    async def warm_up(self) -> None:
        """Starts all the processes."""
        async with create_task_group() as group:
            for _ in range(self.num_workers):
                group.start_soon(self._warm_one)

    async def run(self, job: Job) -> Outcome:
        """The job's outcome. Cancelling kills the process that is at it. Raises EditRefused."""
        try:
            return await to_process.run_sync(_run, job, cancellable=True, limiter=self._limiter)
        except BrokenWorkerProcess as error:
            raise EngineUnavailable(Code.ENGINE_ERROR, "The process that merged the edit has died.") from error

    async def _warm_one(self) -> None:
        await to_process.run_sync(_warm_up, cancellable=True, limiter=self._limiter)


def _run(job: Job) -> Outcome:
    _leave_interrupts_to_the_server()
    return run_structural(job)


def _warm_up() -> int:
    _leave_interrupts_to_the_server()
    for path, text in WARM_UP:
        run_structural(Job(text, text.replace("1", "2"), path, format="whole"))
    return os.getpid()


def _leave_interrupts_to_the_server() -> None:
    """A Ctrl-C reaches every process of the terminal; what is under way is to be finished all the same."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
