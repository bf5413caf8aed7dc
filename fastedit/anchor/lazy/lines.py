"""Lines prepared for comparing: what each says without its white space, where it stands, and what it is about.

Of a line of code it is also told what it opens and closes, and which names it binds, imports or lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

from fastedit.edits.wording import comment_text
from fastedit.lines import strings_of
from fastedit.patterns import pattern

TAB_COLUMNS = 4
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

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub(?:\([^)]*\))?|unsafe|inline"
    r"|constexpr|virtual|override|open|suspend|data|sealed|readonly|declare|extern|mut|ref|local|partial|companion"
    r"|@\w+(?:\([^)]*\))?)\s+)*"
)
_DECLARED = re.compile(
    rf"^{_MODIFIERS}(def|class|function\*?|func|fn|interface|struct|enum|trait|type|const|let|var|val|mod|module|record"
    r"|object|namespace|fun|sub|impl|describe|it|test|macro_rules!|typedef|union|protocol|extension|mixin|package|resource"
    r"|variable|output|provider|CREATE TABLE|create table|CREATE INDEX|CREATE VIEW|CREATE FUNCTION|ALTER TABLE|location"
    r"|server|upstream|stage)\b\s*(?:<[^>]*>\s*)?(?:\([^)]*\)\s*(?=\w))?"
    r"(?:IF NOT EXISTS\s+)?([\w$.~:]+(?:\s+for\s+[\w$.]+)?|[\"'`][^\"'`]*[\"'`](?:\s+[\"'][^\"']*[\"'])?"
    r"|\(\s*[\"'`][^\"'`]*|\{[^}]*\}|\[[^\]]*\])"
)
_METHOD = re.compile(r"^(?:[\w<>\[\],.*&:~?@]+\s+)*([\w$#~]+)\s*(?:<[^>]*>)?\([^;]*[{:(,]$")
_ASSIGNED = re.compile(r"^((?:self|this)?[.@$]?[\w.\[\]'\"$@-]+)\s*(?::\s*[^=]{1,60}?)?\s*(?:\?=|:=|\+=|=)(?![=>])")
_KEYED = re.compile(r"^[-*]?\s*[\"']?([\w$@./-]+)[\"']?\s*\??:(?!:)")
_ENTRY = re.compile(r"^(?:[\"']([^\"']{1,80})[\"'],?|[-*+]\s+([^:]{1,80}))$")
_CASE = re.compile(r"^(?:case|when)\s+(.+?)\s*(?::|=>|->|$)")
_ARM = re.compile(r"^([\w:.()|\s,\"'_]{1,60}?)\s*=>")
_IMPORT = re.compile(
    r"^(?:import|from|use|using|#\s*include|require|include"
    r"|export\s*(?:type\s*)?(?:\{|\*)|@use|@import)(?!\w)\s*(.*)$"
)
_QUOTED = re.compile(r"(?:from\s+)?[\"'<]([^\"'>]+)[\"'>]")
_CALLED = re.compile(r"^(?:await\s+|return\s+|yield\s+)?([\w$.:]+)\s*!?\(")
_SELECTOR = re.compile(r"^([&.#@:\w][^;{}]*?)\s*[{,]$")
_TAG = re.compile(r"^<([A-Za-z][\w.:-]*)(.*)$")
_TAG_NAME = re.compile(r"\b(?:id|name|key|for|href|src|type|value)=[\"'{]([^\"'}]*)")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_TABLE = re.compile(r"^\[{1,2}([^\]]+)\]{1,2}$")
# Of a table, at the left edge.
_HEADER = re.compile(r"^\[{1,2}[\w.:\-\"'/* ]*[A-Za-z][\w.:\-\"'/* ]*\]{1,2}\s*(?:[#;].*)?$")
_PARTS = re.compile(r"[^\w-]+")
_DOCSTRING = re.compile(r"[rbuRBU]{0,2}(?:\"{3}|'{3})")
_STATEMENTS = frozenset(
    "if for while switch catch return elif with match await foreach until unless assert raise throw new print else try "
    "except do case when loop select go defer yield del not and or in lambda".split()
)
_NO_KEYS = frozenset("default else try finally public private protected case http https".split())
_COMMENT_SIGNS = ("//", "/*", "--", "<!", "*/", "*", "#", ";", "%", "{/*", "..")
MAX_BALANCED = 2000  # characters of a line that is looked at
_LITERAL = pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|'(?:\\.|[^'\\\s])*'|`[^`]*`")
_REMARK = pattern(r"(?:^|\s)(?://|#|--)\s.*$|/\*.*?\*/")
_DIRECTIVE = pattern(r"#\s*(?:(?P<opens>if)|(?P<closes>endif\b))")
PREPROCESSED = frozenset("c cpp csharp objc swift".split())
# Blocks that end with a word.
_ENDING = {
    "ruby": (
        pattern(r"^(?:def|class|module|if|unless|case|begin|while|until|for)\b|\bdo(?:\s*\|[^|]*\|)?$"),
        pattern(r"^end\b"),
    ),
    "lua": (pattern(r"\bfunction\b|\b(?:then|do)$|^repeat\b"), pattern(r"^(?:end|elseif|until)\b")),
}
_IDENTIFIER = pattern(r"[A-Za-z_$][\w$]*")
_STRING = pattern(r"\"[^\"\n]*\"|'[^'\n]*'")
# A line of Go's imports: the package's other name, if it gets one, and the end of its path.
_GO_PATH = pattern(r"^(?:(?P<alias>[\w.]+)\s+)?\"(?:[^\"]*/)?(?P<end>[\w$]+)\";?$")
_MAY_IMPORT = pattern(
    r"(?:import|from|use|using|require|include|export|const|let|var)\b|#\s*include\b|\w+\s*=\s*require\b"
)
_IMPORT_PATH = pattern(r"(?:use|import|using)\s+[\w.:\\*]+;?$")
_ALIAS = pattern(r"[\w$*]+\s+as\s+")
_LISTING = pattern(r"(?:__all__\s*[+:]?=|module\.exports|export\b|exports?\b|private\b|public\b|attr_\w+)")
_IMPORTING = frozenset(
    "import from as use using require include const let var type typeof static export default pub".split()
)


class Identity(NamedTuple):
    """The subject of a line: a kind (`decl`, `import`, `assign`, `key`, ...) and the name it has of that kind."""

    kind: str
    name: str


@lru_cache(maxsize=16384)  # the readings of an edit ask for the same lines
def identity_of(text: str) -> Identity | None:
    """The identity of a stripped line that declares, imports, assigns, keys or calls something; None for any other."""
    if not text or len(text) > 400:
        return None
    return _marked(text) or _imported(text) or _declared(text) or _mentioned(text)


def _marked(text: str) -> Identity | None:
    """The decorator or the tag that a line begins with."""
    first = text[0]
    if first == "@" and not text.startswith(("@import", "@use")):
        return Identity("decorator", re.split(r"[(\s]", text)[0])
    if first == "#" and text[1:2] == "[":
        return Identity("decorator", text)
    if first == "<":
        found = _TAG.match(text)
        if found:
            name = _TAG_NAME.search(found[2])
            return Identity("tag", f"{found[1]} {name[1]}" if name else found[1])
    return None


def _imported(text: str) -> Identity | None:
    """The identity of a line that imports something."""
    found = _IMPORT.match(text)
    if not found:
        return None
    quoted = _QUOTED.search(text)
    if quoted:
        return Identity("import", quoted[1])
    words = text.split()
    if words[0] == "from" and len(words) > 1:
        return Identity("import", words[1])
    return Identity("import", found[1].split(" as ")[0].strip(";{ ").split("::{")[0])


def _declared(text: str) -> Identity | None:
    """The identity of a line that is the header of a declaration, a case, a heading or a table."""
    found = _DECLARED.match(text)
    if found:
        return Identity("decl", found[2])
    found = _CASE.match(text)
    if found:
        return Identity("case", found[1])
    found = _METHOD.match(text)
    is_call = text.endswith(",") and text.count("(") <= text.count(")")
    if found and not is_call and found[1] not in _STATEMENTS:
        return Identity("decl", found[1])
    found = _HEADING.match(text)
    if found:
        return Identity("heading", found[2])
    found = _TABLE.match(text)
    if found:
        return Identity("table", found[1])
    return None


def _mentioned(text: str) -> Identity | None:
    """The identity of a line that assigns, keys, lists, matches, calls or selects something."""
    found = _ASSIGNED.match(text)
    if found and found[1] not in _STATEMENTS:
        return Identity("assign", found[1])
    found = _KEYED.match(text)
    if found and found[1] not in _NO_KEYS:
        return Identity("key", found[1])
    found = _ENTRY.match(text)
    if found:
        return Identity("entry", found[1] or found[2])
    found = _ARM.match(text)
    if found:
        return Identity("arm", found[1])
    found = _CALLED.match(text)
    if found and found[1] not in _STATEMENTS:
        return Identity("call", found[1])
    found = _SELECTOR.match(text)
    if found and found[1].split("(")[0].strip() not in _STATEMENTS:
        return Identity("selector", found[1])
    return None


def columns_of(line: str) -> int:
    """The indentation of a line in columns, a tab counting `TAB_COLUMNS`."""
    blanks = len(line) - len(line.lstrip(" \t"))
    head = line[:blanks]
    if "\t" not in head:
        return blanks
    return len(head.expandtabs(TAB_COLUMNS))


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


@lru_cache(maxsize=16384)
def opens(text: str, language: str) -> int:
    """Counts how much more a stripped line opens than it closes."""
    if not text or len(text) > MAX_BALANCED:
        return 0
    directive = _DIRECTIVE.match(text) if text[0] == "#" and language in PREPROCESSED else None
    if directive is not None:
        return 1 if directive["opens"] else -1
    if is_comment_text(text):
        return 0
    bare = _REMARK.sub("", _LITERAL.sub("", text)).strip()
    count = sum((char in "([{") - (char in ")]}") for char in bare)
    if language in _ENDING:
        opening, closing = _ENDING[language]
        count += len(opening.findall(bare)) - len(closing.findall(bare))
    return count


def is_comment_text(text: str) -> bool:
    """Whether a stripped line looks like a comment, or a part of one."""
    return text.startswith(_COMMENT_SIGNS)


def imported_names(line: str, language: str) -> list[str]:
    """The names that a line binds by importing them."""
    text = line.strip()
    found = _GO_PATH.match(text) if language == "go" else None
    if found:
        return [found["alias"] or found["end"]]
    if not _MAY_IMPORT.match(text):
        return []
    identity = identity_of(text)
    is_required = identity is not None and identity.kind in ("decl", "assign") and "require(" in text
    if not is_required and (identity is None or identity.kind != "import"):
        return []
    bare = _STRING.sub("", text.split("#")[0].split("//")[0]).strip()
    if text.startswith("from "):
        bare = bare.partition(" import ")[2]
    elif is_required:
        bare = bare.partition("=")[0]
    elif _IMPORT_PATH.match(bare):
        return [name for name in _IDENTIFIER.findall(re.split(r"[.:\\]", bare)[-1]) if name not in _IMPORTING]
    return [name for name in _IDENTIFIER.findall(_ALIAS.sub("", bare)) if name not in _IMPORTING]


@lru_cache(maxsize=8192)  # results of one edit are asked for the same lines
def bound_names(line: str, language: str) -> tuple[str, ...]:
    """The names that a line declares, assigns or imports, for others to use."""
    imported = imported_names(line, language)
    if imported:
        return tuple(imported)
    identity = identity_of(line.strip())
    if identity is None or identity.kind not in ("decl", "assign"):
        return ()
    return tuple(_IDENTIFIER.findall(identity.name)[-1:])


def without_name(line: str, name: str) -> str | None:
    """A line without one of the names that it lists; None where it lists no other, or doesn't list this one."""
    one = rf"(?:type\s+)?['\":]?{re.escape(name)}['\"]?(?:\s+as\s+\w+)?(?![\w$.:(-])"
    first = re.compile(rf"(?<=[\s({{\[,]){one}\s*,\s*(?=[\w'\":{{*$@])")
    last = re.compile(rf"\s*,\s*{one}(?=\s*(?:[)}}\];,]|$|\s(?:from|as)\b))")
    for one_of in (first, last):
        less, count = one_of.subn("", line, count=1)
        if count:
            return less
    return None


