from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import ELISION, twins
from fastedit.targets import marks
from fastedit.targets.marks import places

LINES = st.lists(st.sampled_from(["alpha()", "beta(one)", "beta(two)", "  gamma", "}", "", ELISION]), max_size=12)
OTHERS = ["import os", "def load(path):", "return path.read()", "def store(path):", "path.write(text)"]
LOOPS = ["for a in b:", "x = 1", "y = 2", "skip()", "for a in b:", "x = 1", "y = 2", "last()"]


def test_equal_lines_have_the_place_that_their_neighbours_tell():
    assert places(["x = 1", "y = 2", "new()", "last()"], LOOPS).same == {0: 5, 1: 6, 3: 7}
    assert places(["x = 1", "y = 2", "skip()"], LOOPS).same == {0: 1, 1: 2, 2: 3}


def test_lines_that_may_be_in_several_places_have_none():
    found = places([ELISION, "x = 1", ELISION], LOOPS)
    assert (found.same, found.like) == ({}, {})


def test_a_line_that_may_be_either_of_two_of_the_edit_is_neither():
    assert places(["}", ELISION, "}"], ["}"]).same == {}


def test_a_changed_line_stands_for_the_one_that_it_was():
    assert places(["def load(path, mode):", ELISION, "def store(path, mode):"], OTHERS).like == {0: 1, 2: 3}


def test_a_line_has_its_place_between_its_neighbours_twins():
    assert places(["path.write(text + end)", "import os"], OTHERS).like == {}
    assert places(["import os", ELISION, "path.write(text + end)"], OTHERS).like == {2: 4}


def test_a_line_that_is_there_already_stands_for_no_other():
    assert places(["import os", "import os, sys"], OTHERS).like == {}


def test_blank_lines_have_places_and_elisions_have_none():
    assert places(["x = 1", "", ELISION, "last()"], ["x = 0", "", "skip()", "last()"]).same == {1: 1, 3: 3}


def test_what_would_take_too_long_is_left_alone(monkeypatch):
    monkeypatch.setattr(marks, "MAX_CELLS", 4)
    assert places(["def load(path, mode):"], OTHERS).like == {}


@given(LINES, LINES)
def test_places_rise_and_hold_the_twins(lines, others):
    others = [line for line in others if line != ELISION]
    found = places(lines, others)
    assert twins([line.strip() for line in lines], [line.strip() for line in others]).items() <= found.same.items()
    assert not set(found.same) & set(found.like)
    assert all(lines[line].strip() == others[at].strip() for line, at in found.same.items())
    assert all(lines[line].strip() != others[at].strip() for line, at in found.like.items())
    both = sorted((found.same | found.like).items())
    assert all(at < to for (_, at), (_, to) in pairwise(both))
