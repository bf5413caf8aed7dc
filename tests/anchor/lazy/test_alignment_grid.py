"""The features of the grid: what a row may stand for, and what each position of the original is like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.features import (
    BACK,
    DELETED_LINE,
    ELIDED_TO,
    ENDED,
    FEATURES,
    INDEX,
    JUNCTION,
    LANDED,
    LEFT,
    NEW_AT,
    NEXT,
    PAIR,
    ROW_NEW,
)
from fastedit.anchor.lazy.search.grid import Context, Grid
from fastedit.anchor.lazy.search.loose import is_alike, leaves_gaps, looseness
from fastedit.anchor.lazy.search.rows import Taste
from fastedit.anchor.lazy.search.steps import StepFacts
from fastedit.anchor.lazy.words.asides import Asides
from support.aligning import grid_of, lines_of

STORE = """\
import json


class Store:
    limit = 3

    def load(self, path):
        with open(path) as file:
            return json.load(file)

    def size(self):
        return len(self.items)


class Other:
    def size(self):
        return len(self.items)
"""


def pairs_of(grid: Grid, row: int) -> dict[tuple[int, bool], dict[str, float]]:
    """(line, its bytes win) → the features that aren't 0."""
    pairs = grid.pairs[row]
    return {
        (int(line), bool(loose)): {name: float(x) for name, x in zip(PAIR, values, strict=True) if x}
        for line, loose, values in zip(pairs.lines, pairs.is_loose, pairs.features, strict=True)
    }


def at(grid: Grid, row: int, position: int) -> set[str]:
    """What speaks for or against a run of new lines at a position."""
    return {name for name, value in zip(NEW_AT, grid.new.at(row)[position], strict=True) if value}


def test_each_feature_has_one_name() -> None:
    assert len(FEATURES) == len(set(FEATURES)) == len(INDEX)
    assert [FEATURES[number] for number in INDEX.values()] == list(FEATURES)


# ---- what a row may stand for ----------------------------------------------------------------------------------------


def test_an_equal_line_is_the_same() -> None:
    pairs = pairs_of(grid_of(STORE, "import json"), 0)
    assert pairs[0, False]["same"] == 1
    assert "same_dup" not in pairs[0, False]
    assert "respaced" not in pairs[0, False]


def test_a_line_that_stands_in_several_places_tells_less() -> None:
    pairs = pairs_of(grid_of(STORE, "        return len(self.items)"), 0)
    assert pairs[11, False]["same_dup"] == pairs[16, False]["same_dup"] == 1  # log2 of 2 places


def test_a_trivial_line_is_told_apart() -> None:
    pairs = pairs_of(grid_of("f(\n)\n", ")", "python"), 0)
    assert pairs[1, False]["same_trivial"] == 1
    assert "same" not in pairs[1, False]


def test_a_line_with_other_white_space_may_keep_either() -> None:
    pairs = grid_of("x = f(a)\n", "x=f( a )").pairs[0]
    assert pairs.lines.tolist() == [0, 0]
    assert pairs.features[:, PAIR.index("respaced")].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("shown", "original", "is_abbreviated"),
    [
        ("limit = 30", "limit = 30  # seconds", False),
        ("limit = 30", "limit = 30, // seconds", False),
        ("limit: 30,", "limit: 30, // seconds", False),
        ("'cs',", "'cs',  // https://example.org/a/page/that/says/much/more/than/the/entry/itself", False),
        ("name = 'store'", 'name = "store"', False),
        ("entry", "entry,", False),
        ("connect(host, ...)", "connect(host, port, retries=3)", True),
        ("f(/* ... */, last)", "f(first, second, last)", True),
        ("private const MODES", "private const MODES = '/r|w/';", False),
        ("<form>", '<form action="/contact" method="post">', False),
    ],
)
def test_a_line_that_is_only_quoted_loosely_keeps_its_bytes(shown: str, original: str, is_abbreviated: bool) -> None:
    pairs = pairs_of(grid_of(original + "\n", shown), 0)
    assert pairs[0, True]["loose"] == 1
    assert ("loose_abbreviated" in pairs[0, True]) is is_abbreviated
    assert (0, False) in pairs  # or the shown bytes win


