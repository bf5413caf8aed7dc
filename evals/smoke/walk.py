"""Where each of README's commands is run, and with what: in a fresh folder, by the wheel's own environment."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.smoke.readme import Command, commands_of, python_of
from evals.smoke.wheels import ROOT, Environment, SmokeFailed, pinned

TIMEOUT_S = 300
START_S = 120
PORT = "8377"  # the one that README names
CODE = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"
LAZY = "```python\n# ... existing code ...\ndef second():\n    return 'two'\n```\n"
BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
SAVE = "import json\n\n\ndef save(path, text):\n    with open(path) as file:\n        file.write(text)\n"
AREAS = (
    "def area(width, height):\n    area = width * height\n    return round(area)\n\n\n"
    "def volume(width, height, depth):\n    area = width * height * depth\n    return round(area)\n"
)
JOBS = "def a():\n    go()\n    x = 1\n\n\ndef b():\n    go()\n    y = 2\n"
# What README's examples are about, by the file that they name: its text, and the edit.
FILES = {
    "files.py": (SAVE, BLOCK.format("    with open(path) as file:", "    text = text\n    with open(path) as file:")),
    "jobs.py": (JOBS, BLOCK.format("    go()", "    stop()")),
    "shapes.py": (AREAS, "# ... existing code ...\n    return round(area, 2)\n# ... existing code ...\n"),
    "app.py": (CODE, LAZY),
}
UNLIKELY = re.compile(r": reading [3-9] \(")  # which they are changes whenever the alignment is fitted anew
# What stands for what in README's lines.
WORDS = {
    "EDITS.jsonl": "edits.jsonl",
    "EDIT [--root DIR]": "message.md --root .",
    "FILE --clipboard": "app.py --clipboard",
    "[PATH]": "",
    "PATHS": "app.py",
    "FILE": "app.py",
    "EDIT": "edit.md",
    "CMD": "true",
    " P": " 0.5",
    " N": " 1",
    "PROJECT": ".",
    "--target NAME": "",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """problem: what went wrong, or "". skipped: why it wasn't tried, or ""."""

    command: str
    problem: str = ""
    skipped: str = ""


