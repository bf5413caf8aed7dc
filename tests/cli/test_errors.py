"""What any command raises is one line and an exit status, as for `apply`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest

from fastedit.errors import Code, EngineUnavailable, FastEditError, SettingsError
from support.command import fastedit

ERRORS = [
    (EngineUnavailable(Code.OVERLOADED, "later"), 6, "fastedit: later (OVERLOADED)\n"),
    (SettingsError("no such port"), 2, "fastedit: no such port\n"),
    (KeyError("x"), 1, "fastedit: unexpected KeyError; FASTEDIT_DEBUG=1 shows the details (ENGINE_ERROR)\n"),
]
COMMANDS = {
    ("apply", "a.py", "edit.md"): "fastedit.cli.run._apply",
    ("undo",): "fastedit.cli.afterwards.undo_in",
    ("watch", "."): "fastedit.cli.watch.arriving",
    ("deploy",): "fastedit.cli.deploy._deploy",
    ("serve",): "fastedit.server.settings.load_server_settings",
    ("mcp",): "fastedit.mcp.make_server",
    ("apply-many", "edits.jsonl"): "fastedit.config.load_settings",
}


def raising(error: Exception) -> Any:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
@pytest.mark.parametrize(("error", "status", "said"), ERRORS, ids=lambda value: type(value).__name__)
def test_an_error_is_a_line_and_a_status(
    arguments: tuple[str, ...], error: Exception, status: int, said: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    if arguments[0] in ("serve", "mcp"):
        pytest.importorskip("fastapi")
    if arguments[0].startswith("apply") and not isinstance(error, FastEditError):
        pytest.skip("it has more to say: whether anything was written, or where it is")
    monkeypatch.setattr(COMMANDS[arguments], raising(error))
    outcome = fastedit(*arguments, cwd=tmp_path)
    assert (outcome.status, outcome.stderr) == (status, said)


def test_the_details_are_shown_where_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.cli.afterwards.undo_in", raising(KeyError("x")))
    outcome = fastedit("undo", cwd=tmp_path, env={"FASTEDIT_DEBUG": "1"})
    assert outcome.status == 1
    assert "Traceback" in outcome.stderr
    assert "raise error\nKeyError: 'x'\n" in outcome.stderr
