"""Lines that two texts plainly share."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import ELISION, twins

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "}", "", ELISION]), max_size=12)


def test_lines_that_occur_once_in_both_are_twins():
    assert twins(["a", "new", "b"], ["x", "a", "y", "b"]) == {0: 1, 2: 3}


def test_a_line_that_may_be_one_of_several_has_none():
    assert twins(["}"], ["a", "}", "b", "}"]) == {}


def test_equal_lines_beside_twins_are_twins():
    assert twins(["", "a", "", "}", "new", "}"], ["}", "", "a", "", "}", "}"]) == {0: 1, 1: 2, 2: 3, 3: 4}


def test_lines_are_unique_between_twins_that_are_not_in_the_whole():
    others = ["f", "x", "g", "x", "h", "x"]
    assert twins(["f", ELISION, "x", ELISION, "g", ELISION, "x", "h"], others) == {0: 0, 2: 1, 4: 2, 6: 3, 7: 4}


def test_of_lines_that_moved_those_are_twins_whose_order_most_keep():
    assert twins(["a", "d", "b", "c"], ["a", "b", "c", "d"]) == {0: 0, 2: 1, 3: 2}


@given(LINES, LINES.map(lambda lines: [line for line in lines if line != ELISION]))
def test_twins_are_equal_and_rise(keys, others):
    found = sorted(twins(keys, others).items())
    assert all(keys[line] == others[at] for line, at in found)
    assert all(one < two and at < to for (one, at), (two, to) in pairwise(found))
