"""A run's summary as JSON, and its page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.accuracy.report import machine
from evals.report import write_page
from evals.swebench.results import Result
from evals.swebench.sandbox import isolation
from evals.swebench.summary import counts, last_line, lost, reason, written_as
from fastedit.targets.default import EMBEDDED, is_installed

SUMMARY, PAGE = "summary.json", "report.html"
TITLE = "SWE-bench-style run"


def write_report(out: Path, results: Sequence[Result], options: argparse.Namespace | None = None) -> None:
    """Writes summary.json and report.html. options: of the run; without them those that the summary has stay.

    Raises ReportError where the page can't be drawn (the summary is written all the same).
    """
    path = out / SUMMARY
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    summary = {
        "kind": "swebench",
        "machine": machine("evals.swebench") if options else before.get("machine", {}),
        "settings": _settings(options) if options else before.get("settings", {}),
        "summary": last_line(results),
        "counts": counts(results),
        "written_as": written_as(results),
        "lost": {result.instance_id: reason(result) for result in lost(results)},
        "differences": {result.instance_id: result.difference for result in results if result.difference},
        "rows": [_row(result) for result in results],
    }
    text = json.dumps(summary, indent=1) + "\n"
    for file in (path, *([options.json] if options and options.json else [])):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    write_page([path], out / PAGE, TITLE)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    way = isolation()
    return {
        "apply": " ".join(options.apply),
        "target": _target(options),
        "edits": "an agent's answers" if getattr(options, "edits", None) else "from gold",
        "format": options.format,
        "tier": options.tier,
        "habit": options.habit,
        "seed": options.seed,
        "workers": options.workers,
        "network": "on: this system has no way to take it away" if way is None else "off",
        "processes": "in a namespace of their own" if way is not None and "--pid" in way else "in a group",
    }


def _target(options: argparse.Namespace) -> str | None:
    """The target that was asked, as far as this process knows it; None where none is."""
    if options.apply[0] not in ("auto", "model"):
        return None
    return options.target or (EMBEDDED if is_installed() else "none is installed")


def _row(result: Result) -> dict[str, Any]:
    return {
        "instance": result.instance_id, "repo": result.repo, "applied": result.applied.value,
        "resolved": result.resolved, "gold_resolved": result.gold_resolved, "written_as": list(result.written_as),
        "habits": list(result.habits), "changed_lines": result.num_changed_lines, "apply_ms": result.apply_ms,
        "tests_s": result.tests_s, "reason": "" if result.resolved else reason(result),
        "problem": result.problem,
        "strategies": [file["strategy"] for file in result.files],
        "warnings": sorted({code for file in result.files for code in file["warnings"]}),
    }  # fmt: skip
