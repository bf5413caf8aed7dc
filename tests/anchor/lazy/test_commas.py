"""The commas of a result: behind what was the last element of a list, and behind a new one before others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.columns import Cell
from fastedit.anchor.lazy.result.commas import with_commas, with_commas_in_json


def added(text: str, at: int, *new: str) -> list[str]:
    """The lines of a text with new ones before one of them, and the commas that these need."""
    original = Lines(text.strip("\n").split("\n"))
    cells = [Cell(0, None, None, at), *(Cell(None, line, row) for row, line in enumerate(new))]
    return written([*cells, Cell(at, None, None, len(original) - at)], original)


def written(cells: Sequence[Cell], original: Lines) -> list[str]:
    result: list[str] = []
    for cell in with_commas(cells, original):
        if cell.text is not None:
            result.append(cell.text)
        elif cell.line is not None:
            result += original.texts[cell.line : cell.line + cell.count]
    return result


NAMES = """
names = [
    "ann",
    "bob"
]
"""


def test_the_last_element_gets_one() -> None:
    assert added(NAMES, 3, '    "cyd"') == ["names = [", '    "ann",', '    "bob",', '    "cyd"', "]"]
    noted = NAMES.replace('"bob"', '"bob"  # ends')
    assert added(noted, 3, '    "cyd"')[2] == '    "bob",  # ends'


def test_a_new_one_before_others_gets_one() -> None:
    assert added(NAMES, 1, '    "abe"')[1] == '    "abe",'
    assert added(NAMES, 2, '    "abe"')[2] == '    "abe",'
    assert added(NAMES, 2, "    # the rest")[2] == "    # the rest"


def test_a_bracket_in_the_column_of_the_elements_is_none() -> None:
    aligned = "a = {\n    'b': 1,\n    'c': 2\n    }"
    assert added(aligned, 3, "    'd': 3")[2:] == ["    'c': 2,", "    'd': 3", "    }"]


def test_elements_of_several_lines() -> None:
    objects = "a = {\n  b: {\n    c: 1,\n  },\n  d: {\n    e: 2,\n  }\n}"
    assert added(objects, 7, "  f: 3")[6:8] == ["  },", "  f: 3"]
    columns = "CREATE TABLE t (\n    id int,\n    name text\n);"
    assert added(columns, 3, "    born date")[2:4] == ["    name text,", "    born date"]


@pytest.mark.parametrize(
    ("text", "at", "new"),
    [
        ("def f():\n    a()\n    b()\nx = 1", 3, "    c()"),  # no brackets
        ("a = {\n    b()\n    c()\n}", 3, "    d()"),  # statements
        ("a {\n  b: 1;\n  c: 2;\n}", 3, "  d: 3;"),
        ("a = (\n    'b '\n    'c'\n)", 3, "    'd'"),  # parts of one string
        ("a = (\n    'b '\n)", 2, "    'c'"),
        ("a = [\n    1,\n    2,\n]", 3, "    3,"),  # has one
        ("a = [\n    1,\n    2\n]", 3, "        3"),  # stands further in
        ("a = [\n    x\n]", 2, "    for x in y"),  # the element goes on
        ("a = [\n    x\n    for x in y\n]", 1, "    x + 1"),
        ("class A(\n    val a: Int,\n    val b: Int,\n)", 2, "    @Name(1)"),  # belongs to what follows
    ],
)
def test_others_stay_as_they_are(text: str, at: int, new: str) -> None:
    lines = text.strip("\n").split("\n")
    assert added(text, at, new) == [*lines[:at], new, *lines[at:]]


def test_an_arm_of_rust_that_is_a_block_needs_none() -> None:
    arms = Lines(["match x {", "    A => a(),", "    B => b(),", "}"])
    cells = [Cell(0, None, None, 2), Cell(None, "    C => {", 0), Cell(None, "        c()", 1), Cell(None, "    }", 2)]
    cells.append(Cell(2, None, None, 2))
    assert [cell.text for cell in with_commas(cells, arms, "rust") if cell.is_new][-1] == "    }"
    assert [cell.text for cell in with_commas(cells, arms, "javascript") if cell.is_new][-1] == "    },"


def test_in_json_the_last_one_has_none() -> None:
    original = Lines(['{"a": [', "1,", "2", "]}"])
    cells = [Cell(0, None, None, 2), Cell(3, None)]  # 2 goes
    assert [cell.text for cell in with_commas_in_json(cells, original)] == [None, "1", None]
