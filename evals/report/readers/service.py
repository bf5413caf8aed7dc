"""The service under load, and the kernels on a GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Figure, Plot, Section, Table
from evals.report.readers.common import command_of

LATENCY_KEYS = ("requests", "per_second", "p50_ms", "p95_ms", "p99_ms", "errors")
OURS = ("kernel", "reference")


def read_service(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    ladder, soak = data["ladder"], data["soak"]
    held = {which: [(row["requests"], row[which]) for row in soak["memory_mib"]] for which in ("server", "workers")}
    modes = list(dict.fromkeys(row["mode"] for row in ladder))
    series = {
        f"{mode}, {key.removesuffix('_ms')}": [(row["clients"], row[key]) for row in ladder if row["mode"] == mode]
        for mode in modes
        for key in ("p50_ms", "p99_ms")
    }
    rows = [
        *((f"one after the other, {mode}", row) for mode, row in data["warm"].items()),
        *((f"{row['clients']} clients, {row['mode']}", row) for row in ladder),
        ("structural, beside a busy target", data["beside"]),
        ("many requests of all kinds", soak),
    ]
    cells: list[tuple[Cell, ...]] = [(what, *(row.get(key) for key in LATENCY_KEYS)) for what, row in rows]
    return Section(
        title="The service under load",
        name=name,
        intro=f"Target: {data['target']}; {data['source']}. Clients send at set times; latency counts from the time "
        "that was set.",
        figures=[
            Figure("p50_ms", f"{data['warm']['auto']['p50_ms']:.1f}", "a small lazy edit that the target verifies"),
            Figure("p99_ms", f"{data['warm']['auto']['p99_ms']:.1f}"),
            Figure("structural_p99_ms", f"{data['beside']['p99_ms']:.1f}", "beside a busy target"),
            Figure("batch_x", f"{data['batch']['batch_x']:.2f}", "throughput of batches over one at a time"),
            Figure("growth_mib", f"{soak['growth_mib']:.1f}", _growth_words(soak)),
        ],
        parts=[
            Plot("Latency against clients", plots.lines(series, x_label="clients", y_label="ms", is_log=True)),
            Table("Latencies", ("load", *LATENCY_KEYS), cells),
            Plot("Memory over many requests", plots.lines(held, x_label="requests", y_label="MiB")),
        ],
        command=command_of(data),
        machine=machine,
    )


def _growth_words(soak: Mapping[str, Any]) -> str:
    second_half = f"{soak['growth_second_half_mib']:.1f} of it in their second half"
    return f"more memory after {soak['requests']} requests than after a tenth of them, {second_half}"


def read_large(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    uncertain = data["uncertain"]
    held = {
        which: [(row["requests"], row[which]) for row in uncertain["memory_mib"]] for which in ("server", "workers")
    }
    rows = [
        ("small edits, alone", data["alone"]),
        ("small edits, beside large ones", data["beside_large"]),
        ("large edits, beside small ones", data["large"]),
        ("large edits alone", uncertain),
    ]
    cells: list[tuple[Cell, ...]] = [(what, *(row[key] for key in LATENCY_KEYS)) for what, row in rows]
    return Section(
        title="The service beside large, uncertain edits",
        name=name,
        intro="Files of 2 MB with lazy edits that fit hundreds of places, which are refused after as much work as can "
        "be, beside structural edits of 300-line files.",
        figures=[
            Figure("small_p50_ms", f"{data['beside_large']['p50_ms']:.1f}", "small edits beside large ones"),
            Figure("small_p99_ms", f"{data['beside_large']['p99_ms']:.1f}"),
            Figure("alone_p99_ms", f"{data['alone']['p99_ms']:.1f}", "the same without them"),
            Figure("held_mib", f"{uncertain['held_mib']:.0f}", f"memory after {uncertain['requests']} large edits"),
            Figure("peak_mib", f"{uncertain['peak_mib']:.0f}", "the most it was meanwhile"),
            Figure("errors", f"{sum(row['errors'] for _, row in rows)}", "answers that shouldn't be"),
        ],
        parts=[
            Table("Latencies", ("load", *LATENCY_KEYS), cells),
            Plot("Memory over large edits", plots.lines(held, x_label="large edits", y_label="MiB")),
        ],
        command=command_of(data),
        machine=machine,
    )


def read_kernels(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    timed = [row for row in data["results"] if row["milliseconds"]]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in timed:
        groups[row["kernel"], row["case"]].append(row)
    bests = {
        f"{kernel} {case}": (_best(rows, is_ours=True), _best(rows, is_ours=False), rows[0]["floor_ms"])
        for (kernel, case), rows in groups.items()
    }
    both = {case: times for case, times in bests.items() if times[0] and times[1]}
    speed_ups = [theirs / ours for ours, theirs, _ in both.values() if ours and theirs]
    keys = ("kernel", "case", "way", "milliseconds", "floor_ms", "extra_bytes", "problem")
    series = {
        "kernel": [ours or 0.0 for ours, _, _ in both.values()],
        "torch": [best or 0.0 for _, best, _ in both.values()],
    }
    return Section(
        title="Kernels",
        name=name,
        intro=f"On {data['ceilings']['device']}: every kernel beside the fastest way that torch has, and its roofline.",
        figures=[Figure("best", f"{max(speed_ups):.2f}", "times the fastest other way")] if speed_ups else [],
        parts=[
            *([Plot("Time", plots.bars(list(both), series, label="ms"))] if both else []),
            Table("All ways", keys, [tuple(row[key] for key in keys) for row in data["results"]], is_folded=True),
        ],
        command="python -m fastedit_kernels.bench",
        machine=machine,
    )


def _best(rows: list[Mapping[str, Any]], *, is_ours: bool) -> float | None:
    """The shortest time of our ways, or of the others; None where there is none."""
    return min((row["milliseconds"] for row in rows if row["way"].startswith(OURS) == is_ours), default=None)
