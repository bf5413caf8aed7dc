"""From a path to lines: what stays, how new lines are indented, blank lines, commas.

White space as the snippet shows it is one more way to read a path, beside the one that the file's habits make.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.blanks import AddedBlanks
from fastedit.anchor.lazy.result.columns import Cell, Columns, changes_of
from fastedit.anchor.lazy.result.realise import Realiser
from fastedit.anchor.lazy.search.paths import plan_of
from fastedit.anchor.lazy.search.search import Search
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import applied, grid_of, lines_of, path_of, plan_told, realised, written
from support.examples import examples

STORE = """\
class Store:
    limit = 3

    def load(self):
        return 1

    def save(self):
        return 2
"""

# ---- what a path does with each row and line -------------------------------------------------------------------------


def test_a_plan_says_what_becomes_of_each_row_and_line() -> None:
    edit = "class Store:\n    # ...\n    def load(self):\n        return 9\n        return 8\n    # new"
    plan = plan_told(grid_of(STORE, edit), "Q0 M S3 Q3 N N D5 x")
    assert {row: line for row, (line, _) in plan.quoted.items()} == {0: 0, 2: 3}
    assert plan.new == {4: [3, 4]}
    assert plan.deleted == {4}
    assert plan.markers == {1: (1, 3)}
    assert plan.left_out == {5}
    assert plan.order == [0, 2, 3, 4]
    assert plan.free_before == {0, 2}  # what the snippet doesn't show lies before these


def test_a_marker_at_the_end_keeps_the_rest() -> None:
    plan = plan_told(grid_of(STORE, "class Store:\n    # ..."), "Q0 M")
    assert plan.markers == {1: (1, 8)}
    assert not plan.deleted


def test_a_line_cannot_be_used_twice() -> None:
    grid = grid_of(STORE, "class Store:\nclass Store:")
    assert plan_of(path_of(grid, "Q0 B Q0"), grid) is None


def test_a_changed_statement_takes_all_its_lines() -> None:
    original = "value = call(\n    first,\n    second,\n)\nrest = 1\n"
    grid = grid_of(original, "value = call(first, third)")
    pairs = grid.pairs[0]
    assert any(span == 4 for span in pairs.spans)
    edit = "value = call(first, second)"
    assert realised(original, edit, "Q0~") == original  # quoted: the original's bytes stand


# ---- the order of things ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "changes"),
    [
        ([Cell(0, None, None, 3)], []),
        ([Cell(0, None), Cell(None, "x"), Cell(1, None, None, 2)], [(1, 1, ["x"])]),
        ([Cell(0, None), Cell(2, None)], [(1, 2, [])]),
        ([Cell(0, None), Cell(1, "y"), Cell(2, None)], [(1, 2, ["y"])]),
        ([Cell(0, None), Cell(2, "y")], [(1, 3, ["y"])]),
        ([Cell(0, "y"), Cell(None, "z"), Cell(2, None)], [(0, 2, ["y", "z"])]),
        ([Cell(0, None, None, 3), Cell(None, "x")], [(3, 3, ["x"])]),
        ([], [(0, 3, [])]),
        ([Cell(None, "x"), Cell(None, "")], [(0, 3, ["x", ""])]),
    ],
)
def test_cells_as_changes(cells: list[Cell], changes: list[tuple[int, int, list[str]]]) -> None:
    assert changes_of(cells, 3) == changes


TEXTS = st.lists(
    st.sampled_from(
        [
            "class A:",
            "    def f(self):",
            "        return 1",
            "    x = 1",
            "y = call(a,",
            "    b)",
            "",
            "",
            "}",
            "    # ... rest",
            "# NEW",
        ]
    ),
    max_size=9,
)


@examples(80)
@given(TEXTS, TEXTS, st.integers(0, 10_000), st.sampled_from(["python", "javascript", "json", "markdown", ""]))
def test_lines_outside_of_the_changes_stay(original: list[str], edit: list[str], seed: int, language: str) -> None:
    """Whatever way is taken, its changes make the cells' lines of the original, and no line of it moves."""
    chance = random.Random(seed)
    grid = grid_of("\n".join(original), "\n".join(edit), language)
    lines = grid.original.texts
    for path in Search(grid, {name: chance.uniform(-2, 2) for name in FEATURES}).best(6, beam=30):
        plan = plan_of(path, grid)
        if plan is None:
            continue
        cells = Realiser(grid, plan).cells()
        kept = [line for cell in cells if cell.line is not None for line in range(cell.line, cell.line + cell.count)]
        assert kept == sorted(set(kept))
        gone = set(range(len(lines))) - set(kept)
        assert all(line in plan.deleted or not lines[line].strip() for line in gone)
        changes = changes_of(cells, len(lines))
        assert applied(lines, changes) == written(lines, cells)
        ends = [0, *(place for start, end, _ in changes for place in (start, end))]
        assert ends == sorted(ends)


