"""The places that each piece of a patch could have: the strictest measure that finds any, and scopes that agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fastedit.anchor.patch.changes import changed_span
from fastedit.anchor.patch.choose import END_WORTH, HINT_WORTH, QUALITY_WORTH, SCOPE_WORTH, RunPlace
from fastedit.anchor.patch.fit import Fit, fit, num_cells
from fastedit.anchor.patch.locate import STRICT_LEVELS, Level, LineIndex, Place
from fastedit.anchor.patch.quoted import weight_of
from fastedit.anchor.patch.scopes import INSIDE, Scopes
from fastedit.edits.model import Op, PatchHunk, PatchLine
from fastedit.lines import indent_of

MAX_CANDIDATES = 64
MIN_CANDIDATES = 8
# How many pairs of candidates may be weighed altogether.
MAX_LINKS = 120_000
MAX_CELLS = 150_000
# Where a hunk may be parted: between so many kept lines at most, into parts that tell this much.
MAX_SEAMS = 60
MIN_PART_LINES = 2
MIN_PART_WEIGHT = 1.0
# How faithful a place must be to be taken although others, which were not looked at, may be as likely.
MIN_LONE_QUALITY = 0.93
UNEVEN_INDENT_QUALITY = 0.9
AT_THE_END = "at the end of the file"
IN_EMPTY_FILE = "the file is empty"
BEHIND_SCOPE = "right behind the line that the patch names"
ONLY_A_NUMBER = "only a line number tells where"
TOO_COMMON = "its lines stand in too many places"


@dataclass(frozen=True, slots=True)
class HunkPiece:
    """Lines of a hunk that stand together.

    follows: the piece before is of the same hunk. is_elided: dots lie between them.
    """

    hunk_number: int
    hunk: PatchHunk
    lines: tuple[PatchLine, ...]
    follows: bool = False
    is_elided: bool = False

    @property
    def expected(self) -> list[PatchLine]:
        return [line for line in self.lines if line.op in (Op.KEEP, Op.DELETE)]


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The places where a piece can stand, and the near misses where it can't stand anywhere.

    unweighed: the best of the places that were too many to be candidates.
    """

    candidates: list[RunPlace]
    unweighed: RunPlace | None = None
    misses: list[Fit] = field(default_factory=list)


def pieces_of(hunk: PatchHunk, number: int) -> list[HunkPiece]:
    """The hunk's lines, parted at its elisions."""
    pieces: list[HunkPiece] = []
    lines: list[PatchLine] = []
    for line in (*hunk.lines, PatchLine(Op.SKIP, "")):
        if line.op is not Op.SKIP:
            lines.append(line)
        elif lines:
            pieces.append(HunkPiece(number, hunk, tuple(lines), bool(pieces), bool(pieces)))
            lines = []
    return pieces


