"""Aligns a lazy snippet with the original: declaration by declaration, then block by block and line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fastedit.anchor.chain import Chain, Level, Pair
from fastedit.anchor.elision import merge_elided
from fastedit.anchor.gap import Gap, GapFiller
from fastedit.anchor.hints import Hints
from fastedit.anchor.indent import Indenter, Reference, nearest, shift_line
from fastedit.anchor.pieces import Pieces
from fastedit.anchor.similarity import (
    MIN_REPEATED_OVERLAP,
    NEARLY_SAME,
    Likeness,
    Similarity,
    is_same_line,
    is_tag_without_attributes,
    normal_form,
)
from fastedit.anchor.text import LineTable, is_closer, is_trivial
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind, elides_inline
from fastedit.lines import indent_of

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
_OPENER = re.compile(r"[{(\[:,]\s*(?:#.*|//.*)?$")
_DECORATOR = re.compile(r"^\s*(?:@\w|#!?\[|\[\w+.*\]\s*$)")
_BRACKET = re.compile(r"[{(\[]\s*(?:#.*|//.*)?$")
_TERMINATOR = re.compile(r"^(?:return|raise|throw|break|continue|yield from|exit|die|panic!?|goto)\b")
MIN_TELLING_SCORE = 0.6
MIN_WRAP_SHARE = 0.5
MAX_PLACES = 24
MIN_OVERLOAD_RATIO = 0.9
_CONTAINERS = frozenset({"class", "section", "block"})
_NAMED = frozenset({"function", "class", "section"})
_QUOTES = ('"""', "'''", '"', "'")


