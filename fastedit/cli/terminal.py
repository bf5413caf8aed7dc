"""Diffs on a terminal: in colour, and with nothing in them that could steer it."""

from __future__ import annotations

import io
import re
import sys

# Longer prefixes first: the header of a diff starts like its lines.
DIFF_STYLES = (
    ("+++ ", "bold"),
    ("--- ", "bold"),
    ("diff ", "bold"),
    ("rename ", "bold"),
    ("@@ ", "cyan"),
    ("+", "green"),
    ("-", "red"),
    ("\\ ", "dim"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def print_diff(diff: bytes, has_color: bool | None) -> None:
    """Prints a diff: byte for byte into a file or pipe, coloured on a terminal (or where `has_color` is True).

    Raises OSError where standard output can't be written.
    """
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if not (is_terminal or has_color):
        return write_bytes(diff)
    return write_bytes(shown_diff(diff.decode("utf-8", "replace"), has_color).encode())


def shown_diff(diff: str, has_color: bool | None) -> str:
    """The diff as a terminal is to get it: in colour, unless `has_color` is False."""
    text = visible(diff)
    return text if has_color is False else _colored(text)


def write_bytes(data: bytes) -> None:
    """Writes bytes as they are to standard output, where there is one. Raises OSError."""
    if sys.stdout is None:
        return
    sys.stdout.flush()
    view = memoryview(data)
    while view:  # with PYTHONUNBUFFERED this is a raw file, which may take only part
        view = view[sys.stdout.buffer.write(view) :]
    sys.stdout.buffer.flush()


def visible(text: str) -> str:
    """The text with control characters replaced by signs for them; line ends and tabs stay."""
    return _CONTROL.sub(lambda found: _sign(found.group()), text.replace("\r\n", "\n"))


def _colored(diff: str) -> str:
    """The diff's lines with the escape sequences that colour them on this terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, highlight=False, soft_wrap=True)
    with console.capture() as captured:
        for line in diff.split("\n")[:-1]:
            style = next((style for prefix, style in DIFF_STYLES if line.startswith(prefix)), "")
            console.print(Text(line, style=style))
    return captured.get()


def _sign(control: str) -> str:
    number = ord(control)
    if number < 0x20:
        return chr(0x2400 + number)
    return "\N{SYMBOL FOR DELETE}" if number == 0x7F else "\N{REPLACEMENT CHARACTER}"
