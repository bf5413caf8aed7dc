"""Rows done by processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

from fastedit.bulk.rows import BulkEdit, How, apply_row, crashed

NUM_TOGETHER = 8  # rows that a process is given at once
NUM_AHEAD = 2  # such parts for each process, so that none waits


@dataclass(frozen=True, slots=True)
class LocalRunner:
    """Does rows in `num_processes` processes. A row that takes its process down takes no other's result with it."""

    num_processes: int

    def __call__(self, rows: Iterable[BulkEdit], how: How) -> Iterator[Sequence[bytes]]:
        parts = _parts(rows)
        while broken := (yield from self._run(parts, how)):
            for row in broken:
                yield [_alone(row, how)]

    def _run(self, parts: Iterator[list[BulkEdit]], how: How) -> Generator[Sequence[bytes], None, list[BulkEdit]]:
        """Yields results until all parts are done or a process has died; gives the rows that were lost with it."""
        lost: list[list[BulkEdit]] = []
        futures: dict[Future[list[bytes]], list[BulkEdit]] = {}
        pool = _pool(self.num_processes)
        try:
            while True:
                for part in islice(parts, NUM_AHEAD * self.num_processes - len(futures)):
                    lost.append(part)  # until its results are there
                    futures[pool.submit(_apply, part, how)] = part
                if not futures:
                    return []
                for future in wait(futures, return_when=FIRST_COMPLETED).done:
                    yield future.result()
                    lost.remove(futures.pop(future))
        except BrokenProcessPool:
            return [row for part in lost for row in part]
        finally:
            pool.shutdown(cancel_futures=True)


def _parts(rows: Iterable[BulkEdit]) -> Iterator[list[BulkEdit]]:
    rows = iter(rows)
    while part := list(islice(rows, NUM_TOGETHER)):
        yield part


def _alone(row: BulkEdit, how: How) -> bytes:
    """The result of a row that may have taken a process down, done in one of its own."""
    with _pool(1) as pool:
        try:
            return pool.submit(apply_row, row, how).result()
        except BrokenProcessPool:
            return crashed(row)


def _pool(num_processes: int) -> ProcessPoolExecutor:
    # Forking a process that has threads, as numpy's library and torch start them, may leave a lock held for ever.
    return ProcessPoolExecutor(num_processes, multiprocessing.get_context("spawn"), _settle)


def _settle() -> None:
    """Leaves Ctrl-C to the process that gives the work, and the processors' other cores to the other processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _apply(rows: list[BulkEdit], how: How) -> list[bytes]:
    return [apply_row(row, how) for row in rows]