class Walk:
    """Walks through a README, in an environment that has the wheel and what its service needs."""

    def __init__(self, environment: Environment, folder: Path) -> None:
        self._environment = environment
        self._folder = folder
        self._number = 0
        self._rules: tuple[tuple[str, Callable[[Command], Outcome]], ...] = (
            (r"pip install ", self._pip),
            (r"make ", self._make),
            (r"fastedit serve", self._serve),
            (r"fastedit mcp", self._mcp),
            (r"fastedit watch", self._watch),
            (r"fastedit ", self._fastedit),
            (r"python -m ", self._module),
        )

    def outcomes(self, readme: str) -> Iterator[Outcome]:
        """What became of each command, as it comes."""
        for command in commands_of(readme):
            rule = next((rule for start, rule in self._rules if command.line.startswith(start)), None)
            if rule is None:
                yield Outcome(command.line, "nobody knows how to try this")
                continue
            try:
                yield rule(command)
            except (SmokeFailed, OSError, subprocess.TimeoutExpired) as error:
                yield Outcome(command.line, f"{type(error).__name__}: {error}")
        yield self._python(python_of(readme))

    def _pip(self, command: Command) -> Outcome:
        arguments = shlex.split(command.line)[2:]
        done = self._run(["-m", "pip", "install", "--dry-run", "--no-deps", *arguments], ROOT, pinned())
        problem = done.stderr if done.returncode or "does not provide the extra" in done.stderr else ""
        return Outcome(command.line, problem)

    def _make(self, command: Command) -> Outcome:
        if command.line == "make test":
            return Outcome(command.line, skipped="it is a run of its own")
        done = self._run([str(ROOT / "examples" / "demo.py")], self._sandbox("app.py"))
        return Outcome(command.line, "" if done.returncode == 0 else done.stdout[-1000:] + done.stderr[-1000:])

    def _fastedit(self, command: Command) -> Outcome:
        name = next((name for name in FILES if name in command.line), "app.py")
        sandbox = self._sandbox(name)
        line = command.line
        for words, meant in WORDS.items():
            line = line.replace(words, meant)
        arguments = shlex.split(line)
        if "--commit" in arguments:
            _make_repository(sandbox)
        if arguments[1] == "undo":
            self._run(["-m", "fastedit", "apply", "app.py", "edit.md"], sandbox)
        if "--interactive" in arguments:
            done = self._answered(arguments, sandbox)
        elif "--server" in arguments:
            with self._service():
                done = self._run(["-m", *arguments], sandbox)
        else:
            done = self._run(["-m", *arguments], sandbox)
        return Outcome(command.line, _problem(command, done))

    def _answered(self, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """The command at a terminal of its own, where what it asks is answered with `a`."""
        script = "import os, pty, sys\npid, terminal = pty.fork()\nif not pid: os.execv(sys.executable, sys.argv[1:])\n"
        script += "os.write(terminal, b'a\\n')\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
        return self._run(["-c", script, "python", "-m", *arguments], folder)

    def _watch(self, command: Command) -> Outcome:
        sandbox = self._sandbox("app.py")
        arguments = [str(self._environment.python), "-m", "fastedit", "watch", "."]
        own = self._environment.variables(PYTHONUNBUFFERED="1")
        # What shells start in the background ignores Ctrl-C, and so would what it starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            process = subprocess.Popen(arguments, cwd=sandbox, env=own, stdout=subprocess.PIPE, text=True)
        finally:
            signal.signal(signal.SIGINT, before)
        said = process.stdout.readline() if process.stdout else ""
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_S)
        return Outcome(command.line, "" if "watching" in said and process.returncode == 130 else f"it said {said!r}")

    def _serve(self, command: Command) -> Outcome:
        with self._service():
            for path in ("", "docs", "openapi.json", "metrics"):
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/{path}", timeout=30).close()
            return Outcome(command.line, _browser_problem(f"http://127.0.0.1:{PORT}/#example-0", self._folder))

    def _mcp(self, command: Command) -> Outcome:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "smoke", "version": "0"}}
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
        done = self._run(["-m", "fastedit", "mcp", "--root", "."], self._sandbox("app.py"), given=asked + "\n")
        return Outcome(command.line, "" if '"serverInfo"' in done.stdout else done.stdout + done.stderr[-1000:])

    def _module(self, command: Command) -> Outcome:
        module = command.line.split()[2]
        done = subprocess.run(
            [sys.executable, "-c", f"from importlib.util import find_spec; assert find_spec({module!r})"],
            cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
        return Outcome(command.line, done.stderr[-300:])

    def _python(self, code: str) -> Outcome:
        given = f"from pathlib import Path\noriginal, edit = {CODE!r}, {LAZY!r}\n"
        given += "message, root = Path('message.md').read_text(), Path()\n"
        done = self._run(["-c", given + code], self._sandbox("app.py"))
        return Outcome("README's Python", done.stderr if done.returncode else "")

    def _sandbox(self, name: str) -> Path:
        """A new folder with the file, its edit, and a message about it that names it."""
        self._number += 1
        folder = self._folder / str(self._number)
        folder.mkdir()
        text, edit = FILES[name]
        (folder / name).write_text(text)
        (folder / "edit.md").write_text(edit)
        (folder / "message.md").write_text(f"`{name}`:\n\n{LAZY}")
        (folder / "edits.jsonl").write_text(json.dumps({"original": text, "edit": edit, "path": name}) + "\n")
        programs = folder / "bin"
        programs.mkdir()
        (programs / "wl-paste").write_text(f"#!/bin/sh\ncat {shlex.quote(str(folder / 'edit.md'))}\n")
        (programs / "wl-paste").chmod(0o755)
        return folder

    @contextmanager
    def _service(self) -> Iterator[None]:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(PORT))) == 0:
                raise SmokeFailed(f"something else listens on port {PORT}")
        command = [str(self._environment.python), "-m", "fastedit", "serve"]
        variables = self._environment.variables(FASTEDIT_TARGET="none", FASTEDIT_LOG_LEVEL="error")
        process = subprocess.Popen(command, cwd=self._folder, env=variables)
        try:
            _wait_until_ready(process)
            yield
        finally:
            process.terminate()
            process.wait(30)

    def _run(
        self, arguments: list[str], folder: Path, variables: dict[str, str] | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        own = self._environment.variables(XDG_STATE_HOME=str(self._folder / "state"))
        own |= {"PATH": f"{folder / 'bin'}:{own['PATH']}"} if variables is None else variables
        return subprocess.run(
            [str(self._environment.python), *arguments], cwd=folder, env=own, input=given, capture_output=True,
            text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip


def _problem(command: Command, done: subprocess.CompletedProcess[str]) -> str:
    """What is wrong with an outcome; "" where it is as README shows it, but for numbers and unlikely readings."""
    said = [line for line in (done.stdout + done.stderr).split("\n") if line]
    if not command.shown:
        return "" if done.returncode == 0 else "\n".join(said)
    expected, found = (
        sorted(re.sub(r"\d+", "#", line) for line in lines if not UNLIKELY.search(line))
        for lines in (command.shown, said)
    )
    return "" if expected == found else "\n".join(["README shows:", *command.shown, "it printed:", *said])


def _make_repository(folder: Path) -> None:
    for words in ("init -q", "config user.email smoke@example.org", "config user.name Smoke", "add -A", "commit -qm x"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True, capture_output=True, timeout=TIMEOUT_S)


def _wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SmokeFailed("the service doesn't get ready")


def _browser_problem(url: str, folder: Path) -> str:
    """What is wrong with the playground in a real browser; "" where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        return ""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"]
    command = [chromium, *options, "--virtual-time-budget=20000", "--dump-dom", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return "" if "Applied (structural)" in done.stdout.split("<script>")[0] else "the playground shows no result"
