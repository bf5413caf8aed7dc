"""Lazy edits that can be read in several ways: how certain a reading has to be, and choosing one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fastedit
from fastedit.apply import begin, check_choice, choice_of
from fastedit.edits import parse_message
from fastedit.errors import Candidate, Code, EditRefused
from fastedit.merged import DEFAULT_CERTAINTY, Choice
from support.choosing import EDIT, ORIGINAL, PATCH, reading


def refused(**how: object) -> EditRefused:
    with pytest.raises(EditRefused) as caught:
        fastedit.apply(ORIGINAL, EDIT, path="shapes.py", mode="structural", **{"certainty": 1.0, **how})
    return caught.value


def test_a_refusal_has_its_readings_numbered_and_says_how_likely_the_best_is() -> None:
    refusal = refused()
    assert refusal.code is Code.ANCHOR_AMBIGUOUS
    assert [candidate.choice for candidate in refusal.candidates] == [1, 2, 3]
    assert refusal.certainty is not None
    assert 0 < refusal.certainty < 1
    assert all("'solid'" not in candidate.reason for candidate in refusal.candidates)


def test_words_tell_what_would_be_written() -> None:
    assert Candidate(5, 6, "replaces line 6", new="return x").words == "replaces line 6: `return x`"
    assert Candidate(5, 6, "deletes line 6").words == "deletes line 6"


def test_the_certainty_that_is_asked_for_decides() -> None:
    assert fastedit.apply(ORIGINAL, EDIT, path="shapes.py", mode="structural", certainty=0.0).text != ORIGINAL
    likeliest = refused().certainty
    assert likeliest is not None
    assert refused(certainty=min(1.0, likeliest + 1e-6)).certainty == likeliest


@pytest.mark.parametrize("mode", ["structural", "auto"])
def test_a_chosen_reading_is_applied(mode: str) -> None:
    chosen = [
        fastedit.apply(ORIGINAL, EDIT, path="shapes.py", mode=mode, choose=candidate.choice, certainty=1.0)
        for candidate in refused().candidates
    ]
    assert len({applied.text for applied in chosen}) == len(chosen)
    assert {applied.strategy for applied in chosen} == {"structural"}
    assert {applied.stats.certainty for applied in chosen} == {1.0}
    lines = ORIGINAL.splitlines()
    for applied, candidate in zip(chosen, refused().candidates, strict=True):
        assert applied.text.splitlines()[: candidate.start_line] == lines[: candidate.start_line]


def test_a_reading_that_there_is_not_is_refused() -> None:
    refusal = refused(choose=1000)
    assert refusal.code is Code.EDIT_UNPARSABLE
    assert "no reading 1000" in refusal.message


@pytest.mark.parametrize(
    ("certainty", "choose"), [(-0.1, None), (1.1, None), (float("nan"), None), (None, 0), (None, -1)]
)
def test_what_is_no_choice_is_the_callers_fault(certainty: float | None, choose: int | None, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"certainty must be|numbered from 1"):
        choice_of(certainty, choose)
    with pytest.raises(ValueError, match=r"certainty must be|numbered from 1"):
        fastedit.apply_patch(EDIT, tmp_path, certainty=certainty, choose=choose)


def test_without_a_wish_the_default_counts() -> None:
    assert choice_of(None, None) == Choice(DEFAULT_CERTAINTY, None)


def test_a_choice_has_to_be_one_lazy_edits() -> None:
    lazy, patch = parse_message(EDIT), parse_message(PATCH)
    check_choice([*lazy, *patch], Choice(reading=1))
    check_choice([*lazy, *lazy], Choice())
    with pytest.raises(EditRefused, match="2 lazy edits"):
        check_choice([*lazy, *lazy], Choice(reading=1))
    with pytest.raises(EditRefused, match="only lazy edits"):
        fastedit.apply(ORIGINAL, PATCH, choose=1)
    with pytest.raises(EditRefused, match="only lazy edits"):
        begin(ORIGINAL, patch, choice=Choice(reading=1))


# ---- several files ---------------------------------------------------------------------------------------------------


def message(*edits: str) -> str:
    names = ("first.py", "second.py")
    return "\n".join(f"{name}\n```python\n{edit}```\n" for name, edit in zip(names, edits, strict=False))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "first.py").write_text(ORIGINAL)
    (tmp_path / "second.py").write_text(ORIGINAL)
    return tmp_path


def refused_patch(edit: str, root: Path, **how: object) -> EditRefused:
    with pytest.raises(EditRefused) as caught:
        fastedit.apply_patch(edit, root, mode="structural", **{"certainty": 1.0, **how})
    assert (root / "first.py").read_text() == (root / "second.py").read_text() == ORIGINAL
    return caught.value


def test_every_file_has_to_be_as_certain(root: Path) -> None:
    refusal = refused_patch(message(EDIT, EDIT), root)
    assert refusal.candidates[0].path == "first.py"
    assert refusal.certainty is not None
    changes = fastedit.apply_patch(message(EDIT, EDIT), root, mode="structural", certainty=0.0)
    assert [change.action for change in changes] == ["update", "update"]


def test_a_reading_is_chosen_for_the_one_lazy_edit(root: Path) -> None:
    edit = message(EDIT, PATCH)
    number = refused_patch(edit, root).candidates[1].choice
    fastedit.apply_patch(edit, root, mode="structural", choose=number)
    assert (root / "first.py").read_text() == reading(number, edit, "first.py")
    assert (root / "second.py").read_text() == ORIGINAL.replace("width * height", "height * width")


def test_no_reading_is_chosen_for_several(root: Path) -> None:
    refusal = refused_patch(message(EDIT, EDIT), root, choose=1)
    assert refusal.code is Code.EDIT_UNPARSABLE
    assert "2 lazy edits" in refusal.message
