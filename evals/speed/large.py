"""python -m evals.speed.large [--quick] [--count COUNT]: a service of its own that is sent large files, too.

Large are files of 2 MB with lazy edits that fit hundreds of places, so that all are refused after as much work as can
be. The last line sums up. small_p50_ms, small_p99_ms: of structural edits of 300-line files from 16 clients that send
one a second each at set times, while others send large files as fast as they are answered; alone_p99_ms: of the same
without those. held_mib: the memory of all the service's processes after so many large files, and peak_mib the most it
was; errors: answers that shouldn't be.

In full, sending 2,000 large files takes half an hour on two quiet cores; after LIMIT_S as many as could be sent are
reported.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from evals.accuracy.report import machine
from evals.speed.serving.load import Sample, closed_loop, open_loop
from evals.speed.serving.payloads import request_of, small_edits, uncertain_edits
from evals.speed.serving.process import Server, running

RESULTS = Path(__file__).parent / "results"
LARGE_BYTES = 2_000_000
LARGE_CLIENTS = 6
SMALL_CLIENTS = 16
FILE_LINES = 300
REFUSED = (409,)  # what an uncertain edit is to get
WATCH_S = 0.25
LIMIT_S = 3600.0
SECONDS = {True: 10.0, False: 60.0}
COUNTS = {True: 20, False: 2000}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.speed.large", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="everything, in about a minute")
    parser.add_argument("--count", type=int, help="large files that memory is watched over")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    count = options.count or COUNTS[options.quick]
    with running(["fastedit", "serve", "--port", "0", "--target", "none"]) as server:
        report = {"machine": machine("evals.speed.large"), "quick": options.quick}
        report |= asyncio.run(measured(server, SECONDS[options.quick], count))
    path = options.json or RESULTS / ("large-quick.json" if options.quick else "large.json")
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(_last_line(report))
    return 0


async def measured(server: Server, seconds: float, count: int) -> dict[str, Any]:
    """Latencies of small edits without and with large ones beside them, then the memory over `count` large ones."""
    requests = uncertain_edits(LARGE_BYTES)
    small = [request_of(body) for body in small_edits(FILE_LINES, "structural", 50)]
    await closed_loop(server.port, iter(small), 4)  # the first ones don't count
    alone = await open_loop(server.port, small, SMALL_CLIENTS, 1.0, seconds)
    beside, large = await _beside_large(server.port, small, requests, seconds)
    return {
        "alone": _row(alone),
        "beside_large": _row(beside),
        "large": _row(large, REFUSED),
        "uncertain": await _held(server, requests, count),
    }


async def _beside_large(
    port: int, small: list[bytes], requests: Iterator[bytes], seconds: float
) -> tuple[Sample, Sample]:
    """What the clients of small edits saw, and those of large ones."""
    large = Sample()
    started_s = time.perf_counter()
    busy = asyncio.create_task(closed_loop(port, requests, LARGE_CLIENTS, large))
    await asyncio.sleep(1)
    sample = await open_loop(port, small, SMALL_CLIENTS, 1.0, seconds)
    large.elapsed_s = time.perf_counter() - started_s
    busy.cancel()
    with suppress(asyncio.CancelledError):
        await busy
    return sample, large


async def _held(server: Server, requests: Iterator[bytes], count: int) -> dict[str, Any]:
    """The memory after each tenth of `count` large files, and the most it was, in MiB."""
    watch = asyncio.create_task(_peak_mib(server))
    sample, memory = Sample(), list[dict[str, float]]()
    end_s = time.perf_counter() + LIMIT_S
    for _ in range(10):
        tenth = itertools.islice(_until(requests, end_s), max(1, count // 10))
        done = await closed_loop(server.port, tenth, LARGE_CLIENTS)
        sample.latencies_ms += done.latencies_ms
        sample.statuses += done.statuses
        sample.elapsed_s += done.elapsed_s
        memory.append({"requests": len(sample.latencies_ms), **server.memory_mib()})
    watch.cancel()
    peak = max(await watch, *map(_total, memory))
    return _row(sample, REFUSED) | {"memory_mib": memory, "held_mib": _total(memory[-1]), "peak_mib": peak}


def _until(requests: Iterator[bytes], end_s: float) -> Iterator[bytes]:
    return itertools.takewhile(lambda _: time.perf_counter() < end_s, requests)


async def _peak_mib(server: Server) -> float:
    """The most memory that was held until this is cancelled."""
    peak = 0.0
    with suppress(asyncio.CancelledError):
        while True:
            peak = max(peak, _total(server.memory_mib()))
            await asyncio.sleep(WATCH_S)
    return peak


def _total(memory: dict[str, float]) -> float:
    return round(memory["server"] + memory["workers"], 1)


def _row(sample: Sample, refusals: Sequence[int] = ()) -> dict[str, Any]:
    return sample.summary() | {"errors": sample.num_unexpected(refusals)}


def _last_line(report: dict[str, Any]) -> str:
    rows = [report[name] for name in ("alone", "beside_large", "large", "uncertain")]
    beside, uncertain = report["beside_large"], report["uncertain"]
    return (
        f"small_p50_ms={beside['p50_ms']:.1f} small_p99_ms={beside['p99_ms']:.1f} "
        f"alone_p99_ms={report['alone']['p99_ms']:.1f} large={uncertain['requests']:.0f} "
        f"held_mib={uncertain['held_mib']:.0f} peak_mib={uncertain['peak_mib']:.0f} "
        f"errors={sum(row['errors'] for row in rows):.0f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
