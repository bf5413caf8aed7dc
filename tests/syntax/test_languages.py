from __future__ import annotations

import pytest

from fastedit.syntax import LANGUAGES, comment_syntax, language_of, language_of_tag
from fastedit.syntax.model import CommentSyntax


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/App.TSX", "tsx"),
        ("c:\\work\\a.mjs", "javascript"),
        ("a.d.ts", "typescript"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("api.dockerfile", "dockerfile"),
        ("Makefile", "make"),
        ("GNUmakefile", "make"),
        (".env", "dotenv"),
        ("config/.env.local", "dotenv"),
        ("nginx.conf", "nginx"),
        ("app.conf", "ini"),
        ("CMakeLists.txt", "cmake"),
        ("notes.txt", ""),
        ("requirements-dev.txt", "requirements"),
        ("Gemfile", "ruby"),
        ("tsconfig.json", "json"),
        ("a.b/c", ""),
        ("", ""),
        (None, ""),
        (".py", "python"),
        ("a.", ""),
        ("\x00/../..", ""),
    ],
)
def test_a_path_tells_the_language(path: str | None, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\n", "python"),
        ("#!/usr/bin/python3.11 -u\n", "python"),
        ("#! /bin/sh\nset -e", "bash"),
        ("#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("#!/usr/bin/env -S FOO=1 ruby -w\n", "ruby"),
        ("#!/usr/bin/perl", "perl"),
        ("#!", ""),
        ("#!/usr/bin/env\n", ""),
        ("# python", ""),
        ("", ""),
    ],
)
def test_a_shebang_tells_the_language_of_a_file_without_extension(text: str, language: str) -> None:
    assert language_of("bin/run", text) == language
    assert language_of(None, text) == language
    assert language_of("run.js", text) == "javascript"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("int f(void);\n", "c"),
        ("#pragma once\nnamespace a {\n}\n", "cpp"),
        ("class Shape\n{\n};\n", "cpp"),
        ("class Shape;\nvoid f(void);\n", "c"),
        ("#import <Foundation/Foundation.h>\n@interface A\n@end\n", "objc"),
    ],
)
def test_the_text_of_a_header_tells_its_language(text: str, language: str) -> None:
    assert language_of("a.h", text) == language


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("Python", "python"),
        ("py", "python"),
        ("ts", "typescript"),
        ('jsx title="App.jsx"', "javascript"),
        ("{.rust}", "rust"),
        ("language-go", "go"),
        ("c++", "cpp"),
        ("c#", "csharp"),
        ("sh", "bash"),
        ("shell", "bash"),
        ("js:src/app.js", "javascript"),
        ("src/app.tsx", "tsx"),
        ("12:20:src/app.py", "python"),
        ("jsonc", "json"),
        ("yml", "yaml"),
        ("text", ""),
        ("diff", ""),
        ("", ""),
        ("   ", ""),
        ("nonsense", ""),
        ("{}", ""),
    ],
)
def test_a_tag_tells_the_language(info: str, language: str) -> None:
    assert language_of_tag(info) == language


def test_no_two_languages_claim_the_same_name() -> None:
    for names in ("extensions", "filenames"):
        claimed = [name for info in LANGUAGES for name in getattr(info, names)]
        assert sorted(claimed) == sorted(set(claimed))
    tags = [tag for info in LANGUAGES for tag in (info.name, *info.tags)]
    assert sorted(tags) == sorted(set(tags))


def test_comments_are_known_for_every_language() -> None:
    assert comment_syntax("python") == CommentSyntax(("#",))
    assert comment_syntax("css").block == (("/*", "*/"),)
    assert comment_syntax("html").block[0] == ("<!--", "-->")
    assert comment_syntax("sql").line == ("--",)
    assert comment_syntax("no such language") == CommentSyntax()
    assert all(info.comments.line or info.comments.block for info in LANGUAGES)
