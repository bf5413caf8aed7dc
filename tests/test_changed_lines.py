"""What makes one text out of another, line by line."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import changed_lines
from support.examples import examples

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=9)


@examples(200)
@given(TEXTS, TEXTS)
def test_the_changes_make_the_new_lines_and_stand_apart(old: list[str], new: list[str]) -> None:
    changes = changed_lines(old, new)
    result = list(old)
    for start, end, texts in reversed(changes):
        assert texts or end > start
        result[start:end] = texts
    assert result == new
    assert all(one[1] < other[0] for one, other in pairwise(changes))


def test_as_few_lines_as_can_be_change() -> None:
    assert changed_lines(["a", "b", "c"], ["a", "x", "y", "c", "d"]) == [(1, 2, ["x", "y"]), (3, 3, ["d"])]
    assert changed_lines(["a"], ["a"]) == []
    assert changed_lines(["a", "b"], []) == [(0, 2, [])]
