"""Finds a run of lines in the original: exactly, white space apart, or nearly.

Lines become numbers once, so that a run is found as a byte string, in C: no work per pair of lines,
whatever the file repeats.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import overload

from rapidfuzz import fuzz, process

from fastedit.anchor.patch.quoted import loose_key, weight_of

MAX_RUNS = 512
MIN_RUNS = 64
MAX_COMPARED = 1_000_000
MAX_OCCURRENCES = 200
MAX_WINDOWS = 6
MAX_SLACK = 40
NUM_SOUGHT_LINES = 4
MIN_TELLING_WEIGHT = 0.5
MAX_TOLD_OCCURRENCES = 4
MIN_SOUGHT_RATIO = 70.0
LOOSE_QUALITY = 0.96
# What a place loses by lines that aren't quoted to the letter: enough to tell apart two depths of the same lines.
UNLIKE_COST = 0.06
_CODE_SIZE = array("I").itemsize

Span = tuple[int, int]


class Level(IntEnum):
    """The measure by which a place was found, best first."""

    EXACT = 0
    INDENT = 1
    LOOSE = 2
    FUZZY = 3


STRICT_LEVELS = (Level.EXACT, Level.INDENT, Level.LOOSE)  # those by which lines are the same, however they are quoted


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the original where the lines that a patch expects stand.

    spans: for each expected line the original's lines [start, end) that it quotes, None where there is none.
    quality: between 0 and 1. reason: what was inexact, "" where nothing was.
    """

    start: int
    end: int
    spans: Sequence[Span | None]
    level: Level
    quality: float
    reason: str = ""


class StraightSpans(Sequence[Span | None]):
    """The spans of lines that stand one after the other, made when looked at."""

    def __init__(self, start: int, length: int) -> None:
        self._rows = range(start, start + length)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, key: int) -> Span | None: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Span | None]: ...
    def __getitem__(self, key: int | slice) -> Span | Sequence[Span | None] | None:
        if isinstance(key, slice):
            return [(row, row + 1) for row in self._rows[key]]
        return self._rows[key], self._rows[key] + 1


