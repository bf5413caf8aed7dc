"""Diffs on a terminal: in colour, and with nothing in them that could steer it."""

from __future__ import annotations

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
    if sys.stdout is None:
        return
    is_terminal = sys.stdout.isatty()
    if has_color or (is_terminal and has_color is None):
        _print_colored(diff.decode("utf-8", "replace"))
    elif is_terminal:
        sys.stdout.write(visible(diff.decode("utf-8", "replace")))
    else:
        sys.stdout.buffer.write(diff)
    sys.stdout.flush()


def visible(text: str) -> str:
    """The text with control characters replaced by signs for them; line ends and tabs stay."""
    return _CONTROL.sub(lambda found: _sign(found.group()), text.replace("\r\n", "\n"))


def _print_colored(diff: str) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(force_terminal=True, highlight=False, soft_wrap=True)
    for line in visible(diff).split("\n")[:-1]:
        style = next((style for prefix, style in DIFF_STYLES if line.startswith(prefix)), "")
        console.print(Text(line, style=style))


def _sign(control: str) -> str:
    number = ord(control)
    if number < 0x20:
        return chr(0x2400 + number)
    return "\N{SYMBOL FOR DELETE}" if number == 0x7F else "\N{REPLACEMENT CHARACTER}"
