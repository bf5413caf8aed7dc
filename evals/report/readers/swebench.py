"""What a SWE-bench-style run came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Listing, Plot, Section, Table
from evals.report.readers.common import command_of, figures_of

NOTES = {
    "applied": "edits that were applied, not refused",
    "resolved": "all the tests that should pass do",
    "gold_resolved": "the same of the gold patches themselves",
}

ENDS = ("resolved", "not resolved", "not applied", "broken")
SIZES = ((0, 3), (4, 10), (11, 30), (31, 100), (101, 100_000))


def read_swebench(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    settings = {key: value for key, value in data["settings"].items() if value not in ("", None)}
    told = ", ".join(f"{key}: {value}" for key, value in settings.items())
    counts = data["counts"]
    lost = [(key, value) for key, value in data["lost"].items()]
    ways = Table("How the edits were written", ("way", "messages"), list(data["written_as"].items()))
    return Section(
        title="Repositories' tests after the edits",
        name=name,
        intro=f"Edits applied to repositories whose own tests were then run. {told}.",
        figures=figures_of(data["summary"], NOTES),
        parts=[
            _outcomes(data["rows"]),
            _sizes(data["rows"]),
            Table("All instances together", tuple(counts), [tuple(counts.values())]),
            ways,
            *([Table("Not resolved", ("instance", "why"), lost)] if lost else []),
            _rows(data["rows"]),
            *(Listing(f"{key}: gold patch (-) and result (+)", text) for key, text in data["differences"].items()),
        ],
        command=command_of(data),
        machine=machine,
    )


def _outcomes(rows: list[Mapping[str, Any]]) -> Plot:
    """What became of the instances of each repository."""
    return Plot("Instances by repository", _bars(rows, sorted({row["repo"] for row in rows}), lambda row: row["repo"]))


def _sizes(rows: list[Mapping[str, Any]]) -> Plot:
    """What became of the instances of each class of size."""
    labels = [f"{low} to {high}" for low, high in SIZES]
    drawing = _bars(rows, labels, lambda row: next(label for label, size in zip(labels, SIZES, strict=True)
                                                   if row["changed_lines"] <= size[1]))  # fmt: skip
    return Plot("Instances by changed lines of the gold patch", drawing)


def _bars(rows: list[Mapping[str, Any]], labels: list[str], label_of: Callable[[Mapping[str, Any]], str]) -> str:
    counts = {label: Counter(_end(row) for row in rows if label_of(row) == label) for label in labels}
    series = {end: [counts[label][end] for label in labels] for end in ENDS}
    shown = {end: values for end, values in series.items() if any(values)}
    return plots.bars(labels, shown, label="instances", is_stacked=True)


def _end(row: Mapping[str, Any]) -> str:
    if row["resolved"]:
        return "resolved"
    if row["applied"] == "none" or row.get("problem"):
        return "broken"
    return "not resolved" if row["applied"] in ("exact", "differs") else "not applied"


def _rows(rows: list[Mapping[str, Any]]) -> Table:
    head = ("instance", "written as", "applied", "resolved", "gold", "changed lines", "apply ms", "tests s", "how")
    cells: list[tuple[Cell, ...]] = [
        (
            row["instance"], ", ".join(row["written_as"]), row["applied"], _word(row["resolved"]),
            _word(row["gold_resolved"]), row["changed_lines"], row["apply_ms"], row["tests_s"],
            ", ".join(dict.fromkeys([*row["strategies"], *row["warnings"]])),
        )
        for row in rows
    ]  # fmt: skip
    note = "Times are of several instances at once, on whatever else the machine did."
    return Table(f"All {len(rows)} instances", head, cells, note, is_folded=True)


def _word(value: bool | None) -> str | None:
    return None if value is None else "yes" if value else "no"
