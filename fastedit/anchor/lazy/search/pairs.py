"""Finds the lines of the original that a row of the snippet may stand for, equal or not, and what speaks for each.

Beside what the two lines say, the blocks around them speak: where these agree, the row rather means the line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.features import (
    BLANK,
    DOTS_PAIR,
    DROPS_COMMENT,
    IDENTITY_KIND,
    IDENTITY_KNOWN,
    IDENTITY_OTHER,
    IDENTITY_OTHER_USED,
    IDENTITY_SAME,
    LIKE,
    LIKE_ALIKE,
    LIKE_BY,
    LIKE_CLOSER,
    LIKE_COMMENT,
    LIKE_ELIDED,
    LIKE_ELIDED_CODE,
    LIKE_FIRST,
    LIKE_FIRST_NOT,
    LIKE_KIND_SAME,
    LIKE_LINE_SHOWN,
    LIKE_MIXED,
    LIKE_OPENS,
    LIKE_RIVALS,
    LIKE_SAME_ELSEWHERE,
    LIKE_THOUGH_LOOSE,
    LIKE_UNDERLINE,
    LIKE_WORDS,
    LOOSE,
    LOOSE_ABBREVIATED,
    LOOSE_CLOSER,
    LOOSE_GAPS,
    LOOSE_OPENS,
    LOOSE_PREFIX,
    NOTE_PAIR,
    NOTE_QUOTES,
    PAIR,
    QUOTED_BY_WORDS,
    RESPACED,
    REWRAPPED,
    SAID_ADDS,
    SAID_ADDS_OTHER,
    SAID_CHANGES,
    SAID_PLACED,
    SAME,
    SAME_DUP,
    SAME_LEN,
    SAME_SHOWN_TWICE,
    SAME_TRIVIAL,
    SAME_TRIVIAL_DUP,
    SEVERAL,
    STUB,
    STUB_MARKED,
    STUB_SAID,
)  # fmt: skip
from fastedit.anchor.lazy.lines import DOTS, unwrapped
from fastedit.anchor.lazy.search.candidates import MAX_LIKE, PROMPT, Candidates, chain_span
from fastedit.anchor.lazy.search.loose import abbreviates, drops_comment, is_alike, is_respaced, leaves_gaps, looseness
from fastedit.anchor.lazy.search.surroundings import Surroundings
from fastedit.anchor.lazy.words.shapes import TEXTS, is_underline, kind_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.lazy.search.grid import Grid

    Floats = NDArray[np.float32]

_Found = tuple[int, int, list[float], bool]  # the first line, how many, features, whether the original's bytes win
MAX_SAME = 3000  # places of an equal line that count
NEARLY = 0.05  # lines with likenesses no farther apart are as like
MAX_RESPACED = 8  # places of a line where it may be meant with other white space
MIN_NOTE_OVERLAP = 0.4
NOT_CODE = -0.7  # a comment with smaller odds is rather a note or a marker
# Dots that are more likely code: `...rest`, `Callable[..., T]`, `tuple[int, ...]`.
_CODE_DOTS = re.compile(r"\.{3}\w|\[\.{3},|,\s*\.{3}\]")
_STUB = re.compile(r":\s+(?:\.{3}|…)$")  # a body of dots behind its header
MIN_STUB = 0.6  # likeness of headers
MAX_REOPENED, MIN_REOPENED = 1000, 0.6  # characters and likeness of statements that are wrapped otherwise
FENCES = ("```", "~~~")


@dataclass(slots=True)
class Pairs:
    """The lines of the original that a row may stand for, with their features.

    lines: the first of each. features: (k, len(PAIR)). is_loose: the original's bytes win. spans: how many lines it is.
    """

    lines: NDArray[np.int32]
    features: Floats
    is_loose: list[bool] = field(default_factory=list)
    spans: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    @property
    def stays(self) -> NDArray[np.bool_]:
        """(k,): whether the lines stay as they are; else the row takes their place."""
        told = self.features
        is_same = told[:, SAME] + told[:, SAME_TRIVIAL] - told[:, RESPACED] - told[:, LIKE_CLOSER] > 0
        return np.logical_or(is_same, self.is_loose)


class Pairing:
    """Finds the lines that the rows of a grid may stand for."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.original, self.shown, self.rows = grid.original, grid.shown, grid.rows
        self._statements: dict[int, tuple[int, str, str]] = {}
        self.is_text = grid.outline.language in TEXTS
        self.surroundings = Surroundings(grid)
        self.candidates = Candidates(grid)

    def of(self, row: int) -> Pairs:
        """The lines that a row may stand for."""
        self.grid.clock.check(self.grid.num_rows, self.grid.num_lines)
        one = self.rows[row]
        if one.is_blank:
            blank = np.nonzero(self.grid.is_blank[:-1])[0].astype(np.int32)
            features = np.zeros((len(blank), len(PAIR)), np.float32)
            features[:, BLANK] = 1
            return Pairs(blank, features, [False] * len(blank), np.ones(len(blank), np.int32))
        key = self.shown.keys[row]
        same = self.original.places.get(key, [])[:MAX_SAME]
        found = self._same(row, same)
        found += self._closers(row)
        is_sure_note = one.note is not None and one.role("code") < -3
        if not one.is_dots and len(key) <= 2000 and not is_sure_note:
            found += self._similar(row, same)
            if not self.shown.is_trivial[row]:
                found += self._stubs(row, [line for line, *_ in found])
                found += self._joined(row, [line for line, *_ in found])
        if row and self.is_text and is_underline(self.shown.stripped[row]) and self.shown.words(row - 1):
            found += self._underlines(row)
        if row + 1 < len(self.rows) and self.is_text and self.shown.stripped[row].startswith(FENCES):
            found += self._fences(row, {line for line, *_ in found})
        lines = [line for line, *_ in found]
        # Most lines that are equal to a row have one list of features in common.
        tables = {id(values): values for _, _, values, _ in found}
        numbers = {number: at for at, number in enumerate(tables)}
        table = np.array(list(tables.values()), np.float32).reshape(len(tables), len(PAIR))
        features = table[[numbers[id(values)] for _, _, values, _ in found]] if found else table
        self.surroundings.add_to(features, row, lines)
        spans = np.array([span for _, span, _, _ in found], np.int32)
        return Pairs(np.array(lines, np.int32), features, [is_loose for *_, is_loose in found], spans)

    def _same(self, row: int, same: Sequence[int]) -> list[_Found]:
        """The lines that are equal to a row but for white space."""
        one, shown = self.rows[row], self.shown
        key = shown.keys[row]
        is_trivial = shown.is_trivial[row]
        length = min(3.0, math.log2(1 + len(key) / 8))
        rare = min(6.0, math.log2(len(same))) if same else 0.0
        twice = len(shown.places.get(key, ())) > 1
        values = [0.0] * len(PAIR)
        values[SAME_TRIVIAL if is_trivial else SAME] = 1
        values[SAME_LEN] = 0 if is_trivial else length
        values[SAME_TRIVIAL_DUP if is_trivial else SAME_DUP] = rare
        values[SAME_SHOWN_TWICE] = float(twice and not is_trivial)
        values[NOTE_PAIR] = float(one.note is not None)
        values[DOTS_PAIR] = float(one.is_dots)
        respaced = list(values)
        respaced[RESPACED] = 1
        found: list[_Found] = []
        for line in same:
            found.append((line, 1, values, False))
            if len(same) <= MAX_RESPACED and is_respaced(shown.stripped[row], self.original.stripped[line]):
                found.append((line, 1, respaced, False))
        return found

    def _closers(self, row: int) -> list[_Found]:
        """The lines that close the same brackets as a row, but for the comma or semicolon behind them."""
        key = self.shown.keys[row]
        bare = key.rstrip(",;")
        if not bare or bare.strip(")]}"):
            return []
        others = (other for end in ("", ",", ";") if (other := bare + end) != key)
        lines = sorted(line for other in others for line in self.original.places.get(other, ())[:MAX_SAME])
        values = [0.0] * len(PAIR)
        values[SAME_TRIVIAL] = 1
        values[SAME_TRIVIAL_DUP] = min(6.0, math.log2(len(lines))) if lines else 0.0
        changed = list(values)
        values[LOOSE_CLOSER] = changed[LIKE_CLOSER] = 1
        return [one for line in lines for one in ((line, 1, values, True), (line, 1, changed, False))]

    def _similar(self, row: int, same: Sequence[int]) -> list[_Found]:
        """The lines that a row quotes loosely or changes; for a note only comments."""
        one = self.rows[row]
        known = set(same)
        is_note = one.note is not None and one.role("code") < NOT_CODE
        found: list[_Found] = []
        opened = self.candidates.opened(row)
        alike = self.candidates.of(row, opened)
        for line, likeness, overlap in alike:
            if line in known or (is_note and not self.original.is_comment(line)):
                continue
            for values, is_loose in self._like(row, line, likeness, overlap, bool(same)):
                values[LIKE_OPENS] = float(bool(opened) and not is_loose)
                values[LOOSE_OPENS] = float(is_loose and values[LOOSE_PREFIX] and self._goes_on(row, opened))
                if not is_loose:
                    rivals = sum(other >= likeness - NEARLY for _, other, _ in alike)
                    values[LIKE_RIVALS] = math.log2(max(1, rivals))
                found.append((line, 1, values, is_loose))
        return found

    def _underlines(self, row: int) -> list[_Found]:
        """The lines below titles that a row below one may take the place of, though nothing in them is alike."""
        original, shown = self.original, self.shown
        titles = [*original.places.get(shown.keys[row - 1], ())[:MAX_LIKE]]
        titles += [line for line, *_ in self.candidates.alike(row - 1, "")]
        found: list[_Found] = []
        for line in dict.fromkeys(title + 1 for title in titles):
            is_other = line < len(original) and original.keys[line] != shown.keys[row]
            if is_other and is_underline(original.stripped[line]):
                values = [0.0] * len(PAIR)
                values[LIKE] = values[LIKE_UNDERLINE] = values[LIKE_WORDS] = values[LIKE_FIRST] = 1
                values[LIKE_BY] = 0.4
                found.append((line, 1, values, False))
        return found

    def _fences(self, row: int, known: Collection[int]) -> list[_Found]:
        """The fence lines that one with another language may take the place of: those above what its next row means."""
        original, shown = self.original, self.shown
        below = [*original.places.get(shown.keys[row + 1], ())[:MAX_LIKE]]
        below += [line for line, *_ in self.candidates.alike(row + 1, "")]
        sign = shown.stripped[row][:3]
        found: list[_Found] = []
        for line in dict.fromkeys(line - 1 for line in below):
            if line >= 0 and line not in known and original.stripped[line].startswith(sign):
                values = [0.0] * len(PAIR)
                values[LIKE] = values[LIKE_UNDERLINE] = values[LIKE_WORDS] = values[LIKE_FIRST] = 1
                values[LIKE_BY] = 0.4
                found.append((line, 1, values, False))
        return found

    def _goes_on(self, row: int, opened: str) -> bool:
        """Whether the rows below one go on with its statement, so that it isn't one that is cut off.

        opened: the statement that it opens, or "".
        """
        if opened:
            return not DOTS.search(opened)
        behind = row + 1
        is_open = self.shown.stripped[row][-1:] in ("=", ",", "|", "(", "[", "{", "\\")
        is_open = is_open and behind < len(self.rows) and self.shown.columns[behind] > self.shown.columns[row]
        return is_open and not DOTS.search(self.shown.stripped[behind])

    def _like(
        self, row: int, line: int, likeness: float, overlap: float, is_known: bool
    ) -> list[tuple[list[float], bool]]:
        """The ways a row may stand for a line that isn't equal, as (features, is loose): quoting or changing it."""
        one = self.rows[row]
        original, shown = self.original, self.shown
        mine, theirs = shown.stripped[row], original.stripped[line]
        values = [0.0] * len(PAIR)
        result = []
        loose = looseness(mine, theirs)
        has_gaps = not loose and leaves_gaps(mine, theirs)
        if one.note is not None and one.role("code") < NOT_CODE:
            if overlap > MIN_NOTE_OVERLAP:  # `// (flush the queue)` for a comment that says it at length
                values[LOOSE] = values[NOTE_QUOTES] = 1
                values[LIKE_WORDS] = overlap
                result.append((values, True))
            return result
        if loose or has_gaps:
            quoted = list(values)
            quoted[LOOSE] = 1
            quoted[LOOSE_ABBREVIATED], quoted[LOOSE_PREFIX] = float(loose == 2 or has_gaps), float(loose == 3)
            quoted[LOOSE_GAPS] = float(has_gaps)
            quoted[SAME_LEN] = min(3.0, math.log2(1 + len(mine) / 8))
            result.append((quoted, True))
        elif one.is_quoted:
            quoted = list(values)
            quoted[LOOSE] = quoted[QUOTED_BY_WORDS] = 1
            quoted[LIKE_BY] = likeness - 0.5
            result.append((quoted, True))
        values[LIKE] = 1
        values[LIKE_BY] = likeness - 0.5
        values[LIKE_WORDS] = overlap
        values[LIKE_THOUGH_LOOSE] = float(loose == 1)
        values[LIKE_ALIKE] = float(loose == 1 and is_alike(mine, theirs))
        values[DROPS_COMMENT] = float(loose == 1 and drops_comment(mine, theirs))
        a, b = shown.words(row), original.words(line)
        is_first = bool(a and b and a[0] == b[0])
        values[LIKE_FIRST], values[LIKE_FIRST_NOT] = float(is_first), float(not is_first)
        identity, other = shown.identity(row), original.identity(line)
        if identity is not None and other is not None:
            if identity == other:
                values[IDENTITY_SAME] = 1
            elif identity.kind == other.kind:
                values[IDENTITY_OTHER] = 1
                values[IDENTITY_KNOWN] = float(identity in original.identities)
                places = original.word_places.get(other.name.split(".")[-1], ())
                values[IDENTITY_OTHER_USED] = float(any(at != line for at in places))
            else:
                values[IDENTITY_KIND] = 1
        if mine.startswith(PROMPT) != theirs.startswith(PROMPT):
            values[IDENTITY_KIND] = 1
        is_comment, was_comment = one.note is not None, original.is_comment(line)
        values[LIKE_COMMENT] = float(is_comment and was_comment)
        values[LIKE_MIXED] = float(is_comment != was_comment)
        values[LIKE_SAME_ELSEWHERE] = float(is_known)
        values[LIKE_LINE_SHOWN] = float(original.keys[line] in shown.places)
        if self.is_text:
            kind = kind_of(mine)
            values[LIKE_KIND_SAME] = float(bool(kind) and kind == kind_of(theirs))
        self._add_intent(values)
        return [*result, *((one, False) for one in _with_elided(values, mine, theirs))]

    def _add_intent(self, values: list[float]) -> None:
        """Adds what the words before the snippet announce to the features of a change."""
        intent = self.grid.intent
        values[SAID_ADDS], values[SAID_CHANGES], values[SAID_PLACED] = intent.adds, intent.changes, intent.placed
        values[SAID_ADDS_OTHER] = max(intent.adds, intent.placed) * values[IDENTITY_OTHER]

    def _statement(self, line: int) -> tuple[int, str, str]:
        """The statement that begins in a line: its number of lines, its text in one line, and without white space."""
        if line not in self._statements:
            span = self.original.statement_span(line)
            if span < 2:
                span = chain_span(self.original, line)
            joined = " ".join(self.original.stripped[line : line + span]) if span > 1 else ""
            self._statements[line] = span, joined, unwrapped(joined)
        return self._statements[line]

    def _stubs(self, row: int, lines: Sequence[int]) -> list[_Found]:
        """The headers above a body that is nothing but `...` or `pass`, where a row has both in one line."""
        mine = self.shown.stripped[row]
        if self.grid.outline.language != "python" or not _STUB.search(mine):
            return []
        original = self.original
        head, identity = _STUB.sub(":", mine), self.shown.identity(row)
        key = "".join(head.split())
        found: list[_Found] = []
        for line in sorted({*lines, *original.places.get(key, ())[:MAX_LIKE]}):
            if not original.stripped[line].endswith(":") or not self._has_no_body(line):
                continue
            if original.identity(line) != identity:
                continue
            likeness = Indel.normalized_similarity(head, original.stripped[line])
            if likeness < MIN_STUB:
                continue
            values = [0.0] * len(PAIR)
            values[SEVERAL] = values[STUB] = values[LIKE] = values[LIKE_WORDS] = values[LIKE_FIRST] = 1
            values[LIKE_BY] = likeness - 0.5
            values[STUB_SAID] = float(self.grid.context.asides.dots_are_code)
            values[STUB_MARKED] = float(self._marks_otherwise)
            found.append((line, 2, values, False))
        return found

    def _has_no_body(self, line: int) -> bool:
        """Whether the block that a line opens is one line of dots, or that does nothing."""
        original = self.original
        if line + 1 >= len(original) or original.stripped[line + 1] not in ("...", "pass"):
            return False
        behind = next((at for at in range(line + 2, len(original)) if original.keys[at]), None)
        inside = original.columns[line + 1] > original.columns[line]
        return inside and (behind is None or original.columns[behind] <= original.columns[line])

    @cached_property
    def _marks_otherwise(self) -> bool:
        """Whether the snippet has lines that stand for code, none of which is nothing but dots."""
        markers = [one for one in self.rows if one.note is not None and one.role("elide") > NOT_CODE]
        return bool(markers) and not any(DOTS.fullmatch(one.text.strip()) for one in markers)

    def _joined(self, row: int, lines: Sequence[int]) -> list[_Found]:
        """Statements of several lines that the row, or the statement that it opens, may stand for."""
        mine = self.shown.stripped[row]
        if not any(bracket in mine for bracket in "([{"):
            return []
        original = self.original
        result: list[_Found] = []
        opened = self.candidates.opened(row, MAX_REOPENED)
        key = unwrapped(opened or mine)
        starts = {*lines, *self.candidates.openers(row)}
        identity = self.shown.identity(row)
        if identity is not None:
            starts.update(original.identities.get(identity, ())[:20])
        for line in sorted(starts):
            if self._statement(line)[0] > 1:
                result += self._rewrapped(row, line, key) if opened else self._in_one_line(row, line, key)
        return result

    def _rewrapped(self, row: int, line: int, key: str) -> list[_Found]:
        """The change of a statement of several lines into one of another number of lines.

        key: the statement that the row opens, without white space.
        """
        original = self.original
        span, _, other = self._statement(line)
        likeness = Indel.normalized_similarity(key, other)
        if likeness <= MIN_REOPENED or original.keys[line] == self.shown.keys[row]:
            return []
        values = [0.0] * len(PAIR)
        values[SEVERAL] = values[LIKE] = values[LIKE_OPENS] = values[LIKE_FIRST] = 1
        values[LIKE_BY] = likeness - 0.5
        identity = self.shown.identity(row)
        values[IDENTITY_SAME] = float(identity is not None and identity == original.identity(line))
        self._add_intent(values)
        return [(line, span, values, False)]

    def _in_one_line(self, row: int, line: int, key: str) -> list[_Found]:
        """The ways a row may stand for a statement of several lines: quoting or changing it. key: the row's."""
        original, mine = self.original, self.shown.stripped[row]
        span, joined, other = self._statement(line)
        values = [0.0] * len(PAIR)
        values[SEVERAL] = 1
        if key == other:
            values[LOOSE] = 1
            values[SAME_LEN] = min(3.0, math.log2(1 + len(key) / 8))
            rewrapped = list(values)
            rewrapped[REWRAPPED] = 1
            return [(line, span, values, True), (line, span, rewrapped, False)]
        result: list[_Found] = []
        loose = looseness(mine, joined) or 2 * abbreviates(key, other)
        has_gaps = not loose and leaves_gaps(mine, joined)
        likeness = Indel.normalized_similarity(key, other)
        if loose or has_gaps or self.rows[row].is_quoted:
            quoted = list(values)
            quoted[LOOSE], quoted[LOOSE_ABBREVIATED] = 1, float(loose == 2 or has_gaps)
            quoted[LOOSE_GAPS] = float(has_gaps)
            if not loose and not has_gaps:
                quoted[QUOTED_BY_WORDS], quoted[LIKE_BY] = 1, likeness - 0.5
            result.append((line, span, quoted, True))
        if likeness > 0.5 or (DOTS.search(mine) and likeness > 0.3):
            values[LIKE], values[LIKE_BY] = 1, likeness - 0.5
            values[LIKE_FIRST] = 1
            identity = self.shown.identity(row)
            values[IDENTITY_SAME] = float(identity is not None and identity == original.identity(line))
            self._add_intent(values)
            result += ((line, span, one, False) for one in _with_elided(values, mine, joined))
        return result


def _with_elided(values: list[float], mine: str, theirs: str) -> list[list[float]]:
    """The features of a change; of a line with dots inside also those of the change in which they stand for code."""
    if not DOTS.search(mine) or DOTS.search(theirs):
        return [values]
    elided = list(values)
    elided[LIKE_ELIDED], elided[LIKE_ELIDED_CODE] = 1, float(bool(_CODE_DOTS.search(mine)))
    return [elided, values]
