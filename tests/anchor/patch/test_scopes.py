"""What the text behind `@@` names, and what lies inside of it."""

from __future__ import annotations

import pytest

from fastedit.anchor.patch.locate import Level, LineIndex, Place
from fastedit.anchor.patch.scopes import BEHIND, INSIDE, MAX_SCOPE_LINES, NEAREST_BEHIND, Scopes
from fastedit.syntax import outline

TEXT = """\
class Harbour(Port, Named):
    def moor(self, vessel):
        check(vessel)
        return 1

    def cast_off(self, vessel):
        return 2

class Dock:
    def moor(self, vessel):
        return 3
"""
LINES = TEXT.split("\n")[:-1]


@pytest.fixture(params=["outline", "indentation"])
def scopes(request: pytest.FixtureRequest) -> Scopes:
    return Scopes(LineIndex(LINES), outline(TEXT, "python") if request.param == "outline" else None)


def place(start: int, end: int) -> Place:
    return Place(start, end, (), Level.EXACT, 1.0)


@pytest.mark.parametrize(
    ("texts", "rows"),
    [
        (("class Dock:",), [8]),
        (("class Dock",), [8]),
        (("Dock",), [8]),
        (("class Harbour(Port)",), [0]),  # its words in their order
        (("def moor(self, vessel):",), [1, 9]),
        (("class Dock:", "def moor(self, vessel):"), [9]),
        (("class Dock:", "def cast_off"), [5]),  # not inside: the last name counts all the same
        (("class Shipyard:",), []),
        ((), []),
    ],
)
def test_a_text_names_lines(scopes: Scopes, texts: tuple[str, ...], rows: list[int]):
    assert [row for row, _ in scopes.lines_of(texts)] == rows


def test_a_name_encloses_its_body(scopes: Scopes):
    assert scopes.region_end(0) == 7
    assert scopes.region_end(1) in (4, 5)  # with or without the blank line behind it
    assert scopes.region_end(8) == 11


def test_places_inside_are_worth_most_then_the_nearest_behind(scopes: Scopes):
    values = scopes.values(("def cast_off",), [place(2, 3), place(6, 7), place(8, 9), place(10, 11)])
    assert values == [0.0, INSIDE, NEAREST_BEHIND, BEHIND]


def test_without_a_scope_no_place_is_worth_more(scopes: Scopes):
    assert scopes.values((), [place(2, 3)]) == [0.0]
    assert scopes.values(("class Shipyard:",), [place(2, 3)]) == [0.0]


def test_a_header_that_spans_lines_has_its_body_behind_them():
    text = "def moor(\n    vessel,\n    berth,\n):\n    return 1\n"
    lines = text.split("\n")[:-1]
    assert Scopes(LineIndex(lines), outline(text, "python")).body_line(0) == 4
    assert Scopes(LineIndex(lines), None).body_line(0) == 1


def test_a_text_that_very_many_lines_hold_names_none():
    lines = ["return value"] * (MAX_SCOPE_LINES + 1)
    assert Scopes(LineIndex(lines), None).lines_of(("return value",)) == []
