"""The calls of git behind `--commit` and `fastedit undo`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from fastedit.errors import Code, InputRefused, ResultRefused, SettingsError

TIMEOUT_S = 120


def check_committable(root: Path, paths: Sequence[Path]) -> None:
    """Raises SettingsError where `root` is in no git repository, InputRefused(CONTENT_CONFLICT) where a file has
    changes that aren't committed: they would go along."""
    if _git(root, "rev-parse", "--show-toplevel").returncode:
        raise SettingsError(f"--commit needs a git repository, and {root} is in none")
    changed = _git(root, "status", "--porcelain", "--", *map(str, paths)).stdout
    if changed.strip():
        names = ", ".join(line[3:] for line in changed.splitlines())
        raise InputRefused(Code.CONTENT_CONFLICT, f"not committed yet: {names}; commit or stash it first")


def commit_files(root: Path, paths: Sequence[Path], message: str) -> str:
    """Commits these files alone, and returns the commit's name.

    Raises ResultRefused(CHECK_FAILED) where git, or a hook, won't.
    """
    names = [str(path) for path in paths]
    added = _git(root, "add", "--all", "--", *names)
    done = added if added.returncode else _git(root, "commit", "--quiet", "--message", message, "--", *names)
    if done.returncode:
        _git(root, "reset", "--quiet", "--", *names)
        words = (done.stderr or done.stdout).strip() or f"exit status {done.returncode}"
        raise ResultRefused(Code.CHECK_FAILED, f"git doesn't commit it: {words}")
    return _git(root, "rev-parse", "HEAD").stdout.strip()


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
            check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise SettingsError("git isn't installed") from error
    except subprocess.TimeoutExpired as error:
        raise ResultRefused(Code.CHECK_FAILED, f"git didn't answer in {TIMEOUT_S} s") from error
