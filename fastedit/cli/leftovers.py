"""`fastedit leftovers`: finds lines of assistants' edits that got into files by hand; a hook for pre-commit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

# A comment of nothing but dots and words that stand for code; `...` alone is Python, and prose has more to say.
_MARKER = re.compile(
    r"\s*(?:#|//|/\*|--|<!--|\{/\*|;|%)\s*(?:\.\.\.|…)\s*"
    r"(?:\(?(?:the\s+)?(?:rest|remaining|existing|previous|other|unchanged|same|keep)\b[^.]*)?(?:\.\.\.|…)?\s*(?:\*/\}?|-->)?\s*",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"<{5,9} SEARCH|>{5,9} REPLACE|\*\*\* (?:Begin|End) Patch")
MAX_BYTES = 4 << 20


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False))
def leftovers(paths: tuple[Path, ...]) -> None:
    """Name lines like `# ... existing code ...` that were pasted into files. Exit status 1 where there are any."""
    found = [(path, number, line) for path in paths for number, line in leftovers_in(path)]
    for path, number, line in found:
        click.echo(f"{path}:{number}: {line.strip()}")
    raise click.exceptions.Exit(int(bool(found)))


def leftovers_in(path: Path) -> Iterator[tuple[int, str]]:
    """The lines, numbered from 1, that stand for code or surround edits. Files that are too large have none."""
    if path.stat().st_size > MAX_BYTES:
        return
    for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), 1):
        if _BLOCK.match(line) or (_MARKER.fullmatch(line) and re.search(r"[a-z]", line, re.IGNORECASE)):
            yield number, line
