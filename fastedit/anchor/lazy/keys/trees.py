"""Files of keys as trees of entries that know their lines: YAML by columns, TOML and INI by sections, CSS by braces;
code as the members of its classes, types and objects.

Only what merging needs is told apart: which lines an entry takes, what it is called, and what stands in it. Whatever
can't be told so (two declarations in one line, brackets that don't match) gives no tree rather than a wrong one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from fastedit.anchor.lazy.keys.entries import MAX_DEPTH, Entry, Unread, comment_start, indent_of, plain, value_name
from fastedit.anchor.lazy.keys.members import member_entries, python_entries

INDENTED = frozenset({"yaml"})
SECTIONED = frozenset({"toml", "ini"})
BRACED = frozenset({"css", "scss", "less"})
JSON = frozenset({"json", "jsonc", "json5"})
LANGUAGES = INDENTED | SECTIONED | BRACED  # whose files are read as trees of entries
KEYED = LANGUAGES | JSON
# Code whose classes, types and objects are read as entries where a snippet shows but some of what they hold.
HOLDING = frozenset(
    "javascript typescript tsx vue svelte proto java kotlin swift csharp dart groovy go rust php scala".split()
)
CODE = HOLDING | {"python"}
_YAML_KEY = re.compile(
    r"""^(?P<key>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#&*!|>'"%@`{}\[\],-][^#]*?|-[^\s#][^#]*?|&\w+\s+[^#]*?|<<)\s*:(?P<value>\s.*|)$"""
)
_YAML_EMPTY = re.compile(r"^\s*(?:[&!][\w./-]*\s*)*(?:#.*)?$")
_BLOCK_SCALAR = re.compile(r"^\s*(?:[&!]\S+\s+)*[|>][-+\d]*\s*(?:#.*)?$")
_IDENTITIES = ("id", "name", "repo", "key", "uses", "image", "path", "package-ecosystem", "hostname", "run")
_NAMES = ("name", "id")
_VERSIONED = {"uses": "@", "image": ":"}  # what a version follows
_SECTION = re.compile(r"^\s*(\[{1,2})\s*(.+?)\s*\]{1,2}\s*(?:[#;].*)?$")
_ASSIGNED = re.compile(r"""^\s*(?P<key>"[^"]*"|'[^']*'|[^\s=:\[#;"'][^=:]*?)\s*[=:](?P<value>.*)$""")
_TOML_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_TOML_KEY = re.compile(rf"^\s*(?P<key>{_TOML_PART}(?:\s*\.\s*{_TOML_PART})*)\s*=(?P<value>.*)$")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans("'", '"')
_PROPERTY = re.compile(r"^((?:[\w@$*-]|#\{[^}]*\}|@\{[^}]*\})+)\s*:(?!\w)")


def entries_of(texts: Sequence[str], language: str) -> Entry | None:
    """The root of a text's tree; None where the language has none, or the text is none of its kind."""
    reader = _READERS.get(language)
    if reader is None:
        return None
    try:
        children = reader(list(texts))
    except Unread:
        return None
    if not children:
        return None
    return Entry("", 0, 0, len(texts), -1, tuple(children), (0, len(texts)))


# ---- YAML ------------------------------------------------------------------------------------------------------------


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


# ---- TOML and INI ----------------------------------------------------------------------------------------------------


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


# ---- style sheets ----------------------------------------------------------------------------------------------------


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


_READERS: dict[str, Callable[[list[str]], list[Entry]]] = {
    "yaml": yaml_entries, "toml": toml_entries, "ini": ini_entries,
    "css": css_entries, "scss": css_entries, "less": css_entries, "python": python_entries,
    **dict.fromkeys(HOLDING, member_entries),
}  # fmt: skip
