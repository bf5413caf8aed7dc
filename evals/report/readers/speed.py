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
    "passes_per_divergence": "extra passes for each change",
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
