"""What lies between two aligned units where no marker stands: what goes, what comes in, the blank lines around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fastedit.anchor import certainty as sure
from fastedit.anchor.chain import Level
from fastedit.anchor.docstrings import Docstrings
from fastedit.anchor.indent import Reference
from fastedit.anchor.marked import Gap, MarkedGaps
from fastedit.anchor.newcomers import Newcomers
from fastedit.anchor.remarks import position_of
from fastedit.anchor.scope import Frame, Scope
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import comment_text

if TYPE_CHECKING:
    from fastedit.anchor.lazy import LazyAligner

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
MAX_SILENT_DELETION = 60
MIN_RENAMED_OVERLAP = 0.8


class GapFiller:
    """Writes the gaps of one level to the aligner's pieces."""

    def __init__(
        self, aligner: LazyAligner, level: Level, scope: Scope, references: list[Reference], frame: Frame
    ) -> None:
        self.aligner = aligner
        self.level = level
        self.scope = scope
        self.references = references
        self.frame = frame
        self.owner = frame.theirs
        self.is_root = frame.is_root
        self.pieces = aligner.pieces
        self.theirs = aligner.theirs
        self.mine = aligner.mine
        self.certainty = 1.0
        self.is_edge = False
        self.docstrings = Docstrings(aligner, scope, frame)
        self.newcomers = Newcomers(aligner, scope, references)
        self.marked = MarkedGaps(self)

    def fill(self, gap: Gap) -> None:
        """Brings the pieces to the gap's end."""
        self.is_edge = gap.before is None or gap.after is None
        self.newcomers.certainty = self.certainty
        self.newcomers.note_neighbours(self.level, [pair for pair in (gap.before, gap.after) if pair])
        around = [pair.certainty for pair in (gap.before, gap.after) if pair]
        self.certainty = self.scope.certainty * min(around, default=1.0)
        if self.docstrings.keep_named(gap):
            gap.units = gap.units[1:]
            self.level = replace(self.level, is_open_left=False)
        is_part = self._is_part_of_container()
        opens_left = gap.before is None and (self.level.is_open_left or is_part)
        opens_right = gap.after is None and (self.level.is_open_right or is_part)
        markers = [unit for unit in gap.units if unit.is_marker]
        if opens_right and markers and gap.units[-1].is_code and position_of(markers[-1].note) is None:
            opens_right = False  # behind a marker and last: at the end of what is elided
        runs = self._runs(gap.units)
        if opens_left:
            runs.insert(0, [])
        if opens_right:
            runs.append([])
        if len(runs) == 1:
            self._without_marker(gap, runs[0])
        else:
            self.marked.fill(gap, runs)

    def _is_part_of_container(self) -> bool:
        """Whether the level shows an object, a mapping or the like with markers: its ends stay, marked or not."""
        if self.owner is None or self.owner.declares not in ("block", ""):
            return False
        return self.aligner.levels.is_container(self.owner) and any(unit.is_marker for unit in self.level.mine)

    @staticmethod
    def _runs(units: Sequence[Unit]) -> list[list[Unit]]:
        """The new units, split where a marker stands."""
        runs: list[list[Unit]] = [[]]
        for unit in units:
            if unit.is_marker:
                runs.append([])
            else:
                runs[-1].append(unit)
        return runs

    def _without_marker(self, gap: Gap, new: list[Unit]) -> None:
        self.docstrings.keep(gap, new)
        start, end = self.theirs.trim_blank(self.pieces.at, gap.end)
        if start == end:
            self._insert(gap, new)
        elif self._is_jump(gap, new):
            self._jump(gap, new)
        else:
            self._substitute(gap, new)

    def _is_jump(self, gap: Gap, new: list[Unit]) -> bool:
        """Whether the snippet goes on elsewhere here instead of deleting what lies between."""
        kept = [unit for unit in gap.content if unit.start not in self.level.moved]
        if any(self.level.protects(unit) and not self.is_renamed(unit, new) for unit in kept):
            return True
        if any(self.theirs.keys[unit.head].rstrip(";") in self.aligner.hints.kept for unit in gap.content):
            return True  # the words say that it stays
        named = self.aligner.cuts.named_above(gap.my_before) if gap.my_before is not None else set()
        if any(unit.is_block and unit.name in named for unit in gap.content):
            return True  # the marker at the end of the block above names it
        if self._leaves_out(gap, [unit for unit in kept if not self._has_successor(unit, new)]):
            return True
        if not self.is_root or gap.before is None or gap.after is None:
            return False
        first, last = self.level.theirs[gap.before.theirs], self.level.theirs[gap.after.theirs]
        is_inside = last.parent is not None and last.parent.head == first.head  # `first` is the block's own header
        if first.parent is last.parent or is_inside or gap.after.mine in self.level.unwrapped:
            return False
        return not self._ends_its_block(gap, first, last)

    def _leaves_out(self, gap: Gap, units: Sequence[Unit]) -> bool:
        """Whether the marker that ends what is shown above stands for these units of a gap, too.

        That they are deleted by showing their neighbours takes the end of the first of these, or a word.
        """
        if not units or gap.my_before is None or not self.aligner.cuts.ends_in_marker(gap.my_before):
            return False
        removed = self.aligner.hints.removed
        return not any(unit.name in removed or unit.start in gap.removed for unit in units)

    def _has_successor(self, theirs: Unit, new: list[Unit]) -> bool:
        """Whether one of the new units may stand for this one: it is renamed, or a comment, worded anew."""
        is_comment = comment_text(self.theirs.lines[theirs.head]) is not None
        return (is_comment and bool(new)) or self.is_renamed(theirs, new)

    def is_renamed(self, theirs: Unit, new: list[Unit]) -> bool:
        """Whether one of the new units is this one under another name."""
        overlap = self.aligner.similarity.renames.overlap
        return any(unit.name and unit.has_body and overlap(unit, theirs) >= MIN_RENAMED_OVERLAP for unit in new)

    def _ends_its_block(self, gap: Gap, first: Unit, last: Unit) -> bool:
        """Whether the gap is just the rest of a block: the snippet steps out of it as the original does."""
        assert gap.before is not None
        assert gap.after is not None
        mine, next_mine = self.level.mine[gap.before.mine], self.level.mine[gap.after.mine]
        if first.parent is None:
            return False
        is_closed = first.parent.close <= last.head < first.parent.end
        if mine.columns <= next_mine.columns and not is_closed:
            return False
        around: Unit | None = first.parent
        while around is not None and around.parent is not last.parent:
            around = around.parent
        return around is not None and all(unit.start < around.end for unit in gap.content)

    def _jump(self, gap: Gap, new: list[Unit]) -> None:
        """What lies between stays, but for the declarations of which the words say that they go."""
        gone = [unit for unit in gap.content if unit.name in self.aligner.hints.removed and unit.is_block]
        gap.removed |= {unit.start for unit in gone if unit.declares in ("function", "class")}
        if gap.before is None:
            end = self.theirs.trim_blank(self.pieces.at, gap.end)[1]
            self.aligner.writer.keep(end if new else gap.end, self.scope)
            self._insert(gap, new)
            return
        if new:
            self.newcomers.blanks(self.newcomers.blanks_between(gap.my_before, new[0].start))
            self.newcomers.add(new, sure.BEHIND_A_JUMP, "new, behind its neighbour")
        elif self.is_root and gap.after is not None and self.newcomers.blanks_between(gap.my_before, gap.my_after) == 0:
            self.aligner.findings.doubtful.append(self.level.mine[gap.after.mine])
        self.marked.keep(gap, gap.end)

    def _substitute(self, gap: Gap, new: list[Unit]) -> None:
        """What lies between goes, the new units (if any) stand for it."""
        num_lines = gap.end - self.pieces.at
        certainty = sure.REPLACES_WHAT_LAY_BETWEEN if new else sure.DELETED_BY_ADJACENCY
        if num_lines > MAX_SILENT_DELETION and not new:
            certainty = sure.LONG_DELETION
        leading = self.theirs.trim_blank(self.pieces.at, gap.end)[0]
        if gap.my_before is None:
            self.aligner.writer.keep(leading, self.scope)
        self.pieces.drop(gap.end, certainty * self.certainty, "replaced" if new else "deleted by adjacency")
        self._write(gap, new, certainty, "stands for what lay between its neighbours")

    def _insert(self, gap: Gap, new: list[Unit]) -> None:
        """New units between neighbours that have only blank lines between them."""
        num_theirs = gap.end - self.pieces.at
        if not new:
            num_mine = self.newcomers.blanks_between(gap.my_before, gap.my_after)
            is_cut = self._ends_in_marker(gap.my_after)
            if num_mine is None or is_cut or num_mine == num_theirs or self._keeps_blanks(gap, num_mine, num_theirs):
                self.aligner.writer.keep(gap.end, self.scope)
            else:
                self.pieces.drop(gap.end, sure.BLANK_LINES * self.certainty, "blank lines as shown")
                self.newcomers.blanks(num_mine)
            return
        self.pieces.drop(gap.end)
        self._write(gap, new, sure.BETWEEN_NEIGHBOURS, "between its neighbours", num_theirs)

    def _ends_in_marker(self, line: int | None) -> bool:
        """Whether the last line above `line` in the snippet is a marker: then it doesn't show what follows it."""
        return line is not None and self.aligner.cuts.ends_in_marker(line)

    def _keeps_blanks(self, gap: Gap, num_mine: int, num_theirs: int) -> bool:
        """Whether the original's blank lines stay: both separate blocks, the snippet only less generously."""
        if not gap.before or not gap.after:
            return False
        first, last = self.level.theirs[gap.before.theirs], self.level.theirs[gap.after.theirs]
        if self.pieces.has_dropped:
            return False  # what the blank lines were shown behind has changed
        if num_mine == 0:
            return first.is_block and last.is_block and first.has_body and last.has_body
        return num_theirs > 0 and (bool(first.declares) or bool(last.declares))

    def _write(self, gap: Gap, new: list[Unit], certainty: float, reason: str, num_theirs: int = 0) -> None:
        if not new:
            self.newcomers.blanks(self.newcomers.blanks_between(gap.my_before, gap.my_after) or 0)
            return
        before = self.newcomers.blanks_between(gap.my_before, new[0].start) or 0
        after = self.newcomers.blanks_between(new[-1].end, gap.my_after)
        if after is not None and 0 < max(before, after) < num_theirs and any(unit.is_block for unit in new):
            before = after = num_theirs  # a snippet that puts its blocks closer together than the file
        if new[0].is_block and self._ends_in_marker(new[0].start):
            before = max(before, num_theirs)  # blank lines beside a marker say nothing
        self.newcomers.blanks(before)
        self.newcomers.add(
            new, certainty, reason, is_loose=self.is_edge and self.is_root and self.newcomers.may_be_context(gap, new)
        )
        if after is not None:
            self.newcomers.blanks(after)
        elif num_theirs:
            self.newcomers.blanks(num_theirs)
