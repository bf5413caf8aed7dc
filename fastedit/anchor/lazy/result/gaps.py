"""Other numbers of blank lines at single places of a merged result, with what speaks for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fastedit.anchor.lazy.identity import columns_of, identity_of, is_comment_text
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.blanks import num_blank
from fastedit.anchor.lazy.words.phrases import asks_blanks
from fastedit.patterns import pattern

# What another number of blank lines between two lines of a result is worth. Most are what speaks for it, less what
# speaks for the number that stands there. any: that it is another. more, fewer: how many. none: none. shown: a snippet
# has so many between the two lines; shown_note: on one side of a note between them; shown_marker: beside a marker.
# usual: the share of the file's lines of that kind that have so many before them. file: the file has so many between
# the two. above, below: so many behind the one line, before the other; above_again, below_again: and the result has
# them on the other side of the new lines too; above_out: new lines end a block there, that the file's blank lines
# stand behind; replaced: so many beside the line that went where a new one stands. asked: one, and words speak of a
# blank line; asked_none: none, and they say so.
GAPS = (
    "any", "more", "fewer", "none", "shown", "shown_note", "shown_marker", "usual", "file", "above", "above_again",
    "above_out", "below", "below_again", "replaced", "asked", "asked_none",
)  # fmt: skip
MAX_BLANKS = 3
FEW_BLANKS = 2
MAX_LESS = 4.5  # how much less another number may be worth that is looked at
MAX_OTHERS = 3
MAX_TOGETHER = 2  # more places that are others together with the likeliest one
MAX_GONE = 1  # lines more than the new ones that took their place
MAX_KIN = 200  # lines of one column that are looked at
MAX_LEADING = 12  # lines of comments and decorators above a declaration
_NO_BLANK = pattern(
    r"\b(?:no|without (?:a|an|any)|not an?|remove the|drop the) (?:blank|empty) (?:lines?|row)\b"
    r"|\b(?:directly|right|immediately|straight) (?:above|below|before|after|behind|under|underneath)\b"
    r"|\bon the line (?:above|below|before|after)\b|\bohne leerzeile|\bkeine leerzeile|\b(?:direkt|unmittelbar) \w+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The place [start, end) of blank lines of a result that may be another number. values: see `GAPS`."""

    start: int
    end: int
    number: int
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class Spacing:
    """Other numbers of blank lines for a result.

    values, gain: what they are worth against the likeliest ones, so that a result with poor blank lines doesn't come
    before another by getting better ones.
    """

    chosen: tuple[Gap, ...]
    values: dict[str, float]
    gain: float


# What a line follows, what it is, whether a comment leads to it.
_Kind = tuple[str, str, bool]


class _ShownGaps:
    """The blank lines that snippets show: between two lines, across notes and beside markers."""

    def __init__(self, snippets: Sequence[Sequence[str]]) -> None:
        self.between: dict[tuple[str, str], set[int]] = {}
        self.across: dict[tuple[str, str], set[int]] = {}
        self.before: dict[str, int] = {}
        self.behind: dict[str, int] = {}
        for lines in snippets:
            self._read(lines)

    def _read(self, lines: Sequence[str]) -> None:
        solid = [at for at, line in enumerate(lines) if line.strip()]
        keys = ["".join(lines[at].split()) for at in solid]
        is_note = [_is_note(key) for key in keys]
        for at, (above, below) in enumerate(pairwise(solid)):
            count = below - above - 1
            self.between.setdefault((keys[at], keys[at + 1]), set()).add(count)
            if is_note[at]:
                self.before[keys[at + 1]] = count
                if at and not is_note[at - 1]:
                    runs = {count, above - solid[at - 1] - 1}
                    self.across.setdefault((keys[at - 1], keys[at + 1]), set()).update(runs)
            if is_note[at + 1]:
                self.behind[keys[at]] = count


