"""Alters edits in ways that leave what a reader makes of them as it is: other files around the change, other context.

A network that sees each written edit a few times over learns it by heart. What stands far from the change, how much of
the file a snippet quotes around it and how far in it stands could all have been otherwise.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fastedit.anchor.lazy.lines import DOTS
from fastedit.edits.model import Snippet
from fastedit.lines import changed_lines
from fastedit.syntax import outline
from fastedit.syntax.parse import PageErrors
from fastedit.training.alignment.cases import Laid

FEWEST_LINES = 12  # of a file that blocks may be taken from
FAR = 3  # lines between a change and what is altered in the file
MIN_TELLING = 4  # characters of a line, or a word, that tells
MOST_BLOCKS, MOST_CONTEXT = 4, 3  # blocks that go or come; lines more or fewer at an end of a snippet
ALTERS_FILE, ALTERS_CONTEXT, DROPS_MARKERS, SHIFTS = 0.8, 0.6, 0.3, 0.2  # how often each is done
ADDS = 0.5  # how often another file's block comes, where one could also go
STEPS = (2, 4, 8)  # columns that a snippet at the left edge is moved by
MAX_BLOCK, MAX_OF_LANGUAGE = 40, 400  # lines of a block, and blocks of a language
_CLOSING = ("}", ")", "]", "</", "end", "else", "elif", "except", "finally", "fi", "done", "esac", "then", "*", "-")
Blocks = Mapping[str, Sequence[Sequence[str]]]  # language → blocks of lines of files in it


class _Equal(NamedTuple):
    """Lines [start, end) of the original that the result has too, each `ahead` lines further on."""

    start: int
    end: int
    ahead: int


def blocks_of(files: Iterable[tuple[str, Sequence[str]]]) -> Blocks:
    """The blocks at the left edge of files, given by language and lines."""
    result: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
    for language, lines in files:
        for start, end in _blocks_at(0, lines):
            if 1 < end - start <= MAX_BLOCK and len(result[language]) < MAX_OF_LANGUAGE:
                result[language].append(tuple(lines[start:end]))
    return dict(result)


def altered(given: Laid, prose: str, blocks: Blocks, chance: random.Random) -> Laid | None:
    """The edit with something altered that its answer doesn't depend on; None where there is nothing.

    given: an edit with a known result. prose: the message's words; what they name isn't touched. blocks: of other
    files, to stand beside its own.
    """
    file, snippets = _File(given), given.snippets
    if chance.random() < ALTERS_CONTEXT:
        snippets = tuple(file.with_context(one, chance) for one in snippets)
    if chance.random() < DROPS_MARKERS:
        snippets = tuple(file.without_outer_markers(one) for one in snippets)
    if chance.random() < SHIFTS:
        snippets = tuple(_shifted(one, chance) for one in snippets)
    now = replace(given, snippets=snippets)
    if chance.random() < ALTERS_FILE:
        now = file.with_other_blocks(now, prose, blocks.get(given.language, ()), chance)
    return None if now == given else now


class _File:
    """The file of an edit: what of it stays, and where its lines stand."""

    def __init__(self, given: Laid) -> None:
        assert given.goal is not None
        self.lines, self.goal = given.lines, given.goal
        self.equal: list[_Equal] = []
        at = ahead = 0
        for start, end, new in [*changed_lines(self.lines, self.goal), (len(self.lines), len(self.lines), [])]:
            if at < start:
                self.equal.append(_Equal(at, start, ahead))
            at, ahead = end, ahead + len(new) - (end - start)
        self.places: dict[str, int | None] = {}  # None for a line that there is more than once
        for number, line in enumerate(self.lines):
            key = _key(line)
            self.places[key] = None if key in self.places else number

    def kept(self, start: int, end: int) -> _Equal | None:
        """The equal lines that lines [start, end) are all among, as far as there are such; None where one changes."""
        at = bisect_right(self.equal, max(0, start), key=lambda one: one.start) - 1
        if at < 0 or min(end, len(self.lines)) > self.equal[at].end:
            return None
        return self.equal[at]

    # ---- the snippets ------------------------------------------------------------------------------------------------

    def with_context(self, snippet: Snippet, chance: random.Random) -> Snippet:
        """The snippet with more or fewer of the file's lines at its ends, where they stand in the file, too."""
        lines = list(snippet.lines)
        for outward in (-1, 1):
            lines = lines[::-outward]  # the outermost line first
            count = chance.randint(-MOST_CONTEXT, MOST_CONTEXT)
            for _ in range(abs(count)):
                lines = self._shorter(lines, outward) if count < 0 else self._longer(lines, outward)
            lines = lines[::-outward]
        return replace(snippet, lines=tuple(lines))

    def _shorter(self, lines: list[str], outward: int) -> list[str]:
        """The lines without the first, if that and the next one are neighbours that stay."""
        places = [self.places.get(_key(line)) for line in lines[:2]]
        if len(places) < 2 or places[0] is None or places[1] != places[0] - outward:
            return lines
        return lines[1:] if self.kept(min(places[0], places[1]), max(places[0], places[1]) + 1) else lines

    def _longer(self, lines: list[str], outward: int) -> list[str]:
        """The lines with one more in front of the first, if that and its neighbour stay."""
        at = self.places.get(_key(lines[0])) if lines else None
        if at is None or not 0 <= at + outward < len(self.lines):
            return lines
        text = _moved(self.lines[at + outward], _column(lines[0]) - _column(self.lines[at]))
        is_kept = self.kept(min(at, at + outward), max(at, at + outward) + 1) is not None
        return [text, *lines] if is_kept and text is not None else lines

    def without_outer_markers(self, snippet: Snippet) -> Snippet:
        """The snippet without a marker in its first and its last line, beyond which nothing is shown."""
        known = {line.strip() for line in (*self.lines, *self.goal)}

        def is_outer(line: str) -> bool:
            text = line.strip()
            return not text or (DOTS.search(text) is not None and not text[0].isalnum() and text not in known)

        lines = list(snippet.lines)
        for at in (0, -1):
            while len(lines) > 2 and is_outer(lines[at]):
                del lines[at]
        return replace(snippet, lines=tuple(lines))

    # ---- the file ----------------------------------------------------------------------------------------------------

    def with_other_blocks(
        self, given: Laid, prose: str, foreign: Sequence[Sequence[str]], chance: random.Random
    ) -> Laid:
        """The edit with blocks of the file gone that it has nothing to do with, and other files' come."""
        shown = {key for one in given.snippets for line in one.lines if len(key := _key(line)) >= MIN_TELLING}
        names = {word for word in _words(prose) if len(word) >= MIN_TELLING}

        def is_free(block: Sequence[str]) -> bool:
            return shown.isdisjoint(map(_key, block)) and names.isdisjoint(_words(block[0]))

        column = chance.choice(sorted({_column(line) for line in self.lines if line.strip()})[:2] or [0])
        free = [
            (start, end)
            for start, end in _blocks_at(column, self.lines)
            if start and self.kept(start - FAR, end + FAR) and is_free(self.lines[start:end])
        ]
        lines, goal = list(self.lines), list(self.goal)
        for start, end in sorted(chance.sample(free, min(len(free), chance.randint(1, MOST_BLOCKS))), reverse=True):
            equal = self.kept(start, end)
            assert equal is not None
            new: Sequence[str] = ()
            if foreign and not column and chance.random() < ADDS:
                block = chance.choice(foreign)
                new = (*block, *lines[start:end]) if is_free(block) else ()
            if not new and len(lines) - (end - start) < FEWEST_LINES:
                continue
            lines[start:end] = new
            goal[start + equal.ahead : end + equal.ahead] = new
        before, after = (PageErrors(texts, given.language).count or 0 for texts in (self.lines, lines))
        if after > before:
            return given
        found = outline("\n".join(lines), given.language)
        return replace(given, lines=tuple(lines), goal=tuple(goal), found=found)


