"""Reads what the text behind `@@` says about a hunk's place: which lines it names, and what lies inside of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fastedit.anchor.patch.locate import LineIndex, Place, Span
from fastedit.anchor.patch.quoted import holds_in_order, loose_key
from fastedit.lines import indent_of
from fastedit.syntax.model import Outline

INSIDE = 1.0
NEAREST_BEHIND = 0.6
BEHIND = 0.3
# A text that so many lines hold names none of them.
MAX_SCOPE_LINES = 200

_OPENERS = ":{(,;"
_CONTINUES = re.compile(
    r"^\s*(?:[)\]}]|\{\s*$|where\b|else\b|elif\b|except\b|finally\b|catch\b|rescue\b|ensure\b|end\b|public:|private:|protected:)"
)
_WORDS = re.compile(r"\w+")


class Scopes:
    """Looks scope texts up in one original; a text is looked for once."""

    def __init__(self, index: LineIndex, outline: Outline | None) -> None:
        self.index = index
        self.outline = outline
        self._found: dict[str, list[int]] = {}

    def lines_of(self, scopes: Sequence[str]) -> list[Span]:
        """The last scope's lines, inside of the ones before it, each as (line, end of what it encloses)."""
        regions: list[Span] | None = None
        for text in scopes:
            rows = self._rows(text)
            if regions is not None:
                rows = [row for row in rows if any(start <= row < end for start, end in regions)] or rows
            if rows:
                regions = [(row, self.region_end(row)) for row in rows]
        return regions or []

    def values(self, scopes: Sequence[str], places: Sequence[Place]) -> list[float]:
        """For each place how well it agrees with the scopes, between 0 and 1."""
        regions = self.lines_of(scopes)
        if not regions:
            return [0.0] * len(places)
        distances = [_distance(place, regions) for place in places]
        behind = [distance for distance in distances if distance is not None and distance > 0]
        nearest = min(behind, default=None)
        values: list[float] = []
        for distance in distances:
            if distance is None:
                values.append(0.0)
            elif distance == 0:
                values.append(INSIDE)
            else:
                values.append(NEAREST_BEHIND if distance == nearest else BEHIND)
        return values

    def body_line(self, row: int) -> int:
        """The line behind the header that starts at this line: where what it encloses begins."""
        for declaration in self.outline.declarations if self.outline else ():
            if declaration.header_line <= row < declaration.body_line:
                return declaration.body_line
        return row + 1

    def region_end(self, row: int) -> int:
        """The line behind the last one that the line at `row` encloses, by the outline or else by indentation."""
        for declaration in self.outline.declarations if self.outline else ():
            if declaration.header_line == row:
                return declaration.end_line
        lines = self.index.lines
        indent = len(indent_of(lines[row]).expandtabs(4))
        end = row + 1
        for number in range(row + 1, len(lines)):
            line = lines[number]
            if not line.strip():
                continue
            if len(indent_of(line).expandtabs(4)) <= indent and not _CONTINUES.match(line):
                break
            end = number + 1
        return end

    def _rows(self, text: str) -> list[int]:
        """The lines that a scope text names: those by the strictest measure that any line meets."""
        if text not in self._found:
            rows = self._measures(text)
            self._found[text] = rows if len(rows) <= MAX_SCOPE_LINES else []
        return self._found[text]

    def _measures(self, text: str) -> list[int]:
        key = loose_key(text).rstrip(_OPENERS + ".…")
        exact = self.index.rows.get(loose_key(text))
        if exact or not key:
            return exact or []
        lines, keys = self.index.lines, self.index.keys
        holding = [row for row in self.index.told if key in keys[row]]
        if not holding:
            return self._with_words(text)
        word = re.compile(rf"(?<!\w){re.escape(text.strip().rstrip(_OPENERS + '.…'))}(?!\w)")
        tests: tuple[Callable[[int], bool], ...] = (
            lambda row: keys[row].rstrip(_OPENERS) == key,
            lambda row: keys[row].startswith(key) and bool(word.search(lines[row])),
            lambda row: bool(word.search(lines[row])),
            lambda row: keys[row].startswith(key),
        )
        return next(filter(None, ([row for row in holding if test(row)] for test in tests)), holding)

    def _with_words(self, text: str) -> list[int]:
        """Lines that hold all words of the text in their order (`class Foo(Base)` for `class Foo(Base, Mixin)`)."""
        words = _WORDS.findall(text)
        if len(words) < 2:
            return []
        lines = self.index.lines
        return [row for row in self.index.told if words[-1] in lines[row] and holds_in_order(lines[row], words)]


def _distance(place: Place, regions: Sequence[Span]) -> int | None:
    """The lines from the nearest scope line above, if any; 0 inside of a region or with its line in the place."""
    nearest: int | None = None
    for row, end in regions:
        if place.start - 1 <= row < place.end or row < place.start < end:
            return 0
        if row < place.start and (nearest is None or place.start - row < nearest):
            nearest = place.start - row
    return nearest
