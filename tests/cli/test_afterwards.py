"""What comes after writing: undoing it, checks that have the last word, commits, prompts; and before it: asking."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from fastedit.cli.interactive import hunks_of, with_hunks
from fastedit.lines import split_lines
from support.choosing import EDIT as UNSURE
from support.choosing import ORIGINAL as SHAPES
from support.choosing import reading
from support.command import fastedit, tree

ORIGINAL = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
PATCH = """\
*** Begin Patch
*** Update File: app.py
@@ def first():
-    return 1
+    return "one"
*** Add File: docs/new.md
+# New
*** Delete File: old.py
*** End Patch
"""
EDIT = "<<<<<<< SEARCH\n    return 2\n=======\n    return 'two'\n>>>>>>> REPLACE\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "app.py").write_text(ORIGINAL)
    (root / "old.py").write_bytes(b"x = 1\r\n")
    return root


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "config", "user.email", "me@example.org")
    git(folder, "config", "user.name", "Me")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout


def apply(root: Path, *arguments: str, edit: str = EDIT):
    return fastedit("apply", *arguments, cwd=root, stdin=edit.encode())


def test_runs_are_undone_one_after_the_other(folder: Path) -> None:
    first = tree(folder)
    assert apply(folder, "-", edit=PATCH).status == 0
    second = tree(folder)
    assert apply(folder, "app.py", "-").status == 0
    again = "```python\ndef second():\n    return 'two'\n```\n"
    assert apply(folder, "app.py", "-", edit=again).status == 0  # changes nothing, and so there is nothing to undo
    assert fastedit("undo", cwd=folder).stdout == b"app.py: as before\n"
    assert tree(folder) == second
    assert fastedit("undo", cwd=folder).stdout == b"app.py: as before\ndocs/new.md: removed\nold.py: as before\n"
    assert tree(folder) == first
    assert fastedit("undo", cwd=folder).code == "INVALID_PATH"


def test_a_run_is_undone_in_its_own_folder_and_by_its_file(folder: Path) -> None:
    apply(folder, "app.py", "-")
    (folder / "elsewhere").mkdir()
    assert fastedit("undo", cwd=folder / "elsewhere").code == "INVALID_PATH"
    assert fastedit("undo", "old.py", cwd=folder).code == "INVALID_PATH"
    assert fastedit("undo", "app.py", cwd=folder).status == 0
    assert (folder / "app.py").read_text() == ORIGINAL


def test_what_was_changed_since_is_not_undone(folder: Path) -> None:
    apply(folder, "-", edit=PATCH)
    (folder / "app.py").write_text("mine\n")
    before = tree(folder)
    assert fastedit("undo", cwd=folder).code == "CONTENT_CONFLICT"
    assert tree(folder) == before


def test_an_edit_is_applied_where_nothing_can_be_kept(folder: Path) -> None:
    (folder.parent / "state").write_text("in the way")
    assert apply(folder, "app.py", "-").status == 0
    assert fastedit("undo", cwd=folder).code == "INVALID_PATH"


def test_a_check_that_fails_puts_everything_back(folder: Path) -> None:
    before = tree(folder)
    check = "grep -q one app.py && test -e docs/new.md && echo broken && exit 3"
    outcome = apply(folder, "-", "--lint", "true", "--test", check, edit=PATCH)
    assert (outcome.status, outcome.stdout) == (5, b"")
    assert "ended with 3; the files are as they were" in outcome.stderr
    assert "\nbroken (CHECK_FAILED)\n" in outcome.stderr
    assert tree(folder) == before
    assert fastedit("undo", cwd=folder).code == "INVALID_PATH"


def test_checks_that_succeed_change_nothing(folder: Path) -> None:
    assert apply(folder, "app.py", "-", "--lint", "true", "--test", "grep -q two app.py").status == 0
    assert "two" in (folder / "app.py").read_text()


def test_a_run_is_committed_with_its_files_alone_and_undone_by_a_commit(repository: Path) -> None:
    (repository / "mine.txt").write_text("not yet\n")
    git(repository, "add", "mine.txt")
    assert apply(repository, "-", "--commit", "--instruction", "Say one", edit=PATCH).status == 0
    assert git(repository, "log", "-1", "--format=%s").strip() == "Say one"
    names = git(repository, "show", "--name-only", "--format=", "HEAD").split()
    assert names == ["app.py", "docs/new.md", "old.py"]
    assert git(repository, "status", "--porcelain") == "A  mine.txt\n"
    assert fastedit("undo", cwd=repository).stdout.count(b"committed as") == 1
    assert git(repository, "diff", "HEAD~2", "HEAD", "--stat") == ""
    assert git(repository, "rev-list", "--count", "HEAD") == "3\n"


def test_changes_of_ones_own_are_not_committed_along(repository: Path) -> None:
    (repository / "app.py").write_text(ORIGINAL + "# mine\n")
    before = tree(repository)
    assert apply(repository, "app.py", "-", "--commit").code == "CONTENT_CONFLICT"
    assert tree(repository) == before


def test_a_hook_has_the_last_word(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    outcome = apply(repository, "-", "--commit", edit=PATCH)
    assert outcome.status == 5
    assert "no (CHECK_FAILED)" in outcome.stderr
    assert git(repository, "status", "--porcelain") == ""


def test_without_a_repository_nothing_is_written(folder: Path) -> None:
    assert apply(folder, "app.py", "-", "--commit").status == 2
    assert (folder / "app.py").read_text() == ORIGINAL


@pytest.mark.parametrize(
    "arguments", [("--diff", "--commit"), ("--check", "--test", "true"), ("--stdout", "--lint", "x")]
)
def test_what_is_only_looked_at_is_neither_checked_nor_committed(folder: Path, arguments: tuple[str, ...]) -> None:
    assert apply(folder, "app.py", "-", *arguments).status == 2


def test_a_refusal_becomes_a_prompt(folder: Path) -> None:
    (folder / "shapes.py").write_text(SHAPES)
    outcome = apply(folder, "shapes.py", "-", "--certainty", "1", "--retry-prompt", edit=UNSURE)
    assert outcome.status == 4
    text = outcome.stdout.decode()
    assert text.startswith("Your edit wasn't applied (ANCHOR_AMBIGUOUS): shapes.py: ")
    assert "- shapes.py:" in text
    assert "Show more of the unchanged lines" in text


def with_clipboard(folder: Path, script: str) -> dict[str, str]:
    programs = folder.parent / "bin"
    programs.mkdir()
    (programs / "xclip").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "xclip").chmod(0o755)
    return {"PATH": f"{programs}:/bin:/usr/bin"}


def test_the_clipboard_is_an_edit(folder: Path) -> None:
    (folder / "copied").write_text(EDIT)
    environment = with_clipboard(folder, f"cat {folder}/copied")
    assert fastedit("apply", "--clipboard", "app.py", cwd=folder, env=environment).status == 0
    assert "two" in (folder / "app.py").read_text()
    assert fastedit("apply", "--clipboard", "app.py", "x", cwd=folder, env=environment).status == 2


def test_a_clipboard_that_cannot_be_read(folder: Path) -> None:
    outcome = fastedit("apply", "--clipboard", "app.py", cwd=folder, env=with_clipboard(folder, "exit 1"))
    assert outcome.code == "INVALID_PATH"
    assert "xclip" in outcome.stderr
    assert "install one of" in fastedit("apply", "--clipboard", "app.py", cwd=folder, env={"PATH": "/nowhere"}).stderr


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Answers what is asked at the terminal; gives the questions."""
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr("fastedit.cli.interactive.ask_at_terminal", ask)
    return asked


