"""ApplyBench: its records, how they are packed, and how they are scored."""

from __future__ import annotations

import gzip
import json
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evals.accuracy.outcomes import Outcome
from evals.applybench import curves, peers
from evals.applybench.__main__ import main
from evals.applybench.build import style_of
from evals.applybench.check import check_between, check_record, check_splits, excluded_by, is_permissive
from evals.applybench.everyday import everyday_records
from evals.applybench.peers import PEERS, Peer, PeerError, ask
from evals.applybench.records import DATA, SPLITS, BadRecord, Record, load, packed, path_of, read, record_of, text_of
from evals.applybench.score import Row, score_record, summed_up
from evals.report.write import read_section

ORIGINAL = "def area(width, height):\n    return width * height\n\n\ndef edge(width, height):\n    return 2 * width\n"
EXPECTED = ORIGINAL.replace("2 * width", "2 * (width + height)")
LAZY = "The edge forgot the height.\n\n```python\ndef edge(width, height):\n    return 2 * (width + height)\n```\n"
DIFF = """```diff
--- a/shapes/area.py
+++ b/shapes/area.py
@@ -4,3 +4,3 @@

 def edge(width, height):
-    return 2 * width
+    return 2 * (width + height)
```
"""
LAST_LINE = re.compile(
    r"cases=\d+ exact=[\d.]+ wrong=[\d.]+ refused=[\d.]+ ece=(n/a|[\d.]+) coverage_at_1=(n/a|[\d.]+)"
)


def record(**changes: Any) -> Record:
    plain = Record(
        id="edge", language="python", tier="clear", style="chat", format="lazy", file="area.py",
        files={"area.py": ORIGINAL}, message=LAZY, expected={"area.py": EXPECTED}, deletes=(),
        source="shapes==1.0 area.py (MIT)", package="shapes", licence="MIT", writer=1, checker=2, checked="agreed",
        why="",
    )  # fmt: skip
    return replace(plain, why="a function is given whole", **changes)


def refusal(**changes: Any) -> Record:
    absent = "```python\nclass Shape:\n    # ...\n    def grow(self):\n        self.size += 1\n        # ...\n```\n"
    return record(id="absent", tier="refuse", style="refuse", message=absent, expected=None, **changes)


def write_split(folder: Path, split: str, records: list[Record], more: str = "") -> None:
    path_of(split, folder).write_bytes(packed(records))
    if more:
        text = gzip.decompress(path_of(split, folder).read_bytes()).decode() + more
        path_of(split, folder).write_bytes(gzip.compress(text.encode()))


def write_case(folder: Path, one: Record, **more: Any) -> None:
    case = {name: value for name, value in asdict(one).items() if name not in ("files", "message", "expected")}
    (folder / one.id).mkdir(parents=True)
    (folder / one.id / "case.json").write_text(json.dumps(case | more), "utf-8")
    (folder / one.id / "edit.md").write_bytes(one.message.encode())
    for name, files in (("original", one.files), ("expected", one.expected)):
        for file, text in (files or {}).items():
            (folder / one.id / name).mkdir(exist_ok=True)
            (folder / one.id / name / file).write_bytes(text.encode())


# The records that are committed.


def test_every_record_is_fit_for_the_benchmark() -> None:
    counts, doubts = check_splits()
    assert counts["train"] >= 240
    assert not doubts, "\n".join(map(str, doubts))


@pytest.mark.parametrize("split", SPLITS)
def test_packing_gives_the_same_bytes(split: str) -> None:
    if not path_of(split).exists():
        pytest.skip(f"there is no {split} yet")
    data, records = path_of(split).read_bytes(), load(split)
    assert text_of(records) == gzip.decompress(data).decode("utf-8")
    # Packing all of them takes seconds, and doesn't tell more.
    again = packed(records[:10])
    assert gzip.decompress(again).decode("utf-8") == text_of(records[:10])
    assert data[3:8] == again[3:8] == bytes(5)  # no file name, no time


def test_why_a_message_is_refused_is_stored_where_somebody_said() -> None:
    told, untold = refusal(refusal="absent"), refusal()
    first, second = text_of([told, untold]).splitlines()
    assert record_of(json.loads(first), "") == told
    assert record_of(json.loads(second), "") == untold
    assert "refusal" not in json.loads(second)