@examples(60)
@given(
    st.lists(st.sampled_from(["class A:", "    x = 1", "    def f(self):", "        y", "", "z = [", "]"]), max_size=9)
)
def test_a_file_that_quotes_itself_stays(original: list[str]) -> None:
    while original and not original[0]:
        original.pop(0)
    while original and not original[-1]:
        original.pop()
    if original:
        grid = grid_of("\n".join(original), "\n".join(original))
        plan = plan_told(grid, " ".join(f"Q{line}" for line in range(len(original))))
        assert changes_of(Realiser(grid, plan).cells(), len(original)) == []


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_a_snippet_shown_further_left_is_moved_to_its_block() -> None:
    edit = "def load(self):\n    check()\n    return 1"
    assert realised(STORE, edit, "Q3 N Q4") == STORE.replace("        return 1", "        check()\n        return 1")


def test_new_lines_with_nothing_quoted_keep_their_distance() -> None:
    edit = "# about it\ndef size(self):\n    return 3\n\ndef free(self):\n    return 4"
    new = "    # about it\n    def size(self):\n        return 3\n\n    def free(self):\n        return 4\n\n"
    expected = STORE.replace("    def save", f"{new}    def save")
    assert realised(STORE, edit, "N6 N N N N N") == expected


def test_a_new_block_stands_beside_its_kin() -> None:
    original = "jobs:\n  test:\n    steps:\n      - run: a\n\n  lint:\n    steps:\n      - run: b\n"
    edit = "docs:\n  steps:\n    - run: c"
    expected = original.replace("\n  lint:", "\n  docs:\n    steps:\n      - run: c\n\n  lint:")
    assert realised(original, edit, "N5 N N", "yaml") == expected


def test_a_blank_line_keeps_its_white_space() -> None:
    edit = "def load(self):\n    check()\n    \n    check()\n    return 1"
    assert realised(STORE, edit, "Q3 N N N Q4") == STORE.replace(
        "        return 1", "        check()\n        \n        check()\n        return 1"
    )


def test_a_new_line_keeps_the_blanks_at_its_end() -> None:
    result = realised(STORE, "    def load(self):\n        x = 2  \n        return 1", "Q3 N Q4")
    assert "        x = 2  " in result.split("\n")


def test_a_snippet_in_other_units_is_written_in_the_files() -> None:
    edit = "def load(self):\n  if self:\n    check()\n  return 1"
    expected = STORE.replace("        return 1", "        if self:\n            check()\n        return 1")
    assert realised(STORE, edit, "Q3 N N Q4") == expected


def test_tabs_stay_tabs() -> None:
    original = "func f() {\n\tg()\n}\n"
    edit = "func f() {\n    g()\n    if x {\n        h()\n    }\n}"
    expected = "func f() {\n\tg()\n\tif x {\n\t\th()\n\t}\n}\n"
    assert realised(original, edit, "Q0 Q1 N N N Q2", "go") == expected


def test_new_lines_are_indented_as_the_nearest_of_their_column() -> None:
    original = "/*\n * a\n * b\n * c\n * d\n */\nenum e {\n\tA,\n\tC\n};\n"
    edit = "enum e {\n    A,\n    B,\n    C\n};"
    assert realised(original, edit, "Q6 Q7 N Q8 Q9", "c") == original.replace("\tC", "\tB,\n\tC")


def test_the_star_of_a_comment_stays_one_column_further_right() -> None:
    original = "function a() {\n\tif (b) {\n\t\tc()\n\t}\n}\n"
    edit = "function a() {\n  if (b) {\n    c()\n  }\n}\n/**\n * Says d.\n */\nfunction d() {}"
    expected = original + "/**\n * Says d.\n */\nfunction d() {}\n"
    assert realised(original, edit, "Q0 Q1 Q2 Q3 Q4 N N N N", "javascript") == expected


