"""The purpose of a fence by its prose: whose it is, new or whole, one of a pair, or no edit at all."""

from __future__ import annotations

import pytest

from fastedit.edits.fences import Block, BlockKind
from fastedit.edits.naming import PATH_HOLE
from fastedit.edits.placing import PathReader, PlacedBlock, last_sentence, says_deleted, says_new, says_whole
from fastedit.edits.roles import (
    Role,
    edits_among,
    edits_beside_patch,
    has_commands,
    has_marker,
    is_after,
    is_before,
    is_example,
    is_output,
    is_pair,
    role_of,
    says_run,
)


def block(code: str, info: str = "python", prose: str = "") -> Block:
    return Block(BlockKind.FENCE, tuple(code.split("\n")), info, tuple(prose.split("\n")) if prose else (), 1)


def placed(code: str, info: str = "python", prose: str = "") -> PlacedBlock:
    return PathReader().place(block(code, info, prose))


def test_the_last_sentence_is_that_of_the_last_paragraph():
    assert last_sentence(["First one.", "", "Second. Then", "run this:", ""]) == "Then run this:"
    assert last_sentence(["only"]) == "only"
    assert last_sentence([]) == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Here is the complete file:",
        "the full, updated contents of `app.py`:",
        "I rewrote it from scratch.",
        "Below is the entire module.",
    ],
)
def test_a_sentence_may_announce_the_whole_file(sentence: str):
    assert says_whole(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["This isn't the complete file:", "only the change rather than the whole file", "the full name of the user"],
)
def test_a_whole_file_that_is_denied_is_none(sentence: str):
    assert not says_whole(sentence)


def test_new_and_deleted_files_are_told_by_the_words_beside_their_name():
    assert says_new(f"New file: {PATH_HOLE}", True)
    assert says_new(f"{PATH_HOLE} (new)", True)
    assert not says_new(PATH_HOLE, True)
    assert says_new(f"I'll create {PATH_HOLE} for it:", False)
    assert not says_new(f"In {PATH_HOLE} the new limit counts:", False)
    assert says_deleted(f"Delete {PATH_HOLE}")
    assert says_deleted(f"{PATH_HOLE} (removed)")
    assert not says_deleted(f"{PATH_HOLE}: the deleted items come back")


@pytest.mark.parametrize(
    ("info", "code", "expected"),
    [
        ("bash", "npm install\nnpm test", True),
        ("", "$ make all", True),
        ("bash", "set -e\nfor f in *; do\n  cat $f\ndone", False),  # a script's own text
        ("python", "python = 3", False),
        ("", "total = 1\nprint(total)", False),
        ("bash", "# nothing", False),
    ],
)
def test_commands_are_told_from_code(info: str, code: str, expected: bool):
    assert has_commands(info, code.split("\n")) is expected


def test_prose_tells_what_a_fence_is_for():
    assert says_run(["Now run the tests:"])
    assert not says_run(["The runner is changed:"])
    assert is_output("", ["It prints:"])
    assert is_output("text", [])
    assert not is_output("python", ["It prints:"])
    assert is_example(["Usage example:"])
    assert not is_example(["Use a set here:"])
    assert not is_example(["Usage docstring, the imports there and the last variable:"])


def test_a_marker_is_a_comment_that_stands_for_code():
    assert has_marker(["x = 1", "# ... existing code ..."])
    assert not has_marker(["x = 1", "..."])  # a statement, in Python


@pytest.mark.parametrize("prose", ["Replace this:", "**Before:**", "Change `limit` in the loop:"])
def test_before_is_told(prose: str):
    assert is_before([prose])


@pytest.mark.parametrize("prose", ["with:", "After:", "and replace it with this:"])
def test_after_is_told(prose: str):
    assert is_after(["", prose, ""])
    assert not is_after(["Some more words.", prose])


def test_a_pair_is_for_one_file():
    reader = PathReader()
    before = reader.place(block("x = 1", prose="In `app.py`, replace this:"))
    after = reader.place(block("x = 2", prose="with:"))
    assert (before.path, after.path) == ("app.py", "app.py")
    assert is_pair(before, after)
    other = PathReader().place(block("# other.py\nx = 2", prose="with:"))
    assert not is_pair(before, other)


def test_a_heading_is_for_the_fences_below_it_until_the_next():
    reader = PathReader()
    paths = [
        reader.place(block("a", prose="### src/one.py")).path,
        reader.place(block("b", prose="And further down:")).path,
        reader.place(block("c", prose="### src/two.py")).path,
        reader.place(block("d", prose="### Notes")).path,
    ]
    assert paths == ["src/one.py", "src/one.py", "src/two.py", None]


def test_a_first_comment_that_names_the_file_is_no_code():
    found = placed("# src/one.py\nx = 1")
    assert (found.path, found.lines, found.locator, found.start_line) == ("src/one.py", ("x = 1",), "# src/one.py", 2)


def test_a_list_of_files_is_no_heading():
    reader = PathReader()
    found = reader.place(block("x = 1", prose="- `one.py`\n- `two.py`\n\nIn short:"))
    assert reader.heading is None
    assert found.path is None


def test_deleted_files_are_remembered():
    reader = PathReader()
    reader.read_prose(["### old.py (deleted)", "", "The rest stays."])
    assert reader.deleted == ["old.py"]


@pytest.mark.parametrize(
    ("code", "info", "prose", "role"),
    [
        ("x = 1", "python", "", Role.EDIT),
        ("", "python", "", Role.OTHER),
        ("npm test", "bash", "", Role.COMMANDS),
        ("npm test", "bash", "Then run:", Role.OTHER),
        ("3 passed", "text", "", Role.OTHER),
        ("# ... existing code ...\nnpm test", "bash", "Then run:", Role.EDIT),
        ("npm test", "bash", "In `ci.sh`:", Role.EDIT),
        ("area(1, 2)", "python", "Example usage:", Role.OTHER),
        ("    area(1, 2)", "python", "Example:", Role.EDIT),  # set in, as a part of a file
        ("Run `area`.", "rst", "Example included:", Role.EDIT),
        ("x = 1", "12:14:src/app.py", "", Role.OTHER),  # cited, with its line numbers
    ],
)
def test_roles(code: str, info: str, prose: str, role: Role):
    assert role_of(placed(code, info, prose)) is role


def test_commands_are_edits_beside_a_script_only():
    commands, script, code = placed("npm test", "bash"), placed("if [ -n x ]; then\nfi", "bash"), placed("x = 1")
    assert edits_among([commands, script]) == [commands, script]
    assert edits_among([commands, code]) == [code]
    assert edits_among([commands]) == [commands]
    shown = placed("3 passed", "text")
    assert edits_among([shown]) == [shown]  # nothing else is there


def test_beside_a_patch_a_nameless_fence_shows_what_it_did():
    named, marked = placed("x = 1", prose="In `app.py`:"), placed("# ... existing code ...\nx = 1")
    assert edits_beside_patch([placed("x = 1"), named, marked]) == [named, marked]
