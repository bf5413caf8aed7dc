"""Says on a terminal that a target is being made ready, and lets Ctrl-C end that at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fastedit.cli.terminal import visible

CLEAR_LINE = "\r\x1b[K"


@contextmanager
def shown(name: str) -> Iterator[None]:
    """Shows a line on standard error, if that is a terminal, for as long as it takes.

    Large libraries are loaded meanwhile, in calls that Python's own handler of Ctrl-C would wait for. Nothing is
    written before a target has answered, so that the signal may simply end the process.
    """
    is_shown = sys.stderr is not None and sys.stderr.isatty()
    if is_shown:
        sys.stderr.write(f"fastedit: loading the target {visible(name)} ...")
        sys.stderr.flush()
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
            sys.stderr.write(CLEAR_LINE)
            sys.stderr.flush()
