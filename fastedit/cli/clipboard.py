"""The clipboard's text, by whichever of the usual programs is there."""

from __future__ import annotations

import shutil
import subprocess

from fastedit.errors import Code, InputRefused

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
