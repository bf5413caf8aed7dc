"""How alike a snippet's unit and an original's unit are: lines, headers, and what stands inside."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from rapidfuzz import fuzz

from fastedit.anchor.alike import (
    NO_LIKENESS,
    Likeness,
    elision_pattern,
    first_word,
    is_extended,
    is_other_arm,
    is_same_assignment,
    is_same_line,
    is_tag_without_attributes,
    normal_form,
    subject_of,
)
from fastedit.anchor.renames import Renames
from fastedit.anchor.text import LineTable, is_trivial
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind, elides_inline

# Below these a pair is no pair.
MIN_LINE_RATIO = 0.62
MIN_SAME_SUBJECT_RATIO = 0.4
MIN_SHARED_WORDS = 0.3
MIN_HEADER_RATIO = 0.6
MIN_MIXED_RATIO = 0.8
# A block under a heading that stands several times is another one if less than this of it is there.
MIN_REPEATED_OVERLAP = 0.3
NEARLY_SAME = 0.98
MAX_REWRAPPED_LINES = 12
TRIVIAL_SCORE = 0.06
MIN_RENAME_OVERLAP = 0.6
MIN_EXTENDED_OVERLAP = 0.8

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_OPENER = re.compile(r"[{(\[:]\s*(?:#.*|//.*)?$")


class Similarity:
    """Compares units of one snippet with units of one original."""

    def __init__(self, snippet: UnitTree, original: UnitTree) -> None:
        self.snippet = snippet
        self.original = original
        self._flat: dict[tuple[bool, int, int], str] = {}
        kinds = snippet.kinds or [LineKind.CODE] * len(snippet.table)
        elided = (
            kind in (LineKind.MARKER, LineKind.REMOVAL) or elides_inline(line)
            for kind, line in zip(kinds, snippet.table.lines, strict=True)
        )
        self._num_elisions = [0, *accumulate(int(is_elided) for is_elided in elided)]
        self.renames = Renames(self)
        self._weights: dict[str, float] = {}
        self._overlaps: dict[tuple[int, int, int, int], float] = {}

    def weight(self, key: str) -> float:
        """How much it tells that this line stands in the original."""
        weight = self._weights.get(key)
        if weight is None:
            weight = self._weights[key] = self.original.table.weight(key)
        return weight

    def flat(self, unit: Unit, table: LineTable) -> str:
        """The unit's code without its lead and without white space, lightly normalised."""
        place = (table is self.snippet.table, unit.head, unit.end)
        cached = self._flat.get(place)
        if cached is None:
            cached = self._flat[place] = normal_form("".join(table.keys[unit.head : unit.end]))
        return cached

    def header(self, unit: Unit, table: LineTable) -> str:
        return normal_form("".join(table.keys[unit.head : unit.body]))

    def is_quoted(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet's unit shows the original's unchanged (its lead apart)."""
        if self.has_elision(mine):
            return False
        num_lines = theirs.end - theirs.head
        if num_lines > 3 * (mine.end - mine.head) + 12:
            return False
        return self.flat(mine, self.snippet.table) == self.flat(theirs, self.original.table)

    def has_elision(self, unit: Unit) -> bool:
        """Whether a marker, a removal or an inline elision stands anywhere in the unit."""
        return self._num_elisions[unit.end] > self._num_elisions[unit.head]

    def overlap(self, mine: Unit, theirs: Unit) -> float:
        """The weighted share of the lines of the snippet unit's body that stand in the original's unit, 0 to 1."""
        place = (mine.head, mine.end, theirs.start, theirs.end)
        cached = self._overlaps.get(place)
        if cached is not None:
            return cached
        table, places = self.snippet.table, self.original.table.places
        kinds = self.snippet.kinds
        found = total = 0.0
        for line in range(mine.body, mine.close):
            key = table.keys[line]
            if not key or (kinds is not None and kinds[line] is not LineKind.CODE):
                continue
            weight = self.weight(key)
            total += weight
            positions = places.get(key)
            if positions:
                position = bisect_left(positions, theirs.start)
                if position < len(positions) and positions[position] < theirs.end:
                    found += weight
        result = found / total if total else 1.0
        self._overlaps[place] = result
        return result

    def num_shown(self, mine: Unit) -> int:
        """How many telling lines of code the snippet shows of the unit's body."""
        shown = self.snippet.shown
        return sum(
            (shown is None or shown[line].kind is LineKind.CODE) and not is_trivial(self.snippet.table.keys[line])
            for line in range(mine.body, mine.close)
        )

    def compare(self, mine: Unit, theirs: Unit) -> Likeness:
        """How alike the two are; NO_LIKENESS where they can't be a pair."""
        if mine.name and theirs.name:
            return self._compare_declarations(mine, theirs)
        if mine.has_body or theirs.has_body:
            return self._compare_blocks(mine, theirs)
        return self._compare_lines(mine, theirs)

    def _compare_lines(self, mine: Unit, theirs: Unit) -> Likeness:
        snippet, original = self.snippet.table.lines[mine.head], self.original.table.lines[theirs.head]
        mine_key, their_key = self.snippet.table.keys[mine.head], self.original.table.keys[theirs.head]
        if mine_key == their_key:
            if is_trivial(their_key):
                return Likeness(TRIVIAL_SCORE, True, 1.0)
            return Likeness(0.3 + 1.7 * self.weight(their_key), True, 1.0)
        if is_trivial(mine_key) or is_trivial(their_key):
            return NO_LIKENESS
        if mine_key.rstrip(",;") == their_key.rstrip(",;"):
            return Likeness(0.2 + 1.6 * self.weight(their_key), False, NEARLY_SAME)
        if is_same_line(snippet, original) or normal_form(mine_key) == normal_form(their_key):
            return Likeness(0.2 + 1.6 * self.weight(their_key), True, 1.0)
        if elides_inline(snippet) and elision_pattern(snippet).match(their_key):
            return Likeness(1.2, False, 0.9)
        return self._fuzzy(snippet, original)

    def _fuzzy(self, snippet: str, original: str) -> Likeness:
        ratio = fuzz.ratio(snippet.strip(), original.strip()) / 100
        if ratio < MIN_SAME_SUBJECT_RATIO:
            return NO_LIKENESS
        if is_same_assignment(snippet, original):
            return Likeness(0.5 + 0.5 * ratio, False, ratio)
        if is_other_arm(snippet, original):
            return NO_LIKENESS
        if is_extended(snippet, original):
            return Likeness(0.3 + 0.4 * ratio, False, max(ratio, MIN_LINE_RATIO))
        shared = self.shared_words(snippet, original)
        same_subject = subject_of(snippet) == subject_of(original) != ""
        if shared < MIN_SHARED_WORDS or (ratio < MIN_LINE_RATIO and not same_subject):
            return NO_LIKENESS
        return Likeness((0.9 if same_subject else 0.7) * (ratio + shared) / 2, False, ratio)

    def shared_words(self, snippet: str, original: str) -> float:
        """The share of words that both lines have, rare words counting most; 1 where neither has any."""
        mine, theirs = set(_WORD.findall(snippet)), set(_WORD.findall(original))
        weigh = self.original.table.word_weight
        union = sum(weigh(word) for word in mine | theirs)
        return sum(weigh(word) for word in mine & theirs) / union if union else 1.0

    def _compare_blocks(self, mine: Unit, theirs: Unit) -> Likeness:
        if self.is_quoted(mine, theirs):
            return Likeness(0.5 + 2.5 * self._richness(theirs), True, 1.0)
        my_line, their_line = self.snippet.table.lines[mine.head], self.original.table.lines[theirs.head]
        if not (mine.has_body and theirs.has_body):
            return self._compare_mixed(mine, theirs)
        overlap = self.overlap(mine, theirs)
        if is_same_line(my_line, their_line) or is_tag_without_attributes(my_line, their_line):
            key = self.original.table.keys[theirs.head]
            return Likeness(0.4 + 1.4 * self.weight(key) + 1.6 * overlap, False, 1.0)
        if elides_inline(my_line) and elision_pattern(my_line).match(self.original.table.keys[theirs.head]):
            return Likeness(1.2 + 1.6 * overlap, False, 0.9)
        if self._stands_inside(mine, theirs) or self._stands_around(mine, theirs):
            return NO_LIKENESS
        fuzzy = self._fuzzy(my_line, their_line)
        if fuzzy.score and (overlap >= 0.25 or fuzzy.ratio >= 0.8):
            return Likeness(0.7 * fuzzy.score + 1.6 * overlap, False, fuzzy.ratio)
        is_alike = fuzz.ratio(my_line.strip(), their_line.strip()) >= 45
        is_same_kind = first_word(my_line) == first_word(their_line) != ""
        if overlap >= MIN_RENAME_OVERLAP and (is_alike or is_same_kind) and self.num_shown(mine) > 0:
            return Likeness(1.2 * overlap, False, 0.5)
        return NO_LIKENESS

    def _stands_inside(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the header of the snippet's block stands in the original's body: then it is a block in there.

        As far to the left as the outer block it may be that the outer one is gone.
        """
        key = self.snippet.table.keys[mine.head]
        if is_trivial(key) or mine.columns == theirs.columns:
            return False
        return any(theirs.body <= place < theirs.close for place in self.original.table.places.get(key, ()))

    def _stands_around(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet's block has the header of the original's in its body: then it wraps that one."""
        key = self.original.table.keys[theirs.head]
        return not is_trivial(key) and key in self.snippet.table.keys[mine.body : mine.close]

    def _compare_mixed(self, mine: Unit, theirs: Unit) -> Likeness:
        """A line against a block: the line's beginning where it opens one, else the block on one line."""
        lines = self._compare_lines(mine, theirs)
        if lines.ratio >= NEARLY_SAME:
            return lines
        if is_same_assignment(self.snippet.table.lines[mine.head], self.original.table.lines[theirs.head]):
            return Likeness(0.6, False, 0.6)
        if _OPENER.search(self.snippet.table.lines[mine.head]) or self.original.table.lines[theirs.head].endswith(
            ("{", "(")
        ):
            return NO_LIKENESS
        if is_trivial(self.original.table.keys[theirs.head]) or is_trivial(self.snippet.table.keys[mine.head]):
            return NO_LIKENESS
        if theirs.end - theirs.head > MAX_REWRAPPED_LINES or mine.end - mine.head > MAX_REWRAPPED_LINES:
            return NO_LIKENESS
        ratio = fuzz.ratio(self.flat(mine, self.snippet.table), self.flat(theirs, self.original.table)) / 100
        return Likeness(0.9 * ratio, False, ratio) if ratio >= MIN_MIXED_RATIO else NO_LIKENESS

    def _compare_declarations(self, mine: Unit, theirs: Unit) -> Likeness:
        signature = self._signature_ratio(mine, theirs)
        overlap = self.overlap(mine, theirs) if mine.has_body else 0.0
        if mine.name == theirs.name:
            if (
                mine.declares != theirs.declares
                and "value" in (mine.declares, theirs.declares)
                and signature < MIN_HEADER_RATIO
            ):
                return NO_LIKENESS
            if self.is_quoted(mine, theirs):
                return Likeness(4.0 + 2.5, True, 1.0)
            return Likeness(1.6 + 1.8 * signature + 2.0 * overlap, False, signature)
        if mine.has_body and mine.declares == theirs.declares and self.renames.has_renamed_header(mine, theirs):
            signature, overlap = max(signature, MIN_HEADER_RATIO), self.renames.overlap(mine, theirs)
        if overlap >= MIN_EXTENDED_OVERLAP:
            headers = self.header(mine, self.snippet.table), self.header(theirs, self.original.table)
            signature = max(signature, 0.7 * fuzz.partial_ratio(*headers) / 100)
        if mine.declares != theirs.declares or signature < MIN_HEADER_RATIO or overlap < MIN_RENAME_OVERLAP:
            return NO_LIKENESS
        return Likeness(0.8 * signature + 1.0 * overlap, False, 0.5 * signature)

    def _signature_ratio(self, mine: Unit, theirs: Unit) -> float:
        my_header = self.header(mine, self.snippet.table)
        their_header = self.header(theirs, self.original.table)
        if my_header == their_header:
            return 1.0
        text = " ".join(self.snippet.table.lines[mine.head : mine.body])
        if elides_inline(text):
            return (
                0.95
                if elision_pattern(text).match(their_header)
                else 0.8 * fuzz.partial_ratio(my_header, their_header) / 100
            )
        return 0.98 * fuzz.ratio(my_header, their_header) / 100

    def _richness(self, unit: Unit) -> float:
        keys = self.original.table.keys[unit.head : unit.end]
        return min(1.0, max((self.weight(key) for key in keys if key), default=0.1))