def _is_note(key: str) -> bool:
    """Whether a line may be a note or a marker."""
    return is_comment_text(key) or key in ("...", "…")


class Gaps:
    """Finds where a merged result may have another number of blank lines.

    pieces: the words before each snippet, with its lines without white space.
    """

    def __init__(
        self, original: Lines, snippets: Sequence[Sequence[str]], pieces: Sequence[tuple[str, frozenset[str]]]
    ) -> None:
        self.original = original
        self.shown = _ShownGaps(snippets)
        self.asking = [(asks_blanks(prose), _NO_BLANK.search(prose) is not None, keys) for prose, keys in pieces]
        self._kin: dict[int, dict[_Kind, Counter[int]]] = {}
        self._now: dict[int, int] = {}  # the file's lines of a result, with where they stand there

    def of_result(self, lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[Gap]:
        """Yields the other numbers of blank lines that anything speaks for, beside lines that changed."""
        self._now = {origin: at for at, origin in enumerate(origins) if origin is not None}
        for above, below in _touched(lines, origins):
            count = below - above - 1
            speaking = self._speaking(lines, origins, above, below)
            numbers = {number for ways in speaking.values() for number in ways} - {count}
            for number in sorted(number for number in numbers if 0 <= number <= MAX_BLANKS):
                values = {name: ways.get(number, 0.0) - ways.get(count, 0.0) for name, ways in speaking.items()}
                if any(value > 0 for value in values.values()):
                    more = {"any": 1.0, "more": float(max(0, number - count)), "fewer": float(max(0, count - number))}
                    yield Gap(above + 1, below, number, values | more | {"none": float(not number) - float(not count)})

    def _speaking(
        self, lines: Sequence[str], origins: Sequence[int | None], above: int, below: int
    ) -> dict[str, dict[int, float]]:
        """Returns name → number of blank lines → how much speaks for it."""
        upper, lower = "".join(lines[above].split()), "".join(lines[below].split())
        first, last = origins[above], origins[below]
        shown = self.shown.between.get((upper, lower), set())
        across = self.shown.across.get((upper, lower), set()) if not shown else set[int]()
        result = {"shown": dict.fromkeys(shown, 1.0), "shown_note": dict.fromkeys(across, 1.0)}
        sides = [self.shown.before.get(lower) if last is None else None]
        sides += [self.shown.behind.get(upper) if first is None else None]
        result["shown_marker"] = {side: 1.0 for side in sides if side and not shown}
        counts = self._usual(lines, above, below)
        total = max(1, counts.total())
        result["usual"] = {number: count / total for number, count in counts.items()}
        for name, number in self._in_file(lines, origins, above, below):
            result[name] = {number: 1.0}
        if first is None and last is None and not shown:
            around = self._around(origins, above, below)
            result |= {} if around is None else {"above": {around: 1.0}, "below": {around: 1.0}}
        own = [key for key, origin in ((upper, first), (lower, last)) if origin is None]
        told = [(asks, none) for asks, none, keys in self.asking if not own or any(key in keys for key in own)]
        told = [] if shown else told
        result["asked"] = {1: 1.0} if any(asks for asks, _ in told) else {}
        result["asked_none"] = {0: 1.0} if any(none for _, none in told) else {}
        return result

    def _in_file(
        self, lines: Sequence[str], origins: Sequence[int | None], above: int, below: int
    ) -> Iterator[tuple[str, int]]:
        """Yields the blank lines that the file has beside the two lines, each with what it is called in `GAPS`."""
        first, last, original = origins[above], origins[below], self.original
        behind = 0 if first is None else num_blank(original, first, 1)
        before = 0 if last is None else num_blank(original, last, -1)
        if first is not None and last is not None and last - first == behind + 1:
            yield "file", behind
            return
        if first is not None:
            following = first + behind + 1
            is_out = following < len(original) and original.columns[following] < columns_of(lines[below])
            again = last is None and self._has_run(lines, following, behind, -1)
            replaced = last is None and self._replaces(lines, origins, below, following, 1)
            name = "above_out" if is_out and last is None else "above_again" if again else "above"
            yield "replaced" if replaced else name, behind
        if last is not None:
            preceding = last - before - 1
            again = first is None and self._has_run(lines, preceding, before, 1)
            replaced = first is None and self._replaces(lines, origins, above, preceding, -1)
            yield "replaced" if replaced else "below_again" if again else "below", before
        if (first is None) != (last is None):
            yield from self._within_blanks(lines, origins, above, below)

    def _around(self, origins: Sequence[int | None], above: int, below: int) -> int | None:
        """The blank lines that the file has where two new lines stand; None where it has other lines there."""
        first = next((origins[at] for at in range(above, -1, -1) if self._is_solid(origins[at])), None)
        last = next((origins[at] for at in range(below, len(origins)) if self._is_solid(origins[at])), None)
        if first is None or last is None or last - first != num_blank(self.original, first, 1) + 1:
            return None
        return last - first - 1

    def _is_solid(self, origin: int | None) -> bool:
        return origin is not None and bool(self.original.keys[origin])

    def _within_blanks(
        self, lines: Sequence[str], origins: Sequence[int | None], above: int, below: int
    ) -> Iterator[tuple[str, int]]:
        """Yields the blank lines that are left of the file's where new lines stand among many of them.

        Up to `FEW_BLANKS` may be a habit that new lines keep on both sides.
        """
        step = -1 if origins[above] is None else 1
        at, beside = (above, below) if step < 0 else (below, above)
        num_beside = 0
        while 0 <= at < len(lines) and not self._is_solid(origins[at]):
            num_beside = num_beside + 1 if not lines[at].strip() else 0
            at += step
        if not 0 <= at < len(lines) or not num_beside:
            return
        first, last = sorted((origins[at] or 0, origins[beside] or 0))
        number = last - first - 1
        if max(num_beside, FEW_BLANKS) < number == num_blank(self.original, first, 1):
            yield "replaced", number - num_beside

    def _has_run(self, lines: Sequence[str], line: int, number: int, step: int) -> bool:
        """Whether a result has a line of the file with so many blank lines beside it."""
        if line not in self._now:
            return False
        count, at = 0, self._now[line] + step
        while 0 <= at < len(lines) and not lines[at].strip():
            count, at = count + 1, at + step
        return count == number

    def _replaces(self, lines: Sequence[str], origins: Sequence[int | None], at: int, line: int, step: int) -> bool:
        """Whether the new lines from one on took the place of hardly more lines of the file, from a line on."""
        num_new = num_gone = 0
        while 0 <= at < len(lines) and origins[at] is None:
            num_new, at = num_new + bool(lines[at].strip()), at + step
        while 0 <= line < len(self.original) and line not in self._now and num_gone <= num_new + MAX_GONE:
            num_gone, line = num_gone + bool(self.original.keys[line]), line + step
        return 0 < num_gone <= num_new + MAX_GONE

    def _usual(self, lines: Sequence[str], above: int, below: int) -> Counter[int]:
        """Counts the blank lines before the file's lines that are of one kind with a result's."""
        column = columns_of(lines[below])
        if column not in self._kin:
            kin: dict[_Kind, Counter[int]] = {}
            original = self.original
            lines_there = original.lines_at.get(column, [])
            for line in lines_there[:: 1 + len(lines_there) // MAX_KIN]:
                before = line - 1 - num_blank(original, line, -1)
                if before >= 0:
                    kind = _kind(original.texts, before, line)
                    kin.setdefault(kind, Counter())[line - before - 1] += 1
            self._kin[column] = kin
        told = _kind(lines, above, below)
        kin = self._kin[column]
        if told in kin:
            return kin[told]
        near, like, same = Counter[int](), Counter[int](), Counter[int]()
        for kind, counts in kin.items():
            if kind[1] == told[1] and (kind[0] != "opener" or kind[0] == told[0]):
                near.update(counts if kind[0] == told[0] else {})
                like.update(counts if kind[2] == told[2] else {})
                same.update(counts)
        return near or like or same


def _touched(lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yields the lines that follow each other, but for blank ones, where something changed beside or between them."""
    last = -1
    for at, (first, second) in enumerate(pairwise(origins)):
        if at < last or (first is not None and second == first + 1):
            continue
        above = next((one for one in range(at, -1, -1) if lines[one].strip()), None)
        below = next((one for one in range(at + 1, len(lines)) if lines[one].strip()), None)
        last = len(lines) if below is None else below
        if above is not None and below is not None:
            yield above, below


def ways_to_space(found: Iterable[Gap], worth: dict[str, float]) -> list[Spacing]:
    """The ways to have blank lines that are worth a look: as they are, the likeliest one, this but for a few places.

    Those are single places, and the likeliest one that isn't likely enough together with one more. worth: the weights
    of `GAPS`.
    """
    best: dict[int, tuple[float, Gap]] = {}
    for gap in found:
        gain = sum(worth[name] * value for name, value in gap.values.items())
        if gain > -MAX_LESS and (gap.start not in best or best[gap.start][0] < gain):
            best[gap.start] = gain, gap
    order = sorted(best.values(), key=lambda one: (abs(one[0]), one[1].start))
    good = frozenset(gap.start for gain, gap in order if gain > 0)
    others = [{gap.start} for _, gap in order[:MAX_OTHERS]]
    doubtful = [gap.start for _, gap in order if gap.start not in good]
    others += [{doubtful[0], start} for start in doubtful[1 : 1 + MAX_TOGETHER]]
    ways = dict.fromkeys([frozenset[int](), good, *(good ^ other for other in others)])
    return [_spacing(way, good, best) for way in ways]


def _spacing(way: frozenset[int], good: frozenset[int], best: dict[int, tuple[float, Gap]]) -> Spacing:
    """One way, against the likeliest one. best: what could be at each place, with its gain."""
    values: dict[str, float] = {}
    gain = 0.0
    for start in sorted(way ^ good):
        sign = 1.0 if start in way else -1.0
        gain += sign * best[start][0]
        for name, value in best[start][1].values.items():
            values[name] = values.get(name, 0.0) + sign * value
    return Spacing(tuple(best[start][1] for start in sorted(way)), values, gain)


def spaced(
    lines: Sequence[str], origins: Sequence[int | None], chosen: Sequence[Gap]
) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a result with other numbers of blank lines, and where each of them is from."""
    texts, places = list(lines), list(origins)
    for gap in sorted(chosen, key=lambda one: -one.start):
        end = min(gap.end, gap.start + gap.number)
        more = gap.number - (end - gap.start)
        texts[gap.start : gap.end] = [*texts[gap.start : end], *[""] * more]
        places[gap.start : gap.end] = [*places[gap.start : end], *[None] * more]
    return tuple(texts), tuple(places)


def _kind(texts: Sequence[str], above: int, below: int) -> _Kind:
    """The kind of a place between two lines: what ends above, what is below, whether a comment leads to it."""
    column = columns_of(texts[below])
    upper = columns_of(texts[above])
    text = texts[above].strip()
    is_closer = text[:1] in (")", "}", "]") or text.startswith(("end", "</"))
    before = "opener" if upper < column else "end" if upper > column or is_closer else "like"
    if before == "like" and is_comment_text(text):
        before = "comment"
    at = below
    identity = None
    while at < min(len(texts), below + MAX_LEADING) and (text := texts[at].strip()):
        identity = None if is_comment_text(text) else identity_of(text)
        if not is_comment_text(text) and (identity is None or identity.kind != "decorator"):
            break
        at += 1
    kind = identity.kind if identity is not None else ""
    return before, kind, is_comment_text(texts[below].strip())
