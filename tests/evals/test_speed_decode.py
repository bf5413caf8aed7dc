"""Rounds of the decoding benchmark: what is told of a case."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from evals.speed import decode


def test_a_row_has_the_medians_of_ratios_of_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that gets ten times slower in the second round changes no ratio; settings are tried once."""
    slowness, tried = iter((1.0, 10.0, 1.0)), []
    factors: dict[int, float] = {}
    numbers = count()

    def ours(*_: object) -> dict[str, Any]:
        factor = factors[next(numbers)] = next(slowness)
        times = {"merged_s": 2.0, "merged_pass_s": 0.9, "original_s": 4.0, "original_pass_s": 1.0}
        return {name: factor * seconds for name, seconds in times.items()} | {"merged_passes": 2, "scope": "file"}

    def theirs(_bench: object, _case: object, _is_quick: bool, sizes: tuple[int, ...]) -> dict[str, Any]:
        tried.append(sizes)
        factor = factors[len(tried) - 1]
        lookups = {str(size): factor * (3.0 if size == 32 else 5.0) for size in sizes}
        return {"one_pass_s": 1.6 * factor, "generate_s": 40.0 * factor, "lookup_s": lookups}

    monkeypatch.setattr(decode, "ours", ours)
    monkeypatch.setattr(decode, "theirs", theirs)
    bench: Any = None
    case: Any = None
    row = decode.measured(bench, case, False, 3)
    assert tried == [decode.LOOKUPS, (32,), (32,)]
    assert row["merged_s"] == 2.0
    assert row["lookup_s"] == {"10": 5.0, "32": 3.0, "64": 5.0, "128": 5.0}
    ratios = {name: row[name] for name in ("generate_x", "lookup_x", "limit_x", "pass_x", "host_x")}
    assert ratios == pytest.approx(
        {"generate_x": 20.0, "lookup_x": 1.5, "limit_x": 1.25, "pass_x": 1.125, "host_x": 0.125}
    )
    summary = decode.summed_up([row, row | {"scope": "windows", "limit_x": 1.05}], 1.5)
    assert summary["limit_file_x"] == pytest.approx(1.25)
    assert summary["limit_windows_x"] == pytest.approx(1.05)
    assert summary["passes_per_divergence"] == 1.5
