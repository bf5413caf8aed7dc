"""Targets that vLLM computes, and replicas on Ray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Figure, Plot, Section, Table
from evals.report.readers.common import command_of, figures_of

DRAFTER_NOTES = {
    "tests": "outputs compared with those without a drafter",
    "accepted_share": "of what FastEdit drafted",
    "speedup_over_none": "processor time without a drafter over that with FastEdit's, the median edit",
    "speedup_over_ngram": "the same over vLLM's look-ups",
}
WAY_HEAD = ("drafter", "times as fast as none", "tokens a pass", "accepted", "same outputs", "of", "ms a step")
WAY_KEYS = ("speedup", "tokens_per_pass", "accepted_share", "lossless", "compared", "median_step_ms")
TRIED_HEAD = ("drafter", "at once", "times as fast as none", "tokens/s", "tokens a pass", "accepted", "same outputs")
TRIED_KEYS = ("batch_size", "speedup", "tokens_per_second", "tokens_per_pass", "accepted_share", "same")
CLUSTER_RUNS = {
    "killed": "replicas killed under load",
    "updated": "a rolling update",
    "front_and_node": "a front killed, a node taken away",
    "scaled": "a replica more because many wait",
}
CLUSTER_KEYS = ("requests", "lost", "p50_ms", "p99_ms", "max_ms")


def read_drafters(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    ran = {way: row for way, row in data["ways"].items() if "reason" not in row}
    timed = {way: row["speedup"] for way, row in ran.items() if row.get("speedup")}
    broken = [(way, row["reason"]) for way, row in data["ways"].items() if "reason" in row]
    return Section(
        title="Drafters in vLLM",
        name=name,
        intro=f"{data['edits']} edits with the embedded target on one thread, the same with each drafter; times are "
        "processor times, taken where the machine was quiet.",
        figures=figures_of(data["summary"], DRAFTER_NOTES),
        parts=[
            Plot(
                "Speed over no drafter", plots.bars(list(timed), {"speed": list(timed.values())}, label="times as fast")
            ),
            Table("Drafters", WAY_HEAD, [(way, *(row.get(key) for key in WAY_KEYS)) for way, row in ran.items()]),
            *([Table("Drafters that don't run", ("drafter", "reason"), broken)] if broken else []),
        ],
        command=command_of(data),
        machine=machine,
    )


def read_tune(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    rows = [(_named(one), each) for one in data["tried"] for each in one["figures"]]
    cells = [(what, *(each[key] for key in TRIED_KEYS)) for what, each in rows]
    series: dict[str, list[tuple[float, float]]] = {}
    for what, each in rows:
        series.setdefault(what, []).append((each["batch_size"], each["speedup"]))
    chosen, crossover = data["chosen"], data["crossover"]
    return Section(
        title="The drafter that pays, by batch size",
        name=name,
        intro=f"{data['requests']} requests to {data['target']} in vLLM; times are {data['time']} times.",
        figures=[
            Figure("gain", f"{chosen['gain']:.2f}", f"{chosen['drafter']} over none, the mean of the batch sizes"),
            Figure("crossover", str(crossover or "-"), "requests at once from which on no speculation pays"),
        ],
        parts=[
            Plot("Speed over no drafter", plots.lines(series, x_label="requests at once", y_label="times as fast")),
            Table("All that was measured", TRIED_HEAD, cells),
        ],
        command=command_of(data),
        machine=machine,
    )


def _named(tried: Mapping[str, Any]) -> str:
    config = tried["speculative_config"]
    if config is None:
        return str(tried["drafter"])
    schedule = config.get("num_speculative_tokens_per_batch_size")
    return f"{tried['drafter']}, {'by batch size' if schedule else config['num_speculative_tokens']}"


def read_cluster(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    throughput, bulk = data["throughput"], data["bulk"]
    rows: list[tuple[Cell, ...]] = [
        (what, *(data[key][each] for each in CLUSTER_KEYS)) for key, what in CLUSTER_RUNS.items()
    ]
    lost = sum(data[key]["lost"] for key in (*CLUSTER_RUNS, "cost", "throughput"))
    latencies = {key.removesuffix("_ms"): [data[run][key] for run in CLUSTER_RUNS] for key in ("p50_ms", "max_ms")}
    return Section(
        title="Replicas on Ray",
        name=name,
        intro="Two nodes on one machine, with other programs: times are long, ratios are of what took turns.",
        figures=[
            Figure("lost", str(lost), "requests without an answer"),
            Figure("replicas_killed", str(data["killed"]["replicas_killed"]), "under load, with SIGKILL"),
            Figure("two_x", f"{throughput['two_x']:.2f}", "throughput of two replicas over one"),
            Figure("overhead_ms", f"{data['cost']['overhead_ms']:.1f}", "of a request, over `fastedit serve`"),
            Figure("bulk_same", str(bulk["same"]).lower(), "whether apply-many wrote the same with and without Ray"),
        ],
        parts=[
            Plot("Latency", plots.bars(list(CLUSTER_RUNS.values()), latencies, label="ms")),
            Table("Requests", ("what happened", *CLUSTER_KEYS), rows),
        ],
        command=command_of(data),
        machine=machine,
    )