def _blocks_at(column: int, lines: Sequence[str]) -> list[tuple[int, int]]:
    """The blocks whose first line stands at a column, as [start, end): each up to the next line as far out that opens
    another."""
    result: list[tuple[int, int]] = []
    start: int | None = None
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        is_closing = line.lstrip().startswith(_CLOSING)
        if _column(line) > column or (_column(line) == column and is_closing and start is not None):
            continue
        if start is not None:
            result.append((start, number))
        start = number if _column(line) == column and not is_closing else None
    return result


def _shifted(snippet: Snippet, chance: random.Random) -> Snippet:
    """The snippet at the left edge; where it is there, further in."""
    columns = [_column(line) for line in snippet.lines if line.strip()]
    shift = -min(columns) if min(columns, default=0) else chance.choice(STEPS)
    moved = [_moved(line, shift) for line in snippet.lines]
    if any(line is None for line in moved):
        return snippet
    return replace(snippet, lines=tuple(line for line in moved if line is not None))


def _moved(text: str, shift: int) -> str | None:
    """The text so many columns further in, further out if there are fewer than none; None where it can't be."""
    if not shift or not text.strip():
        return text
    if "\t" in text[: _column(text)] or -shift > _column(text):
        return None
    return " " * shift + text if shift > 0 else text[-shift:]


def _column(text: str) -> int:
    return len(text) - len(text.lstrip())


def _key(text: str) -> str:
    return "".join(text.split())


def _words(text: str) -> set[str]:
    return set("".join(sign if sign.isalnum() or sign == "_" else " " for sign in text).split())