TWO = EDIT + "\n<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("answers", "taken"),
    [
        (("y", "n"), {"sys"}),
        (("n", "y"), {"'two'"}),
        (("a",), {"sys", "'two'"}),
        (("d",), set()),
        (("?", "y", "y"), {"sys", "'two'"}),
    ],
)
def test_hunks_are_taken_one_by_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...], taken: set[str]
) -> None:
    answering(monkeypatch, *answers)
    assert apply(folder, "app.py", "-", "--interactive", edit=TWO).status == 0
    text = (folder / "app.py").read_text()
    assert {word for word in ("sys", "'two'") if word in text} == taken
    assert len(text.split("\n")) == len(ORIGINAL.split("\n"))


def test_quitting_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "y", "q")
    assert apply(folder, "app.py", "-", "--interactive", edit=TWO).status == 130
    assert (folder / "app.py").read_text() == ORIGINAL


def test_a_reading_is_chosen_by_answering(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "shapes.py").write_text(SHAPES)
    answering(monkeypatch, "7", "2", "a")
    assert apply(folder, "shapes.py", "-", "-i", "--certainty", "1", edit=UNSURE).status == 0
    assert (folder / "shapes.py").read_text() == reading(2)


def test_the_question_for_a_reading_names_the_file_and_its_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "shapes.py").write_text(SHAPES)
    log = folder / "asked"

    def ask(question: str) -> str:
        is_first = not log.exists()
        with log.open("a") as file:
            file.write(question + "\n")
        return "?" if is_first else "n"

    monkeypatch.setattr("fastedit.cli.interactive.ask_at_terminal", ask)
    assert apply(folder, "shapes.py", "-", "-i", "--certainty", "1", edit=UNSURE).status == 0
    assert (folder / "shapes.py").read_text() == SHAPES
    asked = log.read_text()
    assert asked.startswith("shapes.py: not certain")
    assert re.search(r"\n  shapes\.py:\d+: reading 1 ", asked)
    assert asked.count("reading 1 ") == 1, "the readings are shown once"
    assert re.search(r"1-\d: take that reading, n: leave the edit out, q: quit", asked)


def test_readings_are_chosen_edit_by_edit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "shapes.py").write_text(SHAPES)
    second = UNSURE.replace("'solid'", "'none'")
    answering(monkeypatch, "1", "1", "a")
    edit = f"```python\n{UNSURE}```\n\nand then\n\n```python\n{second}```\n"
    outcome = apply(folder, "shapes.py", "-", "-i", "--certainty", "1", edit=edit)
    assert outcome.status == 0, outcome.stderr
    text = (folder / "shapes.py").read_text()
    assert text != SHAPES
    assert "'none'" in text


def test_hunks_are_shown_in_colour_unless_that_is_not_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = folder / "asked"
    monkeypatch.setattr("fastedit.cli.interactive.ask_at_terminal", lambda question: log.write_text(question) and "d")
    assert apply(folder, "app.py", "-", "-i", edit=TWO).status == 0
    assert "\x1b[32m+" in log.read_text()
    plain = fastedit("apply", "app.py", "-", "-i", cwd=folder, stdin=TWO.encode(), env={"NO_COLOR": "1"})
    assert plain.status == 0
    assert "\x1b" not in log.read_text()


@pytest.mark.parametrize(("old", "new"), [("a\nb\nc\n", "a\nx\nc\nd"), ("", "a\n"), ("a", ""), ("a\nb\n", "b\na\n")])
def test_all_hunks_make_the_new_text(old: str, new: str) -> None:
    lines = split_lines(old)
    assert with_hunks(lines, list(hunks_of(lines, split_lines(new)))) == new
    assert with_hunks(lines, []) == old
