"""The edit's text, from a file, a pipe, standard input or the clipboard."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

from fastedit.errors import Code, InputRefused
from fastedit.files import decode, read_regular_file, refusal, too_large

# Wayland, X11, macOS, Windows from WSL, Android.
READERS = (
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-out"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    ("powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"),
    ("termux-clipboard-get",),
)
TIMEOUT_S = 10
STDIN = Path("-")
# Where shells put pipes that have a writer already, as for `<(command)`: opening them can't hang.
PIPE_FOLDERS = ("/dev/fd/", "/proc/self/fd/")


def read_clipboard(max_bytes: int) -> bytes:
    """The bytes that were copied. Raises InputRefused where nothing can read them, or they are too many."""
    from fastedit.files import too_large

    found = [reader for reader in READERS if shutil.which(reader[0])]
    if not found:
        names = ", ".join(reader[0] for reader in READERS)
        raise InputRefused(Code.INVALID_PATH, f"nothing here reads the clipboard: install one of {names}")
    for reader in found:  # with Wayland's and X11's there, one of them may have no display
        try:
            done = subprocess.run(reader, capture_output=True, timeout=TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            if len(done.stdout) > max_bytes:
                raise too_large("the clipboard", len(done.stdout), max_bytes)
            return done.stdout
    raise InputRefused(Code.INVALID_PATH, f"{found[0][0]} can't read the clipboard, or there is no text on it")


def read_edit(path: Path | None, max_bytes: int) -> str:
    """The text at `path`, on standard input for `-`, or on the clipboard for None. Raises InputRefused."""
    if path is None:
        data = read_clipboard(max_bytes)
    elif path == STDIN or str(path) == "/dev/stdin":
        data = _read_stdin(max_bytes)
    elif str(path).startswith(PIPE_FOLDERS):
        data = _read_pipe(path, max_bytes)
    else:
        data, _ = read_regular_file(Path(os.path.realpath(path)), max_bytes=max_bytes, name=str(path))
    try:
        return decode(data)[0]
    except InputRefused as error:
        raise InputRefused(error.code, f"the edit: {error.message}") from error


def _read_stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise InputRefused(Code.INVALID_PATH, "standard input is closed")
    if sys.stdin.isatty():
        print("reading the edit from the terminal; Ctrl-D ends it", file=sys.stderr)  # noqa: T201
    return _read_stream(sys.stdin.buffer, "standard input", max_bytes)


def _read_pipe(path: Path, max_bytes: int) -> bytes:
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise InputRefused(Code.INVALID_PATH, f"{path} is a directory")
        with path.open("rb") as stream:
            return _read_stream(stream, str(path), max_bytes)
    except OSError as error:
        raise refusal(error, str(path), "read") from error


def _read_stream(stream: BinaryIO, name: str, max_bytes: int) -> bytes:
    try:
        data = stream.read(max_bytes + 1)
    except OSError as error:
        raise refusal(error, name, "read") from error
    if len(data) > max_bytes:
        raise too_large(name, len(data), max_bytes)
    return data
