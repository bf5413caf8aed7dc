"""Counts what lines open and close, so that a search can look for a result in which both go together.

Each step of a path may be the likeliest one and the result still lack a brace: whether brackets match is known of whole
results only. But it is a sum over lines, so a search that pays for each line that opens (or closes) more than it closes
finds the likeliest paths that come out even.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fastedit.anchor.lazy.message import is_comment_text
from fastedit.patterns import pattern

if TYPE_CHECKING:
    from fastedit.anchor.lazy.grid import Grid
    from fastedit.anchor.lazy.plan import PathPlan

MAX_LENGTH = 2000  # characters of a line that is looked at
_STRING = pattern(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'|'(?:\\.|[^'\\\s])*'|`[^`]*`")
_NOTE = pattern(r"(?:^|\s)(?://|#|--)\s.*$|/\*.*?\*/")
_DIRECTIVE = pattern(r"#\s*(?:(?P<opens>if)|(?P<closes>endif\b))")
_PREPROCESSED = frozenset("c cpp csharp objc swift".split())
# Blocks that end with a word.
_ENDING = {
    "ruby": (
        pattern(r"^(?:def|class|module|if|unless|case|begin|while|until|for)\b|\bdo(?:\s*\|[^|]*\|)?$"),
        pattern(r"^end\b"),
    ),
    "lua": (pattern(r"\bfunction\b|\b(?:then|do)$|^repeat\b"), pattern(r"^(?:end|elseif|until)\b")),
}


@lru_cache(maxsize=16384)
def opens(text: str, language: str) -> int:
    """Counts how much more a stripped line opens than it closes."""
    if not text or len(text) > MAX_LENGTH:
        return 0
    directive = _DIRECTIVE.match(text) if text[0] == "#" and language in _PREPROCESSED else None
    if directive is not None:
        return 1 if directive["opens"] else -1
    if is_comment_text(text):
        return 0
    bare = _NOTE.sub("", _STRING.sub("", text)).strip()
    count = sum((char in "([{") - (char in ")]}") for char in bare)
    if language in _ENDING:
        opening, closing = _ENDING[language]
        count += len(opening.findall(bare)) - len(closing.findall(bare))
    return count


def num_opened(grid: Grid, plan: PathPlan) -> int:
    """Counts how much more is open behind what a plan makes than before."""
    lines, rows = grid.line_opens, grid.row_opens
    count = sum(rows[row] for at in plan.new.values() for row in at) - sum(lines[line] for line in plan.deleted)
    for row, (line, pair) in plan.quoted.items():
        if not grid.pairs[row].is_loose[pair]:
            count += rows[row] - lines[line]
    return int(count)