@pytest.mark.parametrize(
    ("shown", "original"),
    [
        ("limit = 30", "limit = 300"),
        ("limit = 30  # minutes", "limit = 30"),
        ("a, b", "a"),
        ("limit_of_each", "limit_of_each_one = 3"),
    ],
)
def test_another_line_is_not_loosely_the_same(shown: str, original: str) -> None:
    assert (0, True) not in pairs_of(grid_of(original + "\n", shown), 0)


def test_a_changed_line_is_like_the_old_one() -> None:
    values = pairs_of(grid_of(STORE, "limit = 5"), 0)[4, False]
    assert values["like"] == values["identity_same"] == values["like_first"] == 1
    assert 0.3 < values["like_by"] <= 0.5


def test_a_line_about_another_of_its_kind_says_so() -> None:
    values = pairs_of(grid_of("def load_all(self, path):\n", "def load_one(self, path):"), 0)[0, False]
    assert values["identity_other"] == 1
    assert "identity_same" not in values
    assert "identity_known" not in values
    known = pairs_of(grid_of("def load_all(self, path):\ndef load_one(self):\n", "def load_one(self, path):"), 0)
    assert known[0, False]["identity_known"] == 1


@pytest.mark.parametrize(("shown", "other"), [("x = f(1)", "x = f(1)  # one"), ("x = f(1)", "x = f(1),")])
def test_a_change_that_drops_a_comment_says_so(shown: str, other: str) -> None:
    changed = pairs_of(grid_of(f"{other}\n", shown), 0)[0, False]
    assert changed["like_though_loose"] == 1
    assert changed.get("drops_comment", 0) == float("#" in other)


def test_a_row_that_is_as_like_to_other_lines_says_so() -> None:
    row = "cccc: box(() => cccc),"
    alike = pairs_of(grid_of("aaaa: box(() => aaaa),\nbbbb: box(() => bbbb),\n", row), 0)
    assert alike[0, False]["like_rivals"] == alike[1, False]["like_rivals"] == 1
    assert "like_rivals" not in pairs_of(grid_of("aaaa: box(() => aaaa),\nprint(box)\n", row), 0)[0, False]


def test_a_line_about_another_that_is_still_used_says_so() -> None:
    used = pairs_of(grid_of("LIMIT = 3\nprint(LIMIT)\n", "MOST = 3"), 0)[0, False]
    assert (used["identity_other"], used["identity_other_used"]) == (1, 1)
    assert "identity_other_used" not in pairs_of(grid_of("LIMIT = 3\nprint(3)\n", "MOST = 3"), 0)[0, False]


def test_deleted_docstrings_are_counted() -> None:
    grid = grid_of('def load(path):\n    """Reads."""\n    return path\n', "def load(path):\n    return path\n")
    assert grid.deleted_lines[:, DELETED_LINE.index("deleted_doc")].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [("# one\n# two\n", 1), ("# one\n\n# two\n", 0), ("# one\nx = 1\n", 0), ("x = 1\n# two\n", 0)],
)
def test_lines_between_two_comments(edit: str, expected: int) -> None:
    grid = grid_of("x = 2\n", edit)
    facts = StepFacts(grid).junction(grid.num_rows - 1)
    assert facts[JUNCTION.index("junction_in_comment")] == expected


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ("x = 1\nimport os\n", {"back", "back_header", "back_adjacent", "back_import"}),
        ("x = 1\n\nimport os\n", {"back", "back_header", "back_import"}),
        ("x = 1\ny = 2\n", {"back", "back_adjacent"}),
        ("# ... existing code ...\ny = 2\n", {"back", "back_marker"}),
    ],
)
def test_what_tells_whether_a_snippet_goes_on_elsewhere(edit: str, told: set[str]) -> None:
    grid = grid_of(STORE, edit)
    values = StepFacts(grid).back_row(grid.num_rows - 1)
    assert {name for name, value in zip(BACK, values, strict=True) if value} == told


