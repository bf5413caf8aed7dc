"""The runner of the GPU queue: nothing that one section does harms another, and results are there as they come."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from evals.gpu import run as runner
from evals.gpu.sections import SECTIONS, Section
from evals.gpu.targets import as_text, findings

PYTHON = "{python}"


def section(name: str, program: str, limit_s: int = 30, is_timed: bool = False, tool: str | None = None) -> Section:
    return Section(name, (PYTHON, "-c", program, "{result}"), limit_s, is_timed, "result.json", tool)


WRITES = "import sys; open(sys.argv[1], 'w').write('[1, 2]'); print('fine')"


def results(folder: Path) -> dict[str, dict[str, object]]:
    return json.loads((folder / "results.json").read_text())


def test_a_section_that_fails_or_hangs_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LEAST_S", 1)
    sections = [
        section("broken", "raise SystemExit(3)"),
        section("hanging", WRITES + "; import time; time.sleep(60)", limit_s=2, is_timed=True),
        section("fine", WRITES, is_timed=True),
        section("toolless", WRITES, tool="no-such-tool"),
    ]
    started = time.monotonic()
    runner.run(sections, tmp_path, budget_s=300)
    assert time.monotonic() - started < 20
    found = results(tmp_path)
    assert found["broken"]["status"] == "exit status 3"
    assert found["broken"]["data"] is None
    assert found["hanging"]["status"] == "stopped after 2 s"
    assert found["hanging"]["data"] == [1, 2]  # what it had written is kept
    assert found["fine"]["status"] == "done"
    assert "fine" in str(found["fine"]["output"])
    assert found["toolless"]["status"] == "left out: no no-such-tool here"
    assert "hanging: stopped" in (tmp_path / "log.txt").read_text()


def test_no_section_starts_without_time(tmp_path: Path) -> None:
    runner.run([section("late", WRITES)], tmp_path, budget_s=5)
    assert results(tmp_path)["late"]["status"] == "left out: no time left"


def test_sections_are_named_once_and_fit_into_one_call() -> None:
    assert len({one.name for one in SECTIONS}) == len(SECTIONS)
    assert all(one.limit_s < runner.BUDGET_S < 540 for one in SECTIONS)


def test_a_folder_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OUT", raising=False)
    with pytest.raises(SystemExit):
        runner.main(["--only", "environment"])


def test_targets_are_read_off_results() -> None:
    def row(way: str, milliseconds: float, extra_bytes: int, case: str = "qwen2.5-7b rows=16") -> dict[str, object]:
        return {"case": case, "way": way, "milliseconds": milliseconds, "extra_bytes": extra_bytes, "floor_ms": 1.0}

    rows = [row("kernel a", 2.0, 3), row("kernel b", 1.0, 4), row("torch argmax", 0.9, 100)]
    passes = [row("kernel exact", 1.3, 0, "qwen2.5-7b K=128 keys=4096")]
    held = {
        "bench-verify": {"data": {"results": rows}},
        "bench-pass": {"data": {"results": passes}},
        "checks-small": {"data": [{"problem": ""}, {"problem": "wrong"}]},
        "exactness": {"data": None},
    }
    found = {finding.target: finding for finding in findings(held)}
    speed = found["verify 16 rows: cuBLAS + argmax time / ours"]
    assert speed.value == pytest.approx(0.9)
    assert not speed.is_met
    assert found["verify 16 rows: share of its extra memory"].is_met
    assert found["7B pass, K=128: time / one stream of the weights"].is_met
    assert found["checks that fail against float64"].value == 1
    text = as_text(found.values())
    assert "MISS checks that fail" in text
    assert "---- verify 256 rows: cuBLAS" in text


def test_nothing_measured_is_nothing_met() -> None:
    assert not any(finding.is_met for finding in findings({}))
