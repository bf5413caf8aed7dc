"""The examples of the README and of `make demo` come out as their `expected` folders say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import fastedit, tree

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/edit.md"))


def test_there_are_examples() -> None:
    assert len(NAMES) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_example(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(EXAMPLES / name / "original", root)
    files = [path for path in root.iterdir() if path.is_file()]
    outcome = fastedit("apply", *files, EXAMPLES / name / "edit.md", cwd=root)
    assert outcome.status == 0, outcome.stderr
    assert tree(root) == tree(EXAMPLES / name / "expected")
    again = fastedit("apply", *files, EXAMPLES / name / "edit.md", cwd=root)
    assert (again.status, tree(root)) == (0, tree(EXAMPLES / name / "expected")), again.stderr