class Finder:
    """Finds candidates in one original. num_pieces: for how many pieces, which bounds the candidates of each."""

    def __init__(self, index: LineIndex, scopes: Scopes, num_pieces: int) -> None:
        self.index = index
        self.scopes = scopes
        self.limit = max(MIN_CANDIDATES, min(MAX_CANDIDATES, math.isqrt(MAX_LINKS // max(1, num_pieces))))

    def find(self, piece: HunkPiece, *, strict: bool = False, shifts: Sequence[int] = (0,)) -> FoundPlaces:
        """The piece's candidates, at most `limit`.

        strict: white space is all that may differ. shifts: how far off the patch's line numbers may be.
        """
        expected = piece.expected
        if not expected:
            return self._ranked(piece, self._insertions(piece), shifts)
        places = self._strict_places(piece.hunk, [line.text for line in expected])
        if places or strict:
            return self._ranked(piece, places, shifts)
        fits = self._fits(expected)
        places = _distinct([found.place for found in fits if not found.refusal])
        misses = sorted((found for found in fits if found.refusal), key=lambda found: -found.place.quality)
        return replace(self._ranked(piece, places, shifts), misses=misses)

    def parted(self, piece: HunkPiece) -> list[HunkPiece]:
        """The piece as several that each stand somewhere, if it passes over lines without saying so; else nothing.

        Each part has lines that tell, and the parts meet between kept lines.
        """
        seams = [n for n in range(1, len(piece.lines)) if piece.lines[n - 1].op is piece.lines[n].op is Op.KEEP]
        if not seams or len(seams) > MAX_SEAMS:
            return []
        parts: list[HunkPiece] = []
        start = 0
        while start < len(piece.lines):
            ends = [len(piece.lines), *(seam for seam in reversed(seams) if seam > start)]
            end = next((end for end in ends if self._stands(piece, start, end)), None)
            if end is None:
                return []
            parts.append(replace(piece, lines=piece.lines[start:end], follows=piece.follows or bool(parts)))
            start = end
        return parts

    def _stands(self, piece: HunkPiece, start: int, end: int) -> bool:
        """Whether these lines of the piece tell enough and stand somewhere as they are quoted."""
        old = [line.text for line in piece.lines[start:end] if line.op is not Op.ADD]
        told = [text for text in old if text.strip()]
        if len(told) < MIN_PART_LINES or sum(map(weight_of, told)) < MIN_PART_WEIGHT:
            return False
        return bool(self._strict_places(piece.hunk, old))

    def _strict_places(self, hunk: PatchHunk, old: list[str]) -> list[Place]:
        """Places by the strictest measure that finds any; the next ones too while none agrees with the scopes."""
        places: list[Place] = []
        for level in STRICT_LEVELS:
            known = {(place.start, place.end) for place in places}
            found = self.index.runs(old, level, hunk.line_hint or 0)
            if level is Level.INDENT and len(found) * len(old) <= MAX_CELLS:
                found = [_with_indent_quality(place, old, self.index) for place in found]
            places += [place for place in found if (place.start, place.end) not in known]
            if places and (not hunk.scopes or max(self.scopes.values(hunk.scopes, places)) == INSIDE):
                break
        return places

    def _fits(self, expected: Sequence[PatchLine]) -> list[Fit]:
        """The alignments with the likeliest stretches, as many as can be afforded."""
        fits: list[Fit] = []
        num_left = MAX_CELLS
        windows, are_all = self.index.windows([line.text for line in expected])
        for window in windows:
            num_left -= num_cells(expected, window)
            if num_left < 0:
                break
            found = fit(self.index, expected, window)
            if found is not None:
                is_enough = are_all or found.place.quality >= MIN_LONE_QUALITY
                fits.append(found if is_enough else replace(found, refusal=found.refusal or TOO_COMMON))
        return fits

    def _ranked(self, piece: HunkPiece, places: list[Place], shifts: Sequence[int]) -> FoundPlaces:
        """The best of the places as candidates, in the original's order."""
        hunk = piece.hunk
        values = self.scopes.values(hunk.scopes, places)
        hint = None if piece.follows else hunk.line_hint
        last = self.index.told[-1] + 1 if self.index.told else 0
        ranked: list[tuple[float, Place, int | None]] = []
        for place, value in zip(places, values, strict=True):
            distance = None if hint is None else min(abs(place.start - hint - shift) for shift in shifts)
            worth = QUALITY_WORTH * place.quality + SCOPE_WORTH * value
            worth += END_WORTH if hunk.at_end and place.end >= last else 0.0
            worth += 0.0 if distance is None else HINT_WORTH / (1 + distance / 10)
            ranked.append((worth, place, distance))
        ranked.sort(key=lambda rank: (-rank[0], rank[1].start))
        candidates = [
            RunPlace(place, changed_span(piece.lines, place), worth, distance)
            for worth, place, distance in ranked[: self.limit + 1]
        ]
        unweighed = candidates.pop() if len(candidates) > self.limit else None
        return FoundPlaces(sorted(candidates, key=lambda candidate: candidate.place.start), unweighed)

    def _insertions(self, piece: HunkPiece) -> list[Place]:
        """Places for new lines without any context."""
        hunk = piece.hunk
        num_lines = len(self.index.lines)
        if piece.follows:
            return []
        if not self.index.told:
            return [_spot(0, 1.0, IN_EMPTY_FILE)]
        if hunk.at_end:
            return [_spot(num_lines, 1.0, AT_THE_END)]
        regions = self.scopes.lines_of(hunk.scopes)
        if regions:
            return [_spot(self.scopes.body_line(row), 0.9, BEHIND_SCOPE) for row, _ in regions]
        if hunk.line_hint is not None:
            return [_spot(min(hunk.line_hint, num_lines), 0.9, ONLY_A_NUMBER)]
        return []


def _spot(row: int, quality: float, reason: str) -> Place:
    return Place(row, row, (), Level.EXACT, quality, reason)


def _with_indent_quality(place: Place, old: Sequence[str], index: LineIndex) -> Place:
    """Returns the place, with less quality where the indentation doesn't differ in one and the same way throughout."""
    known: dict[str, str] = {}
    for line, row in zip(old, range(place.start, place.end), strict=True):
        indent = indent_of(index.lines[row])
        if line.strip() and known.setdefault(indent_of(line), indent) != indent:
            return replace(place, quality=UNEVEN_INDENT_QUALITY, reason="indentation differs unevenly")
    if all(mine == theirs for mine, theirs in known.items()):
        return place
    return replace(place, reason="indentation differs")


def _distinct(places: Sequence[Place]) -> list[Place]:
    """The best of places that overlap, so that two looks at one stretch aren't taken for rivals."""
    kept: list[Place] = []
    for place in sorted(places, key=lambda place: -place.quality):
        if all(place.end <= other.start or other.end <= place.start for other in kept):
            kept.append(place)
    return kept
