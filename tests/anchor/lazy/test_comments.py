"""The comments of a snippet: what the classifier takes, and where a comment behind code begins."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words.comments import (
    BUCKETS,
    MAX_CHARACTERS,
    ROLES,
    Comments,
    buckets_of,
    dressing,
    is_pointed,
    log_odds,
    names_alone,
    normalised,
    split_trailing,
)
from fastedit.edits.wording import comment_text

PYTHON = Lines(["import os", "", "def load(path):", "    limit = 3", "    return open(path, limit)", "", "# the end"])


def signs_of(texts: list[str], number: int, language: str = "python") -> set[str]:
    """What stands around the comment in a line of a snippet for `PYTHON`."""
    note = comment_text(texts[number])
    assert note is not None
    return set(Comments(texts, PYTHON, language).signs(note, number))


def test_what_stands_around_a_comment_tells_about_it() -> None:
    shown = ["def load(path):", "    # limit", "", "    return open(path, limit)"]
    found = signs_of(shown, 1)
    assert {"above known False", "below known True", "alone between known and known", "gap 2"} <= found
    assert "known4" in found
    assert found != signs_of(shown, 1, "javascript")


def test_a_comment_between_lines_that_stand_together_elides_nothing() -> None:
    assert "gap 1" in signs_of(["def load(path):", "# here", "    limit = 3"], 1)
    assert "gap 0" in signs_of(["    limit = 3", "# here", "def load(path):"], 1)
    assert "gap open" in signs_of(["# here", "    limit = 3"], 0)


def test_a_comment_like_one_of_the_files_own_is_told() -> None:
    assert "like 5" in signs_of(["# the ends"], 0)
    assert "like 0" in signs_of(["# everything else stays as it was"], 0)


def test_a_line_that_is_commented_out_is_told() -> None:
    assert "code True False" in signs_of(["# limit = 3"], 0)
    assert "code False True" in signs_of(["# type: ignore"], 0)


def test_the_surroundings_change_the_odds() -> None:
    words = "the limit"
    between = tuple(Comments(["import os", "# the limit", "# the end"], PYTHON, "python").signs(words, 1))
    alone = tuple(Comments(["# the limit", "size = 3"], PYTHON, "python").signs(words, 0))
    assert log_odds(words, between)["elide"] > log_odds(words, alone)["elide"]


HASHES, SLASHES = ("#",), ("//", "/*")


@pytest.mark.parametrize(
    ("line", "signs", "code", "note"),
    [
        ("x = 1  # new", HASHES, "x = 1", "new"),
        ("    x = 1 # new", HASHES, "    x = 1", "new"),
        ("let x = 1; // new", SLASHES, "let x = 1;", "new"),
        ("let x = 1; /* new */", SLASHES, "let x = 1;", "new"),
        ('url = "http://a.b/#c"  # new', HASHES, 'url = "http://a.b/#c"', "new"),
        ("const url = 'http://a.b'; // new", SLASHES, "const url = 'http://a.b';", "new"),
        ("s = 'it\\'s # not'  # new", HASHES, "s = 'it\\'s # not'", "new"),
        ("const s = `a // b`; // new", SLASHES, "const s = `a // b`;", "new"),
        ("x = 1  # a # b", HASHES, "x = 1", "a # b"),
        ("x = 1  ← new", HASHES, "x = 1", "← new"),
        ("let x = 1 <- new", SLASHES, "let x = 1", "<- new"),
        ("x = 1  # <- new", HASHES, "x = 1", "<- new"),
    ],
)
def test_a_comment_behind_code_is_split_off(line: str, signs: tuple[str, ...], code: str, note: str) -> None:
    assert split_trailing(line, signs) == (code, note)


@pytest.mark.parametrize(
    ("line", "signs"),
    [
        ("", HASHES),
        ("x = 1", HASHES),
        ("# only a comment", HASHES),
        ("   // only a comment", SLASHES),
        ('url = "http://a.b/ # c"', HASHES),
        ("const url = 'a // b';", SLASHES),
        ("x = a // b", HASHES),
        ("color: #fff;", ("/*",)),
        ("x = y#z", HASHES),
        ("call(/* a */ b)", SLASHES),
    ],
)
def test_nothing_is_split_off_where_no_comment_stands(line: str, signs: tuple[str, ...]) -> None:
    assert split_trailing(line, signs) is None


def test_only_the_languages_own_signs_begin_a_comment() -> None:
    line = "select a -- the key"
    assert split_trailing(line, ("--",)) == ("select a", "the key")
    assert split_trailing(line, HASHES) is None


@given(st.text(alphabet="ab #/'\"`\\<-", max_size=24))
def test_splitting_takes_no_characters_of_the_code(line: str) -> None:
    found = split_trailing(line, ("#", "//"))
    if found is not None:
        code, note = found
        assert line.startswith(code)
        assert code == code.rstrip()
        assert code.strip()
        assert line.rstrip().endswith(note)


@pytest.mark.parametrize(
    ("note", "pointed"), [("<- new", True), ("← here", True), ("<-- x", True), ("new", False), ("-> x", False)]
)
def test_arrows_point_at_the_code_before_them(note: str, pointed: bool) -> None:
    assert is_pointed(note) is pointed


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("# a", "a"),
        ("  // a", "a"),
        ("<!-- a -->", "a"),
        ("/* a */", "a"),
        ("-- a", "a"),
        ("{/* a */}", "a"),
        ("x # a", None),
    ],
)
def test_what_a_comment_that_fills_its_line_says(line: str, note: str | None) -> None:
    assert comment_text(line) == note


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("... load_all stays ...", "... save_all stays ..."),
        ("lines 10-20 unchanged", "lines 7-99 unchanged"),
        ("Rest   of THE file", "rest of the file"),
        ("the other methods of `Store`", "the other methods of `Other.thing`"),
        ("keep getValue()", "keep setValue()"),
    ],
)
def test_names_numbers_and_letter_case_tell_nothing(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)
    assert buckets_of(one) == buckets_of(other)
    assert log_odds(one) == log_odds(other)


def test_words_tell_something() -> None:
    assert normalised("existing code") != normalised("new code")
    assert buckets_of("existing code") != buckets_of("new code")


@given(st.text(max_size=2 * MAX_CHARACTERS))
def test_the_odds_of_any_text_are_probabilities(text: str) -> None:
    odds = log_odds(text)
    assert tuple(odds) == ROLES
    assert sum(math.exp(value) for value in odds.values()) == pytest.approx(1, abs=1e-4)
    assert all(0 <= bucket < BUCKETS for bucket in buckets_of(text))


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("... existing code ...", "elide"),
        ("rest of the file unchanged", "elide"),
        ("...", "elide"),
        ("removed: the old cache", "gone"),
        ("Guards against empty input from the parser.", "code"),
        ("seconds", "code"),
    ],
)
def test_plain_wordings_are_told_apart(text: str, role: str) -> None:
    odds = log_odds(text)
    assert max(odds, key=lambda name: odds[name]) == role


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("# --- the handlers ---", "-"),
        ("    // ── parsing ──", "─"),
        ("# [as it was]", "["),
        ("/* (all the setters) */", "("),
        ("# >>> setup", ">"),
        ("<!-- <the table> -->", "<"),
        ("# the handlers", ""),
        ("#[cfg(windows)]", ""),
        ("# - an item", ""),
        ("# (as said) it works", ""),
        ("// <https://example.org>", ""),
        ("///     >>> doctest()", ""),
        ("{#- drops the relation -#}", ""),
        ("x = 1  # --- new ---", ""),
    ],
)
def test_what_sets_the_words_of_a_comment_off(line: str, sign: str) -> None:
    assert dressing(line) == sign


@pytest.mark.parametrize(
    ("note", "names"),
    [
        ("load", ["load"]),
        ("load, save", ["load", "save"]),
        ("`load()` and save:", ["load", "save"]),
        ("MAX_AGE", ["MAX_AGE"]),
        ("load the file", []),
        ("load: as before", []),
        ("", []),
    ],
)
def test_a_note_may_be_nothing_but_names(note: str, names: list[str]) -> None:
    assert names_alone(note) == names
