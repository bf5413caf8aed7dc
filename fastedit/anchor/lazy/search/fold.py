"""Large originals cut down to the stretches where a snippet may belong: searching them takes no longer than small ones.

A fold keeps some stretches of lines. In place of what lies between two of them stands one line, a gap. No row is quoted
there, and no result may lack it; markers and jumps may pass over it. `Fold.unfolded` gives the changes of folded lines
in the numbering of the whole original.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import accumulate

from fastedit.anchor.lazy.identity import columns_of, identity_of
from fastedit.anchor.lazy.lines import CLOSER, NAME, WORD, Change, Lines
from fastedit.syntax.model import Declaration, Outline

MIN_LINES = 1200  # shorter originals are never folded
GAP = "\ue0f7"  # from the private use area: no line that anything is compared with begins so

HEAD, END = 80, 15  # lines that always stay
SMALLEST_GAP = 8
BUCKET = 32  # lines that count as one neighbourhood
MAX_PLACES = 6  # of one line of the snippet
MAX_FOUND = 60  # occurrences of a word; a commoner one tells nothing
MAX_SCANNED = 30_000_000  # characters to look for words in one by one
MAX_ANCESTORS = 40
MAX_ABOVE = 400  # lines
# Lines around a place, and the largest declarations that stay whole around one: the first that fits is taken.
_WIDTHS = ((12, 300, 120), (8, 100, 40), (4, 20, 20), (2, 0, 0))
MAX_CELLS = 30_000_000  # rows x lines x states of a search
NUM_STATES = 7
_MAX_KEPT = 2400  # lines that a fold may keep before it gets narrower


@dataclass(frozen=True, slots=True)
class Fold:
    """An original of which only some stretches are left.

    lines, outline: what is left, in its own numbering. starts: for each folded line the first full one that it stands
    for, and the number of the full ones. gaps: folded line → how many full ones it stands for.
    """

    lines: Lines
    outline: Outline
    starts: tuple[int, ...]
    gaps: dict[int, int]

    def unfolded(self, changes: Iterable[Change]) -> list[Change] | None:
        """The changes in the full numbering; None where one deletes a gap or writes one out."""
        result: list[Change] = []
        for start, end, new in changes:
            if any(line in self.gaps for line in range(start, end)) or any(GAP in text for text in new):
                return None
            result.append((self.starts[start], self.starts[start] + end - start, new))
        return result


def fold_of(original: Lines, texts: Sequence[str], found: Outline, names: Iterable[str] = ()) -> Fold | None:
    """The original as far as a snippet's lines may belong there; None where most of it has to stay.

    found: its outline. names: what the words around the snippet mention.
    """
    n = len(original)
    places = _Places(original, found)
    anchors = places.anchors(texts)
    declared = places.declared({*names, *_noted(texts)})
    limit = min(_MAX_KEPT, max(600, MAX_CELLS // NUM_STATES // (len(texts) + 1) - 1))
    kept = [(0, n)]
    for width in _WIDTHS:
        kept = _stretches(original, places, anchors, declared, width)
        if sum(end - start for start, end in kept) <= limit:
            break
    else:
        best = anchors[: limit // 16]
        kept = _stretches(original, places, best, (), _WIDTHS[-1])
    if sum(end - start for start, end in kept) > 0.8 * n:
        return None
    return _folded(original, found, kept)


def _noted(texts: Sequence[str]) -> set[str]:
    """The words of the lines that look like comments."""
    signs = ("#", "//", "/*", "--", "<!--", "{/*", ";", "%", "*", "...", "…", "[", "(", "<")
    return {word for text in texts if text.lstrip().startswith(signs) for word in NAME.findall(text)[:40]}


class _Places:
    """Finds lines of a large original by keys, words and names, without reading every line with care."""

    def __init__(self, original: Lines, found: Outline) -> None:
        self.original = original
        self.declarations = found.declarations
        self._starts = [one.start_line for one in found.declarations]
        self._text = "\n".join(original.texts)
        self._offsets = [0, *accumulate(len(text) + 1 for text in original.texts)]

    def anchors(self, texts: Sequence[str]) -> list[int]:
        """The lines where a snippet's lines may belong: for each the places with the most of the others around them.

        Those with the most around them come first.
        """
        stripped = dict.fromkeys(text.strip() for text in texts)
        shown = [text for text in stripped if len(text) > 2 and not CLOSER.match(text)]
        keys = {text: "".join(text.split()) for text in shown}
        wanted = set(keys.values())
        same: defaultdict[str, list[int]] = defaultdict(list)
        for line, key in enumerate(self.original.keys):
            if key in wanted:
                same[key].append(line)
        found: list[list[int]] = []
        weights: defaultdict[int, float] = defaultdict(float)
        like = self._alike([text for text in shown if keys[text] not in same])
        for text in shown:
            lines = same.get(keys[text]) or like.get(text, [])
            share = (1.0 if keys[text] in same else 0.4) / max(1, len(lines))
            for line in lines:
                weights[line // BUCKET] += share
            found.append(lines)
        around = {bucket: weights[bucket - 1] + weights[bucket] + weights[bucket + 1] for bucket in list(weights)}
        result: set[int] = set()
        for lines in found:
            if len(lines) > MAX_PLACES:
                best = sorted(lines, key=lambda line: -around[line // BUCKET])
                least = around[best[MAX_PLACES - 1] // BUCKET]
                # Places that nothing tells apart are either all as good, or none of them is worth a look.
                chosen = [line for line in lines if around[line // BUCKET] > least * 1.001]
                lines = chosen or best[: 2 * MAX_PLACES]
            result.update(lines)
        return sorted(result, key=lambda line: (-around[line // BUCKET], line))

    def _alike(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """For lines that the original doesn't have, those with the same identity or the most rare words in common."""
        # In their order, since it decides between places that are equally good.
        words = {text: list(dict.fromkeys(word for word in WORD.findall(text) if len(word) > 1)) for text in texts}
        places = self._word_lines({word for those in words.values() for word in those})
        result: dict[str, list[int]] = {}
        for text in texts:
            counts: defaultdict[int, float] = defaultdict(float)
            for word in words[text]:
                lines = places.get(word, ())
                for line in lines:
                    counts[line] += 1 / len(lines)
            identity = identity_of(text)
            if identity is not None:
                for word in WORD.findall(identity.name)[-1:]:
                    for line in places.get(word, ()):
                        if identity_of(self.original.stripped[line]) == identity:
                            counts[line] += 1
            if counts:
                result[text] = nlargest(MAX_PLACES, counts, key=counts.__getitem__)
        return result

    def _word_lines(self, words: set[str]) -> dict[str, set[int]]:
        """word → the lines that have it, for the words that few lines have."""
        if len(words) * len(self._text) > MAX_SCANNED:
            return self._indexed(words)
        result: dict[str, set[int]] = {}
        for word in words:
            lines: set[int] = set()
            at = self._text.find(word)
            while at >= 0 and len(lines) <= MAX_FOUND:
                line = bisect_right(self._offsets, at) - 1
                lines.add(line)
                at = self._text.find(word, self._offsets[line + 1])
            if lines and len(lines) <= MAX_FOUND:
                result[word] = lines
        return result

    def _indexed(self, words: set[str]) -> dict[str, set[int]]:
        result: defaultdict[str, set[int]] = defaultdict(set)
        for line, text in enumerate(self.original.stripped):
            for word in words.intersection(WORD.findall(text)):
                result[word].add(line)
        return {word: lines for word, lines in result.items() if len(lines) <= MAX_FOUND}

    def declared(self, names: set[str]) -> list[Declaration]:
        """The declarations that have one of the names, where these are few."""
        found: defaultdict[str, list[Declaration]] = defaultdict(list)
        for one in self.declarations:
            if one.name and one.kind != "import":
                short = one.name.rpartition(".")[2]
                for name in {one.name, short}.intersection(names):
                    found[name].append(one)
        return [one for those in found.values() if len(those) <= MAX_PLACES for one in those]

    def around(self, line: int) -> list[Declaration]:
        """The declarations that a line stands in, from the innermost outwards."""
        result: list[Declaration] = []
        number = bisect_right(self._starts, line) - 1
        while number >= 0:
            one = self.declarations[number]
            if one.end_line > line:
                result.append(one)
            number = one.parent
        return result


