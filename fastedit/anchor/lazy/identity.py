"""The subject of a line of code by itself: what it declares, imports, assigns, keys or calls.

Also what it opens and closes, and which names it binds or lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fastedit.patterns import pattern

TAB_COLUMNS = 4
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
