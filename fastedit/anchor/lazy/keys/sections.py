"""Reads TOML and INI as entries, by sections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from fastedit.anchor.lazy.keys.entries import Entry, Unread, comment_start, indent_of, value_name

_SECTION = re.compile(r"^\s*(\[{1,2})\s*(.+?)\s*\]{1,2}\s*(?:[#;].*)?$")
_ASSIGNED = re.compile(r"""^\s*(?P<key>"[^"]*"|'[^']*'|[^\s=:\[#;"'][^=:]*?)\s*[=:](?P<value>.*)$""")
_TOML_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_TOML_KEY = re.compile(rf"^\s*(?P<key>{_TOML_PART}(?:\s*\.\s*{_TOML_PART})*)\s*=(?P<value>.*)$")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans("'", '"')


def toml_entries(texts: list[str]) -> list[Entry]:
    return _sections(texts, _TOML_KEY, "#", _toml_value)


def ini_entries(texts: list[str]) -> list[Entry]:
    return _sections(texts, _ASSIGNED, "#;", _ini_value)


_Value = tuple[int, tuple[Entry, ...], tuple[int, int] | None]


def _sections(
    texts: list[str], key: re.Pattern[str], signs: str, value: Callable[[list[str], int, str], _Value]
) -> list[Entry]:
    """The keys before the first section, then the sections with theirs."""

    def is_comment(line: int) -> bool:
        return texts[line].lstrip()[:1] in tuple(signs) and bool(texts[line].strip())

    top: list[Entry] = []
    opened: Entry | None = None
    inside: list[Entry] = []
    line = done = 0
    while line < len(texts):
        text = texts[line]
        if not text.strip() or is_comment(line):
            line += 1
            continue
        start = comment_start(texts, line, done, is_comment)
        section = _SECTION.match(text)
        if section:
            if opened is not None:
                top.append(_closed(texts, opened, inside, done))
            name = section[1] + _SPACE.sub("", section[2]).translate(_QUOTES)
            opened, inside = Entry(name, start, line, line + 1, indent_of(text)), []
            line += 1
        else:
            found = key.match(text)
            if found is None:
                raise Unread
            end, children, inner = value(texts, line, found["value"])
            name = _SPACE.sub("", found["key"]).replace('"', "").replace("'", "")
            entry = Entry(name, start, line, end, indent_of(text), children, inner)
            (inside if opened is not None else top).append(entry)
            line = end
        done = line
    if opened is not None:
        top.append(_closed(texts, opened, inside, done))
    return top


def _closed(texts: list[str], opened: Entry, inside: list[Entry], end: int) -> Entry:
    # Tables of one name are told apart by what they begin with.
    marks = (("first", texts[inside[0].head].strip()),) if inside and opened.key.startswith("[[") else ()
    return replace(opened, end=end, children=tuple(inside), inner=(opened.head + 1, end), marks=marks)


def _toml_value(texts: list[str], line: int, value: str) -> _Value:
    """Finds the end of a value, with the items of a list that has one in each line."""
    closing = next((sign for sign in ('"""', "'''") if value.lstrip().startswith(sign)), "")
    if closing:
        if value.count(closing) > 1:
            return line + 1, (), None
        for at in range(line + 1, len(texts)):
            if closing in texts[at]:
                return at + 1, (), None
        raise Unread
    depth = _depth(value)
    at = line + 1
    while depth > 0 and at < len(texts):
        depth += _depth(texts[at])
        at += 1
    if depth:
        raise Unread
    if at > line + 2 and value.split("#")[0].strip() == "[" and texts[at - 1].strip().startswith("]"):
        items = _listed(texts, line + 1, at - 1)
        if items is not None:
            return at, items, (line + 1, at - 1)
    return at, (), None


def _depth(text: str) -> int:
    bare = re.sub(r"#.*$", "", re.sub(r'"""|' r"'''|" r'"(?:[^"\\]|\\.)*"|' r"'[^']*'", "", text))
    return sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")


def _listed(texts: list[str], start: int, end: int) -> tuple[Entry, ...] | None:
    """The items of a list, one a line or a table over several; None where a line holds more than one."""
    items: list[Entry] = []
    line = start
    done = start
    while line < end:
        text = texts[line].strip()
        if not text or text.startswith("#"):
            line += 1
            continue
        bare = re.sub(r"\s#.*$", "", text).rstrip()
        first = line
        depth = _depth(texts[line])
        line += 1
        while depth > 0 and line < end:
            depth += _depth(texts[line])
            line += 1
        if line == first + 1 and "," in re.sub(r'"(?:[^"\\]|\\.)*"|' r"'[^']*'|\{[^}]*\}|\[[^\]]*\]", "", bare)[:-1]:
            return None
        above = comment_start(texts, first, done, lambda at: texts[at].strip().startswith("#"))
        items.append(Entry(value_name(bare), above, first, line, indent_of(texts[first]), is_item=True))
        done = line
    return tuple(items) or None


def _ini_value(texts: list[str], line: int, value: str) -> _Value:
    """Finds the end of a value: before the next line that isn't indented further; one on lines of its own is a list."""
    at = end = line + 1
    while at < len(texts):
        text = texts[at]
        if text.strip() and indent_of(text) <= indent_of(texts[line]):
            break
        if text.strip():
            end = at + 1
        at += 1
    if value.strip() or end == line + 1:
        return end, (), None
    items = [
        Entry(value_name(texts[at]), at, at, at + 1, indent_of(texts[at]), is_item=True)
        for at in range(line + 1, end)
        if texts[at].strip() and texts[at].strip()[0] not in "#;"
    ]
    if len({item.column for item in items}) > 1:
        return end, (), None
    return end, tuple(items), (line + 1, end)