@pytest.mark.parametrize(
    "shown", ["def load(path, ...) -> str:", "def load(..., strict=True) -> str:", "def load(path, *, …) -> str:"]
)
def test_a_header_of_several_lines_may_be_abbreviated(shown: str) -> None:
    grid = grid_of("def load(\n    path,\n    *,\n    strict=True,\n) -> str:\n    pass\n", shown)
    spans = {(int(span), loose) for span, loose in zip(grid.pairs[0].spans, grid.pairs[0].is_loose, strict=True)}
    assert (5, True) in spans


def test_a_statement_of_several_lines_may_be_one_row() -> None:
    grid = grid_of("value = call(\n    first,\n    second,\n)\nrest\n", "value = call(first, second)")
    pairs = grid.pairs[0]
    spans = {(int(span), loose) for span, loose in zip(pairs.spans, pairs.is_loose, strict=True)}
    assert {(4, True), (4, False)} <= spans  # only wrapped otherwise: either one's bytes may win
    changed = grid_of("value = call(\n    first,\n    second,\n)\nrest\n", "value = call(first, third)").pairs[0]
    assert (4, False) in {(int(span), loose) for span, loose in zip(changed.spans, changed.is_loose, strict=True)}


def test_a_row_that_opens_a_statement_is_like_the_line_that_was_all_of_it() -> None:
    original = "import React, {useCallback, useRef, type ComponentProps} from 'react';\nimport {x} from './x';\n"
    wrapped = "import React, {\n  useCallback,\n  useRef,\n  type ComponentProps,\n  type ReactNode,\n} from 'react';"
    values = pairs_of(grid_of(original, wrapped, "tsx"), 0)[0, False]
    assert values["like_opens"] == 1
    assert values["like_by"] > 0.3
    in_one_line = pairs_of(grid_of(original, "import React, {useCallback} from 'react';", "tsx"), 0)[0, False]
    assert "like_opens" not in in_one_line


def test_a_line_that_goes_on_below_is_hardly_one_that_is_cut_off() -> None:
    original = "def render(self, tokens, index):\n    pass\n"
    opened = grid_of(original, "def render(\n    self: Renderer,\n    tokens: Tokens,\n) -> str:")
    assert pairs_of(opened, 0)[0, True]["loose_opens"] == 1
    cut_off = grid_of(original, "def render(\n    ...\n)")
    assert "loose_opens" not in pairs_of(cut_off, 0)[0, True]


@pytest.mark.parametrize(
    ("shown", "are_code"), [("def f(a: Callable[..., int]):", 1), ("def f(*args, ...):", 0), ("def f(a, b, ...):", 0)]
)
def test_dots_in_a_changed_line_stand_for_code_or_are_code(shown: str, are_code: int) -> None:
    pairs = grid_of("def f(a: Callable):\n    pass\n", shown).pairs[0]
    changes = pairs.features[pairs.features[:, PAIR.index("like")] == 1]
    told = {(int(one[PAIR.index("like_elided")]), int(one[PAIR.index("like_elided_code")])) for one in changes}
    assert told == {(1, are_code), (0, 0)}


def test_a_blank_row_may_be_any_blank_line() -> None:
    grid = grid_of(STORE, "limit = 3\n\nx = 1")
    assert grid.pairs[1].lines.tolist() == [n for n, line in enumerate(lines_of(STORE)) if not line]


def test_what_a_row_stands_in_tells_equal_lines_apart() -> None:
    grid = grid_of(STORE, "class Other:\n    def size(self):\n        return 0")
    pairs = pairs_of(grid, 1)
    assert "parent_same" in pairs[15, False]
    assert "parent_other" in pairs[10, False]