def _stretches(
    original: Lines,
    places: _Places,
    anchors: Sequence[int],
    declared: Sequence[Declaration],
    width: tuple[int, int, int],
) -> list[tuple[int, int]]:
    """The ranges of lines that stay, ascending, with enough lines between two of them to leave out."""
    reach, innermost, outer = width
    n = len(original)
    ranges = [(0, min(HEAD, n)), (max(0, n - END), n)]
    inner: set[Declaration] = set()
    outermost: set[Declaration] = set()
    for line in anchors:
        ranges.append((line - reach, line + reach + 1))
        around = places.around(line)[:MAX_ANCESTORS]
        inner.update(around[:1])
        outermost.update(around[1:])
    for one in inner:
        ranges += _shown(one, innermost)
    for one in outermost - inner:
        ranges += _shown(one, outer)
    for one in declared:
        ranges += _shown(one, innermost)
    merged = _merged(ranges, n)
    # What a stretch stands in tells where its lines belong: the headers stay.
    for start, _ in list(merged):
        ranges += [(one.header_line, one.header_line + 1) for one in places.around(start)[:MAX_ANCESTORS]]
        ranges += [(above, above + 1) for above in _above(original, start)]
    return _merged(ranges, n)


def _above(original: Lines, line: int) -> list[int]:
    """The lines above, not too far away, that a line stands in by indentation alone."""
    result: list[int] = []
    least: int | None = None
    for at in range(line, max(-1, line - MAX_ABOVE), -1):
        if not original.keys[at]:
            continue
        columns = columns_of(original.texts[at])
        if least is None or columns < least:
            if least is not None:
                result.append(at)
            least = columns
        if not columns:
            break
    return result[:MAX_ANCESTORS]