def lists_names(line: str) -> bool:
    """Whether a line imports, exports or lists several names."""
    text = line.strip()
    if "," not in text or text.endswith(("{", ":")):
        return False
    found = identity_of(text)
    return (found is not None and found.kind in ("import", "entry")) or bool(_LISTING.match(text))


def source_of(line: str) -> tuple[str, int]:
    """The source that a line imports from, "" where it doesn't say; and the line's column."""
    found = identity_of(line.strip())
    return found.name if found is not None and found.kind == "import" else "", columns_of(line)


def entry_key(line: str) -> str:
    """The text of a line without its white space and the comma behind it."""
    return "".join(line.split()).removesuffix(",")


def is_entry(line: str) -> bool:
    """Whether a line is an entry of a list."""
    found = identity_of(line.strip())
    return found is not None and found.kind == "entry"


def object_key_of(line: str) -> str:
    """The key of an entry of an object; "" for other lines."""
    found = identity_of(line.strip())
    return found.name if found is not None and found.kind == "key" else ""


def used_of(names: set[str], lines: Iterator[str]) -> set[str]:
    """Those of the names that stand in any of the lines."""
    if not names:
        return set()
    any_of = "|".join(map(re.escape, names))
    return set(re.findall(rf"(?<![\w$])(?:{any_of})(?![\w$])", "\n".join(lines)))


def is_named(name: str, line: str) -> bool:
    """Whether a line imports, assigns or keys just this name."""
    identity = identity_of(line.strip())
    if identity is None:
        return False
    is_about = identity.kind in ("import", "assign", "key", "entry")
    short = re.split(r"[./\\:]", identity.name)[-1]
    if is_about and (name in (identity.name, short) or _is_scope(name, identity.name)):
        return not lists_names(line)
    one = re.escape(name)
    text = rf"\bimport\s+(?:type\s+)?\{{?\s*{one}\s*(?:as {one})?\s*\}}?(?:\s*;|\s*$|\s+from\b)"
    return identity.kind == "import" and re.search(text, line) is not None


def _is_scope(name: str, whole: str) -> bool:
    """Whether a name is the scope of a package: `@scope` of `@scope/name`."""
    return name.startswith("@") and whole.startswith(f"{name}/")
