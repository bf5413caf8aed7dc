"""A file system whose N-th call fails, or at whose N-th call the process dies."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from typing import Any

from fastedit.files import Filesystem


class Crash(BaseException):
    """Stands for the process's death: from here on nothing reaches the disk."""


def fail_once(number: int, n: int) -> None:
    if number == n:
        raise OSError(errno.EIO, "injected")


def fail_from_then_on(number: int, n: int) -> None:
    if number >= n:
        raise OSError(errno.ENOSPC, "injected")


def crash(number: int, n: int) -> None:
    if number >= n:
        raise Crash


def kill(number: int, n: int) -> None:
    if number == n:
        os.kill(os.getpid(), signal.SIGKILL)


class FaultyFilesystem(Filesystem):
    """Counts its calls from 1 and lets `fault(number, n)` decide what becomes of each; None for none.

    watch: called before every call, to look at what a reader would see at that moment.
    """

    def __init__(
        self, fault: Callable[[int, int], None] | None = None, n: int = 0, watch: Callable[[], None] = lambda: None
    ) -> None:
        self.fault = fault
        self.n = n
        self.watch = watch
        self.calls: list[str] = []
        for name in vars(Filesystem):
            if not name.startswith("_"):
                setattr(self, name, self._wrapped(name, getattr(self, name)))

    def fsync(self, handle: int) -> None:
        """Counts, and does nothing: what matters here is the order of calls, and syncing is slow."""

    def _wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any) -> Any:
            self.calls.append(name)
            self.watch()
            # A handle is let go of even by a failing close().
            if name == "close":
                call(*arguments)
            if self.fault:
                self.fault(len(self.calls), self.n)
            return None if name == "close" else call(*arguments)

        return wrapper
