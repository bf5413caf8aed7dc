"""A pair's texts as lines, changes and rough declarations, where no parser is installed."""

from __future__ import annotations

from difflib import SequenceMatcher

from evals.speed.pairs import Pair
from fastedit.lines import split_lines
from fastedit.verify.windows import LineChange


def line_changes(pair: Pair) -> tuple[list[str], list[LineChange]]:
    """The original's lines and what becomes of them, as an alignment that is right would say."""
    old, new = split_lines(pair.original), split_lines(pair.edited)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    changes = [
        LineChange(start, end, tuple(new[new_start:new_end]))
        for kind, start, end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]
    return old, changes
