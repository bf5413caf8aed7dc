"""Compares what stands around a row with what stands around a line: blocks, owners, indentation, names."""

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
    LIKE_REPLACED,
    LIKE_REPLACED_NOT,
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
from fastedit.anchor.lazy.identity import Identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.lazy.search.grid import Grid

    Floats = NDArray[np.float32]

_Found = tuple[int, int, list[float], bool]  # the first line, how many, features, whether the original's bytes win
OWNERS = ("decl", "table", "heading", "selector")
_WHERE_LIKE = (
    (LIKE_PARENT_OTHER, PARENT_OTHER),
    (LIKE_PARENT_NEW, PARENT_NEW),
    (LIKE_OWNER_OTHER, OWNER_OTHER),
    (LIKE_OWNER_NEW, OWNER_NEW),
)


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
        if grid.told.replaced is not None:
            replaced = grid.told.replaced[lines]
            features[:, LIKE_REPLACED] = features[:, LIKE] * replaced
            features[:, LIKE_REPLACED_NOT] = features[:, LIKE] * (replaced == 0)
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
