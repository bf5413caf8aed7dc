"""Where originals come from: folders of source files, each file once, and none that resembles what is kept apart."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from fastedit.syntax.languages import language_of
from fastedit.training.synthesis.document import Document, read_document, with_line_ends
from fastedit.training.synthesis.languages import TRAITS

MIN_LINES, MAX_LINES = 20, 1500
MAX_BYTES = 120_000
MAX_LINE_LENGTH = 300
PATH_PARTS = 3  # of a file's path that messages name
MIN_TEXT = 16  # shorter lines say nothing about where a file comes from
SKETCH_SIZE = 12
SHARED_SKETCH = 8
SHARED_LINES = 0.3
SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", ".git", ".venv"})
LANGUAGES = frozenset(TRAITS) | frozenset(
    (
        *("css", "scss", "less", "json", "yaml", "toml", "ini", "dotenv", "markdown", "dockerfile", "makefile"),
        *("cmake", "sql", "lua", "dart", "scala", "perl"),
    )
)
SHARE_OF_CRLF, SHARE_WITHOUT_END = 0.05, 0.05


def find_files(sources: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """The files below the sources with their paths relative to their source, in a fixed order."""
    for source in sources:
        if source.is_file():
            yield source, source.name
            continue
        for folder, folders, names in os.walk(source):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            inner = Path(folder).relative_to(source)
            for name in sorted(names):
                yield Path(folder, name), (inner / name).as_posix()


def line_hashes(text: str) -> set[int]:
    """Hashes of the telling lines, white space left out: the same on every run and machine."""
    return {
        int.from_bytes(hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=8).digest(), "big")
        for raw in text.splitlines()
        if len(line := "".join(raw.split())) >= MIN_TEXT
    }


class Duplicates:
    """Remembers the texts it has seen, and those kept apart, and says whether another one is nearly one of them."""

    def __init__(self, kept_apart: Iterable[Path] = ()) -> None:
        self._owners: dict[int, int] = {}
        self._num_texts = 0
        self._accepted: set[Path] = set()
        self._apart = [hashes for path in kept_apart if (hashes := _hashes_of_file(path))]

    def is_new(self, path: Path, text: str) -> bool:
        """Whether the file's text resembles none of another file so far; it counts as seen from now on."""
        if path in self._accepted:
            return True
        hashes = line_hashes(text)
        if any(len(hashes & apart) >= SHARED_LINES * min(len(hashes), len(apart)) for apart in self._apart):
            return False
        sketch = sorted(hashes)[:SKETCH_SIZE]
        owners = [self._owners[value] for value in sketch if value in self._owners]
        if owners and max(map(owners.count, owners)) >= min(SHARED_SKETCH, len(sketch)):
            return False
        self._owners.update(dict.fromkeys(sketch, self._num_texts))
        self._num_texts += 1
        self._accepted.add(path)
        return True


def _hashes_of_file(path: Path) -> set[int]:
    try:
        return line_hashes(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return set()


def read_text(path: Path) -> str | None:
    """The file's text, or None where it is not fit: binary, huge, tiny, generated or minified."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
            return None
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if is_fit(text) else None


def is_fit(text: str) -> bool:
    """Whether edits of this text would look like people's edits."""
    lines = text.split("\n")
    if not MIN_LINES <= len(lines) <= MAX_LINES or "\0" in text or text.startswith("\ufeff") or "\f" in text:
        return False
    return max(map(len, lines)) <= MAX_LINE_LENGTH


def documents(sources: Iterable[Path], duplicates: Duplicates, rng: random.Random) -> Iterator[Document]:
    """The fit files in a random order, now and then with CRLF line ends or without a final one."""
    files = list(find_files(sources))
    rng.shuffle(files)
    for path, name in files:
        if language_of(name) not in LANGUAGES:
            continue
        text = read_text(path)
        if text is None or not duplicates.is_new(path, text):
            continue
        shown_path = "/".join(name.split("/")[-PATH_PARTS:])
        document = read_document(shown_path, language_of(name, text), text)
        if document is not None and document.num_errors == 0:
            yield _with_other_ends(document, rng)


def _with_other_ends(document: Document, rng: random.Random) -> Document:
    eol = "\r\n" if rng.random() < SHARE_OF_CRLF else document.eol
    ends = document.ends_with_eol and rng.random() >= SHARE_WITHOUT_END
    return with_line_ends(document, eol, ends_with_eol=ends)
