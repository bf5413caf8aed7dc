"""python -m evals.speed.serve [--quick] [--target NAME] [--soak COUNT]: a service of its own under load.

Clients send at set times, whatever answers come, and latency counts from the time that was set; so a service that falls
behind shows. Without a trained target a stand-in of the embedded one's size decides as the drafts say (see
`evals.speed.serving.standin`), and the report says so.

The last line sums up. p50_ms, p99_ms: of a small lazy edit of a 300-line file that the target verifies, one after the
other. structural_p99_ms: of structural edits of such files from 16 clients, while others keep the target busy. batch_x:
throughput of batches of 8 that the target works on over that of one at a time. growth_mib: by how much more memory the
service's processes hold together after so many requests of different files than after the first tenth of them; in
brackets, what of it came in the second half: caches fill up, a leak goes on. errors: answers that shouldn't be.

In full it takes some 10 minutes on a quiet machine, of which the requests that memory is watched over (10,000, or
COUNT) take SOAK_LIMIT_S at most: then as many as could be sent are reported.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evals.accuracy.report import machine
from evals.speed.serving.load import Sample, closed_loop, open_loop
from evals.speed.serving.payloads import batches, case_requests, request_of, small_edits
from evals.speed.serving.process import Server, running
from fastedit.targets.default import EMBEDDED_FOLDER

RESULTS = Path(__file__).parent / "results"
STANDIN = "stand-in"
CLIENTS = (1, 4, 16, 64)
# Requests a second of each client: as fast as a person's editor may ask for a patch, and as an agent edits files.
PER_CLIENT_S = {"structural": 1.0, "auto": 0.1}
BESIDE_CLIENTS = 16
MODEL_CLIENTS = 4
BATCH = 8
FILE_LINES = 300
SOAK_CLIENTS = 8
SOAK_LINES = 30
SOAK_MODES = (*["structural"] * 9, "auto")
SOAK_LIMIT_S = 600.0
REFUSALS = (409, 422)  # what some of the cases are there for, and a target whose own text isn't fit may get


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything is done. beside_s: of structural load beside the target's; rounds: of batches."""

    warm: int
    ladder_s: float
    beside_s: float
    rounds: int
    soak: int


