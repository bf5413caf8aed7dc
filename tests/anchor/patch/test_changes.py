"""What a hunk changes once its place is known, and how its new lines are indented."""

from __future__ import annotations

import pytest

from fastedit.anchor.patch.changes import (
    BESIDE_LEFT_OUT_COMMENT,
    BETWEEN_LEFT_OUT_LINES,
    SURE,
    UNTOLD,
    HunkChange,
    Reindenter,
    changed_span,
    changes_at,
    composed,
)
from fastedit.anchor.patch.locate import Level, LineIndex, Place
from fastedit.edits.model import Format, Op, PatchLine

OPS = {" ": Op.KEEP, "-": Op.DELETE, "+": Op.ADD}


def patch(*lines: str) -> list[PatchLine]:
    return [PatchLine(OPS[line[0]], line[1:]) for line in lines]


def changes(original: list[str], rows: list[int | None], *lines: str) -> list[HunkChange]:
    """The changes of a hunk whose expected lines quote these rows."""
    spans = tuple(None if row is None else (row, row + 1) for row in rows)
    told = [row for row in rows if row is not None]
    place = Place(told[0], told[-1] + 1, spans, Level.LOOSE, 1.0)
    return changes_at(LineIndex(original), patch(*lines), place, Format.SEARCH_REPLACE)


def test_a_line_is_replaced():
    assert changes(["a", "b", "c"], [0, 1, 2], " a", "-b", "+B", " c") == [HunkChange(1, 2, ("B",))]


def test_new_lines_go_between_their_neighbours():
    assert changes(["a", "c"], [0, 1], " a", "+b", " c") == [HunkChange(1, 1, ("b",))]


def test_lines_apart_are_changes_of_their_own():
    found = changes(["a", "b", "c", "d"], [0, 1, 2, 3], "-a", "+A", " b", " c", "-d", "+D")
    assert found == [HunkChange(0, 1, ("A",)), HunkChange(3, 4, ("D",))]


def test_a_blank_line_that_the_patch_leaves_out_parts_two_changes():
    found = changes(["a", "", "b"], [0, 2], "-a", "+A", "-b", "+B")
    assert found == [HunkChange(0, 1, ("A",)), HunkChange(2, 3, ("B",))]


@pytest.mark.parametrize(("added", "at"), [("+    x", 1), ("+", 1)])
def test_beside_a_blank_line_new_lines_go_below_their_upper_neighbour(added: str, at: int):
    (change,) = changes(["a", "", "b"], [0, 2], " a", added, " b")
    assert (change.start, change.end) == (at, at)


def test_new_lines_that_end_with_a_blank_one_go_above_their_lower_neighbour():
    (change,) = changes(["a", "", "b"], [0, 2], " a", "+x", "+", " b")
    assert (change.start, change.lines) == (2, ("x", ""))


@pytest.mark.parametrize(
    ("left_out", "certainty"),
    [("", SURE), ("# a remark", BESIDE_LEFT_OUT_COMMENT), ("call()", BETWEEN_LEFT_OUT_LINES)],
)
def test_what_the_patch_leaves_out_at_the_change_makes_it_uncertain(left_out: str, certainty: float):
    (change,) = changes(["a", left_out, "b"], [0, 2], " a", "+x", " b")
    assert change.certainty == certainty
    assert bool(change.reason) == (certainty < SURE)


def test_without_any_neighbour_the_lines_could_be_anywhere():
    place = Place(0, 1, (None,), Level.FUZZY, 0.8)
    (change,) = changes_at(LineIndex(["a"]), patch(" lost", "+x"), place, Format.SEARCH_REPLACE)
    assert change.certainty == UNTOLD


def test_the_span_of_a_hunk_covers_all_of_its_changes():
    place = Place(0, 4, ((0, 1), (1, 2), (2, 3), (3, 4)), Level.EXACT, 1.0)
    assert changed_span(patch(" a", "-b", " c", "+x", " d"), place) == (1, 3)
    assert changed_span(patch(" a", " b", " c", " d"), place) == (0, 0)


def test_blanks_at_line_ends_that_the_file_does_not_have_are_dropped_from_new_lines():
    (change,) = changes(["a", "b"], [0, 1], " a  ", "+x  ", " b")
    assert change.lines == ("x",)


@pytest.mark.parametrize(
    ("pairs", "line", "expected"),
    [
        ([("a", "    a")], "b", "    b"),  # from the margin to a depth
        ([("a", "    a")], "  b", "      b"),
        ([("  a", "    a"), ("    b", "        b")], "      c", "            c"),  # steps of two to steps of four
        ([("a", "\ta"), ("    b", "\t\tb")], "        c", "\t\t\tc"),  # blanks to tabs
        ([("\ta", "    a"), ("\t\tb", "        b")], "\t\t\tc", "            c"),  # tabs to blanks
        ([("        a", "    a")], "    b", "b"),  # less deep than all that is known
        ([("a", "a")], "  b", "  b"),
    ],
)
def test_new_lines_are_indented_as_the_file_is(pairs: list[tuple[str, str]], line: str, expected: str):
    assert Reindenter(pairs, [line], []).rewrite(line) == expected


def test_without_quoted_lines_the_files_own_manner_counts():
    original = ["def f():", "\treturn 1"]
    assert Reindenter([("def f():", "def f():")], ["    x = 1"], original).rewrite("    x = 1") == "\tx = 1"
    blanked = Reindenter([("def f():", "def f():")], ["\tx = 1"], ["def f():", "    return 1"])
    assert blanked.rewrite("\tx = 1").startswith(" ")


def test_later_changes_are_told_in_lines_of_the_original():
    first = [HunkChange(1, 2, ("B",), 0.9, "as it is"), HunkChange(3, 3, ("x", "y"))]
    rows, texts = [0, None, 2, None, None, 3], ["a", "B", "c", "x", "y", "d"]
    later = [HunkChange(4, 5, ("Y",))]  # of what the first made of it
    found = composed(first, later, rows, texts, 0.5, "one after the other")
    assert found == [first[0], HunkChange(3, 3, ("x", "Y"), 0.5, "one after the other")]


def test_a_later_change_can_take_what_an_earlier_one_left():
    first = [HunkChange(1, 2, ("B",))]
    found = composed(first, [HunkChange(0, 2, ())], [0, None, 2], ["a", "B", "c"], 0.5, "both")
    assert found == [HunkChange(0, 2, (), 0.5, "both")]
