"""A bar that shows on a terminal how far something is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(name: str, *, is_shown: bool) -> Iterator[Callable[[float], None]]:
    """Gives a function that takes the share that is done. Not shown, it needs nothing installed."""
    if not is_shown:
        yield lambda share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda share: bar.update(task, completed=share)
