"""`python -m fastedit.training.alignment`, on edits few enough to fit in a moment."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.certainty import FACTORS, network
from fastedit.anchor.lazy.changes import CHANGE_FACTS
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.words.comments import BUCKETS, ROLES, buckets_of, log_odds
from fastedit.errors import SettingsError
from fastedit.training.alignment import everyday, forecast, mentions, wordings
from fastedit.training.alignment.__main__ import WORDINGS, main
from fastedit.training.alignment.cases import Case, RecordedChange, cut_cases, laid, read_cases, read_changes
from fastedit.training.alignment.certainty import OF_READINGS, calibrated, scores
from fastedit.training.alignment.everyday import everyday_cases, generated_cases, twin_cases
from fastedit.training.alignment.network import fit_network
from fastedit.training.alignment.weights import (
    BOUNDS,
    CaseReadings,
    find,
    fitted,
    known_result,
    mean_weights,
    minimised,
    read_weights,
)
from fastedit.training.alignment.wordings import (
    NOT_CODE,
    NOTES,
    case_comments,
    fit_wordings,
    read_wordings,
    use_classifier,
    use_classifier_without,
)

GOLDEN = Path(__file__).parents[1] / "golden"
ORIGINAL = """import os


def load(path):
    with open(path) as file:
        return file.read()


def store(path, text):
    with open(path, "w") as file:
        file.write(text)
    # tell where it is
    print(path)
