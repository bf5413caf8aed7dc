"""python -m evals.speed.cluster [--quick] [--json FILE]: replicas on a Ray cluster of two nodes on this machine.

Needs the extra `ray`; `make test-ray` runs it. Every answer is compared with what `fastedit.apply` makes of the edit: a
request is lost where no answer comes, or another one. Clients ask once. Replicas are killed with SIGKILL while they
work; then the replicas are replaced by ones with another setting, and at last a front is killed and a node taken away,
for clients that ask again as `fastedit.client` does. Ratios are of rounds that took turns.

The last line sums up. lost: of all requests. two_x: throughput with two replicas over one, each with one process for
structural work. overhead_ms: what one edit takes on Ray longer than from `fastedit serve`. bulk_same: whether
`apply-many --ray` wrote, bit by bit, what it writes without, a node being lost meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray
from ray import serve
from ray.cluster_utils import Cluster as Machines

from evals.accuracy.report import machine
from evals.speed.serving.load import Connection, http_request
from evals.speed.serving.payloads import Body, small_edits
from evals.speed.serving.process import running
from fastedit import apply
from fastedit.bulk import apply_many
from fastedit.bulk.local import LocalRunner
from fastedit.bulk.on_ray import RayRunner
from fastedit.bulk.rows import How
from fastedit.client import Client
from fastedit.cluster.arguments import Cluster
from fastedit.cluster.deploy import NAME, build, deploy
from fastedit.errors import EditRefused

RESULTS = Path(__file__).parent / "results"
PORT = 8391
FILE_LINES = 120
FILES = 64
CLIENTS = 8
SETTINGS = {"target": "none", "structural_workers": 1, "port": PORT}
WAIT_S = 180.0
# A busy machine starts processes slowly, and Ray would take them for dead.
PATIENCE = {
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "120",
    "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": "120",
    "RAY_SERVE_QUEUE_LENGTH_RESPONSE_DEADLINE_S": "5",
    "RAY_SERVE_MAX_QUEUE_LENGTH_RESPONSE_DEADLINE_S": "30",
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything is done. pair_rounds: of one edit here and there; rounds, round_s: of throughput."""

    pair_rounds: int
    rounds: int
    round_s: float
    kills: int
    bulk: int


SIZES = {True: Size(30, 3, 5.0, 3, 300), False: Size(200, 5, 10.0, 10, 2000)}


@dataclass(frozen=True, slots=True)
class Known:
    """A request whose answer is known."""

    body: Body = field(repr=False)
    text: str = field(repr=False)

    def request(self, prefix: str = "") -> bytes:
        return http_request(f"{prefix}/v1/apply", json.dumps(self.body).encode())


@dataclass
class Tally:
    """Counts of what clients saw. reasons: why requests were lost."""

    requests: int = 0
    lost: int = 0
    reasons: list[str] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)

    def told(self) -> dict[str, Any]:
        ordered = sorted(self.latencies_ms) or [0.0]
        middle, late = (round(ordered[int(len(ordered) * share)], 1) for share in (0.5, 0.99))
        slowest = round(ordered[-1], 1)
        told = {"requests": self.requests, "lost": self.lost, "p50_ms": middle, "p99_ms": late, "max_ms": slowest}
        return told | ({"reasons": self.reasons[:5]} if self.reasons else {})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.speed.cluster", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="everything, in some minutes")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    size = SIZES[options.quick]
    known = [_known(body) for body in small_edits(FILE_LINES, "structural", FILES)]
    with two_nodes() as machines:
        report = {
            "machine": machine("evals.speed.cluster") | {"ray": ray.__version__, "cpus": os.cpu_count()},
            "quick": options.quick,
            **_measure(machines, size, known),
        }
    path = options.json or RESULTS / ("cluster-quick.json" if options.quick else "cluster.json")
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(_last_line(report))
    return 0 if not _num(report, "lost") and report["bulk"]["same"] else 1


def _measure(machines: Machines, size: Size, known: Sequence[Known]) -> dict[str, Any]:
    report: dict[str, Any] = {}

    def note(name: str, told: dict[str, Any]) -> None:
        report[name] = told
        print(name, json.dumps(told), flush=True)

    deploy(Cluster(replicas=2, settings=SETTINGS), machines.address)
    note("cost", _cost(size, known))
    note("killed", _killed(size, known))
    note("updated", _updated(machines, known))
    note("front_and_node", _front_and_node(machines, known))
    serve.delete(NAME)
    note("throughput", _throughput(size, known))
    note("scaled", _scaled(known))
    note("bulk", _bulk(machines, size))
    return report