def test_outer_headers_count_for_inner_lines() -> None:
    pairs = pairs_of(grid_of(STORE, "class Other:\n    def size(self):\n        return len(self.items)"), 2)
    assert pairs[16, False]["ancestors"] == 1
    assert pairs[11, False]["ancestors"] == -1


def test_names_in_words_tell_equal_lines_apart() -> None:
    pairs = pairs_of(grid_of(STORE, "    def size(self):", context=Context(frozenset({"Other"}))), 0)
    assert pairs[15, False]["named"] == 1
    assert pairs[10, False]["named_not"] == 1


def test_a_note_above_names_the_place_of_what_follows() -> None:
    grid = grid_of(STORE, "# in class Other:\ndef size(self):")
    assert grid.context_names[1] == {"Other"}
    assert grid_of(STORE, "def size(self):").context_names == [frozenset()]


def test_the_shift_is_what_most_equal_lines_say() -> None:
    assert grid_of(STORE, "def size(self):\n    return len(self.items)").shift == 4
    assert grid_of(STORE, "class Other:\n    x = 1").shift == 0
    assert grid_of(STORE, "nothing known").shift == 0


def test_a_row_is_looked_for_at_the_column_that_its_neighbours_tell() -> None:
    grid = grid_of(STORE, "def load(self, path):\n    x = 1")
    assert [grid.column_of(0), grid.column_of(1)] == [4, 8]


# ---- what is new -----------------------------------------------------------------------------------------------------


def new(grid: Grid, row: int) -> set[str]:
    return {name for name, value in zip(ROW_NEW, grid.new.row(row), strict=True) if value}


def test_what_speaks_against_a_new_row() -> None:
    assert new(grid_of(STORE, "limit = 3"), 0) >= {"new", "new_known"}
    assert new(grid_of("f(\n)\n", ")"), 0) >= {"new", "new_known_trivial"}
    assert new(grid_of(STORE, "def load(self, path, mode):"), 0) >= {"new", "new_declared", "new_like"}
    assert new(grid_of(STORE, "..."), 0) >= {"new", "new_dots"}
    assert new(grid_of(STORE, "zebra_crossing()"), 0) == {"new"}
    assert new(grid_of(STORE, "a\n\nb"), 1) == {"new_blank"}


def test_where_a_new_line_fits() -> None:
    grid = grid_of(STORE, "class Store:\n    limit = 3\n    other = 4")
    row = 2
    assert "fits_before" in at(grid, row, 5)
    assert "fits_behind" in at(grid, row, 4)
    assert "fits_none" in at(grid, row, 8)
    assert {"inside_parent"} <= at(grid, row, 5)
    assert {"outside_parent"} <= at(grid, row, 16)
    assert "ends_file" in at(grid, row, 17)
    assert "captures" in at(grid, row, 7)  # deeper lines behind it would be the new line's


def test_a_declaration_belongs_between_others() -> None:
    grid = grid_of(STORE, "    def clear(self):\n        self.items = []")
    assert "declared_at_boundary" in at(grid, 0, 10)
    assert "declared_inside" in at(grid, 0, 8)


def test_an_import_belongs_beside_imports() -> None:
    grid = grid_of(STORE, "import os")
    assert "import_far" not in at(grid, 0, 1)
    assert "first_same_before" in at(grid, 0, 1)
    assert "import_far" in at(grid, 0, 12)


# ---- positions -------------------------------------------------------------------------------------------------------


def test_positions_between_declarations() -> None:
    grid = grid_of(STORE, "x")
    lines = lines_of(STORE)
    begins, ends, headers = grid.declared
    assert {lines[line] for line in np.nonzero(headers)[0]} == {
        "class Store:",
        "    def load(self, path):",
        "    def size(self):",
        "class Other:",
    }
    assert all(begins[line] for line in (3, 6, 10, 14, 15))
    assert ends[9]
    assert all(grid.boundary[line] for line in (3, 5, 6, 9, 10))
    assert not grid.boundary[8]


