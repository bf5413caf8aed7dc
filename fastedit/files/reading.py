"""A file's text, read without ever blocking, following a link or taking in more than allowed."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Code, InputRefused
from fastedit.files.encoding import Encoding, decode
from fastedit.files.system import SYSTEM, Filesystem, refusal

CHUNK_BYTES = 1 << 20
KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file as it was read. path: without symbolic links; sha256: of its bytes, in hex."""

    path: Path
    text: str
    encoding: Encoding
    sha256: str


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_text_file(path: Path, *, max_bytes: int, name: str = "", fs: Filesystem = SYSTEM) -> TextFile:
    """The text file at `path`, which holds no symbolic link. name: what messages call it.

    Raises InputRefused INVALID_PATH (missing, unreadable, not a regular file), TOO_LARGE or NOT_TEXT.
    """
    name = name or str(path)
    data, _ = read_regular_file(path, max_bytes=max_bytes, name=name, fs=fs)
    try:
        text, encoding = decode(data)
    except InputRefused as error:
        raise InputRefused(error.code, f"{name}: {error.message}") from error
    return TextFile(path, text, encoding, sha256_of(data))


def read_regular_file(
    path: Path, *, max_bytes: int | None, name: str, fs: Filesystem = SYSTEM
) -> tuple[bytes, os.stat_result]:
    """The file's bytes and what `stat` says of it. Raises like `read_text_file`."""
    try:
        _require_regular(fs.lstat(path), name)
        # The path may become a FIFO between the two calls: O_NONBLOCK keeps its opening from hanging.
        handle = fs.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            status = fs.fstat(handle)
            _require_regular(status, name)
            if max_bytes is not None and status.st_size > max_bytes:
                raise too_large(name, status.st_size, max_bytes)
            return _read_all(handle, max_bytes, name, fs), status
        finally:
            fs.close(handle)
    except OSError as error:
        raise refusal(error, name, "read") from error


def too_large(name: str, num_bytes: int, max_bytes: int) -> InputRefused:
    return InputRefused(Code.TOO_LARGE, f"{name} has {num_bytes:,} bytes; the limit is {max_bytes:,}")


def _read_all(handle: int, max_bytes: int | None, name: str, fs: Filesystem) -> bytes:
    chunks, num_bytes = [], 0
    while chunk := fs.read(handle, CHUNK_BYTES):
        chunks.append(chunk)
        num_bytes += len(chunk)
        if max_bytes is not None and num_bytes > max_bytes:
            raise too_large(name, num_bytes, max_bytes)
    return b"".join(chunks)


def _require_regular(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((words for is_kind, words in KINDS if is_kind(status.st_mode)), "no regular file")
        raise InputRefused(Code.INVALID_PATH, f"{name} is {kind}")
