"""Files of keys as trees of entries that know their lines: YAML by columns, TOML and INI by sections, CSS by braces;
code as the members of its classes, types and objects.

Only what merging needs is told apart: which lines an entry takes, what it is called, and what stands in it. Whatever
can't be told so (two declarations in one line, brackets that don't match) gives no tree rather than a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastedit.anchor.lazy.keys.braced import css_entries
from fastedit.anchor.lazy.keys.entries import Entry, Unread
from fastedit.anchor.lazy.keys.indented import yaml_entries
from fastedit.anchor.lazy.keys.members import member_entries, python_entries
from fastedit.anchor.lazy.keys.sections import ini_entries, toml_entries

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
_READERS: dict[str, Callable[[list[str]], list[Entry]]] = {
    "yaml": yaml_entries, "toml": toml_entries, "ini": ini_entries,
    "css": css_entries, "scss": css_entries, "less": css_entries, "python": python_entries,
    **dict.fromkeys(HOLDING, member_entries),
}  # fmt: skip


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
