"""Watching the clipboard and folders, and what the doctor finds."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from fastedit.cli import watch
from support.choosing import EDIT as UNSURE
from support.choosing import ORIGINAL as SHAPES
from support.choosing import reading
from support.command import fastedit

ORIGINAL = "def a():\n    return 1\n"
MESSAGE = "`app.py`:\n\n```python\ndef a():\n    return 2\n```\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "app.py").write_text(ORIGINAL)
    return tmp_path / "root"


@pytest.mark.parametrize(("answer", "text"), [("y", ORIGINAL.replace("1", "2")), ("", ORIGINAL), ("n", ORIGINAL)])
def test_an_edit_is_applied_when_the_answer_is_yes(root: Path, answer: str, text: str) -> None:
    asked: list[str] = []
    watch.offer(MESSAGE, root, lambda question: asked.append(question) or answer)  # type: ignore[func-returns-value]
    assert (root / "app.py").read_text() == text
    assert "+    return 2" in asked[0]
    assert asked[0].endswith("apply it to app.py? [y,N] ")
    assert fastedit("undo", cwd=root).status == (0 if answer == "y" else 3)


def test_a_reading_is_asked_for_where_it_is_not_clear(root: Path) -> None:
    (root / "shapes.py").write_text(SHAPES)
    answers = iter(["2", "y"])
    message = f"`shapes.py`:\n\n```python\n{UNSURE}```\n"
    watch.offer(message, root, lambda _: next(answers))
    assert (root / "shapes.py").read_text() == reading(2, message)


@pytest.mark.parametrize(
    "text", ["just words", "", "```python\nx = 1\n```\n", "`other.py`:\n\n```python\n# ...\nx\n# ...\n```\n"]
)
def test_what_is_no_edit_of_files_that_there_are_is_not_offered(root: Path, text: str) -> None:
    watch.offer(text, root, lambda _: pytest.fail("asked"))
    assert (root / "app.py").read_text() == ORIGINAL


def test_messages_are_read_once_they_are_written(root: Path) -> None:
    steps = iter([("", "part"), ("", "part of it"), ("", None), ("", None), ("b.md", "two"), ("b.md", None)])
    (root / "old.md").write_text("old")

    def work(_: float) -> None:
        name, text = next(steps)
        if text is not None:
            (root / (name or "a.md")).write_text(text)

    assert list(islice(watch.arriving(root, work), 2)) == ["part of it", "two"]


def test_what_is_copied_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = iter([b"old", b"old", b"new", b"new", b"newer"])
    monkeypatch.setattr("fastedit.cli.edit_text.read_clipboard", lambda _: next(copied))
    monkeypatch.setattr("fastedit.cli.watch._is_there", lambda _: True)
    assert list(islice(watch.copied(lambda _: None), 2)) == ["new", "newer"]


def test_the_doctor_tells_what_lacks(root: Path) -> None:
    outcome = fastedit("doctor", cwd=root, env={"PATH": "/nowhere"})
    assert outcome.status == 0
    lines = outcome.stdout.decode().split("\n")
    assert any(line.startswith("ok     an edit: applied in ") for line in lines)
    assert "lacks  git: none of git is installed (for --commit)" in lines
    wrong = fastedit("doctor", cwd=root, env={"FASTEDIT_MODE": "fast"})
    assert wrong.status == 1
    assert b"FAILS  settings: SettingsError: FASTEDIT_MODE" in wrong.stdout
