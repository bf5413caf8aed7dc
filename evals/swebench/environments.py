"""Virtual environments, each built once for all instances that can share it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evals.swebench.recipes import Recipe
from evals.swebench.sandbox import Finished, Limits, Sandbox
from evals.swebench.trees import Store

MARK = "ready.json"
VENV_TIMEOUT_S = 300
TAIL = 600
INSTALLER = "pip"  # putting it into an environment takes seconds: only where a recipe speaks of it
# What a test run may know of the machine: nothing of the person who started it.
TEST_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "TZ": "UTC",
}


class EnvironmentFailed(Exception):
    """An environment can't be built; the message has the end of what its installer printed."""


@dataclass(frozen=True, slots=True)
class Environment:
    """folder: of the virtual environment."""

    folder: Path

    def variables(self, checkout: Path, recipe: Recipe, scratch: Path) -> dict[str, str]:
        """The environment of a test run in a checkout. scratch: a folder for its home and temporary files."""
        return {
            **TEST_ENVIRONMENT,
            "PATH": _path_with(self.folder),
            "PYTHONPATH": os.pathsep.join(str(checkout / folder) for folder in recipe.python_path),
            "VIRTUAL_ENV": str(self.folder),
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
        }


@dataclass(eq=False)
class Environments:
    """The environments below a folder. What failed once isn't tried again in the same run."""

    folder: Path
    sandbox: Sandbox
    _failed: dict[str, str] = field(default_factory=dict)
    _locks: defaultdict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock))
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def of(self, recipe: Recipe, store: Store, tree: str) -> Environment:
        """The environment for a recipe, built from the tree's files where it isn't there yet.

        Raises EnvironmentFailed, Interrupted.
        """
        python = find_python(recipe.python)
        key = _key(recipe, python, store, tree)
        folder = self.folder / key
        with self._guard:
            lock = self._locks[key]
        with lock:
            if key in self._failed:
                raise EnvironmentFailed(self._failed[key])
            if not (folder / MARK).exists():
                try:
                    self._build(recipe, python, store, tree, folder)
                except (EnvironmentFailed, OSError) as error:
                    self._failed[key] = str(error)
                    raise EnvironmentFailed(str(error)) from error
        return Environment(folder / "venv")

    def _build(self, recipe: Recipe, python: str, store: Store, tree: str, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        options = [] if any(INSTALLER in line for line in recipe.install) else ["--without-pip"]
        source, venv, log = folder / "source", folder / "venv", folder / "install.log"
        command = [python, "-I", "-m", "venv", *options, str(venv)]
        folder.mkdir(parents=True)
        self._step("making the environment", command, folder, dict(os.environ), VENV_TIMEOUT_S, log)
        if recipe.install:
            with store.checkout(tree, folder / "checkout") as checkout:
                # It stays: packages that are installed for editing point to it.
                shutil.copytree(checkout.path, source, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        variables = {**os.environ, "PATH": _path_with(venv), "VIRTUAL_ENV": str(venv)}
        variables.pop("PYTHONPATH", None)
        for number, line in enumerate(recipe.install):
            log = folder / f"install-{number}.log"
            self._step(line, ["sh", "-c", line], source, variables, recipe.install_timeout_s, log)
        (folder / MARK).write_text(json.dumps({"python": python, **asdict(recipe)}, indent=1) + "\n", "utf-8")

    def _step(
        self, what: str, command: list[str], cwd: Path, variables: dict[str, str], timeout_s: float, log: Path
    ) -> None:
        done = self.sandbox.run(command, cwd=cwd, env=variables, limits=Limits(timeout_s), log=log)
        if done.is_timed_out or done.exit_status:
            raise EnvironmentFailed(f"install failed: {what}: {ending(done, timeout_s)}{_tail(log)}")


def ending(done: Finished, timeout_s: float) -> str:
    return f"stopped after {timeout_s:g} s" if done.is_timed_out else f"exit status {done.exit_status}"


def _tail(log: Path) -> str:
    text = log.read_bytes()[-TAIL:].decode("utf-8", "replace").strip()
    return f"; it printed: {text}" if text else ""


def find_python(wanted: str) -> str:
    """The interpreter that a recipe asks for. Raises EnvironmentFailed where there is none that runs."""
    if not wanted:
        return sys.executable
    found = wanted if os.sep in wanted else shutil.which(f"python{wanted}")
    if found is None or not _runs(found):
        raise EnvironmentFailed(f"there is no Python {wanted} here")
    return found


def _runs(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", ""], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _path_with(venv: Path) -> str:
    return os.pathsep.join([str(venv / "bin"), os.environ.get("PATH", os.defpath)])


def _key(recipe: Recipe, python: str, store: Store, tree: str) -> str:
    """What tells environments apart: the interpreter, the commands, and the repository where something is installed."""
    parts = [python, *recipe.install]
    if recipe.install:
        parts += [store.path.name, tree if recipe.per_commit else ""]
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:20]
