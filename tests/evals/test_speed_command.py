"""One command for all speed benchmarks: what fails or can't be run stops no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.speed import __main__ as command
from evals.speed.__main__ import BENCHMARKS, Benchmark, main

# Benchmarks that take no time: one gives what the real one gave, the other nothing.
REAL = str(command.RESULTS / "structural.json")
MADE_UP = {
    "benchmark_that_works": f"import shutil, sys\nshutil.copy({REAL!r}, sys.argv[1])\n",
    "benchmark_that_fails": "raise SystemExit(3)\n",
}


def use(monkeypatch: pytest.MonkeyPatch, folder: Path, **benchmarks: Benchmark) -> None:
    monkeypatch.setattr(command, "ROOT", folder.parent)
    monkeypatch.setattr(command, "RESULTS", folder)
    monkeypatch.setattr(command, "BENCHMARKS", benchmarks)
    for name, text in MADE_UP.items():
        (folder.parent / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder.parent)


def test_every_benchmark_is_there_and_writes_where_the_page_looks() -> None:
    for name, benchmark in BENCHMARKS.items():
        assert "not there" not in command._missing(benchmark), name
        words = [*benchmark.arguments, *benchmark.quick]
        named = [word.removeprefix("{results}/") for word in words if word.startswith("{results}/")]
        assert all(benchmark.quick_result.startswith(path) for path in named)


def test_what_fails_or_is_missing_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    use(
        monkeypatch, folder,
        broken=Benchmark("benchmark_that_fails", "b.json", "b.json"),
        absent=Benchmark("evals.speed.no_such_module", "c.json", "c.json"),
        needy=Benchmark("evals.speed.structural", "d.json", "d.json", needs="no_such_package"),
        gpu=Benchmark("evals.speed.structural", "e.json", "e.json", needs_gpu=True),
        fine=Benchmark("benchmark_that_works", "a.json", "small.json", quick=("{results}/small.json",)),
    )  # fmt: skip
    monkeypatch.setattr(command.shutil, "which", lambda name: None)
    page = tmp_path / "page.html"
    assert main(["--quick", "--out", str(page)]) == 1
    out = capfd.readouterr().out
    assert out.rstrip().split("\n")[-1] == "broken=failed absent=left-out needy=left-out gpu=left-out fine=done"
    assert "no_such_package is not installed" in out
    assert "Speed without a model" in page.read_text("utf-8")


def test_no_page_without_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, tmp_path / "none", absent=Benchmark("evals.speed.no_such_module", "c.json", "c.json"))
    assert main(["--out", str(tmp_path / "page.html")]) == 1
    assert not (tmp_path / "page.html").exists()
