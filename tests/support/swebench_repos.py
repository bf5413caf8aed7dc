"""A small repository with tests of its own, and instances that fix bugs in it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evals.swebench.git import git, git_text
from evals.swebench.instances import Instance

SHELF = '''"""Items on a shelf."""


class Shelf:
    """What lies on one shelf, by name."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.items = {}

    def put(self, name, count=1):
        if self.total() + count > self.capacity:
            raise ValueError("the shelf is full")
        self.items[name] = self.items.get(name, 0) + count

    def take(self, name):
        if name not in self.items:
            return None
        self.items[name] -= 1
        if not self.items[name]:
            del self.items[name]
        return name

    def total(self):
        return sum(self.items.values())
'''
BUG = ("        if not self.items[name]:\n            del self.items[name]\n", "")
TESTS = """import unittest

from shelf import Shelf


class TakeTest(unittest.TestCase):
    def test_take_forgets_what_is_gone(self):
        shelf = Shelf(3)
        shelf.put("cup")
        self.assertEqual(shelf.take("cup"), "cup")
        self.assertIsNone(shelf.take("cup"))

    def test_a_full_shelf_takes_no_more(self):
        shelf = Shelf(1)
        shelf.put("cup")
        with self.assertRaises(ValueError):
            shelf.put("cup")
"""
FORGETS = "test_take_forgets_what_is_gone (tests.test_shelf.TakeTest.test_take_forgets_what_is_gone)"
FULL = "test_a_full_shelf_takes_no_more (tests.test_shelf.TakeTest.test_a_full_shelf_takes_no_more)"
REPO = "tools/shelf"
RECIPE = (
    '["tools/shelf"]\ntest = "python -m unittest -v {tests}"\nnames = "modules"\nlog = "unittest"\ntimeout_s = 20\n'
)


@dataclass(frozen=True)
class World:
    """clones: the folder of clones; recipes: a recipe file; instance: one that the gold patch resolves."""

    folder: Path
    clones: Path
    recipes: Path
    instance: Instance

    def write(self, *instances: Instance, name: str = "instances.jsonl") -> Path:
        path = self.folder / name
        path.write_text("".join(json.dumps(instance.as_row()) + "\n" for instance in instances), "utf-8")
        return path

    def named(self, name: str, **changes: object) -> Instance:
        return replace(self.instance, instance_id=name, **changes)  # type: ignore[arg-type]


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def commit(clone: Path, files: Mapping[str, str | bytes]) -> str:
    """A commit that adds these files."""
    if not (clone / ".git").exists():
        clone.mkdir(parents=True, exist_ok=True)
        git(clone, "init", "--quiet")
    write_files(clone, files)
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "a commit")
    return git_text(clone, "rev-parse", "HEAD")


def diff(clone: Path, old: str, new: str, *paths: str) -> str:
    return subprocess.run(
        ["git", "diff", old, new, "--", *paths], cwd=clone, check=True, capture_output=True, text=True
    ).stdout


def make_world(folder: Path) -> World:
    """A clone with a bug at its first commit, its fix and its tests at the second."""
    clones = folder / "clones"
    clone = clones / "tools__shelf"
    base = commit(clone, {"shelf.py": SHELF.replace(*BUG), "tests/__init__.py": "", "notes.txt": "about shelves\n"})
    fixed = commit(clone, {"shelf.py": SHELF, "tests/test_shelf.py": TESTS})
    recipes = folder / "recipes.toml"
    recipes.write_text(RECIPE, "utf-8")
    instance = Instance(
        "tools__shelf-1", REPO, base, diff(clone, base, fixed, "shelf.py"), diff(clone, base, fixed, "tests"),
        (FORGETS,), (FULL,),
    )  # fmt: skip
    return World(folder, clones, recipes, instance)
