"""ApplyBench: edits as assistants write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Cell, Plot, Section, Table
from evals.report.readers.common import OUTCOMES, command_of, figures_of, shares

NOTES = {
    "cases": "messages",
    "exact": "of all cases",
    "wrong": "of all cases",
    "refused": "of all cases",
    "ece": "distance between certainty and truth, lazy edits",
    "coverage_at_1": "of the cases answered at 1 % wrong",
}
# Tables of shares. Results that are older than the writers in them have no such table.
TABLES = ("tier", "style", "format", "language", "writer")


def read_applybench(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    systems: Mapping[str, Mapping[str, Any]] = data["systems"]
    own_name, own = next(iter(systems.items()))
    splits = ", ".join(data["applybench"])
    return Section(
        title=f"ApplyBench, {splits}",
        name=name,
        intro=f"{own['cases']} messages as assistants write them, of the split {splits}, each with the exact files "
        f"that a careful reader gets; {own_name}. A wrong answer is one that was given and isn't the expected one.",
        figures=figures_of(data["summary"], NOTES),
        parts=[
            _tiers(own),
            *(_table(key, own["by"][key]) for key in TABLES if key in own["by"]),
            *_curves(systems),
            _reliability(own),
            _beside(systems),
        ],
        command=command_of(data),
        machine=machine,
    )


def _tiers(own: Mapping[str, Any]) -> Plot:
    table = own["by"]["tier"]
    totals = {tier: sum(counts.values()) for tier, counts in table.items()}
    series = {end: [100 * counts[end] / totals[tier] for tier, counts in table.items()] for end in OUTCOMES}
    shown = {end: values for end, values in series.items() if any(values)}
    return Plot("By tier", plots.bars(list(table), shown, label="% of the cases", is_stacked=True))


def _table(key: str, table: Mapping[str, Mapping[str, int]]) -> Table:
    rows: list[tuple[Cell, ...]] = [(value, sum(counts.values()), *shares(counts)) for value, counts in table.items()]
    return Table(f"By {key}", (key, "cases", *OUTCOMES), rows, is_folded=key == "language")


def _curves(systems: Mapping[str, Mapping[str, Any]]) -> list[Plot]:
    """What certainty is worth, for each system that claims one."""
    claims = {name: found for name, found in systems.items() if found["risk_coverage"]}
    bins = {
        name: [(entry["claimed"], entry["right"] / entry["count"]) for entry in found["reliability"] if entry["count"]]
        for name, found in claims.items()
    }
    points = {
        name: [(100 * point["coverage"], 100 * point["risk"]) for point in found["risk_coverage"]]
        for name, found in claims.items()
    }
    if not claims:
        return []
    bins["as claimed"] = [(0.0, 0.0), (1.0, 1.0)]
    return [
        Plot(
            "Reliability",
            plots.lines(bins, x_label="certainty that was claimed", y_label="share that is right"),
            "Lazy edits that were answered.",
        ),
        Plot(
            "Risk and coverage",
            plots.lines(points, x_label="% of all cases answered", y_label="% of the answers wrong"),
            "Answers in the order of their certainty: how many are wrong, the further down the list one goes.",
        ),
    ]


def _reliability(own: Mapping[str, Any]) -> Table:
    rows = [
        (f"{entry['low']:.1f} .. {entry['high']:.1f}", entry["count"], f"{entry['claimed']:.1%}",
         f"{entry['right'] / entry['count']:.1%}")
        for entry in own["reliability"] if entry["count"]
    ]  # fmt: skip
    return Table("Reliability of lazy edits", ("certainty", "answers", "claimed", "right"), rows, is_folded=True)


def _beside(systems: Mapping[str, Mapping[str, Any]]) -> Table:
    own_name = next(iter(systems))
    rows: list[tuple[Cell, ...]] = []
    for name, found in systems.items():
        beside = dict(zip(OUTCOMES, shares(found["beside"]), strict=True))
        timing = (f"{found['median_ms']:.1f}", f"{found['p95_ms']:.1f}")
        rows.append((name, found["cases"], *shares(found["counts"]), *timing, beside["exact"], beside["wrong"]))
    head = ("tool", "cases it reads", *OUTCOMES, "median ms", "95 % under ms",
            f"{own_name} there: exact", "wrong")  # fmt: skip
    return Table("Beside other tools", head, rows, "Each on the cases in a format that it reads.")
