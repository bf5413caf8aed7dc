"""What auto costs over structural: measured by turns, told as differences."""

from __future__ import annotations

from itertools import islice

from evals.speed.auto import MOST_LINES, small_edits, summarised, summary_of, timed


def test_ways_are_timed_by_turns() -> None:
    called: list[str] = []
    ways = {
        name: lambda file, text, message, name=name: called.append(name)
        for name in ("structural", "auto", "with the target")
    }
    rows = timed([("a.py", "x\n", "y")], ways, 2)
    assert called == ["structural", "auto", "with the target"] * 2
    assert rows[0]["lines"] == 1
    assert set(rows[0]["cpu_s"]) == set(rows[0]["clock_s"]) == set(ways)


def test_differences_are_to_structural() -> None:
    rows = [
        {"cpu_s": {"structural": 0.010, "auto": 0.011, "with the target": 0.010 + more}} for more in (0.02, 0.04, 0.5)
    ]
    found = summarised(rows)
    assert found["auto"] == {"median_ms": 1.0, "worst_ms": 1.0, "ratio": 1.1}
    assert (found["with the target"]["median_ms"], found["with the target"]["worst_ms"]) == (40.0, 500.0)
    assert summary_of(rows) == "auto_ms=1.0 target_ms=40.0 worst_ms=500.0"


def test_the_edits_are_of_small_files() -> None:
    edits = list(islice(small_edits(), 5))
    assert len(edits) == 5
    assert all(text.count("\n") <= MOST_LINES for _, text, _ in edits)
