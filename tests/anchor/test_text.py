"""Lines prepared for comparing."""

from __future__ import annotations

import pytest

from fastedit.anchor.alike import is_same_line
from fastedit.anchor.text import LineTable, columns_of, is_closer, key_of


def test_keys_are_blind_to_white_space_alone():
    assert key_of("  a = b ( c )\t") == key_of("a=b(c)") == "a=b(c)"
    assert key_of("a = B") != key_of("a = b")


@pytest.mark.parametrize(("line", "columns"), [("x", 0), ("   x", 3), ("\tx", 4), ("  \tx", 4), ("\t  x", 6)])
def test_columns(line: str, columns: int):
    assert columns_of(line) == columns


@pytest.mark.parametrize("line", ["}", "  });", "]", "end", "</div>", "fi", "*/", "} else {"])
def test_closers(line: str):
    assert is_closer(line)


@pytest.mark.parametrize("line", ["ending = 1", "{", "final()", "done_at = now"])
def test_what_closes_nothing(line: str):
    assert not is_closer(line)


@pytest.mark.parametrize(
    ("lines", "unit"),
    [
        (["def f():", "    x", "    if x:", "        y"], "    "),
        (["a {", "  b {", "    c", "  }", "}"], "  "),
        (["f() {", "\tg()", "\tif x {", "\t\ty", "\t}", "}"], "\t"),
    ],
)
def test_the_unit_of_indentation(lines: list[str], unit: str):
    assert LineTable(lines).indent_unit == unit


@pytest.mark.parametrize(
    ("snippet", "original"),
    [
        ("x = 1", "x = 1"),
        ("x=1", "  x = 1"),
        ("limit = 30", "limit = 30  # seconds"),
        ("limit = 30;", "limit = 30; // seconds"),
        ("# a long comment about ...", "# a long comment about many things"),
    ],
)
def test_a_quoted_line_is_the_line(snippet: str, original: str):
    assert is_same_line(snippet, original)


@pytest.mark.parametrize(
    ("snippet", "original"), [("x = 1", "x = 2"), ("x = 1  # new", "x = 1"), ("limit = 3", "limit = 30"), ("X", "x")]
)
def test_another_line_is_another(snippet: str, original: str):
    assert not is_same_line(snippet, original)
