"""Whether a declaration of a snippet is one of the original's under another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastedit.anchor.alike import normal_form
from fastedit.anchor.text import key_of
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import LineKind

if TYPE_CHECKING:
    from fastedit.anchor.similarity import Similarity

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_RUN = re.compile(r"[\w$]+")


class Renames:
    """Compares declarations of two texts whose names differ."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self.snippet = similarity.snippet
        self.original = similarity.original

    def is_renamed(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet's declaration is the original's with nothing but another name, wherever it says it."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        lines = self.original.table.lines[theirs.head : theirs.end]
        renamed = normal_form("".join(key_of(_with_word(line, old, new)) for line in lines))
        return renamed == self.similarity.flat(mine, self.snippet.table)

    def has_renamed_header(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the two headers are the same but for the name."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        lines = self.original.table.lines[theirs.head : theirs.body]
        renamed = normal_form("".join(key_of(_with_word(line, old, new)) for line in lines))
        return renamed == self.similarity.header(mine, self.snippet.table)

    def overlap(self, mine: Unit, theirs: Unit) -> float:
        """As `Similarity.overlap`, with the original's name for the snippet's."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        kinds = self.snippet.kinds
        there = set(self.original.table.keys[theirs.body : theirs.close])
        found = total = 0.0
        for line in range(mine.body, mine.close):
            key = self.snippet.table.keys[line]
            if not key or (kinds is not None and kinds[line] is not LineKind.CODE):
                continue
            before = key if key in there else key_of(_with_word(self.snippet.table.lines[line], new, old))
            weight = self.similarity.weight(before)
            total += weight
            found += weight if before in there else 0.0
        return found / total if total else 1.0

    def is_used_renamed(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet shows lines of the original, not of the declaration itself, with the new name in them."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        places = self.original.table.places
        for number, line in enumerate(self.snippet.table.lines):
            if mine.start <= number < mine.end or new not in line or self.snippet.table.keys[number] in places:
                continue
            before = _with_word(line, new, old)
            if before != line and key_of(before) in places:
                return True
        return False


def _last_word(name: str) -> str:
    words: list[str] = _WORD.findall(name)
    return words[-1] if words else name


def _with_word(line: str, old: str, new: str) -> str:
    """The line with one word for another."""
    if old not in line:
        return line
    # A pattern of each name's own would take longer to compile than all else that is done with it.
    return _RUN.sub(lambda found: new if found.group() == old else found.group(), line)
