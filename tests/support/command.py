"""The `fastedit` command, run in a forked child: real pipes and statuses without a cold start."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastedit import cli
from fastedit.cli import app, run  # noqa: F401 so that children needn't import them


@dataclass(frozen=True)
class Outcome:
    status: int
    stdout: bytes
    stderr: str

    @property
    def code(self) -> str:
        """The code of a refusal, which ends its first line in parentheses."""
        first = self.stderr.split("\n")[0]
        return first.rpartition("(")[2].rstrip(")")

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


def fastedit(*arguments: str | Path, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Outcome:
    """Runs `fastedit ARGUMENTS` in the folder `cwd`. env: added to the environment."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        child = os.fork()
        if not child:
            _run([str(argument) for argument in arguments], cwd, env or {}, (given, out, err))
        try:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except BaseException:  # a test that ran out of time must not leave it running
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read(), err.read().decode())


def _run(arguments: list[str], cwd: Path, env: dict[str, str], files: tuple[Any, Any, Any]) -> None:
    status = 99
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(_reader(number) if mode == "r" else _writer(number)) for number, mode in enumerate("rww")
        )
        os.chdir(cwd)
        os.environ.update(env)
        sys.argv = ["fastedit", *arguments]
        cli.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _writer(number: int) -> io.BufferedWriter:
    return io.BufferedWriter(io.FileIO(number, "w", closefd=False))


def tree(root: Path) -> dict[str, bytes | str]:
    """Every file below `root` with its bytes; links with their targets."""
    return {
        str(path.relative_to(root)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def _reader(number: int) -> io.BufferedReader:
    return io.BufferedReader(io.FileIO(number, "r", closefd=False))
