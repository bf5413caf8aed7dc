"""Finds the lines of the original that a row is worth being compared with: those that share words or a beginning."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines, unwrapped
from fastedit.anchor.lazy.search.loose import begins

if TYPE_CHECKING:
    from fastedit.anchor.lazy.search.grid import Grid

Alike = tuple[int, float, float]  # a line, its likeness, the share of rare words in common
MAX_LIKE = 24  # lines of the original that a row is compared with
MAX_TIED = 8  # more of them that share as many words as the last of these, and have equal lines around them
COMMON = 200  # a word of so many lines tells nothing
MIN_LIKENESS = 0.4
MAX_OPENED = 400  # characters of a statement that is compared in one line
PROMPT = "$ "
MIN_ALIKE = 0.6  # of lines with nothing but a prompt in common
NEAR = (-3, -2, -1, 1, 2, 3)
MAX_BEGUN = 4  # lines that go on where a row ends, and those where a row goes on
MIN_BEGUN = 4  # characters that these have in common
MAX_TRIVIAL = 6  # longer lines that one without a word of its own may take the place of
FEW = 3  # lines of which more are looked for by parts of words
MAX_DIVIDED, MIN_DIVIDED = 4, 0.5  # lines with parts of words in common, and their likeness
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OTHER_QUOTES = str.maketrans("\"'", "'\"")
MIN_PART = 3  # letters
_BRANCH = re.compile(r"^\W*el(?:se|s?if)\b")
_OPENING = "([{"
_LINKS = (".", "?.", "->", "::", "|>")  # of a chain that goes on with the line above
MAX_CHAIN = 10  # lines


@lru_cache(maxsize=8)
def _sorted_keys(original: Lines) -> list[str]:
    """All keys of lines, sorted."""
    return sorted(original.places)


@lru_cache(maxsize=8)
def _openers(original: Lines) -> dict[str, list[int]]:
    """key without the bracket behind it → the lines that open statements of several lines, ascending."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for line, key in enumerate(original.keys):
        if key[-1:] and key[-1] in _OPENING and len(key) > 2:
            found[key[:-1]].append(line)
    return dict(found)


