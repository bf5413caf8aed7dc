"""What a line is about, what it stands in, and how a text is indented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.identity import Identity, columns_of, identity_of
from fastedit.anchor.lazy.lines import MAX_STATEMENT, Lines, unwrapped
from support.aligning import lines_of


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        # Python
        ("def load(self, path):", "decl", "load"),
        ("async def load():", "decl", "load"),
        ("class Store(Base):", "decl", "Store"),
        ("import numpy as np", "import", "numpy"),
        ("from os import path", "import", "os"),
        ("self.limit = 3", "assign", "self.limit"),
        ("limit: int = 3", "assign", "limit"),
        ("total += 1", "assign", "total"),
        ("show(total)", "call", "show"),
        ("return make(total)", "call", "make"),
        ("await store.load(path)", "call", "store.load"),
        ("@app.route('/')", "decorator", "@app.route"),
        # JavaScript and TypeScript
        ("import { a, b } from './store.js'", "import", "./store.js"),
        ("const load = async (path) => {", "decl", "load"),
        ("export default function load(path) {", "decl", "load"),
        ("export interface Store<T> {", "decl", "Store"),
        ("describe('the store', () => {", "decl", "('the store"),
        ("load(path) {", "decl", "load"),
        ("case 'up':", "case", "'up'"),
        ("retries: 3,", "key", "retries"),
        ("limit?: number;", "key", "limit"),
        # Go, Rust, Java, C
        ("func (s *Store) Load(path string) error {", "decl", "Load"),
        ("limit := 3", "assign", "limit"),
        ("pub(crate) fn load(&self) -> u8 {", "decl", "load"),
        ("impl Iterator for Store {", "decl", "Iterator for Store"),
        ("use std::io::{Read, Write};", "import", "std::io"),
        ("Kind::Wide => 3,", "arm", "Kind::Wide"),
        ("Some(x) => x,", "arm", "Some(x)"),
        ("resize(image, size),", "call", "resize"),
        ("#[derive(Debug)]", "decorator", "#[derive(Debug)]"),
        ("private static int load(String path) {", "decl", "load"),
        ("#include <stdio.h>", "import", "stdio.h"),
        # data, markup, documentation, styles
        ('"name": "store",', "key", "name"),
        ("name: store", "key", "name"),
        ("- name: store", "key", "name"),
        ("- store", "entry", "store"),
        ('"store",', "entry", "store"),
        ("[tool.ruff]", "table", "tool.ruff"),
        ("## Installing", "heading", "Installing"),
        ('<div id="menu" class="wide">', "tag", "div menu"),
        ("<main>", "tag", "main"),
        (".menu > li {", "selector", ".menu > li"),
        ("&:hover {", "selector", "&:hover"),
        ("@import 'base'", "import", "base"),
        ("CREATE TABLE IF NOT EXISTS users (", "decl", "users"),
        ('resource "aws_instance" "web" {', "decl", '"aws_instance" "web"'),
    ],
)
def test_what_a_line_is_about(line: str, kind: str, name: str) -> None:
    assert identity_of(line) == Identity(kind, name)


@pytest.mark.parametrize(
    "line", ["", "}", "else:", "return total", "if limit:", "} else {", "x" * 401, "while (true) {", "a + b", "))"]
)
def test_what_is_about_nothing(line: str) -> None:
    assert identity_of(line) is None


@pytest.mark.parametrize(("one", "other"), [("x = 1", "x = 2"), ("def f(a):", "def f(a, b):"), ("k: 1", "k: [")])
def test_a_changed_line_is_still_about_the_same(one: str, other: str) -> None:
    assert identity_of(one) == identity_of(other) is not None


@given(st.text(max_size=60))
def test_any_line_can_be_asked(line: str) -> None:
    found = identity_of(line.strip())
    assert found is None or found.kind


@pytest.mark.parametrize(
    ("line", "columns"), [("x", 0), ("", 0), ("   x", 3), ("\tx", 4), ("  \tx", 4), ("\t  x", 6), ("x\ty", 0)]
)
def test_columns(line: str, columns: int) -> None:
    assert columns_of(line) == columns


def test_blank_lines_have_no_column() -> None:
    assert Lines(["x", "", "   ", "  y"]).columns == [0, -1, -1, 2]


@pytest.mark.parametrize(
    ("wrapped", "joined"), [("f( a,\n  b,\n)", "f(a, b)"), ("[1,\n]", "[1]"), ("{ a: 1,\n}", "{a: 1}")]
)
def test_a_wrapped_statement_is_the_same_unwrapped(wrapped: str, joined: str) -> None:
    assert unwrapped(wrapped) == unwrapped(joined)
    assert unwrapped("f(a, b)") != unwrapped("f(a)")


def test_places_are_blind_to_white_space() -> None:
    lines = Lines(["a = 1", "", "  a=1", "b"])
    assert lines.places == {"a=1": [0, 2], "b": [3]}
    assert lines.identities == {Identity("assign", "a"): [0, 2]}
    assert lines.word_places["a"] == [0, 2]


@given(
    st.lists(
        st.sampled_from(["def f():", "f = 1", "  f = 2", "import f", "<p>", '<p id="f">', "- f", "f(f)", "", "f: f"]),
        max_size=10,
    )
)
def test_lines_are_found_by_what_they_are_about(texts: list[str]) -> None:
    lines = Lines(texts)
    told = {line: identity_of(text.strip()) for line, text in enumerate(texts)}
    for identity in {found for found in told.values() if found is not None}:
        assert lines.identities[identity] == [line for line, found in told.items() if found == identity]
    assert set(lines.identities) == set(told.values()) - {None}
    assert Identity("decl", "unheard_of") not in lines.identities


NESTED = """\
class Store:

    def load(self):
        if self.path:
            return 1

        return 2
    limit = 3
