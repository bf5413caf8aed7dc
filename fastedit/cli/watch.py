"""`fastedit watch`: applies what is copied, or comes into a folder, when whoever sits at the terminal says yes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from fastedit.cli import INTERRUPTED
from fastedit.errors import EditRefused

EVERY_S = 0.5
ENDINGS = (".md", ".txt", ".diff", ".patch", ".json")


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--root", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where the files are.")
def watch(folder: Path | None, root: Path) -> None:
    """Watch the clipboard, or FOLDER for new messages, and offer to apply the edits in them that name their files.

    Each is shown as a diff, and applied when you say yes. Ctrl-C ends it.
    """
    from fastedit.cli.interactive import ask_at_terminal

    try:
        messages = copied() if folder is None else arriving(folder)
        click.echo(f"watching {folder or 'the clipboard'} for edits of files in {root.resolve()}; Ctrl-C ends it")
        for message in messages:
            offer(message, root, ask_at_terminal)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


def copied(sleep: Callable[[float], None] = time.sleep) -> Iterator[str]:
    """Each text that is copied from now on. Raises InputRefused where the clipboard can't be read at the start."""
    from fastedit.cli.edit_text import READERS, read_clipboard
    from fastedit.config import load_settings

    limit = load_settings().max_file_bytes
    known = b""
    if not any(map(_is_there, READERS)):
        read_clipboard(limit)  # which says what is missing
    is_first = True
    while True:
        try:
            data = read_clipboard(limit)
        except EditRefused:  # a picture, or nothing at all
            data = known
        if data != known and not is_first:
            yield data.decode("utf-8", "replace")
        known, is_first = data, False
        sleep(EVERY_S)


def arriving(folder: Path, sleep: Callable[[float], None] = time.sleep) -> Iterator[str]:
    """The texts of the messages that come into a folder from now on, each once it has been written."""
    seen = _stamps(folder)
    before = seen
    while True:
        sleep(EVERY_S)
        now = _stamps(folder)
        for path, stamp in now.items():
            # The same twice: nobody is writing it any more.
            if seen.get(path) != stamp and before.get(path) == stamp:
                seen = {**seen, path: stamp}
                yield path.read_text("utf-8", "replace")
        before = now


def offer(message: str, root: Path, ask: Callable[[str], str]) -> None:
    """Shows what a message would do, and does it where the answer is yes. Says nothing of what holds no edit."""
    from fastedit.cli.afterwards import look_over
    from fastedit.cli.interactive import choosing
    from fastedit.cli.output import Show, print_refusal, summary
    from fastedit.cli.run import Request, plan_of
    from fastedit.cli.terminal import shown_diff
    from fastedit.config import load_settings
    from fastedit.workspace import write_plan
    from fastedit.workspace.kept import read_before

    settings = load_settings()
    request = Request(edit=None, file=None, root=root, show=Show.SUMMARY)
    try:
        if not _names_files(message):
            return
        plan = plan_of(request, settings, message, lambda merge: choosing(merge, ask))
        if not any(one.operations for one in plan.planned):
            return
        shown = "".join(change.diff for change in plan.changes)
        names = ", ".join(change.path for change in plan.changes)
        question = f"{shown_diff(shown, settings.has_color)}apply it to {names}? [y,N] "
        if ask(question).strip().lower() not in ("y", "yes"):
            return
        before = read_before(plan)
        write_plan(plan)
        look_over(plan, before, (), None)
        for change in plan.changes:
            click.echo(summary(change))
    except EditRefused as refusal:
        print_refusal(refusal, is_json=False)


def _names_files(message: str) -> bool:
    """Whether a message is an edit that names its files: most of what is copied is none."""
    from fastedit.edits import parse_message

    try:
        return all(edit.path for edit in parse_message(message))
    except EditRefused:
        return False


def _is_there(reader: tuple[str, ...]) -> bool:
    return shutil.which(reader[0]) is not None


def _stamps(folder: Path) -> dict[Path, tuple[int, int]]:
    """The time (in ns) at which each message in a folder was written last, and its length in bytes."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and path.is_file():
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found
