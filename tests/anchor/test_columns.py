"""When the columns of a snippet's lines count."""

from __future__ import annotations

from fastedit.anchor.columns import is_realigned

THEIRS = ["\tred  = 31", "\tblue = 36"]


def test_lines_that_a_wider_new_one_pushes_to_the_right_are_realigned():
    assert is_realigned(["    red     = 31", "    blue    = 36"], THEIRS, ["    magenta = 35"])


def test_lines_without_a_new_one_among_them_are_not():
    assert not is_realigned(["    red     = 31", "    blue    = 36"], THEIRS, [])


def test_columns_that_are_those_of_the_file_are_not():
    assert not is_realigned(["    red  = 31", "    blue = 36"], THEIRS, ["    pink = 35"])


def test_white_space_that_is_folded_aligns_nothing():
    assert not is_realigned(["red = 31", "blue = 36"], THEIRS, ["magenta = 35"])


def test_a_new_line_in_another_column_settles_nothing():
    assert not is_realigned(["red     = 31", "blue    = 36"], THEIRS, ["magenta   = 35"])


def test_lines_that_the_file_does_not_align_have_no_columns():
    assert not is_realigned(["red     = 31", "blue    = 36"], ["red = 31", "blue = 36"], ["magenta = 35"])
