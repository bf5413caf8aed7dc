"""Entries of files of keys: what has a name, or a place of its own, and the lines that it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MAX_DEPTH = 60
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans("'", '"')
_REQUIREMENT = re.compile(r"^([A-Za-z][\w.-]*(?:\[[^\]]*\])?)\s*(?:[<>=!~@^;].*)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that has a name, or a place of its own, in a file of keys.

    key: its name among its siblings. start: the first line of the comments above it that belong to it. head: its first
    line. end: the line behind its last. column: characters of its first line before it (more than indentation behind
    the dash of a list). inner: the lines [first, end) that its children stand in, None for a leaf. marks: what tells
    an item of a list apart, kind → value. is_item: whether it is one of a list. text: of a leaf, without spaces.
    """

    key: str
    start: int
    head: int
    end: int
    column: int
    children: tuple[Entry, ...] = ()
    inner: tuple[int, int] | None = None
    marks: tuple[tuple[str, str], ...] = ()
    is_item: bool = False
    text: str = ""

    @property
    def is_block(self) -> bool:
        return self.inner is not None

    @property
    def is_list(self) -> bool:
        """Whether all that it holds are single values."""
        return bool(self.children) and all(child.is_item and not child.is_block for child in self.children)

    def blocks(self) -> Iterator[Entry]:
        """The entries below this one that hold others."""
        for child in self.children:
            if child.is_block:
                yield child
                yield from child.blocks()


def plain(text: str) -> str:
    """A text without what only its writing has: spaces, kinds of quotes, a comma or a semicolon at its end."""
    return _SPACE.sub("", text).translate(_QUOTES).rstrip(",;")


class Unread(Exception):
    """Raised where a text can't be told apart into entries."""


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def comment_start(texts: Sequence[str], head: int, floor: int, is_comment: Callable[[int], bool]) -> int:
    """The line where the comments begin that stand directly above an entry, at its indentation."""
    start = head
    while start > floor and is_comment(start - 1) and indent_of(texts[start - 1]) == indent_of(texts[head]):
        start -= 1
    return start


def value_name(text: str) -> str:
    """The name of a value of a list: without quotes and remarks, of a requirement the package."""
    value = re.sub(r"\s+#.*$", "", text.strip()).rstrip(",").strip("\"'")
    found = _REQUIREMENT.match(value)
    return found[1] if found else plain(value)
