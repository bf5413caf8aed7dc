"""git as a function: commands with no user's settings, hooks or prompts in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

TIMEOUT_S = 600
SETTINGS = {
    "core.autocrlf": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "gc.auto": "0",
    "init.defaultBranch": "main",
    "safe.directory": "*",
    "user.name": "evals",
    "user.email": "evals@localhost",
}
ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


class GitFailed(Exception):
    """A git command failed; the message says which, and the end of what it printed."""


def git(folder: Path, *arguments: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
    """What `git arguments` prints in a folder. Raises GitFailed."""
    settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    try:
        done = subprocess.run(
            ["git", *settings, *arguments],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT, **(env or {})},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            check=True,
            timeout=TIMEOUT_S,
        )
    except subprocess.CalledProcessError as error:
        words = error.stderr.decode("utf-8", "replace").strip()
        raise GitFailed(f"git {arguments[0]}: {words[-400:] or f'exit status {error.returncode}'}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitFailed(f"git {arguments[0]} in {folder.name}: {error}") from error
    return done.stdout


def git_text(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """What git prints, without the white space around it. Raises GitFailed."""
    return git(folder, *arguments, env=env).decode("utf-8", "replace").strip()
