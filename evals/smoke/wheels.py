"""Wheels of both packages, what is in them, and environments that have nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT, ROOT / "kernels")
CONSTRAINTS = ROOT / "constraints.txt"
# What only those need who work in the repository: the package's tests, training, its data and what its runs left.
UNWANTED = ("tests/", "evals/", "examples/", "fastedit/training/")
UNWANTED_ENDINGS = (".png", ".jsonl", ".jsonl.gz", ".log", ".pt", ".pyc", ".md~")
MAX_WHEEL_BYTES = 16 << 20
INSTALL_S = 900


class SmokeFailed(Exception):
    """Something that a newcomer does doesn't work."""


def build_wheels(folder: Path) -> list[Path]:
    """The wheels of both packages, made in `folder`. SmokeFailed where one can't be built, or has too much in it."""
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    _run([*pip, *map(str, PACKAGES)], what="building the wheels")
    wheels = sorted(folder.glob("fastedit_*.whl"))
    if len(wheels) != len(PACKAGES):
        raise SmokeFailed(f"expected {len(PACKAGES)} wheels in {folder}, found {[wheel.name for wheel in wheels]}")
    for wheel in wheels:
        if problems := wheel_problems(wheel):
            raise SmokeFailed(f"{wheel.name}: {problems[0]}")
    return wheels


def wheel_problems(wheel: Path) -> list[str]:
    """What is in a wheel that shouldn't be, in a sentence each."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    unwanted = [name for name in names if name.startswith(UNWANTED) or name.endswith(UNWANTED_ENDINGS)]
    problems = [f"{name} is for those who work in the repository" for name in unwanted]
    if (size := wheel.stat().st_size) > MAX_WHEEL_BYTES:
        problems.append(f"{size:,} bytes are more than {MAX_WHEEL_BYTES:,}")
    if not any(name.endswith("/py.typed") for name in names):
        problems.append("no py.typed")
    return problems


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment of its own."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @classmethod
    def make(cls, folder: Path, *requirements: str) -> Environment:
        """A new environment with the requirements and nothing else. SmokeFailed where they can't be installed."""
        _run([sys.executable, "-m", "venv", str(folder)], what="making an environment")
        made = cls(folder)
        pip = [str(made.python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        _run([*pip, *requirements], what=f"installing {' '.join(requirements)}", env=pinned())
        return made

    def variables(self, **more: str) -> dict[str, str]:
        """The environment's variables: its commands come first, and nothing of ours is in the way."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("FASTEDIT_", "PYTHON"))}
        return kept | {"PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"} | more


def pinned() -> dict[str, str]:
    """The variables under which pip installs what continuous integration does."""
    return {**os.environ, "PIP_CONSTRAINT": str(CONSTRAINTS)}


def _run(command: list[str], *, what: str, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, env=env, check=False)
    if done.returncode:
        raise SmokeFailed(f"{what}: exit status {done.returncode}\n{(done.stderr or done.stdout)[-2000:]}")