@contextmanager
def two_nodes() -> Iterator[Machines]:
    """A cluster of two nodes, each of which counts two processors, on this machine."""
    os.environ.update(PATIENCE)
    machines = Machines(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    try:
        machines.add_node(num_cpus=2)
        yield machines
    finally:
        serve.shutdown()
        ray.shutdown()
        machines.shutdown()


def _known(body: Body) -> Known:
    applied = apply(body["original"], body["edit"], path=body["path"], mode="structural", certainty=body["certainty"])
    named = body | {"path": f"{body['original'].partition('(')[0].removeprefix('def ')}.py"}
    return Known(named, applied.text)


def _cost(size: Size, known: Sequence[Known]) -> dict[str, Any]:
    """One edit after the other, in turns from `fastedit serve` and from Ray: time, and processor time of all of it."""
    command = ["fastedit", "serve", "--port", "0", "--target", "none"]
    with running(command, FASTEDIT_STRUCTURAL_WORKERS="1") as server:
        ports = {"serve": server.port, "ray": PORT}
        times: dict[str, list[float]] = {name: [] for name in ports}
        tallies = {name: Tally() for name in ports}
        turns = [*known[:5], *itertools.islice(itertools.cycle(known), size.pair_rounds)]
        for one in turns:
            for name, port in ports.items():
                asyncio.run(_ask(Connection(port), one, "", tallies[name]))
                times[name].append(tallies[name].latencies_ms[-1])
    middle = {name: round(statistics.median(all_ms[5:]), 2) for name, all_ms in times.items()}
    return {
        "serve_ms": middle["serve"],
        "ray_ms": middle["ray"],
        "overhead_ms": round(middle["ray"] - middle["serve"], 2),
        "requests": tallies["ray"].requests,
        "lost": tallies["ray"].lost,
    }


def _killed(size: Size, known: Sequence[Known]) -> dict[str, Any]:
    """Replicas killed while clients ask, each once all replicas of before are there again."""
    killed = []
    with asking(known) as tally:
        for _ in range(size.kills):
            time.sleep(2.0)
            victim = _processes("replica")[0]
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
            _wait(lambda: len(set(_processes("replica")) - set(killed)) == 2)
        time.sleep(2.0)
    return {"replicas_killed": len(killed), **tally.told()}


def _updated(machines: Machines, known: Sequence[Known]) -> dict[str, Any]:
    """Replicas replaced by others with another setting, while clients ask."""
    before = set(_processes("replica"))
    with asking(known) as tally:
        started_s = time.perf_counter()
        deploy(Cluster(replicas=2, settings=SETTINGS | {"deadline_s": 20.0}), machines.address)
        elapsed_s = time.perf_counter() - started_s
        time.sleep(2.0)
    kept = before & set(_processes("replica"))
    return {"replicas_replaced": len(before) - len(kept), "seconds": round(elapsed_s, 1), **tally.told()}


def _front_and_node(machines: Machines, known: Sequence[Known]) -> dict[str, Any]:
    """A front killed, then a node taken away with all that it runs, while clients that ask again work."""
    tally, is_over = Tally(), threading.Event()

    def work(number: int) -> None:
        client = Client(f"http://127.0.0.1:{PORT}", tries=8)
        for one in itertools.islice(itertools.cycle(known), number, None):
            if is_over.is_set():
                return
            started_s = time.perf_counter()
            try:
                how = {"path": one.body["path"], "mode": "structural", "certainty": one.body["certainty"]}
                is_right = client.apply(one.body["original"], one.body["edit"], **how).text == one.text
                reason = "another text"
            except EditRefused as refusal:
                is_right, reason = False, str(refusal)
            _note(tally, started_s, "" if is_right else reason)

    with ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(work, number) for number in range(4)]
        time.sleep(2.0)
        os.kill(_processes("front")[0], signal.SIGKILL)
        time.sleep(4.0)
        machines.remove_node(next(iter(machines.worker_nodes)), allow_graceful=False)
        time.sleep(8.0)
        is_over.set()
        for worker in workers:
            worker.result()
    machines.add_node(num_cpus=2)
    return {"fronts_killed": 1, "nodes_removed": 1, **tally.told()}


def _throughput(size: Size, known: Sequence[Known]) -> dict[str, Any]:
    """Edits a second with one replica and with two, in turns."""
    tallies, rates = Tally(), dict[int, list[float]]({1: [], 2: []})
    for number in rates:
        arguments = {"replicas": number, "fronts": 1, "settings": SETTINGS}
        serve.run(build(arguments), name=f"with-{number}", route_prefix=f"/with-{number}")
    for _ in range(size.rounds):
        for number, found in rates.items():
            with asking(known, f"/with-{number}") as tally:
                time.sleep(size.round_s)
            found.append(tally.requests / size.round_s)
            tallies.requests += tally.requests
            tallies.lost += tally.lost
    for number in rates:
        serve.delete(f"with-{number}")
    one, two = (statistics.median(found) for found in rates.values())
    per_second = {"one_per_second": round(one, 1), "two_per_second": round(two, 1), "two_x": round(two / one, 2)}
    return per_second | {"requests": tallies.requests, "lost": tallies.lost}


