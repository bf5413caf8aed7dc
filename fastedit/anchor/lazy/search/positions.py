"""The positions of an original, between its lines: what each is like by itself, whatever a snippet shows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.lines import OPENER, Lines
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Positions:
    """The positions 0..n of an original, as tables over them.

    has_markers: whether the snippet has lines that stand for others, so that what it leaves out is marked.
    """

    def __init__(self, original: Lines, found: Outline, has_markers: bool) -> None:
        self.original = original
        self.outline = found
        self.num_lines = len(original)
        self.has_markers = has_markers

    @cached_property
    def declared(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Positions where a declaration begins, where one ends, and lines that are headers."""
        n = self.num_lines
        begins, ends, headers = (np.zeros(n + 1, bool) for _ in range(3))
        for one in self.outline.declarations:
            if one.kind == "import" or (one.kind == "value" and one.end_line - one.start_line < 3):
                continue
            begins[min(n, one.start_line)] = ends[min(n, one.end_line)] = True
            headers[min(n, one.header_line)] = True
        return begins, ends, headers

    @cached_property
    def is_blank(self) -> NDArray[np.bool_]:
        return np.array([not key for key in self.original.keys] + [False], bool)

    @cached_property
    def column_before(self) -> NDArray[np.int32]:
        return np.array(self.original.previous_columns, np.int32)

    @cached_property
    def column_behind(self) -> NDArray[np.int32]:
        return np.array(self.original.next_columns, np.int32)

    @cached_property
    def line_before(self) -> list[int]:
        result, last = [-1], -1
        for line, key in enumerate(self.original.keys):
            last = line if key else last
            result.append(last)
        return result

    @cached_property
    def line_behind(self) -> list[int]:
        n = self.num_lines
        result, following = [n] * (n + 1), n
        for line in range(n - 1, -1, -1):
            following = line if self.original.keys[line] else following
            result[line] = following
        return result

    @cached_property
    def nearest_before(self) -> NDArray[np.int32]:
        """`line_before` as an array."""
        return np.array(self.line_before, np.int32)

    @cached_property
    def nearest_behind(self) -> NDArray[np.int32]:
        """`line_behind` as an array."""
        return np.array(self.line_behind, np.int32)

    @cached_property
    def opens_before(self) -> NDArray[np.bool_]:
        """Whether the last line before each position that isn't blank opens a block."""
        opens = [bool(OPENER.search(text)) for text in self.original.stripped]
        return np.array([before >= 0 and opens[before] for before in self.line_before], bool)

    @cached_property
    def closes_behind(self) -> NDArray[np.bool_]:
        """Whether what follows each position, blank lines passed over, closes a block; the end of the file does."""
        closes = [text.startswith((")", "]", "}", "</", "end", "fi", "done")) for text in self.original.stripped]
        closes.append(True)
        return np.array([closes[line] for line in self.line_behind], bool)

    @cached_property
    def boundary(self) -> NDArray[np.bool_]:
        """Positions between declarations, or beside blank lines at the outermost level."""
        begins, ends, _ = self.declared
        blank = self.is_blank
        behind_blank = np.zeros(self.num_lines + 1, bool)
        behind_blank[1:] = blank[:-1]
        starts = begins.copy()
        # The blank lines before a declaration are a boundary, too.
        for line in range(self.num_lines - 1, -1, -1):
            if blank[line] and starts[line + 1]:
                starts[line] = True
        return starts | ends

    @cached_property
    def block_ends(self) -> NDArray[np.bool_]:
        """Positions where what follows stands less deep than what precedes, or closes a block."""
        depths = np.array([*self.original.depths, -1], np.int32)  # of no line: the last
        before, behind = depths[self.nearest_before], depths[self.nearest_behind]
        return (behind < before) | ((behind <= before) & self.closes_behind)

    @cached_property
    def landed(self) -> Floats:
        """(n + 1, len(LANDED)): how good a place each position is to go on at."""
        blank = np.zeros(self.num_lines + 1, bool)
        blank[1:] = self.is_blank[:-1]
        begins = self.declared[0]
        block_start = self.column_behind > self.column_before
        inside = ~(blank | begins | block_start)
        return np.stack([begins, blank & ~begins, block_start & ~begins & ~blank, inside], axis=1).astype(np.float32)

    @cached_property
    def started(self) -> Floats:
        """(n + 1, 6): as `landed`, whether a position is the file's top, and whether lines before it go unmentioned."""
        top = np.array([before < 0 for before in self.line_before], np.float32)
        skips = (1 - top) * float(self.has_markers)
        return np.concatenate([self.landed, top[:, None], skips[:, None]], axis=1)

    @cached_property
    def left(self) -> Floats:
        """(n + 1, len(LEFT)): how good a place each position is to stop quoting at."""
        block_end = self.block_ends
        blank = self.is_blank
        boundary = self.boundary
        opener = self.opens_before & (self.column_behind > self.column_before)
        inside = ~(block_end | blank | boundary | opener)
        return np.stack([block_end, blank, boundary, opener, inside], axis=1).astype(np.float32)

    @cached_property
    def elided_to(self) -> Floats:
        """(n + 1, len(ELIDED_TO)): where what a marker stands for may end."""
        landed = self.landed
        block_end = self.block_ends.astype(np.float32)
        end = np.zeros(self.num_lines + 1, np.float32)
        end[-1] = 1
        inside = landed[:, 3] * (1 - block_end)
        return np.stack([landed[:, 0], landed[:, 1], landed[:, 2], block_end, inside, end], axis=1)

    @cached_property
    def ended(self) -> Floats:
        """(n + 1, 6): see `ENDED`."""
        end = np.zeros(self.num_lines + 1, np.float32)
        end[self.line_before[self.num_lines] + 1 :] = 1
        block_end = self.block_ends * (1 - end)
        blank = self.is_blank.astype(np.float32)
        inside = ((end + block_end + blank) == 0).astype(np.float32)
        skips = (1 - end) * float(self.has_markers)
        boundary = self.boundary.astype(np.float32)
        return np.stack([end, block_end, blank, inside, skips, boundary], axis=1).astype(np.float32)
