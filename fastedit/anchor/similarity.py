"""How alike a snippet's unit and an original's unit are: lines, headers, and what stands inside."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from rapidfuzz import fuzz

from fastedit.anchor.text import LineTable, is_trivial, key_of
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
MIN_EXTENDED = 6

_TRAILING_COMMENT = re.compile(r"^(?:#|//|/\*|--|<!--|;)")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTED = re.compile(r"\s*[\[({]?\s*([\"'])(.+?)\1")
_ASSIGNMENT = re.compile(r"^\s*([\w$.\[\]\"'\s*&<>,:-]*?[\w$\]\"'])\s*(?::=|=>|->|=(?![=>])|:(?!:)|\+=)\s*\S")
_ARM = re.compile(r"^\s*(?:case\s+)?(\S.*?)\s*(?:=>|->)\s*\S")
_CASE = re.compile(r"^\s*case\s+(\S.*?)\s*:\s*$")
_ELISION = re.compile(r"/\*\s*(?:\.{3,}|…).*?\*/|(?:\.{3,}|…)")
_OPENER = re.compile(r"[{(\[:]\s*(?:#.*|//.*)?$")
_TAG = re.compile(r"^<([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)>?$", re.DOTALL)
_ATTRIBUTE = re.compile(r"[^\s=\"']+(?:=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\}|\S+))?")
# Words that say what a line does, not what it is about.
_NOT_A_SUBJECT = frozenset(
    "const let var val def class function func fn pub public private protected static final async await return export"
    " default import from new self this if elif else for while switch case with try except catch raise throw yield type"
    " struct enum interface readonly mut unsigned int void auto not local set end do then in and or is".split()
)


@lru_cache(maxsize=4096)
def subject_of(line: str) -> str:
    """The word that a line is about: the first that isn't a keyword (`const LIMIT = 3` → `LIMIT`)."""
    quoted = _QUOTED.match(line)
    if quoted:
        return quoted.group(2)
    for match in _WORD.finditer(line):
        if match.group() not in _NOT_A_SUBJECT:
            return match.group()
    return ""


def is_same_assignment(first: str, second: str) -> bool:
    """Whether both lines give a value to the same name, attribute or key."""
    mine, theirs = _ASSIGNMENT.match(first), _ASSIGNMENT.match(second)
    if first.lstrip().startswith("<"):
        return False
    return bool(mine and theirs and key_of(mine.group(1)) == key_of(theirs.group(1)))


def is_other_arm(first: str, second: str) -> bool:
    """Whether both lines are arms of a case distinction, but not for the same case."""
    mine, theirs = _ARM.match(first), _ARM.match(second)
    if mine and theirs:
        return key_of(mine.group(1)) != key_of(theirs.group(1))
    mine, theirs = _CASE.match(first), _CASE.match(second)
    return bool(mine and theirs) and not _cases(mine) & _cases(theirs)


def is_extended(first: str, second: str) -> bool:
    """Whether one line is the other one carried on: `set -eu` as `set -euo pipefail`."""
    short, long = sorted((first.strip(), second.strip()), key=len)
    return len(short) >= MIN_EXTENDED and len(short.split()) > 1 and long.startswith(short)


def _cases(found: re.Match[str] | None) -> set[str]:
    return {key_of(case) for case in found.group(1).split(",")} if found else set()


def _last_word(name: str) -> str:
    words: list[str] = _WORD.findall(name)
    return words[-1] if words else name


def _with_word(line: str, old: str, new: str) -> str:
    """The line with one word for another."""
    return re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", lambda _: new, line)


def _first_word(line: str) -> str:
    match = _WORD.search(line)
    return match.group() if match else ""


@lru_cache(maxsize=4096)
def normal_form(key: str) -> str:
    """A key without what formatters add or drop: commas before a closing bracket, the kind of quotes."""
    return re.sub(r",(?=[)\]}])", "", key).replace("'", '"')


