"""Finds the lines of a text that start inside of a string: what stands there is text, and its columns say nothing.

A scan by tables, without a grammar: it is asked of every text that an edit passes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class _Quotes:
    """The way a language writes strings of several lines.

    signs: one of these stands in a line where such a string begins. token: what has to be passed over to find its
    beginning, which is in group `open`; end: what it ends in, `{}` standing for the beginning's text.
    """

    signs: tuple[str, ...]
    token: re.Pattern[str]
    end: str = "{}"


_STRING = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_TRIPLE = _Quotes(('"""', "'''"), re.compile(rf"(?P<open>\"\"\"|''')|{_STRING}|#.*"))
_BACKTICK = _Quotes(("`",), re.compile(rf"(?P<open>`)|{_STRING}|//.*"))
_ATTRIBUTE = _Quotes(("<",), re.compile(r"<[A-Za-z][\w:.-]*(?:\s[^<>]*)?=\s*(?P<open>\")(?=[^\"<>]*$)"))
_HEREDOC = _Quotes(("<<",), re.compile(rf"<<[-~]?\s?[\"']?(?P<open>[A-Z_][A-Z_0-9]*)[\"']?|{_STRING}|#.*"), r"^\s*{}\b")
_QUOTES: Mapping[str, _Quotes] = {
    "python": _TRIPLE,
    "javascript": _BACKTICK,
    "typescript": _BACKTICK,
    "tsx": _BACKTICK,
    "go": _BACKTICK,
    "xml": _ATTRIBUTE,
    "html": _ATTRIBUTE,
    "bash": _HEREDOC,
    "ruby": _HEREDOC,
}


def strings_of(lines: Sequence[str], language: str) -> Iterator[range]:
    """The lines that start inside of a string, string by string; a string that never ends is none."""
    quotes = _QUOTES.get(language)
    if quotes is None:
        return
    end: re.Pattern[str] | None = None
    start = 0
    for number, line in enumerate(lines):
        position = 0
        if end is not None:
            closing = end.search(line)
            if closing is None:
                continue
            yield range(start, number + 1)
            position = closing.end()
        end = _left_open(line, position, quotes)
        start = number + 1


def _left_open(line: str, position: int, quotes: _Quotes) -> re.Pattern[str] | None:
    """The pattern that ends the string which the line opens behind `position` and leaves open; None for none."""
    if not any(sign in line for sign in quotes.signs):
        return None
    while (found := quotes.token.search(line, position)) is not None:
        position = found.end()
        if found.group("open") is None:
            continue
        end = _end_of(found.group("open"), quotes.end)
        closing = end.search(line, position)
        if closing is None or quotes.end.startswith("^"):
            return end
        position = closing.end()
    return None


@cache
def _end_of(opening: str, end: str) -> re.Pattern[str]:
    return re.compile(end.format(re.escape(opening)))