def test_two_lines_load_a_split() -> None:
    readme = (DATA.parent / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(import gzip.*?)```", readme, re.DOTALL)
    values: dict[str, Any] = {}
    exec(example.replace('"train.jsonl.gz"', repr(str(path_of("train")))), values)
    assert values["records"][0]["message"] == next(read("train")).message


# What a record must be.


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tier": "easy"}, "tier is 'easy'"),
        ({"style": ""}, "style must be a text"),
        ({"message": " \n"}, "message must be a text"),
        ({"files": {"../x": "a"}, "file": None}, "no name below"),
        ({"file": "other.py"}, "not among the files"),
        ({"expected": None}, "expected is null in the tier refuse"),
        ({"deletes": ["gone.py"]}, "deletes 'gone.py'"),
        ({"checker": None}, "belong together"),
        ({"writer": True}, "must be numbers"),
        ({"colour": 1}, "unknown colour"),
        ({"refusal": "twins"}, "refusal is told where a message can't be applied"),
        ({"tier": "refuse", "expected": None, "refusal": "mood"}, "refusal is 'mood'"),
    ],
)
def test_a_bad_record_is_told_in_one_line(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRecord, match=re.escape(told)) as caught:
        record_of(asdict(record()) | changes, "train, line 1")
    assert str(caught.value).startswith("edge: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"licence": "GPL-3.0"}, "the licence"),
        ({"package": "Flask"}, "kept for judging"),
        ({"package": None}, "no package"),
        ({"expected": {"area.py": ORIGINAL}}, "as it was"),
        ({"expected": {}}, "nothing is expected"),
        ({"expected": {"area.py": EXPECTED + "\n\ndef volume(depth): ...\n"}}, "line 9 of area.py is neither"),
        ({"message": LAZY + "\0"}, "NUL"),
    ],
)
def test_what_makes_a_record_unfit(changes: dict[str, Any], told: str) -> None:
    (doubt,) = check_record(record(**changes))
    assert told in doubt


def test_indented_and_wrapped_lines_follow_from_the_message() -> None:
    wrapped = ORIGINAL.replace("2 * width", "2 * (\n        width\n        + height\n    )")
    assert not list(check_record(record(expected={"area.py": wrapped})))
    assert not list(check_record(record(expected=None, tier="refuse")))


def test_packages_and_licences() -> None:
    assert excluded_by("expo-camera")
    assert excluded_by("python3-Sphinx")
    assert excluded_by("golang-github-spf13-viper-dev")
    assert not excluded_by("golang-github-spf13-cobra-dev")
    assert is_permissive("MIT OR GPL-2.0-only")
    assert is_permissive("MIT/Apache-2.0")
    assert is_permissive("(MIT AND Zlib) OR LGPL-2.1")
    assert not is_permissive("MIT AND GPL-2.0-only")
    assert not is_permissive("")


def test_splits_share_nothing() -> None:
    other = record(id="other", writer=3, files={"area.py": "x = 1\n"})
    doubts = {str(doubt) for doubt in check_between({"train": [record()], "test": [other, record(writer=4)]})}
    assert any(doubt.startswith("edge: 2 records have this id") for doubt in doubts)
    assert any(doubt.startswith("package shapes: is in 2 splits") for doubt in doubts)
    long = {"area.py": ORIGINAL * 3}
    apart = {"train": [record(files=long)], "test": [record(id="b", package="b", writer=3, files=long)]}
    assert [str(doubt)[:17] for doubt in check_between(apart)] == ["the same original"]


def test_check_goes_on_behind_a_bad_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_split(tmp_path, "train", [record(), record(id="gpl", licence="GPL-3.0")], more='{"id": "half"}\nnothing\n')
    assert main(["check", "--data", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["gpl", "half", "train, line 4"]
    assert lines[-1] == "train=2 validation=none test=none doubts=3"
    write_split(tmp_path, "train", [record(), refusal()])
    assert main(["check", "--data", str(tmp_path)]) == 0


# Packing.


def build(folder: Path, writers: dict[int, str], *cases: Record) -> int:
    for one in cases:
        write_case(folder / "cases", one)
    (folder / "splits.json").write_text(json.dumps({"writers": writers}), "utf-8")
    words = ["--cases", folder / "cases", "--split-by", folder / "splits.json", "--out", folder / "data"]
    return main(["build", *map(str, words)])


def test_cases_are_packed_by_writer(tmp_path: Path) -> None:
    there = record(id="older", writer=9, package="old")
    (tmp_path / "data").mkdir()
    write_split(tmp_path / "data", "train", [there, record(id="former")])
    held_out = refusal(writer=3, package=None, licence="written for this set", source="written for this set")
    assert build(tmp_path, {1: "train", 3: "test"}, record(), held_out) == 0
    assert load("train", tmp_path / "data") == [record(), there]
    assert load("test", tmp_path / "data") == [held_out]
    assert not path_of("validation", tmp_path / "data").exists()
    before = path_of("train", tmp_path / "data").read_bytes()
    assert build(tmp_path, {1: "train", 3: "test"}) == 0
    assert path_of("train", tmp_path / "data").read_bytes() == before


def test_a_package_in_two_splits_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = record(id="other", writer=3, package="Shapes", files={"area.py": "x = 1\n"})
    assert build(tmp_path, {1: "train", 3: "test"}, record(), other) == 2
    assert "package shapes: is in 2 splits (train: edge; test: other)" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_what_stops_a_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(tmp_path, {1: "train"}, record(), record(id="b", writer=7)) == 2
    assert "no split is named for writer 7" in capsys.readouterr().err
    assert build(tmp_path, {1: "exam"}) == 2
    assert "'exam', which is no split" in capsys.readouterr().err


def test_a_bad_case_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(tmp_path / "cases", record(id="odd"), tier="easy")
    assert build(tmp_path, {1: "train"}, record()) == 1
    assert "left out odd: tier is 'easy'" in capsys.readouterr().err
    assert load("train", tmp_path / "data") == [record()]


def test_styles_that_nobody_named() -> None:
    assert style_of({"tier": "refuse"}, LAZY) == "refuse"
    assert style_of({"tier": "clear", "format": "udiff"}, DIFF) == "patch"
    assert style_of({"tier": "clear", "format": "lazy"}, LAZY) == "chat"
    assert (
        style_of({"tier": "clear", "format": "lazy"}, LAZY.replace("    return", "    # ...\n    return")) == "markers"
    )
    assert style_of({"tier": "clear", "format": "lazy", "language": "json"}, LAZY) == "partial"
    assert style_of({"tier": "clear", "format": "lazy"}, "I'll change it.\n\ndef edge(): ...\n") == "agent"


# Scoring.


def score(folder: Path, *words: str) -> int:
    return main(["score", "--split", "train", "--data", str(folder), *words])


def test_what_becomes_of_records() -> None:
    right = score_record(record(), "train", "fastedit-structural")
    assert (right.outcome, right.is_answered, right.certainty is not None) == ("exact", True, True)
    other = record(expected={"area.py": EXPECTED + "# more\n"})
    wrong = score_record(other, "train", "fastedit-structural", with_diff=True)
    assert (wrong.outcome, "-# more" in wrong.diff) == ("wrong", True)
    assert score_record(refusal(), "train", "fastedit-structural").outcome == "exact"
    refused = score_record(
        replace(refusal(), tier="hard", expected={"area.py": EXPECTED}), "train", "fastedit-structural"
    )
    assert (refused.outcome, refused.is_answered) == ("refused", False)


def test_what_becomes_of_a_record_of_several_files() -> None:
    several = record(file=None, message=f"### area.py\n\n{LAZY}\n### new.py\n\n```python\nx = 1\n```\n",
                     expected={"area.py": EXPECTED, "new.py": "x = 1\n"}, format="multi_file")  # fmt: skip
    assert score_record(several, "train", "fastedit-structural").outcome == "exact"


def test_withheld_answers_count_for_the_curve() -> None:
    """An edit that fits two places: the likelier one is known to be right, or wrong, though it isn't applied."""
    twice = "def area(a):\n    b = a\n    return round(b)\n\n\ndef edge(a):\n    b = a * 4\n    return round(b)\n"
    message = "```python\n# ... existing code ...\n    return round(b, 2)\n# ... existing code ...\n```\n"
    first = twice.replace("round(b)", "round(b, 2)", 1)
    asked = {"files": {"area.py": twice}, "message": message}
    right = score_record(record(**asked, expected={"area.py": first}), "train", "fastedit-structural")
    assert (right.outcome, right.is_right, right.is_answered) == ("refused", True, False)
    assert right.certainty is not None
    assert 0 < right.certainty < 1
    wrong = score_record(record(**asked, expected={"area.py": EXPECTED}), "train", "fastedit-structural")
    assert (wrong.outcome, wrong.is_right) == ("refused", False)
    refuse = score_record(replace(refusal(), **asked), "train", "fastedit-structural")
    assert (refuse.outcome, refuse.is_right) == ("exact", False)


def test_an_exception_is_an_error_that_quotes_nothing_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import fastedit

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret line")

    monkeypatch.setattr(fastedit, "apply", fail)
    assert score_record(record(), "train", "fastedit-auto").note == "RuntimeError: secret line"
    held_out = score_record(record(), "test", "fastedit-auto")
    assert (held_out.outcome, held_out.note) == ("error", "RuntimeError")


def test_bad_records_and_missing_peers_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_split(tmp_path, "train", [record(), refusal()], more='{"id": "half"}\n')
    result = tmp_path / "results" / "train.json"
    assert score(tmp_path, "--peer", "nobody", "--json", str(result), "--quick", "--plot", str(tmp_path / "a.png")) == 0
    captured = capsys.readouterr()
    assert "left out half: no " in captured.err
    assert "PEER nobody: there is no such peer" in captured.err
    last = captured.out.splitlines()[-1]
    assert LAST_LINE.fullmatch(last)
    assert last.startswith("cases=2 exact=1.000 wrong=0.000 refused=0.000")
    assert (tmp_path / "a.png").stat().st_size > 1000
    data = json.loads(result.read_text("utf-8"))
    assert sorted(row["id"] for row in data["rows"]) == ["absent", "edge"]
    idle = tmp_path / "idle.tsv"
    idle.write_text("open\tHere it is:\nclose\tNo fence here.\n", "utf-8")
    assert score(tmp_path, "--idle", str(idle)) == 0
    idle.write_text("nothing\n", "utf-8")
    assert score(tmp_path, "--idle", str(idle)) == 2
    assert "line 1" in capsys.readouterr().err
    assert score(tmp_path, "--format", "multi_file") == 1
    assert "no records" in capsys.readouterr().err
    section = read_section(result)
    assert {table.title for table in section.tables} >= {"By tier", "By style", "By format"}
    assert len(section.plots) == 3
    for table in section.tables:
        assert all(len(row) == len(table.head) for row in table.rows)


def test_a_peer_that_is_not_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "HOME", tmp_path / "peers")
    write_split(tmp_path, "train", [record()])
    assert score(tmp_path, "--peer", "aider") == 0
    assert "PEER aider: not installed: python -m evals.applybench peers install aider" in capsys.readouterr().err
    assert main(["peers"]) == 0
    assert main(["peers", "install", "nobody"]) == 1
    assert "PEER nobody: there is no such peer" in capsys.readouterr().err


