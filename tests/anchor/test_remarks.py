"""Comments of a snippet that tell a place."""

from __future__ import annotations

import pytest

from fastedit.anchor.remarks import Vocabulary, home_of, position_of, resolve_remarks
from fastedit.edits.lazy import LineKind, classify_lines

NAMES = {"add", "token", "Reader"}


def kinds(line: str, language: str) -> list[LineKind]:
    lines = classify_lines([line], lambda _: False)
    return [found.kind for found in resolve_remarks(lines, language, NAMES.__contains__, Vocabulary([]))]


@pytest.mark.parametrize("note", ["right after add( v )", "goes below add", "next to `add`"])
def test_a_remark_tells_what_code_stands_behind(note: str):
    position = position_of(note)
    assert position is not None
    assert position.name == "add"
    assert not position.is_before


@pytest.mark.parametrize("note", ["before add()", "insert above add"])
def test_a_remark_tells_what_code_stands_in_front_of(note: str):
    position = position_of(note)
    assert position is not None
    assert position.is_before


@pytest.mark.parametrize("note", ["token()", "in token", "inside token()", "Reader.token"])
def test_a_remark_tells_what_code_is_a_part_of(note: str):
    assert position_of(note) is None
    assert home_of(note) == "token"


@pytest.mark.parametrize("note", ["right after add( v )", "reads the next one", "add the token to the list of them"])
def test_other_remarks_name_no_home(note: str):
    assert home_of(note) is None


@pytest.mark.parametrize(
    ("line", "language"),
    [("#[cfg(unix)]", "rust"), ("#[Route('/')]", "php"), ("#count = 0;", "javascript"), ("--index;", "c")],
)
def test_what_is_a_comment_elsewhere_is_code(line: str, language: str):
    assert kinds(line, language) == [LineKind.CODE]


@pytest.mark.parametrize(("line", "language"), [("// token()", "rust"), ("# token()", "php"), ("-- token()", "sql")])
def test_a_comment_of_the_language_that_names_a_declaration_is_no_code(line: str, language: str):
    assert kinds(line, language) == [LineKind.MARKER]
