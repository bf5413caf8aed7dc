"""The `fastedit` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command and ends the process with its exit status."""
    try:
        from fastedit.cli.app import run_command

        status = run_command()
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
