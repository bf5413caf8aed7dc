"""Processes that work for the service, one job at a time each: stopped when nobody waits for their job any more, and
replaced when they have grown, so that what a large file took comes back."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable
from subprocess import PIPE
from typing import Any, BinaryIO, NamedTuple, TypeVar

import anyio
from anyio import CancelScope, CapacityLimiter
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

T = TypeVar("T")

# A process that holds more after a job is replaced: Python gives little of it back.
MAX_RESIDENT_BYTES = 320 << 20
LENGTH_BYTES = 8
NAME = "fastedit.server.processes"  # what the processes can be told by
START = f"import sys; sys.path[:] = sys.argv[2:]; from {NAME} import main; main(int(sys.argv[1]))"


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
