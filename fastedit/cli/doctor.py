"""`fastedit doctor`: tells what works here, what lacks, and what would help."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import click

SERVER = ("fastapi", "uvicorn", "pydantic_settings", "prometheus_client", "mcp")
ORIGINAL = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"
EDIT = "# ... existing code ...\ndef second():\n    return 3\n"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at. is_needed: whether FastEdit doesn't work without it."""

    name: str
    is_well: bool
    words: str
    is_needed: bool = False


@click.command()
def doctor() -> None:
    """Tell what works here, what lacks, and what would help. Exit status 1 where an edit can't be applied."""
    found = list(findings())
    for one in found:
        sign = "ok" if one.is_well else "FAILS" if one.is_needed else "lacks"
        click.echo(f"{sign:5}  {one.name}: {one.words}")
    raise click.exceptions.Exit(int(any(one.is_needed and not one.is_well for one in found)))


def findings() -> Iterator[Diagnosis]:
    """Looks at one thing after the other, and yields a finding about each."""
    from fastedit import __version__

    version = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("fastedit", True, f"{__version__}, Python {version}, {sys.executable}", True)
    for name, look in LOOKS:
        try:
            is_well, words = look()
        except Exception as error:  # noqa: BLE001 whatever is wrong is what is to be told
            is_well, words = False, f"{type(error).__name__}: {error}"
        yield Diagnosis(name, is_well, words, name in NEEDED)


def _settings() -> tuple[bool, str]:
    from fastedit.config import load_settings

    settings = load_settings()
    target = settings.target or "none named: edits are applied structurally"
    return True, f"mode {settings.mode}, target {target}"


def _an_edit() -> tuple[bool, str]:
    from fastedit.apply import apply

    applied = apply(ORIGINAL, EDIT, path="a.py", mode="structural")
    is_well = applied.text == ORIGINAL.replace("return 2", "return 3")
    return is_well, f"applied in {applied.stats.total_ms:.0f} ms" if is_well else "came out wrong"


def _embedded() -> tuple[bool, str]:
    from fastedit.targets.default import EMBEDDED_FOLDER
    from fastedit.targets.default import NEEDED as PACKAGES

    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        return False, f"no {', '.join(missing)}: pip install 'fastedit-apply[model]'"
    return EMBEDDED_FOLDER.is_dir(), f"the embedded target, in {EMBEDDED_FOLDER}"


def _service() -> tuple[bool, str]:
    if missing := [name for name in SERVER if find_spec(name) is None]:
        return False, f"no {', '.join(missing)}: pip install 'fastedit-apply[server]'"
    return True, "fastedit serve, fastedit mcp"


def _git() -> tuple[bool, str]:
    return _program(("git",), "for --commit")


def _clipboard() -> tuple[bool, str]:
    from fastedit.cli.edit_text import READERS

    return _program(tuple(reader[0] for reader in READERS), "for --clipboard")


def _program(names: tuple[str, ...], use: str) -> tuple[bool, str]:
    found = next((path for name in names if (path := shutil.which(name))), None)
    return (True, found) if found else (False, f"none of {', '.join(names)} is installed ({use})")


def _undo() -> tuple[bool, str]:
    from fastedit.config import state_folder

    folder = state_folder() / "undo"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return True, f"{len(list(folder.glob('*.json')))} runs can be undone, kept in {folder}"


NEEDED = ("settings", "an edit")
LOOKS: tuple[tuple[str, Callable[[], tuple[bool, str]]], ...] = (
    ("settings", _settings),
    ("an edit", _an_edit),
    ("targets", _embedded),
    ("service", _service),
    ("git", _git),
    ("clipboard", _clipboard),
    ("undo", _undo),
)
