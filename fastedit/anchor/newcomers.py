"""Lines that the original doesn't have: how they are written, how far apart, and whether they are new at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fastedit.anchor import certainty as sure
from fastedit.anchor.chain import Level, Pair
from fastedit.anchor.indent import Reference, nearest
from fastedit.anchor.scope import Scope
from fastedit.anchor.text import is_closer, is_trivial
from fastedit.anchor.units import Unit

if TYPE_CHECKING:
    from fastedit.anchor.lazy import LazyAligner
    from fastedit.anchor.marked import Gap

_COMMENT_START = re.compile(r"\s*(?P<sign>\*|//+|#+|--+|;+|%+)(?P<space>[ \t]*)(?=\S)")
MAX_KNOWN_SHARE = 0.7


class Newcomers:
    """Writes the new units of one level to the aligner's pieces. certainty: that the units around them are right."""

    def __init__(self, aligner: LazyAligner, scope: Scope, references: list[Reference]) -> None:
        self.aligner = aligner
        self.scope = scope
        self.references = references
        self.pieces = aligner.pieces
        self.theirs = aligner.theirs
        self.mine = aligner.mine
        self.certainty = 1.0
        self.comment_spaces: dict[tuple[str, str], str] = {}
        self.moved: set[str] = set()

    def note_neighbours(self, level: Level, pairs: Iterable[Pair]) -> None:
        """Notes what moved on the level, and what the lines around a gap have for the white space behind comment signs
        (` *\t` for ` *  `).
        """
        self.moved = {unit.name for unit in level.theirs if unit.start in level.moved}
        self.comment_spaces = {}
        for pair in pairs:
            mine = _COMMENT_START.match(self.mine.lines[level.mine[pair.mine].head])
            theirs = _COMMENT_START.match(self.theirs.lines[level.theirs[pair.theirs].head])
            if mine and theirs and mine.group("sign") == theirs.group("sign"):
                self.comment_spaces[mine.group("sign"), mine.group("space")] = theirs.group("space")

    def _with_comment_space(self, line: str) -> str:
        found = _COMMENT_START.match(line)
        if found is None:
            return line
        space = self.comment_spaces.get((found.group("sign"), found.group("space")), found.group("space"))
        return line[: found.start("space")] + space + line[found.end("space") :]

    def add(
        self,
        units: Sequence[Unit],
        certainty: float,
        reason: str,
        *,
        is_loose: bool = True,
        reference: Reference | None = None,
    ) -> None:
        """Writes new units with the snippet's blank lines between them.

        is_loose: one side of them is open, so that context that found no place may pass for new lines.
        reference: for their indentation; where there is none, the nearest line that stands in both texts.
        """
        if is_loose and self._known_share(units) >= MAX_KNOWN_SHARE:
            certainty, reason = min(certainty, sure.FOUND_NO_PLACE), "lines of the file that found no place"
        previous: int | None = None
        for unit in units:
            if previous is not None:
                self.blanks(self.blanks_between(previous, unit.start) or 0)
            previous = unit.end
            place = reference or nearest(self.references, unit.head) or self.scope.reference
            if place is None:
                place = Reference(unit.head, unit.columns, "")
            lines = [self._with_comment_space(line) for line in self.aligner.writer.write_new(unit, place)]
            self.pieces.add(lines, certainty * self.certainty, reason)
            self.aligner.findings.num_new += 1

    def may_be_context(self, gap: Gap, new: Sequence[Unit]) -> bool:
        """Whether new units may be lines of the file that found no place: no blocks of their own in an empty gap."""
        return bool(gap.content) or not all(self._is_new_block(unit) for unit in new)

    def _is_new_block(self, unit: Unit) -> bool:
        return unit.has_body and self.mine.keys[unit.head] not in self.theirs.places

    def _is_new_name(self, unit: Unit) -> bool:
        """Whether the unit declares something that the original doesn't, or not here: its lines may well be known."""
        if unit.declares not in ("function", "class"):
            return False
        return unit.name in self.moved or not self.aligner.original.named(unit.name)

    def _known_share(self, units: Sequence[Unit]) -> float:
        """The share of the units' telling lines that stand in the original already; 0 where they have none."""
        lines = [line for unit in units if not self._is_new_name(unit) for line in range(unit.head, unit.end)]
        telling = [
            self.mine.keys[line]
            for line in lines
            if self.mine.keys[line] and not is_trivial(self.mine.keys[line]) and not is_closer(self.mine.lines[line])
        ]
        if telling:
            return sum(key in self.theirs.places for key in telling) / len(telling)
        plain = [line for line in lines if self.mine.keys[line] and not is_closer(self.mine.lines[line])]
        return float(bool(plain) and all(self.mine.keys[line] in self.theirs.places for line in plain))

    def blanks_between(self, start: int | None, end: int | None) -> int | None:
        """How many blank lines the snippet has between two of its lines; None where it shows only one of them.

        Where a comment that isn't code stands between them, the larger of the two gaps counts.
        """
        if start is None or end is None:
            return None
        longest = run = 0
        for line in range(start, end):
            run = 0 if self.mine.keys[line] else run + 1
            longest = max(longest, run)
        return longest

    def blanks(self, number: int | None) -> None:
        self.pieces.add([""] * (number or 0))
