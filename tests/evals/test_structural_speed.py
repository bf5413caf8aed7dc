"""The structural speed benchmark, on small numbers: that it measures what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fastedit
from evals.speed.long_files import SUFFIXES, long_text
from evals.speed.structural import (
    GROWTH_LANGUAGES,
    Growth,
    Timing,
    draw_samples,
    grow,
    growth_edit,
    growth_factor,
    summary,
    time_samples,
    timed,
    write_json,
)
from fastedit.edits.model import Format
from fastedit.syntax import count_errors


@pytest.mark.parametrize("language", SUFFIXES)
@pytest.mark.parametrize("num_lines", [100, 1000])
def test_long_files_have_the_length_and_parse(language: str, num_lines: int) -> None:
    text = long_text(language, num_lines)
    assert num_lines <= text.count("\n") < num_lines + 20
    assert count_errors(text, language) in (0, None)


@pytest.mark.parametrize("language", GROWTH_LANGUAGES)
@pytest.mark.parametrize("num_lines", [100, 1000])
def test_the_growth_edit_changes_two_places(language: str, num_lines: int) -> None:
    text = long_text(language, num_lines)
    applied = fastedit.apply(text, growth_edit(language, text), path=f"shelves.{SUFFIXES[language]}", mode="structural")
    assert applied.changes.removed == applied.changes.modified == 0
    assert applied.changes.added == (4 if language == "python" else 2)


def test_a_row_has_times_and_exactness() -> None:
    samples = draw_samples("go", 100, 3, [Format.SEARCH_REPLACE])
    row = time_samples(samples, Format.SEARCH_REPLACE, 2)
    assert row.edits == len(samples) == 3
    assert 0 < row.apply_ms <= row.worst_ms
    assert row.ratio == row.apply_ms / row.parse_ms
    assert row.exact == 3


def test_the_uncounted_run_comes_first() -> None:
    calls: list[int] = []
    rounds = timed((lambda: calls.append(1), lambda: calls.append(2)), 3)
    assert [len(times) for times in rounds] == [2, 2, 2]
    assert calls == [1, 2] * 4


def test_growth_is_measured_in_a_process_of_its_own() -> None:
    row = grow("python", 200, 1)
    assert row.num_lines >= 200
    assert 5 < row.base_mib <= row.peak_mib < 500


def test_the_growth_factor_is_the_worst_languages() -> None:
    rows = [
        Growth("python", 5015, 10.0, 1, 1, 1), Growth("python", 50014, 110.0, 1, 1, 1),
        Growth("typescript", 5016, 10.0, 1, 1, 1), Growth("typescript", 50008, 90.0, 1, 1, 1),
    ]  # fmt: skip
    assert growth_factor(rows) == 11.0
    assert growth_factor(rows[:1]) is None


def test_results_name_the_machine_and_the_command(tmp_path: Path) -> None:
    timing, growth = Timing("go", "lazy", 1000, 1, 1, 5.0, 6.0, 2.0), Growth("python", 5015, 10.0, 1, 30, 40)
    write_json(tmp_path / "results" / "speed.json", [timing], [growth], [0.2])
    written = json.loads((tmp_path / "results" / "speed.json").read_text("utf-8"))
    assert written["machine"]["command"].startswith("python -m evals.speed.structural")
    assert written["summary"] == summary([timing], [growth], [0.2])
    assert "parse_ratio=2.50" in written["summary"]
