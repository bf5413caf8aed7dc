"""Reads which names a line of code binds by importing, declaring or assigning them."""

from __future__ import annotations

import re
from functools import lru_cache

from fastedit.anchor.lazy.lines import identity_of
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
