"""Messages about several files: which files they mean, what becomes of those, and what is refused."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import fastedit
from fastedit import EditRefused, FileChange
from fastedit.errors import Code
from fastedit.files import sha256_of
from fastedit.workspace.locate import parts_of
from support.command import tree

CODE = "def one():\n    return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("src/app.py", "src/util.py", "tests/util.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(CODE)
    return root


def replacing(path: str, old: str = "    return 1", new: str = "    return 2") -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"


def patch(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def apply(message: str, root: Path, **options: bool) -> list[FileChange]:
    return fastedit.apply_patch(message, root, mode="structural", **options)


def refusal(message: str, root: Path, **options: bool) -> EditRefused:
    """The refusal of a message, which leaves everything as it was."""
    before = tree(root)
    with pytest.raises(EditRefused) as caught:
        apply(message, root, **options)
    assert tree(root) == before
    return caught.value


# Which file is meant


@pytest.mark.parametrize("name", ["src/app.py", "./src/app.py", "src\\app.py", "src//app.py"])
def test_a_name_from_the_root(root: Path, name: str) -> None:
    (change,) = apply(patch(f"*** Update File: {name}\n@@\n-    return 1\n+    return 2\n"), root)
    assert (change.path, change.action, change.warnings) == ("src/app.py", "update", ())


@pytest.mark.parametrize("name", ["app.py", "project/src/app.py"])
def test_part_of_a_name_that_fits_one_file_is_taken_with_a_warning(root: Path, name: str) -> None:
    (change,) = apply(replacing(name), root)
    assert change.path == "src/app.py"
    assert [(warning.code, name in warning.message) for warning in change.warnings] == [("OTHER_PATH", True)]


def test_part_of_a_name_that_fits_several_files_is_refused(root: Path) -> None:
    error = refusal(replacing("util.py"), root)
    assert error.code == Code.ANCHOR_AMBIGUOUS
    assert [place.path for place in error.candidates] == ["src/util.py", "tests/util.py"]


def test_an_unknown_name_is_refused_with_files_of_that_name(root: Path) -> None:
    error = refusal(replacing("lib/app.py"), root)
    assert error.code == Code.INVALID_PATH
    assert [place.path for place in error.candidates] == ["src/app.py"]


def test_installed_files_are_not_meant_by_part_of_a_name(root: Path) -> None:
    (root / "node_modules/x").mkdir(parents=True)
    (root / "node_modules/x/app.py").write_text(CODE)
    assert apply(replacing("app.py"), root)[0].path == "src/app.py"


def test_an_edit_that_names_no_file_is_refused(root: Path) -> None:
    assert refusal("```python\n# ... existing code ...\nx = 1\n```\n", root).code == Code.EDIT_UNPARSABLE


def test_links_inside_the_root_are_followed(root: Path) -> None:
    (root / "link.py").symlink_to("src/app.py")
    (change,) = apply(replacing("link.py"), root)
    assert change.path == "src/app.py"
    assert (root / "link.py").is_symlink()


def test_two_names_of_one_file_are_one_change(root: Path) -> None:
    (root / "link.py").symlink_to("src/app.py")
    changes = apply(replacing("src/app.py") + replacing("link.py", "    return 2", "    return 3"), root)
    assert [change.path for change in changes] == ["src/app.py"]
    assert (root / "src/app.py").read_text() == CODE.replace("1", "3")


@pytest.mark.parametrize(
    "name", ["aux.c", "con.py", "..hidden", "a..b", ".github/x.yml", ".gitignore", "café.py", "a b.py"]
)
def test_names_that_only_look_hostile(name: str) -> None:
    assert parts_of(name) == tuple(name.split("/"))


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_a_root_that_is_no_folder(root: Path, kind: str) -> None:
    with pytest.raises(EditRefused) as caught:
        apply(replacing("app.py"), root / "src/app.py" if kind == "a file" else root / "nowhere")
    assert caught.value.code == Code.INVALID_PATH


# What becomes of the files


def test_a_change_tells_the_hashes_and_the_outcome(root: Path) -> None:
    (change,) = apply(replacing("src/app.py"), root)
    new = CODE.replace("1", "2")
    assert (change.before, change.after) == (sha256_of(CODE.encode()), sha256_of(new.encode()))
    assert change.applied is not None
    assert (change.applied.text, change.applied.changes.modified) == (new, 1)
    assert (root / "src/app.py").read_text() == new


def test_edits_to_one_file_follow_each_other(root: Path) -> None:
    message = replacing("src/app.py") + patch("*** Update File: src/app.py\n@@\n-    return 2\n+    return 3\n")
    (change,) = apply(message, root)
    assert change.applied is not None
    assert change.applied.original == CODE
    assert (root / "src/app.py").read_text() == CODE.replace("1", "3")


def test_a_file_is_created_with_its_folders(root: Path) -> None:
    (change,) = apply(patch("*** Add File: a/b/c.txt\n+one\n+two\n"), root)
    assert (change.action, change.before) == ("create", None)
    assert (root / "a/b/c.txt").read_bytes() == b"one\ntwo\n"


def test_a_new_file_can_be_edited_at_once(root: Path) -> None:
    message = patch("*** Add File: c.txt\n+one\n+two\n", "*** Update File: c.txt\n@@\n one\n-two\n+three\n")
    (change,) = apply(message, root)
    assert change.action == "create"
    assert (root / "c.txt").read_bytes() == b"one\nthree\n"


def test_a_fence_for_a_file_that_is_not_there_creates_it(root: Path) -> None:
    (change,) = apply("### `src/new.py`\n\n```python\nx = 1\n```\n", root)
    assert (change.path, change.action) == ("src/new.py", "create")
    assert (root / "src/new.py").read_text() == "x = 1\n"


def test_a_snippet_with_markers_creates_nothing(root: Path) -> None:
    message = "### `src/new.py`\n\n```python\n# ... existing code ...\nx = 1\n```\n"
    assert refusal(message, root).code == Code.INVALID_PATH


def test_creating_can_be_forbidden(root: Path) -> None:
    assert refusal(patch("*** Add File: c.txt\n+one\n"), root, create=False).code == Code.INVALID_PATH


def test_creating_again_changes_nothing(root: Path) -> None:
    message = patch("*** Add File: c.txt\n+one\n")
    apply(message, root)
    before = (root / "c.txt").stat()
    (change,) = apply(message, root)
    assert (change.action, [warning.code for warning in change.warnings]) == ("none", ["NO_CHANGE"])
    assert (root / "c.txt").stat().st_mtime_ns == before.st_mtime_ns


def test_a_file_with_another_text_is_not_overwritten_by_a_new_one(root: Path) -> None:
    assert refusal(patch("*** Add File: src/app.py\n+one\n"), root).code == Code.FILE_EXISTS


def test_a_file_can_be_replaced_by_saying_so(root: Path) -> None:
    (change,) = apply(patch("*** Delete File: src/app.py\n", "*** Add File: src/app.py\n+one\n"), root)
    assert change.action == "update"
    assert (root / "src/app.py").read_text() == "one\n"


def test_a_file_is_deleted(root: Path) -> None:
    (change,) = apply(patch("*** Delete File: src/app.py\n"), root)
    assert (change.action, change.after, change.applied) == ("delete", None, None)
    assert not (root / "src/app.py").exists()
    (again,) = apply(patch("*** Delete File: src/app.py\n"), root)
    assert (again.action, [warning.code for warning in again.warnings]) == ("none", ["NO_CHANGE"])


def deleting(path: str, text: str) -> str:
    lines = text.splitlines()
    body = "".join(f"-{line}\n" for line in lines)
    return f"```diff\n--- a/{path}\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n{body}```\n"


def test_a_file_is_deleted_by_a_diff_that_shows_it(root: Path) -> None:
    (change,) = apply(deleting("src/app.py", CODE), root)
    assert change.action == "delete"
    assert not (root / "src/app.py").exists()


def test_a_file_with_other_lines_than_the_diff_deletes_stays(root: Path) -> None:
    (root / "src/app.py").write_text(CODE + "\n\ndef two():\n    return 2\n")
    error = refusal(deleting("src/util.py", CODE) + deleting("src/app.py", CODE), root)
    assert (error.code, error.message) == (
        Code.ANCHOR_NOT_FOUND,
        "src/app.py: the diff deletes another version of the file: lines 5-6 of the file are not in it",
    )
    assert [(place.path, place.start_line, place.end_line) for place in error.candidates] == [("src/app.py", 4, 6)]


def test_a_file_is_replaced_only_where_the_deletion_shows_it(root: Path) -> None:
    created = "```diff\n--- /dev/null\n+++ b/src/app.py\n@@ -0,0 +1 @@\n+one\n```\n"
    assert refusal(deleting("src/app.py", "x = 1\n") + created, root).code == Code.ANCHOR_NOT_FOUND
    assert apply(deleting("src/app.py", CODE) + created, root)[0].action == "update"
    assert (root / "src/app.py").read_text() == "one\n"


def test_a_deletion_is_never_for_part_of_a_name(root: Path) -> None:
    before = tree(root)
    (change,) = apply(patch("*** Delete File: app.py\n"), root)
    assert change.action == "none"
    assert tree(root) == before


def test_a_file_moves_with_its_mode(root: Path) -> None:
    (root / "src/app.py").chmod(0o755)
    message = patch("*** Update File: src/app.py\n*** Move to: lib/main.py\n@@\n-    return 1\n+    return 2\n")
    (change,) = apply(message, root)
    assert (change.path, change.moved_from, change.action) == ("lib/main.py", "src/app.py", "move")
    assert not (root / "src/app.py").exists()
    assert (root / "lib/main.py").read_text() == CODE.replace("1", "2")
    assert stat.S_IMODE((root / "lib/main.py").stat().st_mode) == 0o755


def test_a_file_does_not_move_over_another(root: Path) -> None:
    message = patch("*** Update File: src/app.py\n*** Move to: src/util.py\n@@\n-    return 1\n+    return 2\n")
    assert refusal(message, root).code == Code.FILE_EXISTS


def test_one_refusal_leaves_all_files_alone(root: Path) -> None:
    error = refusal(replacing("src/app.py") + replacing("src/util.py", "    return 9"), root)
    assert error.code == Code.ANCHOR_NOT_FOUND
    assert error.message.startswith("src/util.py: ")


def test_a_dry_run_tells_the_same_and_writes_nothing(root: Path) -> None:
    message = replacing("src/app.py") + patch("*** Add File: c.txt\n+one\n")
    before = tree(root)
    told = apply(message, root, dry_run=True)
    assert tree(root) == before
    assert [(c.path, c.after) for c in told] == [(c.path, c.after) for c in apply(message, root)]


def test_encodings_and_line_ends_of_each_file_stay(root: Path) -> None:
    latin, dos = b"# coding: latin-1\r\nname = '\xe9'\r\nx = 1\r\n", b"\xef\xbb\xbfa = 1\nb = 1\r\nc = 1\r\n"
    (root / "latin.py").write_bytes(latin)
    (root / "dos.py").write_bytes(dos)
    apply(replacing("latin.py", "x = 1", "x = 'ü'") + replacing("dos.py", "c = 1", "c = 2\nd = 3"), root)
    assert (root / "latin.py").read_bytes() == latin.replace(b"x = 1", b"x = '\xfc'")
    assert (root / "dos.py").read_bytes() == dos.replace(b"c = 1", b"c = 2\r\nd = 3")


def test_text_that_the_file_cannot_store_is_refused(root: Path) -> None:
    (root / "latin.py").write_bytes(b"# coding: latin-1\nname = '\xe9'\n")
    message = replacing("latin.py", "name = 'é'", "name = '€'") + replacing("src/app.py")
    error = refusal(message, root)
    assert error.code == Code.NOT_TEXT
    assert "latin.py" in error.message
    assert "line 2" in error.message


@pytest.mark.parametrize("name", ["{root}/src/app.py", "{root}/./src//app.py"])
def test_an_absolute_name_below_the_root_is_the_one_from_there(root: Path, name: str) -> None:
    (change,) = apply(replacing(name.format(root=root.resolve())), root)
    assert (change.path, change.warnings) == ("src/app.py", ())


@pytest.mark.parametrize(
    "name", ["{root}", "{root}/../x.py", "{root}x/src/app.py", "{root}/.git/config", "{link}/a.py"]
)
def test_an_absolute_name_that_leads_elsewhere_is_refused(root: Path, name: str) -> None:
    (root / "link").symlink_to(root.parent)
    given = name.format(root=root.resolve(), link=root.resolve() / "link")
    assert refusal(replacing(given), root).code == Code.INVALID_PATH
