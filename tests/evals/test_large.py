"""`evals.speed.large`: what is sent is large and refused, what is small is answered, and the memory is told."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastapi")
from evals.speed import large
from evals.speed.serving.process import running


def test_small_edits_and_memory_are_told_beside_large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LARGE_BYTES", 60_000)
    monkeypatch.setattr(large, "FILE_LINES", 60)
    monkeypatch.setattr(large, "SMALL_CLIENTS", 2)
    with running(["fastedit", "serve", "--port", "0", "--target", "none"]) as server:
        report = asyncio.run(large.measured(server, 1.0, 10))
    assert [report[name]["errors"] for name in ("alone", "beside_large", "uncertain")] == [0, 0, 0]
    assert report["alone"]["requests"] >= 2
    held = report["uncertain"]
    assert [row["requests"] for row in held["memory_mib"]] == list(range(1, 11))
    assert 10 < held["held_mib"] <= held["peak_mib"]
    assert "held_mib=" in large._last_line(report)