"""
SMALLER = ORIGINAL.replace("    # tell where it is\n    print(path)\n", "")
LARGER = ORIGINAL.replace("return file.read()", "return file.read().strip()  # no line end")
MESSAGES = {
    "changed": (
        "```python\ndef load(path):\n    # opens it as before\n"
        "        return file.read().strip()  # no line end\n```\n",
        LARGER,
    ),
    "new": (
        "```python\nimport os\nimport sys  # new\n\n# ... rest of the file ...\n```\n",
        ORIGINAL.replace("import os\n", "import os\nimport sys\n"),
    ),
    "gone": (
        "`save` ends here:\n```python\n        file.write(text)\n    # the two lines behind it are gone\n```\n",
        SMALLER,
    ),
    "refused": ("```python\ndef other():\n    return 2\n\n# ...\ndef third():\n```\n", None),
}


def record(name: str, message: str, expected: str | None) -> dict:
    return {
        "id": name,
        "package": name,
        "format": "lazy",
        "file": "a.py",
        "files": {"a.py": ORIGINAL},
        "message": message,
        "expected": None if expected is None else {"a.py": expected},
    }


def write_rows(path, rows):
    with gzip.open(path, "wt", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def records(tmp_path):
    return write_rows(tmp_path / "train.jsonl.gz", [record(name, *told) for name, told in MESSAGES.items()])


@pytest.fixture
def pairs(tmp_path):
    rows = [{"file": "lib/a.py", "original": ORIGINAL, "result": result} for result in (SMALLER, LARGER)]
    return write_rows(tmp_path / "pairs.jsonl.gz", rows)


@pytest.fixture
def roles(tmp_path):
    return write_rows(tmp_path / "roles.jsonl.gz", [{"id": "gone", "mentions": [[0, 0, "changed"]]}])


@pytest.fixture
def few(monkeypatch, tmp_path):
    """Few wordings, fitted in a moment; so are the forecast, and what reads names."""
    monkeypatch.setattr(mentions, "EPOCHS", 2)
    monkeypatch.setattr(wordings, "ITERATIONS", 12)
    monkeypatch.setattr(forecast, "EPOCHS", 2)
    monkeypatch.setattr("fastedit.training.alignment.__main__.NUM_MADE", (2, 1, 1))
    monkeypatch.setattr(wordings, "package_comments", lambda chance: ["a comment of a package", "nothing else to do"])
    texts = {"elide": "rest unchanged", "where": "in class A", "new": "new", "gone": "removed", "code": "see above"}
    return write_rows(tmp_path / "w.jsonl.gz", [{"text": text, "label": role} for role, text in texts.items()])


def told(folder) -> dict:
    return json.loads((folder / "fitted.json").read_text("utf-8"))


def test_everything_is_fitted_and_says_how(records, pairs, few, roles, tmp_path, capsys):
    options = ["--train", records, "--calibrate", records, "--pairs", pairs, "--wordings", few, "--mentions", roles]
    options += ["--rounds", 1, "--processes", 1]
    for name in ("one", "two"):
        assert main([str(option) for option in (*options, "--out", tmp_path / name)]) == 0
    folder = tmp_path / "one"
    weights = json.loads((folder / "weights.json").read_text("utf-8"))["weights"]
    assert tuple(weights) == NAMES
    assert all(value == round(value, 4) for value in weights.values())
    certainty = json.loads((folder / "certainty.json").read_text("utf-8"))
    assert certainty["calibration"]
    found = told(folder)
    assert list(found) == ["comments", "mentions", "asking", "forecast", "weights", "certainty", "idle"]
    for stage in found.values():
        assert stage["command"].startswith("python -m fastedit.training.alignment --train ")
        assert stage["records"]["train.jsonl.gz"] == {"apply": 3, "refuse": 1}
        assert {"date", "seed", "versions"} < stage.keys()
    assert [one["round"] for one in found["weights"]["rounds"]] == [0, 1]
    assert sum(found["weights"]["rounds"][0]["cut"]["outcomes"].values()) > 0
    assert found["certainty"]["train"]["cases"] <= 4 + found["certainty"]["changes"]
    # The same seed gives the same fit.
    for name in ("weights.json", "certainty.json"):
        assert (folder / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    first, second = (np.load(tmp_path / name / "comments.npz") for name in ("one", "two"))
    assert all(np.array_equal(first[name], second[name]) for name in ("weights", "bias"))
    for stored in ("mentions.npz", "asking.npz", "forecast.npz"):
        first, second = (np.load(tmp_path / name / stored) for name in ("one", "two"))
        assert all(np.array_equal(first[name], second[name]) for name in first.files)
    assert found["mentions"]["roles"] == {"changed": 1}
    assert found["forecast"]["written"] == found["asking"]["messages"] == 3
    for stored, names in (("changes.npz", CHANGE_FACTS), ("certainty.npz", FACTORS)):
        networks = [network(tmp_path / name / stored, names) for name in ("one", "two")]
        assert networks[0].inner.shape[0] == len(names)
        assert np.array_equal(networks[0].inner, networks[1].inner)
    assert capsys.readouterr().out.count("\n") == 16


def test_one_part_is_fitted_again_alone(records, few, tmp_path):
    options = ["--train", records, "--calibrate", records, "--wordings", few, "--processes", 1, "--out", tmp_path / "o"]
    assert main([*map(str, options), "--only", "certainty"]) == 0
    stored = {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir()}
    assert stored.keys() == {path.name for path in FITTED.iterdir()}  # the others are copies
    changed = {name for name, data in stored.items() if data != (FITTED / name).read_bytes()}
    assert changed == {"certainty.json", "certainty.npz", "changes.npz", "fitted.json"}
    assert list(told(tmp_path / "o")) == ["certainty"]


def test_several_processes_fit_together(records, few, tmp_path):
    """Run as a command: what is defined in its own module isn't known to the processes that it starts."""
    options = ["--train", records, "--calibrate", records, "--wordings", few, "--out", tmp_path / "o"]
    options += ["--only", "weights", "--rounds", 1, "--processes", 2]
    command = [sys.executable, "-m", "fastedit.training.alignment", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "o" / "weights.json").is_file()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "no such file"),
        ("{}", "not records"),
        ("no json", "can't be read as JSON lines"),
        (json.dumps(record("a", "b", None) | {"format": "udiff"}), "no lazy edits"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_line(content, complaint, tmp_path, capsys):
    path = tmp_path / "train.jsonl"
    if content is not None:
        path.write_text(content, "utf-8")
    assert main(["--train", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {path}: ")
    assert complaint in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_mean_of_fits_leaves_out_what_one_lacks(tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text('{"weights": {"same": 1.0, "like": 3.0}}', "utf-8")
    second.write_text('{"weights": {"same": 2.0}}', "utf-8")
    found = mean_weights([first, second])
    assert (found["same"], found["like"], found["new"]) == (1.5, 3.0, 0.0)
    with pytest.raises(SettingsError, match="can't be read"):
        mean_weights([tmp_path / "none.json"])


def test_names_that_no_weight_has_are_refused(records, tmp_path, capsys):
    given = ["--train", records, "--calibrate", records, "--only", "weights", "--out", tmp_path / "o"]
    assert main([*map(str, given), "--free", "gap_", "nothing_like_it"]) == 2
    assert "'nothing_like_it'" in capsys.readouterr().err


def test_no_rounds_are_refused(capsys):
    assert main(["--rounds", "0"]) == 2
    assert "--rounds" in capsys.readouterr().err


def log_likelihood(groups, weights):
    """The logarithm of the probability of the right readings, summed over the groups by their weight."""
    total = 0.0
    for group in groups:
        scores = {
            right: np.array([values @ [weights[name] for name in NAMES] for values, is_right in group.readings.values()
                             if is_right or not right])
            for right in (False, True)
        }  # fmt: skip
        total += group.weight * float(np.logaddexp.reduce(scores[True]) - np.logaddexp.reduce(scores[False]))
    return total


def test_fitting_makes_right_readings_likelier(records):
    start = read_weights(FITTED / "weights.json")
    # Worse than they are, so that there is something to learn.
    start |= {"same": start["same"] / 2, "new_known": 0.0}
    groups = []
    for case in read_cases(records):
        if case.expected is not None:
            groups.append(CaseReadings(case.weight, find((case, True), start).readings))
    telling = [group for group in groups if group.tells()]
    assert telling
    weights, loss = fitted(telling, start, start)
    (before, after) = (log_likelihood(telling, numbers) for numbers in (start, weights))
    assert after > before
    assert 0 < loss <= -before + 1e-6
    assert all(lowest <= weights[name] <= highest for name, (lowest, highest) in BOUNDS.items())
    assert set(BOUNDS) <= set(NAMES)


def test_weights_that_are_held_stay(records):
    start = read_weights(FITTED / "weights.json") | {"new_known": 0.0, "same": 0.0}
    cases = [case for case in read_cases(records) if case.expected is not None]
    groups = [CaseReadings(case.weight, find((case, True), start).readings) for case in cases]
    weights, _ = fitted([group for group in groups if group.tells()], start, start, free=["same", "deleted"])
    changed = {name for name in NAMES if weights[name] != start[name]}
    assert changed
    assert changed <= {"same", "deleted"}


def test_nothing_is_fitted_to_no_readings():
    start = dict.fromkeys(NAMES, 0.5)
    assert fitted([], start, start) == (start, 0.0)


def test_the_least_loss_between_limits():
    wanted = torch.tensor([2.0, -3.0, 0.5], dtype=torch.float64)
    coupled = torch.tensor([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]], dtype=torch.float64)

    def loss(values):
        return (values - wanted) @ coupled @ (values - wanted)

    endless = torch.full((3,), torch.inf, dtype=torch.float64)
    start = torch.zeros(3, dtype=torch.float64)
    assert torch.allclose(minimised(loss, start, -endless, endless), wanted, atol=1e-6)
    highest = torch.tensor([1.0, torch.inf, 0.0], dtype=torch.float64)
    # The first one held at 1 moves the second: d/dy of 2(-1)(y+3) + 2(y+3)² is 0 at y = -2.5.
    limited = minimised(loss, start, -endless, highest)
    assert torch.allclose(limited, torch.tensor([1.0, -2.5, 0.0], dtype=torch.float64), atol=1e-6)


def test_what_a_known_result_says_of_lines_and_rows(records):
    case = next(case for case in read_cases(records) if case.name == "new")
    given = laid(case)
    from fastedit.anchor.lazy.lines import Lines
    from fastedit.anchor.lazy.search.rows import rows_of

    original = Lines(given.lines)
    rows = rows_of(given.snippets[0].lines, original, "python")
    known = known_result(given, original, rows)
    assert not known.gone.any()
    assert [rows[row].text for row in known.added] == ["import sys"]


def test_changes_are_cut_anew_for_each_seed(pairs):
    changes = read_changes(pairs)
    assert [change.file for change in changes] == ["a.py", "a.py"]
    cut = [cut_cases(changes, ["rest stays"], 2, random.Random(seed)) for seed in range(10)]
    assert cut[3] == cut_cases(changes, ["rest stays"], 2, random.Random(3))
    assert len({case.message for cases in cut for case in cases}) > 3
    assert all(case.weight < 1 and case.original == ORIGINAL for cases in cut for case in cases)


def test_everyday_edits_are_written_for_real_files(pairs, monkeypatch):
    for share in ("AMONG_SIBLINGS", "ADDED", "REINDENTED"):
        monkeypatch.setattr(everyday, share, 0.0)  # the others have tests of their own
    function = "def join(paths):\n    parts = []\n    for path in paths:\n        parts.append(path)\n    return parts"
    lines = [*ORIGINAL.splitlines()[:11], "", "", *function.splitlines()]
    change = replace(read_changes(pairs)[0], result=tuple(lines))
    cases = [case for seed in range(40) for case in everyday_cases([change], 1, random.Random(seed))]
    assert len({case.message for case in cases}) > 4
    assert any(case.original.count("\n") == len(change.result) + 1 for case in cases)
    for case in cases:
        given = laid(case)
        assert given is not None
        assert given.goal is not None
        remarks = [line for line in given.lines if line not in change.result]
        assert tuple(line for line in given.lines if line not in remarks) == change.result
        assert set(remarks) <= set(given.goal)
        assert not any(line in case.message for line in remarks)
        assert set(given.lines) <= set(given.goal) or case.message.startswith("Here is the changed function:")
        assert not any("..." in line for line in given.goal)


def test_changes_are_told_in_generated_messages():
    functions = [f"def get_{n}(path):\n    with open(path) as one:\n        return read(one, {n})\n" for n in range(8)]
    before = tuple("\n\n".join(functions).splitlines())
    change = RecordedChange("files.py", "python", before, tuple(line.replace("one, 3", "one, 4") for line in before))
    cases = [case for seed in range(12) for case in generated_cases([change], 1, random.Random(seed))]
    assert len({case.message for case in cases}) > 4
    for case in cases:
        given = laid(case)
        assert given is not None
        assert (given.lines, given.goal) == (change.original, change.result)
        assert case.weight < 1
    assert generated_cases([replace(change, result=change.original)], 1, random.Random(0)) == []


def test_golden_edits_are_cases():
    cases = read_cases(GOLDEN)
    assert len(cases) == len(list(GOLDEN.glob("*/edit.md")))
    assert all(case.expected is not None and case.file.startswith("sample.") for case in cases)


def test_a_folder_without_edits_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="no folders with"):
        read_cases(tmp_path)


def test_comments_of_a_case_are_kept_or_not(records):
    found = {case.name: [(one.text, one.roles) for one in case_comments(case)] for case in read_cases(records)}
    assert found["changed"] == [("opens it as before", NOT_CODE), ("no line end", ("code",))]
    assert found["new"] == [("new", NOT_CODE), ("... rest of the file ...", NOT_CODE)]
    assert found["refused"] == []


@pytest.mark.parametrize(
    ("result", "roles"),
    [
        ("a = 1\nb = 2\nc = 3\nd = 5\n", ("elide",)),
        ("a = 1\nc = 3\nd = 5\n", NOTES),
        ("a = 1\nb = 2\nx = 0\nc = 3\nd = 5\n", ("elide",)),
        ("a = 1\n# the second\nb = 2\nc = 3\nd = 5\n", ("code",)),
    ],
)
def test_what_is_left_between_its_neighbours_tells_a_comments_role(result, roles):
    message = "```python\na = 1\n# the second\nc = 3\nd = 5\n```\n"
    case = Case("one", "one", "a.py", "a = 1\nb = 2\nc = 3\nd = 4\n", message, result)
    assert [one.roles for one in case_comments(case)] == [roles]


def test_a_case_is_read_by_a_classifier_that_saw_none_of_its_package(records, few, tmp_path):
    path = tmp_path / "comments.npz"
    found = fit_wordings(read_wordings(few), read_cases(records), path, 0)
    assert 0 < found["accuracy_on_held_out_packages"] <= 1
    use_classifier_without(read_cases(records)[0].package)
    without = log_odds("opens it as before")
    use_classifier(path)
    assert without["code"] > log_odds("opens it as before")["code"]


def test_shipped_wordings_have_every_role():
    pairs = read_wordings(WORDINGS)
    assert {role for one in pairs for role in one.roles} == set(ROLES)
    assert len(pairs) > 8000
    assert len({one.text for one in pairs}) == len(pairs)


def test_wordings_without_roles_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="not wordings"):
        read_wordings(write_rows(tmp_path / "w.jsonl.gz", [{"text": "new", "label": "other"}]))


def test_a_text_falls_into_buckets():
    assert all(0 <= bucket < BUCKETS for bucket in buckets_of("... rest of `main()` ..."))
    assert buckets_of("Line 12 of readAll") == buckets_of("line 7 of  writeAll")
    assert buckets_of("the rest stays") != buckets_of("the rest goes")
    assert len(buckets_of("x" * 1000)) == len(buckets_of("x" * 2000))


@pytest.mark.parametrize("text", ["", "...", "new", "a comment like any other", "остальное без изменений"])
def test_every_role_has_a_probability(text):
    odds = log_odds(text)
    assert tuple(odds) == ROLES
    assert sum(np.exp(list(odds.values()))) == pytest.approx(1, abs=1e-4)


def test_odds_tell_right_readings_from_wrong_ones():
    chance = np.random.default_rng(1)
    factors = chance.normal(size=(3000, 12))
    is_right = factors[:, 1] + 0.3 * chance.normal(size=3000) > 0.5
    fitted = fit_network(factors[:2000], is_right[:2000], np.ones(2000), 1, OF_READINGS)
    odds = fitted.odds(factors[2000:])
    assert ((odds > 0) == is_right[2000:]).mean() > 0.85
    assert scores(odds, is_right[2000:].astype(float))["brier"] < 0.15


def test_the_table_of_shares_never_falls():
    chance = np.random.default_rng(2)
    odds = np.round(chance.normal(size=200), 1)
    is_right = (chance.random(200) < 1 / (1 + np.exp(-odds))).astype(float)
    table = np.array(calibrated(odds, is_right))
    assert (np.diff(table[:, 0]) > 0).all()
    assert (np.diff(table[:, 1]) >= 0).all()
    assert 0 < table[0, 1] < 0.5 < table[-1, 1] < 1
    told = np.interp(odds, table[:, 0], table[:, 1])
    assert abs(told.mean() - is_right.mean()) < 0.02
    assert abs(told[odds > 1].mean() - is_right[odds > 1].mean()) < 0.1


def test_few_cases_prove_nothing():
    assert all(0.3 < share < 0.9 for _, share in calibrated(np.array([1.0]), np.array([1.0])))
    assert calibrated(np.zeros(0), np.zeros(0)) == [[0.0, 0.5], [1.0, 0.5]]


def test_answers_are_counted_until_too_many_are_wrong():
    is_right = np.array([1.0] * 60 + [0.0] + [1.0] * 20 + [0.0] * 19)
    found = scores(np.arange(100, 0, -1.0), is_right)
    assert (found["cases"], found["exact"], found["answered_at_1%_wrong"]) == (100, 0.8, 0.81)


def test_twins_have_to_be_refused() -> None:
    body = ("    total = a", "    return total")
    lines = ("def area(a):", *body, "", "", "def edge(a):", *body)
    change = RecordedChange("shapes.py", "python", ("def area(a):", "    return a"), lines)
    cases = [case for seed in range(30) for case in twin_cases([change], 1, random.Random(seed))]
    assert len(cases) == 30
    assert {case.expected for case in cases} == {None}
    assert {case.original for case in cases} == {"".join(f"{line}\n" for line in lines)}
    shown = [line for case in cases for line in case.message.split("\n") if line.startswith("    ") and "#" not in line]
    assert any(line not in lines for line in shown)
    assert all("area" not in line and "edge" not in line for line in shown)  # neither header, which would tell


def test_lines_that_stand_once_are_no_twins() -> None:
    lines = ("def area(a):", "    total = a", "    return total")
    assert not twin_cases([RecordedChange("shapes.py", "python", lines, lines)], 1, random.Random(1))
