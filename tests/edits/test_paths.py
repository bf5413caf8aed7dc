"""File names in prose, headings, fences and comments."""

import pytest

from fastedit.edits.wording import (
    is_file_name,
    path_in_comment,
    path_in_info,
    path_in_line,
    path_in_prose,
    without_files,
)


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
