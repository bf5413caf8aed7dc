"""The weight of a target's word on a draft."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastedit.targets.templates import NOTHING, WORD_FILE, Word, read_word


def test_agreement_multiplies_the_odds() -> None:
    word = Word(agrees=9.0, differs=0.25)
    assert word.certainty(0.5, is_agreed=True) == pytest.approx(0.9)
    assert word.certainty(0.5, is_agreed=False) == pytest.approx(0.2)


def test_a_word_that_was_not_measured_changes_nothing() -> None:
    for before in (0.0, 0.3, 0.99):
        assert NOTHING.certainty(before, is_agreed=True) == pytest.approx(before)
        assert NOTHING.certainty(before, is_agreed=False) == pytest.approx(before)


def test_even_what_was_certain_stays_a_probability() -> None:
    assert 0.99 < Word(agrees=5.0).certainty(1.0, is_agreed=True) <= 1.0


def test_a_word_is_read_from_the_targets_folder(tmp_path: Path) -> None:
    assert read_word(tmp_path) is NOTHING
    (tmp_path / WORD_FILE).write_text('{"agrees": 12, "differs": 0.5, "cases": 7}')
    assert read_word(tmp_path) == Word(12.0, 0.5)
