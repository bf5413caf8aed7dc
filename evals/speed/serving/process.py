"""A service under test, in processes of its own: started, watched and stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

READY_S = 180.0
MIB = 1 << 20


@dataclass(frozen=True)
class Server:
    """A service that runs."""

    port: int
    process: subprocess.Popen[str]

    def memory_mib(self) -> dict[str, float]:
        """Resident memory in MiB: of the service's own process, and of its workers together."""
        own = self.process.pid
        workers = _children(own)
        return {"server": _resident_mib(own), "workers": round(sum(map(_resident_mib, workers)), 1)}

    def is_settled(self) -> bool:
        """Whether nothing of it is still starting: the target is loaded, or known to be absent."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=30) as answer:
                ready: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                ready = json.load(error)
        return bool(ready["structural"] == "ready" and ready["target"]["state"] != "loading")


@contextmanager
def running(command: list[str], **environment: str) -> Iterator[Server]:
    """The service that `command` starts, its target loaded or known to be absent. RuntimeError where it doesn't come
    up."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, "FASTEDIT_LOG_LEVEL": "info", **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        server = Server(_port(process.stderr), process)
        _drain(process.stderr)
        deadline_s = time.monotonic() + READY_S
        while not server.is_settled():
            if time.monotonic() > deadline_s:
                raise RuntimeError("the service isn't ready in time")
            time.sleep(0.2)
        yield server
    finally:
        process.terminate()
        process.wait(30)


def _port(lines: IO[str]) -> int:
    seen = []
    for line in lines:
        seen.append(line)
        if "serving on http://" in line:
            return int(line.split("serving on http://")[1].split('"')[0].rpartition(":")[2])
    raise RuntimeError("the service didn't start: " + "".join(seen[-5:]))


def _drain(stream: IO[str]) -> None:
    """Reads what is logged and forgets it, so that the pipe never fills up."""

    def read() -> None:
        with stream:
            for _ in stream:
                pass

    threading.Thread(target=read, daemon=True).start()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _resident_mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / MIB, 1)