def _shown(one: Declaration, largest: int) -> list[tuple[int, int]]:
    """The line ranges of a declaration and what borders on it; only its beginning and end where it is too long."""
    if one.end_line - one.start_line <= largest:
        return [(one.start_line - 3, one.end_line + 3)]
    return [(one.start_line - 3, min(one.body_line, one.start_line + 20) + 3), (one.end_line - 3, one.end_line + 3)]


def _merged(ranges: Iterable[tuple[int, int]], n: int) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(n, end)) for start, end in ranges):
        if start >= end:
            continue
        if result and start < result[-1][1] + SMALLEST_GAP:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _folded(original: Lines, found: Outline, kept: Sequence[tuple[int, int]]) -> Fold:
    texts: list[str] = []
    starts: list[int] = []
    gaps: dict[int, int] = {}
    at = 0
    for start, end in (*kept, (len(original), len(original))):
        if at < start:
            gaps[len(texts)] = start - at
            texts.append(f"{' ' * _least_column(original.texts[at:start])}{GAP}{start - at}")
            starts.append(at)
        texts += original.texts[start:end]
        starts += range(start, end)
        at = end
    starts.append(len(original))
    return Fold(Lines(texts), _outline(found, starts, gaps), tuple(starts), gaps)


def _least_column(texts: Sequence[str]) -> int:
    """The indentation of the lines that are indented least, blank ones left out."""
    result: int | None = None
    for text in texts:
        if text and text[0] not in " \t\r":
            return 0
        if text.strip():
            columns = columns_of(text)
            result = columns if result is None else min(result, columns)
    return result or 0


def _outline(found: Outline, starts: Sequence[int], gaps: dict[int, int]) -> Outline:
    """The declarations of which a line is left, in the folded numbering."""

    def place(line: int) -> int:
        return bisect_right(starts, line) - 1

    numbers: dict[int, int] = {-1: -1}
    result: list[Declaration] = []
    for number, one in enumerate(found.declarations):
        first, last = place(one.start_line), place(max(one.start_line, one.end_line - 1))
        parent = numbers[one.parent]
        if first == last and first in gaps:
            numbers[number] = parent
            continue
        numbers[number] = len(result)
        header, body = place(one.header_line), place(one.body_line)
        result.append(
            replace(one, start_line=first, header_line=header, body_line=body, end_line=last + 1, parent=parent)
        )
    return replace(found, declarations=tuple(result))


def outline_after(found: Outline, origins: Sequence[int | None], num_lines: int) -> Outline:
    """The outline of a text that was made from another one, as far as its declarations come from there.

    origins: for each line the one of the old text that it is, or None. num_lines: of the old text.
    """
    places = [-1] * (num_lines + 1)
    for line, origin in enumerate(origins):
        if origin is not None:
            places[origin] = line
    numbers: dict[int, int] = {-1: -1}
    result: list[Declaration] = []
    for number, one in enumerate(found.declarations):
        whole = [places[line] for line in range(one.start_line, min(one.end_line, num_lines)) if places[line] >= 0]
        if not whole or places[one.header_line] < 0:
            numbers[number] = numbers[one.parent]
            continue
        header = places[one.header_line]
        body = min(max(places[one.body_line] if one.body_line < num_lines else -1, header + 1), whole[-1] + 1)
        numbers[number] = len(result)
        result.append(
            replace(
                one, start_line=whole[0], header_line=header, body_line=body, end_line=whole[-1] + 1,
                parent=numbers[one.parent],
            )
        )  # fmt: skip
    return replace(found, declarations=tuple(result))
