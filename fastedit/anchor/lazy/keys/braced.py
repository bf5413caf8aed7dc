"""Reads style sheets (CSS, SCSS, LESS) as entries, by braces and semicolons."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fastedit.anchor.lazy.keys.entries import MAX_DEPTH, Entry, Unread, plain

_PROPERTY = re.compile(r"^((?:[\w@$*-]|#\{[^}]*\}|@\{[^}]*\})+)\s*:(?!\w)")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans("'", '"')


def css_entries(texts: list[str]) -> list[Entry]:
    reader = _CssReader(texts)
    entries, at = reader.entries(0, 0)
    if at < len(reader.text) or _overlap(entries):
        raise Unread
    return entries


def _overlap(entries: Sequence[Entry]) -> bool:
    """Whether some entries share a line."""
    return any(one.end > other.head for one, other in pairwise(entries))


_CSS_TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|url\([^)\n]*\)|[#@]\{[^{}]*\}|[{};()]|\s+|[^\s/\"'#@{};()u]+|.",
    re.DOTALL,
)


class _CssReader:
    """Reads entries by braces and semicolons; each has to begin in a line of its own."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.text = "\n".join(texts)
        self.lines = _line_starts(texts)
        self.comments: set[int] = set()
        # One pass over the text: a block's reader takes what is in it, and the reader around it goes on behind.
        self.tokens = ((found[0], found.start()) for found in _CSS_TOKEN.finditer(self.text) if not found[0].isspace())

    def line(self, offset: int) -> int:
        return bisect_right(self.lines, offset) - 1

    def entries(self, floor: int, depth: int) -> tuple[list[Entry], int]:
        """The entries up to the brace that closes what they stand in, or to the end; and where that is.

        floor: the first line that they may begin in.
        """
        entries: list[Entry] = []
        begun: int | None = None
        opened = 0  # parentheses
        for token, start in self.tokens:
            if token.startswith(("/*", "//")) and begun is None:
                self._note(start, start + len(token))
            elif opened or token not in ("{", "}", ";"):
                opened += (token == "(") - (token == ")")
                begun = start if begun is None else begun
            elif token == "{":
                self._add_block(entries, begun, start, floor, depth)
                begun = None
            else:
                self._add_leaf(entries, begun, start + (token == ";"), floor)
                begun = None
                if token == "}":
                    return entries, start
        self._add_leaf(entries, begun, len(self.text.rstrip()), floor)
        return entries, len(self.text)

    def _add_leaf(self, entries: list[Entry], begun: int | None, end: int, floor: int) -> None:
        if begun is not None:
            entries.append(self._leaf(begun, end, entries[-1].end if entries else floor))

    def _add_block(self, entries: list[Entry], begun: int | None, brace: int, floor: int, depth: int) -> None:
        """Adds a block. One that goes on from the last, as `} @else {` does, is one with it."""
        if begun is None or depth > MAX_DEPTH:
            raise Unread
        entry = self._block(begun, brace, entries[-1].end if entries else floor, depth)
        if entries and entry.head == entries[-1].end - 1 and self.text.startswith("@else", begun):
            entry = replace(entries.pop(), end=entry.end, children=(), inner=None)
        entries.append(entry)

    def _note(self, start: int, end: int) -> None:
        """Notes the lines that hold nothing but a comment."""
        first, last = self.line(start), self.line(max(start, end - 1))
        if not self.text[self.lines[first] : start].strip() and not self.text[end : self._line_end(end)].strip():
            self.comments.update(range(first, last + 1))

    def _line_end(self, offset: int) -> int:
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end

    def _begin(self, begun: int, done: int) -> tuple[int, int]:
        head = self.line(begun)
        start = head
        while start > done and start - 1 in self.comments:
            start -= 1
        return start, head

    def _leaf(self, begun: int, end: int, done: int) -> Entry:
        start, head = self._begin(begun, done)
        text = self.text[begun:end]
        found = _PROPERTY.match(text)
        key = found[1] if found else plain(text).removesuffix("()")
        return Entry(key, start, head, self.line(end - 1) + 1, begun - self.lines[head], text=plain(text))

    def _block(self, begun: int, brace: int, done: int, depth: int) -> Entry:
        start, head = self._begin(begun, done)
        children, closing = self.entries(self.line(brace) + 1, depth + 1)
        if closing >= len(self.text):
            raise Unread
        key = selector(self.text[begun:brace])
        first, last = self.line(brace) + 1, self.line(closing)
        column = begun - self.lines[head]
        if first > last:  # in one line
            return Entry(key, start, head, last + 1, column)
        if any(child.head < first or child.end > last for child in children) or _overlap(children):
            return Entry(key, start, head, last + 1, column)  # several in a line: it is one, or stays as it is
        return Entry(key, start, head, last + 1, column, tuple(children), (first, last))


def _line_starts(texts: Sequence[str]) -> list[int]:
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    return starts


def selector(text: str) -> str:
    """A selector or the head of a rule, without what only its writing has."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return re.sub(r"\s*([,>+~:(){}=|])\s*", r"\1", _SPACE.sub(" ", text).strip()).translate(_QUOTES)