other = 4
"""


def test_parents_are_the_lines_that_a_line_stands_in() -> None:
    lines = Lines(lines_of(NESTED))
    assert lines.parents == [-1, 0, 0, 2, 3, 4, 2, 0, -1]
    assert lines.ancestors(4) == [3, 2, 0]
    assert lines.ancestors(8) == []


def test_a_closing_bracket_ends_a_block_and_begins_none() -> None:
    assert Lines(["call(", "  a,", ")", "  .then(b)"]).parents == [-1, 0, -1, -1]


def test_keys_stand_in_their_table() -> None:
    texts = ["name = 1", "[tool.ruff]", "line = 2", "[tool.ruff.lint]  # rules", "select = [", '  "A",', "]", "[[x]]"]
    lines = Lines(texts)
    assert lines.parents == [-1, -1, 1, -1, 3, 4, 3, -1]
    assert Lines(["    [a]", "    b", "[0]", "c"]).parents == [-1, -1, -1, -1]


def test_items_stand_in_the_key_above_them() -> None:
    lines = Lines(["steps:", "- uses: a", "  with: b", "- run: c", "name: d", "jobs:", "  - e"])
    assert lines.parents == [-1, 0, 1, 0, -1, -1, 5]


@given(st.lists(st.sampled_from(["a", "  b", "    c", "", "  }", "\td", "})"]), max_size=12))
def test_a_parent_stands_further_left_and_above(texts: list[str]) -> None:
    lines = Lines(texts)
    for line, parent in enumerate(lines.parents):
        assert parent < line
        if parent >= 0 and lines.columns[line] >= 0:
            assert lines.columns[parent] < lines.columns[line]
            between = range(parent + 1, line)
            assert all(
                lines.columns[at] < 0 or lines.columns[at] > lines.columns[parent] or lines.stripped[at][0] in ")]}"
                for at in between
            )


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("f(\n  a,\n  b,\n)", 4),
        ("f(a,\n  b)", 2),
        ("x = {\n  1: [\n    2\n  ]\n}", 5),
        ("f(a)", 1),
        ("f(", 1),
        (")", 1),
        ("f([\n  1,\n], 2)\nrest", 3),
        ("if (a) {\n  b()\n}", 3),
    ],
)
def test_how_many_lines_a_statement_takes(text: str, span: int) -> None:
    assert Lines(text.split("\n")).statement_span(0) == span


def test_a_statement_that_goes_on_too_long_is_one_line() -> None:
    assert Lines(["f("] + ["a,"] * MAX_STATEMENT + [")"]).statement_span(0) == 1
    assert Lines(["f("] + ["a,"] * (MAX_STATEMENT - 2) + [")"]).statement_span(0) == MAX_STATEMENT


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("def f():\n    x\n    if x:\n        y", "    "),
        ("a {\n  b {\n    c\n  }\n}", "  "),
        ("f() {\n\tg()\n\tif x {\n\t\ty\n\t}\n}", "\t"),
        ("a:\n b:\n  c", " "),
        ("a\nb", "    "),
        ("", "    "),
        ("f(a,\n             b)", "    "),
        ("a {\n\n\n  b\n}", "  "),
        ("f(\n    a,\n    b)\ng(\n    a)\nif (a) {\n  b\n}", "  "),
        ("/*\n * a\n * b\n */\nf {\n\tg\n}", "\t"),
    ],
)
def test_the_unit_of_indentation(text: str, unit: str) -> None:
    assert Lines(text.split("\n")).indent_unit == unit


@pytest.mark.parametrize(
    "line",
    ["}", "});", "else:", "return", "pass", "end", "</div>", "*/", "} else {", "/>", '"""', "fi", "---"],
)
def test_trivial_lines(line: str) -> None:
    assert Lines([line]).is_trivial == [True]


@pytest.mark.parametrize("line", ["return 1", "else if (a)", "ending = 1", "<div>", "pass_on()", "# ---- a"])
def test_telling_lines(line: str) -> None:
    assert Lines([line]).is_trivial == [False]


@given(st.lists(st.sampled_from(["a", "  b", "    c", ""]), max_size=10))
def test_columns_before_and_behind_a_position(texts: list[str]) -> None:
    lines = Lines(texts)
    for at in range(len(texts) + 1):
        before = [lines.columns[line] for line in range(at) if lines.columns[line] >= 0]
        behind = [lines.columns[line] for line in range(at, len(texts)) if lines.columns[line] >= 0]
        assert lines.previous_columns[at] == (before[-1] if before else -1)
        assert lines.next_columns[at] == (behind[0] if behind else -1)
