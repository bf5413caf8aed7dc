"""Processes that work for the service: answers, ends, and replacements for those that have grown."""

from __future__ import annotations

import asyncio
import mmap
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from fastedit.server import workers
from fastedit.server.workers import ProcessDied, ProcessPool

T = TypeVar("T")


def run(work: Callable[[ProcessPool], Awaitable[T]]) -> T:
    """What `work` gives for a pool of one process."""

    async def with_pool() -> T:
        pool = ProcessPool(1, os.getpid, 3)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(with_pool())


def test_one_process_does_one_job_after_the_other() -> None:
    async def work(pool: ProcessPool) -> list[int]:
        await pool.fill()
        return list(await asyncio.gather(*(pool.run(os.getpid) for _ in range(5))))

    pids = run(work)
    assert len(set(pids)) == 1
    assert os.getpid() not in pids
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)  # closing has ended it


def test_what_a_job_raises_is_raised_and_what_it_prints_harms_nobody() -> None:
    async def work(pool: ProcessPool) -> int:
        with pytest.raises(ZeroDivisionError):
            await pool.run(divmod, 1, 0)
        await pool.run(print, "a line")
        return await pool.run(max, 1, 2)

    assert run(work) == 2


def test_processes_are_as_nice_as_they_are_told() -> None:
    async def work(pool: ProcessPool) -> int:
        return await pool.run(os.nice, 0)

    assert run(work) == os.nice(0) + 3


def test_a_job_that_nobody_waits_for_ends_with_its_process() -> None:
    async def work(pool: ProcessPool) -> tuple[int, int, float]:
        first = await pool.run(os.getpid)
        started_s = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pool.run(time.sleep, 600), 0.1)
        return first, await pool.run(os.getpid), time.monotonic() - started_s

    first, second, seconds = run(work)
    assert first != second
    assert seconds < 300


def test_a_process_that_dies_takes_its_job_alone() -> None:
    async def work(pool: ProcessPool) -> int:
        with pytest.raises(ProcessDied):
            await pool.run(os._exit, 3)
        return await pool.run(max, 1, 2)

    assert run(work) == 2


def test_a_process_that_has_grown_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(pool: ProcessPool) -> tuple[int, int]:
        first = await pool.run(os.getpid)
        while pool._replacing:
            await asyncio.sleep(0.01)
        return first, await pool.run(os.getpid)

    assert len(set(run(work))) == 1
    monkeypatch.setattr(workers, "MAX_RESIDENT_BYTES", 1)
    assert len(set(run(work))) == 2


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system doesn't tell")
def test_what_a_process_holds_is_counted() -> None:
    before = workers.resident_bytes()
    held = mmap.mmap(-1, 64 << 20)  # pages of its own: what else is allocated may come from what was freed before
    held.write(os.urandom(1 << 20) * 64)
    assert workers.resident_bytes() - before > len(held) / 2
