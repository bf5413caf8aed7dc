"""`fastedit apply --certainty P --choose N`: what is printed of an edit's readings, and taking one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.choosing import EDIT, ORIGINAL, reading
from support.command import fastedit

UNSURE = ("apply", "shapes.py", "edit.md", "--mode", "structural", "--certainty", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(ORIGINAL)
    (tmp_path / "edit.md").write_text(EDIT)
    return tmp_path


def test_a_refusal_prints_its_readings_and_how_to_choose(folder: Path) -> None:
    outcome = fastedit(*UNSURE, cwd=folder)
    assert (outcome.status, outcome.code, outcome.stdout) == (4, "ANCHOR_AMBIGUOUS", b"")
    _, *readings, last = outcome.stderr.splitlines()
    assert [line.split("reading ")[1][0] for line in readings] == ["1", "2", "3"]
    assert "`return 'solid'`" in outcome.stderr
    assert last == "choose one with --choose N or --interactive"
    assert (folder / "shapes.py").read_text() == ORIGINAL


def test_a_reading_is_chosen_by_its_number(folder: Path) -> None:
    candidates = fastedit(*UNSURE, "--json", cwd=folder).json["error"]["candidates"]
    assert all({"start_line", "end_line", "reason", "choice", "new"} <= set(one) for one in candidates)
    assert candidates[1]["choice"] == 2
    assert fastedit(*UNSURE, "--choose", "2", cwd=folder).status == 0
    assert (folder / "shapes.py").read_text() == reading(2)


def test_less_certainty_may_be_enough(folder: Path) -> None:
    outcome = fastedit("apply", "shapes.py", "edit.md", "--mode", "structural", "--certainty", "0", cwd=folder)
    assert outcome.status == 0
    assert (folder / "shapes.py").read_text() != ORIGINAL


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--certainty", "1.5"), "between 0 and 1, not 1.5"),
        (("--certainty", "nan"), "between 0 and 1, not nan"),
        (("--certainty", "high"), "--certainty"),
        (("--choose", "0"), "numbered from 1: there is no 0"),
        (("--choose", "x"), "--choose"),
    ],
)
def test_what_is_no_choice_is_wrong_usage(folder: Path, option: tuple[str, str], told: str) -> None:
    outcome = fastedit("apply", "shapes.py", "edit.md", *option, cwd=folder, env={"COLUMNS": "200"})
    assert outcome.status == 2
    assert told in outcome.stderr


def test_a_reading_that_there_is_not_is_a_refusal(folder: Path) -> None:
    outcome = fastedit(*UNSURE, "--choose", "1000", cwd=folder)
    assert (outcome.status, outcome.code) == (3, "EDIT_UNPARSABLE")


def test_places_without_numbers_are_not_to_choose_from(folder: Path) -> None:
    patch = b"<<<<<<< SEARCH\n    return 'shape'\n=======\n    return 'solid'\n>>>>>>> REPLACE\n"
    outcome = fastedit("apply", "shapes.py", "-", cwd=folder, stdin=patch)
    assert outcome.code == "ANCHOR_AMBIGUOUS"
    assert "--choose" not in outcome.stderr


def test_a_file_that_cannot_be_read_is_a_refusal_in_json_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:  # whom no mode keeps from reading: what is looked at before is to say yes
        monkeypatch.setattr(os, "access", lambda *_, **__: False)
        assert fastedit(*UNSURE, "--choose", "1", cwd=folder).status == 0
        return
    (folder / "shapes.py").chmod(0)
    outcome = fastedit(*UNSURE, "--json", cwd=folder)
    assert outcome.status == 3
    assert outcome.json["error"]["code"] == "INVALID_PATH"
