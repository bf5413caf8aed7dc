"""Changes mined from a repository that the test makes."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from fastedit.edits.model import Format
from fastedit.training.synthesis import Tier, rendered_sample
from fastedit.training.synthesis.history import HistoryError, mine
from support.edits import ORIGINALS


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    text = (ORIGINALS / "queue.js").read_text("utf-8")
    versions = [text, text.replace("retries: 3", "retries: 5"), text.replace("  clear() {", "  empty() {")]
    git(tmp_path, "init", "-q")
    for number, version in enumerate(versions):
        (tmp_path / "queue.js").write_text(version, "utf-8")
        (tmp_path / "data.bin").write_bytes(bytes([number]) * 100)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", f"version {number}")
    return tmp_path


def test_the_pairs_are_the_commits_newest_first(repository: Path) -> None:
    changes = list(mine(repository))
    assert [change.before.path for change in changes] == ["queue.js", "queue.js"]
    assert "empty() {" in changes[0].after.text
    assert "retries: 5" in changes[0].before.text
    assert changes[1].before.text == (ORIGINALS / "queue.js").read_text("utf-8")
    assert [len(change.splices) for change in changes] == [2, 1]


def test_large_changes_are_passed_over(repository: Path) -> None:
    assert [len(change.splices) for change in mine(repository, most_changed=1)] == [1]


def test_mined_changes_can_be_rendered(repository: Path) -> None:
    for change in mine(repository):
        sample = rendered_sample(change, Tier.CLEAR, Format.LAZY, random.Random(1))
        assert sample is not None
        assert sample.expected == change.after.text


def test_a_folder_without_history_says_so(tmp_path: Path) -> None:
    with pytest.raises(HistoryError):
        list(mine(tmp_path / "nothing"))