def test_a_snippet_in_the_files_columns_isnt_scaled() -> None:
    original = "if (a) {\n  let b = c ?\n    d :\n    e;\n  f();\n}\n"
    edit = "  let b = c ? d :\n      g;\n  f();"
    expected = "if (a) {\n  let b = c ? d :\n      g;\n  f();\n}\n"
    assert realised(original, edit, "Q1 D4 N Q4", "javascript") == expected


def test_a_block_whose_header_goes_moves_out_though_an_elision_lies_before_it() -> None:
    original = "class A:\n    def f(self):\n        pass\n\n    if new:\n\n        def g(self):\n            pass\n"
    edit = "class A:\n    # ...\n    def g(self):\n        pass"
    expected = "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n"
    assert realised(original, edit, "Q0 M S4 D6 Q6 Q7") == expected


def test_what_stood_in_a_block_moves_out_when_its_header_becomes_a_statement() -> None:
    original = "for a in b:\n    if c(a):\n        d = 1\n        e = a\n"
    edit = "for a in b:\n    f = c(a)\n    d = 1\n    e = a"
    expected = "for a in b:\n    f = c(a)\n    d = 1\n    e = a\n"
    assert realised(original, edit, "Q0 Q1 Q2 Q3") == expected


def test_the_bracket_behind_a_line_is_no_neighbour_of_it() -> None:
    original = "fn f() {\n    a();\n    b()\n}\n"
    assert realised(original, "a();\nc()\n}", "Q1 D3 N Q3", "rust") == "fn f() {\n    a();\n    c()\n}\n"


def test_a_bracket_stands_where_its_block_begins() -> None:
    original = "const a = b =>\n  class A extends b {\n    c() {}\n  };\n"
    edit = "const a = b => {\n  class A extends b {\n    // ...\n  }\n  return A;\n};"
    expected = "const a = b => {\n  class A extends b {\n    c() {}\n  }\n  return A;\n};\n"
    assert realised(original, edit, "Q0 Q1 M S3 N N Q3", "javascript") == expected


def test_a_bracket_that_the_file_puts_elsewhere_stays_where_nothing_changes() -> None:
    original = "function a()\n    b()\n end\n"
    assert realised(original, "function a()\n    b()\nend", "Q0 Q1 Q2", "lua") == original
    assert realised(original, "function a()\n    c()\nend", "Q0 D2 N Q2", "lua") == "function a()\n    c()\nend\n"


def test_a_new_line_of_a_comment_has_the_space_behind_its_sign_that_the_file_has() -> None:
    original = "/*\n *\t# one\n *\t[two]\n */\n"
    edit = "*    # one\n*    ; more\n*    [two]"
    assert realised(original, edit, "Q1 N Q2", "c") == original.replace(" *\t[two]", " *\t; more\n *\t[two]")


def test_quoted_lines_move_under_a_new_header() -> None:
    original = "def f():\n    a()\n    b()\n    c()\n"
    edit = "def f():\n    with lock:\n        a()\n        b()\n    c()"
    expected = "def f():\n    with lock:\n        a()\n        b()\n    c()\n"
    assert realised(original, edit, "Q0 N Q1 Q2 Q3") == expected


def test_quoted_lines_move_back_when_their_header_goes() -> None:
    original = "def f():\n    with lock:\n        a()\n        b()\n    c()\n"
    edit = "def f():\n    a()\n    b()\n    c()"
    assert realised(original, edit, "Q0 D2 Q2 Q3 Q4") == "def f():\n    a()\n    b()\n    c()\n"


WRAPPED = "def f():\n    if a:\n        b()\n        c()\n    d()\n"


def test_elided_lines_move_with_their_block() -> None:
    edit = "def f():\n    with lock:\n        if a:\n            # ..."
    expected = "def f():\n    with lock:\n        if a:\n            b()\n            c()\n    d()\n"
    assert realised(WRAPPED, edit, "Q0 N Q1 M S4") == expected


def test_lines_behind_a_marker_move_with_their_block() -> None:
    edit = "def f():\n    with lock:\n        if a:\n            # ...\n        d()"
    expected = "def f():\n    with lock:\n        if a:\n            b()\n            c()\n        d()\n"
    assert realised(WRAPPED, edit, "Q0 N Q1 M S4 Q4") == expected


