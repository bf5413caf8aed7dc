"""The memory that a service holds over many requests, as `evals.speed.serve` watches it."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
from evals.speed import serve
from evals.speed.serving.process import running


def test_memory_is_told_after_each_tenth(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with running(["fastedit", "serve", "--port", "0", "--target", "none"]) as server:
        soak = serve._soak(server, 30)
        monkeypatch.setattr(serve, "SOAK_LIMIT_S", 0.0)
        out_of_time = serve._soak(server, 30)
    held = [each["server"] + each["workers"] for each in soak["memory_mib"]]
    assert [each["requests"] for each in soak["memory_mib"]] == list(range(3, 31, 3))
    assert (soak["requests"], soak["errors"]) == (30, 0)
    assert min(held) > 10
    assert soak["growth_mib"] == pytest.approx(held[-1] - held[0], abs=0.1)
    assert soak["growth_second_half_mib"] == pytest.approx(held[-1] - held[4], abs=0.1)
    assert f"growth_mib={soak['growth_mib']:.1f}" in capsys.readouterr().out
    assert (out_of_time["requests"], len(out_of_time["memory_mib"])) == (0, 10)
