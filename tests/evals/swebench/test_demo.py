"""The demo's bugs are real: they compile, they are in the code, and real tests tell them from the fix."""

from __future__ import annotations

import ast
import json
import random
import sys
import sysconfig
from pathlib import Path

import pytest

from evals.swebench.__main__ import main
from evals.swebench.demo import DemoError
from evals.swebench.demo.mutations import find_mutations, mutated
from evals.swebench.demo.subjects import SUITES, Library, library_of, subjects_of
from evals.swebench.instances import load_instances
from support.swebench_repos import SHELF

SEED = "1"  # its bugs make no test run without end, which would wait for the time limit
EXAMPLE = '''
def pick(rows, limit=3):
    """Rows up to a limit."""
    if not rows:
        return []
    if len(rows) > limit and limit:
        rows = cut(rows, limit)
    elif limit == 0:
        return rows
    else:
        rows.sort()
    rows.append(limit)
    return rows


class Cut:
    def one(self, rows):
        return self.two(rows)

    @staticmethod
    def two(rows):
        return rows[1:]
'''


def changed(text: str, kind: str) -> set[str]:
    """The text with each of the mutations of a kind."""
    data = text.encode("utf-8")
    return {
        (data[: one.start] + one.text.encode("utf-8") + data[one.end :]).decode("utf-8")
        for one in find_mutations(text)
        if one.kind == kind
    }


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("comparison", "len(rows) > limit", "len(rows) >= limit"),
        ("connective", "> limit and limit", "> limit or limit"),
        ("number", "rows[1:]", "rows[2:]"),
        ("negation", "if not rows", "if rows"),
        ("arguments", "cut(rows, limit)", "cut(limit, rows)"),
        ("guard", "    if not rows:\n        return []\n", ""),
        ("statement", "    rows.append(limit)\n", ""),
        ("branch", "    elif limit == 0:\n        return rows\n    else:\n        rows.sort()\n", ""),
        ("function", "    @staticmethod\n    def two(rows):\n        return rows[1:]\n", ""),
    ],
)
def test_each_kind_of_bug(kind: str, old: str, new: str) -> None:
    assert EXAMPLE.replace(old, new) in changed(EXAMPLE, kind)


def test_bugs_in_real_modules_compile_and_are_drawn_alike() -> None:
    text = Path(sysconfig.get_paths()["stdlib"], "textwrap.py").read_text("utf-8")
    first, again = ([mutated(text, random.Random(seed)) for seed in range(40)] for _ in range(2))
    assert first == again
    found = [bug for bug in first if bug is not None]
    assert len(found) > 30
    assert len({kind for _, kinds in found for kind in kinds}) >= 6
    for bug, _ in found:
        assert bug != text
        ast.parse(bug)


def test_other_letters_stay_whole() -> None:
    text = EXAMPLE.replace("Rows up to a limit.", "Zeilen bis zur Grenze, fünf höchstens")
    bug = mutated(text, random.Random(1))
    assert bug is not None
    assert "fünf höchstens" in bug[0]


def test_code_without_anything_to_break_has_no_bugs() -> None:
    assert mutated("X = 1\n", random.Random(1)) is None
    assert mutated(SHELF, random.Random(1)) is not None


def test_subjects_without_a_test_package_have_their_examples(tmp_path: Path) -> None:
    own = library_of(sys.executable)
    for name in ("difflib.py", "uuid.py"):
        (tmp_path / name).write_bytes((own.stdlib / name).read_bytes())
    subjects = subjects_of(Library(own.python, own.version, tmp_path))
    assert [subject.name for subject in subjects] == ["difflib", "uuid"]
    assert all("DocTestSuite" in text for subject in subjects for text in subject.tests.values())


def test_an_interpreter_that_does_not_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="doesn't run"):
        library_of(str(tmp_path / "python"))


def test_the_demo_makes_and_runs_its_instances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("test.test_textwrap", reason="Python has no tests of its own, which the instances are made of")
    out = tmp_path / "out"
    assert main(["demo", "--n", "2", "--out", str(out), "--seed", SEED]) == 0
    assert capsys.readouterr().out.rstrip().split("\n")[-1].startswith("instances=2 applied=")
    instances = load_instances(str(out / "demo" / "instances.jsonl"))
    assert len({instance.repo for instance in instances}) == 2
    assert {instance.repo.removeprefix("stdlib/") for instance in instances} <= {*SUITES, "statistics", "pickletools"}
    assert all(instance.fail_to_pass and instance.pass_to_pass for instance in instances)
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").split("\n") if line]
    assert all(row["gold_resolved"] for row in rows)
    assert all(row["resolved"] for row in rows if row["applied"] == "exact")
    made = (out / "demo" / "instances.jsonl").stat().st_mtime_ns
    assert main(["demo", "--n", "2", "--out", str(out), "--seed", SEED]) == 0
    assert (out / "demo" / "instances.jsonl").stat().st_mtime_ns == made
