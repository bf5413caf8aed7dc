"""Proposals of what words say beyond a message's code: lines that go, change or are added; and how to follow them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.identity import Identity, columns_of, identity_of, is_comment_text, opens
from fastedit.anchor.lazy.keys.gone import GONE
from fastedit.anchor.lazy.lines import WORD, Lines
from fastedit.anchor.lazy.proposals.beside import BESIDE
from fastedit.anchor.lazy.proposals.ends import ENDS
from fastedit.anchor.lazy.proposals.reworded import CHANGED
from fastedit.anchor.lazy.proposals.together import TOGETHER
from fastedit.anchor.lazy.result.coherence import ENDS_FLOW
from fastedit.anchor.lazy.result.facts import CLOSES
from fastedit.anchor.lazy.result.gaps import GAPS
from fastedit.anchor.lazy.words.spoken import SPOKEN

# Statements, with the comments above them, that stay above or below new lines which may have taken their place.
# any: one; next: the snippet goes on behind the new lines with what stands behind it, times the share of it that no
# snippet shows; edge: the snippet shows nothing more on this side; flow: nothing gets to it, as the new lines end in a
# `return`; torn: what opens or closes its brackets is gone; bare: it is a header whose block is gone; named: a new line
# declares, assigns or keys what it does; like: the share of its words that the new lines have, above a half; unlike:
# how much below a half, where it isn't bare; more: another one stands between it and them; lines: the logarithm of how
# many; above: it stands above them; shown: the share of its lines that the snippets show; placed: words name it as what
# something goes beside.
OUTLIVED = (
    "any", "next", "edge", "flow", "torn", "bare", "named", "like", "unlike", "more", "lines", "above", "shown",
    "placed",
)  # fmt: skip
TELLING = ("next", "flow", "torn", "bare", "named")  # each is enough to try it
MAX_OUTLIVED = 6
MAX_OUTLIVED_LINES = 40
MAX_CHAIN = 4  # statements on one side
MIN_OUTLIVED_LIKE = 0.25  # above a half of its words, where nothing else speaks for it
PROPOSALS: tuple[str, ...] = (
    "removes_block", "removes_line", "removes_used", "removes_move", "removes_quoted", "removes_kept", "removes_part",
    "removes_imported", "removes_repeat", "removes_among", "removes_shown", "removes_rekeyed",
    "removes_again",
    *(f"spoken_{name}" for name in SPOKEN), *(f"reworded_{name}" for name in CHANGED),
    *(f"beside_{name}" for name in BESIDE), *(f"entries_{name}" for name in GONE),
    *(f"outlived_{name}" for name in OUTLIVED), *(f"ends_{name}" for name in ENDS),
    *(f"together_{name}" for name in TOGETHER),
    *(f"gap_{name}" for name in GAPS),
)  # fmt: skip
MAX_WAYS = 24  # the best sets of proposals


@dataclass(frozen=True, slots=True)
class OutlivedUnit:
    """A statement that new lines may have taken the place of, see `OUTLIVED`. nearer: the one between it and them."""

    lines: range
    values: dict[str, float]
    nearer: range | None = None


@dataclass(frozen=True, slots=True)
class _Side:
    """New lines, as a side of them tells of the statements there. column: the leftmost of the new lines.

    behind: what the snippets show beyond them; "" is a snippet's edge. ends_flow: nothing below is got to. named: what
    the new lines in that column declare, assign or key. words: all of theirs.
    """

    column: int
    is_above: bool
    behind: frozenset[str]
    ends_flow: bool
    named: frozenset[Identity]
    words: frozenset[str]


class Outlived:
    """Finds what stays beside new lines that may have taken its place, for all readings of a message.

    snippets: their lines without white space. beside: the names of what words say that something goes beside.
    """

    def __init__(
        self, original: Lines, snippets: Sequence[Sequence[str]], language: str, beside: Collection[str] = ()
    ) -> None:
        self.original, self.language, self._placing = original, language, beside
        self._shown = frozenset(key for own in snippets for key in own if key)
        # Two neighbouring lines of a snippet → those that it shows behind them; "" at its edge. In both directions.
        self._next: dict[tuple[str, str], set[str]] = {}
        for own in snippets:
            keys = ["", *(key for key in own if key), ""]
            for way in (keys, keys[::-1]):
                for before, key, behind in zip(["", *way], way, way[1:], strict=False):
                    self._next.setdefault((before, key), set()).add(behind)

    def units(self, lines: Sequence[str], origins: Sequence[int | None]) -> list[OutlivedUnit]:
        """The statements beside the new lines of a result for which something speaks, the likeliest first."""
        kept = {origin for origin in origins if origin is not None}
        written = [line.strip() for line, origin in zip(lines, origins, strict=True) if origin is None]
        gone = (text for line, text in enumerate(self.original.stripped) if line not in kept)
        total = self._opened(written) - self._opened(gone)
        found: list[OutlivedUnit] = []
        for start, end, new in _runs(lines, origins, len(self.original)):
            own = self._opened(line.strip() for line in new)
            own -= self._opened(self.original.stripped[line] for line in range(start, end) if line not in kept)
            more = total if total * own > 0 else 0
            for is_above in (True, False):
                found += self._beside(new, start - 1 if is_above else end, more, kept, is_above=is_above)
        found.sort(key=lambda unit: -_evidence(unit.values))
        return found[:MAX_OUTLIVED]

    def _opened(self, texts: Iterable[str]) -> int:
        return sum(opens(text, self.language) for text in texts)

    def _beside(
        self, new: Sequence[str], at: int, more: int, kept: Collection[int], *, is_above: bool
    ) -> Iterator[OutlivedUnit]:
        """Yields the units on one side of new lines. at: the line next to them; more: how many brackets are to go."""
        side = self._side(new, is_above=is_above)
        chain = list(self._chain(at, side.column, kept, is_above=is_above))
        torn = self._torn(at, more, kept, is_above=is_above)
        is_bare = torn is None and is_above and self._is_emptied(at, side.column, kept)
        if is_bare:
            torn = range(at, at + 1)
        met = next((n for n, unit in enumerate(chain) if self._key_beyond(unit, is_above=is_above) in side.behind), -1)
        is_apart = torn is not None and torn not in chain
        nearer: range | None = None
        for place, unit in enumerate([torn, *chain] if torn is not None and is_apart else chain, -is_apart):
            values = self._values(unit, side, is_met=0 <= place <= met, place=place)
            values["bare" if is_bare else "torn"] = float(torn is not None and set(torn) <= set(unit))
            if is_bare and unit == torn:
                values["unlike"] = 0.0
            if values["like"] >= MIN_OUTLIVED_LIKE or any(values.get(name) for name in TELLING):
                yield OutlivedUnit(unit, values, nearer)
            elif place >= 0:
                break
            nearer = unit if place >= 0 else None

    def _side(self, new: Sequence[str], *, is_above: bool) -> _Side:
        column = min(map(columns_of, new))
        keys = ["".join(line.split()) for line in (new[1::-1] if is_above else new[-2:])]
        if len(keys) > 1:
            behind = self._next.get((keys[0], keys[1]), set())
        else:
            behind = {key for (_, mine), shown in self._next.items() if mine == keys[0] for key in shown}
        own = (identity_of(line.strip()) for line in new if columns_of(line) == column)
        return _Side(
            column,
            is_above,
            frozenset(behind),
            not is_above and columns_of(new[-1]) == column and ENDS_FLOW.match(new[-1].strip()) is not None,
            frozenset(one for one in own if one is not None and one.kind != "import"),
            frozenset(word for line in new for word in WORD.findall(line)),
        )

    def _values(self, unit: range, side: _Side, *, is_met: bool, place: int) -> dict[str, float]:
        """`OUTLIVED` of a unit, but for `torn` and `bare`."""
        keys, texts = self.original.keys, self.original.stripped
        told = [line for line in unit if keys[line]]
        code = [line for line in told if not is_comment_text(texts[line])] or told
        words = {word for line in code for word in self.original.words(line)}
        shown = sum(keys[line] in self._shown for line in told) / len(told)
        share = len(words & side.words) / max(1, len(words))
        identity = self.original.identity(code[0])
        return {
            "any": 1.0,
            "next": (1 - shown) * is_met,
            "edge": float("" in side.behind),
            "flow": float(side.ends_flow and self.original.columns[told[0]] == side.column),
            "named": float(identity in side.named),
            "placed": float(identity is not None and identity.name in self._placing),
            "like": max(0.0, share - 0.5),
            "unlike": max(0.0, 0.5 - share),
            "more": float(place > 0),
            "lines": math.log(len(told)),
            "above": float(side.is_above),
            "shown": shown,
        }

    def _chain(self, at: int, column: int, kept: Collection[int], *, is_above: bool) -> Iterator[range]:
        """Yields the statements in a column on one side of a position, those next to it first."""
        for _ in range(MAX_CHAIN):
            unit = self._ending(at, column) if is_above else self._beginning(at, column)
            if not unit or len(unit) > MAX_OUTLIVED_LINES or any(line not in kept for line in unit):
                return
            yield unit
            before, behind = self.original.beside(unit.start, unit.stop)
            at = before if is_above else behind

    def _beginning(self, at: int, column: int) -> range:
        """The lines of the statement that begins in a line, comments above it too; none where none does."""
        columns, texts = self.original.columns, self.original.stripped
        end = at
        while end + 1 < len(texts) and is_comment_text(texts[end]) and columns[end + 1] == columns[at]:
            end += 1
        if not 0 <= at < len(texts) or columns[at] != column:
            return range(0)
        stop = end + 1
        for line in range(end + 1, min(len(texts), end + MAX_OUTLIVED_LINES + 2)):
            if columns[line] > column or (columns[line] == column and CLOSES.match(texts[line])):
                stop = line + 1
            elif columns[line] >= 0:
                break
        return range(at, stop)

    def _ending(self, at: int, column: int) -> range:
        """The lines of the statement in a column that ends in a line, with comments above it."""
        columns, texts = self.original.columns, self.original.stripped
        start = at
        while start >= 0 and (columns[start] < 0 or columns[start] > column or CLOSES.match(texts[start])):
            start -= 1
        if start < 0 or columns[start] != column:
            return range(0)
        while start > 0 and columns[start - 1] == column and is_comment_text(texts[start - 1]):
            start -= 1
        return range(start, at + 1)

    def _torn(self, at: int, more: int, kept: Collection[int], *, is_above: bool) -> range | None:
        """The lines from one on that open or close as many brackets more as are to go; None where none are."""
        count, step = 0, -1 if is_above else 1
        for line in range(at, at + step * MAX_OUTLIVED_LINES, step) if more else ():
            if not 0 <= line < len(self.original) or line not in kept:
                return None
            count += opens(self.original.stripped[line], self.language)
            if count == more:
                return range(line, at + 1) if is_above else range(at, line + 1)
        return None

    def _is_emptied(self, line: int, column: int, kept: Collection[int]) -> bool:
        """Whether a line opens a block by indentation that is gone, with new lines in a column in its place."""
        if line not in kept or not self.original.stripped[line].endswith(":"):
            return False
        first = self.original.beside(line, line + 1)[1]
        is_block = first < len(self.original) and self.original.columns[first] > self.original.columns[line] >= column
        return is_block and first not in kept

    def _key_beyond(self, unit: range, *, is_above: bool) -> str:
        """The next line beyond a unit, without white space."""
        line = self.original.beside(unit.start, unit.stop)[0 if is_above else 1]
        return self.original.keys[line] if 0 <= line < len(self.original) else "\n"


def _runs(lines: Sequence[str], origins: Sequence[int | None], num_lines: int) -> Iterator[tuple[int, int, list[str]]]:
    """Yields a result's new lines, blank ones apart, with the lines [start, end) of the original that they stand for.

    Blank lines beside them count as such that they stand for, too.
    """
    start, new = 0, list[str]()
    for line, origin in zip((*lines, "."), (*origins, num_lines), strict=True):
        if origin is None:
            new += [line] if line.strip() else []
        elif line.strip():
            if new:
                yield start, origin, new
            start, new = origin + 1, []


def _evidence(values: dict[str, float]) -> float:
    """A rough order of units, of which only the first are tried."""
    sure = 3 * values["next"] + 2 * (values["flow"] + values.get("torn", 0.0) + values.get("bare", 0.0))
    return sure + values["named"] + values["like"] - values["more"]


@dataclass(frozen=True, slots=True)
class ProposedLoss:
    """Lines of the original that would go, and others that would become other lines: (line, what it would be).

    values: what speaks for it, see `PROPOSALS`. added: (line, text) of new lines behind one of the original, -1 for the
    top. after: another proposal without which this one means nothing. joins: others that this one follows together.
    """

    gone: tuple[int, ...]
    values: tuple[float, ...]
    changed: tuple[tuple[int, str], ...] = ()
    added: tuple[tuple[int, str], ...] = ()
    after: ProposedLoss | None = None
    joins: tuple[ProposedLoss, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether the words name this block, or name or quote just these lines, which nothing else needs."""
        told = dict(zip(PROPOSALS, self.values, strict=True))
        is_told = told["removes_line"] or told["removes_quoted"] or told["removes_part"]
        return bool(told["removes_block"] or (is_told and not told["removes_used"] and not told["removes_among"]))

    def features(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """(len(PROPOSALS),)."""
        return np.array(self.values, np.float32)


def combinations(
    proposals: Sequence[ProposedLoss], worth: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> list[tuple[ProposedLoss, ...]]:
    """The ways to follow proposals that are worth a look: none, each, all, and the best sets of them."""
    values = [float(one.features() @ worth) for one in proposals]
    good = {number for number, value in enumerate(values) if value > 0}
    ways = [set[int](), *({number} for number in range(len(proposals))), set(range(len(proposals)))]
    ways += [good ^ others for others in _least(list(map(abs, values)), MAX_WAYS)]
    result: dict[tuple[int, ...], tuple[ProposedLoss, ...]] = {}
    for way in ways:
        wanted = [proposals[number] for number in sorted(way)]
        while len(way) == 1 and wanted[0].after is not None:
            wanted.insert(0, wanted[0].after)
        joined = {id(part) for one in wanted for part in one.joins}
        chosen: list[ProposedLoss] = []
        for one in (one for one in wanted if id(one) not in joined):
            chosen += [one] if one.after is None or one.after in chosen else []
        result.setdefault(tuple(id(one) for one in chosen), tuple(chosen))
    return list(result.values())


def _least(costs: Sequence[float], count: int) -> list[frozenset[int]]:
    """The sets of numbers that cost least together, the empty one first."""
    order = sorted(range(len(costs)), key=lambda number: costs[number])
    result: list[frozenset[int]] = [frozenset()]
    heap: list[tuple[float, tuple[int, ...]]] = [(costs[order[0]], (0,))] if order else []
    while heap and len(result) < count:
        cost, chosen = heappop(heap)
        result.append(frozenset(order[one] for one in chosen))
        last = chosen[-1]
        if last + 1 < len(order):
            more = costs[order[last + 1]]
            heappush(heap, (cost + more, (*chosen, last + 1)))
            heappush(heap, (cost + more - costs[order[last]], (*chosen[:-1], last + 1)))
    return result


def followed(
    lines: Sequence[str], origins: Sequence[int | None], chosen: Sequence[ProposedLoss], language: str = ""
) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a result with proposals followed, and where each of them is from."""
    if not chosen:
        return tuple(lines), tuple(origins)
    gone = {line for one in chosen for line in one.gone}
    changed = {line: text for one in chosen for line, text in one.changed}
    added: dict[int | None, list[str]] = {}
    for line, text in (new for one in chosen for new in one.added):
        added.setdefault(line, []).append(text)
    texts: list[str] = list(added.get(-1, ()))
    places: list[int | None] = [None] * len(texts)
    touched = {*gone, *changed, *added}
    stops = [at for at, origin in enumerate(origins) if origin in touched]
    stops.append(len(lines))
    num_blank = -1  # blank lines before lines that went, -1 elsewhere
    at = 0
    while at < len(lines):
        stop = stops[bisect_left(stops, at)]
        if num_blank < 0 and at < stop:  # nothing happens up to there
            texts += lines[at:stop]
            places += origins[at:stop]
            at = stop
            continue
        text, origin = lines[at], origins[at]
        at += 1
        if origin in gone:
            num_blank = max(num_blank, _num_blank_behind(texts))
            continue
        if num_blank > 0 and not text.strip():
            num_blank -= 1  # what stood between blank lines leaves no more than there were on one side
            continue
        if language == "json" and num_blank >= 0 and text.strip()[:1] in ("}", "]") and texts:
            less = texts[-1].rstrip().removesuffix(",")  # JSON's last entry has no comma
            texts[-1], places[-1] = less, places[-1] if less == texts[-1] else None
        num_blank = -1
        texts.append(text if origin is None else changed.get(origin, text))
        places.append(None if origin in changed else origin)
        if origin in added:
            texts += added[origin]
            places += [None] * len(added[origin])
    if num_blank >= 0 and lines and lines[-1].strip():  # the file's end went, and what set it off goes too
        end = max(1, len(texts) - _num_blank_behind(texts)) if texts else 0
        del texts[end:], places[end:]
    return tuple(texts), tuple(places)


def _num_blank_behind(texts: Sequence[str]) -> int:
    """Counts the blank lines that a text ends in; more than there can be where it has no others."""
    return next((num for num, text in enumerate(reversed(texts)) if text.strip()), 99)


def said_but_kept(lines: Sequence[str], original: Sequence[str], hints: Hints) -> int:
    """Counts the names (up to 4) that the words say are gone and that stand in a result as often as before."""
    names = [name for name in hints.removed if len(name) > 2]
    if not names:
        return 0
    before, after = "\n".join(original), "\n".join(lines)
    count = 0
    for name in names:
        num_before = before.count(name)
        count += bool(num_before) and after.count(name) >= num_before
    return min(count, 4)


def still_named(count: int) -> ProposedLoss:
    """A proposal without lines that only counts names that the words say are gone and that still stand in a result."""
    return ProposedLoss((), tuple(float(count) * (name == "removes_kept") for name in PROPOSALS))
