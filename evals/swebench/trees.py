"""Trees of files made from a local clone. The clone is only read: what git has to write goes into a store of our own.

A store is a bare repository that fetches single commits from the clone. (One that borrowed the clone's objects would
have git touch the times of their files.) Trees are put together in index files; a checkout is a worktree of the store.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evals.swebench.git import GitFailed, git, git_text

NO_BLOB = "0" * 40
REGULAR_MODES = ("100644", "100755")
# What git runs in the clone, so that it hands out any commit, whoever owns it.
UPLOAD_PACK = "git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true upload-pack"


class RepositoryMissing(Exception):
    """No clone of a repository was found."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that two trees have differently. old, new: ids of its blobs, None where a tree doesn't have it."""

    path: str
    old: str | None
    new: str | None
    old_mode: str
    new_mode: str

    @property
    def is_regular(self) -> bool:
        """Whether neither side is a symbolic link or a submodule."""
        sides = ((self.old, self.old_mode), (self.new, self.new_mode))
        return all(mode in REGULAR_MODES for blob, mode in sides if blob is not None)


def find_clone(folder: Path, repo: str) -> Path:
    """The clone or mirror of `owner/name` in a folder of them. Raises RepositoryMissing."""
    owner, _, name = repo.rpartition("/")
    spellings = [f"{owner}__{name}", f"{owner}/{name}", name] if owner else [name]
    for spelling in spellings:
        for path in (folder / spelling, folder / f"{spelling}.git"):
            if path.is_dir():
                return path.resolve()
    raise RepositoryMissing(f"no clone of {repo} (looked for {', '.join(spellings)} in the folder of clones)")


@dataclass(frozen=True, eq=False)
class Store:
    """A bare repository of our own beside a clone. lock: for what git can't do twice at a time."""

    path: Path
    clone: Path
    lock: threading.Lock = field(default_factory=threading.Lock)

    def tree_of(self, revision: str) -> str:
        """The id of a commit's tree, fetched where it isn't here yet. Raises GitFailed where the clone lacks it."""
        wanted = f"{revision}^{{commit}}"
        commit = git_text(self.clone, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        with self.lock:
            if not self._has(commit):
                options = ("--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
                git(self.path, "fetch", *options, f"--upload-pack={UPLOAD_PACK}", str(self.clone), commit)
        return git_text(self.path, "rev-parse", "--verify", f"{commit}^{{tree}}")

    def _has(self, commit: str) -> bool:
        try:
            git(self.path, "cat-file", "-e", f"{commit}^{{tree}}")
        except GitFailed:
            return False
        return True

    def patched(self, tree: str, patch: str) -> str:
        """The tree with a unified diff in it, applied as it stands. Raises GitFailed."""
        if not patch.strip():
            return tree
        with self._index(tree) as env:
            text = patch if patch.endswith("\n") else patch + "\n"
            git(self.path, "apply", "--cached", "--whitespace=nowarn", "-", stdin=text.encode("utf-8"), env=env)
            return git_text(self.path, "write-tree", env=env)

    def changed(self, old: str, new: str) -> list[ChangedFile]:
        """The files whose contents differ, sorted by path; changes of the mode alone are passed over."""
        fields = (
            git(self.path, "diff-tree", "-r", "-z", "--no-renames", old, new).decode("utf-8", "replace").split("\0")
        )
        files = []
        for entry, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, new_mode, old_blob, new_blob, _ = entry.lstrip(":").split(" ")
            blobs = [None if set(blob) == {"0"} else blob for blob in (old_blob, new_blob)]
            if blobs[0] != blobs[1]:
                files.append(ChangedFile(path, blobs[0], blobs[1], old_mode, new_mode))
        return files

    def overlaid(self, tree: str, files: Sequence[ChangedFile]) -> str:
        """The tree with the new side of these files in it, whatever it has in their places."""
        entries = [
            f"{file.new_mode} {file.new}\t{file.path}" if file.new else f"0 {NO_BLOB}\t{file.path}" for file in files
        ]
        with self._index(tree) as env:
            git(
                self.path,
                "update-index",
                "-z",
                "--index-info",
                stdin="\0".join([*entries, ""]).encode("utf-8"),
                env=env,
            )
            return git_text(self.path, "write-tree", env=env)

    def with_files(self, tree: str, files: Mapping[str, bytes]) -> str:
        """The tree with these regular files in it."""
        entries = []
        for path, data in files.items():
            blob = git(self.path, "hash-object", "-w", "--no-filters", "--stdin", stdin=data).decode("ascii").strip()
            entries.append(ChangedFile(path, None, blob, "", REGULAR_MODES[0]))
        return self.overlaid(tree, entries)

    def blob(self, blob: str | None) -> bytes:
        """A file's bytes; none of it where there is no file."""
        return git(self.path, "cat-file", "blob", blob) if blob else b""

    def diff(self, old: str, new: str, paths: Sequence[str] = ()) -> str:
        """The unified diff between two trees, as `git apply` takes it; bytes that are no UTF-8 come out replaced."""
        options = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--binary")
        return git(self.path, "diff", *options, old, new, "--", *paths).decode("utf-8", "replace")

    @contextmanager
    def _index(self, tree: str) -> Iterator[dict[str, str]]:
        """The environment for an index file of its own that holds the tree."""
        with tempfile.TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            git(self.path, "read-tree", tree, env=env)
            yield env

    @contextmanager
    def checkout(self, tree: str, path: Path) -> Iterator[Checkout]:
        """A worktree that holds the tree, gone afterwards. Whatever lay at `path` is removed."""
        with self.lock:
            _remove(path)
            git(self.path, "worktree", "prune")
            commit = git_text(self.path, "commit-tree", tree, "-m", "what an evaluation starts from")
            path.parent.mkdir(parents=True, exist_ok=True)
            git(self.path, "worktree", "add", "--quiet", "--detach", "--force", str(path), commit)
        try:
            yield Checkout(self, path, tree)
        finally:
            _remove(path)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A worktree of a store. tree: what it held at first."""

    store: Store
    path: Path
    tree: str

    def tree_now(self) -> str:
        """The tree of what lies in the worktree, files that are ignored by git included."""
        git(self.path, "add", "--all", "--force")
        return git_text(self.path, "write-tree")


@dataclass(eq=False)
class Stores:
    """The stores of all repositories of a run. clones: the folder of clones; folder: where the stores are."""

    clones: Path
    folder: Path
    _known: dict[str, Store] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, repo: str) -> Store:
        """The one store of a repository. Raises RepositoryMissing, GitFailed."""
        with self._lock:
            if repo not in self._known:
                self._known[repo] = _open_store(self.folder, find_clone(self.clones, repo), repo.replace("/", "__"))
            return self._known[repo]


def _open_store(folder: Path, clone: Path, name: str) -> Store:
    """The store for a clone below `folder`, made where it isn't there yet. Raises GitFailed."""
    path = folder / f"{name}.git"
    if not (path / "HEAD").exists():
        path.mkdir(parents=True, exist_ok=True)
        git(path, "init", "--quiet", "--bare", "--template=")
    return Store(path, clone)


def _remove(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path, ignore_errors=True)
    if path.exists():  # tests leave folders behind that even their owner may not write
        for inner in [path, *path.rglob("*")]:
            if inner.is_dir() and not inner.is_symlink():
                inner.chmod(0o700)
        shutil.rmtree(path)