class RunIndex:
    """The keys of all lines as one byte string."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._codes: dict[str, int] = {}
        self._bytes = array("I", [self._codes.setdefault(key, len(self._codes)) for key in keys]).tobytes()

    def find(self, keys: Sequence[str], near: int = 0) -> list[int]:
        """Finds the lines where the keys start, ascending: at most `MAX_RUNS` (of long runs fewer), around `near`."""
        codes = [self._codes.get(key) for key in keys]
        if not codes or None in codes:
            return []
        sought = array("I", [code for code in codes if code is not None]).tobytes()
        limit = max(MIN_RUNS, min(MAX_RUNS, MAX_COMPARED // len(codes)))
        middle = min(max(0, near), len(self._bytes) // _CODE_SIZE)
        before = self._backward(sought, middle, limit // 2) if middle else []
        return before[::-1] + self._forward(sought, middle, limit - len(before))

    def _forward(self, sought: bytes, start: int, limit: int) -> list[int]:
        found: list[int] = []
        position = self._bytes.find(sought, start * _CODE_SIZE)
        while position >= 0 and len(found) < limit:
            number, rest = divmod(position, _CODE_SIZE)
            if not rest:
                found.append(number)
            position = self._bytes.find(sought, (number + 1) * _CODE_SIZE)
        return found

    def _backward(self, sought: bytes, end: int, limit: int) -> list[int]:
        """The places before `end` where the sought codes start, the nearest first."""
        found: list[int] = []
        position = self._bytes.rfind(sought, 0, (end - 1) * _CODE_SIZE + len(sought))
        while position >= 0 and len(found) < limit:
            number, rest = divmod(position, _CODE_SIZE)
            if not rest:
                found.append(number)
            position = self._bytes.rfind(sought, 0, max(0, position - 1) + len(sought)) if position else -1
        return found


class LineIndex:
    """The original's lines (without ends), indexed for each way of finding them; each index is made when needed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    @cached_property
    def _exact(self) -> RunIndex:
        return RunIndex(self.lines)

    @cached_property
    def _stripped(self) -> RunIndex:
        return RunIndex([line.strip() for line in self.lines])

    @cached_property
    def keys(self) -> list[str]:
        """The loose key of every line."""
        return [loose_key(line) for line in self.lines]

    @cached_property
    def told(self) -> list[int]:
        """The lines that aren't blank."""
        return [number for number, key in enumerate(self.keys) if key]

    @cached_property
    def _loose(self) -> RunIndex:
        return RunIndex([self.keys[number] for number in self.told])

    @cached_property
    def rows(self) -> dict[str, list[int]]:
        """Loose key → the lines that have it, ascending."""
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for number in self.told:
            rows[self.keys[number]].append(number)
        return dict(rows)

    def runs(self, old: Sequence[str], level: Level, near: int = 0) -> list[Place]:
        """The places where these lines stand one after the other, by the measure of `level` (not FUZZY).

        LOOSE passes over blank lines on both sides. Of very many places those around line `near` are returned.
        """
        if level is Level.EXACT:
            return [_straight(start, old, level, 1.0, "") for start in self._exact.find(old, near)]
        if level is Level.INDENT:
            starts = self._stripped.find([line.strip() for line in old], near)
            return [_straight(start, old, level, 0.98, "white space at the lines' ends differs") for start in starts]
        told = [number for number, line in enumerate(old) if loose_key(line)]
        told_near = bisect_left(self.told, near)
        positions = self._loose.find([loose_key(old[number]) for number in told], told_near) if told else []
        return [self._spread(position, old, told) for position in positions]

    def _spread(self, position: int, old: Sequence[str], told: Sequence[int]) -> Place:
        """The place of a run of lines between which blank ones may be missing or additional."""
        spans: list[Span | None] = [None] * len(old)
        for offset, number in enumerate(told):
            row = self.told[position + offset]
            spans[number] = (row, row + 1)
        start, end = self.told[position], self.told[position + len(told) - 1] + 1
        _place_blanks(spans, self.keys, start, end)
        start = min(span[0] for span in spans if span)
        end = max(span[1] for span in spans if span)
        num_exact = sum(self.lines[self.told[position + offset]] == old[number] for offset, number in enumerate(told))
        quality = LOOSE_QUALITY - UNLIKE_COST * (1 - num_exact / len(told))
        return Place(start, end, tuple(spans), Level.LOOSE, quality, "spacing, case or blank lines differ")

    def windows(self, old: Sequence[str]) -> tuple[list[Span], bool]:
        """The stretches of the original that could hold these lines, the likeliest first, and whether that is all of
        them: others may be as likely."""
        votes: Counter[int] = Counter()
        is_told = False
        for number, line in enumerate(old):
            rows = self.rows.get(loose_key(line), ()) if loose_key(line) else ()
            if len(rows) <= MAX_OCCURRENCES:
                is_told = is_told or (0 < len(rows) <= MAX_TOLD_OCCURRENCES and weight_of(line) >= MIN_TELLING_WEIGHT)
                for row in rows:
                    votes[row - number] += int(1000 * weight_of(line) / (1 + len(rows) / 8))
        if not is_told:
            votes += self._sought(old)
        slack = min(MAX_SLACK, 4 + len(old) // 3)
        windows: list[Span] = []
        most = 0
        for diagonal, count in _gathered(votes, slack).most_common():
            most = most or count
            window = (max(0, diagonal - slack), min(len(self.lines), diagonal + len(old) + slack))
            if any(abs(window[0] - other[0]) <= slack for other in windows):
                continue
            if len(windows) == MAX_WINDOWS:
                return windows, 2 * count < most
            windows.append(window)
        return windows, True

    def _sought(self, old: Sequence[str]) -> Counter[int]:
        """Votes by the most telling lines where none stands in the original as it is quoted."""
        votes: Counter[int] = Counter()
        telling = sorted(range(len(old)), key=lambda number: -weight_of(old[number]))[:NUM_SOUGHT_LINES]
        keys = list(self.rows)
        for number in telling:
            key = loose_key(old[number])
            if weight_of(old[number]) < MIN_TELLING_WEIGHT:
                continue
            found = process.extract(key, keys, scorer=fuzz.ratio, score_cutoff=MIN_SOUGHT_RATIO, limit=5)
            for close, ratio, _ in found:
                for row in self.rows[close][:8]:
                    votes[row - number] += int(10 * ratio)
        return votes


def _straight(start: int, old: Sequence[str], level: Level, quality: float, reason: str) -> Place:
    return Place(start, start + len(old), StraightSpans(start, len(old)), level, quality, reason)


def _place_blanks(spans: list[Span | None], keys: Sequence[str], start: int, end: int) -> None:
    """Gives the blank expected lines the blank lines of the original beside what was found, in order."""
    row = start - 1
    first = next(number for number, span in enumerate(spans) if span)
    for number in range(first - 1, -1, -1):
        if row < 0 or keys[row]:
            break
        spans[number] = (row, row + 1)
        row -= 1
    row = start
    for number in range(first, len(spans)):
        span = spans[number]
        if span is not None:
            row = span[1]
        elif row < len(keys) and not keys[row]:
            spans[number] = (row, row + 1)
            row += 1


def _gathered(votes: Counter[int], slack: int) -> Counter[int]:
    """The votes with those of neighbouring diagonals added, so that a missing line doesn't split them."""
    gathered: Counter[int] = Counter()
    for diagonal, count in votes.most_common(400):
        gathered[diagonal] = count
    for diagonal in list(gathered):
        gathered[diagonal] += sum(
            votes[diagonal + step] // (1 + abs(step)) for step in range(-min(slack, 8), min(slack, 8) + 1) if step
        )
    return gathered
