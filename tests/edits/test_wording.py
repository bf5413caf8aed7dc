"""Which lines of a snippet are code, markers, removals and remarks; file names in prose, headings, comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.edits.naming import (
    is_file_name,
    path_in_comment,
    path_in_info,
    path_in_line,
    path_in_prose,
    without_files,
)
from fastedit.edits.wording import LineKind, SnippetLine, classify_lines, comment_text, elides_inline

NOTHING = frozenset[str]()


def kinds(*lines: str, original: frozenset[str] = NOTHING) -> list[LineKind]:
    return [line.kind for line in classify_lines(list(lines), lambda line: line.strip() in original)]


WORDS = [
    "... existing code ...",
    "...",
    "…",
    "... (rest of the class) ...",
    "existing code",
    "rest of the file unchanged",
    "unchanged",
    "(unchanged)",
    "same as before",
    "other methods stay the same",
    "remaining methods",
    "no changes here",
    "snip",
    "--- snip ---",
    "[... 40 lines ...]",
    "keep existing imports",
    "as before",
    "omitted for brevity",
]
COMMENTS = [
    "# {}",
    "// {}",
    "/* {} */",
    "<!-- {} -->",
    "{{/* {} */}}",
    "-- {}",
    "; {}",
    "% {}",
    "(* {} *)",
    "<%# {} %>",
    "{{# {} #}}",
    "    # {}",
    "\t// {}",
]


@pytest.mark.parametrize("comment", COMMENTS)
@pytest.mark.parametrize("words", WORDS)
def test_a_comment_with_such_words_is_a_marker_in_every_syntax(comment: str, words: str):
    assert kinds(comment.format(words)) == [LineKind.MARKER]


@pytest.mark.parametrize(
    "line", ["...", "…", "  ....", "[... existing code ...]", "<... the rest ...>", "(...)", "... (unchanged) ..."]
)
def test_bare_dots_are_markers(line: str):
    assert kinds(line) == [LineKind.MARKER]


def test_dots_alone_are_a_marker_even_where_the_original_has_them():
    assert kinds("    ...", original=frozenset({"..."})) == [LineKind.MARKER]


@pytest.mark.parametrize(
    "line",
    [
        "x: tuple[int, ...]",
        "yield ...",
        "call(*args, ...)",
        "const all = [...first, ...second];",
        "function f(...rest) {",
        'print("... existing code ...")',
        "a = b ... c",
        "for i in 0...10 {",
        "import os  # unchanged",
        "return {...state, items}",
        "... = 1",
    ],
)
def test_code_with_dots_is_code(line: str):
    assert kinds(line) == [LineKind.CODE]


@pytest.mark.parametrize("line", ["# same as before: UTF-8", "// unchanged", "<!-- same as before -->"])
def test_a_comment_that_the_original_has_is_code(line: str):
    assert kinds(line, original=frozenset({line})) == [LineKind.CODE]


@pytest.mark.parametrize(
    "line",
    [
        "# removed: load",
        "// deleted: the old handler",
        "# Removed `load`",
        "/* dropped: clear() */",
        "# ... load() was removed ...",
        "// [helper has been deleted]",
    ],
)
def test_words_for_removals(line: str):
    assert kinds(line) == [LineKind.REMOVAL]


@pytest.mark.parametrize(
    "line", ["# the encoding is always UTF-8", "// retry three times", "/* next_token() */", "<!-- footer -->"]
)
def test_other_comments_are_remarks_until_the_original_is_known(line: str):
    assert kinds(line) == [LineKind.REMARK]


@pytest.mark.parametrize("line", ["", "   ", "\t"])
def test_blank_lines(line: str):
    assert kinds(line) == [LineKind.BLANK]


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("def load(path): ...", ["def load(path):", "..."]),
        ("    def load(self) -> dict[str, int]: ...  # unchanged", ["    def load(self) -> dict[str, int]:", "..."]),
        ("function load() { ... }", ["function load() {", "...", "}"]),
        ("  load() { /* ... */ }", ["  load() {", "...", "  }"]),
        ("fn load(&self) -> u8 { /* unchanged */ }", ["fn load(&self) -> u8 {", "...", "}"]),
    ],
)
def test_an_elided_body_on_the_line_of_its_header_is_taken_apart(line: str, texts: list[str]):
    parts = classify_lines([line], lambda _: False)
    assert [part.text.strip() if part.kind is LineKind.MARKER else part.text for part in parts] == texts
    assert [part.kind for part in parts] == [LineKind.CODE, LineKind.MARKER, LineKind.CODE][: len(parts)]
    assert parts[0].whole == line
    assert all(part.is_part for part in parts[1:])


@pytest.mark.parametrize(
    "line",
    [
        '"""The files of results; those of no kind that has a reader are told and left out."""',
        '"""How many lines lead up to where it leaves the original: the first one, if it stays."""',
        "# Whoever asks for less gets all of it, so nothing is skipped",
    ],
)
def test_a_sentence_that_happens_to_end_like_one_is_no_marker(line: str):
    assert LineKind.MARKER not in kinds(line)


@pytest.mark.parametrize(
    "line",
    [
        "# load, save and close_all as they are",
        "# `load` through `save` unchanged",
        "// all the other methods of this class stay the same",
        "--[[ ... existing code ... ]]",
        "--[[ rest of the module unchanged ]]",
        "{- ... -}",
        "<# ... existing code ... #>",
    ],
)
def test_markers_in_more_words_and_other_comments(line: str):
    assert kinds(line) == [LineKind.MARKER]


def test_a_docstring_of_dots_is_a_marker():
    assert kinds('    """..."""', '    """... unchanged ..."""') == [LineKind.MARKER] * 2
    assert kinds('    """Loads the file."""') == [LineKind.CODE]


@pytest.mark.parametrize("text", ["def f(self, ..., key=None):", "call(first, ...)", "f(/* ... */)", "f(a, …)"])
def test_elisions_inside_a_line(text: str):
    assert elides_inline(text)


@pytest.mark.parametrize("text", ["x: int = ...", "tuple[int, ...]", "...", "# ...", "f(...rest)"])
def test_dots_that_elide_nothing_inside_a_line(text: str):
    assert not elides_inline(text)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("# x", "x"),
        ("## x", "x"),
        ("  /** x */", "x"),
        ("//! x", "x"),
        ("x = 1  # x", None),
        ("/* a */ b /* c */", None),
        ("x", None),
    ],
)
def test_what_a_comment_says(line: str, text: str | None):
    assert comment_text(line) == text


@given(st.lists(st.text(st.sampled_from("ab.… #/*-<>(){}[]:'\"\t"), max_size=30), max_size=6))
def test_any_lines_keep_their_text(lines: list[str]):
    shown = classify_lines(lines, lambda _: False)
    assert all(isinstance(line, SnippetLine) for line in shown)
    whole = [line.text if line.whole is None else line.whole for line in shown if not line.is_part]
    assert [text.strip() for text in whole] == [line.strip() for line in lines]


@pytest.mark.parametrize(
    "name",
    [
        "a.py",
        "src/a.tsx",
        "Makefile",
        "deploy/Dockerfile.prod",
        ".env.example",
        ".gitignore",
        "../x.toml",
        "C:\\x\\y.cs",
        "go.mod",
    ],
)
def test_file_names(name: str):
    assert is_file_name(name)


@pytest.mark.parametrize(
    "word",
    [
        "node.js",
        "asyncio.timeout",
        "warnings.warn",
        ".card-grid",
        "e.g",
        "foo()",
        "https://x.org/a.py",
        "1.5",
        "...",
        "",
        "-.py",
        "a=b.py",
    ],
)
def test_words_that_are_no_file_names(word: str):
    assert not is_file_name(word)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("### `src/app.py`", "src/app.py"),
        ("### `src/app.py` (new)", "src/app.py"),
        ("## 2. `src/app.py`", "src/app.py"),
        ("#### src/app.py", "src/app.py"),
        ("**src/app.py**", "src/app.py"),
        ("**`src/app.py`**:", "src/app.py"),
        ("**File:** `src/app.py`", "src/app.py"),
        ("File: src/app.py", "src/app.py"),
        ("- **src/app.py**: add the import", "src/app.py"),
        ("`app/[id]/page.tsx`", "app/[id]/page.tsx"),
        ("src/app.py:", "src/app.py"),
        ("src/app.py:12-20", "src/app.py"),
        ("`../../etc/cron.d/evil`", "../../etc/cron.d/evil"),
        ("### /etc/passwd", "/etc/passwd"),
        ("`my folder/app.py`", "my folder/app.py"),
        ("<path>src/app.py</path>", "src/app.py"),
        ("<details><summary>src/app.py</summary>", "src/app.py"),
    ],
)
def test_lines_that_name_a_file(line: str, path: str):
    mention = path_in_line(line)
    assert mention is not None
    assert mention.path == path


@pytest.mark.parametrize(
    "line",
    [
        "### Usage",
        "Then run `npm install`:",
        "**Note**",
        "**Before/After**",
        "### Client/Server",
        "`isServer`",
        "",
        "The end.",
        "---",
    ],
)
def test_lines_that_name_none(line: str):
    assert path_in_line(line) is None


@pytest.mark.parametrize(
    ("prose", "path"),
    [
        ("First add the import to `src/app.py`:", "src/app.py"),
        ("Then in `src/app.py` use it twice:", "src/app.py"),
        ("Move it from `a/old.py` to `b/new.py`:", "b/new.py"),
        ("It's done. In src/app.py:", "src/app.py"),
        ("isort order for `tornado/locale.py` (names sorted):", "tornado/locale.py"),
    ],
)
def test_sentences_about_a_file(prose: str, path: str):
    mention = path_in_prose(prose)
    assert mention is not None
    assert mention.path == path


@pytest.mark.parametrize(
    "prose",
    [
        "Unlike `base.py` this one is short:",
        "`a.py` and `b.py` are both long, so I show parts:",
        "It calls `response.json()` and `app.config`:",
        "You need `conftest.py` for this. Now the test:",
        "Node.js needs it:",
    ],
)
def test_sentences_about_no_single_file(prose: str):
    assert path_in_prose(prose) is None


@pytest.mark.parametrize(
    ("info", "path", "is_cited"),
    [
        ('ts title="src/a.ts"', "src/a.ts", False),
        ("python file=src/a.py", "src/a.py", False),
        ("js {filename: 'src/a.js'}", "src/a.js", False),
        ("go:cmd/main.go", "cmd/main.go", False),
        ("src/a.py", "src/a.py", False),
        ("python src/a.py", "src/a.py", False),
        ("12:20:src/a.ts", "src/a.ts", True),
        ("python", None, False),
        ("", None, False),
        ("dockerfile", None, False),
        ("diff", None, False),
        ("text {1,3}", None, False),
    ],
)
def test_info_strings(info: str, path: str | None, is_cited: bool):
    assert path_in_info(info) == (path, is_cited)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("// src/a.ts", "src/a.ts"),
        ("# django/forms/fields.py - DecimalField", "django/forms/fields.py"),
        ("# File: a.py", "a.py"),
        ("<!-- templates/x.html -->", "templates/x.html"),
        ("/* static/x.css */", "static/x.css"),
        ("-- db/schema.sql", "db/schema.sql"),
        ("// a.ts (new)", "a.ts"),
        ("{/* src/A.tsx */}", "src/A.tsx"),
    ],
)
def test_comments_that_name_a_file(line: str, path: str):
    mention = path_in_comment(line)
    assert mention is not None
    assert mention.path == path


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env python.py",
        "# syntax=docker/dockerfile:1",
        "// reads config.json and returns it",
        "# -*- coding: utf-8 -*-",
        "// ... existing code ...",
        "#include <stdio.h>",
        "import a.py",
        "",
    ],
)
def test_comments_that_name_none(line: str):
    assert path_in_comment(line) is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("In `both_shapes.py`: `area()` has", "In ` `: `area()` has"),
        ("In both_shapes.py, `both_shapes` stays.", "In  , `both_shapes` stays."),
        ("**src/userStore.vue:12**", "** **"),
        ("see [both_shapes.py](src/both_shapes.py)", "see  ( )"),
        ("`app/[id]/page.tsx`", "` `"),
        ("`app_state.config` and `self.load_all()` stay", "`app_state.config` and `self.load_all()` stay"),
    ],
)
def test_names_of_files_are_taken_out_and_nothing_else(text: str, rest: str):
    assert without_files(text) == rest
