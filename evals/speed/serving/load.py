"""Clients that send requests at set times and note how long each answer took, counted from the time that was set."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

LIMIT_S = 60.0  # an answer that takes longer is an error
GRACE_S = 5.0
OK = 200
BROKEN = 0  # the status of a request that got no answer


@dataclass
class Sample:
    """What clients saw. latencies_ms: of all answers, whatever their status; elapsed_s: until the last one."""

    latencies_ms: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    elapsed_s: float = 0.0

    def percentile(self, percent: float) -> float:
        """The latency that so many percent of the requests kept, in milliseconds."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else float("nan")

    def num_unexpected(self, refusals: Sequence[int]) -> int:
        """Requests without an answer, or with another one than 200 and the refusals that are right for some."""
        return sum(count for status, count in self.statuses.items() if status != OK and status not in refusals)

    @property
    def per_second(self) -> float:
        return len(self.latencies_ms) / self.elapsed_s if self.elapsed_s else 0.0

    def summary(self) -> dict[str, float]:
        return {
            "requests": len(self.latencies_ms),
            "per_second": round(self.per_second, 2),
            "p50_ms": round(self.percentile(50), 2),
            "p95_ms": round(self.percentile(95), 2),
            "p99_ms": round(self.percentile(99), 2),
        }


class Connection:
    """One kept-alive connection. Writes bytes that are ready and reads as little as can be: it shares the machine."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Status and body; (BROKEN, b"") where none came."""
        try:
            async with asyncio.timeout(LIMIT_S):
                if self._streams is not None and self._streams[0].at_eof():
                    self.close()  # the service keeps no idle connection for long
                if self._streams is None:
                    self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
                reader, writer = self._streams
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]
                return int(head.split(b" ", 2)[1]), await reader.readexactly(int(length))
        except (OSError, TimeoutError, IndexError, asyncio.IncompleteReadError):
            self.close()
            return BROKEN, b""

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def http_request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


async def open_loop(port: int, requests: Sequence[bytes], clients: int, per_client_s: float, seconds: float) -> Sample:
    """Each client sends `per_client_s` requests a second, at times that no answer changes; latency counts from then.

    A client that is still behind its times GRACE_S after the end notes the rest as BROKEN.
    """
    sample = Sample()
    started_s = time.perf_counter()
    chance = random.Random(clients)

    async def client(number: int) -> None:
        connection = Connection(port)
        turn = itertools.islice(itertools.cycle(requests), number * 7 % len(requests), None)
        due_s = started_s + chance.random() / per_client_s
        while due_s < started_s + seconds:
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            if time.perf_counter() < started_s + seconds + GRACE_S:
                await _note(connection, next(turn), sample, due_s)
            else:
                sample.statuses[BROKEN] += 1
            due_s += 1 / per_client_s
        connection.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    sample.elapsed_s = time.perf_counter() - started_s
    return sample


async def closed_loop(port: int, requests: Iterator[bytes], clients: int, sample: Sample | None = None) -> Sample:
    """All of `requests`, each client sending its next one when it has an answer: as fast as the service can.

    sample: what is noted goes there, and can be looked at before the end.
    """
    sample = sample or Sample()
    started_s = time.perf_counter()

    async def client() -> None:
        connection = Connection(port)
        try:
            for request in requests:
                await _note(connection, request, sample, time.perf_counter())
        finally:
            connection.close()  # also where the load is ended before its requests are

    await asyncio.gather(*(client() for _ in range(clients)))
    sample.elapsed_s = time.perf_counter() - started_s
    return sample


async def _note(connection: Connection, request: bytes, sample: Sample, due_s: float) -> None:
    status, _ = await connection.ask(request)
    sample.latencies_ms.append((time.perf_counter() - due_s) * 1000)
    sample.statuses[status] += 1
