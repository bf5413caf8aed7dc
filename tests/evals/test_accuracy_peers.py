"""Mined histories, and what git and patch make of the same diffs."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from evals.accuracy.__main__ import main
from evals.accuracy.compare import compared, in_mode, summed_up
from evals.accuracy.mine import mined_samples, num_changed
from evals.accuracy.outcomes import Outcome, Row
from evals.accuracy.peers import COMMANDS, _tool, bare_diff, level_of
from fastedit.edits.model import Format
from fastedit.training.synthesis import Sample, Tier
from fastedit.training.synthesis.history import mine
from support.swebench_repos import SHELF, commit

BEFORE = SHELF
MIDDLE = SHELF.replace(
    "        self.items = {}\n",
    "        self.items = {}\n        self.taken = 0\n        self.put_in = 0\n        self.log = []\n",
)
AFTER = MIDDLE.replace(
    "        return name\n",
    '        self.taken += 1\n        self.log.append(name)\n        print("taken", name)\n        return name\n',
)
CLEAN = """```diff
--- a/shelf.py
+++ b/shelf.py
@@ -26,4 +26,4 @@
         return name

     def total(self):
-        return sum(self.items.values())
+        return sum(self.items.values(), 0)
```
"""
SUMMED = SHELF.replace("self.items.values()", "self.items.values(), 0").replace(
    "values(), 0) + count", "values()) + count"
)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    clone = tmp_path / "clone"
    for text in (BEFORE, MIDDLE, AFTER, AFTER.replace("taken += 1", "taken += 2")):
        commit(clone, {"shelf.py": text, "notes.bin": b"\x00" + text.encode()})
    return clone


def sample(edit: str) -> Sample:
    return Sample("shelf.py", "python", SHELF, edit, SUMMED, Tier.CLEAR, Format.UDIFF, "modify_row")


def test_only_changes_of_some_size_are_mined(history: Path) -> None:
    assert [num_changed(change) for change in mine(history)] == [1, 3, 3]
    samples = list(mined_samples([history], 1, [Tier.CLEAR], [Format.SEARCH_REPLACE]))
    assert [(one.original, one.expected) for one in samples] == [(MIDDLE, AFTER), (BEFORE, MIDDLE)]


def test_the_command_scores_histories(
    history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(history, {"other.py": SHELF.replace("Shelf", "Rack")})
    commit(history, {"other.py": AFTER.replace("Shelf", "Rack")})
    result = tmp_path / "mined.json"
    arguments = ["mine", "--repo", str(history), "--format", "udiff", "--json", str(result)]
    monkeypatch.setattr(sys, "argv", ["evals.accuracy", *arguments])
    assert main() == 0
    assert capsys.readouterr().out.rstrip().split("\n")[-1].startswith("edits=")
    written = json.loads(result.read_text("utf-8"))
    assert written["machine"]["command"] == " ".join(["python -m evals.accuracy", *arguments])
    assert set(written["generated"]) >= {"tier", "format", "language", "size", "changed"}
    assert main(["mine", "--repo", str(tmp_path / "none")]) == 1


def test_rows_are_counted_in_classes_of_size() -> None:
    def row(num_lines: int, num_changed: int) -> Row:
        return Row("x", "clear", "lazy", "python", "", Outcome.EXACT, 1.0, num_lines=num_lines, num_changed=num_changed)

    assert [row(n, n).size for n in (0, 100, 101, 1001)] == [
        "",
        "up to 100 lines",
        "up to 300 lines",
        "over 1000 lines",
    ]
    assert [row(n, n).changed for n in (3, 4, 101)] == ["up to   3 lines", "up to  10 lines", "over  100 lines"]


PEERS = {"fastedit": in_mode("structural")} | {name: _tool(command) for name, command in COMMANDS.items()}
needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch here")


@needs_patch
def test_every_tool_applies_a_diff_as_git_writes_it() -> None:
    wrong_numbers = CLEAN.replace("@@ -26,4 +26,4 @@", "@@ -2,9 +2,8 @@")
    no_numbers = CLEAN.replace("@@ -26,4 +26,4 @@", "@@ ... @@").replace("--- a/shelf.py\n+++ b/shelf.py\n", "")
    samples = [sample(text) for text in (CLEAN.replace("\n\n", "\n \n"), wrong_numbers, no_numbers)]
    results = list(compared(samples, PEERS))
    assert {name: found[0] for name, found in results[0].outcomes.items()} == dict.fromkeys(
        ("fastedit", "git apply", "git apply, lenient", "patch", "patch, fuzz 3"), Outcome.EXACT
    )
    assert [result.outcomes["fastedit"][0] for result in results] == [Outcome.EXACT] * 3
    assert [result.outcomes["git apply"][0] for result in results[1:]] == [Outcome.REFUSED] * 2
    assert [result.outcomes["patch"][0] for result in results[1:]] == [Outcome.REFUSED] * 2


@needs_patch
def test_a_tool_that_gives_another_text_is_wrong() -> None:
    (result,) = compared([sample(CLEAN.replace("\n\n", "\n \n").replace("values(), 0)", "values(), 1)"))], PEERS)
    assert {found[0] for found in result.outcomes.values()} == {Outcome.WRONG}
    summary = summed_up([result], title="Diffs", source="made here")
    assert summary["peers"]["patch"]["counts"] == {"wrong": 1}
    assert summary["by"]["language"]["python"]["git apply"] == {"wrong": 1}


def test_the_diff_alone_with_its_names() -> None:
    assert bare_diff(f"Sure:\n\n{CLEAN}\nDone.\n", "x.py") == CLEAN.removeprefix("```diff\n").removesuffix("```\n")
    assert bare_diff("```diff\n@@\n-a\n+b\n```", "x.py") == "--- a/x.py\n+++ b/x.py\n@@\n-a\n+b\n"
    assert bare_diff("--- a/y\n+++ b/y\n@@\n-a\n+b", "x.py") == "--- a/y\n+++ b/y\n@@\n-a\n+b\n"


def test_names_without_a_prefix_are_taken_as_they_are() -> None:
    assert level_of("--- src/x.py\n+++ src/x.py\n@@\n", "src/x.py") == "-p0"
    assert level_of("--- a/src/x.py\n+++ b/src/x.py\n@@\n", "src/x.py") == "-p1"
