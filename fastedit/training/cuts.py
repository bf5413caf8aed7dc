"""Lazy snippets cut from real changes: the hunks with as much around them as chance has it, markers between.

Where a hunk's surroundings begin and end, whether headers are shown, what markers say and where they stand is drawn, so
that snippets begin inside one block and end inside another, as they do when somebody is brief.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.lines import Lines
from fastedit.syntax import comment_syntax

_DOTS = (
    "... existing code ...", "...", "... rest of code ...", "... unchanged ...", "existing code", "… existing code …",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines [start, end) of the original become lines [new_start, new_end) of the result."""

    start: int
    end: int
    new_start: int
    new_end: int


def hunks_of(original: Sequence[str], result: Sequence[str]) -> list[Hunk]:
    """The changes between two texts, ones that lie close together joined."""
    hunks: list[Hunk] = []
    for step in Indel.opcodes(list(original), list(result)):
        if step.tag == "equal":
            continue
        hunk = Hunk(step.src_start, step.src_end, step.dest_start, step.dest_end)
        if hunks and hunk.start - hunks[-1].end <= 1:
            hunk = Hunk(hunks[-1].start, hunk.end, hunks[-1].new_start, hunk.new_end)
            hunks.pop()
        hunks.append(hunk)
    return hunks


@dataclass(frozen=True, slots=True)
class _Part:
    """The lines that are shown for lines [start, end) of the original: hunks with their surroundings."""

    start: int
    end: int
    shown: list[str]


def cut_snippet(
    original: Sequence[str], result: Sequence[str], language: str, phrases: Sequence[str], chance: random.Random
) -> list[str] | None:
    """A snippet from which a careful reader gets the result; None where chance has it that none could.

    phrases: what markers may say.
    """
    lines = Lines(original)
    parts = _parts(lines, result, chance)
    if not parts:
        return None
    markers = _Markers.drawn(language, phrases, chance) if chance.random() < 0.85 else None
    snippet: list[str] = []
    shown_until = 0
    for number, part in enumerate(parts):
        for header in _headers(lines, shown_until, part.start) if chance.random() < 0.3 else []:
            if header > shown_until and markers and snippet:
                snippet.append(markers.beside(original[header]))
            snippet.append(original[header])
            shown_until = header + 1
        if part.start > shown_until and (number or chance.random() < 0.5):
            if markers:
                snippet.append(markers.beside(part.shown[0] if part.shown else ""))
            elif number and not _is_findable(lines, part.start):
                return None
            elif number and chance.random() < 0.5:
                snippet.append("")
        snippet += part.shown
        shown_until = part.end
    if markers and shown_until < len(original) and chance.random() < 0.5:
        snippet.append(markers.beside(snippet[-1] if snippet else ""))
    return _dedented(snippet) if chance.random() < 0.25 else snippet


def _parts(lines: Lines, result: Sequence[str], chance: random.Random) -> list[_Part] | None:
    """The hunks with as much around them as chance has it, joined where they touch; None where one tells no place."""
    original = lines.texts
    hunks = hunks_of(original, result)
    parts: list[_Part] = []
    for number, hunk in enumerate(hunks):
        low = hunks[number - 1].end if number else 0
        high = hunks[number + 1].start if number + 1 < len(hunks) else len(original)
        is_deletion = hunk.new_start == hunk.new_end
        start = _context(lines, hunk.start, low, -1, chance, is_deletion)
        end = _context(lines, hunk.end, high, 1, chance, is_deletion)
        if start is None or end is None or (start == end and original):
            return None
        shown = [*original[start : hunk.start], *result[hunk.new_start : hunk.new_end], *original[hunk.end : end]]
        if parts and start <= parts[-1].end:
            above = parts.pop()
            shown = [*above.shown[: len(above.shown) - (above.end - start)], *shown]
            start = above.start
        parts.append(_Part(start, end, shown))
    return parts


def _context(lines: Lines, at: int, limit: int, step: int, chance: random.Random, is_needed: bool) -> int | None:
    """The end of the shown surroundings that begin at a position; None where they would tell nothing."""
    count = chance.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 7)) if not is_needed else chance.choice((1, 1, 2, 2, 3, 4))
    end = at
    for _ in range(count):
        if end == limit or not 0 <= end + (step if step < 0 else 0) < len(lines):
            break
        end += step
    told = range(min(at, end), max(at, end))
    if is_needed and not any(lines.keys[line] for line in told):
        return end if end == limit else None
    while end != at and not lines.keys[end if step < 0 else end - 1]:
        end -= step
    return end


def _is_findable(lines: Lines, line: int) -> bool:
    """Whether the line at a position stands in the text once."""
    return line < len(lines) and len(lines.places.get(lines.keys[line], ())) == 1 and not lines.is_trivial[line]


def _headers(lines: Lines, after: int, at: int) -> list[int]:
    """The headers from line `after` on that the line at a position stands in, outermost first."""
    line = at
    while line < len(lines) and not lines.keys[line]:
        line += 1
    ancestors = lines.ancestors(line)[::-1] if line < len(lines) else []
    return [header for header in ancestors if after <= header < at]


@dataclass(frozen=True, slots=True)
class _Markers:
    """Writes the markers of one snippet. form: the comment's signs. phrases: what they may say."""

    form: tuple[str, str]
    phrases: Sequence[str]
    chance: random.Random

    @classmethod
    def drawn(cls, language: str, phrases: Sequence[str], chance: random.Random) -> _Markers:
        """Markers that all say the same, or each something else; dots alone where a language has no comments."""
        sign = comment_syntax(language)
        form = (sign.line[0], "") if sign.line else sign.block[0] if sign.block else ("", "")
        if not form[0]:
            return cls(form, ("...",), chance)
        return cls(form, (chance.choice(_DOTS),) if chance.random() < 0.6 or not phrases else phrases, chance)

    def beside(self, neighbour: str) -> str:
        """A marker as indented as its neighbour, or nearly."""
        indent = neighbour[: len(neighbour) - len(neighbour.lstrip())]
        drawn = self.chance.random()
        indent = "" if drawn < 0.1 else indent + "    " if drawn < 0.2 else indent
        return indent + f"{self.form[0]} {self.chance.choice(self.phrases)} {self.form[1]}".strip()


def _dedented(snippet: list[str]) -> list[str]:
    """The snippet moved to the left margin by what all its lines have in common."""
    told = [line for line in snippet if line.strip()]
    width = min((len(line) - len(line.lstrip(" ")) for line in told if not line.startswith("\t")), default=0)
    return [line[width:] if line[:width].strip() == "" else line for line in snippet]