def _scaled(known: Sequence[Known]) -> dict[str, Any]:
    """A second replica that comes because many requests wait."""
    arguments = {"replicas": 1, "max_replicas": 2, "upscale_delay_s": 0, "settings": SETTINGS}
    serve.run(build(arguments), name=NAME, route_prefix="/")
    with asking(known) as tally:
        started_s = time.perf_counter()
        _wait(lambda: len(_processes("replica")) == 2)
        elapsed_s = time.perf_counter() - started_s
        time.sleep(2.0)
    serve.delete(NAME)
    return {"replicas_after": 2, "seconds": round(elapsed_s, 1), **tally.told()}


def _bulk(machines: Machines, size: Size) -> dict[str, Any]:
    """The same edits by `apply-many` here and on Ray, where a node is taken away in the middle."""
    taken = threading.Event()

    def run(rows: Any, how: How) -> Iterator[Sequence[bytes]]:
        for number, some in enumerate(RayRunner(machines.address)(rows, how)):
            yield some
            if number == 2:
                machines.remove_node(next(iter(machines.worker_nodes)), allow_graceful=False)
                taken.set()

    with tempfile.TemporaryDirectory() as folder:
        edits = Path(folder) / "edits.jsonl"
        bodies = small_edits(FILE_LINES, "structural", size.bulk)
        for body in bodies:
            body.pop("mode")
        edits.write_text("".join(json.dumps(body) + "\n" for body in bodies), "utf-8")
        here, there = Path(folder) / "here.jsonl", Path(folder) / "there.jsonl"
        started_s = time.perf_counter()
        apply_many(edits, here, How("structural"), LocalRunner(2))
        middle_s = time.perf_counter()
        summary = apply_many(edits, there, How("structural"), run)
        ended_s = time.perf_counter()
        is_same = here.read_bytes() == there.read_bytes()
    return {
        "edits": summary.edits,
        "same": is_same,
        "nodes_removed": int(taken.is_set()),
        "here_ms_per_edit": round((middle_s - started_s) * 1000 / size.bulk, 2),
        "ray_ms_per_edit": round((ended_s - middle_s) * 1000 / size.bulk, 2),
    }


@contextmanager
def asking(known: Sequence[Known], prefix: str = "") -> Iterator[Tally]:
    """Clients that ask, each its next request when it has an answer, until the block ends; every answer is awaited."""
    tally, is_over = Tally(), threading.Event()

    async def client(number: int) -> None:
        connection = Connection(PORT)
        for one in itertools.islice(itertools.cycle(known), number * len(known) // CLIENTS, None):
            if is_over.is_set():
                break
            await _ask(connection, one, prefix, tally)
        connection.close()

    async def clients() -> None:
        await asyncio.gather(*(client(number) for number in range(CLIENTS)))

    thread = threading.Thread(target=lambda: asyncio.run(clients()))
    thread.start()
    try:
        yield tally
    finally:
        is_over.set()
        thread.join()


async def _ask(connection: Connection, one: Known, prefix: str, tally: Tally) -> None:
    started_s = time.perf_counter()
    status, body = await connection.ask(one.request(prefix))
    is_right = status == 200 and json.loads(body)["text"] == one.text
    _note(tally, started_s, "" if is_right else f"{status} {body[:200]!r}")


def _note(tally: Tally, started_s: float, reason: str) -> None:
    tally.requests += 1
    tally.latencies_ms.append((time.perf_counter() - started_s) * 1000)
    if reason:
        tally.lost += 1
        tally.reasons.append(reason)


def _processes(deployment: str) -> list[int]:
    """The processes of a deployment's replicas, of those that answer."""
    named = ray.util.list_named_actors(all_namespaces=True)
    ours = [actor for actor in named if actor["name"].startswith(f"SERVE_REPLICA::{NAME}#{deployment}#")]
    found = []
    for actor in ours:
        with suppress(ray.exceptions.RayError, ValueError):
            handle = ray.get_actor(actor["name"], namespace=actor["namespace"])
            found.append(ray.get(handle.__ray_call__.remote(lambda _: os.getpid()), timeout=10))
    return found


def _wait(is_so: Callable[[], bool]) -> None:
    end_s = time.monotonic() + WAIT_S
    while not is_so():
        if time.monotonic() > end_s:
            raise RuntimeError("the cluster didn't get there in time")
        time.sleep(0.5)


def _num(report: dict[str, Any], name: str) -> int:
    return sum(part.get(name, 0) for part in report.values() if isinstance(part, dict))


def _last_line(report: dict[str, Any]) -> str:
    parts = {
        "two_x": report["throughput"]["two_x"],
        "overhead_ms": report["cost"]["overhead_ms"],
        "bulk_same": report["bulk"]["same"],
        "requests": _num(report, "requests"),
        "lost": _num(report, "lost"),
        "replicas_killed": report["killed"]["replicas_killed"],
    }
    return " ".join(f"{name}={value}" for name, value in parts.items())


if __name__ == "__main__":
    raise SystemExit(main())
