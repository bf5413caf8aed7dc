"""The `fastedit` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command and ends the process with its exit status."""
    try:
        from fastedit.cli.app import app

        app(prog_name="fastedit")
    except KeyboardInterrupt:
        sys.exit(130)
