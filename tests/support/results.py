"""Results to be judged as a whole, made of the texts before and after and the message."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from textwrap import dedent

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.result.message import MessageFacts
from fastedit.edits.model import Snippet


def result_of(before: str, after: str, shown: str, prose: str) -> tuple[Lines, Sequence[Change], MessageFacts]:
    """The original, the changes that make the result of it, and the message with one snippet."""
    old, new = (dedent(text).strip("\n").split("\n") for text in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [(a, b, new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    original = Lines(old)
    snippet = Snippet(tuple(dedent(shown).strip("\n").split("\n")))
    return original, changes, MessageFacts(original, [snippet], hints_of(prose), prose, f"{prose}\n{shown}")
