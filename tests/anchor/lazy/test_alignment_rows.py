"""A snippet's lines as rows: what may be a marker, what is taken apart, and in which other ways it can be taken."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.search.rows import (
    DOTS_ODDS,
    Row,
    Taste,
    names_in,
    rows_of,
    variants_of,
)
from fastedit.anchor.lazy.words.asides import Asides
from fastedit.anchor.lazy.words.comments import PRAGMA
from fastedit.edits.wording import comment_text

PYTHON = Lines(["import os", "", "def load(path):", "    limit = 3", "    return open(path, limit)", "", "# the end"])
SCRIPT = Lines(
    [
        "function load(path) {",
        "  return open(path);",
        "}",
        "const all = [",
        "  1,",
        "];",
        "<div>",
        "  <p>a</p>",
        "</div>",
    ]
)


def texts_of(rows: list[Row]) -> list[str]:
    return [row.text for row in rows]


def test_code_is_a_row_without_a_note() -> None:
    assert rows_of(["def save(path):"], PYTHON, "python") == [Row("def save(path):", 0)]


def test_blank_lines_stay_in_the_middle_only() -> None:
    rows = rows_of(["", " ", "a", "", "b", "\r", ""], PYTHON, "python")
    assert [(row.text, row.number, row.is_blank) for row in rows] == [("a", 2, False), ("", 3, True), ("b", 4, False)]
    assert rows_of(["", ""], PYTHON, "python") == rows_of([], PYTHON, "python") == []


@pytest.mark.parametrize("text", ["...", "…", "    ...", "[...]", "(...)", "<...>", "... the rest ...", "{ ... }"])
def test_nothing_but_dots_is_a_marker_for_certain(text: str) -> None:
    (row,) = rows_of([text], PYTHON, "python")
    assert row.is_dots
    assert row.odds == DOTS_ODDS


def test_dots_that_the_file_has_for_a_body_may_be_one() -> None:
    (row,) = rows_of(["    ..."], Lines(["def load(path):", "    ..."]), "python")
    assert row.is_dots
    assert row.role("code") > DOTS_ODDS["code"]
    assert row.role("code") < row.role("elide")


@pytest.mark.parametrize("text", ["x = ...", "call(...)", "f(*args, ...)", "{...props}", "...items,", "{ ...rest, a }"])
def test_dots_in_code_are_no_marker(text: str) -> None:
    rows = rows_of([text], PYTHON, "javascript")
    assert not any(row.is_dots for row in rows)


@pytest.mark.parametrize("text", ["# ... existing code ...", "// unchanged", "<!-- the rest stays -->", "-- old code"])
def test_a_comment_has_the_odds_of_its_words(text: str) -> None:
    (row,) = rows_of([text], PYTHON, "python")
    assert row.note is not None
    assert text.startswith(row.text[:2])
    assert row.odds is not None
    assert row.role("elide") == row.odds["elide"] < 0


@pytest.mark.parametrize(
    "text", ["[the examples as they are]", "    (first lines: no change)", "<everything up to here>"]
)
def test_words_in_brackets_may_stand_for_lines(text: str) -> None:
    (row,) = rows_of([text], PYTHON, "python")
    assert row.note == text.strip()[1:-1]
    assert row.odds is not None
    assert sum(math.exp(odd) for odd in row.odds.values()) == pytest.approx(1)
    assert row.odds["elide"] > row.odds["code"]


@pytest.mark.parametrize(
    "text", ["[key, value]", "(yes and no),", "(not a or b=1)", "<!doctype html>", "[one](two words)"]
)
def test_brackets_around_code_make_no_note(text: str) -> None:
    (row,) = rows_of([text], PYTHON, "python")
    assert row.note is None


@pytest.mark.parametrize(
    "text", [" * (params as before)", " * ... (the rest of it)", "<< the body >>", "[[ the long list ]]"]
)
def test_words_in_brackets_may_be_a_part_of_a_comment(text: str) -> None:
    (row,) = rows_of([text], SCRIPT, "javascript")
    assert row.note is not None
    (plain,) = rows_of([" * (params as before)"], PYTHON, "python")
    assert plain.note is None


def test_any_words_stand_for_lines_in_the_brackets_that_other_placeholders_have() -> None:
    first, _, second = rows_of(["[up to count]", "total = 3", "[rest,]"], PYTHON, "python")
    assert first.note == "up to count"
    assert second.note == "rest,"
    (alone,) = rows_of(["[rest,]"], PYTHON, "python")
    assert alone.note is None


@pytest.mark.parametrize(
    "text",
    [
        "[everything from here on to `main()` is as it was]",
        "[... all of the helpers; they stay where they are, in the order that they have now, down to the last one ...]",
    ],
)
def test_a_long_sentence_in_brackets_may_stand_for_lines(text: str) -> None:
    (row,) = rows_of([text], PYTHON, "python")
    assert row.note is not None
    assert row.role("elide") > row.role("code")


@pytest.mark.parametrize(
    ("texts", "language", "line"),
    [
        (["..", "   (rest as before)"], "rst", ".. (rest as before)"),
        (["<!--", "the rest is unchanged", "-->"], "markdown", "<!-- the rest is unchanged -->"),
        (["  /*", "   * ... all methods as before", "   */"], "javascript", "  /* ... all methods as before */"),
        (["/*", " * ... existing code ... */"], "javascript", "/* ... existing code ... */"),
    ],
)
def test_a_comment_of_several_lines_that_stands_for_code_is_one_row(texts: list[str], language: str, line: str) -> None:
    rows = rows_of([*texts, "total = 3"], PYTHON, language)
    assert [(row.text, row.number) for row in rows] == [(line, 0), ("total = 3", len(texts))]
    assert rows[0].role("elide") > rows[0].role("code")


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["/*", " * Loads the file.", " */"], "javascript"),
        (["/**", " * @see #load(Object...)", " * @since 3.0.1", " */"], "javascript"),
        (["..", "", "   as before"], "rst"),
        (["..", "as before"], "rst"),
        (["/*", "as before"], "javascript"),
    ],
)
def test_other_comments_of_several_lines_keep_their_rows(texts: list[str], language: str) -> None:
    assert texts_of(rows_of(texts, PYTHON, language)) == texts


def test_a_comment_of_several_lines_that_the_file_has_keeps_its_rows() -> None:
    texts = ["/*", " * the rest is unchanged", " */"]
    assert texts_of(rows_of(texts, Lines(["a();", *texts]), "javascript")) == texts


OVERLOADED = [
    "    @overload",
    "    def load(",
    "        self, path: str",
    "    ) -> bytes:",
    "        ...",
    "    # same",
]


def test_the_body_of_an_overload_is_dots_of_its_own() -> None:
    row = rows_of(OVERLOADED, PYTHON, "python")[4]
    assert row.role("code") > row.role("elide")
    assert not row.is_dots
    plain = rows_of(OVERLOADED[1:], PYTHON, "python")[3]
    assert plain.is_dots
    above = rows_of([*OVERLOADED[:5], "        return 1"], PYTHON, "python")[4]
    assert above.is_dots


def test_dots_for_a_whole_body_are_code_where_words_say_so() -> None:
    edit = ["def load(path):", '    """Loads it."""', "    ...", "", "..."]
    rows = rows_of(edit, PYTHON, "python", asides=Asides(dots_are_code=True))
    assert [row.is_dots for row in rows] == [False, False, False, False, True]
    assert rows[2].role("code") > rows[2].role("elide")
    assert rows_of(edit, PYTHON, "python")[2].is_dots


def test_dots_below_a_prompt_go_on_with_it() -> None:
    edit = [">>> text = load([", '...     "a", 1', "... ])", "...)", "... as before ...", ">>> text"]
    rows = rows_of(edit, PYTHON, "rst")
    assert [row.is_dots for row in rows] == [False, False, False, False, True, False]
    assert rows_of(["text", "... and more"], PYTHON, "rst")[1].is_dots


def test_a_sentence_with_dots_in_front_may_be_text_beside_other_markers() -> None:
    row = rows_of(["... which is the same as::", "[... all of it ...]"], PYTHON, "python")[0]
    assert not row.is_dots
    assert row.role("elide") > -3
    assert rows_of(["... which is the same as::", "..."], PYTHON, "python")[0].is_dots


def test_a_line_of_tildes_below_a_title_is_no_marker() -> None:
    title = rows_of(["Hooks of the tool", "~~~~~~~~~~~~~~~~~"], Lines(["Tools", "====="]), "rst")
    assert not any(row.is_dots for row in title)
    assert rows_of(["a", "~~~~~~~~~~~"], Lines(["Tools"]), "rst")[1].is_dots
    # Nothing above, a blank line or a bracket is no title.
    assert rows_of(["~~~"], Lines(["Tools"]), "python")[0].is_dots
    assert all(rows_of(["a", above, "~~~"], Lines(["Tools"]), "python")[2].is_dots for above in ("", "}"))


def test_words_in_brackets_that_the_file_has_are_code() -> None:
    (row,) = rows_of(["[the whole list]"], Lines(["[the whole list]"]), "markdown")
    assert row.note is None


def test_a_comment_of_the_file_is_still_a_comment() -> None:
    (row,) = rows_of(["# the end"], PYTHON, "python")
    assert (row.text, row.note) == ("# the end", "the end")


def test_a_docstring_that_says_it_is_left_out_is_a_marker() -> None:
    (row,) = rows_of(['    """..."""'], PYTHON, "python")
    assert row.note == "..."
    (code,) = rows_of(['    """Opens the file that was named."""'], PYTHON, "python")
    assert code.note is None


def test_a_code_row_is_code_whatever_is_asked() -> None:
    (row,) = rows_of(["x = 1"], PYTHON, "python")
    assert row.role("code") == 0
    assert row.role("elide") < -10


# ---- taken apart -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "original", "parts"),
    [
        ("def load(path): ...", PYTHON, ["def load(path):", "    ..."]),
        ("def load(path, mode): ...  # as before", PYTHON, ["def load(path, mode):", "    ..."]),
        ("function load(path) { ... }", SCRIPT, ["function load(path) {", "    ...", "}"]),
        ("  function load(path) { /* ... */ }", SCRIPT, ["  function load(path) {", "      ...", "  }"]),
        ("function other() { ... }", SCRIPT, ["function other() {", "    ...", "}"]),
        ("const all = [...];", SCRIPT, ["const all = [", "    ...", "];"]),
        ("<div>...</div>", SCRIPT, ["<div>", "    ...", "</div>"]),
    ],
)
def test_an_elided_body_is_taken_apart(text: str, original: Lines, parts: list[str]) -> None:
    rows = rows_of([text], original, "javascript" if original is SCRIPT else "python")
    assert texts_of(rows) == parts
    assert rows[0].whole == text
    assert rows[1].is_dots
    assert [row.is_part for row in rows] == [False] + [True] * (len(rows) - 1)
    assert {row.number for row in rows} == {0}


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("declare function fetch(/* as before */): void;", "declare function fetch(...): void;"),
        ("load(path, /* ... */ 3);", "load(path,... 3);"),
        ("} else if ( /* the same test */ ) {", "} else if (... ) {"),
    ],
)
def test_a_comment_inside_of_a_line_may_stand_for_code(text: str, row: str) -> None:
    (found,) = rows_of([text], PYTHON, "javascript")
    assert (found.text, found.whole) == (row, text)
    (plain,) = rows_of(["load(/* size */ 3);"], PYTHON, "javascript")
    assert plain.text == "load(/* size */ 3);"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("- `load()`: reads all that is [...]", "- `load()`: reads all that is ..."),
        ("  - `load()`: reads all ... (text as is)", "  - `load()`: reads all ..."),
        ("- `load()`: reads … (same)", "- `load()`: reads ..."),
        ("- `load()`: reads [same as now].", "- `load()`: reads ..."),
    ],
)
def test_a_line_with_words_in_place_of_its_end_is_cut_off(text: str, row: str) -> None:
    original = Lines(["- `load()`: reads all that is in a file", "- `save()`: writes it"])
    (found,) = rows_of([text], original, "markdown")
    assert (found.text, found.whole) == (row, text)


@pytest.mark.parametrize(
    "text",
    [
        "- `load()`: reads all (in bytes)",  # says something
        "- `drop()`: removes [...]",  # the file has no such line
        'return run("load", "./...")',
    ],
)
def test_a_line_that_only_ends_in_brackets_is_not_cut_off(text: str) -> None:
    original = Lines(["- `load()`: reads all that is in a file", 'return run("go")'])
    assert texts_of(rows_of([text], original, "markdown")) == [text]


@pytest.mark.parametrize("text", ["def unheard_of(x): ...", "x: int = ...", "const none = [...];", "<ul>...</ul>"])
def test_a_body_of_dots_that_the_file_lacks_is_code(text: str) -> None:
    original = SCRIPT if text.startswith(("const", "<")) else PYTHON
    (row,) = rows_of([text], original, "javascript" if original is SCRIPT else "python")
    assert (row.text, row.is_dots) == (text, False)


def test_a_stub_that_the_file_has_is_a_line_of_it() -> None:
    original = Lines(["def load(path): ...", "def save(path): ..."])
    assert texts_of(rows_of(["def load(path): ..."], original, "python")) == ["def load(path): ..."]


@pytest.mark.parametrize("note", ["<- new", "← changed", "NEW", "added"])
def test_a_note_behind_code_is_left_out(note: str) -> None:
    sign = "" if note.startswith(("<", "←")) else "# "
    (row,) = rows_of([f"    limit = 4  {sign}{note}"], PYTHON, "python")
    assert row.text == "    limit = 4"


def test_a_comment_behind_code_that_belongs_there_stays() -> None:
    (row,) = rows_of(["    limit = 4  # seconds"], PYTHON, "python")
    assert row.text == "    limit = 4  # seconds"


def test_no_comment_is_code_in_json_without_comments() -> None:
    original = Lines(["{", '  "a": 1', "}"])
    first, second = rows_of(['  // wir lassen "a" in Ruhe', '  "b": 2 // eine Zahl'], original, "json")
    assert first.role("code") < -10
    assert second.text == '  "b": 2'
    commented = Lines(["{", "  // a number", '  "a": 1', "}"])
    assert rows_of(['  // wir lassen "a" in Ruhe'], commented, "json")[0].role("code") > -5


def test_a_note_that_says_unchanged_quotes_the_line() -> None:
    (row,) = rows_of(["    limit = 3  # unchanged"], PYTHON, "python")
    assert (row.text, row.is_quoted) == ("    limit = 3", True)


def test_a_note_behind_an_opened_block_may_stand_for_its_body() -> None:
    rows = rows_of(["def load(path):  # ... unchanged ..."], PYTHON, "python")
    assert texts_of(rows) == ["def load(path):", "    ..."]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("    'key': 'value',", "python"),
        ("'use strict'", "javascript"),
        ("--count;", "c"),
        ("--flag \\", "bash"),
        ("% (name, path)", "python"),
        ("#include <stdio.h>", "c"),
        ("#private = 1;", "javascript"),
        ("'key': 1", ""),
    ],
)
def test_code_that_begins_like_a_comment_of_another_language_is_code(text: str, language: str) -> None:
    (row,) = rows_of([text], PYTHON, language)
    assert row.note is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("// the rest", "python"), ("# the rest", "c"), ("-- ...", "python"), ("' the rest", "vbnet"), ("-- rest", "lua")],
)
def test_a_comment_in_another_languages_signs_is_one_where_nothing_else_is_written_so(text: str, language: str) -> None:
    (row,) = rows_of([text], PYTHON, language)
    assert row.note is not None


def test_a_note_behind_a_quoted_key_is_left_out() -> None:
    (row,) = rows_of(["    'b': 2,  # <-- new"], Lines(["{", "    'a': 1,", "}"]), "python")
    assert row.text == "    'b': 2,"


DOCUMENTED = Lines(
    ["def load(path: str, mode: str) -> str:", '    """Load it.', "", "    All.", '    """', "    return 1"]
)


@pytest.mark.parametrize("text", ['    """Load it."""', '    """Load it. [...]"""', '    """Load it. ..."""'])
def test_a_docstring_shown_by_its_first_line_is_taken_apart(text: str) -> None:
    assert texts_of(rows_of([text], DOCUMENTED, "python")) == ['    """Load it.', "    ...", '    """']
    (kept,) = rows_of([text], DOCUMENTED, "python", Taste(keeps_stubs=True))
    assert kept.text == text


def test_a_docstring_that_the_file_lacks_is_code() -> None:
    assert texts_of(rows_of(['    """Save it."""'], DOCUMENTED, "python")) == ['    """Save it."""']


@pytest.mark.parametrize(
    ("text", "is_quoted"),
    [
        ("def load(path, mode): ...", True),
        ("def load(path, mode): return open(path, ...)", True),
        ("def load(path, mode, limit): ...", False),
        ("def load(path: bytes, mode: str): ...", False),
    ],
)
def test_a_header_without_what_the_file_has_may_be_a_quote(text: str, is_quoted: bool) -> None:
    head, dots = rows_of([text], DOCUMENTED, "python")
    assert head.is_quoted == is_quoted
    assert dots.is_dots


# ---- tastes ----------------------------------------------------------------------------------------------------------


def test_code_that_can_be_taken_in_one_way_has_one_variant() -> None:
    assert [taste for taste, _ in variants_of(["def save(path):", "    pass"], PYTHON, "python")] == [Taste()]


def test_a_note_can_be_kept() -> None:
    variants = variants_of(["limit = 4  # <- new"], PYTHON, "python")
    assert [(taste, texts_of(rows)) for taste, rows in variants] == [
        (Taste(), ["limit = 4"]),
        (Taste(keeps_notes=True), ["limit = 4  # <- new"]),
    ]


def test_comments_that_leave_doubts_are_taken_either_way() -> None:
    note = '"#" is new: fragments directly after the host'
    edit = [f'limit = "a"  # {note}', "rest = 3  # <- new", f'size = "b"  # {note}']
    variants = dict(variants_of(edit, PYTHON, "python"))
    assert texts_of(variants[Taste()]) == [edit[0], "rest = 3", edit[2]]
    assert texts_of(variants[Taste(flipped=note)]) == ['limit = "a"', "rest = 3", 'size = "b"']
    assert [taste.flips_note for taste in variants] == [False, False, True]


def test_a_comment_that_is_all_that_changes_stays() -> None:
    edit = ["    limit = 3  # in seconds"]
    variants = variants_of(edit, PYTHON, "python")
    assert [texts_of(rows) for _, rows in variants] == [edit]


def test_a_stub_can_be_kept() -> None:
    variants = dict(variants_of(["def load(path): ..."], PYTHON, "python"))
    assert texts_of(variants[Taste()]) == ["def load(path):", "    ..."]
    assert texts_of(variants[Taste(keeps_stubs=True)]) == ["def load(path): ..."]


def test_a_statement_over_several_lines_can_be_joined() -> None:
    shown = ["    return open(", "        path,", "        limit,", "    )"]
    variants = dict(variants_of(shown, PYTHON, "python"))
    assert texts_of(variants[Taste()]) == shown
    assert texts_of(variants[Taste(joins=True)]) == ["    return open(path, limit)"]
    assert Taste(joins=True) not in dict(variants_of(["    return close(", "        path,", "    )"], PYTHON, "python"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`load` and `Store.save()` stay", {"load", "Store", "save"}),
        ("load_all, loadAll and load() too", {"load_all", "loadAll", "load"}),
        ("everything else", set()),
    ],
)
def test_names_in_words(text: str, names: set[str]) -> None:
    assert names_in(text) == names


def test_a_marker_names_what_the_file_has() -> None:
    (row,) = rows_of(["# ... load and limit as before ..."], PYTHON, "python")
    assert {"load", "limit"} <= row.names
    assert "before" not in row.names


SNIPPETS = st.lists(
    st.sampled_from(["def load(path): ...", "    limit = 3  # NEW", "...", "# rest", "", "f(", ")", "x { ... }"]),
    max_size=8,
)


@given(SNIPPETS)
def test_rows_keep_the_order_of_the_lines(texts: list[str]) -> None:
    for taste, rows in variants_of(texts, PYTHON, "python"):
        numbers = [row.number for row in rows]
        assert numbers == sorted(numbers)
        told = {n for n, text in enumerate(texts) if text.strip()}
        assert {row.number for row in rows if not row.is_blank} == told or taste.joins
        assert not rows or not (rows[0].is_blank or rows[-1].is_blank)


def test_a_comment_far_behind_code_speaks_to_the_reader_where_the_file_has_none() -> None:
    line = "if (isArray(values)) {     // a list of values"
    assert texts_of(rows_of([line], SCRIPT, "javascript")) == ["if (isArray(values)) {"]
    aligned = Lines([*SCRIPT.texts, "var a = 1;      // the first one"])
    assert texts_of(rows_of([line], aligned, "javascript")) == [line]


@pytest.mark.parametrize("note", ["nosec B608", "type: ignore[misc]", "fmt: skip", "pragma: no cover", "noqa: S110"])
def test_a_comment_for_a_tool_is_code(note: str) -> None:
    line = f"    value = 3     # {note}"
    assert texts_of(rows_of([line], PYTHON, "python")) == [line]


@pytest.mark.parametrize(
    ("line", "is_for_tool"),
    [
        ("#!/usr/bin/env python", True),
        ("# coding: utf-8", True),
        ("# -*- mode: python -*-", True),
        ("# vim: sw=4", True),
        ("# coding is done below", False),
        ("# -- here", False),
    ],
)
def test_what_tells_a_tool_how_to_read_the_file_is_known_from_remarks(line: str, is_for_tool: bool) -> None:
    assert bool(PRAGMA.match(comment_text(line) or "")) == is_for_tool


@pytest.mark.parametrize("note", ["moved here from below", "already there", "instead of `read_all`", "schon da"])
def test_a_comment_that_speaks_of_the_edit_is_left_out(note: str) -> None:
    (row,) = rows_of([f"    size = 4  # {note}"], PYTHON, "python")
    assert row.text == "    size = 4"


def test_keeping_a_comment_that_is_for_the_reader_is_told() -> None:
    edit = ["size = 4  # seconds", "total = 3  # metres per second"]
    assert texts_of(rows_of(edit, PYTHON, "python")) == edit
    told = Asides(quoted=frozenset(("total",)))
    variants = {taste.keeps_asides: texts_of(rows) for taste, rows in variants_of(edit, PYTHON, "python", told)}
    assert variants == {False: [edit[0], "total = 3"], True: edit}


def test_marks_around_a_part_of_a_sample_are_code() -> None:
    (row,) = rows_of(["    # [START load_all]"], PYTHON, "python")
    assert row.role("code") > -0.7


def test_a_body_in_braces_of_its_own_line_is_taken_apart_where_the_file_has_such_braces() -> None:
    original = Lines(["int load(void)", "{", "    return 1;", "}"])
    rows = rows_of(["int load(void)", "{ /* same body */ }"], original, "c")
    assert texts_of(rows) == ["int load(void)", "{", "    ...", "}"]
    assert len(rows_of(["{ /* same body */ }"], Lines(["<p>", "</p>"]), "tsx")) == 1


def test_a_comment_below_two_dots_is_one_row_where_brackets_hold_its_words() -> None:
    original = Lines(["Title", "=====", "", "Text."])
    assert len(rows_of(["..", "   (notes on doors above: no change)", "", "Text."], original, "rst")) == 3
    assert len(rows_of(["..", "   This document is about doors", "", "Text."], original, "rst")) == 4
