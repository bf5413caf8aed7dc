"""FastEdit beside what users would otherwise use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Figure, Plot, Section, Table
from evals.report.readers.common import OUTCOMES, command_of, shares


def read_peers(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    peers: Mapping[str, Mapping[str, Any]] = data["peers"]
    tables = [
        Table(
            f"By {key}",
            (key, "edits", *(f"{peer}: {end}" for peer in peers for end in ("exact", "wrong"))),
            [
                (value, sum(row[next(iter(row))].values()), *_pairs(row, list(peers)))
                for value, row in sorted(data["by"][key].items())
            ],
            is_folded=key != "tier",
        )
        for key in data["by"]
    ]
    total = [(peer, *shares(found["counts"]), found["median_ms"]) for peer, found in peers.items()]
    series = {end: [100 * found["counts"].get(end, 0) / data["edits"] for found in peers.values()] for end in OUTCOMES}
    shown = {end: values for end, values in series.items() if any(values)}
    return Section(
        title=data["title"],
        name=name,
        intro=f"{data['edits']} {data['source']}.",
        figures=[Figure(peer, shares(found["counts"])[0], "exact") for peer, found in peers.items()],
        parts=[
            Plot("What becomes of them", plots.bars(list(peers), shown, label="% of the edits", is_stacked=True)),
            Table("All edits", ("tool", *OUTCOMES, "median ms"), total),
            *tables,
        ],
        command=command_of(data),
        machine=machine,
    )  # fmt: skip


def _pairs(row: Mapping[str, Mapping[str, int]], peers: list[str]) -> list[str]:
    cells = []
    for peer in peers:
        found = dict(zip(OUTCOMES, shares(row.get(peer, {})), strict=True))
        cells += [found["exact"], found["wrong"]]
    return cells
