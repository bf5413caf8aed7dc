"""How often the result is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Plot, Section, Table
from evals.report.readers.common import OUTCOMES, by_count, command_of, figures_of, shares

NOTES = {
    "clear": "apply cases, exact",
    "sloppy": "apply cases, exact",
    "hard": "apply cases, exact",
    "refuse": "cases rightly refused",
    "generated_exact": "clear generated edits",
    "generated_wrong": "clear generated edits",
}
MAX_FAILURES = 300


def read_accuracy(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    settings = ", ".join(f"{key}: {value}" for key, value in data.get("settings", {}).items() if value is not None)
    tables = [
        Table(
            f"Generated edits by {key}",
            (key, "edits", *OUTCOMES),
            [(value or "(none)", sum(counts.values()), *shares(counts)) for value, counts in by_count(table)],
            is_folded=key in ("kind", "language"),
        )
        for key, table in data["generated"].items()
        if table
    ]
    return Section(
        title="Accuracy on real changes" if "git" in str(data["settings"].get("from", "")) else "Accuracy",
        name=name,
        intro=f"Results compared byte for byte with the truth ({settings}). A wrong answer is one that was given and "
        "isn't the expected one; a refusal leaves the file alone.",
        figures=figures_of(data["summary"], NOTES),
        parts=[*_tiers(data), _reliability(data), *_cases(data), *tables, *_failures(data)],
        command=command_of(data),
        machine=machine,
    )


def _tiers(data: Mapping[str, Any]) -> list[Plot]:
    table = data["generated"].get("tier") or {}
    if not table:
        return []
    tiers = [tier for tier in ("clear", "sloppy", "hard") if tier in table]
    totals = {tier: sum(table[tier].values()) for tier in tiers}
    series = {end: [100 * table[tier].get(end, 0) / totals[tier] for tier in tiers] for end in OUTCOMES}
    shown = {end: values for end, values in series.items() if any(values)}
    return [Plot("Generated edits by tier", plots.bars(tiers, shown, label="% of the edits", is_stacked=True))]


def _reliability(data: Mapping[str, Any]) -> Plot:
    """What a certainty is worth."""
    series = {
        f"{name} segments": [(entry["claimed"], entry["right"] / entry["count"]) for entry in entries if entry["count"]]
        for name, entries in data["reliability"].items()
    }
    series["as claimed"] = [(0.0, 0.0), (1.0, 1.0)]
    drawing = plots.lines(series, x_label="certainty that was claimed", y_label="share that is right")
    return Plot("Calibration of certainty", drawing)


def _cases(data: Mapping[str, Any]) -> list[Table]:
    """The apply cases by tier and by format."""
    tables = []
    for key in ("tier", "format"):
        counts: dict[str, Counter[str]] = {}
        for row in data["cases"]:
            counts.setdefault(row[key], Counter())[row["outcome"]] += 1
        rows: list[tuple[Cell, ...]] = [
            (value, sum(found.values()), *(found[end] for end in OUTCOMES)) for value, found in by_count(counts)
        ]
        if rows:
            tables.append(Table(f"Apply cases by {key}", (key, "cases", *OUTCOMES), rows))
    return tables


def _failures(data: Mapping[str, Any]) -> list[Table]:
    rows = [row for row in (*data["cases"], *data.get("not_exact", ())) if row["outcome"] != "exact"]
    rows.sort(key=lambda row: (row["outcome"] != "wrong", row["tier"]))
    cells = [
        (row["name"], row["outcome"], row["tier"], row["format"], row["kind"], row["note"], ", ".join(row["habits"]))
        for row in rows[:MAX_FAILURES]
    ]
    head = ("edit", "outcome", "tier", "format", "change", "note", "habits")
    return [Table(f"Not exact: {len(rows)}, wrong answers first", head, cells, is_folded=True)] if rows else []
