"""A file's text, and bytes ↔ text so that bytes which an edit doesn't touch come back as they were.

Files are read without ever blocking, following a link or taking in more than allowed. Line ends are text here: nothing
is translated.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Code, InputRefused
from fastedit.files.system import SYSTEM, Filesystem, refusal

# Longer marks first: UTF-32 LE starts with UTF-16 LE's.
BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A declaration counts in the first two lines: `# -*- coding: latin-1 -*-`, `# vim: set fileencoding=latin1 :`,
# `<?xml version="1.0" encoding="ISO-8859-1"?>`, `@charset "latin1";`.
DECLARATION = re.compile(
    rb"""^[ \t\f]*(?:(?:\#|//|/\*|--|;|%|"|<!--)[^\n]*?coding[:=][ \t]*|<\?xml[^\n]*?encoding=["']|@charset[ ]+["'])"""
    rb"""([-\w.]+)""",
    re.VERBOSE,
)
# Codecs that stand for an escape syntax rather than for how a file is stored.
NOT_STORAGE = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"})
WESTERN = ("cp1252", "iso8859_1")
OTHERS = ("cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp932", "euc_jp", "gb18030", "big5", "cp949")
MIN_FOREIGN_LETTERS = 8
TYPOGRAPHY = "‘’“”–—…•«»©®°§"
ALLOWED_CONTROLS = frozenset("\t\n\r\f\v\b\x1b")
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
class Encoding:
    """The way a text is stored. name: a codec's name; mark: its byte order mark, or b""."""

    name: str = "utf-8"
    mark: bytes = b""


UTF_8 = Encoding()


def decode(data: bytes) -> tuple[str, Encoding]:
    """The text in `data` and how it was stored: `encode(*decode(data)) == data`, always.

    Raises InputRefused NOT_TEXT for binary data, and where no encoding can be told.
    """
    for mark, name in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_marked(data, Encoding(name, mark))
    if b"\0" in data:
        raise InputRefused(Code.NOT_TEXT, f"binary data: a NUL byte at offset {data.index(0)}")
    declared = declared_encoding(data)
    if declared and (text := _decode_as(declared, data)) is not None:
        return text, Encoding(declared)
    try:
        return data.decode("utf-8"), UTF_8
    except UnicodeDecodeError as error:
        if declared != "utf-8" and not _is_damaged_utf8(data):
            guess = _guess(data)
            if guess is not None:
                return guess
        line = data.count(b"\n", 0, error.start) + 1
        message = f"line {line} isn't valid UTF-8, and the text doesn't tell another encoding"
        raise InputRefused(Code.NOT_TEXT, message) from error


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes that store `text`. Raises InputRefused NOT_TEXT for a character that the encoding lacks."""
    try:
        return encoding.mark + text.encode(encoding.name)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        character = f"U+{ord(text[error.start]):04X}"
        message = f"line {line} of the result has {character}, which {encoding.name} can't store"
        raise InputRefused(Code.NOT_TEXT, message) from error


def declared_encoding(data: bytes) -> str | None:
    """The codec that one of the first two lines declares, or None (also for a codec that doesn't exist)."""
    for line in data.split(b"\n", 2)[:2]:
        match = DECLARATION.match(line)
        if match:
            return _storage_codec(match.group(1))
    return None


def _storage_codec(declared: bytes) -> str | None:
    """The name of the codec, where it is one in which the declaration itself could have been written."""
    try:
        name = codecs.lookup(declared.decode("ascii")).name
        is_readable = declared.decode(name) == declared.decode("ascii")
    except (UnicodeError, LookupError):  # LookupError: unknown, or a codec from bytes to bytes such as hex
        return None
    return name if is_readable and name not in NOT_STORAGE else None


def _decode_marked(data: bytes, encoding: Encoding) -> tuple[str, Encoding]:
    try:
        text = data[len(encoding.mark) :].decode(encoding.name)
    except UnicodeDecodeError as error:
        message = f"the byte order mark says {encoding.name}, but offset {error.start} isn't"
        raise InputRefused(Code.NOT_TEXT, message) from error
    if "\0" in text:
        raise InputRefused(Code.NOT_TEXT, f"binary data: a NUL character at {text.index(chr(0))}")
    return text, encoding


def _decode_as(name: str, data: bytes) -> str | None:
    """The text, where the codec reads it and gives the same bytes back; else None."""
    try:
        text = data.decode(name)
        return text if text.encode(name) == data else None
    except UnicodeError:
        return None


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether most of what isn't ASCII is UTF-8 all the same: such a file is broken, not of another encoding."""
    text = data.decode("utf-8", "surrogateescape")
    num_broken = len(re.findall("[\udc80-\udcff]", text))
    return _num_special(text) >= 2 * num_broken


def _guess(data: bytes) -> tuple[str, Encoding] | None:
    """The text and encoding that charset-normalizer takes the bytes for; None where the outcome doesn't read like text.

    Western encodings come first: on a few accented letters the library can't tell them from Central European ones.
    """
    from charset_normalizer import from_bytes

    for names, reads_like_text in ((WESTERN, _reads_like_western), (OTHERS, _reads_like_foreign)):
        best = from_bytes(data, cp_isolation=list(names), enable_fallback=False, preemptive_behaviour=False).best()
        text = _decode_as(best.encoding, data) if best else None
        if best and text is not None and not _has_controls(text) and reads_like_text(text):
            return text, Encoding(best.encoding)
    return None


def _has_controls(text: str) -> bool:
    return any(unicodedata.category(c) == "Cc" and c not in ALLOWED_CONTROLS for c in set(text))


def _reads_like_western(text: str) -> bool:
    """Whether most of what isn't ASCII stands in words that also have ASCII letters (`café`), or is typography."""
    mixed = (word for word in _words(text) if len(word) >= 3 and 0 < _num_special(word) < len(word) and "ÿ" not in word)
    num_plausible = sum(map(_num_special, mixed)) + sum(map(text.count, TYPOGRAPHY))
    return 2 * num_plausible > _num_special(text)


def _reads_like_foreign(text: str) -> bool:
    return sum(map(_num_special, _words(text))) >= MIN_FOREIGN_LETTERS


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def _num_special(text: str) -> int:
    """Counts the characters that aren't ASCII."""
    return len(re.findall(r"[^\x00-\x7f]", text))


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
