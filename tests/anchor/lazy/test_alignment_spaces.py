"""White space as the snippet shows it: one more way to read a path, beside the one that the file's habits make."""

from __future__ import annotations

from fastedit.anchor.lazy.blanks import AddedBlanks
from fastedit.anchor.lazy.columns import Columns
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.realise import Realiser
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import grid_of, lines_of, plan_told, written

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
