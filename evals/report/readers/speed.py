"""How long it takes: structural apply, and decoding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Figure, Plot, Section, Table
from evals.report.readers.common import command_of, figures_of

STRUCTURAL_NOTES = {
    "median_ms": "a file of 1,000 lines",
    "worst_ms": "of all runs",
    "parse_ratio": "times one parse of the file",
    "growth": "time of 50,000 lines over 5,000",
    "peak_mib": "resident memory",
    "cold_s": "the command, from a cold start",
}
DECODE_NOTES = {
    "generate_x": "times faster than generate",
    "lookup_x": "times faster than prompt look-up",
    "limit_x": "times one pass over prompt and output",
    "pass_x": "of these the target's passes",
    "host_x": "of these what lies between the passes",
    "limit_windows_x": "times one pass, of windows",
    "limit_file_x": "times one pass, of whole files",
    "passes_per_divergence": "extra passes for each change",
}

HOST_NOTES = {
    "pass_ms": "a pass",
    "longest_ms": "the longest pass of the typical requests",
    "worst_ms": "the longest pass of all",
}
LIGHT_NOTES = {
    "plain_x": "times as fast without the module, one request",
    "shared_x": "times as fast, eight requests that the cores share",
}


def read_structural(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    languages = sorted({row["language"] for row in data["growth"]})
    growth = {
        f"{what}, {language}": [
            (row["num_lines"], row[key]) for row in data["growth"] if row["language"] == language
        ]
        for language in languages
        for what, key in (("apply", "apply_ms"), ("one parse", "parse_ms"))
    }  # fmt: skip
    head = ("language", "format", "lines", "edits", "exact", "apply ms", "worst ms", "parse ms", "ratio")
    keys = ("language", "format", "num_lines", "edits", "exact", "apply_ms", "worst_ms", "parse_ms", "ratio")
    grown = ("language", "num_lines", "apply_ms", "parse_ms", "base_mib", "peak_mib")
    return Section(
        title="Speed without a model",
        name=name,
        intro="Structural apply, beside one parse of the same file in the same run.",
        figures=figures_of(data["summary"], STRUCTURAL_NOTES),
        parts=[
            Plot("Time against the size of the file",
                 plots.lines(growth, x_label="lines", y_label="ms", is_log=True)),
            Table("A thousand lines", head, [tuple(row[key] for key in keys) for row in data["thousand_lines"]]),
            Table("Growing files", grown, [tuple(row[key] for key in grown) for row in data["growth"]], is_folded=True),
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def read_decode(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    rows = data["rows"]
    series = {
        "generate": [(100 * row["changed_share"], row["generate_s"]) for row in rows],
        "prompt look-up, best": [(100 * row["changed_share"], min(row["lookup_s"].values())) for row in rows],
        "FastEdit": [(100 * row["changed_share"], row["merged_s"]) for row in rows],
        "one pass (limit)": [(100 * row["changed_share"], row["one_pass_s"]) for row in rows],
    }
    sizes = {
        label: [(row["num_lines"], row[key]) for row in data["by_file_size"] if row[key] is not None]
        for label, key in (("windows", "windows_s"), ("whole file", "file_s"))
    }
    kind = "replayed decisions" if data.get("replayed") else "the target's own decisions"
    return Section(
        title="Speed of decoding",
        name=name,
        intro=f"{data['num_parameters'] / 1e6:.1f} M parameters, {kind}, {data['source']}. Every way decodes the same "
        "outputs with the same model; prefill is counted.",
        figures=[Figure(key, f"{value:.2f}", DECODE_NOTES.get(key, "")) for key, value in data["summary"].items()],
        parts=[
            Plot("Time of an edit", plots.points(series, x_label="changed lines, %", y_label="seconds", is_log=True)),
            Plot("A 5-line edit in growing files",
                 plots.lines(sizes, x_label="lines", y_label="seconds", is_log=True)),
            _decode_rows(rows),
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def _decode_rows(rows: list[Mapping[str, Any]]) -> Table:
    head = ("case", "scope", "lines", "prompt", "output", "generate s", "look-up s", "FastEdit s", "passes",
            "one pass s", "over generate", "over look-up")  # fmt: skip
    cells = []
    for row in rows:
        lookup = min(row["lookup_s"].values())
        times = (row["generate_s"], lookup, row["merged_s"], row["merged_passes"], row["one_pass_s"])
        ratios = (row["generate_s"] / row["merged_s"], lookup / row["merged_s"])
        cells.append((row["case"], row["scope"], row["num_lines"], row["prompt_tokens"], row["output_tokens"],
                      *times, *ratios))  # fmt: skip
    return Table("All cases", head, cells, is_folded=True)


def read_light(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    ways = ("module", "plain", "shared")
    attention = {
        label: [(row["chunk"], row[key]) for row in data["attention"]]
        for label, key in (("torch's own", "torch"), ("blocks of queries", "blocks"))
    }
    return Section(
        title="Passes of a small target on a CPU",
        name=name,
        intro=f"The embedded target with {data['num_threads']} threads: through its module, by the plain decoder, and "
        "by the plain decoder with passes shared by requests.",
        figures=figures_of(data["summary"], LIGHT_NOTES),
        parts=[
            Table("Passes", ("pass", *(f"{way}, ms" for way in ways)),
                  [(row["pass"], *(row[way] for way in ways)) for row in data["passes"]]),
            Plot("Attention of a chunk behind a prompt",
                 plots.lines(attention, x_label="tokens of the chunk", y_label="ms", is_log=True)),
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def read_host(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    sides = {side: data[side] for side in ("here", "beside") if side in data}
    batches = list(data["here"])
    rows = [
        (_at_a_time(batch), side, *(figures[batch][key] for key in HOST_NOTES))
        for batch in batches
        for side, figures in sides.items()
    ]
    series = {
        f"{key}, {side}": [figures[batch][key] for batch in batches]
        for side, figures in sides.items()
        for key in HOST_NOTES
    }
    return Section(
        title="The host's part of a pass",
        name=name,
        intro="Milliseconds that the engine takes besides its target: proposing, weighing, comparing, streaming. "
        f"Medians of {data['rounds']} rounds"
        + (", by turns with an earlier state of this repository (beside)." if "beside" in data else "."),
        figures=[
            Figure(f"{key}, {_at_a_time(batch)}", f"{data['here'][batch][key]:.2f}", note)
            for batch in batches
            for key, note in HOST_NOTES.items()
        ],
        parts=[
            Plot("Milliseconds of a pass", plots.bars([_at_a_time(batch) for batch in batches], series, label="ms")),
            Table("Milliseconds", ("requests", "side", *HOST_NOTES), rows),
        ],
        command=command_of(data),
        machine=machine,
    )


def _at_a_time(batch: str) -> str:
    return "alone" if batch == "1" else f"{batch} at a time"


def read_branches(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    rows = data["branches"]
    ways = list(dict.fromkeys(row["way"] for row in rows))
    sources = list(dict.fromkeys(row["source"] for row in rows))
    found = {(row["source"], row["way"]): row["passes_per_place"] for row in rows}
    series = {source: [found.get((source, way), 0.0) for way in ways] for source in sources}
    keys = ("source", "chunk", "outputs", "way", "tokens", "passes", "num_least", "num_places", "passes_per_place",
            "branched", "branch_wins")  # fmt: skip
    return Section(
        title="Passes of drafts and their branches",
        name=name,
        intro="Passes that drafts need more than perfect ones would, for each place where the output departs from the "
        "first of them; counted without a model along outputs that are known.",
        figures=[
            Figure(row["way"], f"{row['passes_per_place']:.2f}", f"more passes a place: {row['source']}")
            for row in rows
        ],
        parts=[
            Plot("More passes for each place", plots.bars(ways, series, label="passes")),
            Table("All counts", keys, [tuple(row[key] for key in keys) for row in rows]),
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def read_auto(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    found, rows = data["auto_over_structural"], data["rows"]
    points = {
        way: [(row["lines"], 1000 * (row["cpu_s"][way] - row["cpu_s"]["structural"])) for row in rows] for way in found
    }
    asked = found["with the target"]
    return Section(
        title="Auto beside structural, small files",
        name=name,
        intro=f"{len(rows)} edits of small files by turns, without a target and with the embedded one, loaded before: "
        "processor time of all threads, which other programs add little to.",
        figures=[
            Figure("auto_ms", f"{found['auto']['median_ms']}", "more than structural, no target named (median)"),
            Figure("target_ms", f"{asked['median_ms']}", "more than structural, with the target (median)"),
            Figure("worst_ms", f"{asked['worst_ms']}", "the same of the edit that takes most"),
        ],
        parts=[
            Plot("More than structural", plots.points(points, x_label="lines", y_label="ms of processor time")),
            Table(
                "More than structural",
                ("way", "median ms", "largest ms", "times"),
                [(way, told["median_ms"], told["worst_ms"], told["ratio"]) for way, told in found.items()],
            ),
        ],
        command=command_of(data),
        machine=machine,
    )
