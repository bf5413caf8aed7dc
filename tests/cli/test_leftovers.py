"""Markers that were pasted into files are found, and code that looks like them isn't."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from support.command import fastedit


@pytest.mark.parametrize(
    "line",
    [
        "# ... existing code ...",
        "    // ... rest of the function ...",
        "/* ... unchanged ... */",
        "<!-- ... existing code ... -->",
        "        {/* ... existing markup ... */}",
        "# … other methods …",
        "<<<<<<< SEARCH",
        "*** Begin Patch",
    ],
)
def test_what_was_pasted_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(f"x = 1\n{line}\ny = 2\n")
    outcome = fastedit("leftovers", "a.py", cwd=tmp_path)
    assert (outcome.status, outcome.stdout.decode()) == (1, f"a.py:2: {line.strip()}\n")


@pytest.mark.parametrize(
    "line",
    ["...", "    ...", "# ...", "# the rest of the code is in b.py", "x = [...]", "def f(): ...", "// ...and so on"],
)
def test_code_and_remarks_are_left_alone(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(f"{line}\n")
    assert fastedit("leftovers", "a.py", cwd=tmp_path).status == 0


def test_the_hook_names_a_command_that_there_is(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (tmp_path / "a.py").write_text("# ... existing code ...\n")
    assert fastedit(*shlex.split(hook["entry"])[1:], "a.py", cwd=tmp_path).status == 1
