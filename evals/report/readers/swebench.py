"""What a SWE-bench-style run came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Listing, Plot, Section, Table
from evals.report.readers.common import command_of, figures_of

NOTES = {
    "applied": "edits that were applied, not refused",
    "resolved": "all the tests that should pass do",
    "gold_resolved": "the same of the gold patches themselves",
}


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
    repos = sorted({row["repo"] for row in rows})
    ends = ("resolved", "not resolved", "not applied", "broken")
    counts = {repo: Counter(_end(row) for row in rows if row["repo"] == repo) for repo in repos}
    series = {end: [counts[repo][end] for repo in repos] for end in ends}
    shown = {end: values for end, values in series.items() if any(values)}
    return Plot("Instances by repository", plots.bars(repos, shown, label="instances", is_stacked=True))


def _end(row: Mapping[str, Any]) -> str:
    if row["resolved"]:
        return "resolved"
    if row["reason"] and row["applied"] in ("none",):
        return "broken"
    return "not resolved" if row["applied"] in ("exact", "differs") else "not applied"


def _sizes(rows: list[Mapping[str, Any]]) -> Plot:
    """The time that applying took against the size of the change."""
    applied = [row for row in rows if row["apply_ms"]]
    series = {
        end: [(row["changed_lines"], row["apply_ms"]) for row in applied if row["applied"] == end]
        for end in ("exact", "differs")
    }
    shown = {end: cloud for end, cloud in series.items() if cloud}
    drawing = plots.points(shown, x_label="changed lines of the gold patch", y_label="apply, ms", is_log=True)
    return Plot("Time to apply", drawing, "exact: the gold patch's own files came out, byte for byte.")


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
    return Table(f"All {len(rows)} instances", head, cells, is_folded=True)


def _word(value: bool | None) -> str | None:
    return None if value is None else "yes" if value else "no"
