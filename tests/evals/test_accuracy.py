"""The accuracy eval: outcomes, segments, reliability and the last line, on small cases made here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pluggy
import pytest

from evals.accuracy.__main__ import main
from evals.accuracy.cases import find_cases, score_case
from evals.accuracy.generated import score_sample, score_samples
from evals.accuracy.outcomes import JudgedSegment, Outcome, Row
from evals.accuracy.reliability import curve, share_of_sure
from evals.accuracy.report import last_line
from evals.accuracy.segments import judge
from evals.accuracy.sources import source
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.applied import Stats
from fastedit.edits.model import Format
from fastedit.training.synthesis import Sample, Tier
from support.edits import ORIGINALS

ORIGINAL = "alpha = 1\nbeta = 2\ngamma = 3\n"
BLOCK = "```\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"
CHANGED = ORIGINAL.replace("beta = 2", "beta = 5")


def make_case(folder: Path, name: str, edit: str, expected: str | None, tier: str = "clear") -> None:
    (folder / name / "original").mkdir(parents=True)
    (folder / name / "original" / "values.py").write_text(ORIGINAL, "utf-8")
    (folder / name / "edit.md").write_text(edit, "utf-8")
    case = {"id": name, "tier": tier, "format": "search_replace", "language": "python", "file": "values.py"}
    (folder / name / "case.json").write_text(json.dumps(case), "utf-8")
    if expected is not None:
        (folder / name / "expected").mkdir()
        (folder / name / "expected" / "values.py").write_text(expected, "utf-8")


GOOD = BLOCK.format(old="beta = 2", new="beta = 5")
ELSEWHERE = BLOCK.format(old="delta = launch(everything, twice)", new="delta = None")


@pytest.mark.parametrize(
    ("edit", "expected", "outcome"),
    [
        (GOOD, CHANGED, Outcome.EXACT),
        (GOOD, CHANGED + "\n", Outcome.WRONG),
        (GOOD, None, Outcome.WRONG),
        (ELSEWHERE, None, Outcome.EXACT),
        (ELSEWHERE, CHANGED, Outcome.REFUSED),
    ],
)
def test_a_case_has_the_outcome_that_the_collection_defines(
    tmp_path: Path, edit: str, expected: str | None, outcome: Outcome
) -> None:
    make_case(tmp_path, "values", edit, expected)
    (folder,) = find_cases(tmp_path)
    row = score_case(folder, "structural")
    assert row.outcome is outcome
    assert bool(row.diff) == (outcome is Outcome.WRONG)


def sample(edit: str, expected: str) -> Sample:
    return Sample("values.py", "python", ORIGINAL, edit, expected, Tier.CLEAR, Format.SEARCH_REPLACE, "modify_row")


def test_generated_edits_are_scored_in_their_order() -> None:
    samples = [sample(GOOD, CHANGED), sample(GOOD, ORIGINAL), sample(ELSEWHERE, CHANGED)]
    rows = list(score_samples(samples, "structural", processes=1))
    assert [row.outcome for row in rows] == [Outcome.EXACT, Outcome.WRONG, Outcome.REFUSED]
    assert list(score_samples(samples * 6, "structural", processes=2))[-1].outcome is Outcome.REFUSED


def test_segments_of_an_exact_edit_are_right() -> None:
    row = score_sample(sample(GOOD, CHANGED), "structural")
    assert row.segments
    assert all(segment.is_right for segment in row.segments)


def segments(*parts: tuple[SegmentKind, int, int, tuple[str, ...]]) -> Alignment:
    return Alignment(tuple(Segment(kind, start, end, lines) for kind, start, end, lines in parts))


def rightness(alignment: Alignment, expected: str) -> list[bool]:
    return [segment.is_right for segment in judge(ORIGINAL, alignment, expected)]


def test_a_segment_is_right_where_its_lines_stand_in_the_truth() -> None:
    keep, replace, delete = SegmentKind.KEEP, SegmentKind.REPLACE, SegmentKind.DELETE
    right = segments((keep, 0, 1, ()), (replace, 1, 2, ("beta = 5",)), (keep, 2, 3, ()))
    assert rightness(right, CHANGED) == [True, True, True]
    wrong_text = segments((keep, 0, 1, ()), (replace, 1, 2, ("beta = 6",)), (keep, 2, 3, ()))
    assert rightness(wrong_text, CHANGED) == [True, False, True]
    lost = segments((keep, 0, 1, ()), (delete, 1, 2, ()), (keep, 2, 3, ()))
    assert rightness(lost, ORIGINAL) == [True, False, True]
    assert rightness(lost, "alpha = 1\ngamma = 3\n") == [True, True, True]


def test_an_insertion_in_the_wrong_place_is_wrong() -> None:
    keep, insert = SegmentKind.KEEP, SegmentKind.INSERT
    alignment = segments((keep, 0, 1, ()), (insert, 1, 1, ("new = 0",)), (keep, 1, 3, ()))
    assert rightness(alignment, "alpha = 1\nnew = 0\nbeta = 2\ngamma = 3\n") == [True, True, True]
    assert rightness(alignment, "alpha = 1\nbeta = 2\nnew = 0\ngamma = 3\n")[1] is False


def test_reliability_counts_each_segment_once() -> None:
    judged = [
        JudgedSegment("keep", 1.0, True),
        JudgedSegment("insert", 0.96, False),
        JudgedSegment("insert", 0.96, True),
    ]
    bins = curve(judged)
    assert sum(entry.count for entry in bins) == 3
    (middle,) = [entry for entry in bins if entry.low == 0.95]
    assert (middle.count, middle.right, middle.share) == (2, 1, 0.5)
    assert share_of_sure(judged) == (3, pytest.approx(2 / 3))


def row(tier: str, outcome: Outcome) -> Row:
    return Row("name", tier, "lazy", "python", "", outcome, 1.0)


def test_the_last_line_is_exactly_so() -> None:
    cases = [row("clear", Outcome.EXACT), row("clear", Outcome.WRONG), row("refuse", Outcome.EXACT)]
    generated = [row("clear", Outcome.EXACT)] * 3 + [row("sloppy", Outcome.WRONG)]
    line = "clear=0.500 sloppy=n/a hard=n/a refuse=1.000 wrong=0.333 generated_exact=1.000 generated_wrong=0.000"
    assert last_line(cases, generated) == line
    stats = Stats(passes=4, drafted=90, accepted=81, completion_tokens=90)
    cases.append(replace(row("clear", Outcome.WRONG), stats=stats))
    assert last_line(cases, generated).endswith(" acceptance=0.9000 tokens_per_pass=22.5")


def test_the_command_scores_cases_and_generated_edits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_case(tmp_path / "cases", "values", GOOD, CHANGED)
    result = tmp_path / "results" / "accuracy.json"
    arguments = ["--cases", str(tmp_path / "cases"), "--sources", str(ORIGINALS), "--n", "12", "--json", str(result)]
    assert main(arguments) == 0
    output = capsys.readouterr().out
    assert (
        output.rstrip().split("\n")[-1].startswith("clear=1.000 sloppy=n/a hard=n/a refuse=n/a wrong=0.000 generated_")
    )
    written = json.loads(result.read_text("utf-8"))
    for key in ("tier", "strategy"):
        assert sum(sum(counts.values()) for counts in written["generated"][key].values()) == 12
    assert written["machine"]["versions"]["fastedit-apply"]
    assert written["summary"] == output.rstrip().split("\n")[-1]


def test_absent_cases_are_told_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", str(tmp_path / "none"), "--n", "0"]) == 0
    captured = capsys.readouterr()
    assert "NO APPLY CASES" in captured.err
    assert captured.out.strip().startswith("clear=n/a")


def test_originals_come_from_an_installed_package_by_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--n", "3", "--cases", str(tmp_path / "none"), "--sources", "python:pluggy"]
    main([*words, "--json", str(tmp_path / "result.json")])
    found = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert found["settings"]["n"] == 3
    assert source("python:pluggy") == Path(pluggy.__file__).parent
    with pytest.raises(SystemExit):
        main(["--sources", "python:nothing_of_that_name"])
    assert "there is no python:nothing_of_that_name" in capsys.readouterr().err
