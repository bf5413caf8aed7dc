"""Real changes: (before, after) pairs of single files from the history of a local git repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from fastedit.lines import body, split_lines
from fastedit.syntax.languages import language_of
from fastedit.training.synthesis.document import read_document
from fastedit.training.synthesis.model import Change, Splice, make_change
from fastedit.training.synthesis.sources import LANGUAGES, Duplicates, is_fit

KIND = "history"
MIN_CHANGED, MAX_CHANGED = 1, 120
GIT_TIMEOUT_S = 60
MODIFIED = "M"


class HistoryError(Exception):
    """The folder is no git repository, or git can't be run."""


def mine(
    repository: Path, *, duplicates: Duplicates | None = None, max_commits: int = 2000, most_changed: int = MAX_CHANGED
) -> Iterator[Change]:
    """The changes of modified files, newest first; merges, renames and files in unknown languages are passed over.

    duplicates: originals that resemble what it keeps apart are passed over, too. Raises HistoryError.
    """
    for commit in _lines(repository, "rev-list", "--no-merges", f"--max-count={max_commits}", "HEAD"):
        for old, new, path in _modified(repository, commit):
            change = _change(repository, old, new, path, most_changed)
            if change is not None and (duplicates is None or duplicates.is_new(Path(path, old), change.before.text)):
                yield change


def _modified(repository: Path, commit: str) -> Iterator[tuple[str, str, str]]:
    """The commit's modified files: (old blob, new blob, path)."""
    raw = _git(repository, "diff-tree", "-r", "-z", "--no-commit-id", "--diff-filter=M", commit).decode(
        "utf-8", "replace"
    )
    fields = raw.split("\0")
    for entry, path in zip(fields[::2], fields[1::2], strict=False):
        _, _, old, new, status = entry.lstrip(":").split(" ")
        if status == MODIFIED and language_of(path) in LANGUAGES:
            yield old, new, path


def _change(repository: Path, old: str, new: str, path: str, most_changed: int) -> Change | None:
    """The change of one file, or None where it is not fit for synthesis."""
    before, after = _blob(repository, old), _blob(repository, new)
    if before is None or after is None or before.endswith("\n") != after.endswith("\n"):
        return None
    document = read_document(path, language_of(path, before), before)
    if document is None or not document.text:
        return None
    splices = list(_splices(_git(repository, "diff", "-U0", "--no-color", "--no-ext-diff", old, new)))
    changed = sum(max(len(splice.lines), splice.end - splice.start) for splice in splices)
    if not MIN_CHANGED <= changed <= most_changed:
        return None
    change = make_change(document, splices, KIND)
    return change if change is not None and change.after.text == after else None


def _splices(diff: bytes) -> Iterator[Splice]:
    """The hunks of a diff without context as splices."""
    start = end = -1
    lines: list[str] = []
    for line in split_lines(diff.decode("utf-8", "replace")):
        if line.startswith("@@"):
            if start >= 0:
                yield Splice(start, end, tuple(lines))
            start, end = _range(line)
            lines = []
        elif start >= 0 and line.startswith("+"):
            lines.append(body(line[1:]))
    if start >= 0:
        yield Splice(start, end, tuple(lines))


def _range(line: str) -> tuple[int, int]:
    """The original's lines [start, end) of a `@@` line."""
    numbers = line.split(" ")[1].lstrip("-").split(",")
    start, count = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 1
    return (start, start) if count == 0 else (start - 1, start - 1 + count)


def _blob(repository: Path, blob: str) -> str | None:
    try:
        text = _git(repository, "cat-file", "blob", blob).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if is_fit(text) else None


def _lines(repository: Path, *arguments: str) -> list[str]:
    return _git(repository, *arguments).decode("utf-8", "replace").split()


def _git(repository: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments], capture_output=True, check=True, timeout=GIT_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HistoryError(f"git {arguments[0]} failed in {repository}: {error}") from error
    return done.stdout