def test_lines_before_and_behind_positions() -> None:
    grid = grid_of("a\n\nb\n", "x")
    assert grid.line_before == [-1, 0, 0, 2]
    assert grid.line_behind == [0, 2, 2, 3]


@pytest.mark.parametrize(("position", "ends"), [(9, True), (10, True), (11, False), (8, False), (17, True), (4, False)])
def test_where_blocks_end(position: int, ends: bool) -> None:
    assert bool(grid_of(STORE, "x").block_ends[position]) is ends


FILES = st.lists(st.sampled_from(["def f():", "    x = 1", "", "}", "    # note", "y = 2", "class A:"]), max_size=12)


@given(FILES, FILES)
def test_every_table_has_a_row_for_each_position(original: list[str], edit: list[str]) -> None:
    grid = grid_of("\n".join(original), "\n".join(edit))
    n = grid.num_lines
    assert grid.landed.shape == (n + 1, len(LANDED))
    assert grid.left.shape == (n + 1, len(LEFT))
    assert grid.elided_to.shape == (n + 1, len(ELIDED_TO))
    assert grid.ended.shape == (n + 1, len(ENDED))
    assert (grid.landed.sum(axis=1) == 1).all()  # each position is of one kind
    for table in (grid.deleted_lines, grid.jumped_lines):
        assert not table[0].any()
        assert (np.diff(table, axis=0) >= 0).all()  # sums of what lies before
    for row in range(grid.num_rows):
        pairs = grid.pairs[row]
        assert len(pairs.lines) == len(pairs.spans) == len(pairs.is_loose) == len(pairs.features)
        assert all(line >= 0 and line + span <= n for line, span in zip(pairs.lines, pairs.spans, strict=True))
        assert len(NEXT) == 6


@given(FILES)
def test_a_file_stands_in_itself(original: list[str]) -> None:
    grid = grid_of("\n".join(original), "\n".join(original))
    first = next((n for n, line in enumerate(original) if line), 0)
    for row in range(grid.num_rows):
        assert first + row in grid.pairs[row].lines.tolist()


def test_a_closing_bracket_may_lack_the_comma_that_the_file_has() -> None:
    original = "const a = {\n  b: {\n    c: 1,\n  },\n  d: 2,\n};\n"
    pairs = pairs_of(grid_of(original, "b: {\n  c: 2,\n}", "javascript"), 2)
    assert set(pairs) == {(3, True), (3, False), (5, True), (5, False)}
    assert pairs[3, True]["loose_closer"] == pairs[3, False]["like_closer"] == 1
    assert "like_closer" not in pairs[3, True]


def test_the_rows_of_blocks_that_declare_something_new() -> None:
    size, clear = "    def size(self):\n        return 1\n", "    def clear(\n        self,\n    ):\n\n        pass\n"
    shown = f"class Store:\n{size}\n{clear}    # ..."
    assert grid_of(STORE, shown, "python").rows_of_new_blocks() == {4, 5, 6, 8}
    assert grid_of(STORE, "limit = 4\nimport sys", "python").rows_of_new_blocks() == frozenset()
    braced = grid_of("int one() {\n  return 1;\n}\n", "int two()\n{\n  return 2;\n}\nint x;", "c")
    assert braced.rows_of_new_blocks() == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("comment", "name"),
    [("# load", "new_named_alone"), ("# --- the rest of it ---", "new_dressed"), ("# loads it", None)],
)
def test_a_new_comment_that_is_dressed_or_nothing_but_a_name(comment: str, name: str | None) -> None:
    row = grid_of("# a store\ndef load(path):\n    return path\n", comment).new.row(0)
    told = {"new_named_alone": row[ROW_NEW.index("new_named_alone")], "new_dressed": row[ROW_NEW.index("new_dressed")]}
    assert [found for found, value in told.items() if value] == ([name] if name else [])


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ("def read(self, path, ...):", 'def read( self, path: str, mode: str = "r", ) -> bytes:', True),
        ("'read>=1.2; ...',", "\"read>=1.2; python_version < '3.11'\",", True),
        ("def read(self, file, ...):", "def read(self, path: str, mode: str):", False),  # another name
        ("def read(self, ...) -> str:", "def read(self, path) -> bytes:", False),
        ("read(path)", "read(path, mode)", False),  # no dots
        ("f(...)", "f(a, b, c)", False),  # says too little
    ],
)
def test_a_line_with_dots_may_leave_out_more_than_where_they_stand(mine: str, theirs: str, expected: bool) -> None:
    assert leaves_gaps(mine, theirs) == expected


