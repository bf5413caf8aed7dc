"""All results that are committed can be shown, and what is no result is refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from markupsafe import escape

from evals.report import __main__ as command
from evals.report import write
from evals.report.page import ReportError
from evals.report.write import read_section, write_page

read_once = cache(read_section)  # drawing takes seconds


@pytest.mark.parametrize("path", command.committed(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_committed_result_is_shown(path: Path) -> None:
    section = read_once(path)
    assert section.figures
    assert section.plots
    assert section.tables
    assert section.command.startswith(("python -m evals", "fastedit tune"))
    for table in section.tables:
        assert all(len(row) == len(table.head) for row in table.rows)


def test_one_page_over_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(write, "read_section", read_once)
    out = tmp_path / "new" / "index.html"
    assert command.main(["--out", str(out)]) == 0
    page = out.read_text("utf-8")
    summaries = capsys.readouterr().out.splitlines()
    assert len(summaries) == len(command.committed()) == page.count("<section")
    for path in command.committed():
        told = json.loads(path.read_text("utf-8"))["machine"]["command"]
        assert escape(told) in page


def test_an_old_page_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, page = tmp_path / "structural.json", tmp_path / "page.html"
    result.write_bytes(command.committed()[-1].read_bytes())
    arguments = [str(result), "--out", str(page)]
    assert command.main([*arguments, "--check"]) == 1
    assert command.main(arguments) == 0
    assert command.main([*arguments, "--check"]) == 0
    data = json.loads(result.read_text("utf-8"))
    result.write_text(json.dumps(data | {"machine": {"command": "python -m evals.another"}}), "utf-8")
    assert command.main([*arguments, "--check"]) == 1
    assert "doesn't show these results" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"rows": []}'])
def test_what_is_no_result_is_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ReportError, match=r"odd\.json"):
        read_section(path)
    out = tmp_path / "page.html"
    assert command.main([str(path), "--out", str(out)]) == 1
    assert "odd.json" in capsys.readouterr().err
    assert not out.exists()


def test_a_page_of_nothing_is_none(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no results"):
        write_page([], tmp_path / "page.html", "Nothing")


def test_other_files_beside_the_results_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "speed" / "results").mkdir(parents=True)
    good, other = (tmp_path / "speed" / "results" / name for name in ("good.json", "other.json"))
    good.write_bytes(command.committed()[-1].read_bytes())
    other.write_text('{"of": "another kind"}', "utf-8")
    monkeypatch.setattr(command, "EVALS", tmp_path)
    assert command.committed() == [good]
    assert "left out speed/results/other.json" in capsys.readouterr().err


def latencies(**more: object) -> dict[str, object]:
    return {"requests": 10, "per_second": 5.0, "p50_ms": 1.5, "p95_ms": 2.0, "p99_ms": 3.0, "errors": 0, **more}


def test_a_service_beside_large_edits_is_shown(tmp_path: Path) -> None:
    held = [{"requests": count, "server": 100.0 + count, "workers": 300.0} for count in (1, 10)]
    uncertain = latencies(requests=2000, memory_mib=held, held_mib=410.4, peak_mib=1234.5)
    data = {
        "machine": {"command": "python -m evals.speed.large"}, "quick": False, "alone": latencies(),
        "beside_large": latencies(p99_ms=44.25), "large": latencies(errors=2), "uncertain": uncertain,
    }  # fmt: skip
    path = tmp_path / "large.json"
    path.write_text(json.dumps(data), "utf-8")
    section = read_section(path)
    figures = {figure.name: (figure.value, figure.note) for figure in section.figures}
    assert figures["small_p99_ms"][0] == "44.2"
    assert figures["held_mib"] == ("410", "memory after 2000 large edits")
    assert (figures["peak_mib"][0], figures["errors"][0]) == ("1234", "2")
    assert section.plots
    assert all(len(row) == len(table.head) for table in section.tables for row in table.rows)


def test_a_service_and_kernels_are_shown(tmp_path: Path) -> None:
    held = [{"requests": count, "server": 900.0 + count, "workers": 80.0} for count in (1, 10)]
    soak = latencies(memory_mib=held, growth_mib=9.0, growth_second_half_mib=0.25)
    ladder = [latencies(mode=mode, clients=clients) for mode in ("structural", "auto") for clients in (1, 4)]
    service = {
        "machine": {"command": "python -m evals.speed.serve"}, "target": "stand-in", "source": "made cases",
        "warm": {"structural": latencies(), "auto": latencies(p50_ms=4.25)}, "ladder": ladder,
        "beside": latencies(), "batch": {"batch_x": 1.5}, "soak": soak,
    }  # fmt: skip
    rows = [
        {"kernel": "verify", "case": "16 rows", "way": way, "milliseconds": ms, "floor_ms": 0.5, "extra_bytes": 0,
         "problem": problem}
        for way, ms, problem in (("kernel a", 1.0, ""), ("torch", 3.0, ""), ("compiled", None, "no compiler"))
    ]  # fmt: skip
    kernels = {"ceilings": {"device": "a GPU", "bytes_per_s": 1.0, "flops_per_s": 1.0}, "results": rows}
    paths = [tmp_path / "serve.json", tmp_path / "bench.json"]
    for path, data in zip(paths, (service, kernels), strict=True):
        path.write_text(json.dumps(data), "utf-8")
    sections = write_page(paths, tmp_path / "page.html", "Service and kernels")
    assert {figure.name: figure.value for figure in sections[0].figures}["p50_ms"] == "4.2"
    assert ("growth_mib", "9.0") in [(figure.name, figure.value) for figure in sections[0].figures]
    assert sections[1].figures[0].value == "3.00"
    assert all(len(row) == len(table.head) for section in sections for table in section.tables for row in table.rows)
    assert "no compiler" in (tmp_path / "page.html").read_text("utf-8")
