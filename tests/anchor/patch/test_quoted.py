"""Which badly quoted line still is the line, and which is another one."""

from __future__ import annotations

import pytest

from fastedit.anchor.patch.quoted import (
    CASE_DIFFERS,
    COMMENT_DIFFERS,
    EXACT,
    INDENT_DIFFERS,
    IS_SHORTENED,
    NONE,
    SPACING_DIFFERS,
    STYLE_DIFFERS,
    is_comment,
    likeness,
    loose_key,
    weight_of,
)


@pytest.mark.parametrize(
    ("quoted", "original", "value"),
    [
        ("x = call(1)", "x = call(1)", EXACT),
        ("x = call(1)", "    x = call(1)  ", INDENT_DIFFERS),
        ("x=call( 1 )", "x = call(1)", SPACING_DIFFERS),
        ("SELECT name FROM users", "select name from users", CASE_DIFFERS),
        ("say('done')", 'say("done");', STYLE_DIFFERS),
        ("call(one, two)", "call(one, two,)", STYLE_DIFFERS),
        ("total = a + b", "total = a + b  # the sum", COMMENT_DIFFERS),
        ("total = a + b;", "total = a + b; // the whole sum", COMMENT_DIFFERS),
        ("total = a /* sum */", "total = a", COMMENT_DIFFERS),
        ("raise ValueError(f'{name} in ...')", "raise ValueError(f'{name} in {path} is missing')", IS_SHORTENED),
    ],
)
def test_the_same_line_quoted_otherwise_is_the_same(quoted: str, original: str, value: float):
    found = likeness(quoted, original)
    assert (found.value, found.is_same) == (value, True)


@pytest.mark.parametrize(
    ("quoted", "original"),
    [
        ("return fetch(url, timeout=5)", "return fetch(url, timeout=10)"),
        ("def load_users(self):", "def load_user(self):"),
        ("x = 10 // 2", "x = 10"),  # an operator, no comment
        ("call(first, ...rest)", "call(first, second, third, rest)"),  # a spread, no dots for what is left out
    ],
)
def test_another_name_or_argument_is_another_line(quoted: str, original: str):
    assert not likeness(quoted, original).is_same


def test_lines_with_nothing_in_common_are_not_alike():
    assert likeness("import os", "class Harbour:") == NONE
    assert likeness("", "class Harbour:") == NONE
    assert likeness("a=1", "b=2") == NONE  # too short to be told


def test_a_comment_may_be_cut_or_reworded_but_not_replaced():
    original = "# Vessels are sorted by their draught, the deepest first"
    assert likeness("# Vessels are sorted by their draught", original).is_same
    assert likeness("# Vessels are sorted by the draught, deepest first", original).is_same
    assert not likeness("# Vessels are listed by name", original).is_same


def test_typographic_look_alikes_are_read_as_plain_ones():
    assert loose_key("say(“It’s – done”)") == loose_key('say("It\'s - done")')


def test_finding_a_long_line_weighs_more_than_a_bracket_and_a_bracket_more_than_a_blank():
    weights = [weight_of(line) for line in ("", "});", "pass", "    return self.harbour.vessels_by_draught()")]
    assert weights == sorted(weights)
    assert weights[-1] == 1.0


COMMENTS = "# note", "  // note", "/* note", " * note", "-- note", "<!-- note", "; note", '"""Note'


@pytest.mark.parametrize("line", COMMENTS)
def test_comments_of_the_usual_languages_are_told(line: str):
    assert is_comment(line)


@pytest.mark.parametrize("line", ["#include <x>", "*pointer = 1", "--count;", "%d", "x = 1  # note"])
def test_code_that_begins_like_a_comment_is_none(line: str):
    assert not is_comment(line)