@pytest.mark.parametrize("text", ["text", "            text"])
def test_the_lines_of_a_string_stay_when_their_block_moves(text: str) -> None:
    original = f'def f():\n    if a:\n        b = """\n{text}\n"""\n        c()\n    d()\n'
    edit = "def f():\n    with lock:\n        if a:\n            # ..."
    expected = f'def f():\n    with lock:\n        if a:\n            b = """\n{text}\n"""\n            c()\n    d()\n'
    assert realised(original, edit, "Q0 N Q1 M S6") == expected


def test_a_docstring_moves_with_its_function() -> None:
    original = 'def f():\n    """Do it.\n\n    Twice.\n    """\n    g()\n'
    edit = "class A:\n    def f():\n        # ..."
    expected = 'class A:\n    def f():\n        """Do it.\n\n        Twice.\n        """\n        g()\n'
    assert realised(original, edit, "N Q0 M S6") == expected


def test_elided_lines_stay_where_their_block_does() -> None:
    edit = "class Store:\n    # ...\n    def save(self):\n        return 3"
    assert realised(STORE, edit, "Q0 M S6 Q6 Q7") == STORE.replace("return 2", "return 3")


def test_a_changed_line_keeps_the_files_column() -> None:
    assert realised(STORE, "limit = 4", "Q1") == STORE.replace("limit = 3", "limit = 4")


def test_an_elision_inside_of_a_line_keeps_what_it_stands_for() -> None:
    original = "def load(self, path, mode, retries=3):\n    return 1\n"
    edit = "def load(self, ..., retries=5):"
    assert realised(original, edit, "Q0") == original.replace("retries=3", "retries=5")


# ---- blank lines -----------------------------------------------------------------------------------------------------


def test_a_new_declaration_has_the_blank_lines_of_its_neighbours() -> None:
    edit = "    def clear(self):\n        return 0"
    clear = "    def clear(self):\n        return 0\n\n"
    assert realised(STORE, edit, "N6 N") == STORE.replace("    def save", f"{clear}    def save")


def test_blank_lines_at_the_outermost_level_are_as_usual() -> None:
    original = "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    edit = "def b():\n    return 2\n\ndef c():\n    return 3"
    assert realised(original, edit, "Q7 Q8 N N N").startswith(original)


@pytest.mark.parametrize("edit", ["# ...\n\ndef c():\n    return 3", "# ...\ndef c():\n    return 3"])
def test_a_declaration_behind_all_others_stands_at_the_outermost_level(edit: str) -> None:
    original = "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    told = "M S9 x N N" if "\n\n" in edit else "M S9 N N"
    result = realised(original, edit, told)
    assert result.startswith(original)
    assert result.endswith("\ndef c():\n    return 3\n")


def test_blank_lines_that_the_snippet_shows_are_written() -> None:
    edit = "def load(self):\n    check()\n\n    return 1"
    expected = STORE.replace("        return 1", "        check()\n\n        return 1")
    assert realised(STORE, edit, "Q3 N N Q4") == expected


def test_a_deletion_leaves_the_blank_lines_of_one_gap() -> None:
    original = "a = 1\n\n\ndef b():\n    c()\n\n\ndef d():\n    e()\n"
    assert realised(original, "a = 1\n# ...\ndef d():", "Q0 M S3 D7 Q7") == "a = 1\n\n\ndef d():\n    e()\n"


def test_a_statement_beside_others_gets_no_blank_lines() -> None:
    edit = "    limit = 3\n    size = 4"
    assert realised(STORE, edit, "Q1 N2") == STORE.replace("    limit = 3\n", "    limit = 3\n    size = 4\n")


@pytest.mark.parametrize(
    ("original", "edit", "told", "expected"),
    [
        # An entry, and a statement that declares but a name: nothing sets them off, though functions here are set off.
        (
            "from a import (\n    b,\n    c,\n)\n\nclass S:\n    d = 1\n\n    def e(self):\n        return 1\n",
            "from a import (\n    # ...\n    f,\n)",
            "Q0 M S3 N Q3",
            "    c,\n    f,\n)\n",
        ),
        ("int a;\nint b;\n\nuse(a);\n", "// ...\nint c = 1;", "M S2 N", "int b;\nint c = 1;\n\nuse(a);\n"),
        # The blank line that the snippet shows before new lines is the file's, which then has none behind them.
        ("a();\n\nc();\n", "a();\n\nb();\n// ...", "Q0 N N M S3", "a();\n\nb();\nc();\n"),
    ],
)
def test_new_lines_are_set_off_once_and_only_as_the_snippet_shows(
    original: str, edit: str, told: str, expected: str
) -> None:
    assert expected in realised(original, edit, told, "python" if "import" in edit else "c")


