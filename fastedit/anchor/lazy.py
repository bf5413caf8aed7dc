"""Aligns a lazy snippet with the original: declaration by declaration, then block by block and line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fastedit.anchor import certainty as sure
from fastedit.anchor.alike import is_same_line, is_tag_without_attributes, normal_form
from fastedit.anchor.chain import Chain, Level, Pair
from fastedit.anchor.cuts import Cuts
from fastedit.anchor.elision import merge_elided
from fastedit.anchor.gap import GapFiller
from fastedit.anchor.hints import Hints
from fastedit.anchor.indent import Indenter, Reference, nearest, shift_line
from fastedit.anchor.leads import LeadMerger
from fastedit.anchor.levels import Levels, Protector
from fastedit.anchor.marked import Gap
from fastedit.anchor.pairing import Pairing
from fastedit.anchor.pieces import Pieces
from fastedit.anchor.scope import Findings, Frame, Scope
from fastedit.anchor.shifts import Shifts
from fastedit.anchor.similarity import Similarity
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind, elides_inline
from fastedit.lines import indent_of

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
_BRACKET = re.compile(r"[{(\[]\s*(?:#.*|//.*)?$")
_TERMINATOR = re.compile(r"^(?:return|raise|throw|break|continue|yield from|exit|die|panic!?|goto)\b")


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
        self.cuts = Cuts(snippet)
        self.levels = Levels(self.similarity, self.hints)
        self.pairing = Pairing(self.similarity)
        self.shifts = Shifts(self.similarity)
        self.leads = LeadMerger(self)

    def run(self) -> Pieces:
        units = self.snippet.top
        opened = self.levels.unfolder.unfolded(units, self.original.top, 0, len(self.theirs), is_root=True)
        level = Level(units, opened, is_open_left=True, is_open_right=True)
        level.protects = self.levels.protector(units, None)
        self.align_level(level, Scope(None), len(self.theirs), Frame(is_root=True))
        return self.pieces

    def align_level(self, level: Level, scope: Scope, end: int, frame: Frame) -> None:
        """Aligns the units of a level up to line `end` of the original."""
        level = self.levels.prepared(level)
        pairs = Chain(level, self.pairing.candidates(level)).best()
        self._note_findings(level, pairs, frame)
        references = self._references(level, pairs, frame)
        filler = GapFiller(self, level, scope, references, frame)
        before: Pair | None = None
        previous_line = frame.my_start
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            filler.fill(self._gap(level, before, pair, theirs.start, previous_line, mine.start))
            is_direct = frame.is_direct(mine, theirs) and pair.mine not in level.unwrapped
            inner = scope if is_direct else self._scope_for(mine, theirs, scope, references)
            inner = replace(inner, certainty=scope.certainty * pair.certainty)
            is_adjacent = self._is_next(before, pair) and (before is not None or frame.mine is not None)
            if pair.mine in level.realigned:
                self._replace(theirs.end, mine.head, mine.end, inner, pair)
            else:
                is_adjacent = is_adjacent and not self.cuts.is_cut_above(mine)
                self._merge_unit(mine, theirs, inner, pair, is_adjacent=is_adjacent)
            before, previous_line = pair, mine.end
        filler.fill(self._gap(level, before, None, end, previous_line, frame.my_end))
        self.findings.num_anchors += len(pairs)

    def _note_findings(self, level: Level, pairs: list[Pair], frame: Frame) -> None:
        """Notes on the level what only its pairs tell."""
        if self.levels.deletes_one(level, pairs):
            level.protects = Protector(False, frozenset())
        level.moved = self.shifts.moved(level, pairs)
        level.realigned = self.shifts.realigned(level, pairs)
        if frame.is_root:
            steps = self.indenter.snippet_unit, self.indenter.original_unit
            level.unwrapped = self.shifts.unwrapped(level, pairs, steps)

    def _gap(
        self,
        level: Level,
        before: Pair | None,
        after: Pair | None,
        end: int,
        my_before: int | None,
        my_after: int | None,
    ) -> Gap:
        shown = level.mine[before.mine + 1 if before else 0 : after.mine if after else len(level.mine)]
        units = [unit for unit in shown if unit.kind is not LineKind.REMOVAL]
        removed = _removed_units(
            shown, level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else None]
        )
        content = level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else len(level.theirs)]
        return Gap(units, self.pieces.at, end, content, my_before, my_after, before, after, removed)

    def _scope_for(self, mine: Unit, theirs: Unit, scope: Scope, references: list[Reference]) -> Scope:
        """How the lines of a unit that is wrapped or unwrapped are moved: to where the snippet now has them."""
        reference = nearest(references, mine.head) or scope.reference
        if reference is None:
            return scope
        old = indent_of(self.theirs.lines[theirs.head])
        return replace(scope, old=old, new=self.indenter.indent(mine.columns, reference))

    def _references(self, level: Level, pairs: list[Pair], frame: Frame) -> list[Reference]:
        """The level's lines that stand in both texts, as references for the indentation of new ones."""
        references = []
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            if frame.is_direct(mine, theirs) and pair.mine not in level.unwrapped:
                references.append(Reference(mine.head, mine.columns, indent_of(self.theirs.lines[theirs.head])))
        return references

    @staticmethod
    def _is_next(before: Pair | None, pair: Pair) -> bool:
        """Whether a pair follows the one before it directly in both texts, or begins both."""
        mine, theirs = (before.mine, before.theirs) if before else (-1, -1)
        return mine + 1 == pair.mine and theirs + 1 == pair.theirs

    def _merge_unit(self, mine: Unit, theirs: Unit, scope: Scope, pair: Pair, *, is_adjacent: bool = False) -> None:
        self.leads.merge(mine, theirs, scope, is_adjacent=is_adjacent)
        if self.similarity.is_quoted(mine, theirs):
            self.keep(theirs.end, scope)
            return
        if not mine.has_body and theirs.has_body and not self.cuts.is_cut_block(mine):
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

    def _has_lost_brackets(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the original's block is bracketed and the snippet's, shown whole, isn't any more."""
        if (
            not mine.has_body
            or mine.end > mine.close
            or theirs.end == theirs.close
            or self.similarity.has_elision(mine)
        ):
            return False
        return not _BRACKET.search(self.mine.lines[mine.body - 1]) and bool(
            _BRACKET.search(self.theirs.lines[theirs.body - 1])
        )

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
                certainty = sure.ELIDED_HEADER * scope.certainty
                self.pieces.replace(theirs.body, self._shifted(merged, scope), certainty, "elided header")
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
        return mine.start == mine.head and not self.cuts.follows_code(mine) and their_key.endswith(mine_key)

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
        out = self.out_indent(theirs.head, scope)
        inner = replace(scope, reference=Reference(mine.head, mine.columns, out))
        opened = self.levels.unfolder.unfolded(units, self.original.children(theirs), theirs.body, theirs.close)
        level = Level(units, opened, is_open_right=self._is_open_right(mine, theirs, units))
        level.protects = self.levels.protector(units, theirs)
        self.align_level(level, inner, theirs.close, Frame(mine, theirs, mine.body, mine.close))

    def _is_open_right(self, mine: Unit, theirs: Unit, units: list[Unit]) -> bool:
        """Whether the original's body may go on behind what the snippet shows of it."""
        if units and self.cuts.is_cut_off(units[-1]):
            return True
        if mine.end > mine.close:
            return False
        if theirs.end > theirs.close:
            return True
        if not units:
            return False
        if all(unit.is_code for unit in units):
            # A section of a document isn't indented below its header.
            is_flat = theirs.has_body and self.theirs.columns[theirs.body] <= theirs.columns
            if self.cuts.goes_on(mine):
                return False
            return is_flat or self.cuts.breaks_off(mine) or self._stops_short(mine, theirs)
        last = units[-1]
        if not last.is_code:
            return True
        return not self.cuts.goes_on(mine) and not _TERMINATOR.match(self.mine.lines[last.head].strip())

    def _stops_short(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet ends amid a block: with a line of the original, in no declaration shown whole."""
        line = self.snippet.children(mine)[-1].end - 1
        places = self.theirs.places.get(self.mine.keys[line], ())
        if not self.cuts.is_last(mine) or _TERMINATOR.match(self.mine.lines[line].strip()):
            return False
        if not any(theirs.body <= place < theirs.close for place in places):
            return False
        around: Unit | None = mine
        while around is not None:
            if around.declares in ("function", "class") and not self.similarity.has_elision(around):
                return False
            around = around.parent
        return True

    def _merge_closer(self, mine: Unit, theirs: Unit, scope: Scope) -> None:
        my_keys = "".join(self.mine.keys[mine.close : mine.end])
        their_keys = "".join(self.theirs.keys[theirs.close : theirs.end])
        if my_keys and not their_keys:
            self.keep(theirs.end, scope)
            reference = Reference(mine.head, mine.columns, self.out_indent(theirs.head, scope))
            self.pieces.add(
                [self._written(line, reference) for line in range(mine.close, mine.end)],
                sure.CLOSED * scope.certainty,
                "closed",
            )
            return
        if not my_keys or normal_form(my_keys) == normal_form(their_keys) or not their_keys:
            if my_keys and their_keys and self.cuts.adds_comma(mine, my_keys, their_keys):
                self._replace(theirs.end, mine.close, mine.end, scope, None)
            else:
                self.keep(theirs.end, scope)
            return
        self._replace(theirs.end, mine.close, mine.end, scope, None)

    def out_indent(self, line: int, scope: Scope) -> str:
        return indent_of(shift_line(self.theirs.lines[line], scope.old, scope.new))

    def _shifted(self, lines: list[str], scope: Scope) -> list[str]:
        return [shift_line(line, scope.old, scope.new) for line in lines]

    def keep(self, end: int, scope: Scope) -> None:
        if scope.is_shifted:
            lines = self._shifted(self.theirs.lines[self.pieces.at : end], scope)
            self.pieces.replace(end, lines, sure.RE_INDENTED * scope.certainty, "re-indented")
        else:
            self.pieces.keep(end)

    def _replace(self, end: int, my_start: int, my_end: int, scope: Scope, pair: Pair | None) -> None:
        """The snippet's lines [my_start, my_end) stand for the original up to `end`."""
        at = self.pieces.at
        first, _ = self.theirs.trim_blank(at, end)
        mine, _ = self.mine.trim_blank(my_start, my_end)
        mine = mine if mine < my_end else my_start
        reference = Reference(mine, self.mine.columns[mine], self.out_indent(first if first < end else at, scope))
        lines = [self._written(line, reference) for line in range(my_start, my_end)]
        certainty = sure.CHANGED if pair is None else min(sure.CHANGED, 0.75 + 0.25 * pair.ratio)
        self.pieces.replace(end, lines, certainty * scope.certainty, "changed")

    def write_new(self, unit: Unit, reference: Reference) -> list[str]:
        """The lines of a unit that the original doesn't have, markers left out."""
        shown = self.snippet.shown or ()
        lines: list[str] = []
        for line in range(unit.start, unit.end):
            if shown[line].whole is not None and self.cuts.is_stub(unit, line + 1):
                lines.append(self.indenter.rewrite(shown[line].whole or "", self.mine.columns[line], reference))
            elif shown[line].kind in (LineKind.CODE, LineKind.BLANK):
                lines.append(self._written(line, reference))
            elif not self.cuts.is_stub(unit, line):
                self.findings.contradicted.append(unit)
            elif not shown[line].is_part:
                lines.append(self._written(line, reference))
        return lines

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
