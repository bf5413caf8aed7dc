"""Processes that work for the service, one job at a time each: stopped when nobody waits for their job any more, and
replaced when they have grown, so that what a large file took comes back.

Structural work is Python from end to end, and in threads it would hold up everybody else. A process that crashes or has
to be stopped takes no other request with it. Small jobs have processes of their own, so that none waits behind a large
one; those for large jobs are nicer.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from subprocess import PIPE
from typing import Any, BinaryIO, NamedTuple, TypeVar

import anyio
from anyio import CancelScope, CapacityLimiter
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from fastedit.edits import parse_message
from fastedit.edits.message import NamedFile, named_files
from fastedit.errors import Code, EditRefused, EngineUnavailable
from fastedit.server.explain import Explanation, explain
from fastedit.server.jobs import Drafted, Job, JobOutcome, run_drafted, run_structural, run_until_target

T = TypeVar("T")
# A process that holds more after a job is replaced: Python gives little of it back.
MAX_RESIDENT_BYTES = 320 << 20
LENGTH_BYTES = 8
NAME = "fastedit.server.workers"  # what the processes can be told by
START = f"import sys; sys.path[:] = sys.argv[2:]; from {NAME} import main; main(int(sys.argv[1]))"
logger = logging.getLogger(__name__)
NICENESS = 5  # of the processes for large jobs: the one that answers clients, and small edits, go first
# Files in the languages that are edited most, so that a worker's first request finds their grammars loaded.
WARM_UP = (
    ("warm.py", "def f():\n    return 1\n"),
    ("warm.ts", "function f() {\n  return 1\n}\n"),
    ("warm.go", "package f\n\nfunc f() int {\n\treturn 1\n}\n"),
)


def settle() -> None:
    """Has collections from now on pass over whatever is there already.

    With torch and a model loaded, Python's full collection looks at hundreds of thousands of objects, and every request
    waits for it.
    """
    gc.collect()
    gc.freeze()


class ProcessDied(Exception):
    """The process that had a job has ended."""


class Reply(NamedTuple):
    """A process's answer to a job. error: what it raised, or None. num_bytes: the memory that the process holds now."""

    value: Any
    error: Exception | None
    num_bytes: int


class ProcessPool:
    """At most `size` processes, started when needed. warm_up: what each does first. niceness: as for `nice`."""

    def __init__(self, size: int, warm_up: Callable[[], object], niceness: int = 0) -> None:
        self.size = size
        self._warm_up = warm_up
        self._niceness = niceness
        self._limiter = CapacityLimiter(size)
        self._idle: list[_Worker] = []
        self._replacing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def fill(self) -> None:
        """Starts all the processes."""
        # As jobs, so that those who ask meanwhile wait for these processes and start no others.
        await asyncio.gather(*(self.run(os.getpid) for _ in range(self.size)))

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Runs the function in a process, and gives or raises what it does.

        Cancelling kills the process. Raises ProcessDied.
        """
        async with self._limiter:
            worker = self._living() or await self._start()
            try:
                answer = await worker.ask(function, *arguments)
            except BaseException:
                await worker.end()
                raise
            self._put_back(worker, answer.num_bytes)
        if answer.error is not None:
            raise answer.error
        result: T = answer.value
        return result

    async def close(self) -> None:
        """Ends the processes that have nothing to do, and starts no more."""
        self._is_closed = True
        for task in list(self._replacing):
            task.cancel()
        await asyncio.gather(*self._replacing, return_exceptions=True)
        while self._idle:
            await self._idle.pop().end()

    def _living(self) -> _Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
        return None

    async def _start(self) -> _Worker:
        worker = await _Worker.start(self._niceness)
        try:
            await worker.ask(self._warm_up)
        except BaseException:
            await worker.end()
            raise
        return worker

    def _put_back(self, worker: _Worker, num_bytes: int) -> None:
        if num_bytes <= MAX_RESIDENT_BYTES and not self._is_closed:
            self._idle.append(worker)
            return
        task = asyncio.create_task(self._replace(worker))
        self._replacing.add(task)
        task.add_done_callback(self._replacing.discard)

    async def _replace(self, worker: _Worker) -> None:
        await worker.end()
        # A job that comes meanwhile may start another, which is then one too many for a while.
        if not self._is_closed and len(self._idle) < self.size:
            self._idle.append(await self._start())


class _Worker:
    """A process of the pool, as the service sees it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        assert process.stdout is not None
        self._answers = BufferedByteReceiveStream(process.stdout)

    @classmethod
    async def start(cls, niceness: int) -> _Worker:
        command = [sys.executable, "-c", START, str(niceness), *sys.path]
        return cls(await anyio.open_process(command, stdin=PIPE, stdout=PIPE, stderr=None))

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, function: Callable[..., object], *arguments: object) -> Reply:
        asked = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send(len(asked).to_bytes(LENGTH_BYTES) + asked)
            length = int.from_bytes(await self._answers.receive_exactly(LENGTH_BYTES))
            answer: Reply = pickle.loads(await self._answers.receive_exactly(length))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.IncompleteRead, anyio.EndOfStream) as error:
            raise ProcessDied from error
        return answer

    async def end(self) -> None:
        with CancelScope(shield=True):
            if self.is_alive:
                self._process.kill()
            await self._process.aclose()


