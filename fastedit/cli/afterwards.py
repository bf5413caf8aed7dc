"""The steps after files were written: look them over, commit them, keep them for `fastedit undo`; or put them back."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fastedit.cli.loading import waiting
from fastedit.config import state_folder
from fastedit.errors import Code, InputRefused, ResultRefused, SettingsError
from fastedit.workspace import Plan
from fastedit.workspace.kept import KeptFile, forget, keep, last_record, restore

TIMEOUT_S = 120
MAX_SHOWN = 40  # lines of a failing command's output
SUBJECT_CHARACTERS = 72


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


def look_over(plan: Plan, files: Sequence[KeptFile], checks: Sequence[str], commit_message: str | None) -> None:
    """Runs the checks, commits where there is a message, and keeps what is needed to undo it all.

    Raises ResultRefused(CHECK_FAILED) where a check fails or git won't commit: then the files are as they were.
    """
    paths = [file.path for file in files]
    made = ""
    try:
        for check in checks:
            _run_check(check)
        if commit_message is not None and paths:
            made = commit_files(plan.root, paths, commit_message)
    except BaseException:
        restore(files, plan.root)
        raise
    keep(_folder(), plan.root, files, commit=made)


def commit_message(plan: Plan, instruction: str | None) -> str:
    """The message for a commit of the plan: the instruction, or else the files that were edited."""
    if instruction and instruction.strip():
        return instruction.strip()
    names = ", ".join(change.path for change in plan.changes)
    return f"Edit {names}" if len(names) < SUBJECT_CHARACTERS else f"Edit {len(plan.changes)} files\n\n{names}"


def undo_in(below: Path) -> str:
    """Undoes the last run in a folder, or of a file, and says so line by line. Raises EditRefused."""
    record = last_record(_folder(), below)
    restore(record.files, record.root)
    forget(record)
    lines = [f"{_name(file.path)}: {'removed' if file.before is None else 'as before'}" for file in record.files]
    if record.commit:
        words = f"Undo {record.commit[:12]}"
        lines.append(f"committed as {commit_files(record.root, [file.path for file in record.files], words)[:12]}")
    return "\n".join(lines)


def _folder() -> Path:
    return state_folder() / "undo"


def _name(path: Path) -> str:
    with suppress(ValueError):
        return path.relative_to(Path.cwd()).as_posix()
    return str(path)


def _run_check(command: str) -> None:
    """Runs a shell's command. Raises ResultRefused(CHECK_FAILED), with the end of its output, where it fails."""
    with waiting(f"running {command}"):
        done = subprocess.run(
            command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
            errors="replace", check=False,
        )  # fmt: skip
    if done.returncode:
        shown = "\n".join(done.stdout.rstrip("\n").split("\n")[-MAX_SHOWN:])
        message = f"{command!r} ended with {done.returncode}; the files are as they were"
        raise ResultRefused(Code.CHECK_FAILED, f"{message}\n{shown}" if shown else message)
