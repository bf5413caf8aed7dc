"""Lines end at `\\n` alone, and taking a text apart loses nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import body, ending, indent_of, split_lines

TEXTS = st.text(st.sampled_from("ab \t\r\n\x0b\x0c\x1c\x85\u2028\u2029"), max_size=40)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", ["\n"]),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("a\nb", ["a\n", "b"]),
        ("a\r\n\r\nb\r", ["a\r\n", "\r\n", "b\r"]),
        ("a\x0cb\x0bc\x85d\u2028e\u2029f\x1cg\n", ["a\x0cb\x0bc\x85d\u2028e\u2029f\x1cg\n"]),
    ],
)
def test_split_lines(text: str, lines: list[str]):
    assert split_lines(text) == lines


@given(TEXTS)
def test_splitting_loses_nothing(text: str):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines[:-1])
    assert len(lines) == text.count("\n") + (not text.endswith("\n") and text != "")


@given(TEXTS)
def test_a_line_is_its_body_and_its_end(text: str):
    for line in split_lines(text):
        assert body(line) + ending(line) == line
        assert ending(line) in ("", "\n", "\r\n")
        assert body(line).startswith(indent_of(line).rstrip("\r\n"))


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("x = 1\r\n", ("x = 1", "\r\n")),
        ("x = 1\n", ("x = 1", "\n")),
        ("x = 1", ("x = 1", "")),
        ("x = 1\r", ("x = 1\r", "")),
        ("\r\n", ("", "\r\n")),
        ("\r\r\n", ("\r", "\r\n")),
    ],
)
def test_ends(line: str, parts: tuple[str, str]):
    assert (body(line), ending(line)) == parts


@pytest.mark.parametrize(
    ("line", "indent"), [("\t  x", "\t  "), ("x", ""), ("   ", "   "), ("\u00a0x", ""), ("\x0c x", ""), ("", "")]
)
def test_only_blanks_and_tabs_are_indentation(line: str, indent: str):
    assert indent_of(line) == indent
