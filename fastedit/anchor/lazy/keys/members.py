"""Reads code as entries: what stands in classes, types, objects, messages and services, by brackets or by columns.

Bodies of functions are no entries: a method is one, whatever stands in it. Not read by the languages' grammars, since
the snippets to be read the same way are no whole files: they begin anywhere and leave out what they like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from fastedit.anchor.lazy.keys.entries import MAX_DEPTH, Entry, Unread, indent_of, plain

# Strings that no quote ends: looking for it from each of many quotes would take the square of a line's length.
_DOUBLE = r"\"(?:[^\"\\\n]|\\.)*(?:\"|(?=\n|\Z))"
_SINGLE = r"'(?:[^'\\\n]|\\.){0,400}'"
_TOKEN = re.compile(
    rf"/\*.*?(?:\*/|\Z)|//[^\n]*|{_DOUBLE}|{_SINGLE}|`(?:[^`\\]|\\.)*(?:`|\Z)|[()\[\]{{}}]|[^/\"'`()\[\]{{}}]+|.",
    re.DOTALL,
)
_PYTHON_TOKEN = re.compile(
    rf"#[^\n]*|\"{{3}}.*?(?:\"{{3}}|\Z)|'{{3}}.*?(?:'{{3}}|\Z)|{_DOUBLE}|{_SINGLE}|[()\[\]{{}}]|[^#\"'()\[\]{{}}]+|.",
    re.DOTALL,
)
_STRING = re.compile(rf"{_DOUBLE}|{_SINGLE}|`[^`]*`")
_HELD = re.compile(
    r"\b(class|interface|enum|struct|trait|impl|protocol|service|message|oneof|namespace|module|object|record|extension"
    r"|union)\s+(?:class\s+)?([\w$.:]+)"
)
_FUNCTION = re.compile(r"(?:\)|=>)\s*\{$|\)\s*(?:->|:)\s*[^={}]*\{$|\)\s*(?:throws|where|const|override)\b[^{}]*\{$")
_CONTROL = re.compile(r"^(?:if|else|for|foreach|while|switch|try|catch|finally|do|match|return|loop|unsafe|when)\b")
_MODIFIER = re.compile(
    r"^(?:(?:export|default|declare|public|private|protected|internal|static|abstract|async|readonly|final|override|open"
    r"|const|let|var|val|type|pub(?:\([^)]*\))?|mut|virtual|inline|sealed|partial|data|fun|fn|func|function|def|repeated"
    r"|optional|required|lateinit|volatile|synchronized|native|unsafe|extern|new)\s+)+"
)
_ACCESSOR = re.compile(r"^((?:get|set|rpc)\s+#?[\w$]+)\s*\(")
_NAMED = re.compile(r"^(?:#|\.\.\.)?([\w$-]+|\[[^\]]*\])\s*[?!]?\s*(?:<[^=;{}]*>\s*)?(?:[:={(,;]|$)")
_TYPED = re.compile(r"^[\w$.<>\[\],?*&: ]+[\s*&]([\w$]+)\s*(?:\[[^\]]*\]\s*)?(?:[=;({,]|$)")
_FIELD = re.compile(r"^([\w$]+)\s")
_DECORATED = re.compile(r"^(?:@[\w.]+(?:\([^()]*\))?\s*|#\[[^\]]*\]\s*)+")
# Beginnings of lines that go on with the statement above them, and ends of those that go on below.
_GOES_ON = re.compile(r"^(?:[.?|&+:=)\]}<]|&&|\{\s*$|(?:else|catch|finally|extends|implements|where|throws)\b)")
_OPEN_ENDED = re.compile(r"(?:=>?|[|&+<?:(]|\b(?:extends|implements|return))$")
_SCRIPT = re.compile(r"^\s*<script\b[^>]*>\s*$")
_PYTHON_HEAD = re.compile(r"^(class|(?:async\s+)?def)\s+(\w+)")
_PYTHON_ASSIGNED = re.compile(r"^([\w.]+)\s*(?::[^=]|=(?!=)|:$)")
_IMPORT = re.compile(r"^(?:import\b|from\b|use\b|using\b|#include\b|package\b)")
MAX_HEADER = 8  # lines


def member_entries(texts: list[str]) -> list[Entry]:
    """The entries of code in braces; of a page with a script those of the script."""
    start, end = _script(texts)
    reader = _Reader(texts, _TOKEN, ("//", "/*"))
    entries = reader.entries(start, end, 0)
    if not entries or reader.depths[end] != reader.depths[start]:
        raise Unread
    return entries


def python_entries(texts: list[str]) -> list[Entry]:
    """The entries of a Python module: what stands in classes, all else whole."""
    reader = _Reader(texts, _PYTHON_TOKEN, ("#",))
    return reader.indented(0, len(texts), 0)


def _script(texts: Sequence[str]) -> tuple[int, int]:
    """The lines [start, end) of the script in a page; all of them where there is none."""
    start = next((line + 1 for line, text in enumerate(texts) if _SCRIPT.match(text)), 0)
    if not start:
        return 0, len(texts)
    return start, next((line for line in range(start, len(texts)) if "</script>" in texts[line]), len(texts))


class _Reader:
    """Reads entries of some lines.

    depths: of brackets before each line, and behind the last. codes: the lines without comments, strings as they are.
    is_inside: whether a line begins inside of a string or a comment.
    """

    def __init__(self, texts: list[str], token: re.Pattern[str], signs: tuple[str, ...]) -> None:
        self.texts = texts
        self.depths = [0]
        self.is_inside = [False]
        codes: list[list[str]] = [[]]
        depth = 0
        first, last = _script(texts)
        text = "\n".join(["" if not first <= line < last else one for line, one in enumerate(texts)])
        for found in token.finditer(text):
            part = found[0]
            if part in ("(", "[", "{"):
                depth += 1
            elif part in (")", "]", "}"):
                depth -= 1
            is_note = part.startswith(signs)
            is_whole = is_note or (len(part) > 1 and part[0] in "\"'`")
            for number, line in enumerate(part.split("\n")):
                if number:
                    self.depths.append(depth)
                    self.is_inside.append(is_whole)
                    codes.append([])
                if not is_note:
                    codes[-1].append(line)
        self.depths.append(depth)
        self.codes = ["".join(parts).strip() for parts in codes]
        if depth or min(self.depths) < 0:
            raise Unread

    def entries(self, first: int, last: int, level: int) -> list[Entry]:
        """The entries that begin in the lines [first, last) of a block."""
        if level > MAX_DEPTH:
            raise Unread
        result: list[Entry] = []
        at, floor, depth = first, first, self.depths[first]
        while at < last:
            if not self.codes[at] or self.is_inside[at]:
                at += 1
                continue
            end = self._end(at, last, depth)
            result.append(self._entry(at, end, floor, level))
            at = floor = end
        if any(one.end > other.head for one, other in pairwise(result)):
            raise Unread
        return result

    def _end(self, at: int, last: int, depth: int) -> int:
        """The line behind the statement or block that begins in a line."""
        end = at
        while end < last:
            end += 1
            if self.depths[end] > depth or (end < last and self.is_inside[end]):
                continue
            if self.depths[end] < depth:
                raise Unread
            code = self.codes[end - 1]
            following = next((line for line in range(end, last) if self.codes[line]), last)
            is_decorator = code.startswith(("@", "#[")) and following < last
            goes_on = code != "" and _OPEN_ENDED.search(code) is not None
            if following < last and (is_decorator or goes_on or _GOES_ON.match(self.codes[following])):
                end = following
                continue
            return end
        return last

    def _start(self, head: int, floor: int) -> int:
        """The first line of the comments that stand directly above a line."""
        start = head
        while start > floor and not self.codes[start - 1] and self.texts[start - 1].strip():
            start -= 1
        return start

    def _entry(self, head: int, end: int, floor: int, level: int) -> Entry:
        column = indent_of(self.texts[head])
        start = self._start(head, floor)
        code = " ".join(one for one in self.codes[head:end] if one)
        opener = self._opener(head, end)
        if opener is None:
            return Entry(_key_of(code), start, head, end, column, text=plain(code))
        header = " ".join(one for one in self.codes[head : opener + 1] if one)
        key = _key_of(header)
        if not is_held(header):
            return Entry(key, start, head, end, column, text=plain(code))
        inner = opener + 1, end - 1
        return Entry(key, start, head, end, column, tuple(self.entries(*inner, level + 1)), inner)

    def _opener(self, head: int, end: int) -> int | None:
        """The line that opens the block which an entry is; None where it is none, or stands in one line."""
        depth = self.depths[head]
        if end - head < 2 or not self.codes[end - 1].startswith("}"):
            return None
        for line in range(head, min(end - 1, head + MAX_HEADER)):
            opened = self.depths[line + 1] - depth
            if opened and self.codes[line].endswith("{") and opened in (1, 2):
                inner = self.depths[line + 1]
                is_one = all(self.depths[at] >= inner for at in range(line + 1, end))
                return line if is_one else None
        return None

    def indented(self, first: int, last: int, level: int) -> list[Entry]:
        """The entries of Python that begin in the lines [first, last) of a block."""
        result: list[Entry] = []
        lines = [at for at in range(first, last) if self._begins(at)]
        if not lines or level > MAX_DEPTH:
            return result
        column = min(indent_of(self.texts[at]) for at in lines)
        heads = [at for at in lines if indent_of(self.texts[at]) == column]
        if heads[0] != lines[0]:
            raise Unread
        heads = [at for at, before in zip(heads, [-1, *heads], strict=False) if not self._is_decorated(before)]
        floor = first
        for number, head in enumerate(heads):
            limit = heads[number + 1] if number + 1 < len(heads) else last
            end = limit
            while end > head + 1 and not self._is_code(end - 1):
                end -= 1
            result.append(self._indented_entry(head, end, floor, level))
            floor = end
        return result

    def _is_decorated(self, line: int) -> bool:
        return line >= 0 and self.codes[line].startswith("@")

    def _begins(self, line: int) -> bool:
        """Whether a statement begins in a line."""
        return bool(self.codes[line]) and not self.is_inside[line] and self.depths[line] == 0

    def _is_code(self, line: int) -> bool:
        return bool(self.codes[line]) or self.is_inside[line]

    def _indented_entry(self, head: int, end: int, floor: int, level: int) -> Entry:
        column = indent_of(self.texts[head])
        start = self._start(head, floor)
        line = head
        while line < end - 1 and (self.codes[line].startswith("@") or self.depths[line] or not self.codes[line]):
            line += 1
        found = _PYTHON_HEAD.match(self.codes[line])
        code = " ".join(one for one in self.codes[head:end] if one)
        assigned = _PYTHON_ASSIGNED.match(self.codes[line])
        if found is None:
            is_doc = self.codes[line].lstrip("rR").startswith(('"""', "'''"))
            key = '"""' if is_doc else _import_key(code) if _IMPORT.match(code) else assigned[1] if assigned else ""
            key = key or plain(code)
            return Entry(key, start, head, end, column, text=plain(code))
        accessor = re.search(r"@\w+\.(setter|deleter|getter|overload)|@(?:typing\.)?(overload)", code)
        key = f"{found[2]}{' ' + (accessor[1] or accessor[2]) if accessor else ''}"
        inner = next((at + 1 for at in range(line, end) if self.depths[at + 1] == 0), end)
        if found[1] != "class" or inner >= end:
            return Entry(key, start, head, end, column, text=plain(code))
        return Entry(key, start, head, end, column, tuple(self.indented(inner, end, level + 1)), (inner, end))


