"""Says on a terminal what takes its time: a target that is made ready, which Ctrl-C ends at once, and other work."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fastedit.cli.terminal import visible

CLEAR_LINE = "\r\x1b[K"
DELAY_S = 1.0


@contextmanager
def waiting(words: str) -> Iterator[None]:
    """Shows a line on standard error, if that is a terminal, from when something has taken DELAY_S until it ends."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    told: list[str] = []

    def tell() -> None:
        told.append(words)
        _write(f"{CLEAR_LINE}fastedit: {visible(words)} ...")

    timer = threading.Timer(DELAY_S, tell)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if told:
            _write(CLEAR_LINE)


@contextmanager
def shown(name: str) -> Iterator[None]:
    """Shows a line on standard error, if that is a terminal, for as long as it takes.

    Large libraries are loaded meanwhile, in calls that Python's own handler of Ctrl-C would wait for. Nothing is
    written before a target has answered, so that the signal may simply end the process.
    """
    is_shown = sys.stderr is not None and sys.stderr.isatty()
    if is_shown:
        _write(f"fastedit: loading the target {visible(name)} ...")
    handler = signal.getsignal(signal.SIGINT)
    ends_at_once = handler is signal.default_int_handler
    if ends_at_once:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if ends_at_once:
            signal.signal(signal.SIGINT, handler)
        if is_shown:
            _write(CLEAR_LINE)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
