"""Working copies come from a clone that stays as it was, to the byte."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from evals.swebench.git import GitFailed
from evals.swebench.trees import RepositoryMissing, Stores, find_clone
from support.swebench_repos import REPO, SHELF, World, commit


def state(folder: Path) -> str:
    """Everything there is to see of a folder: names, contents, times."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {path.lstat().st_mtime_ns}".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def test_the_clone_is_never_touched(world: World, tmp_path: Path) -> None:
    before = state(world.clones)
    store = Stores(world.clones, tmp_path / "stores").of(REPO)
    base = store.tree_of(world.instance.base_commit)
    gold = store.patched(base, world.instance.patch)
    with store.checkout(gold, tmp_path / "tree") as checkout:
        assert (checkout.path / "shelf.py").read_text("utf-8") == SHELF
        (checkout.path / "new.txt").write_text("new\n")
        (checkout.path / "notes.txt").unlink()
        (checkout.path / ".gitignore").write_text("new.txt\n")
        changed = store.changed(base, checkout.tree_now())
    assert not (tmp_path / "tree").exists()
    assert [file.path for file in changed] == [".gitignore", "new.txt", "notes.txt", "shelf.py"]
    assert [file.new is None for file in changed] == [False, False, True, False]
    assert state(world.clones) == before


def test_trees_are_put_together_from_others(world: World, tmp_path: Path) -> None:
    store = Stores(world.clones, tmp_path).of(REPO)
    base = store.tree_of(world.instance.base_commit)
    gold, tests = store.patched(base, world.instance.patch), store.patched(base, world.instance.test_patch)
    both = store.overlaid(gold, store.changed(base, tests))
    assert store.patched(gold, world.instance.test_patch) == both
    assert store.overlaid(both, store.changed(tests, base)) == gold
    assert store.patched(base, store.diff(base, both)) == both
    assert store.patched(base, "") == base


def test_mirrors_are_clones_too(world: World, tmp_path: Path) -> None:
    clone = find_clone(world.clones, REPO)
    run = ["git", "-c", "safe.directory=*", "-C", str(clone)]
    subprocess.run([*run, "clone", "--quiet", "--mirror", ".", str(tmp_path / "mirrors" / "shelf.git")], check=True)
    base = world.instance.base_commit
    assert Stores(tmp_path / "mirrors", tmp_path / "a").of(REPO).tree_of(base)


@pytest.mark.parametrize("name", ["tools__shelf", "tools/shelf", "shelf", "shelf.git", "tools__shelf.git"])
def test_clones_are_found_by_their_usual_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    assert find_clone(tmp_path, REPO) == tmp_path / name


def test_a_missing_clone_is_told(tmp_path: Path) -> None:
    with pytest.raises(RepositoryMissing, match="tools/shelf"):
        find_clone(tmp_path, REPO)


def test_bad_commits_and_patches_fail(world: World, tmp_path: Path) -> None:
    store = Stores(world.clones, tmp_path).of(REPO)
    for revision in ("0" * 40, "--help", "no such", ""):
        with pytest.raises(GitFailed):
            store.tree_of(revision)
    base = store.tree_of(world.instance.base_commit)
    with pytest.raises(GitFailed):
        store.patched(base, world.instance.patch.replace("self.items[name] -= 1", "something else"))


def test_files_come_out_with_the_bytes_that_were_committed(tmp_path: Path) -> None:
    data = b"one\r\ntwo\nthree \xff\r\n"
    revision = commit(tmp_path / "clones" / "odd", {"odd.bin": data})
    store = Stores(tmp_path / "clones", tmp_path / "stores").of("x/odd")
    with store.checkout(store.tree_of(revision), tmp_path / "tree") as checkout:
        assert (checkout.path / "odd.bin").read_bytes() == data
        assert checkout.tree_now() == checkout.tree
