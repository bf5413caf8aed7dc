"""Which of a message's edits are meant for the file."""

from __future__ import annotations

import pytest

from fastedit.edits.message import edits_for, is_same_file
from fastedit.edits.model import Edit, Format
from fastedit.errors import EditRefused


def edit(path: str | None) -> Edit:
    return Edit(Format.LAZY, path)


@pytest.mark.parametrize(
    ("named", "path", "is_same"),
    [
        ("app.py", "app.py", True),
        ("app.py", "src/app.py", True),
        ("src/app.py", "app.py", True),
        ("a/src/app.py", "src/app.py", True),
        ("./src/app.py", "src/app.py", True),
        ("src\\app.py", "src/app.py", True),
        ("/home/me/src/app.py", "src/app.py", True),
        ("makefile", "src/Makefile", True),
        ("src/app.py", "lib/app.py", False),
        ("wrap.py", "app.py", False),
        ("app.pyi", "app.py", False),
        ("", "app.py", False),
    ],
)
def test_names_agree_from_the_end(named: str, path: str, is_same: bool):
    assert is_same_file(named, path) is is_same
    assert is_same_file(path, named) is is_same


def test_without_a_path_all_edits_are_meant():
    edits = [edit("a.py"), edit(None), edit("b.py")]
    assert edits_for(edits, None) == (edits, [])


def test_edits_without_a_name_are_for_the_file_and_keep_their_order():
    edits = [edit("src/a.py"), edit(None), edit("a.py")]
    assert edits_for(edits, "src/a.py") == (edits, [])


def test_edits_for_others_are_named_in_a_warning():
    mine, warnings = edits_for([edit("a.py"), edit("c.py"), edit("b.py"), edit("c.py")], "src/a.py")
    assert mine == [edit("a.py")]
    assert [(warning.code, warning.message.count("c.py"), "b.py" in warning.message) for warning in warnings] == [
        ("OTHER_FILES", 1, True)
    ]


def test_edits_for_one_other_name_are_taken_with_a_warning():
    mine, warnings = edits_for([edit("old.py"), edit("old.py")], "new.py")
    assert mine == [edit("old.py"), edit("old.py")]
    assert [warning.code for warning in warnings] == ["OTHER_PATH"]
    assert "old.py" in warnings[0].message
    assert "new.py" in warnings[0].message


def test_a_message_about_several_other_files_is_refused():
    with pytest.raises(EditRefused, match=r"b\.py, c\.py") as caught:
        edits_for([edit("c.py"), edit("b.py")], "a.py")
    assert caught.value.code == "EDIT_EMPTY"
