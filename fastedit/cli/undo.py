"""`fastedit undo`: undoes the last run."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
def undo(path: Path | None) -> None:
    """Undo the last run of apply in PATH, a folder or a file; by default in the working folder.

    The files get the bytes back that they had before it. A run that was committed is undone by a further commit. What
    was changed since isn't undone.
    """
    from fastedit.cli.afterwards import undo_in
    from fastedit.config import load_settings

    load_settings()
    click.echo(undo_in((path or Path()).resolve()))
