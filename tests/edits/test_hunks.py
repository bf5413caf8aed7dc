"""A hunk's lines as they were meant: prefixes that are forgotten, elisions, what is deleted and added again."""

from __future__ import annotations

import pytest

from fastedit.edits.hunks import diff_lines, indent_unit, read_lines, settle, unreadable
from fastedit.edits.model import Op, PatchLine

MARKS = {Op.KEEP: " ", Op.DELETE: "-", Op.ADD: "+", Op.SKIP: "."}


def shown(lines: list[PatchLine] | tuple[PatchLine, ...]) -> list[str]:
    return [MARKS[line.op] + line.text for line in lines]


def read(*raw: str) -> list[str]:
    return shown(read_lines(raw, indent_unit(raw)))


def test_two_sides_become_a_diff_with_the_deleted_lines_first():
    assert shown(diff_lines(["a", "b", "c", "d"], ["a", "B", "c", "e", "d"])) == [" a", "-b", "+B", " c", "+e", " d"]
    assert shown(diff_lines([], ["a"])) == ["+a"]
    assert shown(diff_lines(["a", "a"], ["a"])) == [" a", "-a"]


def test_what_is_deleted_and_added_again_is_context():
    given = [PatchLine(Op.DELETE, "a"), PatchLine(Op.DELETE, "b"), PatchLine(Op.ADD, "a"), PatchLine(Op.ADD, "c")]
    assert shown(settle(given)) == [" a", "-b", "+c"]
    assert shown(settle(given[:2])) == ["-a", "-b"]
    assert shown(settle([*given[:1], PatchLine(Op.KEEP, "k"), *given[2:]])) == ["-a", " k", "+a", "+c"]


def test_lines_with_their_prefix_are_taken_as_they_are():
    assert read(" def f():", "-    x = 1", "+    x = 2", "     return x") == [
        " def f():",
        "-    x = 1",
        "+    x = 2",
        "     return x",
    ]


@pytest.mark.parametrize(
    "raw",
    [
        ("def f():", "-    x = 1", "+    x = 2", "    return x"),  # all of them lack it
        ("    def g():", "-        x = 1", "+        x = 2", "        return x"),  # only the columns show it
    ],
)
def test_context_that_lacks_its_prefix_keeps_its_columns(raw: tuple[str, ...]):
    kept = [line[1:] for line in read(*raw) if line[0] == " "]
    assert kept == [line for line in raw if line[0] not in "+-"]


def test_of_context_that_partly_lacks_its_prefix_the_rest_loses_it():
    assert read("def f():", "-    x = 1", "+    x = 2", "     return x")[-1] == "     return x"


def test_tabs_tell_the_prefix_themselves():
    assert read(" \tx", "-\ty", "+\tz") == [" \tx", "-\ty", "+\tz"]


def test_blank_lines_and_elisions_are_told():
    assert read(" a", "", "   ", " # ... existing code ...", "+b") == [" a", " ", " ", ".", "+b"]


@pytest.mark.parametrize(
    ("lines", "unit"),
    [(["+    a", "-        b"], 4), (["+  a", "+      b"], 2), (["+a", " b"], 0), (["+\ta"], 0), (["+", "     x"], 0)],
)
def test_the_unit_is_the_changed_lines_own(lines: list[str], unit: int):
    assert indent_unit(lines) == unit


def test_a_problem_names_its_line_as_people_count():
    assert unreadable("no end", 4).message == "line 5: no end"
