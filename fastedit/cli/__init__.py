"""The `fastedit` command."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

WRONG_USAGE = 2
INTERRUPTED = 130


def main() -> None:
    """Runs the command and ends the process with its exit status."""
    try:
        from fastedit.cli.app import run_command

        status = run_command()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        _end_now()
    sys.exit(status)


def _end_now() -> None:
    """Ends the process without waiting for its threads: one of them may be in the middle of a target's pass."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(INTERRUPTED)
