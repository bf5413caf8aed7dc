"""Blocks that lose the lines around them: a snippet shows what these held one level further out."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.realise import Realiser
from fastedit.anchor.lazy.unwrap import unwrapped
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import grid_of, lines_of, plan_told

GUARDED = """\
def write(file, tree):
    names(tree)
    if sys.version > "3":
        file.write(text(tree,
                        encoding="utf-8"))
    elif sys.version > "2.7":
        tree.write(file)
    else:
        tree.dump(file)

    close(file)
"""
PLAIN = """\
def write(file, tree):
    names(tree)
    file.write(text(tree,
                    encoding="utf-8"))

    close(file)
"""


def first(original: str, edit: str, language: str, prose: str = "") -> Reading:
    """The likeliest reading of a snippet."""
    snippet = Snippet(tuple(lines_of(edit)), prose=prose)
    message = f"{prose}\n\n```\n{edit}\n```\n"
    return readings_of(lines_of(original), [snippet], language, message, outline(original, language))[0]


def test_a_wrapper_goes_with_its_other_branches() -> None:
    edit = 'names(tree)\nfile.write(text(tree,\n                encoding="utf-8"))'
    found = first(
        GUARDED, edit, "python", "Python 2 is gone, so after the names it's just this, the other branches go:"
    )
    assert "\n".join(found.lines) + "\n" == PLAIN
    assert found.features()[NAMES.index("unwrapped_any")] == 1


def test_a_wrapper_goes_with_the_bracket_that_closes_it() -> None:
    body = "    if (has(map, key)) {\n      add(key)\n      count(key)\n    }\n"
    original = f"function f(map) {{\n  for (const key in map) {{\n{body}  }}\n}}\n"
    edit = "  for (const key in map) {\n    add(key)\n    count(key)\n  }"
    found = first(original, edit, "javascript", "The check isn't needed:")
    assert found.lines == tuple(lines_of(f"function f(map) {{\n{edit}\n}}"))


def test_one_row_may_stand_for_what_words_say_it_replaces() -> None:
    original = "import os\n\ntry:\n    from a import load\nexcept ImportError:\n    from b import load\n\n\nload()\n"
    found = first(
        original, "from a import load", "python", "Replace the whole `try: ... except ImportError:` with just:"
    )
    assert found.lines == ("import os", "", "from a import load", "", "", "load()")


def test_the_last_branch_may_be_the_one_that_stays() -> None:
    original = "try:\n    from old import load\nexcept ImportError:\n    from new import load\n\nload()\n"
    grid = grid_of(original, "from new import load\n\nload()")
    plan = plan_told(grid, "Q3 Q4 Q5")
    found = unwrapped(grid, plan, Realiser(grid, plan).columns)
    assert found is not None
    assert found[0].deleted == {0, 1, 2}
    assert found[1].column(0) == 0


def test_lines_that_nothing_shows_move_out_with_the_block() -> None:
    original = "if a:\n    one()\n    two()\n    three()\nfour()\n"
    grid = grid_of(original, "one()\n# ...\nthree()\nfour()")
    plan = plan_told(grid, "Q1 M S3 Q3 Q4")
    found = unwrapped(grid, plan, Realiser(grid, plan).columns)
    assert found is not None
    texts = [cell.text for cell in Realiser(grid, found[0], columns=found[1]).cells() if cell.text is not None]
    assert texts == ["one()", "two()", "three()"]


@pytest.mark.parametrize("edit", ["file.write(text(tree,", "names(tree)\n# ...\nclose(file)\nfile.write(text(tree,"])
def test_a_row_that_only_lost_its_columns_takes_no_wrapper_away(edit: str) -> None:
    assert '    if sys.version > "3":' in first(GUARDED, edit, "python").lines
