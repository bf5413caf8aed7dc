"""What words say of the signs in snippets: which dots are code, which remarks are only for the reader."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.words.asides import FOR_THE_READER_ODDS, Asides, asides_of, less_like_code, speaks_of_the_edit


@pytest.mark.parametrize(
    "message",
    [
        "The `...` are real code here, not something I left out:",
        "The `...` bodies are code; what I skip is marked.",
        "I put the stub bodies on the signature line.",
        "All of them have `...` instead of `pass` now.",
        "Die `...` sind Code.",
    ],
)
def test_words_call_dots_code(message: str) -> None:
    assert asides_of(message).dots_are_code


@pytest.mark.parametrize(
    "message",
    [
        "`...` stands for code that I left out.",
        "The bodies with `...` stay.",
        "`...` is existing code.",
        "Where it says `...`, your code is as it was.",
        "I changed the code of `load`.",
        "Add it on the same line.",
        "```python\n# the `...` are real code\n```",
        "",
    ],
)
def test_other_words_leave_dots_open(message: str) -> None:
    assert not asides_of(message).dots_are_code


def test_a_remark_that_words_call_the_readers_is_known_by_what_they_quote() -> None:
    snippet = "```python\na = 1  # moved\n```"
    told = asides_of(f"Sorted now.\n\n{snippet}\n\nThe note behind `a` is for you, not for the file.")
    assert told == Asides(quoted=frozenset("a"))
    assert told.against_code("a = 1  # low", "low", True) == FOR_THE_READER_ODDS
    assert told.against_code("b = 1  # low", "low", True) == 0


@pytest.mark.parametrize(
    ("message", "behind_code", "above_code"),
    [
        ("(The remark above is just for you.)", True, False),
        ("The comments are only for you.", True, True),
        ("Los comentarios son solo para ti.", True, True),
        ("The comment above it isn't in the file any more.", False, False),
        ("This isn't part of the file.", False, False),
    ],
)
def test_remarks_without_a_quote(message: str, behind_code: bool, above_code: bool) -> None:
    told = asides_of(message)
    assert (told.against_code("a = 1  # low", "low", True) < 0) == behind_code
    assert (told.against_code("# low", "low", False) < 0) == above_code


@pytest.mark.parametrize(
    "note",
    ["already there", "moved here from the end", "(this is the first of the two)", "instead of `read`", "ya está"],
)
def test_a_comment_that_speaks_of_the_edit(note: str) -> None:
    assert speaks_of_the_edit(note)


@pytest.mark.parametrize(
    "note",
    ["moves the file", "the old name is read, too", "instead of a file, a list of them may be given", "new files"],
)
def test_a_comment_that_speaks_of_the_code(note: str) -> None:
    assert not speaks_of_the_edit(note)


def test_a_comment_that_calls_itself_a_remark_is_none_of_the_files() -> None:
    assert Asides().against_code("# skips it  <- just a remark", "skips it  <- just a remark", False) < 0


def test_odds_stay_those_of_one_comment() -> None:
    odds = less_like_code({"elide": -1.0, "code": -0.46}, -2.0)
    assert odds["code"] < odds["elide"]
