"""What is made of a target's word on drafts and readings whose results are known."""

from __future__ import annotations

import pytest

from evals.applybench.judged import FOLDS, Row, judged, worded
from fastedit.anchor.lazy.reading import NAMES

NO_FEATURES = [0.0] * len(NAMES)


def rows_with(values: list[list[float]], is_right: list[bool], count: int = 40) -> list[Row]:
    return [Row(f"package-{number}", [NO_FEATURES] * len(values), values, is_right) for number in range(count)]


def test_a_target_that_knows_the_right_reading_is_seen_to() -> None:
    knows = [[-9.0, -9.0, -3.0, -5.0], [-1.0, -1.0, 0.0, -0.5]]
    found = judged(rows_with(knows, [False, True]))
    assert found["edits"] == 40
    assert found["alignment alone"]["right"] == 0  # of equal readings the first is taken
    assert found["with the likelihood"] == {"right": 40, "more_than_alignment_95": [40, 40]}


def test_edits_with_nothing_to_choose_are_left_out() -> None:
    told = [[-1.0] * 4, [-2.0] * 4]
    assert judged(rows_with(told, [False, False]) + rows_with(told[:1], [True])) == {"edits": 0}


def drafts(certainty: float, is_right: bool, is_agreed: bool, count: int) -> list[Row]:
    return [Row(f"{is_right}-{n}", [], [], [], certainty, is_right, is_agreed) for n in range(count)]


def test_a_word_is_worth_what_it_adds_to_the_certainty() -> None:
    tells = drafts(0.5, True, True, 90) + drafts(0.5, False, True, 10)
    tells += drafts(0.5, True, False, 40) + drafts(0.5, False, False, 60)
    found = worded(tells)
    assert (found["agreed"], found["differed"]) == ({"right": 90, "wrong": 10}, {"right": 40, "wrong": 60})
    assert found["agrees"] == pytest.approx(9, rel=0.1)
    assert found["differs"] == pytest.approx(2 / 3, rel=0.1)
    assert found["log_loss"]["certainty and word"] < found["log_loss"]["certainty"]


def test_a_word_that_is_known_already_is_worth_nothing() -> None:
    known = drafts(0.9, True, True, 90) + drafts(0.9, False, True, 10)
    assert worded(known)["agrees"] == pytest.approx(1, rel=0.1)
    assert worded([]) == {"drafts": 0}


def test_the_folds_keep_a_package_together() -> None:
    folds = {Row("one", [], [], [], certainty).fold for certainty in (0.1, 0.9)}
    assert len(folds) == 1
    assert folds < set(range(FOLDS))