@dataclass(slots=True)
class Findings:
    """What an alignment found out about itself.

    lines: the snippet's. num_anchors: units that stand in both texts; num_new: units that came in;
    contradicted: new units with a marker inside, which stands for nothing; doubtful: units that follow
    directly on what stands in another block of the original.
    """

    lines: list[str]
    num_anchors: int = 0
    num_new: int = 0
    contradicted: list[Unit] = field(default_factory=list)
    doubtful: list[Unit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a level's lines inherit from what they stand in.

    reference: where the snippet's columns go; old, new: how kept lines are moved (equal: not at all).
    certainty: that the units around this level are paired rightly.
    """

    reference: Reference | None
    old: str = ""
    new: str = ""
    certainty: float = 1.0

    @property
    def is_shifted(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class Frame:
    """What a level stands in: the two units whose bodies are aligned, and the snippet's lines of the body.

    my_start, my_end: None at the root, where nothing frames the snippet.
    """

    mine: Unit | None = None
    theirs: Unit | None = None
    my_start: int | None = None
    my_end: int | None = None
    is_root: bool = False

    def is_direct(self, mine: Unit, theirs: Unit) -> bool:
        """Whether a pair stands directly in the frame on both sides, neither wrapped nor unwrapped."""
        return mine.parent is self.mine and (self.is_root or theirs.parent is self.theirs)


class LazyAligner:
    """Aligns one snippet; `run` gives the pieces of the result."""

    def __init__(self, snippet: UnitTree, original: UnitTree, hints: Hints | None = None) -> None:
        self.snippet = snippet
        self.hints = hints or Hints()
        self.original = original
        self.mine = snippet.table
        self.theirs = original.table
        self.similarity = Similarity(snippet, original)
        self.indenter = Indenter(self.mine, self.theirs)
        self.pieces = Pieces()
        self.findings = Findings(self.mine.lines)

    def run(self) -> Pieces:
        units = self.snippet.top
        opened = self._open_for(units, self.original.top, 0, len(self.theirs), is_root=True)
        level = Level(units, opened, is_open_left=True, is_open_right=True)
        level.protects = self._protector(units, None)
        self._align_level(level, Scope(None), len(self.theirs), Frame(is_root=True))
        return self.pieces

    # -- which units of the original stand on a level ------------------------------------------------

    def _open_for(
        self, units: Sequence[Unit], theirs: Sequence[Unit], start: int, end: int, *, is_root: bool = False
    ) -> list[Unit]:
        """The original's units of a level, those unfolded that hold what the snippet shows without them."""
        wanted: set[int] = set()
        for unit in units:
            if unit.is_code and not self._stands_among(unit, theirs):
                for line in self._deeper_places(unit, start, end, is_root=is_root):
                    self._want(line, wanted)
        if not wanted:
            return list(theirs)
        blocks = [unit for unit in units if unit.is_code and unit.has_body]
        return list(self._unfold(theirs, wanted, blocks))

    def _is_shown(self, block: Unit, unit: Unit) -> bool:
        """Whether a block of the snippet is the unit, its header changed perhaps."""
        if self._is_plainly(block, unit):
            return True
        return not block.name and not unit.name and self.similarity.compare(block, unit).score > 0

    def _stands_among(self, unit: Unit, theirs: Sequence[Unit]) -> bool:
        """Whether one of the units is plainly this one."""
        if unit.has_body or unit.name:
            return any(self._is_plainly(unit, other) for other in theirs)
        return any(self.similarity.compare(unit, other).ratio >= NEARLY_SAME for other in theirs)

    def _is_plainly(self, unit: Unit, other: Unit) -> bool:
        likeness = self.similarity.compare(unit, other)
        if unit.has_body and is_trivial(self.mine.keys[unit.head]) and not likeness.is_same:
            return likeness.ratio >= NEARLY_SAME and self.similarity.overlap(unit, other) >= MIN_REPEATED_OVERLAP
        return likeness.is_same or likeness.ratio >= 0.85 or bool(unit.name and unit.name == other.name)

    def _want(self, line: int, wanted: set[int]) -> None:
        for unit in self.original.path_to(line):
            if unit.body <= line < unit.close:
                wanted.add(unit.start)

    def _deeper_places(self, unit: Unit, start: int, end: int, *, is_root: bool) -> list[int]:
        """Lines of the original in [start, end) where the unit may stand, seen from its name or its code."""
        if unit.name:
            named = [line for line in self.original.named(unit.name) if start <= line < end]
            if named:
                return named
        lines = [unit.head, *range(unit.body, unit.close)] if is_root and not unit.name else [unit.head]
        found: list[int] = []
        for line in lines:
            key = self.mine.keys[line]
            kinds = self.snippet.kinds
            if kinds and kinds[line] is not LineKind.CODE:
                continue
            places = self.theirs.places.get(key, ())
            inside = [place for place in places if start <= place < end]
            if is_trivial(key) and (is_root or len(inside) != 1 or is_closer(self.mine.lines[line])):
                continue
            if 0 < len(inside) <= MAX_PLACES:
                found.extend(inside)
                break
        return found

    def _unfold(self, units: Sequence[Unit], wanted: set[int], blocks: Sequence[Unit]) -> list[Unit]:
        """The units with the wanted ones replaced by what they are made of, unless a block of the snippet is one."""
        result: list[Unit] = []
        stack = list(reversed(units))
        while stack:
            unit = stack.pop()
            if unit.start not in wanted or not unit.has_body or any(self._is_shown(block, unit) for block in blocks):
                result.append(unit)
                continue
            head = replace(unit, body=unit.body, close=unit.body, end=unit.body, children=[], name="")
            inner = self.original.children(unit)
            tail_start = inner[-1].end if inner else unit.body
            tail = []
            if unit.end > unit.close:
                first, _ = self.theirs.trim_blank(max(tail_start, unit.close), unit.end)
                tail = [Unit(first, first, unit.end, unit.end, unit.end, unit.columns, parent=unit.parent)]
            head.children = []
            result.append(head)
            stack.extend(reversed([*inner, *tail]))
            wanted = wanted - {unit.start}
        return result

    # -- pairing --------------------------------------------------------------------------------------

    def _pairs(self, level: Level) -> list[Pair]:
        candidates: list[Pair] = []
        heads = Counter(self.theirs.keys[other.head] for other in level.theirs)
        heads.update(other.name for other in level.theirs if other.name)
        for index, unit in enumerate(level.mine):
            if not unit.is_code:
                continue
            for other_index, other in enumerate(level.theirs):
                likeness = self.similarity.compare(unit, other)
                if likeness.score > 0 and not self._is_another(unit, other, likeness, heads):
                    candidates.append(Pair(index, other_index, likeness.score, likeness.is_same, likeness.ratio))
        return self._without_second_choices(self._without_taken_names(level, candidates))

    @staticmethod
    def _without_second_choices(candidates: list[Pair]) -> list[Pair]:
        """The candidates without loose ones for lines that stand there unchanged."""
        sure = [pair for pair in candidates if pair.ratio >= NEARLY_SAME and pair.score > MIN_TELLING_SCORE]
        mine, theirs = {pair.mine for pair in sure}, {pair.theirs for pair in sure}
        return [
            pair
            for pair in candidates
            if pair.ratio >= NEARLY_SAME or (pair.mine not in mine and pair.theirs not in theirs)
        ]

    def _is_another(self, unit: Unit, other: Unit, likeness: Likeness, heads: Counter[str]) -> bool:
        """Whether a block with a head or name that stands several times on its level has too little of this one."""
        if likeness.is_same:
            return False
        if unit.name and unit.name == other.name and heads[other.name] > 1:
            is_other_signature = likeness.ratio < MIN_OVERLOAD_RATIO or unit.declares == "block"
            overlap = self.similarity.overlap(unit, other) if unit.has_body else 0.0
            return is_other_signature and overlap < MIN_REPEATED_OVERLAP
        if not unit.has_body or heads[self.theirs.keys[other.head]] < 2:
            return False
        return self.similarity.overlap(unit, other) < MIN_REPEATED_OVERLAP

    def _without_taken_names(self, level: Level, candidates: list[Pair]) -> list[Pair]:
        """The candidates without renames of declarations that the snippet shows under their own name.

        Only a declaration with something elided has to be one of the original's under another name.
        """
        names = {unit.name for unit in level.mine if unit.name}
        own = {unit.name for unit in level.theirs if unit.name}
        result = []
        for pair in candidates:
            mine, theirs = level.mine[pair.mine].name, level.theirs[pair.theirs].name
            if mine and theirs and mine != theirs:
                is_taken = theirs in names or mine in own or theirs in level.removed
                shown = level.mine[pair.mine]
                if is_taken or (shown.declares in _NAMED and not self.similarity.has_elision(shown)):
                    continue
            result.append(pair)
        return result

    def _protector(self, units: Sequence[Unit], owner: Unit | None) -> "_Protector":
        """What isn't deleted for not being shown: declarations, where nothing on this level says `and so on`."""
        has_marker = any(not unit.is_code for unit in units)
        return _Protector(self.is_container(owner) and not has_marker, self.hints.removed)

    def is_container(self, owner: Unit | None) -> bool:
        return owner is None or owner.declares in _CONTAINERS or self.theirs.keys[owner.head] in ("{", "[")

    # -- one level ------------------------------------------------------------------------------------

    def _align_level(
        self, level: Level, scope: Scope, end: int, frame: Frame
    ) -> None:
        """Aligns the units of a level up to line `end` of the original."""
        level = self._part_leads(self._open_wraps(self._without_unread(level)))
        level.mentions = self._mentions(level)
        level.removed = frozenset(
            word for unit in level.mine if unit.kind is LineKind.REMOVAL for word in _WORD.findall(unit.note)
        )
        pairs = Chain(level, self._pairs(level)).best()
        if self._deletes_one(level, pairs):
            level.protects = _Protector(False, frozenset())
        references = self._references(level, pairs, frame)
        filler = GapFiller(self, level, scope, references, frame)
        before: Pair | None = None
        previous_line = frame.my_start
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            filler.fill(self._gap(level, before, pair, theirs.start, previous_line, mine.start))
            inner = self._scope_for(mine, theirs, scope, references, frame)
            inner = replace(inner, certainty=scope.certainty * pair.certainty)
            is_adjacent = self._is_next(before, pair) and (before is not None or frame.mine is not None)
            self._merge_unit(mine, theirs, inner, pair, is_adjacent=is_adjacent and not self._is_cut_above(mine))
            before, previous_line = pair, mine.end
        filler.fill(self._gap(level, before, None, end, previous_line, frame.my_end))
        self.findings.num_anchors += len(pairs)

    @staticmethod
    def _deletes_one(level: Level, pairs: list[Pair]) -> bool:
        """Whether the snippet shows a stretch without gaps but for one declaration: then that one is deleted.

        A snippet that leaves out more than one thing without a marker leaves out whatever it doesn't change.
        """
        num_adjacent = 0
        skipped: list[Unit] = []
        for before, after in zip(pairs, pairs[1:], strict=False):
            between = level.theirs[before.theirs + 1 : after.theirs]
            num_adjacent += not between and before.mine + 1 == after.mine
            skipped.extend(unit for unit in between if level.protects(unit))
        return len(skipped) == 1 and num_adjacent >= 2

    def _gap(
        self, level: Level, before: Pair | None, after: Pair | None, end: int, my_before: int | None, my_after: int | None
    ) -> Gap:
        shown = level.mine[before.mine + 1 if before else 0 : after.mine if after else len(level.mine)]
        units = [unit for unit in shown if unit.kind is not LineKind.REMOVAL]
        removed = _removed_units(shown, level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else None])
        content = level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else len(level.theirs)]
        return Gap(units, self.pieces.at, end, content, my_before, my_after, before, after, removed)

    def _scope_for(self, mine: Unit, theirs: Unit, scope: Scope, references: list[Reference], frame: Frame) -> Scope:
        """How a paired unit's lines are moved: with their level, or to where the snippet now has them."""
        if frame.is_direct(mine, theirs):
            return scope
        reference = nearest(references, mine.head) or scope.reference
        if reference is None:
            return scope
        old = indent_of(self.theirs.lines[theirs.head])
        return replace(scope, old=old, new=self.indenter.indent(mine.columns, reference))

    def _without_unread(self, level: Level) -> Level:
        """The level with the snippet's declarations read by indentation where the original's text isn't read as code."""
        names = {unit.name for unit in level.theirs}
        heads = {self.theirs.keys[unit.head] for unit in level.theirs if not unit.name}
        mine: list[Unit] = []
        for unit in level.mine:
            if unit.name and unit.name not in names and unit.has_body and self.mine.keys[unit.head] in heads:
                mine.extend(self.snippet.by_indentation(unit))
            else:
                mine.append(unit)
        return level if len(mine) == len(level.mine) else replace(level, mine=mine)

    def _part_leads(self, level: Level) -> Level:
        """The level with comments and decorators as lines of their own where only one of the texts ties them to code."""
        shown = {self.mine.keys[unit.head] for unit in level.mine if unit.is_code and not unit.name}
        there = {self.theirs.keys[unit.head] for unit in level.theirs if not unit.name}
        mine_names, their_names = self._lead_names(level.mine, self.mine), self._lead_names(level.theirs, self.theirs)
        moved = {key for key, names in mine_names.items() if key in their_names and not names & their_names[key]}
        theirs = self._parted(level.theirs, self.theirs, shown | moved)
        mine = self._parted(level.mine, self.mine, there | moved)
        return replace(level, mine=mine, theirs=theirs)

    @staticmethod
    def _lead_names(units: Sequence[Unit], table: LineTable) -> dict[str, set[str]]:
        """line of a lead → the names of the declarations that it stands above."""
        names: dict[str, set[str]] = {}
        for unit in units:
            for line in range(unit.start, unit.head):
                if table.keys[line] and not is_trivial(table.keys[line]):
                    names.setdefault(table.keys[line], set()).add(unit.name)
        return names

    @staticmethod
    def _parted(units: Sequence[Unit], table: LineTable, loose: set[str]) -> list[Unit]:
        """The units, those taken apart from their leads whose leads have one of the `loose` lines."""
        result: list[Unit] = []
        for unit in units:
            lead = [line for line in range(unit.start, unit.head) if table.keys[line]]
            if not any(table.keys[line] in loose and not is_trivial(table.keys[line]) for line in lead):
                result.append(unit)
                continue
            result.extend(Unit(n, n, n + 1, n + 1, n + 1, table.columns[n], parent=unit.parent) for n in lead)
            result.append(replace(unit, start=unit.head))
        return result

    def _open_wraps(self, level: Level) -> Level:
        """The level with the snippet's blocks taken apart that are new but hold code that was there before."""
        mine: list[Unit] = []
        is_changed = False
        for index, unit in enumerate(level.mine):
            if self._may_wrap(unit, index, level) and self._is_wrap(unit, level):
                mine.extend(self._apart(unit, level))
                is_changed = True
            else:
                mine.append(unit)
        if not is_changed:
            return level
        opened = self._open_for(mine, level.theirs, level.theirs[0].start, level.theirs[-1].end) if level.theirs else []
        return replace(level, mine=mine, theirs=opened)

    def _may_wrap(self, unit: Unit, index: int, level: Level) -> bool:
        """Whether it matters what a new block holds: it has a marker inside or beside it.

        Between two anchors it simply stands for what lies between them.
        """
        if not unit.is_code or not unit.has_body or unit.name:
            return False
        return (
            self.similarity.has_elision(unit)
            or self._is_beside_marker(level, index, -1, level.is_open_left)
            or self._is_beside_marker(level, index, 1, level.is_open_right)
        )

    def _is_beside_marker(self, level: Level, index: int, step: int, is_open: bool) -> bool:
        """Whether only new code stands between the unit and a marker, or the open end of the level."""
        index += step
        while 0 <= index < len(level.mine):
            unit = level.mine[index]
            if not unit.is_code:
                return True
            if self._stands_among(unit, level.theirs):
                return False
            index += step
        return is_open

    def _is_wrap(self, unit: Unit, level: Level) -> bool:
        if not level.theirs or self._stands_among(unit, level.theirs):
            return False
        heads = {self.theirs.keys[other.head] for other in level.theirs}
        names = {other.name for other in level.theirs if other.name}
        found = total = 0.0
        for child in self.snippet.children(unit):
            if child.is_code:
                weight = self.similarity.weight(self.mine.keys[child.head])
                total += weight
                found += weight if self.mine.keys[child.head] in heads or child.name in names else 0.0
                if child.has_body and not child.name and self._is_wrap(child, level):
                    return True
        return total > 0 and found >= MIN_WRAP_SHARE * total and found > MIN_TELLING_SCORE / 2

    def _apart(self, unit: Unit, level: Level) -> list[Unit]:
        head = replace(unit, close=unit.body, end=unit.body, children=[])
        inner: list[Unit] = []
        for child in self.snippet.children(unit):
            if child.is_code and child.has_body and not child.name and self._is_wrap(child, level):
                inner.extend(self._apart(child, level))
            else:
                inner.append(child)
        result = [head, *inner]
        if unit.end > unit.close:
            first, _ = self.mine.trim_blank(unit.close, unit.end)
            result.append(Unit(first, first, unit.end, unit.end, unit.end, unit.columns, parent=unit.parent))
        return result

    def _mentions(self, level: Level) -> dict[int, frozenset[int]]:
        names = {}
        for index, other in enumerate(level.theirs):
            if other.name:
                names.setdefault(other.name, index)
        mentions = {}
        for index, unit in enumerate(level.mine):
            if unit.is_marker and unit.note:
                named = frozenset(names[word] for word in _WORD.findall(unit.note) if word in names)
                if named:
                    mentions[index] = named
        return mentions

    def _references(self, level: Level, pairs: list[Pair], frame: Frame) -> list[Reference]:
        """The level's lines that stand in both texts, as references for the indentation of new ones."""
        references = []
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            if frame.is_direct(mine, theirs):
                references.append(Reference(mine.head, mine.columns, indent_of(self.theirs.lines[theirs.head])))
        return references

    # -- one pair of units -----------------------------------------------------------------------------

    @staticmethod
    def _is_next(before: Pair | None, pair: Pair) -> bool:
        """Whether a pair follows the one before it directly in both texts, or begins both."""
        mine, theirs = (before.mine, before.theirs) if before else (-1, -1)
        return mine + 1 == pair.mine and theirs + 1 == pair.theirs

    def _is_cut_above(self, unit: Unit) -> bool:
        """Whether a marker of its own line ends what the snippet shows above the unit."""
        shown = self.snippet.shown
        above = unit.start - 1
        while above >= 0 and not self.mine.keys[above]:
            above -= 1
        return shown is not None and above >= 0 and shown[above].kind is LineKind.MARKER and not shown[above].is_part

    def _merge_unit(self, mine: Unit, theirs: Unit, scope: Scope, pair: Pair, *, is_adjacent: bool = False) -> None:
        self._merge_lead(mine, theirs, scope, is_adjacent=is_adjacent)
        if self.similarity.is_quoted(mine, theirs):
            self.keep(theirs.end, scope)
            return
        if not mine.has_body and theirs.has_body and not self._is_cut_block(mine):
            self._replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        if mine.has_body and not theirs.has_body and not self._header_is_same(mine, theirs):
            self._replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        if self._has_lost_brackets(mine, theirs):
            self._replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        self._merge_header(mine, theirs, scope, pair)
        if mine.has_body:
            self._merge_body(mine, theirs, scope)
        self._merge_closer(mine, theirs, scope)

    def _is_cut_block(self, mine: Unit) -> bool:
        """Whether the snippet shows only the header of a block, its body cut off or elided."""
        if not _OPENER.search(self.mine.lines[mine.body - 1]):
            return False
        following = mine.end
        while following < len(self.mine) and not self.mine.keys[following]:
            following += 1
        shown = self.snippet.shown
        is_code = following < len(self.mine) and (shown is None or shown[following].kind is LineKind.CODE)
        return not (is_code and self.mine.columns[following] == mine.columns and not is_closer(self.mine.lines[following]))

    def _has_lost_brackets(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the original's block is bracketed and the snippet's, shown whole, isn't any more."""
        if not mine.has_body or mine.end > mine.close or theirs.end == theirs.close or self.similarity.has_elision(mine):
            return False
        return not _BRACKET.search(self.mine.lines[mine.body - 1]) and bool(_BRACKET.search(self.theirs.lines[theirs.body - 1]))

    def _merge_lead(self, mine: Unit, theirs: Unit, scope: Scope, *, is_adjacent: bool) -> None:
        """Comments and decorators: what the snippet shows above its first line stays, what it shows is aligned.

        is_adjacent: the snippet shows what stands directly above, so that decorators it doesn't show are gone.
        """
        decorators = self._first_decorator(self.theirs, theirs)
        if mine.start == mine.head or self._is_rewrapped(mine, theirs):
            self.keep(decorators, scope)
            if decorators < theirs.head and mine.start == mine.head and self._are_gone(decorators, theirs.head, is_adjacent):
                self.pieces.drop(theirs.head, 0.95 * scope.certainty, "a decorator that isn't shown")
            self.keep(theirs.head, scope)
            return
        shows_comment = self._first_decorator(self.mine, mine) > mine.start
        if not shows_comment:
            self.keep(decorators, scope)
        start = self.pieces.at
        my_lead = [Unit(n, n, n + 1, n + 1, n + 1, self.mine.columns[n]) for n in self._lines(self.mine, mine.start, mine.head)]
        their_lead = [
            Unit(n, n, n + 1, n + 1, n + 1, self.theirs.columns[n], parent=theirs.parent)
            for n in self._lines(self.theirs, start, theirs.head)
        ]
        scope = replace(scope, reference=Reference(mine.head, mine.columns, self._out_indent(theirs.head, scope)))
        is_open = self._follows_marker(mine) or not (is_adjacent or self._rewrites_comment(my_lead, their_lead))
        level = Level(my_lead, their_lead, is_open_left=is_open)
        self._align_level(level, scope, theirs.head, Frame(None, theirs.parent, mine.start, mine.head))

    @staticmethod
    def _first_decorator(table: LineTable, unit: Unit) -> int:
        """The line of the unit's first decorator or attribute, its header where it has none."""
        for line in range(unit.start, unit.head):
            if _DECORATOR.match(table.lines[line]):
                return line
        return unit.head

    def _are_gone(self, start: int, end: int, is_adjacent: bool) -> bool:
        words = {word for line in self.theirs.lines[start:end] for word in _WORD.findall(line)}
        return is_adjacent or (bool(words) and words <= self.hints.removed)

    def _is_rewrapped(self, mine: Unit, theirs: Unit) -> bool:
        """Whether both leads say the same, broken into lines differently."""
        shown = _comment_words(self.mine.lines[mine.start : mine.head])
        return bool(shown) and shown == _comment_words(self.theirs.lines[theirs.start : theirs.head])

    def _follows_marker(self, mine: Unit) -> bool:
        kinds = self.snippet.kinds
        return kinds is not None and mine.start > 0 and kinds[mine.start - 1] is LineKind.MARKER

    def _rewrites_comment(self, mine: list[Unit], theirs: list[Unit]) -> bool:
        """Whether both leads begin with comment prose, so that the snippet's stands for the original's."""
        if not mine or not theirs:
            return False
        first, other = self.mine.lines[mine[0].head].strip(), self.theirs.lines[theirs[0].head].strip()
        return first[:2] == other[:2] and not first.startswith("@") and not first.startswith("#[")

    @staticmethod
    def _lines(table: LineTable, start: int, end: int) -> list[int]:
        return [line for line in range(start, end) if table.keys[line]]

    def _header_is_same(self, mine: Unit, theirs: Unit) -> bool:
        return normal_form("".join(self.mine.keys[mine.head : mine.body])) == normal_form(
            "".join(self.theirs.keys[theirs.head : theirs.body])
        )

    def _merge_header(self, mine: Unit, theirs: Unit, scope: Scope, pair: Pair) -> None:
        my_lines, their_lines = self.mine.lines[mine.head : mine.body], self.theirs.lines[theirs.head : theirs.body]
        if self._header_is_same(mine, theirs) or self._quotes_all(my_lines, their_lines):
            self.keep(theirs.body, scope)
            return
        if self._is_cut_header(mine, theirs):
            self.keep(theirs.body, scope)
            return
        if self._header_has_elision(mine):
            merged = merge_elided("\n".join(line.strip() for line in self._code_lines(mine)), their_lines)
            if merged is not None:
                self.pieces.replace(theirs.body, self._shifted(merged, scope), 0.9 * scope.certainty, "elided header")
                return
        self._replace(theirs.body, mine.head, mine.body, scope, pair)

    def _is_cut_header(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet shows only the beginning of a header of several lines."""
        mine_key = "".join(self.mine.keys[mine.head : mine.body])
        their_key = "".join(self.theirs.keys[theirs.head : theirs.body])
        if len(mine_key) >= len(their_key):
            return False
        if mine_key.endswith(("(", "{", "[", "<", "\\")) and their_key.startswith(mine_key):
            return True
        return mine.start == mine.head and not self._follows_code(mine) and their_key.endswith(mine_key)

    def _follows_code(self, unit: Unit) -> bool:
        """Whether the snippet shows code above the unit, blank lines apart."""
        for line in range(unit.start - 1, -1, -1):
            if self.mine.keys[line]:
                return not self.snippet.kinds or self.snippet.kinds[line] is LineKind.CODE
        return False

    def _code_lines(self, mine: Unit) -> list[str]:
        kinds = self.snippet.kinds
        return [
            "..." if kinds and kinds[line] is LineKind.MARKER else self.mine.lines[line]
            for line in range(mine.head, mine.body)
        ]

    def _header_has_elision(self, mine: Unit) -> bool:
        kinds = self.snippet.kinds
        return any(
            elides_inline(self.mine.lines[line]) or (kinds and kinds[line] is LineKind.MARKER)
            for line in range(mine.head, mine.body)
        )

    @staticmethod
    def _quotes_all(mine: list[str], theirs: list[str]) -> bool:
        return len(mine) == len(theirs) and all(
            is_same_line(a, b) or is_tag_without_attributes(a, b) for a, b in zip(mine, theirs, strict=True)
        )

    def _merge_body(self, mine: Unit, theirs: Unit, scope: Scope) -> None:
        units = self.snippet.children(mine)
        out = self._out_indent(theirs.head, scope)
        inner = replace(scope, reference=Reference(mine.head, mine.columns, out))
        opened = self._open_for(units, self.original.children(theirs), theirs.body, theirs.close)
        level = Level(units, opened, is_open_right=self._is_open_right(mine, theirs, units))
        level.protects = self._protector(units, theirs)
        self._align_level(level, inner, theirs.close, Frame(mine, theirs, mine.body, mine.close))

    def _is_open_right(self, mine: Unit, theirs: Unit, units: list[Unit]) -> bool:
        """Whether the original's body may go on behind what the snippet shows of it."""
        if units and self._is_cut_off(units[-1]):
            return True
        if mine.end > mine.close:
            return False
        if theirs.end > theirs.close:
            return True
        if not units:
            return False
        if all(unit.is_code for unit in units):
            return not self._goes_on(mine) and self._breaks_off(mine)
        last = units[-1]
        if not last.is_code:
            return True
        return not self._goes_on(mine) and not _TERMINATOR.match(self.mine.lines[last.head].strip())

    def _breaks_off(self, unit: Unit) -> bool:
        """Whether the snippet ends inside the unit with a bracket open."""
        text = "".join(self.mine.keys[unit.body : unit.end])
        return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))

    def _goes_on(self, unit: Unit) -> bool:
        """Whether code follows the unit in the snippet, so that its end is shown."""
        for line in range(unit.end, len(self.mine)):
            if self.mine.keys[line]:
                return not self.snippet.kinds or self.snippet.kinds[line] is LineKind.CODE
        return False

    def _is_cut_off(self, unit: Unit) -> bool:
        """Whether a block ends in a marker and is never closed: what the marker stands for may go beyond it."""
        if not unit.has_body or unit.end > unit.close:
            return False
        children = self.snippet.children(unit)
        return bool(children) and (children[-1].is_marker or self._is_cut_off(children[-1]))

    def _merge_closer(self, mine: Unit, theirs: Unit, scope: Scope) -> None:
        my_keys = "".join(self.mine.keys[mine.close : mine.end])
        their_keys = "".join(self.theirs.keys[theirs.close : theirs.end])
        if my_keys and not their_keys:
            self.keep(theirs.end, scope)
            reference = Reference(mine.head, mine.columns, self._out_indent(theirs.head, scope))
            self.pieces.add([self._written(line, reference) for line in range(mine.close, mine.end)], 0.95 * scope.certainty, "closed")
            return
        if not my_keys or normal_form(my_keys) == normal_form(their_keys) or not their_keys:
            if my_keys and their_keys and self._adds_comma(mine, my_keys, their_keys):
                self._replace(theirs.end, mine.close, mine.end, scope, None)
            else:
                self.keep(theirs.end, scope)
            return
        self._replace(theirs.end, mine.close, mine.end, scope, None)

    def _adds_comma(self, mine: Unit, my_keys: str, their_keys: str) -> bool:
        """Whether the snippet's closing line has a comma more, and code behind it that needs one."""
        if my_keys != their_keys + ",":
            return False
        kinds = self.snippet.kinds
        for line in range(mine.end, len(self.mine)):
            if self.mine.keys[line]:
                return (not kinds or kinds[line] is LineKind.CODE) and not is_closer(self.mine.lines[line])
        return False

    # -- output -----------------------------------------------------------------------------------------

    def _out_indent(self, line: int, scope: Scope) -> str:
        return indent_of(shift_line(self.theirs.lines[line], scope.old, scope.new))

    def _shifted(self, lines: list[str], scope: Scope) -> list[str]:
        return [shift_line(line, scope.old, scope.new) for line in lines]

    def keep(self, end: int, scope: Scope) -> None:
        if scope.is_shifted:
            lines = self._shifted(self.theirs.lines[self.pieces.at : end], scope)
            self.pieces.replace(end, lines, 0.97 * scope.certainty, "re-indented")
        else:
            self.pieces.keep(end)

    def _replace(self, end: int, my_start: int, my_end: int, scope: Scope, pair: Pair | None) -> None:
        """The snippet's lines [my_start, my_end) stand for the original up to `end`."""
        at = self.pieces.at
        first, _ = self.theirs.trim_blank(at, end)
        reference = Reference(my_start, self.mine.columns[my_start], self._out_indent(first if first < end else at, scope))
        lines = [self._written(line, reference) for line in range(my_start, my_end)]
        certainty = 0.97 if pair is None else min(0.97, 0.75 + 0.25 * pair.ratio)
        self.pieces.replace(end, lines, certainty * scope.certainty, "changed")

    def write_new(self, unit: Unit, reference: Reference) -> list[str]:
        """The lines of a unit that the original doesn't have, markers left out."""
        shown = self.snippet.shown or ()
        lines: list[str] = []
        for line in range(unit.start, unit.end):
            if shown[line].whole is not None and self._is_stub(unit, line + 1):
                lines.append(self.indenter.rewrite(shown[line].whole or "", self.mine.columns[line], reference))
            elif shown[line].kind in (LineKind.CODE, LineKind.BLANK):
                lines.append(self._written(line, reference))
            elif not self._is_stub(unit, line):
                self.findings.contradicted.append(unit)
            elif not shown[line].is_part:
                lines.append(self._written(line, reference))
        return lines

    def _is_stub(self, unit: Unit, line: int) -> bool:
        """Whether a bare `...` is all there is in a Python body: then it is code, as in a protocol."""
        return (
            line < unit.end
            and self.mine.lines[line].strip() == "..."
            and self.mine.lines[unit.body - 1].rstrip().endswith(":")
            and not any(self.mine.keys[other] for other in range(line + 1, unit.close))
        )

    def _written(self, line: int, reference: Reference) -> str:
        return self.indenter.rewrite(self.mine.lines[line], self.mine.columns[line], reference)


def _removed_units(shown: Sequence[Unit], content: Sequence[Unit]) -> frozenset[int]:
    """The start lines of the original's units that the removal comments of a gap mean.

    Of several with the name the one nearest to the comment: the last one where no marker follows it.
    """
    starts: set[int] = set()
    for index, unit in enumerate(shown):
        if unit.kind is LineKind.REMOVAL:
            is_late = not any(other.is_marker for other in shown[index + 1 :])
            for word in _WORD.findall(unit.note):
                named = [other.start for other in content if other.name == word]
                if named:
                    starts.add(named[-1] if is_late else named[0])
    return frozenset(starts)


def _comment_words(lines: list[str]) -> list[str]:
    return [word for line in lines for word in line.strip().lstrip("/*#-;! ").removesuffix("*/").split()]


@dataclass(frozen=True, slots=True)
class _Protector:
    is_on: bool
    removed: frozenset[str]

    def __call__(self, unit: Unit) -> bool:
        return self.is_on and bool(unit.name) and unit.name not in self.removed and unit.has_body and unit.declares in ("function", "class", "section")
