"""Reads the names that a line of code imports, declares or assigns, those that it lists, and the one it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from fastedit.anchor.lazy.lines import columns_of, identity_of
from fastedit.patterns import pattern

_WORD = pattern(r"[A-Za-z_$][\w$]*")
_STRING = pattern(r"\"[^\"\n]*\"|'[^'\n]*'")
# A line of Go's imports: the package's other name, if it gets one, and the end of its path.
_GO_PATH = pattern(r"^(?:(?P<alias>[\w.]+)\s+)?\"(?:[^\"]*/)?(?P<end>[\w$]+)\";?$")
_MAY_IMPORT = pattern(
    r"(?:import|from|use|using|require|include|export|const|let|var)\b|#\s*include\b|\w+\s*=\s*require\b"
)
_PATH = pattern(r"(?:use|import|using)\s+[\w.:\\*]+;?$")
_RENAMED = pattern(r"[\w$*]+\s+as\s+")
_LISTING = pattern(r"(?:__all__\s*[+:]?=|module\.exports|export\b|exports?\b|private\b|public\b|attr_\w+)")
_KEYWORDS = frozenset(
    "import from as use using require include const let var type typeof static export default pub".split()
)


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
    elif _PATH.match(bare):
        return [name for name in _WORD.findall(re.split(r"[.:\\]", bare)[-1]) if name not in _KEYWORDS]
    return [name for name in _WORD.findall(_RENAMED.sub("", bare)) if name not in _KEYWORDS]


@lru_cache(maxsize=8192)  # results of one edit are asked for the same lines
def bound_names(line: str, language: str) -> tuple[str, ...]:
    """The names that a line declares, assigns or imports, for others to use."""
    imported = imported_names(line, language)
    if imported:
        return tuple(imported)
    identity = identity_of(line.strip())
    if identity is None or identity.kind not in ("decl", "assign"):
        return ()
    return tuple(_WORD.findall(identity.name)[-1:])


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


def key_of(line: str) -> str:
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