def test_blank_lines_of_the_file_stay_behind_new_lines_that_end_in_them() -> None:
    original = "const (\n\ta = 1\n\n\tc = 3\n)\n"
    edit = "const (\n\t// ...\n\tb = 2\n\n\tc = 3\n)"
    expected = "const (\n\ta = 1\n\tb = 2\n\n\tc = 3\n)\n"
    assert realised(original, edit, "Q0 M S3 N N Q3 Q4", "go") == expected


def test_what_goes_takes_its_blank_lines_with_it() -> None:
    original = "import a\n\nfrom b import c\n\nd = 1\n"
    expected = "import a\n\nfrom b import c\n\ne = 2\n\nd = 1\n"
    assert realised(original, "e = 2\n\nd = 1", "N4 N Q4") == expected
    edit = "import a\n# ...\ne = 2\n\nd = 1"
    assert realised(original, edit, "Q0 M S2 D4 N N Q4") == "import a\n\ne = 2\n\nd = 1\n"


def test_blank_lines_on_both_sides_of_a_note_leave_one_gap() -> None:
    edit = "    def load(self):\n        return 9\n\n    # removed: size\n\n    def save(self):"
    assert realised(STORE, edit, "Q3 D6 N x x x Q6") == STORE.replace("return 1", "return 9")
    between = STORE.replace("    def save", "    def size(self):\n        return 3\n\n    def save")
    assert realised(between, edit, "Q3 D5 N N x D9 x Q9") == STORE.replace("return 1", "return 9")


MEMBERS = "class A {\n" + "".join(f"    {name} = () => {{\n        go();\n    }};\n" for name in "abcde") + "}\n"


def test_blank_lines_between_neighbours_are_the_snippets_where_the_file_has_none_anywhere() -> None:
    edit = "    a = () => {\n        go();\n    };\n\n    b = () => {"
    assert realised(MEMBERS, edit, "Q1 Q2 Q3 N Q4", "javascript") == MEMBERS
    original = MEMBERS.replace("    e =", "\n    e =")
    expected = original.replace("    b =", "\n    b =")
    assert realised(original, edit, "Q1 Q2 Q3 N Q4", "javascript") == expected


# ---- commas ----------------------------------------------------------------------------------------------------------