def test_a_header_with_dots_may_quote_a_wrapped_one_with_types() -> None:
    original = "def read(\n    path: str,\n    mode: str,\n) -> bytes:\n    return open(path, mode)\n"
    grid = grid_of(original, "def read(path, ...) -> bytes:\n    check(path)")
    pairs = grid.pairs[0]
    loose = [
        (line, span)
        for line, span, is_loose, told in zip(pairs.lines, pairs.spans, pairs.is_loose, pairs.features, strict=True)
        if is_loose and told[PAIR.index("loose_gaps")]
    ]
    assert loose == [(0, 4)]


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ('run("a")', "run('a')", 1),  # other quotes
        ('run("a")', "run('a')  # as root", 1),  # and no comment
        ("# low-level", "# low\u2010level", 1),
        ('text = "don\'t"', "text = \u201cdon\u2019t\u201d", 1),
        ("run('b')", "run('a')  # as root", 0),
        ("a - b", "a + b", 0),
    ],
)
def test_signs_that_look_alike_are_the_same_in_a_loose_quote(mine: str, theirs: str, expected: int) -> None:
    assert looseness(mine, theirs) == expected


@pytest.mark.timeout(20)
def test_blanks_in_a_row_of_a_line_with_dots_are_compared_in_no_time() -> None:
    """Every way to share them out was tried: minutes for a rule in a header comment."""
    rule = f"**{' ' * 40}"
    assert looseness(f"{rule}- - ... degrees", f"{rule}- - radians") == 0
    assert looseness(f"{rule}- - ... degrees", f"{rule}- -  of degrees") == 2


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ('run("a")', "run('a')", False),
        ('run("a")', "run('a')  # as root", True),
        ("run('a')", "run('a')  # as root", False),
        ("# low-level", "# low\u2010level", True),
    ],
)
def test_only_quotes_are_likely_to_be_what_an_edit_is_about(mine: str, theirs: str, expected: bool) -> None:
    assert is_alike(mine, theirs) == expected


STUBS = """\
class Store:
    def load(self):
        ...

    def save(self):
        pass

    def drop(self):
        return 1
"""


@pytest.mark.parametrize(("name", "line"), [("load", 1), ("save", 4), ("drop", None)])
def test_a_body_of_dots_may_move_to_its_header(name: str, line: int | None) -> None:
    edit = f"    def {name}(self): ...\n    # the rest as before"
    pairs = grid_of(STUBS, edit, taste=Taste(keeps_stubs=True)).pairs[0]
    stubs = pairs.features[:, PAIR.index("stub")] > 0
    assert [(first, span) for first, span in zip(pairs.lines[stubs], pairs.spans[stubs], strict=True)] == (
        [] if line is None else [(line, 2)]
    )
    assert all(pairs.features[stubs, PAIR.index("stub_marked")])


def test_what_words_say_of_dots_is_told_of_a_stub() -> None:
    context = Context(asides=Asides(dots_are_code=True))
    for told in (context, Context()):
        pairs = grid_of(STUBS, "    def load(self): ...", context=told, taste=Taste(keeps_stubs=True)).pairs[0]
        stub = pairs.features[pairs.features[:, PAIR.index("stub")] > 0][0]
        assert bool(stub[PAIR.index("stub_said")]) == told.asides.dots_are_code
        assert not stub[PAIR.index("stub_marked")]
