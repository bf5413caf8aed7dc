"""Training pairs out of synthesised samples: what production asks a target, and the answer.

A pair is one window of a file as the original, the part of the assistant's edit that belongs to it, and the window's
merged text. Windows are planned by the code that plans them in production.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from fastedit.edits import parse_message
from fastedit.edits.model import Format
from fastedit.edits.select import edits_for
from fastedit.errors import EditRefused
from fastedit.lines import split_lines
from fastedit.syntax import outline
from fastedit.training.synthesis import Sample
from fastedit.windows import CONTEXT_LINES, Change, Window, plan_windows, whole_file

FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)
SHARE_AT_DEFAULT_CONTEXT = 0.5
CONTEXTS = (2, 30)  # fewest and most lines of context otherwise
SHARE_OF_WHOLE_FILES = 0.15
MAX_WHOLE_LINES = 120
MAX_DIFFED_LINES = 4000


@dataclass(frozen=True, slots=True)
class Pair:
    """What a target is asked and what it should answer.

    original, edit, merged: texts. source: what the pair was made from (a path), for telling held-out pairs.
    kind: what was changed; format: how the edit is written.
    """

    original: str
    edit: str
    merged: str
    source: str
    kind: str
    format: str


def pairs_of(sample: Sample, rng: random.Random) -> Iterator[Pair]:
    """The pairs that a sample gives: one as a rule, none where its edit can't be shown to a target on its own."""
    edit = edit_text(sample)
    lines = split_lines(sample.original)
    changes = changes_between(lines, split_lines(sample.expected))
    if edit is None or not changes:
        return
    declarations = [
        (declaration.start_line, declaration.end_line)
        for declaration in outline(sample.original, sample.language).declarations
    ]
    windows = _windows(lines, changes, declarations, rng)
    if len(windows) == 1:
        window = windows[0].with_unix_ends() if windows[0].is_crlf else windows[0]
        yield Pair(window.original, edit, window.draft.text, sample.path, sample.kind, sample.format.value)


def changes_between(old: list[str], new: list[str]) -> list[Change]:
    """The shortest line changes that make `new` out of `old`; none where they are equal or too long to compare."""
    if max(len(old), len(new)) > MAX_DIFFED_LINES:
        return []
    changes: list[Change] = []
    for block in Indel.opcodes(old, new):
        if block.tag == "equal":
            continue
        start, lines = block.src_start, tuple(new[block.dest_start : block.dest_end])
        if changes and changes[-1].end == start:
            last = changes.pop()
            start, lines = last.start, last.lines + lines
        changes.append(Change(start, block.src_end, lines))
    return changes


def edit_text(sample: Sample) -> str | None:
    """The edit as a target is shown it: without fences and prose. None where that can't be told."""
    bodies = [found["body"] for found in FENCED.finditer(sample.edit)]
    if sample.format is not Format.LAZY:
        return bodies[0] if len(bodies) == 1 else None
    try:
        edits, _ = edits_for(parse_message(sample.edit), sample.path)
    except EditRefused:
        return None
    snippets = [snippet for edit in edits for snippet in edit.snippets]
    if len(snippets) != 1:
        return None
    return "".join(line + "\n" for line in snippets[0].lines)


def _windows(
    lines: list[str], changes: list[Change], declarations: list[tuple[int, int]], rng: random.Random
) -> tuple[Window, ...]:
    if len(lines) <= MAX_WHOLE_LINES and rng.random() < SHARE_OF_WHOLE_FILES:
        return (whole_file(lines, changes, declarations),)
    context = CONTEXT_LINES if rng.random() < SHARE_AT_DEFAULT_CONTEXT else rng.randint(*CONTEXTS)
    return plan_windows(lines, changes, declarations, context_lines=context)
