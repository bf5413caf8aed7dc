"""Decoding beside llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from evals.report import plots
from evals.report.page import Figure, Plot, Section, Table
from evals.report.readers.common import command_of

NOTES = {
    "engine_x_llama": "times faster than llama.cpp token by token",
    "engine_x_llama_lookup": "times faster than its best prompt look-up",
    "agreement": "tokens that llama.cpp and transformers choose alike",
    "edits": "files that were edited",
}


def read_llama(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    rows = data["rows"]
    series = {
        "llama.cpp": [(row["output_tokens"], row["llama_s"]) for row in rows],
        "llama.cpp, best look-up": [(row["output_tokens"], row["lookup_s"]) for row in rows],
        "FastEdit": [(row["output_tokens"], row["fastedit_s"]) for row in rows],
    }
    scopes = [(scope, *figures.values()) for scope, figures in data["by_scope"].items()]
    return Section(
        title="Speed beside llama.cpp",
        name=name,
        intro=f"{data['num_parameters'] / 1e6:.1f} M parameters, {data['matrices']} for llama.cpp, replayed decisions, "
        f"{data['source']}. All write the same outputs with the same target on the same CPU; prompts are counted. "
        f"Left out are {len(data['left_out'])} cases that the target has no room for, or couldn't write. "
        + _agreement(data["agreement"]),
        figures=[Figure(key, _shown(value), NOTES.get(key, "")) for key, value in data["summary"].items()],
        parts=[
            Plot("Time of an edit",
                 plots.points(series, x_label="tokens of the output", y_label="seconds", is_log=True)),
            _ways(rows),
            Table("Windows and whole files", ("scope", "cases", "output tokens", "times llama.cpp", "look-up"), scopes),
            _cases(rows),
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def _agreement(counts: Mapping[str, int]) -> str:
    return (
        f"Of {counts['tokens']} tokens llama.cpp chooses {counts['equal']} as transformers does in the target's "
        f"precision, and {counts['equal_float32']} as in float32; those two agree on {counts['equal_precisions']}."
    )


def _ways(rows: list[Mapping[str, Any]]) -> Table:
    """Every way's time over FastEdit's."""
    cells = [
        (
            way,
            median(row["ways"][way]["seconds"] / row["fastedit_s"] for row in rows),
            sum(row["ways"][way]["passes"] for row in rows),
        )
        for way in rows[0]["ways"]
    ]
    return Table("Ways", ("way", "time over FastEdit's, median", "passes in all"), cells)


def _cases(rows: list[Mapping[str, Any]]) -> Table:
    ways = list(rows[0]["ways"])
    cells = [
        (row["case"], row["scope"], row["num_windows"], row["prompt_tokens"], row["output_tokens"],
         *(row["ways"][way]["seconds"] for way in ways))
        for row in rows
    ]  # fmt: skip
    head = ("case", "scope", "windows", "prompt", "output", *(f"{way}, s" for way in ways))
    return Table("All cases", head, cells, is_folded=True)


def _shown(value: float) -> str:
    return f"{value:.4g}"