def test_held_out_differences_are_shown_only_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = record(expected={"area.py": EXPECTED.replace("width * height", "height * width")})
    for split in ("train", "test"):
        write_split(tmp_path, split, [odd])
    assert main(["score", "--split", "test", "--data", str(tmp_path), "--show"]) == 0
    assert "height * width" not in capsys.readouterr().out
    for words in (["--split", "test", "--show-held-out"], ["--split", "train", "--show"]):
        assert main(["score", "--data", str(tmp_path), *words]) == 0
        assert "height * width" in capsys.readouterr().out


def test_nothing_to_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(tmp_path) == 1
    assert "there is no split train yet" in capsys.readouterr().err


def test_plain_edits_are_made_from_the_files_of_a_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = '"ann reed"', '"bob lane"', '"cyd hill"', '"dan moor"'
    text = "".join(f"{line}\n" for line in ("NAMES = [", *(f"    {name}," for name in names), "]", "", "x = 1"))
    one = record(files={"area.py": text}, expected={"area.py": text.replace("x = 1", "x = 2")})
    write_split(tmp_path, "test", [one])
    write_split(tmp_path, "validation", [])
    made = [found for seed in range(20) for _, found in everyday_records(["test"], tmp_path, 1, Random(seed))]
    assert {found.id for found in made} == {"everyday-added-1", "everyday-changed-1"}
    for found in made:
        assert found.expected is not None
        assert found.files != found.expected
        assert "```python\n" in found.message
    stored = tmp_path / "out.json"
    assert main(["everyday", "--count", "2", "--data", str(tmp_path), "--json", str(stored)]) == 0
    assert LAST_LINE.fullmatch(capsys.readouterr().out.splitlines()[-1])
    kinds = json.loads(stored.read_text("utf-8"))["kinds"]
    assert sum(sum(counts.values()) for counts in kinds.values()) == 2
    assert main(["everyday", "--split", "validation", "--data", str(tmp_path)]) == 1


