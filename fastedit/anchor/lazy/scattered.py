"""Reads a snippet line by line, where each line shown changes another place, as the pins of a file do that move.

No marker stands between such lines, and nothing beside them tells their places: each is the new form of the line that
it is most alike, or takes the place of one that is commented out (`# threads: 1`). So that is tried for all rows of a
snippet at once, in the order of the file. What speaks for the result is counted, see `SCATTERED`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import fuzz, process

from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.search.rows import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

# any: that it is such a reading. places: the logarithm of how many change. like: how alike the least alike one is.
# rival: how much less alike the next best line is, at least. new: rows behind one that stands for a line of less.
# rivalled: whether another line is as alike. together: the share of neighbours that are neighbours in the
# file. notes: rows that only speak to the reader. uncommented: the share that takes the place of a comment. known: the
# share of rows that the file has. apart: the share of neither. blanks: that of blank rows.
SCATTERED = tuple(
    f"scattered_{name}"
    for name in "any places like rival rivalled new together apart notes uncommented known blanks".split()
)
MIN_PLACES, MAX_ROWS, MAX_LINES = 2, 60, 4_000
MIN_ALIKE = 64.0  # of 100
MIN_NAMED = 70.0  # at least that much alike are lines about the same
MAX_NEW = 3
EQUAL = 2.0  # of 100: so little less alike another line may well be meant
NEIGHBOUR = 6.0  # what counts for neighbours that stay such
_COMMENTED = re.compile(r"^\s*(?:#|//|;|--)\s?(?=[\w\"'-]+\s*[:=])")


@dataclass(slots=True)
class Scattered:
    """Changes of single lines that a snippet shows together. values: see `SCATTERED`."""

    changes: list[Change]
    values: dict[str, float]


def scattered_over(original: Lines, rows: Sequence[Row]) -> Scattered | None:
    """Each row of a snippet read as the new form of a line; None where a row is none."""
    shown = _ShownRows(original, [row for row in rows if row.note is None or row.role("code") > row.role("elide")])
    alike = shown.alike if shown.is_scattered else None
    if alike is None:
        return None
    notes = sum(row.note is not None and row.role("code") <= row.role("elide") for row in rows)
    places = _in_order(alike, shown.is_next)
    found = None if places is None else shown.changed(places)
    if found is not None:
        found.values["scattered_notes"] = min(3.0, notes)
    return found


class _ShownRows:
    """The rows of a snippet, held against the lines that they may be the new forms of."""

    def __init__(self, original: Lines, rows: Sequence[Row]) -> None:
        self.original = original
        self.texts = [row.text.rstrip() for row in rows]
        self.keys = ["".join(text.split()) for text in self.texts]
        self.filled = [n for n, key in enumerate(self.keys) if key]

    @property
    def is_scattered(self) -> bool:
        """Whether most rows are unknown, and there are neither too few nor too many."""
        unknown = sum(self.keys[row] not in self.original.places for row in self.filled)
        few = unknown >= MIN_PLACES and len(self.filled) <= MAX_ROWS and len(self.original) <= MAX_LINES
        return few and 2 * unknown >= len(self.filled)

    @property
    def is_next(self) -> list[bool]:
        """For each filled row whether it stands directly below the one before it."""
        return [n > 0 and self.filled[n - 1] == row - 1 for n, row in enumerate(self.filled)]

    @cached_property
    def lines(self) -> list[tuple[int, str, bool]]:
        """(line, its key, whether without a comment's sign) of all that a row may stand for."""
        result = []
        for line, key in enumerate(self.original.keys):
            if not key:
                continue
            found = _COMMENTED.match(self.original.texts[line])
            bare = "".join(self.original.texts[line][found.end() :].split()) if found else ""
            result.append((line, bare or key, bool(bare)))
        return result

    @cached_property
    def alike(self) -> NDArray[np.float32] | None:
        """(filled rows, lines): how alike they are, 0 for less than the least; None where a row isn't like any."""
        if not self.lines:
            return None
        keys = [key for _, key, _ in self.lines]
        abouts = [identity_of(self._code(n)) for n in range(len(self.lines))]
        table = np.zeros((len(self.filled), len(keys)), np.float32)
        lonely = 0
        for n, row in enumerate(self.filled):
            table[n] = process.cdist([self.keys[row]], keys, scorer=fuzz.ratio, score_cutoff=MIN_ALIKE)[0]
            about = identity_of(self.texts[row].strip())
            if about is not None:
                same = np.array([one == about for one in abouts])
                table[n, same] = np.maximum(table[n, same], MIN_NAMED)
            lonely += not table[n].any()
            if lonely > MAX_NEW or (lonely and n == 0):
                return None
        return table

    def _code(self, number: int) -> str:
        line, _, is_commented = self.lines[number]
        text = self.original.stripped[line]
        return re.sub(r"^(?:#|//|;|--)\s?", "", text) if is_commented else text

    def changed(self, places: Sequence[int | None]) -> Scattered | None:
        """The changes that put the rows at these lines, numbers of `lines`; None where a new row is apart."""
        assert self.alike is not None
        changes: dict[int, list[str]] = {}
        least, rival, uncommented, together, new, known = 100.0, 100.0, 0, 0, 0, 0
        taken = [place for place in places if place is not None]
        for n, (row, place) in enumerate(zip(self.filled, places, strict=True)):
            before = places[n - 1] if n else None
            if place is None:
                last = max(changes, default=-1)
                if last < 0 or self.filled[n - 1] != row - 1:
                    return None
                owner = self.lines[next(one for one in reversed(places[:n]) if one is not None)][0]
                if owner not in changes:
                    return None
                changes[owner].append(self._written(row, owner, self._shift(n, places)))
                new += 1
                continue
            line, key, is_commented = self.lines[place]
            together += before is not None and self.lines[before][0] == line - 1
            if key == self.keys[row] and not is_commented:
                known += 1
                continue
            least = min(least, float(self.alike[n, place]))
            others = np.delete(self.alike[n], taken)
            rival = min(rival, float(self.alike[n, place]) - max(MIN_ALIKE, float(others.max(initial=0.0))))
            uncommented += is_commented
            changes[line] = [self._written(row, line, 0)]
        if len(changes) < MIN_PLACES:
            return None
        size = max(1, len(self.filled))
        values = {
            "any": 1.0, "places": math.log(len(changes)), "like": least / 100, "rival": max(-0.5, rival / 100),
            "rivalled": float(rival < EQUAL), "new": new, "together": together / size,
            "apart": (1 - together / size) * (1 - known / size), "uncommented": uncommented / size,
            "known": known / size, "blanks": (self.filled[-1] + 1 - self.filled[0] - size) / size,
        }  # fmt: skip
        made: list[Change] = [(line, line + 1, texts) for line, texts in sorted(changes.items())]
        return Scattered(made, {f"scattered_{name}": float(value) for name, value in values.items()})

    def _shift(self, number: int, places: Sequence[int | None]) -> int:
        """The columns that a new row is further in than the row before it that stands for a line."""
        owner = next(n for n in range(number - 1, -1, -1) if places[n] is not None)
        rows = self.texts[self.filled[number]], self.texts[self.filled[owner]]
        one, other = (len(text) - len(text.lstrip()) for text in rows)
        return one - other

    def _written(self, row: int, line: int, shift: int) -> str:
        text = self.original.texts[line]
        indent = text[: len(text) - len(text.lstrip())]
        return (indent + " " * shift if shift >= 0 else indent[:shift]) + self.texts[row].strip()


def _in_order(alike: NDArray[np.float32], is_next: Sequence[bool]) -> list[int | None] | None:
    """For each row the line that it is, in their order and together as alike as can be; None for a row of no line.

    is_next: whether a row stands directly below the one before it, so that its line may well do so too.
    """
    size = alike.shape[1]
    nowhere = np.float32(-1e9)
    total = np.zeros(size, np.float32)
    came: list[NDArray[np.intp]] = []
    placed = [row for row in range(len(alike)) if alike[row].any()]
    for number, row in enumerate(placed):
        best, start = np.zeros(size, np.float32), np.full(size, -1, np.intp)
        if number:
            top = np.maximum.accumulate(total)
            is_top = np.concatenate(([True], total[1:] > top[:-1]))
            top_at = np.maximum.accumulate(np.where(is_top, np.arange(size), 0))
            best, start = np.concatenate(([nowhere], top[:-1])), np.concatenate(([-1], top_at[:-1]))
            if is_next[row]:
                beside = np.concatenate(([nowhere], total[:-1])) + NEIGHBOUR
                start = np.where(beside > best, np.arange(size) - 1, start)
                best = np.maximum(best, beside)
        total = np.where(alike[row] > 0, alike[row] + best, nowhere).astype(np.float32)
        came.append(start)
    if not placed or total.max() < 0:
        return None
    result: list[int | None] = [None] * len(alike)
    at = int(total.argmax())
    for row, start in zip(reversed(placed), reversed(came), strict=True):
        result[row] = at
        at = int(start[at])
    return result