SIZES = {True: Size(40, 3, 20, 8, 500), False: Size(60, 15, 30, 16, 10_000)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.speed.serve", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="everything, in less than two minutes")
    parser.add_argument("--cases", type=Path, help="folder of apply cases")
    parser.add_argument("--target", help=f"a target, or {STANDIN}", default=None)
    parser.add_argument("--soak", type=int, metavar="COUNT", help="requests that memory is watched over")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    target = options.target or ("embedded" if EMBEDDED_FOLDER.is_dir() else STANDIN)
    size = SIZES[options.quick]
    if options.soak:
        size = replace(size, soak=options.soak)
    with running(_command(target)) as server:
        report = {"machine": machine("evals.speed.serve"), "target": target, "quick": options.quick} | _measure(
            server, size, options.cases
        )
    path = options.json or RESULTS / ("serve-quick.json" if options.quick else "serve.json")
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(_last_line(report))
    return 0


def _command(target: str) -> list[str]:
    if target == STANDIN:
        return ["evals.speed.serving"]
    return ["fastedit", "serve", "--port", "0", "--target", target]


def _measure(server: Server, size: Size, cases: Path | None) -> dict[str, Any]:
    before = server.memory_mib()
    warm = {mode: _warm(server, mode, size.warm) for mode in ("structural", "auto")}
    ladder, source = _ladder(server, size, cases)
    beside = asyncio.run(_beside(server.port, size.beside_s))
    batch = _batch(server.port, size.rounds)
    soak = _soak(server, size.soak)
    return {
        "source": source,
        "warm": warm,
        "ladder": ladder,
        "beside": beside,
        "batch": batch,
        "soak": soak,
        "memory_mib": {"before": before, "after": server.memory_mib()},
    }


def _warm(server: Server, mode: str, count: int) -> dict[str, Any]:
    """Small lazy edits of 300-line files, one after the other; the first few don't count."""
    requests = [request_of(body) for body in small_edits(FILE_LINES, mode, count + 5)]
    asyncio.run(closed_loop(server.port, iter(requests[:5]), 1))
    sample = asyncio.run(closed_loop(server.port, iter(requests[5:]), 1))
    return _told(f"one after the other, {mode}", sample, ())


def _ladder(server: Server, size: Size, cases: Path | None) -> tuple[list[dict[str, Any]], str]:
    """The apply cases from more and more clients at once, without a target and with one."""
    rows = []
    source = ""
    for mode in ("structural", "auto"):
        requests, source = case_requests(cases, mode)
        for clients in CLIENTS:
            sample = asyncio.run(open_loop(server.port, requests, clients, PER_CLIENT_S[mode], size.ladder_s))
            rows.append({"mode": mode, "clients": clients} | _told(f"{clients} clients, {mode}", sample, REFUSALS))
    return rows, source


async def _beside(port: int, seconds: float) -> dict[str, Any]:
    """Structural edits at set times while other clients give the target all it can take."""
    structural = [request_of(body) for body in small_edits(FILE_LINES, "structural", 50)]
    lazy = (
        request_of(body) for first in itertools.count(1000, 50) for body in small_edits(FILE_LINES, "auto", 50, first)
    )
    beside = Sample()
    busy = asyncio.create_task(closed_loop(port, lazy, MODEL_CLIENTS, beside))
    await asyncio.sleep(1)
    num_before = len(beside.latencies_ms)
    sample = await open_loop(port, structural, BESIDE_CLIENTS, PER_CLIENT_S["structural"], seconds)
    per_second = (len(beside.latencies_ms) - num_before) / sample.elapsed_s
    busy.cancel()
    with suppress(asyncio.CancelledError):
        await busy
    row = _told("structural beside a busy target", sample, ())
    row |= {"clients": BESIDE_CLIENTS, "model_clients": MODEL_CLIENTS, "model_per_second": round(per_second, 2)}
    return row | {"errors": row["errors"] + beside.num_unexpected(())}


def _batch(port: int, rounds: int) -> dict[str, Any]:
    """The same number of edits one at a time and in batches, by turns, so that a busy machine is as busy for both; the
    first of each don't count."""
    alone, together = Sample(), Sample()
    for number in range(rounds + 1):
        bodies = small_edits(FILE_LINES, "model", 2 * BATCH, 20_000 + 2 * BATCH * number)
        one_by_one = asyncio.run(closed_loop(port, iter([request_of(body) for body in bodies[:BATCH]]), 1))
        in_a_batch = asyncio.run(closed_loop(port, batches(bodies[BATCH:], BATCH), 1))
        if number:
            _add(alone, one_by_one)
            _add(together, in_a_batch)
    ratio = alone.elapsed_s / together.elapsed_s
    print(f"{'batches of 8 over one at a time':36} {ratio:6.2f} times the throughput")
    errors = alone.num_unexpected(REFUSALS) + together.num_unexpected(REFUSALS)
    return {
        "size": BATCH,
        "alone_s": alone.elapsed_s,
        "batch_s": together.elapsed_s,
        "batch_x": ratio,
        "errors": errors,
    }


def _soak(server: Server, count: int) -> dict[str, Any]:
    """Many requests, each of a file of its own, and the memory after each tenth of them."""
    requests = _of_all_kinds(time.perf_counter() + SOAK_LIMIT_S)
    sample, memory = Sample(), list[dict[str, float]]()
    for _ in range(10):
        tenth = itertools.islice(requests, max(1, count // 10))
        _add(sample, asyncio.run(closed_loop(server.port, tenth, SOAK_CLIENTS)))
        memory.append({"requests": len(sample.latencies_ms), **server.memory_mib()})
    held = [each["server"] + each["workers"] for each in memory]
    told = _told(f"{len(sample.latencies_ms)} requests on {SOAK_CLIENTS} connections", sample, ())
    told |= {"seconds": round(sample.elapsed_s, 1), "memory_mib": memory}
    told |= {"growth_mib": round(held[-1] - held[0], 1), "growth_second_half_mib": round(held[-1] - held[4], 1)}
    print(f"{'memory after each tenth of these':36} {' '.join(f'{each:.0f}' for each in held)} MiB; {_growth(told)}")
    return told


def _of_all_kinds(end_s: float) -> Iterator[bytes]:
    """Edits of ever new files, until `end_s`."""
    for number, mode in enumerate(itertools.cycle(SOAK_MODES)):
        if time.perf_counter() > end_s:
            return
        yield request_of(*small_edits(SOAK_LINES, mode, 1, 100_000 + number))


def _growth(soak: dict[str, Any]) -> str:
    return f"growth_mib={soak['growth_mib']:.1f}({soak['growth_second_half_mib']:.1f})"


def _told(name: str, sample: Sample, refusals: Sequence[int]) -> dict[str, Any]:
    row = sample.summary() | {"errors": sample.num_unexpected(refusals)}
    print(
        f"{name:36} {row['requests']:6.0f} requests {row['per_second']:7.1f}/s  "
        f"p50 {row['p50_ms']:7.1f}  p95 {row['p95_ms']:7.1f}  p99 {row['p99_ms']:7.1f} ms  {row['errors']:.0f} errors",
        flush=True,
    )
    return row


def _add(total: Sample, sample: Sample) -> None:
    total.latencies_ms += sample.latencies_ms
    total.statuses += sample.statuses
    total.elapsed_s += sample.elapsed_s


def _last_line(report: dict[str, Any]) -> str:
    rows = [*report["warm"].values(), *report["ladder"], report["beside"], report["batch"], report["soak"]]
    warm = report["warm"]["auto"]
    return (
        f"p50_ms={warm['p50_ms']:.1f} p99_ms={warm['p99_ms']:.1f} "
        f"structural_p99_ms={report['beside']['p99_ms']:.1f} batch_x={report['batch']['batch_x']:.2f} "
        f"{_growth(report['soak'])} "
        f"errors={sum(row['errors'] for row in rows):.0f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