@lru_cache(maxsize=1024)
def elision_pattern(text: str) -> re.Pattern[str]:
    """What a line with an inline elision matches, white space apart."""
    pieces = [re.escape(key_of(piece).strip(",")) for piece in _ELISION.split(text)]
    return re.compile(r"^" + r",?.*?,?".join(pieces) + r"[,;]?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Likeness:
    """score: worth of the pair in the alignment; is_same: nothing but white space or a comment differs."""

    score: float
    is_same: bool = False
    ratio: float = 0.0


NO_LIKENESS = Likeness(0.0)


def is_same_line(snippet: str, original: str) -> bool:
    """Whether a snippet's line quotes the original's: equal but for white space or a dropped trailing comment."""
    snippet_key, original_key = key_of(snippet), key_of(original)
    if snippet_key == original_key:
        return True
    if original_key.startswith(snippet_key) and len(snippet_key) > 3:
        return bool(_TRAILING_COMMENT.match(original_key[len(snippet_key) :])) and not _TRAILING_COMMENT.match(
            snippet_key
        )
    return is_abbreviated_comment(snippet, original)


def is_abbreviated_comment(snippet: str, original: str) -> bool:
    """Whether the snippet's comment is the beginning of the original's, cut off with dots."""
    key = key_of(snippet)
    cut = re.sub(r"(?:\.{3,}|…)(?:\*/|-->)?$", "", key)
    return (
        len(cut) < len(key)
        and len(cut) >= 8
        and bool(_TRAILING_COMMENT.match(cut))
        and key_of(original).startswith(cut)
    )


def is_tag_without_attributes(snippet: str, original: str) -> bool:
    """Whether the snippet's opening tag is the original's with attributes left out, as in a wrapper's `<form>`."""
    mine, theirs = _TAG.match(snippet.strip()), _TAG.match(original.strip())
    if not mine or not theirs or mine.group(1) != theirs.group(1):
        return False
    shown = set(_ATTRIBUTE.findall(mine.group(2)))
    return not shown and bool(theirs.group(2).strip())


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

    def is_renamed(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet's declaration is the original's with nothing but another name, wherever it says it."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        lines = self.original.table.lines[theirs.head : theirs.end]
        renamed = normal_form("".join(key_of(_with_word(line, old, new)) for line in lines))
        return renamed == self.flat(mine, self.snippet.table)

    def _has_renamed_header(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the two headers are the same but for the name."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        lines = self.original.table.lines[theirs.head : theirs.body]
        renamed = normal_form("".join(key_of(_with_word(line, old, new)) for line in lines))
        return renamed == self.header(mine, self.snippet.table)

    def _renamed_overlap(self, mine: Unit, theirs: Unit) -> float:
        """As `overlap`, with the original's name for the snippet's."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        kinds = self.snippet.kinds
        there = set(self.original.table.keys[theirs.body : theirs.close])
        found = total = 0.0
        for line in range(mine.body, mine.close):
            key = self.snippet.table.keys[line]
            if not key or (kinds is not None and kinds[line] is not LineKind.CODE):
                continue
            before = key if key in there else key_of(_with_word(self.snippet.table.lines[line], new, old))
            weight = self.weight(before)
            total += weight
            found += weight if before in there else 0.0
        return found / total if total else 1.0

    def is_used_renamed(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet shows lines of the original, not of the declaration itself, with the new name in them."""
        old, new = _last_word(theirs.name), _last_word(mine.name)
        places = self.original.table.places
        for number, line in enumerate(self.snippet.table.lines):
            if mine.start <= number < mine.end or new not in line or self.snippet.table.keys[number] in places:
                continue
            before = _with_word(line, new, old)
            if before != line and key_of(before) in places:
                return True
        return False

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
        is_same_kind = _first_word(my_line) == _first_word(their_line) != ""
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
        if mine.has_body and mine.declares == theirs.declares and self._has_renamed_header(mine, theirs):
            signature, overlap = max(signature, MIN_HEADER_RATIO), self._renamed_overlap(mine, theirs)
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
