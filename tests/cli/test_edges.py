"""Files and edits at the edges of the ordinary: empty, without an end, with odd line ends, broken, unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Outcome, fastedit

ORIGINAL = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"
LAZY = "```python\n# ... existing code ...\n\ndef second():\n    return 'two'\n```\n"


def apply(folder: Path, original: bytes | str, edit: str, name: str = "app.py") -> tuple[Outcome, bytes]:
    """The outcome, and the file's bytes after it."""
    path = folder / name
    path.write_bytes(original if isinstance(original, bytes) else original.encode())
    return fastedit("apply", name, "-", cwd=folder, stdin=edit.encode()), path.read_bytes()


def search_replace(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def test_an_empty_file_becomes_the_edit(tmp_path: Path) -> None:
    outcome, data = apply(tmp_path, b"", "```python\nx = 1\ny = 2\n```\n")
    assert (outcome.status, data) == (0, b"x = 1\ny = 2\n")


def test_an_edit_of_markers_alone_changes_nothing(tmp_path: Path) -> None:
    _, data = apply(tmp_path, ORIGINAL, "```python\n# ... existing code ...\n```\n")
    assert data == ORIGINAL.encode()


def test_a_patch_can_take_everything_away(tmp_path: Path) -> None:
    patch = "--- a/app.py\n+++ b/app.py\n@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n"
    outcome, data = apply(tmp_path, "x = 1\ny = 2\n", patch)
    if outcome.status:
        assert (outcome.status, data) == (5, b"x = 1\ny = 2\n")
    else:
        assert data == b""


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("edit_end", ["", "\n"])
def test_how_a_file_ends_stays(tmp_path: Path, end: str, edit_end: str) -> None:
    original = ORIGINAL.removesuffix("\n") + end
    outcome, data = apply(tmp_path, original, LAZY.removesuffix("\n") + edit_end)
    assert outcome.status == 0, outcome.stderr
    assert data.decode() == original.replace("return 2", "return 'two'")


@pytest.mark.parametrize(
    "line",
    [
        b"a = 'x\r\n",
        b"b = '\x0c'\n",
        b"c = '\xe2\x80\xa8'\n",
        b"d = '\xc2\x85'\r\n",
        b"# lone \r return\n",
        b"\t \t\n",
        b"  \n",
    ],
)
def test_lines_that_are_not_touched_keep_every_byte(tmp_path: Path, line: bytes) -> None:
    head, tail = line + b"x = 1\n", line + line
    outcome, data = apply(tmp_path, head + b"target = 1\n" + tail, search_replace("target = 1\n", "target = 2\n"))
    assert outcome.status == 0, outcome.stderr
    assert data == head + b"target = 2\n" + tail


def test_new_lines_end_like_their_neighbours(tmp_path: Path) -> None:
    original = ORIGINAL.replace("\n", "\r\n").encode()
    outcome, data = apply(tmp_path, original, search_replace("    return 2\n", "    x = 2\n    return x\n"))
    assert outcome.status == 0, outcome.stderr
    assert data == original.replace(b"    return 2\r\n", b"    x = 2\r\n    return x\r\n")


def test_a_marker_in_the_file_itself_stays(tmp_path: Path) -> None:
    original = "PROMPT = '''\n# ... existing code ...\n'''\n\n\n" + ORIGINAL
    outcome, data = apply(tmp_path, original, search_replace("    return 2\n", "    return 3\n"))
    assert outcome.status == 0, outcome.stderr
    assert data.decode() == original.replace("return 2", "return 3")


@pytest.mark.parametrize("tag", ["</code>", "<|im_end|>", "<update>x</update>", "```", "<<<<<<< HEAD"])
def test_text_that_means_something_elsewhere_is_text_here(tmp_path: Path, tag: str) -> None:
    original = f"TAG = {tag!r}\n\n\n{ORIGINAL}"
    outcome, data = apply(tmp_path, original, LAZY)
    assert outcome.status == 0, outcome.stderr
    assert data.decode() == original.replace("return 2", "return 'two'")


def test_a_language_that_nobody_knows(tmp_path: Path) -> None:
    original = "begin alpha\n  set x 1\nend\nbegin beta\n  set x 2\nend\n"
    outcome, data = apply(
        tmp_path, original, search_replace("begin beta\n  set x 2\n", "begin beta\n  set x 3\n"), "a.zzz"
    )
    assert (outcome.status, data.decode()) == (0, original.replace("x 2", "x 3")), outcome.stderr


def test_errors_that_a_file_has_already_are_not_held_against_the_edit(tmp_path: Path) -> None:
    original = "def broken(:\n    pass\n\n\n" + ORIGINAL
    outcome, data = apply(tmp_path, original, search_replace("    return 2\n", "    return 3\n"))
    assert outcome.status == 0, outcome.stderr
    assert data.decode() == original.replace("return 2", "return 3")


def test_an_edit_that_breaks_the_syntax_is_turned_down_or_said(tmp_path: Path) -> None:
    outcome, data = apply(tmp_path, ORIGINAL, search_replace("    return 2\n", "    return (2\n"))
    assert "SYNTAX_BROKEN" in outcome.stderr
    assert (outcome.status, data.decode()) in ((0, ORIGINAL.replace("return 2", "return (2")), (5, ORIGINAL))


@pytest.mark.parametrize(
    "edit", [LAZY, search_replace("def second():\n    return 2\n", "def second():\n    return 'two'\n")]
)
def test_an_edit_that_is_there_already_changes_nothing(tmp_path: Path, edit: str) -> None:
    _, once = apply(tmp_path, ORIGINAL, edit)
    outcome, twice = apply(tmp_path, once, edit)
    assert (outcome.status, twice) == (0, once), outcome.stderr
    assert "NO_CHANGE" in outcome.stderr


def test_a_message_about_several_files_gives_the_named_one_its_part(tmp_path: Path) -> None:
    message = f"### `lib/other.py`\n\n```python\nz = 1\n```\n\n### `src/app.py`\n\n{LAZY}"
    outcome, data = apply(tmp_path, ORIGINAL, message)
    assert (outcome.status, data.decode()) == (0, ORIGINAL.replace("return 2", "return 'two'")), outcome.stderr
    assert "lib/other.py" in outcome.stderr
