"""The whole run: verdicts, predictions, broken instances, and going on after a kill."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evals.swebench.__main__ import main
from support.swebench_repos import FORGETS, REPO, SHELF, World, commit, make_world

ROOT = Path(__file__).parents[3]
TIMES = ("apply_ms", "tests_s")


def run(world: World, out: Path, instances: Path, *options: str) -> int:
    return main(["run", *arguments(world, out, instances), *options])


def arguments(world: World, out: Path, instances: Path) -> list[str]:
    return ["--instances", str(instances), "--repos", str(world.clones), "--recipes", str(world.recipes),
            "--out", str(out)]  # fmt: skip


def rows(out: Path, name: str = "results.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / name).read_text("utf-8").split("\n") if line]


def timeless(out: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows(out)]


def test_gold_edits_resolve(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(world, out, world.write(world.instance), "--from-gold") == 0
    assert capsys.readouterr().out.rstrip().split("\n")[-1] == "instances=1 applied=1 resolved=1 gold_resolved=1"
    (row,) = rows(out)
    assert (row["applied"], row["resolved"], row["problem"]) == ("exact", True, "")
    page = (out / "report.html").read_text("utf-8")
    assert "<svg" in page
    assert "tools__shelf-1" in page
    log = (out / "work" / "logs" / "tools__shelf-1.edited.txt").read_text("utf-8")
    assert "test_take_forgets_what_is_gone" in log


def test_predictions_are_what_the_official_harness_takes(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(world, out, world.write(world.instance), "--from-gold", "--name", "mine")
    (prediction,) = rows(out, "predictions.jsonl")
    assert sorted(prediction) == ["instance_id", "model_name_or_path", "model_patch"]
    assert (prediction["instance_id"], prediction["model_name_or_path"]) == ("tools__shelf-1", "mine")
    clone = tmp_path / "fresh"
    subprocess.run(["git", "clone", "--quiet", world.clones / "tools__shelf", clone], check=True)
    subprocess.run(["git", "checkout", "--quiet", world.instance.base_commit], cwd=clone, check=True)
    subprocess.run(["git", "apply", "-v"], cwd=clone, check=True, input=prediction["model_patch"], text=True)
    assert (clone / "shelf.py").read_text("utf-8") == SHELF


def test_answers_are_judged_by_the_tests(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = "shelf.py\n```python\n        self.items[name] -= 1\n        if self.items[name] == 0:\n            self.items.pop(name)\n        return name\n```\n"  # noqa: E501
    wrong = "shelf.py\n```python\n    def take(self, name):\n        self.items.clear()\n        return name\n```\n"
    answers = {"right": right, "wrong": wrong, "lost": "shelf.py\n```diff\n@@\n-no such line\n+x\n```\n"}
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"instance_id": k, "message": v}) + "\n" for k, v in answers.items()), "utf-8")
    instances = world.write(
        *(world.named(name) for name in ("right", "wrong", "lost", "none")), name="answers-to.jsonl"
    )
    run(world, tmp_path / "out", instances, "--edits", str(path))
    found = {row["instance_id"]: row for row in rows(tmp_path / "out")}
    assert {name: row["applied"] for name, row in found.items()} == {
        "right": "differs", "wrong": "differs", "lost": "refused", "none": "missing",
    }  # fmt: skip
    assert [name for name, row in found.items() if row["resolved"]] == ["right"]
    assert found["wrong"]["failing"] == [FORGETS]
    assert found["lost"]["note"].startswith("ANCHOR_NOT_FOUND")
    assert found["lost"]["model_patch"] == ""
    assert all(row["gold_resolved"] for row in found.values())
    assert capsys.readouterr().out.rstrip().endswith("instances=4 applied=2 resolved=1 gold_resolved=4")


def test_an_edit_that_breaks_the_tests_run_is_no_broken_instance(world: World, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    message = "shelf.py\n```diff\n@@\n-class Shelf:\n+raise SystemExit(3)\n+class Shelf:\n```\n"
    path.write_text(json.dumps({"instance_id": "tools__shelf-1", "message": message}) + "\n", "utf-8")
    run(world, tmp_path / "out", world.write(world.instance), "--edits", str(path))
    (row,) = rows(tmp_path / "out")
    assert (row["applied"], row["resolved"], row["gold_resolved"], row["problem"]) == ("differs", False, True, "")
    assert "names no test" in row["note"]


def test_what_tests_leave_behind_or_an_edit_does_to_them_counts_for_nothing(world: World, tmp_path: Path) -> None:
    weaker = f"tests/test_shelf.py\n```python\n{'# no test is left here'}\n```\n"
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"instance_id": "tools__shelf-1", "message": weaker}) + "\n", "utf-8")
    run(world, tmp_path / "out", world.write(world.instance), "--edits", str(path), "--skip-gold")
    (row,) = rows(tmp_path / "out")
    assert row["resolved"] is False
    assert FORGETS in row["failing"]
    assert row["gold_resolved"] is None


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    """A good instance among ones that are broken in every way."""
    world = make_world(tmp_path_factory.mktemp("broken"))
    endless = world.instance.patch.replace("+            del self.items[name]", "+            while True: pass")
    recipes = world.recipes.read_text("utf-8") + (
        '["tools/shelf@endless"]\ntest = "python -m unittest -v {tests}"\nnames = "modules"\nlog = "unittest"\n'
        "timeout_s = 1.5\n"
        '["tools/shelf@install"]\ninstall = ["echo this package is gone; exit 7"]\n'
        '["tools/shelf@python"]\npython = "3.99"\n'
        '["tools/shelf@silent"]\ntest = "exit 4"\n'
        '["tools/shelf@greedy"]\ntest = "python -c \'bytearray(1 << 30)\'"\nmemory_mib = 500\n'
    )
    world.recipes.write_text(recipes, "utf-8")
    named = world.named
    instances = world.write(
        named("commit", base_commit="0" * 40), named("repo", repo="no/such"), named("patch", patch="no diff\n"),
        named("tests", test_patch=world.instance.test_patch.replace("tests/test_shelf.py", "shelf.py")),
        named("endless", patch=endless, version="endless"), named("install", version="install"),
        named("install-2", version="install"), named("python", version="python"), named("silent", version="silent"),
        named("greedy", version="greedy"), world.instance,
    )  # fmt: skip
    return world, instances


def test_broken_instances_are_told_and_the_run_goes_on(broken: tuple[World, Path], tmp_path: Path) -> None:
    world, instances = broken
    started = time.monotonic()
    assert run(world, tmp_path / "out", instances, "--from-gold") == 0
    assert time.monotonic() - started < 60
    found = {row["instance_id"]: row for row in rows(tmp_path / "out")}
    words = {
        "commit": "no commit 000", "repo": "no clone of no/such", "patch": "gold patch doesn't apply",
        "tests": "test patch doesn't apply", "endless": "stopped after 1.5 s", "install": "this package is gone",
        "install-2": "exit status 7", "python": "no Python 3.99", "silent": "names no test", "greedy": "names no test",
    }  # fmt: skip
    assert {name: word for name, word in words.items() if word not in found[name]["problem"]} == {}
    assert not any(found[name]["resolved"] for name in words)
    assert found["tools__shelf-1"]["resolved"]


def test_a_run_that_was_killed_goes_on_and_ends_alike(broken: tuple[World, Path], tmp_path: Path) -> None:
    world, _ = broken
    names = [world.named(f"good-{number}") for number in range(4)]
    instances = world.write(names[0], world.named("commit", base_commit="0" * 40), *names[1:], name="killed.jsonl")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(world, whole, instances, "--from-gold")
    command = [sys.executable, "-m", "evals.swebench", "run", *arguments(world, killed, instances), "--from-gold"]
    for least in (1, 4):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = killed / "results.jsonl"
        while process.poll() is None and not (results.exists() and results.read_bytes().count(b"\n") >= least):
            time.sleep(0.01)
        process.kill()
        process.wait()
        with results.open("ab") as file:
            file.write(b'{"instance_id": "cut o')  # what a kill in the middle of a write leaves
    assert run(world, killed, instances, "--from-gold") == 0
    assert timeless(killed) == timeless(whole)
    assert (killed / "predictions.jsonl").read_bytes() == (whole / "predictions.jsonl").read_bytes()
    assert not any((killed / "work" / "trees").iterdir())


def test_results_of_another_run_are_not_mixed_in(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    instances = world.write(world.instance)
    assert run(world, out, instances, "--from-gold") == 0
    before = (out / "results.jsonl").read_bytes()
    assert run(world, out, instances, "--from-gold", "--format", "udiff") == 1
    assert "results of another run (other habit)" in capsys.readouterr().err
    assert (out / "results.jsonl").read_bytes() == before
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(world, out, instances, "--from-gold") == 1
    assert "another run is writing" in capsys.readouterr().err


def test_the_page_is_written_anew(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["report", "--out", str(out)]) == 1
    run(world, out, world.write(world.instance), "--from-gold")
    page = (out / "report.html").read_text("utf-8")
    (out / "report.html").unlink()
    assert main(["report", "--out", str(out)]) == 0
    assert (out / "report.html").read_text("utf-8") == page


def test_tests_see_nothing_of_the_one_who_runs_them(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "do not tell")
    recipes = tmp_path / "recipes.toml"
    recipes.write_text('["tools/shelf"]\ntest = "env; exit 0"\n', "utf-8")
    out = tmp_path / "out"
    arguments = [
        "run",
        "--instances",
        str(world.write(world.instance)),
        "--repos",
        str(world.clones),
        "--out",
        str(out),
    ]
    main([*arguments, "--recipes", str(recipes), "--from-gold"])
    log = (out / "work" / "logs" / "tools__shelf-1.edited.txt").read_text("utf-8")
    assert "SECRET_TOKEN" not in log
    assert os.environ["HOME"] not in [line.partition("=")[2] for line in log.split("\n") if line.startswith("HOME=")]


def test_instances_can_be_chosen_by_name(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instances = world.write(world.instance, world.named("other"), name="two.jsonl")
    assert run(world, tmp_path / "out", instances, "--from-gold", "--only", "other") == 0
    assert [row["instance_id"] for row in rows(tmp_path / "out")] == ["other"]
    assert run(world, tmp_path / "out", instances, "--from-gold", "--only", "nobody") == 1
    assert "no instances nobody" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--apply", "guess"], ["--apply", "server"], ["--apply", "auto", "x"], []])
def test_wrong_usage(world: World, tmp_path: Path, wrong: list[str]) -> None:
    source = ["--from-gold"] if wrong else []
    with pytest.raises(SystemExit) as end:
        run(world, tmp_path, world.write(world.instance), *source, *wrong)
    assert end.value.code == 2


def test_a_package_is_installed_once_for_all_its_instances(tmp_path: Path) -> None:
    world = make_world(tmp_path / "world")
    count = tmp_path / "installs"
    world.recipes.write_text(
        f'["{REPO}"]\ninstall = ["echo installed >> {count}"]\ntest = "python -m unittest -v {{tests}}"\n'
        'names = "modules"\nlog = "unittest"\n', "utf-8",
    )  # fmt: skip
    later = commit(world.clones / "tools__shelf", {"notes.txt": "more\n"})
    assert later
    instances = world.write(*(world.named(f"i-{number}") for number in range(3)))
    assert run(world, tmp_path / "out", instances, "--from-gold", "--workers", "3") == 0
    assert count.read_text().split() == ["installed"]
    assert all(row["resolved"] for row in rows(tmp_path / "out"))
