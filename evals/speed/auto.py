"""python -m evals.speed.auto [--quick]: what asking a target costs over a structural apply, of small files.

The same edits by turns: structural; auto, which asks nobody unless a target is named; and auto with the embedded
target, loaded before. Each by the processor time of all threads, to which other programs add little, and by the clock.

The last line: auto_ms, target_ms: how many milliseconds of processor time the typical edit takes more than structural
(medians of the pairs' differences); worst_ms: the same of the edit with the largest difference, with the target.
Results go to evals/speed/results/auto.json; it takes a minute or two.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from evals.accuracy.report import machine
from evals.applybench.records import load
from fastedit import apply
from fastedit.errors import EditRefused

if TYPE_CHECKING:
    from fastedit.targets import Target

RESULTS = Path(__file__).parent / "results"
MOST_LINES = 120  # of a small file
NUM_EDITS, QUICK_EDITS = 30, 6
ROUNDS, QUICK_ROUNDS = 2, 1
STRUCTURAL = "structural"

Way = Callable[[str, str, str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m evals.speed.auto", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few edits, nothing stored")
    options = parser.parse_args(arguments)
    from fastedit.targets import Target

    ways = _ways(Target.load("embedded"))
    ways["with the target"]("a.py", "a = 1\nb = 2\n", "```python\na = 1\nb = 3\n```")  # its engine starts
    edits = list(islice(small_edits(), QUICK_EDITS if options.quick else NUM_EDITS))
    rows = timed(edits, ways, QUICK_ROUNDS if options.quick else ROUNDS)
    found = {"auto_over_structural": summarised(rows), "rows": rows, "machine": machine("evals.speed.auto")}
    if not options.quick:
        (RESULTS / "auto.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(summary_of(rows))
    return 0


def small_edits() -> Iterable[tuple[str, str, str]]:
    """Name, text and message of ApplyBench's training edits of small files."""
    for record in load("train"):
        if record.format == "lazy" and record.file is not None:
            text = record.files[record.file]
            if text.count("\n") <= MOST_LINES:
                yield record.file, text, record.message


def _ways(target: Target) -> dict[str, Way]:
    def structural(name: str, text: str, message: str) -> None:
        apply(text, message, path=name, mode="structural")

    def auto(name: str, text: str, message: str) -> None:
        apply(text, message, path=name, mode="auto")

    def asked(name: str, text: str, message: str) -> None:
        apply(text, message, path=name, mode="auto", target=target)

    return {STRUCTURAL: structural, "auto": auto, "with the target": asked}


def timed(edits: Sequence[tuple[str, str, str]], ways: dict[str, Way], rounds: int) -> list[dict[str, Any]]:
    """A row for each edit: for each way the least seconds of processor time and of the clock; all ways by turns."""
    rows = []
    for edit in edits:
        cpu_s = dict.fromkeys(ways, float("inf"))
        clock_s = dict.fromkeys(ways, float("inf"))
        for _ in range(rounds):
            for name, way in ways.items():
                started = time.process_time(), time.perf_counter()
                with suppress(EditRefused):
                    way(*edit)
                cpu_s[name] = min(cpu_s[name], time.process_time() - started[0])
                clock_s[name] = min(clock_s[name], time.perf_counter() - started[1])
        rows.append({"file": edit[0], "lines": edit[1].count("\n"), "cpu_s": cpu_s, "clock_s": clock_s})
    return rows


def summarised(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Milliseconds of processor time more than structural, median and largest, and the ratio, for each other way."""
    found = {}
    for way in rows[0]["cpu_s"]:
        if way == STRUCTURAL:
            continue
        more_ms = [1000 * (row["cpu_s"][way] - row["cpu_s"][STRUCTURAL]) for row in rows]
        ratio = median(row["cpu_s"][way] / row["cpu_s"][STRUCTURAL] for row in rows)
        found[way] = {
            "median_ms": round(median(more_ms), 1),
            "worst_ms": round(max(more_ms), 1),
            "ratio": round(ratio, 2),
        }
    return found


def summary_of(rows: Sequence[dict[str, Any]]) -> str:
    found = summarised(rows)
    asked = found["with the target"]
    return f"auto_ms={found['auto']['median_ms']} target_ms={asked['median_ms']} worst_ms={asked['worst_ms']}"


if __name__ == "__main__":
    raise SystemExit(main())