JSON = '{\n  "a": 1,\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("edit", "told", "expected"),
    [
        ('  "b": 2\n  "c": 3', "Q2 N", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'),
        ('  "b": 2,\n  "c": 3,\n}', "Q2 N Q3", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'),
        ('  "a": 1,\n}', "Q1 D3 Q3", '{\n  "a": 1\n}\n'),
        ('{\n  "z": 0', "Q0 N", '{\n  "z": 0,\n  "a": 1,\n  "b": 2\n}\n'),
        ('  "a": 9', "Q1", '{\n  "a": 9,\n  "b": 2\n}\n'),
    ],
)
def test_commas_are_where_json_wants_them(edit: str, told: str, expected: str) -> None:
    assert realised(JSON, edit, told, "json") == expected


def test_other_languages_keep_their_commas() -> None:
    original = "x = [\n    1,\n    2,\n]\n"
    assert realised(original, "    2,\n    3,\n]", "Q2 N Q3") == "x = [\n    1,\n    2,\n    3,\n]\n"


def test_lines_of_the_file_keep_their_ends() -> None:
    original = "a = 1   \nb = 2\n"
    assert realised(original, "a = 1\nc = 3", "Q0 N") == "a = 1   \nc = 3\nb = 2\n"
    assert lines_of(original)[0] == "a = 1   "


def test_blank_lines_may_be_even_on_both_sides_of_new_lines() -> None:
    original = "a = 1\n\nb = 2\n"
    grid = grid_of(original, "c = 3")
    plan = plan_told(grid, "N2")
    realiser = Realiser(grid, plan)
    assert written(lines_of(original), realiser.cells()) == ["a = 1", "c = 3", "", "b = 2"]
    assert realiser.uneven == [0]
    even = Realiser(grid, plan, AddedBlanks.EVEN).cells()
    assert written(lines_of(original), even) == ["a = 1", "", "c = 3", "", "b = 2"]
    grid = grid_of("a = 1\nb = 2\n", "c = 3")
    close = Realiser(grid, plan_told(grid, "N1"))
    close.cells()
    assert close.uneven == []


FOUR = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
JOBS = "- job:\n    name: a\n\n- job:\n    name: b\n\n- job:\n    name: c\n"


def made(
    original: str,
    edit: str,
    steps: str,
    *,
    blanks: AddedBlanks = AddedBlanks.NONE,
    as_shown: bool = False,
    language: str = "python",
) -> str:
    """The result of a path."""
    grid = grid_of(original, edit, language)
    cells = Realiser(grid, plan_told(grid, steps), blanks, as_shown).cells()
    return "\n".join(written(lines_of(original), cells)) + "\n"


def test_new_lines_may_be_indented_as_the_file_or_as_the_snippet_is() -> None:
    edit = "def c():\n  return 3"
    assert made(FOUR, edit, "N6 N6").endswith("def c():\n    return 3\n")
    assert made(FOUR, edit, "N6 N6", as_shown=True).endswith("def c():\n  return 3\n")


def test_rows_as_shown_move_as_the_outermost_unchanged_ones_do() -> None:
    original = "class A:\n    def a(self):\n        one()\n        two()\n"
    edit = "def a(self):\n    if self:\n        one()\n    two()"
    grid = grid_of(original, edit)
    columns = Columns(grid, plan_told(grid, "Q1 N Q2 Q3"), as_shown=True)
    assert columns.shift == 4
    assert [columns.column(row) for row in range(4)] == [4, 8, 12, 8]


def test_what_rows_as_shown_do_otherwise_is_counted() -> None:
    original = "def a():\n    one()\n    two()\n"
    grid = grid_of(original, "def a():\n    one()\n  two()")
    plan = plan_told(grid, "Q0 Q1 Q2")
    usual, shown = Columns(grid, plan), Columns(grid, plan, as_shown=True)
    assert shown.moves_from(usual) == (0, 0, 1, 0)
    assert usual.moves_from(shown) == (0, 0, 0, 1)


def test_columns_as_shown_are_one_of_the_readings() -> None:
    edit = Snippet(tuple(lines_of("def c():\n  return 3")))
    found = readings_of(lines_of(FOUR), [edit], "python", "", outline(FOUR, "python"))
    told = {reading.lines[-1]: reading.features()[NAMES.index("columns_shown")] for reading in found}
    assert (told["    return 3"], told["  return 3"]) == (0, 1)


def test_blank_lines_between_old_ones_stay_away_unless_the_snippet_is_believed() -> None:
    original = "".join(f"call({n})\nrest({n})\nmore({n})\n" for n in range(4))
    edit = "call(0)\n\nrest(0)"
    assert made(original, edit, "Q0 N Q1") == original
    believed = made(original, edit, "Q0 N Q1", blanks=AddedBlanks.SHOWN)
    assert believed == original.replace("rest(0)", "\nrest(0)")


def test_a_blank_line_beside_a_note_counts_though_the_other_side_has_none() -> None:
    original = "one()\ntwo()\nthree()\n"
    edit = "one()\nnew()\n\n# a note\ntwo()"
    believed = made(original, edit, "Q0 N x x Q1", blanks=AddedBlanks.SHOWN)
    assert believed == "one()\nnew()\n\ntwo()\nthree()\n"
    assert made(original, edit, "Q0 N x x Q1") == "one()\nnew()\ntwo()\nthree()\n"


def test_new_lines_at_the_end_are_apart_as_their_kin_are() -> None:
    assert made(JOBS, "- job:\n    name: d", "N8 N8") == f"{JOBS}\n- job:\n    name: d\n"
    tight = JOBS.replace("\n\n", "\n")
    assert made(tight, "- job:\n    name: d", "N6 N6") == f"{tight}- job:\n    name: d\n"


def test_rows_in_other_columns_say_nothing_of_how_the_file_writes_its_indentation() -> None:
    original = "int f(void)\n{\n\tif (a) {\n\t\ttwo();\n\t}\n\tone(a);\n}\n"
    edit = "int f(void)\n{\n\ttwo();\n\tone(a,\n\t    b);\n}"
    assert "\n\tone(a,\n\t    b);\n" in made(original, edit, "Q0 Q1 D3 Q3 D5 Q5 N Q6", language="c")
