"""The commands that README names, with what README says they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"^\| `(python -m [^`]+)`", re.MULTILINE)
_COMMENT = re.compile(r"\s{2,}#.*$")


@dataclass(frozen=True, slots=True)
class Command:
    """A line that users are told to enter. shown: the lines that README prints below it."""

    line: str
    shown: tuple[str, ...] = ()


def commands_of(readme: str) -> Iterator[Command]:
    """The commands of all consoles, in their order, and then those of the tables."""
    for language, text in _FENCE.findall(readme):
        if language == "console":
            yield from _console(text)
    for line in _MODULE.findall(readme):
        yield Command(line)


def python_of(readme: str) -> str:
    """The Python that README shows first."""
    return str(next(text for language, text in _FENCE.findall(readme) if language == "python"))


def _console(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, *shown = part.rstrip("\n").split("\n")
        yield Command(_COMMENT.sub("", line).strip(), tuple(line for line in shown if line))
