"""Reads YAML as entries, by columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fastedit.anchor.lazy.keys.entries import MAX_DEPTH, Entry, Unread, comment_start, indent_of, plain, value_name

_YAML_KEY = re.compile(
    r"""^(?P<key>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#&*!|>'"%@`{}\[\],-][^#]*?|-[^\s#][^#]*?|&\w+\s+[^#]*?|<<)\s*:(?P<value>\s.*|)$"""
)
_YAML_EMPTY = re.compile(r"^\s*(?:[&!][\w./-]*\s*)*(?:#.*)?$")
_BLOCK_SCALAR = re.compile(r"^\s*(?:[&!]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$")
_IDENTITIES = ("id", "name", "repo", "key", "uses", "image", "path", "package-ecosystem", "hostname", "run")
_NAMES = ("name", "id")
_VERSIONED = {"uses": "@", "image": ":"}  # what a version follows


def yaml_entries(texts: list[str]) -> list[Entry]:
    if any("\t" in text[: indent_of(text)] for text in texts):
        raise Unread
    if sum(text.startswith("---") for text in texts) > 1:
        raise Unread
    return _YamlReader(texts).entries(0, len(texts), None, 0)


class _YamlReader:
    """Reads entries by columns; comments and blank lines belong to what stands around them."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.columns = [indent_of(text) for text in texts]
        self.says_nothing = [not text.strip() or text.lstrip().startswith("#") for text in texts]
        for line, text in enumerate(texts):
            if text.startswith(("---", "%")):
                self.says_nothing[line] = True

    def is_comment(self, line: int) -> bool:
        return self.says_nothing[line] and bool(self.texts[line].strip()) and not self.texts[line].startswith("---")

    def entries(self, start: int, end: int, column: int | None, depth: int) -> list[Entry]:
        """The entries in lines [start, end), the first of them at the column. Behind a dash that is in its line."""
        if depth > MAX_DEPTH:
            raise Unread
        heads: list[int] = []
        begins_inside = column is not None
        is_list = False
        for line in range(start, end):
            if self.says_nothing[line] and not (begins_inside and line == start):
                continue
            if column is None:
                column = self.columns[line]
            at = column if begins_inside and line == start else self.columns[line]
            text = self.texts[line][at:]
            if at < column:
                raise Unread
            if at > column:
                continue
            is_dash = text == "-" or text.startswith("- ")
            if not heads:
                is_list = is_dash
            elif (is_dash and not is_list) or text[0] in "]}":
                continue  # a list at its key's column, or the end of brackets
            heads.append(line)
        return self._told_apart(
            [
                self._entry(head, following, column or 0, heads[n - 1] if n else None, start, depth)
                for n, (head, following) in enumerate(zip(heads, (*heads[1:], end), strict=False))
            ]
        )

    def _told_apart(self, entries: list[Entry]) -> list[Entry]:
        """Tells apart the items that begin alike and have no name: all that they hold becomes their key."""
        counts = Counter(entry.key for entry in entries)
        return [
            replace(entry, key=plain("\n".join(self.texts[entry.head : entry.end])), marks=())
            if counts[entry.key] > 1 and entry.marks and entry.marks[0][0] == "first"
            else entry
            for entry in entries
        ]

    def _entry(self, head: int, limit: int, column: int, before: int | None, floor: int, depth: int) -> Entry:
        end = limit
        while (
            end > head + 1
            and self.says_nothing[end - 1]
            and not (self.texts[end - 1].strip() and self.columns[end - 1] > column)
        ):
            end -= 1
        floor = floor if before is None else before + 1
        start = comment_start(self.texts, head, floor, self.is_comment) if self.columns[head] == column else head
        text = self.texts[head][column:]
        if text == "-" or text.startswith("- "):
            return self._item(start, head, end, column, depth)
        found = _YAML_KEY.match(text)
        if found is None:
            return Entry(plain(text), start, head, end, column)
        key = found["key"].strip().strip("\"'")
        if _YAML_EMPTY.match(found["value"]) and not _BLOCK_SCALAR.match(found["value"]):
            inner = self.entries(head + 1, end, None, depth + 1)
            if not inner or inner[0].is_item or _YAML_KEY.match(self.texts[inner[0].head][inner[0].column :]):
                return Entry(key, start, head, end, column, tuple(inner), (head + 1, end))
        return Entry(key, start, head, end, column)

    def _item(self, start: int, head: int, end: int, column: int, depth: int) -> Entry:
        text = self.texts[head][column:]
        rest = text[1:].lstrip()
        at = column + len(text) - len(rest)
        if rest.startswith("#") or not rest:
            inner = self.entries(head + 1, end, None, depth + 1)
        elif _YAML_KEY.match(rest) or rest.startswith("- "):
            inner = self.entries(head, end, at, depth + 1)
        else:
            inner = []
        if not inner:
            value = value_name("\n".join([rest, *self.texts[head + 1 : end]]))
            return Entry(value, start, head, end, column, is_item=True)
        marks = tuple(_marks(self.texts, inner))
        key = "=".join(marks[0]) if marks else plain(rest)
        return Entry(key, start, head, end, column, tuple(inner), (inner[0].head, end), marks, is_item=True)


def _marks(texts: Sequence[str], children: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yields the (kind, value) pairs that tell an item from its neighbours: its name, its action, or how it begins."""
    values = {
        child.key: re.sub(r"\s+#.*$", "", texts[child.head][child.column :].partition(":")[2]).strip().strip("\"'")
        for child in children
        if not child.is_block
    }
    for kind in _IDENTITIES:
        if values.get(kind):
            yield kind, values[kind].partition(_VERSIONED.get(kind, "\n"))[0]
    first = children[0]
    if len(children) == 1 and first.is_block:  # `- job:` with its name below it
        named = [child for child in first.children if child.key in _NAMES and not child.is_block]
        for child in named[:1]:
            value = texts[child.head][child.column :].partition(":")[2]
            yield f"{first.key}.{child.key}", re.sub(r"\s+#.*$", "", value).strip().strip("\"'")
    if first.key not in _IDENTITIES:
        yield "first", f"{first.key}:{values.get(first.key, '')}"
