"""Passes of a small target, measured for real and few times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.report.write import read_section
from evals.speed import light


def test_each_way_is_measured_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(light, "QUICK_ROUNDS", 1)
    monkeypatch.setattr(light, "RUNS_OF_TURN", 1)
    monkeypatch.setattr(light, "PASSES", {"1 rest of 9": (1, 40, 9, 9), "8 rests of 9": (8, 40, 9, 9)})
    light.main(["--quick", "--results", str(tmp_path)])
    path = tmp_path / "light-quick.json"
    report = json.loads(path.read_text("utf-8"))
    assert [row["pass"] for row in report["passes"]] == list(light.PASSES)
    assert all(row[way] > 0 for row in report["passes"] for way in ("module", "plain", "shared"))
    assert all(row[way] > 0 for row in report["attention"] for way in ("torch", "blocks"))
    assert capsys.readouterr().out.splitlines()[-1] == report["summary"]
    section = read_section(path)
    assert [figure.name for figure in section.figures] == ["plain_x", "shared_x"]
    assert section.tables
    assert section.plots
