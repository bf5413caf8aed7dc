"""SEARCH/REPLACE blocks in all their dialects."""

import pytest

from fastedit.edits.model import Op
from fastedit.edits.search_replace import is_search_replace, parse_search_replace, raw_end
from fastedit.errors import Code, EditUnreadable

AIDER = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
CLINE = ("------- SEARCH", "=======", "+++++++ REPLACE")
VOID = ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED")
SHORT = ("<<<<< SEARCH", "=====", ">>>>> REPLACE")
ARROW = ("------- SEARCH>", "=======", "+++++++ REPLACE")


def block(old: list[str], new: list[str], marks: tuple[str, str, str] = AIDER) -> list[str]:
    return [marks[0], *old, marks[1], *new, marks[2]]


@pytest.mark.parametrize("marks", [AIDER, CLINE, VOID, SHORT, ARROW], ids=["aider", "cline", "void", "short", "arrow"])
def test_dialects(marks: tuple[str, str, str]):
    lines = block(["a", "b"], ["a", "c"], marks)
    assert is_search_replace(lines)
    (file,) = parse_search_replace(lines, 0)
    (hunk,) = file.hunks
    assert (hunk.old, hunk.new) == (["a", "b"], ["a", "c"])
    assert [line.op for line in hunk.lines] == [Op.KEEP, Op.DELETE, Op.ADD]


def test_lines_that_both_sides_share_are_kept():
    (file,) = parse_search_replace(block(["if a:", "    b()", "    c()"], ["log()", "if a:", "    c()"]), 0)
    assert [(line.op.value, line.text) for line in file.hunks[0].lines] == [
        ("+", "log()"),
        (" ", "if a:"),
        ("-", "    b()"),
        (" ", "    c()"),
    ]


def test_path_stands_above_the_block_and_holds_until_the_next():
    lines = ["src/a.py", *block(["x"], ["y"]), "", *block(["z"], ["w"]), "**src/b.py**", *block(["p"], ["q"])]
    files = parse_search_replace(lines, 0)
    assert [(file.path, len(file.hunks)) for file in files] == [("src/a.py", 2), ("src/b.py", 1)]


def test_path_behind_the_opening_marker():
    (file,) = parse_search_replace(["<<<<<<< SEARCH src/a.py", "x", "=======", "y", ">>>>>>> REPLACE"], 0)
    assert file.path == "src/a.py"


def test_prose_between_blocks_is_passed_over():
    files = parse_search_replace([*block(["x"], ["y"]), "Then the other one:", *block(["z"], ["w"])], 0)
    assert [len(file.hunks) for file in files] == [2]


def test_line_number_of_roo():
    lines = ["<<<<<<< SEARCH", ":start_line:12", ":end_line:13", "-------", "x", "=======", "y", ">>>>>>> REPLACE"]
    (file,) = parse_search_replace(lines, 0)
    assert (file.hunks[0].line_hint, file.hunks[0].old) == (11, ["x"])


def test_empty_sides():
    (added,) = parse_search_replace(block([], ["x", "y"]), 0)
    assert (added.hunks[0].old, added.hunks[0].new) == ([], ["x", "y"])
    (deleted,) = parse_search_replace(block(["x"], []), 0)
    assert (deleted.hunks[0].old, deleted.hunks[0].new) == (["x"], [])


def test_elision_in_both_sides_is_a_skip():
    old = ["def f():", "    a = 1", "    ...", "    return a"]
    new = ["def f():", "    a = 2", "    # ... existing code ...", "    return a"]
    (file,) = parse_search_replace(block(old, new), 0)
    assert [line.op for line in file.hunks[0].lines] == [Op.KEEP, Op.DELETE, Op.ADD, Op.SKIP, Op.KEEP]


def test_dots_in_one_side_only_are_code():
    (file,) = parse_search_replace(block(["class A:", "    ..."], ["class A:", "    x = 1"]), 0)
    assert file.hunks[0].old == ["class A:", "    ..."]


def test_code_that_holds_a_line_of_equals_signs():
    old, new = ["Title", "=======", "text"], ["Title", "=======", "other"]
    (file,) = parse_search_replace(block(old, new), 0)
    assert (file.hunks[0].old, file.hunks[0].new) == (old, new)


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (["prose", "<<<<<<< SEARCH", "x", "=======", "y"], 2, "not closed"),
        ([*block(["x"], ["y"]), "<<<<<<< SEARCH", "z", "<<<<<<< SEARCH"], 6, "not closed"),
        (["<<<<<<< SEARCH", "x", ">>>>>>> REPLACE"], 1, "no line of ="),
        (["<<<<<<< SEARCH", "x", "=======", "y", "=======", "z", ">>>>>>> REPLACE"], 1, "several lines of ="),
    ],
)
def test_broken_blocks_are_refused_with_their_line(lines: list[str], line: int, what: str):
    with pytest.raises(EditUnreadable, match=f"line {line}: .*{what}") as refused:
        parse_search_replace(lines, 0)
    assert refused.value.code is Code.EDIT_UNPARSABLE


def test_unfenced_block_ends_with_its_marker():
    lines = [*block(["x"], ["y"]), "", "prose"]
    assert raw_end(lines, 0) == 5
    assert raw_end(lines, 1) == 1
    assert raw_end(["<<<<<<< SEARCH", "x"], 0) == 2


def test_conflict_markers_of_a_merge_are_no_blocks():
    assert not is_search_replace(["<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> topic"])