@lru_cache(maxsize=8)
def _part_places(original: Lines) -> dict[str, list[int]]:
    """Part of a word in small letters → the lines that have it, ascending."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for line, text in enumerate(original.stripped):
        for part in _parts(text):
            found[part].append(line)
    return dict(found)


@lru_cache(maxsize=8)
def _branches(original: Lines) -> list[int]:
    """The lines that begin another branch of a condition."""
    return [line for line, text in enumerate(original.stripped) if _BRANCH.match(text)]


def _parts(text: str) -> set[str]:
    """The parts of words, as underlines, hyphens and capitals divide them, in small letters."""
    return {part.lower() for part in _PART.findall(text) if len(part) >= MIN_PART}


def chain_span(lines: Lines, line: int) -> int:
    """Counts the lines of a chain of calls that begins in a line without a bracket open; 1 where none does."""
    column = lines.columns[line]
    behind = line + 1
    while behind < min(len(lines), line + MAX_CHAIN):
        if lines.columns[behind] <= column or not lines.stripped[behind].startswith(_LINKS):
            break
        behind += 1
    return behind - line


class Candidates:
    """Finds the lines that the rows of a grid are worth being compared with."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.original, self.shown = grid.original, grid.shown

    def of(self, row: int, opened: str) -> list[Alike]:
        """The lines that a row may quote loosely or change. opened: the statement that it opens, or ""."""
        if self.shown.is_trivial[row]:
            return self._of_trivial(row)
        found = self.alike(row, opened)
        for more in (self._remarked, self._prompted, self._begun, self._branched):
            found += more(row, {line for line, *_ in found})
        if self._num_of_kind(row, found) < FEW:
            found += self._divided(row, {line for line, *_ in found})
        return found

    def _num_of_kind(self, row: int, found: Collection[Alike]) -> int:
        """Counts the found lines that declare, assign or head as a row does; all, where it does nothing of that."""
        mine = self.shown.identity(row)
        if mine is None:
            return len(found)
        theirs = (self.original.identity(line) for line, *_ in found)
        return sum(other is not None and other.kind == mine.kind for other in theirs)

    def opened(self, row: int, most: int = MAX_OPENED) -> str:
        """The statement of several rows that a row opens, in one line; "" where it opens none, or a longer one."""
        shown = self.shown
        is_open = shown.stripped[row][-1:] in ("(", "[", "{", ",")
        span = shown.statement_span(row) if is_open else chain_span(shown, row)
        joined = " ".join(shown.stripped[row : row + span]) if span > 1 else ""
        return joined if len(joined) <= most else ""

    def alike(self, row: int, opened: str) -> list[Alike]:
        """The lines that share words with a row, or the statement that it opens, and are most like it."""
        original, shown = self.original, self.shown
        text, whole = shown.stripped[row], unwrapped(opened)
        counts: dict[int, float] = {}
        total = 0.0
        for word in dict.fromkeys(WORD.findall(opened) if opened else shown.words(row)):
            places = original.word_places.get(word, ())
            weight = 1 / (1 + math.log2(1 + len(places)))
            total += weight
            if len(places) > COMMON:
                continue
            for line in places:
                counts[line] = counts.get(line, 0.0) + weight
        identity = identity_of(opened) if opened else shown.identity(row)
        if identity is not None:
            for line in original.identities.get(identity, ())[:20]:
                counts[line] = counts.get(line, 0.0) + 1
        result = []
        for line in self._best(row, counts):
            other = original.stripped[line]
            if original.is_trivial[line] or len(other) > 2000:
                continue
            likeness = Indel.normalized_similarity(text, other)
            if whole:
                likeness = max(likeness, Indel.normalized_similarity(whole, unwrapped(other)))
            is_named = identity is not None and original.identity(line) == identity
            if likeness >= MIN_LIKENESS or is_named or (DOTS.search(text) and counts[line] > 0.3):
                result.append((line, likeness, min(1.0, counts[line] / max(total, 1e-6))))
        return result

    def _best(self, row: int, counts: dict[int, float]) -> list[int]:
        """The lines that count most for a row, and some more that count as much as the last of these."""
        ranked = sorted(counts, key=lambda line: -counts[line])
        best = ranked[:MAX_LIKE]
        if len(ranked) > MAX_LIKE:
            least = counts[best[-1]] - 1e-6
            tied = [line for line in ranked[MAX_LIKE:] if counts[line] >= least]
            best += self._nearest(row, tied, MAX_TIED, 1)
        return best

    def openers(self, row: int) -> Iterator[int]:
        """The lines that open a statement of several lines as a row begins, and that share too little with it else."""
        key, openers = self.shown.keys[row], _openers(self.original)
        for end in range(2, min(len(key), 80)):
            yield from openers.get(key[:end], ())[:MAX_BEGUN]

    def _equal_around(self, row: int, line: int) -> int:
        """Counts the rows near a row that the original has as far from a line."""
        mine, theirs = self.shown.keys, self.original.keys
        return sum(
            2 - self.original.is_trivial[line + by]
            for by in NEAR
            if 0 <= row + by < len(mine) and 0 <= line + by < len(theirs) and theirs[line + by] == mine[row + by] != ""
        )

    def _nearest(self, row: int, lines: Iterable[int], most: int, least: int = 0) -> list[int]:
        """Of some lines those with most equal lines around them as a row has them, and in its column."""
        column = self.shown.columns[row] + self.grid.row_shifts[row]
        equal = {line: self._equal_around(row, line) for line in lines}
        nearest = sorted(equal, key=lambda line: (-equal[line], self.original.columns[line] != column, line))
        return [line for line in nearest[:most] if equal[line] >= least]

    def _compared(self, row: int, lines: Iterable[int], overlap: float) -> list[Alike]:
        """Lines with their likeness to a row."""
        text, theirs = self.shown.stripped[row], self.original.stripped
        return [(line, Indel.normalized_similarity(text, theirs[line]), overlap) for line in lines]

    def _remarked(self, row: int, known: Collection[int]) -> list[Alike]:
        """The lines that are a row with a long comment behind it."""
        lines = self.original.remarked.get(self.shown.keys[row], ())[:MAX_LIKE]
        return self._compared(row, (line for line in lines if line not in known), 1.0)

    def _prompted(self, row: int, known: Collection[int]) -> list[Alike]:
        """The commands that are like one with a prompt, the word in common."""
        original, text = self.original, self.shown.stripped[row]
        if not text.startswith(PROMPT):
            return []
        lines = [line for line, other in enumerate(original.stripped) if other.startswith(PROMPT) and line not in known]
        return [one for one in self._compared(row, lines[:COMMON], 0.5) if one[1] >= MIN_ALIKE]

    def _longer(self, row: int, start: str) -> Iterator[int]:
        """The lines that begin as a row does and go on. start: the text of the row that counts."""
        original = self.original
        keys, key = _sorted_keys(original), "".join(start.split())
        for at in range(bisect_left(keys, key), len(keys)):
            if not keys[at].startswith(key):
                break
            if keys[at] != self.shown.keys[row] and begins(start, original.stripped[original.places[keys[at]][0]]):
                yield from original.places[keys[at]][:COMMON]

    def _shorter(self, row: int, least: int) -> Iterator[int]:
        """The lines that a row begins as, and goes on behind, the longest first. least: characters of these."""
        original, text, key = self.original, self.shown.stripped[row], self.shown.keys[row]
        for end in range(len(key) - 1, least - 1, -1):
            lines = original.places.get(key[:end])
            if lines and begins(original.stripped[lines[0]], text):
                yield from lines[:COMMON]

    def _begun(self, row: int, known: Collection[int]) -> list[Alike]:
        """The lines that begin as a row does, all of it, or the other way round."""
        text, is_trivial = self.shown.stripped[row], self.original.is_trivial
        if len(self.shown.keys[row]) < MIN_BEGUN:
            return []
        found = []
        for lines in (self._longer(row, text), self._shorter(row, MIN_BEGUN)):
            others = [line for line in lines if line not in known and not is_trivial[line]]
            found += self._nearest(row, others, MAX_BEGUN)
        return self._compared(row, dict.fromkeys(found), 1.0)

    def _branched(self, row: int, known: Collection[int]) -> list[Alike]:
        """The last branches, without a condition, that one with a condition may take the place of."""
        if not _BRANCH.match(self.shown.stripped[row]):
            return []
        lines = (line for line in _branches(self.original) if line not in known)
        return self._compared(row, self._nearest(row, lines, MAX_TRIVIAL), 1.0)

    def _divided(self, row: int, known: Collection[int]) -> list[Alike]:
        """The lines that share parts of words with a row."""
        original = self.original
        counts: dict[int, float] = {}
        total = 0.0
        for part in _parts(self.shown.stripped[row]):
            places = _part_places(original).get(part, ())
            weight = 1 / (1 + math.log2(1 + len(places)))
            total += weight
            for line in places if len(places) <= COMMON else ():
                counts[line] = counts.get(line, 0.0) + weight
        best = sorted(counts, key=lambda line: (-counts[line], line))[:COMMON]
        lines = [line for line in best if line not in known and not original.is_trivial[line]]
        alike = sorted(self._compared(row, lines, 0.0), key=lambda one: -one[1])[:MAX_DIVIDED]
        return [(line, likeness, counts[line] / total) for line, likeness, _ in alike if likeness >= MIN_DIVIDED]

    def _of_trivial(self, row: int) -> list[Alike]:
        """The lines that a row without a word of its own may take the place of, or is with a comment behind it."""
        text, key = self.shown.stripped[row], self.shown.keys[row]
        found = self._remarked(row, ())
        known = {line for line, *_ in found}
        if not key.strip("\"'"):
            lines = self.original.places.get(key.translate(_OTHER_QUOTES), ())
            return found + [(line, 1.0, 1.0) for line in self._nearest(row, lines, MAX_TRIVIAL)]
        start = text.rstrip("{:([ ")
        if len(start) < 2 or not start.strip(")]}>,; "):
            return found
        others = [*self._longer(row, start), *self._shorter(row, 2)]
        if _BRANCH.match(text):
            others += _branches(self.original)
        others = [line for line in dict.fromkeys(others) if line not in known and self.original.keys[line] != key]
        return found + self._compared(row, self._nearest(row, others, MAX_TRIVIAL), 1.0)
