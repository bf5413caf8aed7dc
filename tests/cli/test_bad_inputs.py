"""Bad files, bad edits, bad names: each is refused with its code, in time, and nothing on the disk changes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from fastedit.errors import STATUSES, Code
from support.command import fastedit, tree

ORIGINAL = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"
EDIT = "```python\n# ... existing code ...\n\ndef second():\n    return 'two'\n```\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "app.py").write_text(ORIGINAL)
    (tmp_path / "outside.py").write_text(ORIGINAL)
    return root


def assert_refused(folder: Path, code: Code, *arguments: str | Path, stdin: bytes = EDIT.encode()) -> str:
    """Runs `fastedit apply`, expects the refusal, and gives what was printed about it."""
    before = tree(folder.parent)
    outcome = fastedit("apply", *arguments, cwd=folder, stdin=stdin)
    assert (outcome.status, outcome.code) == (STATUSES[code].exit, code), outcome.stderr
    assert outcome.stdout == b""
    assert "Traceback" not in outcome.stderr
    assert tree(folder.parent) == before
    return outcome.stderr


# Files


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def make_big(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50_000_000)


BAD_FILES: dict[str, tuple[Callable[[Path], object], Code]] = {
    "missing": (lambda path: None, Code.INVALID_PATH),
    "a folder": (lambda path: path.mkdir(), Code.INVALID_PATH),
    "a FIFO": (make_fifo, Code.INVALID_PATH),
    "a socket": (make_socket, Code.INVALID_PATH),
    "a link to nowhere": (lambda path: path.symlink_to("nowhere"), Code.INVALID_PATH),
    "a link to itself": (lambda path: path.symlink_to(path), Code.INVALID_PATH),
    "a link to a device": (lambda path: path.symlink_to("/dev/zero"), Code.INVALID_PATH),
    "two names": (lambda path: os.link(path.parent / "app.py", path), Code.INVALID_PATH),
    "NUL bytes": (lambda path: path.write_bytes(ORIGINAL.encode() + b"\0"), Code.NOT_TEXT),
    "binary": (lambda path: path.write_bytes(bytes(range(256)) * 9), Code.NOT_TEXT),
    "invalid UTF-8": (lambda path: path.write_bytes(b"x = '\xff\xfe\xfd'\n"), Code.NOT_TEXT),
    "damaged UTF-8": (lambda path: path.write_bytes("x = 'äöü'\n".encode() + b"# \xc3\n"), Code.NOT_TEXT),
    "50 MB": (make_big, Code.TOO_LARGE),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files(folder: Path, kind: str) -> None:
    make, code = BAD_FILES[kind]
    make(folder / "bad.py")
    assert_refused(folder, code, "bad.py", "-")


def test_a_standard_input_is_no_file(folder: Path) -> None:
    assert_refused(folder, Code.INVALID_PATH, "/dev/stdin", "-")


def test_both_sizes_are_told(folder: Path) -> None:
    make_big(folder / "bad.py")
    message = assert_refused(folder, Code.TOO_LARGE, "bad.py", "-")
    assert "50,000,000" in message
    assert "16,777,216" in message


# Edits


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (b"", Code.EDIT_EMPTY),
        (b" \n\n\t\n", Code.EDIT_EMPTY),
        (b"Looks good to me, nothing needs to change.\n", Code.EDIT_EMPTY),
        (b"```python\n```\n", Code.EDIT_EMPTY),
        (b"\0\1\2", Code.NOT_TEXT),
        (b"```python\ndef second():\n    return '\xff\xfe\xfd'\n```\n", Code.NOT_TEXT),
        (b"<<<<<<< SEARCH\n    return 2\n=======\n    return 'two'\n", Code.EDIT_UNPARSABLE),
        (b"<<<<<<< SEARCH\n    return 9\n=======\n    return 'two'\n>>>>>>> REPLACE\n", Code.ANCHOR_NOT_FOUND),
        (
            b"--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def third():\n-    return 3\n+    return 4\n",
            Code.ANCHOR_NOT_FOUND,
        ),
        (b"@@ -" + b"9" * 50_000 + b",1 +1,1 @@\n-    return 7\n+    return 8\n", None),
        (b"x" * 17_000_000, Code.TOO_LARGE),
    ],
    ids=[
        "empty",
        "blank",
        "prose",
        "empty fence",
        "binary",
        "not UTF-8",
        "unclosed",
        "absent",
        "other file",
        "digits",
        "huge",
    ],
)
def test_bad_edits(folder: Path, edit: bytes, code: Code | None) -> None:
    if code is None:
        outcome = fastedit("apply", "app.py", "-", cwd=folder, stdin=edit)
        assert outcome.status in (3, 4)
        assert (folder / "app.py").read_text() == ORIGINAL
    else:
        assert_refused(folder, code, "app.py", "-", stdin=edit)


def test_an_unclosed_block_is_told_with_its_line(folder: Path) -> None:
    edit = b"Here you are:\n\n```python\n<<<<<<< SEARCH\n    return 2\n=======\n    return 3\n```\n"
    assert "line 4" in assert_refused(folder, Code.EDIT_UNPARSABLE, "app.py", "-", stdin=edit)


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo"])
def test_the_edit_itself_cannot_be_read(folder: Path, kind: str) -> None:
    path = folder / "edit.md"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    assert_refused(folder, Code.INVALID_PATH, "app.py", "edit.md")


def test_two_places_that_match_equally(folder: Path) -> None:
    (folder / "twice.py").write_text("def a():\n    go()\n    return 1\n\n\ndef b():\n    go()\n    return 2\n")
    edit = b"<<<<<<< SEARCH\n    go()\n=======\n    stop()\n>>>>>>> REPLACE\n"
    message = assert_refused(folder, Code.ANCHOR_AMBIGUOUS, "twice.py", "-", stdin=edit)
    assert "twice.py:2: " in message
    assert "twice.py:7: " in message


def test_an_edit_for_another_language(folder: Path) -> None:
    code = "func (s *Server) Close() error {\n\treturn s.listener.Close()\n}\n"
    edit = f"```go\n// ... existing code ...\n\n{code}\n// ... existing code ...\n```\n"
    before = tree(folder)
    outcome = fastedit("apply", "app.py", "-", cwd=folder, stdin=edit.encode())
    assert outcome.status in (4, 5), outcome.stdout
    assert tree(folder) == before


# Names


@pytest.fixture
def odd_root(folder: Path) -> Path:
    outside = folder.parent
    (folder / "out").symlink_to(outside)
    (folder / "out.py").symlink_to("../outside.py")
    (folder / "config").symlink_to(".git/config")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(ORIGINAL)
    (folder / "src").mkdir()
    os.mkfifo(folder / "fifo.py")
    return folder


HOSTILE_NAMES = [
    "../outside.py",
    "src/../../outside.py",
    "..\\outside.py",
    "/etc/passwd",
    "/dev/stdin",
    "//host/share/x.py",
    "\\\\host\\share\\x.py",
    "C:\\Windows\\x.py",
    "c:/x.py",
    "~/x.py",
    "~root/x.py",
    "out/outside.py",
    "out/new.py",
    "out.py",
    "config",
    ".git/config",
    ".git/hooks/pre-commit",
    "src/.GIT/config",
    ".git\u200c/config",
    "git~1/config",
    ".fastedit-journal",
    "CON",
    "src/nul",
    "src/",
    "src",
    ".",
    "a" * 300 + ".py",
    "/".join(["a" * 200] * 30) + ".py",
    "fifo.py",
    "new\x01line.py",
    "x\x00.py",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: ascii(name)[:30])
@pytest.mark.parametrize("action", ["Add", "Update", "Delete"])
def test_hostile_names_are_refused_and_with_them_the_whole_message(odd_root: Path, name: str, action: str) -> None:
    body = {"Add": "+x = 1\n", "Update": "@@\n-    return 1\n+    return 3\n", "Delete": ""}[action]
    good = "*** Update File: app.py\n@@\n-    return 2\n+    return 3\n"
    edit = f"*** Begin Patch\n{good}*** {action} File: {name}\n{body}*** End Patch\n"
    before = tree_without_fifo(odd_root)
    outcome = fastedit("apply", "-", cwd=odd_root, stdin=edit.encode())
    assert outcome.status in (3, 4), outcome.stdout
    assert outcome.code in ("INVALID_PATH", "EDIT_UNPARSABLE", "NOT_TEXT"), outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert tree_without_fifo(odd_root) == before


@pytest.mark.parametrize("name", ["../outside.py", "/etc/x.py", "out/x.py", ".git/x.py", "C:\\x.py"])
def test_a_file_does_not_move_where_it_may_not(odd_root: Path, name: str) -> None:
    hunk = "@@\n-    return 2\n+    return 3\n"
    edit = f"*** Begin Patch\n*** Update File: app.py\n*** Move to: {name}\n{hunk}*** End Patch\n"
    before = tree_without_fifo(odd_root)
    outcome = fastedit("apply", "-", cwd=odd_root, stdin=edit.encode())
    assert (outcome.status, outcome.code) == (3, "INVALID_PATH")
    assert tree_without_fifo(odd_root) == before


@pytest.mark.parametrize("name", ["a\nb.py", "new\u2028line.py"])
def test_a_name_of_two_lines(folder: Path, name: str) -> None:
    import fastedit as package

    edit = package.edits.model.Edit(package.edits.model.Format.WHOLE, name)
    with pytest.raises(package.EditRefused) as caught:
        package.workspace.plan.plan_changes(folder.resolve(), [edit], package.workspace.Options(""))
    assert caught.value.code == Code.INVALID_PATH


def tree_without_fifo(root: Path) -> dict[str, bytes | str]:
    return {name: data for name, data in tree(root.parent).items() if not name.endswith("fifo.py")}


# Shapes that have broken parsers


def nested(depth: int) -> str:
    return f"x = {'[' * depth}{']' * depth}\n"


def blocks(depth: int, indent: str) -> str:
    return "".join(f"{indent * i}if x:\n" for i in range(depth)) + indent * depth + "pass\n"


def assignments(number: int) -> str:
    return "".join(f"x{i} = {i}\n" for i in range(number))


# Text before the declaration that is changed, and a smaller one of the kind that the edit adds behind it.
SHAPES = {
    "a line of 1 MB": ("data = '" + "x" * 1_000_000 + "'\n",) * 2,
    "10,000 brackets": (nested(10_000),) * 2,
    "10,000 open brackets": ("x = " + "[" * 10_000 + "\n",) * 2,
    "blocks in blocks": (blocks(3_000, " "), blocks(200, "    ")),
    "equal lines": ("x = 1\n" * 4_000,) * 2,
    "many lines": (assignments(50_000), assignments(5_000)),
    "a long literal": (
        "data = [\n" + "    1234567,\n" * 160_000 + "]\n",
        "data = [\n" + "    1234567,\n" * 20_000 + "]\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_odd_shapes_in_a_file_stay_as_they_are(folder: Path, shape: str) -> None:
    text, _ = SHAPES[shape]
    original = f"{text}\n\n{ORIGINAL}"
    (folder / "app.py").write_text(original)
    outcome = fastedit("apply", "app.py", "-", cwd=folder, stdin=EDIT.encode())
    assert outcome.status in (0, 4, 5), outcome.stderr
    assert "Traceback" not in outcome.stderr
    expected = original if outcome.status else original.replace("return 2", "return 'two'")
    assert (folder / "app.py").read_text() == expected


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_odd_shapes_in_an_edit_are_applied_or_refused(folder: Path, shape: str) -> None:
    _, text = SHAPES[shape]
    edit = f"```python\n# ... existing code ...\n\ndef second():\n    return 2\n\n\n{text}```\n"
    outcome = fastedit("apply", "app.py", "-", cwd=folder, stdin=edit.encode())
    assert outcome.status in (0, 3, 4, 5), outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert (folder / "app.py").read_text() == (ORIGINAL if outcome.status else f"{ORIGINAL}\n\n{text}")
