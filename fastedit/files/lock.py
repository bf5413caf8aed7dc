"""Locks on folders, which keep two runs of FastEdit from writing to the same files at once.

The kernel drops a lock when its holder dies, and no lock file stays behind. Other programs don't know of
the locks: what they change is noticed by comparing hashes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from fastedit.errors import Code, InputRefused
from fastedit.files.system import UNSUPPORTED, Filesystem, refusal

POLL_S = 0.005


@contextmanager
def locked(folders: Iterable[Path], *, timeout_s: float, fs: Filesystem) -> Iterator[None]:
    """Holds the exclusive locks of `folders`, taken in one order by everyone, so that nobody waits in a circle.

    A file system that knows no locks is written to without. Raises InputRefused CONTENT_CONFLICT where another
    run holds one for longer than `timeout_s`, INVALID_PATH where a folder can't be opened.
    """
    deadline = time.monotonic() + timeout_s
    with ExitStack() as stack:
        for folder in sorted(set(folders)):
            try:
                handle = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                stack.callback(_release, handle, fs)
                _lock(handle, folder, deadline, fs)
            except OSError as error:
                raise refusal(error, str(folder), "locked") from error
        yield


def _release(handle: int, fs: Filesystem) -> None:
    # Only writers lose anything by a failing close, and by now the files may be new.
    with suppress(OSError):
        fs.close(handle)


def _lock(handle: int, folder: Path, deadline: float, fs: Filesystem) -> None:
    while True:
        try:
            return fs.lock(handle)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                message = f"another run of FastEdit is writing in {folder}"
                raise InputRefused(Code.CONTENT_CONFLICT, message) from error
            time.sleep(POLL_S)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            return None
