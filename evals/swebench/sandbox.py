"""Commands run with limits: time, memory, size of files, and no network where the system allows that."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")
MIB = 1 << 20
MAX_LOG_BYTES = 256 * MIB

# Ways to cut a command off from the network, best first: with a process namespace nothing that a test leaves behind
# outlives it; without being root a user namespace is needed.
_WAYS: tuple[tuple[str, ...], ...] = (
    ("--net", "--pid", "--fork", "--kill-child", "--mount-proc"),
    ("--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"),
    ("--net",),
    ("--map-root-user", "--net"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """memory_mib: address space of each process, 0 for no limit."""

    timeout_s: float
    memory_mib: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """A command's end. exit_status: negative for a signal; is_timed_out: whether it was stopped."""

    exit_status: int
    is_timed_out: bool
    elapsed_s: float


class Interrupted(Exception):
    """The sandbox is being closed; the command didn't come to its end."""


@cache
def isolation() -> tuple[str, ...] | None:
    """The `unshare` command that takes the network away here, or None where no way works."""
    unshare = shutil.which("unshare")
    for way in _WAYS if unshare else ():
        command = [str(unshare), *way, sys.executable, "-I", "-S", str(LAUNCHER), "--loopback", "--", "true"]
        try:
            if subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0:
                return (str(unshare), *way)
        except (OSError, subprocess.TimeoutExpired):
            continue
    return None


@dataclass(eq=False)
class Sandbox:
    """Runs commands, and stops all of them at once."""

    _live: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_closed: bool = False

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        log: Path,
        is_offline: bool = False,
    ) -> Finished:
        """Runs the command to its end or its limit; what it prints goes to `log`. Raises OSError, Interrupted.

        is_offline: without network, where `isolation` knows a way. What the command has started is killed with it.
        """
        started = time.monotonic()
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = self._start(self._wrapped(command, limits, is_offline), cwd, env, output.fileno())
            try:
                exit_status = process.wait(limits.timeout_s)
                is_timed_out = False
            except subprocess.TimeoutExpired:
                is_timed_out = True
            finally:
                _kill(process)
                with self._lock:
                    self._live.discard(process)
        if self._is_closed:
            raise Interrupted
        return Finished(process.returncode if is_timed_out else exit_status, is_timed_out, time.monotonic() - started)

    def close(self) -> None:
        """Kills what runs, and lets nothing start any more."""
        with self._lock:
            self._is_closed = True
            for process in self._live:
                _kill(process)

    def _wrapped(self, command: Sequence[str], limits: Limits, is_offline: bool) -> list[str]:
        launcher = [sys.executable, "-I", "-S", str(LAUNCHER)]
        inner = [f"--memory={limits.memory_mib * MIB}", f"--file-size={MAX_LOG_BYTES}"]
        way = isolation() if is_offline else None
        if way is None:
            return [*launcher, f"--with-parent={os.getpid()}", *inner, "--", *command]
        outer = [*launcher, f"--with-parent={os.getpid()}", "--"]
        init = ["--init"] if "--pid" in way else []
        return [*outer, *way, *launcher, *inner, "--loopback", *init, "--", *command]

    def _start(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], output: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_closed:
                raise Interrupted
            process = subprocess.Popen(
                command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
            self._live.add(process)
            return process


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kills the process and its group, and waits for the process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of the group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
