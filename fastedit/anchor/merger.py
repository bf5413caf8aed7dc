"""Paired units merged: their leads, headers, bodies and closing lines, each from the snippet or from the original."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fastedit.anchor import certainty as sure
from fastedit.anchor.alike import is_same_line, is_tag_without_attributes, normal_form
from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.elision import merge_elided
from fastedit.anchor.indent import Reference
from fastedit.anchor.leads import LeadMerger
from fastedit.anchor.scope import Frame, Scope
from fastedit.anchor.text import is_terminator
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import LineKind, elides_inline

if TYPE_CHECKING:
    from fastedit.anchor.lazy import LazyAligner

_BRACKET = re.compile(r"[{(\[]\s*(?:#.*|//.*)?$")


class UnitMerger:
    """Writes the paired units of one alignment to the aligner's pieces."""

    def __init__(self, aligner: LazyAligner) -> None:
        self.aligner = aligner
        self.snippet = aligner.snippet
        self.original = aligner.original
        self.mine = aligner.mine
        self.theirs = aligner.theirs
        self.similarity = aligner.similarity
        self.cuts = aligner.cuts
        self.levels = aligner.levels
        self.writer = aligner.writer
        self.pieces = aligner.pieces
        self.leads = LeadMerger(aligner)

    def merge(self, mine: Unit, theirs: Unit, scope: Scope, pair: Pair, *, is_adjacent: bool = False) -> None:
        """Brings the pieces behind the original's unit. is_adjacent: as for `LeadMerger.merge`."""
        self.leads.merge(mine, theirs, scope, is_adjacent=is_adjacent)
        if self.similarity.is_quoted(mine, theirs):
            self.writer.keep(theirs.end, scope)
            return
        if not mine.has_body and theirs.has_body and not self._shows_header_only(mine, theirs):
            self.writer.replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        if mine.has_body and not theirs.has_body and not self._header_is_same(mine, theirs):
            self.writer.replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        if self._has_lost_brackets(mine, theirs):
            self.writer.replace(theirs.end, mine.head, mine.end, scope, pair)
            return
        self._merge_header(mine, theirs, scope, pair)
        if mine.has_body:
            self._merge_body(mine, theirs, scope)
        self._merge_closer(mine, theirs, scope)

    def _shows_header_only(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet leaves out the body of a block. A section's header alone only says where one is."""
        return self._is_flat(theirs) or self.cuts.is_cut_block(mine)

    def _is_flat(self, theirs: Unit) -> bool:
        """Whether it is a section of a document or a table of settings: not indented below its header."""
        first, _ = self.theirs.trim_blank(theirs.body, theirs.close)
        return theirs.has_body and theirs.end == theirs.close and self.theirs.columns[first] <= theirs.columns

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
            self.writer.keep(theirs.body, scope)
            return
        if self._is_cut_header(mine, theirs):
            self.writer.keep(theirs.body, scope)
            return
        if self._header_has_elision(mine):
            merged = merge_elided("\n".join(line.strip() for line in self._code_lines(mine)), their_lines)
            if merged is not None:
                certainty = sure.ELIDED_HEADER * scope.certainty
                self.pieces.replace(theirs.body, self.writer.shifted(merged, scope), certainty, "elided header")
                return
        self.writer.replace(theirs.body, mine.head, mine.body, scope, pair)

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
        out = self.writer.out_indent(theirs.head, scope)
        inner = replace(scope, reference=Reference(mine.head, mine.columns, out))
        opened = self.levels.unfolder.unfolded(units, self.original.children(theirs), theirs.body, theirs.close)
        level = Level(units, opened, is_open_right=self._is_open_right(mine, theirs, units))
        level.protects = self.levels.protector(units, theirs)
        self.aligner.align_level(level, inner, theirs.close, Frame(mine, theirs, mine.body, mine.close))

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
            if self.cuts.goes_on(mine):
                return False
            return self._is_flat(theirs) or self.cuts.breaks_off(mine) or self._stops_short(mine, theirs)
        last = units[-1]
        if not last.is_code:
            return True
        return not self.cuts.goes_on(mine) and not is_terminator(self.mine.lines[last.head])

    def _stops_short(self, mine: Unit, theirs: Unit) -> bool:
        """Whether the snippet ends amid a block: with a line of the original, in no declaration shown whole."""
        line = self.snippet.children(mine)[-1].end - 1
        places = self.theirs.places.get(self.mine.keys[line], ())
        if not self.cuts.is_last(mine) or is_terminator(self.mine.lines[line]):
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
            self.writer.keep(theirs.end, scope)
            reference = Reference(mine.head, mine.columns, self.writer.out_indent(theirs.head, scope))
            self.pieces.add(
                [self.writer.written(line, reference) for line in range(mine.close, mine.end)],
                sure.CLOSED * scope.certainty,
                "closed",
            )
            return
        if not my_keys or normal_form(my_keys) == normal_form(their_keys) or not their_keys:
            if my_keys and their_keys and self.cuts.adds_comma(mine, my_keys, their_keys):
                self.writer.replace(theirs.end, mine.close, mine.end, scope, None)
            else:
                self.writer.keep(theirs.end, scope)
            return
        self.writer.replace(theirs.end, mine.close, mine.end, scope, None)
