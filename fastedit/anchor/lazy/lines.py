"""Lines prepared for comparing: what each says without its white space, where it stands, and what it is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice

from fastedit.anchor.lazy.identity import TAB_COLUMNS, Identity, columns_of, identity_of, is_comment_text
from fastedit.edits.wording import comment_text
from fastedit.lines import strings_of

MAX_STATEMENT = 30  # lines
MAX_COMMENTS = 1000

WORD = re.compile(r"[A-Za-z_$][\w$]*|\d+")
NAME = re.compile(r"[A-Za-z_$][\w$-]*\w")
# White space but blanks, tabs and line feeds.
_ODD_SPACE = re.compile("[\x0b-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
# Lines [start, end) of the original that become others.
Change = tuple[int, int, Sequence[str]]
KEY_WORD = re.compile(r"[^\W\d]\w{2,}")
LINE_COMMENT = re.compile(r"\s+(?:#|//|--)\s.*$")  # behind code
DOTS = re.compile(r"\.{3,}|…")
CLOSER = re.compile(
    r"^(?:[\])}>;,\s]+|</[\w.:-]*>[);,]*|/>|(?:end|fi|done|esac|else|pass|break|return|continue|endif|then|do|begin|try|finally)"
    r"\s*[;:{]?|#endif|\{?/?\*+/?\}?|}\s*else\s*\{|else\s*\{|default:|<!?-?-?>?|\"\"\"|'''|-{3,})$"
)
OPENER = re.compile(r"[({\[:]\s*(?:#.*|//.*)?$|\b(?:do|then|begin)\s*(?:\|[^|]*\|)?$|=>\s*[({\[]?$|<[A-Za-z][^<>/]*>$")

# Of a table, at the left edge.
_HEADER = re.compile(r"^\[{1,2}[\w.:\-\"'/* ]*[A-Za-z][\w.:\-\"'/* ]*\]{1,2}\s*(?:[#;].*)?$")
_PARTS = re.compile(r"[^\w-]+")
_DOCSTRING = re.compile(r"[rbuRBU]{0,2}(?:\"{3}|'{3})")


def unwrapped(text: str) -> str:
    """The text without white space and without the commas that a formatter puts before closing brackets."""
    return re.sub(r",([)\]}])", r"\1", "".join(text.split()))


class Identities(Mapping[Identity, list[int]]):
    """identity → the lines that have it. Where one is asked for, only the lines with its name in them are looked at."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._found: dict[Identity, list[int]] = {}
        self._named: dict[str, bool] = {}
        self._text = "\n".join(lines.stripped)

    @cached_property
    def _offsets(self) -> list[int]:
        return [0, *accumulate(len(text) + 1 for text in self._lines.stripped)]

    def __contains__(self, identity: object) -> bool:
        return isinstance(identity, Identity) and bool(self.get(identity))

    def __getitem__(self, identity: Identity) -> list[int]:
        if identity not in self._found:
            name = identity.name.split(" ")[0] if identity.kind == "tag" else identity.name
            lines = self._lines_with(name) if name else range(len(self._lines))
            self._found[identity] = [line for line in lines if self._lines.identity(line) == identity]
        if not self._found[identity]:
            raise KeyError(identity)
        return self._found[identity]

    def has_name(self, word: str) -> bool:
        """Whether a word is the name, or part of the name, that a line declares, imports, assigns or keys."""
        if word not in self._named:
            self._named[word] = any(
                found is not None and word in _PARTS.split(found.name)
                for found in map(self._lines.identity, self._lines_with(word))
            )
        return self._named[word]

    def _lines_with(self, text: str) -> Iterator[int]:
        at = self._text.find(text)
        while at >= 0:
            line = bisect_right(self._offsets, at) - 1
            yield line
            at = self._text.find(text, self._offsets[line + 1])

    @cached_property
    def _all(self) -> dict[Identity, list[int]]:
        places: defaultdict[Identity, list[int]] = defaultdict(list)
        for line in range(len(self._lines)):
            found = self._lines.identity(line)
            if found is not None:
                places[found].append(line)
        return dict(places)

    def __iter__(self) -> Iterator[Identity]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _keys_of(texts: Sequence[str]) -> list[str]:
    """The texts without any white space."""
    joined = "\n".join(texts)
    if _ODD_SPACE.search(joined) is None:
        keys = joined.replace(" ", "").replace("\t", "").split("\n")
        if len(keys) == len(texts):
            return keys
    return ["".join(text.split()) for text in texts]