def test_programs_get_the_file_where_the_diff_says() -> None:
    diff = record(format="udiff", message=DIFF)
    assert score_record(diff, "train", "git-apply").outcome == "exact"
    off = replace(diff, message=DIFF.replace("2 * width\n", "3 * width\n"))
    assert score_record(off, "train", "patch").outcome == "refused"
    assert not PEERS["patch"].reads(record())


def own_peer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> Peer:
    """A peer whose environment is this one, and whose runner is the script."""
    runner = tmp_path / "runner.py"
    runner.write_text(
        f"import json, sys\nfor line in sys.stdin:\n    request = json.loads(line)\n    {script}\n", "utf-8"
    )
    monkeypatch.setattr(peers, "RUNNER", runner)
    monkeypatch.setattr(peers, "_python", lambda name: Path(sys.executable))
    monkeypatch.setattr(peers, "_conversations", {})
    return Peer("mine", frozenset({"lazy"}), "for the test", packages=("mine",))


def test_a_peer_in_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = 'print(json.dumps({"files": request["files"]} if request["snippets"] else {"refused": "no"}), flush=True)'
    answer = ask(own_peer(monkeypatch, tmp_path, told), record())
    assert answer.files == record().files
    peers.close_all()


@pytest.mark.parametrize("script", ["sys.exit(1)", "print('no JSON', flush=True)", "print('{}', flush=True)"])
def test_a_peer_that_breaks_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    with pytest.raises(PeerError):
        ask(own_peer(monkeypatch, tmp_path, script), record())
    peers.close_all()