def is_held(header: str) -> bool:
    """Whether the header of a block opens one of members, not of statements."""
    bare = _DECORATED.sub("", _STRING.sub("s", header))
    if _HELD.search(bare):
        return True
    return not _FUNCTION.search(bare) and not _CONTROL.match(bare)


def _import_key(code: str) -> str:
    """The name of an import: the kind of line it is, and the file or module that it is of."""
    word, _, rest = code.partition(" ")
    of_file = re.search(r"(['\"])([^'\"]+)\1[\s;]*$", code) if word == "import" else None
    if of_file:
        return f"import {of_file[2]}"
    return f"from {rest.split()[0]}" if word == "from" and " import" in rest else f"{word} {plain(rest)}"


def _key_of(code: str) -> str:
    """The name of a member by its code in one line."""
    code = _DECORATED.sub("", code)
    if _IMPORT.match(code):
        return _import_key(code)
    held = _HELD.search(code.partition("{")[0]) if code.rstrip().endswith("{") else None
    if held and "(" not in code[: held.start()] and ":" not in code[: held.start()]:
        return f"{held[1]} {held[2]}"
    if code.startswith(("export default", "module.exports")):
        return "default"
    bare = _MODIFIER.sub("", code)
    found = _ACCESSOR.match(bare)
    if found:
        return " ".join(found[1].split())
    unquoted = re.sub(r"^(['\"])([^'\"]+)\1(?=\s*[:?,])", r"\2", bare)
    if unquoted != bare:
        return re.match(r"[^:?,]*", unquoted)[0].strip()  # type: ignore[index]
    found = _NAMED.match(bare)
    if found:
        return plain(found[1])
    typed = _TYPED.match(bare)
    if typed:
        return typed[1]
    field = _FIELD.match(bare)
    return field[1] if field and len(bare.split()) <= 4 else plain(bare)