class Lines:
    """Lines with what comparing needs; the costly parts are made when first asked for.

    texts: without line ends. stripped: without white space at either end. keys: without any white space.
    columns: of the indentation; -1 for blank lines.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.stripped = [text.strip() for text in self.texts]
        self.keys = _keys_of(self.stripped)
        self._identities: dict[int, Identity | None] = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._in_strings: dict[str, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def columns(self) -> list[int]:
        return [columns_of(text) if key else -1 for text, key in zip(self.texts, self.keys, strict=True)]

    def identity(self, line: int) -> Identity | None:
        """The line's identity, see `identity_of`."""
        if line not in self._identities:
            self._identities[line] = identity_of(self.stripped[line])
        return self._identities[line]

    def in_strings(self, language: str) -> frozenset[int]:
        """The lines that start inside of a string. A docstring is indented like code, and counts as such."""
        if language not in self._in_strings:
            found = strings_of(self.texts, language)
            strings = (string for string in found if not _DOCSTRING.match(self.stripped[string.start - 1]))
            self._in_strings[language] = frozenset(line for string in strings for line in string)
        return self._in_strings[language]

    def is_comment(self, line: int) -> bool:
        """Whether the line looks like a comment, or a part of one."""
        text = self.stripped[line]
        return text[:2] in ("//", "/*", "--", "<!", "..", "{#", "{/") or text[:1] in ("#", "*", ";", "%")

    @cached_property
    def comments(self) -> tuple[str, ...]:
        """The words of the comments that fill lines; of long files, of the first `MAX_COMMENTS`."""
        texts = (text for text in self.stripped if is_comment_text(text))
        return tuple(islice(filter(None, map(comment_text, texts)), MAX_COMMENTS))

    def beside(self, start: int, end: int) -> tuple[int, int]:
        """The lines before and behind [start, end) that aren't blank; -1, and the number of lines, where none is."""
        before, behind = start - 1, end
        while before >= 0 and not self.keys[before]:
            before -= 1
        while behind < len(self.keys) and not self.keys[behind]:
            behind += 1
        return before, behind

    def words(self, line: int) -> tuple[str, ...]:
        """The words and numbers of the line in their order."""
        if line not in self._words:
            self._words[line] = tuple(WORD.findall(self.stripped[line]))
        return self._words[line]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """key → the lines that have it, ascending; blank lines left out."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for line, key in enumerate(self.keys):
            if key:
                places[key].append(line)
        return dict(places)

    @cached_property
    def remarked(self) -> dict[str, list[int]]:
        """key of the code before a comment → the lines that are such code with a comment behind it, ascending."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for line, text in enumerate(self.stripped):
            code = LINE_COMMENT.sub("", text)
            if code != text and (key := "".join(code.split())):
                places[key].append(line)
        return dict(places)

    @cached_property
    def identities(self) -> Identities:
        """identity → the lines that have it."""
        return Identities(self)

    @cached_property
    def word_places(self) -> dict[str, list[int]]:
        """word → the lines that have it."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for line, text in enumerate(self.stripped):
            for word in set(WORD.findall(text)):
                places[word].append(line)
        return dict(places)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of three and more letters."""
        return frozenset(word for word in self.word_places if len(word) > 2)

    @cached_property
    def key_words(self) -> frozenset[str]:
        """The words of three and more letters in the lines without white space."""
        return frozenset(KEY_WORD.findall("\n".join(self.keys)))

    @cached_property
    def is_trivial(self) -> list[bool]:
        """Whether each line says too little to find a place by: brackets, `else:`, `return`."""
        return [len(key) <= 2 or bool(CLOSER.match(text)) for key, text in zip(self.keys, self.stripped, strict=True)]

    @cached_property
    def depths(self) -> list[int]:
        """The depth of each line, which stands in the nearest one above it of less depth; -1 for blank ones.

        It goes by the column, but lines below a table's header (`[tool.ruff]`) stand in the table, and items
        (`- name: lint`) in a key above them that has their column.
        """
        return [
            -1 if columns < 0 else _depth(columns, text)
            for columns, text in zip(self.columns, self.stripped, strict=True)
        ]

    @cached_property
    def parents(self) -> list[int]:
        """For each line the line that it stands in, in a block not closed yet, see `depths`.

        -1 where it stands in none. A closing bracket begins no block. What a blank line gets says nothing.
        """
        result: list[int] = []
        stack: list[int] = []
        for line, (depth, text) in enumerate(zip(self.depths, self.stripped, strict=True)):
            if depth < 0:
                result.append(stack[-1] if stack else -1)
                continue
            while stack and self.depths[stack[-1]] >= depth:
                stack.pop()
            result.append(stack[-1] if stack else -1)
            if not (text[0] in ")]}" and len(text) <= 3):
                stack.append(line)
        return result

    def ancestors(self, line: int) -> list[int]:
        """The lines that the line stands in, from the innermost outwards."""
        result: list[int] = []
        at = self.parents[line]
        while at >= 0:
            result.append(at)
            at = self.parents[at]
        return result

    def statement_span(self, line: int) -> int:
        """Counts the lines of the statement that begins in a line with an open bracket; 1 where none is open."""
        for opening, closing in (("([", ")]"), ("{", "}")):
            depth = 0
            for at in range(line, min(len(self), line + MAX_STATEMENT)):
                text = self.stripped[at]
                depth += sum(text.count(bracket) for bracket in opening)
                depth -= sum(text.count(bracket) for bracket in closing)
                if depth <= 0:
                    if at > line:
                        return at - line + 1
                    break
        return 1

    @cached_property
    def indent_unit(self) -> str:
        """One level of indentation as this text writes it: a tab, or the commonest step in blanks."""
        steps: Counter[int] = Counter()  # of blocks
        wraps: Counter[int] = Counter()  # of statements that go on
        num_tabs = num_indented = previous = 0
        is_open = False
        for text, columns, stripped in zip(self.texts, self.columns, self.stripped, strict=True):
            if columns < 0 or stripped[0] == "*":  # the lines of a comment stand one further right
                continue
            if columns:
                num_indented += 1
                num_tabs += text[0] == "\t"
            if columns > previous:
                (wraps if is_open else steps)[columns - previous] += 1
            previous, is_open = columns, stripped[-1] in "([,"
        if num_indented and num_tabs * 2 > num_indented:
            return "\t"
        for counts in (steps, wraps):
            likely = {step: count for step, count in counts.items() if step in (1, 2, 3, 4, 8)}
            if likely:
                return " " * max(likely, key=lambda step: (likely[step], step))
        return " " * TAB_COLUMNS

    @cached_property
    def lines_at(self) -> dict[int, list[int]]:
        """Columns → the lines that are indented so far, ascending."""
        result: defaultdict[int, list[int]] = defaultdict(list)
        for line, columns in enumerate(self.columns):
            result[columns].append(line)
        return dict(result)

    @cached_property
    def columns_below_blanks(self) -> frozenset[int]:
        """The columns of the lines that have a blank one right before them."""
        keys = self.keys
        return frozenset(self.columns[line] for line in range(1, len(keys)) if not keys[line - 1])

    @cached_property
    def next_columns(self) -> list[int]:
        """For each position 0..n the columns of the first line at or behind it that isn't blank; -1 at the end."""
        result = [-1] * (len(self) + 1)
        for line in range(len(self) - 1, -1, -1):
            result[line] = self.columns[line] if self.columns[line] >= 0 else result[line + 1]
        return result

    @cached_property
    def previous_columns(self) -> list[int]:
        """For each position 0..n the columns of the last line before it that isn't blank; -1 at the start."""
        result = [-1] * (len(self) + 1)
        for line in range(len(self)):
            result[line + 1] = self.columns[line] if self.columns[line] >= 0 else result[line]
        return result


def _depth(columns: int, text: str) -> int:
    """The depth of a stripped line, see `Lines.depths`."""
    if not columns and _HEADER.match(text):
        return 0
    return 2 * columns + 1 + text.startswith("- ")