def test_what_certainty_is_worth() -> None:
    claims = [(0.95, True), (0.95, True), (0.9, False), (0.4, True)]
    bins = curves.reliability(claims)
    assert [entry.count for entry in bins] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 3]
    assert curves.calibration_error(bins) == pytest.approx((abs(2.8 - 2) + abs(0.4 - 1)) / 4)
    points = curves.risk_coverage(claims, 8)
    assert [(point.coverage, round(point.risk, 3)) for point in points] == [(0.25, 0.0), (0.375, 0.333), (0.5, 0.25)]
    assert curves.coverage_at(points) == 0.25
    assert curves.calibration_error(curves.reliability([])) is None
    assert curves.coverage_at([]) == 0.0


def test_sums_by_system() -> None:
    about = ("train", "fastedit-structural", "clear", "chat", "python", "lazy", "7")
    rows = [
        Row("a", *about, Outcome.EXACT, 2.0, 0.9, True, True),
        Row("b", *about, Outcome.WRONG, 4.0, 0.8, False, True),
    ]
    rows.append(replace(rows[1], system="fastedits", certainty=None))
    result = summed_up(rows, ["fastedit-structural", "fastedits"])
    assert result["applybench"] == {"train": 2}
    assert result["systems"]["fastedits"]["beside"] == {"exact": 0, "wrong": 1, "refused": 0, "error": 0}
    assert result["systems"]["fastedits"]["coverage_at_1"] is None
    likeliest = result["systems"]["fastedit-structural"]["likeliest"]
    assert (likeliest["0"], likeliest["0.85"]) == ({"right": 1, "wrong": 1}, {"right": 1, "wrong": 0})
    assert [row["is_right"] for row in result["rows"]] == [True, False, False]
    assert result["systems"]["fastedits"]["by"]["writer"] == {"7": {"exact": 0, "wrong": 1, "refused": 0, "error": 0}}
    assert result["summary"] == "cases=2 exact=0.500 wrong=0.500 refused=0.000 ece=0.450 coverage_at_1=0.500"
