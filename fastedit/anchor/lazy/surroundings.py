"""Describes the positions of an original, and how well the blocks around a row and around lines of the original agree.

Position p lies before line p, counted from 0; what it is like doesn't depend on the snippet.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.features import (
    ANCESTORS,
    LIKE,
    LIKE_OWNER_NEW,
    LIKE_OWNER_OTHER,
    LIKE_PARENT_NEW,
    LIKE_PARENT_OTHER,
    NAMED,
    NAMED_NOT,
    OWNER_NEW,
    OWNER_OTHER,
    OWNER_SAME,
    PARENT_LIKE,
    PARENT_NEW,
    PARENT_NONE,
    PARENT_OTHER,
    PARENT_SAME,
    SHIFT_OTHER,
    SHIFT_SAME,
    TOLD_INSIDE,
    TOLD_OUTSIDE,
)  # fmt: skip
from fastedit.anchor.lazy.lines import OPENER, Identity, Lines
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    from fastedit.anchor.lazy.grid import Grid

OWNERS = ("decl", "table", "heading", "selector")
_WHERE_LIKE = (
    (LIKE_PARENT_OTHER, PARENT_OTHER),
    (LIKE_PARENT_NEW, PARENT_NEW),
    (LIKE_OWNER_OTHER, OWNER_OTHER),
    (LIKE_OWNER_NEW, OWNER_NEW),
)


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
        """Positions where what follows is indented less than what precedes, or closes a block."""
        before, behind = self.column_before, self.column_behind
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


class Surroundings:
    """The blocks, declarations and columns in which the rows and lines of a grid stand."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.original, self.shown, self.rows = grid.original, grid.shown, grid.rows
        self._chains: dict[int, set[str | Identity | None]] = {}
        self._owners: dict[int, Identity | None] = {}
        self._parents: dict[tuple[int, int], int] = {}
        self._shared: dict[tuple[int, int], float] = {}

    def add_to(self, features: Floats, row: int, lines: list[int]) -> None:
        """Adds what the blocks tell in which the row and each of the lines stand to the features of their pairs."""
        if not lines:
            return
        grid, original = self.grid, self.original
        parent, owner = grid.row_parents[row], self.row_owners[row]
        theirs = [original.parents[line] for line in lines]
        every = np.arange(len(lines))
        told = np.array([self._parent_column(parent, other) for other in theirs])
        features[every[told >= 0], told[told >= 0]] = 1
        if owner is not None:
            another = OWNER_OTHER if owner in original.identities else OWNER_NEW
            same = [OWNER_SAME if owner == self._owner_of(line) else another for line in lines]
            features[every, same] = 1
        for like, plain in _WHERE_LIKE:
            features[:, like] = features[:, plain] * features[:, LIKE]
        if parent >= 0 and grid.row_parents[parent] >= 0:
            features[:, ANCESTORS] = [self._share(parent, other) for other in theirs]
        names = grid.context_names[row]
        if names:
            share = np.array([self._named_at(line, names) for line in lines], np.float32)
            features[:, NAMED], features[:, NAMED_NOT] = share, share == 0
        if grid.told.inside is not None:
            inside = grid.told.inside[lines]
            features[:, TOLD_INSIDE], features[:, TOLD_OUTSIDE] = inside, ~inside
        column = self.shown.columns[row] + grid.row_shifts[row]
        stays = np.array([original.columns[line] == column for line in lines], bool)
        features[:, SHIFT_SAME], features[:, SHIFT_OTHER] = stays, ~stays

    def _parent_column(self, parent: int, theirs: int) -> int:
        """The feature that tells how the row that a row stands in compares with the line around a line, -1: none.

        parent, theirs: -1 where they stand in none.
        """
        if parent < 0:
            return PARENT_NONE if theirs < 0 else -1
        if theirs < 0:
            return PARENT_OTHER
        if (parent, theirs) not in self._parents:
            self._parents[parent, theirs] = self._compared(parent, theirs)
        return self._parents[parent, theirs]

    def _compared(self, parent: int, theirs: int) -> int:
        """The feature that tells how a row compares with a line, both of which have others inside them."""
        original, shown = self.original, self.shown
        identity = shown.identity(parent)
        if original.keys[theirs] == shown.keys[parent] or (
            identity is not None and identity == original.identity(theirs)
        ):
            return PARENT_SAME
        if shown.keys[parent] in original.places or identity in original.identities:
            return PARENT_OTHER
        if Indel.normalized_similarity(shown.stripped[parent], original.stripped[theirs]) > 0.6:
            return PARENT_LIKE
        return PARENT_NEW

    def _share(self, parent: int, theirs: int) -> float:
        """The share of the outer rows around a row that are around a line too, from -1 (none) to 1 (all).

        parent, theirs: the row and the line that they stand in first.
        """
        if (parent, theirs) not in self._shared:
            outer = self._ancestors(parent)
            hits = self._count_shared(outer, self._chain(theirs))
            self._shared[parent, theirs] = (2 * hits - len(outer)) / len(outer)
        return self._shared[parent, theirs]

    def _count_shared(self, rows: Sequence[int], chain: set[str | Identity | None]) -> int:
        """Counts the rows that have their key or their identity in a chain."""
        shown = self.shown
        return sum(
            shown.keys[row] in chain or (shown.identity(row) is not None and shown.identity(row) in chain)
            for row in rows
        )

    def _chain(self, line: int) -> set[str | Identity | None]:
        """The keys and identities of a line and of those that it stands in; none for -1."""
        if line not in self._chains:
            chain = [line, *self.original.ancestors(line)] if line >= 0 else []
            keys = (self.original.keys[one] for one in chain)
            self._chains[line] = {*keys, *(self.original.identity(one) for one in chain)}
        return self._chains[line]

    @cached_property
    def row_owners(self) -> list[Identity | None]:
        """For each row the declaration that it stands in by its indentation, or is the header of."""
        owners: list[Identity | None] = []
        for row in range(self.grid.num_rows):
            found: Identity | None = None
            at = row
            while at >= 0 and found is None:
                identity = self.shown.identity(at)
                if identity is not None and identity.kind in OWNERS and not self.rows[at].is_blank:
                    found = identity
                at = self.grid.row_parents[at]
            owners.append(found)
        return owners

    def _owner_of(self, line: int) -> Identity | None:
        """The declaration that a line of the original stands in, or is the header of."""
        if line < 0:
            return None
        if line not in self._owners:
            identity = self.original.identity(line)
            is_owner = identity is not None and identity.kind in OWNERS
            self._owners[line] = identity if is_owner else self._owner_of(self.original.parents[line])
        return self._owners[line]

    def _ancestors(self, row: int) -> list[int]:
        result, at = [], self.grid.row_parents[row]
        while at >= 0:
            result.append(at)
            at = self.grid.row_parents[at]
        return result

    def _named_at(self, line: int, names: frozenset[str]) -> float:
        hits = sum(any(start <= line < end for start, end in self.grid.declared_names[name]) for name in names)
        return hits / len(names)
