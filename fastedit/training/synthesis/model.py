"""Changes and samples, as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from fastedit.edits.model import Format
from fastedit.syntax.parse import count_errors
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.languages import Family

HEADER = re.compile(
    r"\s*(?:if|elif|else|for|while|try|except|finally|with|class|(?:async )?def|async for|async with)\b.*:\s*(?:#.*)?$"
)
NEW = -1  # origin of a line that the original doesn't have
MAX_REFINED = 160  # longer replacements are not searched for lines that stay (quadratic)


class Tier(StrEnum):
    """The care with which an edit is written; the first three words are those of the apply cases.

    WRITTEN: as assistants write, in the shares that were measured (`written`); of lazy edits alone.
    """

    CLEAR = "clear"
    SLOPPY = "sloppy"
    HARD = "hard"
    WRITTEN = "written"


BY_CARE = (Tier.CLEAR, Tier.SLOPPY, Tier.HARD)


class Splice(NamedTuple):
    """Lines [start, end) of the original become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A document before and after.

    splices: in order, apart from each other by at least one kept line, and with no line kept inside them.
    origin: for each line of `after` the line of `before` that it is, or NEW.
    """

    before: Document
    after: Document
    splices: tuple[Splice, ...]
    origin: tuple[int, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Sample:
    """An edit with known truth.

    original, expected: the file before and after; edit: the whole message of the assistant.
    kind: what was changed; habits: how it was written down (names of tables' rows, for statistics).
    """

    path: str
    language: str
    original: str
    edit: str
    expected: str
    tier: Tier
    format: Format
    kind: str
    habits: tuple[str, ...] = ()


def spliced(lines: Sequence[str], splices: Iterable[Splice]) -> list[str]:
    """The lines with all splices carried out."""
    result: list[str] = []
    position = 0
    for splice in splices:
        result.extend(lines[position : splice.start])
        result.extend(splice.lines)
        position = splice.end
    result.extend(lines[position:])
    return result


def minimal_splices(lines: Sequence[str], splices: Iterable[Splice]) -> tuple[Splice, ...]:
    """The same splices in order, broken up at the lines that they keep; empty where nothing changes.

    ValueError where two of them overlap.
    """
    result: list[Splice] = []
    for splice in sorted(splices):
        if result and splice.start < result[-1].end:
            raise ValueError("splices overlap")
        for part in _refined(lines, splice):
            if result and part.start == result[-1].end:
                last = result.pop()
                part = Splice(last.start, part.end, last.lines + part.lines)
            result.append(part)
    return tuple(part for part in result if tuple(lines[part.start : part.end]) != part.lines)


def _refined(lines: Sequence[str], splice: Splice) -> list[Splice]:
    old, new = lines[splice.start : splice.end], splice.lines
    if not old or not new or max(len(old), len(new)) > MAX_REFINED:
        return [splice]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Splice(splice.start + old_start, splice.start + old_end, tuple(new[new_start:new_end]))
        for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    ]


def origins(num_lines: int, splices: Iterable[Splice]) -> list[int]:
    """For each line of the result the line of the original that it is, or NEW."""
    result: list[int] = []
    position = 0
    for splice in splices:
        result.extend(range(position, splice.start))
        result.extend([NEW] * len(splice.lines))
        position = splice.end
    result.extend(range(position, num_lines))
    return result


def make_change(before: Document, splices: Iterable[Splice], kind: str) -> Change | None:
    """The change, or None where it changes nothing or parses worse than before."""
    minimal = minimal_splices(before.lines, splices)
    if not minimal:
        return None
    lines = spliced(before.lines, minimal)
    if not lines or (count_errors("\n".join(lines) + "\n", before.language) or 0) > before.num_errors:
        return None
    after = before.with_lines(lines)
    if _empties_a_block(after, minimal):
        return None
    return Change(before, after, minimal, tuple(origins(len(before.lines), minimal)), kind)


def _empties_a_block(after: Document, splices: Iterable[Splice]) -> bool:
    """Whether a header that needs a body has none right above a place that changed (parsers let that pass)."""
    if after.traits.family is not Family.INDENT:
        return False
    shift = 0
    for splice in splices:
        start = splice.start + shift
        shift += len(splice.lines) - (splice.end - splice.start)
        for number in {_text_above(after, start), _text_above(after, start + len(splice.lines))}:
            if number >= 0 and HEADER.match(after.lines[number]) and not _has_body(after, number):
                return True
    return False


def _text_above(document: Document, number: int) -> int:
    """The last line of code before line `number`, or -1."""
    number -= 1
    while number >= 0 and (not document.lines[number].strip() or document.lines[number].lstrip().startswith("#")):
        number -= 1
    return number


def _has_body(document: Document, number: int) -> bool:
    return document.hidden[number] or any(block.header == number for block in document.blocks)
