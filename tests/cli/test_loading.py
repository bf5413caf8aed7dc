"""What happens at the terminal while a target is made ready."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fastedit.applied import Applied
from fastedit.apply import apply_edits
from fastedit.cli.afterwards import look_over
from fastedit.cli.loading import CLEAR_LINE, shown, waiting
from fastedit.cli.output import Show
from fastedit.cli.run import Request, plan_of
from fastedit.config import Settings
from fastedit.targets.loading import announce_by, getting_ready
from fastedit.workspace import Plan

# A call that never returns to Python's own handler of the signal, as the loading of a large library does for a while.
HELD = "sum(itertools.repeat(1))"


def interrupted(script: str) -> tuple[int, str]:
    """The status and standard error of a script that gets Ctrl-C once it has printed a line."""
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert run.stdout is not None
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=60)
    finally:
        run.kill()
    return run.returncode, error


def test_ctrl_c_ends_loading_at_once() -> None:
    status, error = interrupted(
        "import itertools\nfrom fastedit.cli.loading import shown\n"
        f"with shown('large'):\n    print('loading', flush=True)\n    {HELD}\n"
    )
    assert (status, error) == (-signal.SIGINT, "")


def test_ctrl_c_waits_for_no_thread() -> None:
    status, error = interrupted(
        "import sys, time\nfrom concurrent.futures import ThreadPoolExecutor\nfrom fastedit import cli\n"
        "from fastedit.cli import app\n"
        "pool = ThreadPoolExecutor(1)\npass_ = pool.submit(time.sleep, 600)\n"
        "app.run_command = lambda: (print('asking', flush=True), pass_.result())\n"
        "cli.main()\n"
    )
    assert (status, error) == (130, "")


def test_python_has_its_handler_back_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with shown("large"):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell's background jobs have it
        with shown("large"):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_is_told(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    with shown("large\x1b"):
        while_loading = stream.getvalue()
    assert while_loading == ("fastedit: loading the target large\u241b ..." if is_terminal else "")
    assert stream.getvalue() == while_loading + (CLEAR_LINE if is_terminal else "")


def as_terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Puts a terminal in place of standard error, within a test: between its phases pytest puts its own there."""
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def wait_for(words: str, terminal: io.StringIO) -> None:
    while words not in terminal.getvalue():
        time.sleep(0.01)


def test_what_takes_long_is_told_and_what_does_not_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = as_terminal(monkeypatch)
    monkeypatch.setattr("fastedit.cli.loading.DELAY_S", 1000.0)
    with waiting("something quick"):
        pass
    assert terminal.getvalue() == ""
    monkeypatch.setattr("fastedit.cli.loading.DELAY_S", 0.0)
    with waiting("some\x1bthing"):
        wait_for(f"{CLEAR_LINE}fastedit: some\u241bthing ...", terminal)
    assert terminal.getvalue().endswith(f"...{CLEAR_LINE}")


def test_checks_and_merges_that_take_long_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = as_terminal(monkeypatch)
    monkeypatch.setattr("fastedit.cli.loading.DELAY_S", 0.0)
    (tmp_path / "a.py").write_text("a = 1\n")

    def slowly(*given: Any, **how: Any) -> Applied:
        wait_for("fastedit: merging", terminal)
        return apply_edits(*given, **how)

    monkeypatch.setattr("fastedit.cli.run.apply_edits", slowly)
    request = Request(edit=None, file=tmp_path / "a.py", root=tmp_path, show=Show.CHECK)
    plan_of(request, Settings(), "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n")
    assert f"merging {tmp_path}/a.py ...{CLEAR_LINE}" in terminal.getvalue()
    told, write = tmp_path / "told", terminal.write

    def noted(text: str) -> int:
        if "running" in text:
            told.touch()
        return write(text)

    monkeypatch.setattr(terminal, "write", noted)
    check = f"until test -e {told}; do sleep 0.01; done"
    look_over(Plan(tmp_path, ()), [], [check], None)
    assert f"fastedit: running {check} ...{CLEAR_LINE}" in terminal.getvalue()


def test_whoever_asked_to_be_told_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.targets.loading._announcer", None)
    told: list[str] = []

    class Told:
        def __init__(self, name: str) -> None:
            told.append(name)

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    announce_by(Told)
    with getting_ready("large"):
        assert told == ["large"]