def main(niceness: int) -> None:
    """Works off the jobs that come on standard input, until it ends. Whatever is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C reaches all of a terminal's processes: the service decides
    os.nice(niceness)
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    while length := asked.read(LENGTH_BYTES):
        _answer(asked.read(int.from_bytes(length)), answers)


def _answer(asked: bytes, answers: BinaryIO) -> None:
    function, arguments = pickle.loads(asked)
    value, error = None, None
    try:
        value = function(*arguments)
    except Exception as raised:  # noqa: BLE001 whoever asked is to have it
        error = raised
    data = pickle.dumps(Reply(value, error, resident_bytes()), pickle.HIGHEST_PROTOCOL)
    answers.write(len(data).to_bytes(LENGTH_BYTES) + data)
    answers.flush()


def resident_bytes() -> int:
    """The bytes of memory that this process holds, after letting go what it can; 0 where the system doesn't tell."""
    held = _resident_bytes()
    if held > MAX_RESIDENT_BYTES:
        gc.collect()
        held = _resident_bytes()
    return held


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


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
        return await self._in_worker(job.is_large, run_structural, job)

    async def run_until_target(self, job: Job) -> JobOutcome | Drafted:
        """Does `jobs.run_until_target` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, run_until_target, job)

    async def run_drafted(self, job: Job, drafted: Drafted) -> JobOutcome:
        """Does `jobs.run_drafted` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, run_drafted, job, drafted)

    async def explain(self, job: Job) -> Explanation:
        """Does `explain.explain` in a process. Cancelling kills the process that is at it."""
        return await self._in_worker(job.is_large, explain, job)

    async def files(self, edit: str, format: str) -> list[NamedFile]:
        """The files that a message names. EditRefused where there is no edit in it."""
        return await self._in_worker(False, named_files_in, edit, format)

    async def _in_worker(self, is_large: bool, function: Callable[..., T], *arguments: object) -> T:
        try:
            return await (self._large if is_large else self._small).run(_answered, function, *arguments)
        except ProcessDied as error:
            logger.exception("a worker died")
            raise EngineUnavailable(Code.ENGINE_ERROR, "The process that merged the edit has died.") from error
        except Failure as failure:
            logger.error("a request failed: %s\n%s", failure.name, failure.frames)
            raise EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {failure.name}.") from None


def named_files_in(edit: str, format: str) -> list[NamedFile]:
    """The files that a message names. Raises EditRefused."""
    return named_files(parse_message(edit, format=format))


def _answered(function: Callable[..., T], *arguments: object) -> T:
    """Gives what the function gives. Raises EditRefused, and Failure for whatever else goes wrong."""
    try:
        return function(*arguments)
    except EditRefused as refusal:
        raise refusal.with_traceback(None) from None
    except Exception as error:  # noqa: BLE001 this request's failure is no other's
        raise Failure(type(error).__name__, "".join(traceback.format_tb(error.__traceback__))) from None


def _warm_up() -> None:
    for path, text in WARM_UP:
        run_structural(Job(text, text.replace("1", "2"), path))
    settle()
