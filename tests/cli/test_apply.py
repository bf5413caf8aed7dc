"""What `fastedit apply` writes, prints and exits with when all is well."""

from __future__ import annotations

import codecs
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import fastedit, tree

ORIGINAL = """\
import os


def first():
    return 1


def second():
    return 2


def third():
    return 3
"""
EDIT = """\
I changed `second`:

```python
# ... existing code ...

def second():
    return "two"

# ... existing code ...
```
"""
EXPECTED = ORIGINAL.replace("return 2", 'return "two"')
PATCH = """\
*** Begin Patch
*** Update File: app.py
@@ def first():
-    return 1
+    return "one"
*** Add File: docs/new.md
+# New
+
+Text
*** Delete File: old.py
*** End Patch
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(ORIGINAL)
    (tmp_path / "old.py").write_text("x = 1\n")
    (tmp_path / "edit.md").write_text(EDIT)
    (tmp_path / "patch.md").write_text(PATCH)
    return tmp_path


def test_the_file_is_rewritten_and_one_line_says_so(folder: Path) -> None:
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith(b"app.py: 1 hunk, +1 -1, structural, ")
    assert outcome.stdout.count(b"\n") == 1
    assert (folder / "app.py").read_text() == EXPECTED


def test_the_edit_comes_from_standard_input(folder: Path) -> None:
    assert fastedit("apply", "app.py", "-", cwd=folder, stdin=EDIT.encode()).status == 0
    assert (folder / "app.py").read_text() == EXPECTED


def test_the_edit_may_be_stored_otherwise_than_the_file(folder: Path) -> None:
    (folder / "edit.md").write_bytes(codecs.BOM_UTF16_LE + EDIT.replace("\n", "\r\n").encode("utf-16-le"))
    assert fastedit("apply", "app.py", "edit.md", cwd=folder).status == 0
    assert (folder / "app.py").read_text() == EXPECTED


@pytest.mark.parametrize("option", ["--diff", "--stdout", "--check"])
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_looking_writes_nothing(folder: Path, option: str, json: tuple[str, ...]) -> None:
    before = tree(folder)
    assert fastedit("apply", "app.py", "edit.md", option, *json, cwd=folder).status == 0
    assert tree(folder) == before


def test_stdout_is_the_new_file_byte_for_byte(folder: Path) -> None:
    data = codecs.BOM_UTF8 + ORIGINAL.replace("\n", "\r\n").encode()
    (folder / "app.py").write_bytes(data)
    outcome = fastedit("apply", "app.py", "edit.md", "--stdout", cwd=folder)
    assert outcome.stdout == data.replace(b"return 2", b'return "two"')
    assert outcome.stderr.startswith("app.py: 1 hunk, +1 -1, structural")


def test_a_patch_names_its_files(folder: Path) -> None:
    outcome = fastedit("apply", "patch.md", cwd=folder)
    assert outcome.status == 0, outcome.stderr
    lines = outcome.stdout.decode().splitlines()
    assert lines[:3] == [
        "app.py: 1 hunk, +1 -1, structural",
        "docs/new.md: created, +3 -0, structural",
        "old.py: deleted, +0 -1",
    ]
    assert lines[3].startswith("3 files, ")
    assert (folder / "docs/new.md").read_text() == "# New\n\nText\n"
    assert not (folder / "old.py").exists()
    assert (folder / "app.py").read_text() == ORIGINAL.replace("return 1", 'return "one"')


def test_root_is_where_names_start(folder: Path) -> None:
    assert fastedit("apply", folder / "patch.md", "--root", folder, cwd=Path("/")).status == 0
    assert not (folder / "old.py").exists()


@pytest.mark.parametrize("arguments", [("app.py", "edit.md"), ("patch.md",)])
def test_git_takes_the_diff(folder: Path, tmp_path_factory: pytest.TempPathFactory, arguments: tuple[str, ...]) -> None:
    outcome = fastedit("apply", *arguments, "--diff", cwd=folder)
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(folder, other, dirs_exist_ok=True)
    subprocess.run(["git", "apply", "-"], input=outcome.stdout, cwd=other, check=True)
    assert fastedit("apply", *arguments, cwd=folder).status == 0
    assert tree(other) == tree(folder)


def test_the_second_time_nothing_changes(folder: Path) -> None:
    fastedit("apply", "app.py", "edit.md", cwd=folder)
    before = (folder / "app.py").stat()
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder)
    assert outcome.status == 0
    assert outcome.stdout.startswith(b"app.py: nothing to change")
    assert "NO_CHANGE" in outcome.stderr
    after = (folder / "app.py").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_json_tells_programs_the_same(folder: Path) -> None:
    record = fastedit("apply", "app.py", "edit.md", "--json", "--diff", cwd=folder).json
    (file,) = record["files"]
    assert (file["path"], file["action"], file["strategy"]) == ("app.py", "update", "structural")
    assert file["changes"] == {"added": 0, "removed": 0, "modified": 1}
    assert '+    return "two"\n' in file["diff"]
    assert record["written"] is False
    assert fastedit("apply", "app.py", "edit.md", "--json", cwd=folder).json["written"] is True


def test_json_tells_programs_of_refusals(folder: Path) -> None:
    (folder / "app.py").write_text("def f():\n    return 1\n" * 2)
    (folder / "edit.md").write_text("```\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n```\n")
    outcome = fastedit("apply", "app.py", "edit.md", "--json", cwd=folder)
    error = outcome.json["error"]
    assert (outcome.status, error["code"]) == (4, "ANCHOR_AMBIGUOUS")
    assert [(place["path"], place["start_line"]) for place in error["candidates"]] == [("app.py", 1), ("app.py", 3)]


def test_refusals_name_the_places_as_file_and_line(folder: Path) -> None:
    (folder / "app.py").write_text("def f():\n    return 1\n" * 2)
    (folder / "edit.md").write_text("```\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n```\n")
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder)
    assert (outcome.status, outcome.stdout, outcome.code) == (4, b"", "ANCHOR_AMBIGUOUS")
    assert "  app.py:2: " in outcome.stderr
    assert "  app.py:4: " in outcome.stderr


def test_colours_only_where_they_are_wanted(folder: Path) -> None:
    plain = fastedit("apply", "app.py", "edit.md", "--diff", cwd=folder).stdout
    assert b"\x1b" not in plain
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    colored = fastedit("apply", "app.py", "edit.md", "--diff", cwd=folder, env=forced).stdout
    assert b"\x1b[32m" in colored
    assert fastedit("apply", "app.py", "edit.md", "--diff", cwd=folder, env={**forced, "NO_COLOR": "1"}).stdout == plain


def test_source_text_cannot_steer_the_terminal(folder: Path) -> None:
    (folder / "app.py").write_text(ORIGINAL.replace("return 1", "return '\x1b]0;title\x07'"))
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    shown = fastedit("apply", "app.py", "edit.md", "--diff", cwd=folder, env=forced).stdout
    assert b"\x1b]" not in shown
    assert b"\x07" not in shown


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "app.py").rename(folder / "real" / "app.py")
    (folder / "app.py").symlink_to("real/app.py")
    assert fastedit("apply", "app.py", "edit.md", cwd=folder).status == 0
    assert (folder / "app.py").is_symlink()
    assert (folder / "real/app.py").read_text() == EXPECTED


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("apply",),
        ("apply", "a", "b", "c"),
        ("apply", "app.py", "edit.md", "--diff", "--check"),
        ("apply", "app.py", "edit.md", "--root", "."),
        ("apply", "patch.md", "--stdout"),
        ("apply", "app.py", "edit.md", "--mode", "magic"),
        ("apply", "app.py", "edit.md", "--format", "docx"),
        ("apply", "app.py", "edit.md", "--frobnicate"),
        ("frobnicate",),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    before = tree(folder)
    outcome = fastedit(*arguments, cwd=folder)
    assert outcome.status == 2
    assert "Traceback" not in outcome.stderr
    assert tree(folder) == before


def test_version(folder: Path) -> None:
    from fastedit import __version__

    assert fastedit("--version", cwd=folder).stdout.decode() == f"fastedit {__version__}\n"


def test_help_names_every_option_and_status(folder: Path) -> None:
    text = fastedit("apply", "--help", cwd=folder, env={"COLUMNS": "200"}).stdout.decode()
    for word in (
        "[FILE] EDIT",
        "--root",
        "--diff",
        "--stdout",
        "--check",
        "--mode",
        "--scope",
        "--format",
        "--json",
        "130",
    ):
        assert word in text


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FASTEDIT_MDOE", "auto", "FASTEDIT_MODE"),
        ("FASTEDIT_MODE", "fast", "structural"),
        ("FASTEDIT_MAX_FILE_BYTES", "-1", "above 0"),
    ],
)
def test_settings_that_cannot_be_used(folder: Path, name: str, value: str, words: str) -> None:
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder, env={name: value})
    assert outcome.status == 2
    assert words in outcome.stderr
    assert (folder / "app.py").read_text() == ORIGINAL


def test_settings_are_what_options_are_without(folder: Path) -> None:
    assert (
        fastedit("apply", "app.py", "edit.md", cwd=folder, env={"FASTEDIT_MODE": "model"}).code == "TARGET_UNAVAILABLE"
    )
    assert (
        fastedit(
            "apply", "app.py", "edit.md", "--mode", "structural", cwd=folder, env={"FASTEDIT_MODE": "model"}
        ).status
        == 0
    )


def test_an_unexpected_failure_shows_no_traceback_unless_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.cli.run.apply_edits", lambda *_, **__: [][1])
    before = tree(folder)
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder)
    assert (outcome.status, outcome.code) == (1, "ENGINE_ERROR")
    assert "IndexError" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert "Traceback" in fastedit("apply", "app.py", "edit.md", cwd=folder, env={"FASTEDIT_DEBUG": "1"}).stderr
    assert tree(folder) == before


def test_help_ends_with_examples_of_right_usage(folder: Path) -> None:
    from fastedit.cli.app import EXAMPLES

    text = fastedit("apply", "--help", cwd=folder).stdout.decode()
    assert text.rstrip().endswith(EXAMPLES.rstrip())
    (folder / "answer.md").write_text(EDIT)
    lines = [line.strip().split("   ")[0] for line in EXAMPLES.split("\n") if "fastedit apply" in line]
    assert len(lines) == 4
    statuses = [fastedit(*line.partition("fastedit ")[2].split(), cwd=folder).status for line in lines]
    assert statuses[:2] == [0, 3]  # the message names no file
    assert 2 not in statuses


def test_an_outcome_that_cannot_be_printed_is_still_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("I/O operation on closed file")

    monkeypatch.setattr("fastedit.cli.run.print_report", fail)
    outcome = fastedit("apply", "app.py", "edit.md", cwd=folder)
    assert (folder / "app.py").read_text() == EXPECTED
    assert outcome.status == 0
    assert outcome.stderr == "fastedit: applied, but what came of it can't be printed (ValueError)\n"


def test_nothing_is_written_where_a_look_cannot_be_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.cli.run.print_report", lambda *_, **__: [][1])
    assert fastedit("apply", "app.py", "edit.md", "--diff", cwd=folder).status == 1
    assert (folder / "app.py").read_text() == ORIGINAL


def test_names_from_the_file_systems_root_are_taken_below_the_root_alone(folder: Path) -> None:
    inside, outside = (f"`{path}`:\n\n{EDIT[EDIT.index('```') :]}" for path in (folder / "app.py", "/elsewhere/app.py"))
    assert fastedit("apply", "-", cwd=folder, stdin=outside.encode()).code == "INVALID_PATH"
    outcome = fastedit("apply", "-", cwd=folder, stdin=inside.encode())
    assert outcome.stdout.startswith(b"app.py: 1 hunk, +1 -1")
    assert (folder / "app.py").read_text() == EXPECTED


@pytest.mark.parametrize("end", ["\n", "\n\n\n", ""])
@pytest.mark.parametrize("is_fenced", [True, False])
def test_a_whole_file_ends_as_it_is_shown(folder: Path, end: str, is_fenced: bool) -> None:
    shown = f"x = 2\n\ny = 3{end}"
    message = f"```python\n{shown.removesuffix(chr(10))}\n```\n" if is_fenced else shown
    fastedit("apply", "old.py", "-", "--format", "whole", cwd=folder, stdin=message.encode())
    assert (folder / "old.py").read_text() == (shown if end else shown + "\n")  # its last line end stays
