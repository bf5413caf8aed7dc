"""Every fact that speaks for or against a step of the search, as named numbers: the rooms of the search's grid.

A snippet has rows 0..m-1, the original positions 0..n (position p lies before line p). What a step is worth is the sum
of its features' values times their weights; this module has the values, `search` adds them up.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.fold import COUNTED, Clock, Fold
from fastedit.anchor.lazy.lines import DOTS, OPENER, Identity, Lines, identity_of, unwrapped
from fastedit.anchor.lazy.places import PlaceReader, Told
from fastedit.anchor.lazy.rows import Row
from fastedit.syntax.check import ErrorCounter
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Change = tuple[int, int, Sequence[str]]
_Found = tuple[int, int, list[float], bool]  # the first line, how many, features, whether the original's bytes win
MAX_LIKE = 24  # lines of the original that a row is compared with
MAX_SAME = 3000  # places of an equal line that count
COMMON = 200  # a word of so many lines tells nothing
MIN_LIKENESS = 0.4
MAX_RESPACED = 8  # places of a line where it may be meant with other white space
MIN_NOTE_OVERLAP = 0.4
NOT_CODE = -0.7  # a comment with smaller odds is rather a note or a marker
OWNERS = ("decl", "table", "heading", "selector")
MAX_REMEMBERED = 100_000  # cells
MORE_THAN_ANY = np.float32(400)  # deleted lines: what a gap counts as, which must not be deleted

PAIR = (
    "blank same same_trivial same_len same_dup same_trivial_dup loose loose_abbreviated like like_by like_words "
    "like_first like_first_not identity_same identity_other identity_known identity_kind like_comment like_mixed "
    "like_same_elsewhere like_line_shown quoted_by_words parent_same parent_like parent_other parent_new parent_none "
    "ancestors named named_not shift_same shift_other note_pair dots_pair same_shown_twice several respaced "
    "like_parent_other like_parent_new note_quotes owner_same owner_other owner_new like_owner_other like_owner_new "
    "like_though_loose told_inside told_outside"
).split()
NEXT = "next_shift_same next_shift_other next_blank next_from_new next_from_deleted next_new_deeper".split()
ROW_NEW = (
    "new new_blank new_comment new_declared new_known new_known_trivial new_dots new_like new_note new_header_like"
).split()
NEW_AT = (
    "fits_before fits_behind fits_opener fits_none captures ends_block ends_file begins_file blank_behind "
    "blank_before declared_at_boundary declared_inside statement_at_boundary first_same_before first_same_behind "
    "inside_parent outside_parent inside_named outside_named import_far deeper_than_before "
    "in_told out_told at_told off_told"
).split()
NEW_NEAR = [f"near_{name}" for name in NEW_AT]
NEW_FAR = [f"far_{name}" for name in NEW_AT]
NEW_FROM = "new_after_quote new_after_deleted new_after_marker new_after_jump new_at_start new_more".split()
DELETED_LINE = (
    "deleted deleted_blank deleted_comment deleted_trivial deleted_header deleted_shown deleted_said deleted_like "
    "deleted_stays"
).split()
DELETED = (
    "delete_after_quote delete_after_new delete_after_marker delete_to_quote delete_to_new delete_to_marker "
    "delete_to_end delete_at_start"
).split()
JUMPED_LINE = "jumped jumped_header jumped_shown jumped_doc jumped_like".split()
LEFT = "left_block_end left_before_blank left_boundary left_opener left_inside".split()
LANDED = "landed_boundary landed_behind_blank landed_block_start landed_inside".split()
JUNCTION = (
    "jump jump_from_new jump_to_new junction_blank junction_dedent junction_indent junction_header "
    "junction_shift jump_unmarked"
).split()
START = [f"start_{name}" for name in "boundary behind_blank block_start inside at_top skips_unmarked first new".split()]
MARKED_LINE = "elided_shown elided_like elided_named".split()
MARKER = (
    "marker marker_odds marker_dots marker_empty marker_from_quote marker_from_new marker_from_deleted marker_again "
    "marker_at_block_end marker_shallower marker_deeper marker_level marker_behind_opener elided_outdents "
    "marker_foreign marker_unlikely marker_listing marker_opens"
).split()
ELIDED_TO = [f"elided_to_{name}" for name in "boundary behind_blank block_start block_end inside end".split()]
NOTE = "note note_odds note_blank note_blank_by_marker note_blank_edge note_gone note_code note_listing".split()
BACK = "back back_header back_marker".split()
END = (
    "end_quote end_new end_deleted end_at_eof end_at_block_end end_at_blank end_inside end_new_boundary "
    "end_skips_unmarked"
).split()
ENDED = "end_at_eof end_at_block_end end_at_blank end_inside end_skips_unmarked end_new_boundary".split()
FEATURES: tuple[str, ...] = tuple(
    name
    for group in (
        PAIR, NEXT, ROW_NEW, NEW_NEAR, NEW_FAR, NEW_FROM, DELETED_LINE, DELETED, JUMPED_LINE, LEFT, LANDED, JUNCTION,
        START, MARKED_LINE, MARKER, ELIDED_TO, NOTE, BACK, END,
    )
    for name in group
)  # fmt: skip
INDEX = {name: number for number, name in enumerate(FEATURES)}

# The columns of the tables, by the names of what they hold.
# fmt: off
(
    BLANK, SAME, SAME_TRIVIAL, SAME_LEN, SAME_DUP, SAME_TRIVIAL_DUP, LOOSE, LOOSE_ABBREVIATED, LIKE, LIKE_BY,
    LIKE_WORDS, LIKE_FIRST, LIKE_FIRST_NOT, IDENTITY_SAME, IDENTITY_OTHER, IDENTITY_KNOWN, IDENTITY_KIND,
    LIKE_COMMENT, LIKE_MIXED, LIKE_SAME_ELSEWHERE, LIKE_LINE_SHOWN, QUOTED_BY_WORDS, PARENT_SAME, PARENT_LIKE,
    PARENT_OTHER, PARENT_NEW, PARENT_NONE, ANCESTORS, NAMED, NAMED_NOT, SHIFT_SAME, SHIFT_OTHER, NOTE_PAIR, DOTS_PAIR,
    SAME_SHOWN_TWICE, SEVERAL, RESPACED, LIKE_PARENT_OTHER, LIKE_PARENT_NEW, NOTE_QUOTES, OWNER_SAME, OWNER_OTHER,
    OWNER_NEW, LIKE_OWNER_OTHER, LIKE_OWNER_NEW, LIKE_THOUGH_LOOSE, TOLD_INSIDE, TOLD_OUTSIDE,
) = range(len(PAIR))
(
    NEW, NEW_BLANK, NEW_COMMENT, NEW_DECLARED, NEW_KNOWN, NEW_KNOWN_TRIVIAL, NEW_DOTS, NEW_LIKE, NEW_NOTE,
    NEW_HEADER_LIKE,
) = range(len(ROW_NEW))
(
    FITS_BEFORE, FITS_BEHIND, FITS_OPENER, FITS_NONE, CAPTURES, ENDS_BLOCK, ENDS_FILE, BEGINS_FILE, BLANK_BEHIND,
    BLANK_BEFORE, DECLARED_AT_BOUNDARY, DECLARED_INSIDE, STATEMENT_AT_BOUNDARY, FIRST_SAME_BEFORE, FIRST_SAME_BEHIND,
    INSIDE_PARENT, OUTSIDE_PARENT, INSIDE_NAMED, OUTSIDE_NAMED, IMPORT_FAR, DEEPER_THAN_BEFORE,
    IN_TOLD, OUT_TOLD, AT_TOLD, OFF_TOLD,
) = range(len(NEW_AT))
# fmt: on

_LINE_COMMENT = re.compile(r"\s+(?:#|//|--)\s.*$")
_PUNCTUATION = re.compile(r"[,;\s]+$")


@dataclass(frozen=True, slots=True)
class Context:
    """What the words around a snippet say.

    names: what they mention as code; removed: what they say is gone; kept: keys of lines that they say stay; prose: the
    words before it.
    """

    names: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    prose: str = ""


@dataclass(slots=True)
class Pairs:
    """The lines of the original that a row may stand for, with their features.

    lines: the first of each. features: (k, len(PAIR)). is_loose: the original's bytes win. spans: how many lines it is.
    """

    lines: NDArray[np.int32]
    features: Floats
    is_loose: list[bool] = field(default_factory=list)
    spans: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


class Grid:
    """The features of all steps between one snippet and one original."""

    def __init__(
        self,
        original: Lines,
        rows: Sequence[Row],
        found: Outline,
        context: Context,
        fold: Fold | None = None,
        errors: Callable[[], ErrorCounter] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.original = original
        self.rows = list(rows)
        self.shown = Lines([row.text for row in rows])
        self.outline = found
        self.context = context
        self.num_rows = len(rows)
        self.num_lines = len(original)
        self.fold = fold
        self._statements: dict[int, tuple[int, str, str]] = {}
        self._led: dict[str, list[int]] = {}
        self._new_tables: dict[int, Floats] = {}
        self._chains: dict[int, set[str | Identity | None]] = {}
        self._errors = errors
        self.clock = clock or Clock()
        self.clock.check_size(self.num_rows, self.num_lines)

    @cached_property
    def errors(self) -> ErrorCounter:
        """The parse errors of the original, unfolded, and of what becomes of it."""
        return self._errors() if self._errors else ErrorCounter(self.original.texts, self.outline.language)

    def unfolded(self, changes: Sequence[Change]) -> Sequence[Change] | None:
        """Changes as the full original numbers its lines; None where they can't be made there."""
        return changes if self.fold is None else self.fold.unfolded(changes)

    @cached_property
    def _left_out(self) -> Floats:
        """(n,): how many lines more than itself each line stands for."""
        more = np.zeros(self.num_lines, np.float32)
        for line, count in (self.fold.gaps if self.fold else {}).items():
            more[line] = count - 1
        return more

    # ---- the original's positions -------------------------------------------------------------------------------

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
    def _line_before(self) -> NDArray[np.int32]:
        return np.array(self.line_before, np.int32)

    @cached_property
    def _line_behind(self) -> NDArray[np.int32]:
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

    def _counted(self, columns: Sequence[NDArray[np.float32]]) -> Floats:
        """(n + 1, k): sums of per-line features over the lines before each position."""
        table = np.zeros((self.num_lines + 1, len(columns)), np.float64)
        if self.num_lines:
            table[1:] = np.cumsum(np.stack(columns, axis=1), axis=0)
        return table.astype(np.float32)

    @cached_property
    def _line_facts(self) -> dict[str, NDArray[np.float32]]:
        """Per line: blank, comment, trivial, header, shown in the snippet, like a row of it, said to go, doc, stays."""
        n = self.num_lines
        names = "blank comment trivial header shown like said doc stays".split()
        facts = {name: np.zeros(n, np.float32) for name in names}
        for key in self.context.kept:
            for line in self.original.places.get(key, ()):
                facts["stays"][line] = 1
        self._add_kinds(facts)
        facts["header"][self.declared[2][:n]] = 1
        self._add_shown(facts["shown"], facts["like"])
        if self.context.removed:
            self._add_said(facts["said"])
        self._add_docs(facts["doc"])
        return facts

    def _add_kinds(self, facts: dict[str, NDArray[np.float32]]) -> None:
        """Tells blank lines, trivial ones and comments apart."""
        trivial = self.original.is_trivial
        for line, (key, text) in enumerate(zip(self.original.keys, self.original.stripped, strict=True)):
            if not key:
                facts["blank"][line] = 1
            elif trivial[line]:
                facts["trivial"][line] = 1
            elif text.startswith(("#", "//", "/*", "*", "--", "<!--")):
                facts["comment"][line] = 1

    def _add_shown(self, shown: NDArray[np.float32], like: NDArray[np.float32]) -> None:
        """Marks the lines that the snippet shows, and those that are like a row of it."""
        for row in range(self.num_rows):
            pairs = self.pairs[row]
            if self.rows[row].is_blank or self.shown.is_trivial[row]:
                continue
            told = pairs.features[:, (SAME, LIKE, LIKE_BY)].tolist()
            for line, (is_same, is_like, likeness) in zip(pairs.lines.tolist(), told, strict=True):
                if is_same:
                    shown[line] = 1 / max(1.0, len(self.original.places.get(self.original.keys[line], ())))
                elif is_like and likeness + 0.5 > like[line]:
                    like[line] = likeness + 0.5

    def _add_said(self, said: NDArray[np.float32]) -> None:
        """Marks the lines of the declarations that the words say are gone, and those that name them."""
        for one in self.outline.declarations:
            if one.name and one.name.split(".")[-1] in self.context.removed:
                said[one.start_line : one.end_line] = 1
        for name in self.context.removed:
            for line in self.original.word_places.get(name, ()):
                said[line] = 1

    def _add_docs(self, doc: NDArray[np.float32]) -> None:
        """Marks docstrings, and what stands between a declaration's start and its header."""
        n, texts = self.num_lines, self.original.stripped
        for line in np.nonzero(self.declared[2][:n])[0].tolist():
            at = line + 1
            quote = texts[at].lstrip("rbuRBU")[:3] if at < n else ""
            if quote not in ('"""', "'''"):
                continue
            end = at
            if texts[at].count(quote) < 2:
                end = next((k for k in range(at + 1, min(n, at + 80)) if quote in texts[k]), at)
            doc[at : end + 1] = 1
        for one in self.outline.declarations:
            doc[one.start_line : one.header_line] = 1

    @cached_property
    def deleted_lines(self) -> Floats:
        """(n + 1, len(DELETED_LINE)), summed up."""
        f = self._line_facts
        full = 1 - f["blank"]
        plain = full * (1 - f["comment"]) * (1 - f["trivial"]) + MORE_THAN_ANY * (self._left_out > 0).astype(np.float32)
        rest = "blank comment trivial header shown said like stays".split()
        return self._counted([plain, *(f[name] for name in rest)])

    @cached_property
    def jumped_lines(self) -> Floats:
        """(n + 1, len(JUMPED_LINE)), summed up."""
        f = self._line_facts
        full = 1 - f["blank"]
        plain = full * (1 - f["doc"]) + np.minimum(self._left_out, COUNTED)
        return self._counted([plain, f["header"], f["shown"], f["doc"], f["like"]])

    def elided_lines(self, row: int) -> Floats:
        """(n + 1, len(MARKED_LINE) + 1), summed up; the last column counts where the lines leave the marker's block."""
        f = self._line_facts
        column = self.column_of(row)
        columns = np.array(self.original.columns, np.int32)
        named = np.zeros(self.num_lines, np.float32)
        for name in self.rows[row].names:
            for line in self.original.word_places.get(name, ())[:50]:
                named[line] = 1
        leaves = ((columns >= 0) & (columns < column)).astype(np.float32) if column is not None else f["blank"] * 0
        if column is not None and self.num_lines:
            before = self.column_before[:-1]
            leaves = leaves * (before >= column)
        return self._counted([f["shown"], f["like"], named * f["header"], leaves])

    # ---- the snippet's rows -------------------------------------------------------------------------------------

    @cached_property
    def has_markers(self) -> bool:
        return any(row.role("elide") > -0.7 for row in self.rows)

    @cached_property
    def row_parents(self) -> list[int]:
        """For each row the row that it stands in by its indentation; markers and notes are none."""
        parents: list[int] = []
        stack: list[int] = []
        columns = self.shown.columns
        for row, one in enumerate(self.rows):
            if one.is_blank:
                parents.append(stack[-1] if stack else -1)
                continue
            while stack and columns[stack[-1]] >= columns[row]:
                stack.pop()
            parents.append(stack[-1] if stack else -1)
            text = self.shown.stripped[row]
            is_code = one.role("code") > -0.7 and not one.is_dots
            if is_code and not (text[0] in ")]}" and len(text) <= 3):
                stack.append(row)
        return parents

    @cached_property
    def shift(self) -> int:
        """How many columns the original's lines stand further right than the snippet's, as most equal lines say."""
        counts: dict[int, float] = {}
        for row in range(self.num_rows):
            places = self.original.places.get(self.shown.keys[row], ())
            if places and len(places) <= 3 and not self.shown.is_trivial[row]:
                for line in places:
                    shift = self.original.columns[line] - self.shown.columns[row]
                    counts[shift] = counts.get(shift, 0.0) + 1 / len(places)
        return max(counts, key=lambda shift: (counts[shift], -abs(shift)), default=0)

    @cached_property
    def _row_shifts(self) -> list[int]:
        """For each row the shift of the nearest row that stands in the original once; `shift` where none is near."""
        known: list[tuple[int, int]] = []
        for row in range(self.num_rows):
            places = self.original.places.get(self.shown.keys[row], ())
            if len(places) == 1 and not self.shown.is_trivial[row]:
                known.append((row, self.original.columns[places[0]] - self.shown.columns[row]))
        result = []
        for row in range(self.num_rows):
            behind = bisect_right(known, row, key=itemgetter(0))
            near = min(known[max(0, behind - 1) : behind + 1], key=lambda one: abs(one[0] - row), default=None)
            result.append(near[1] if near and abs(near[0] - row) <= 12 else self.shift)
        return result

    def column_of(self, row: int) -> int | None:
        """The column where the row would stand in the original, as far as its neighbours tell."""
        columns = self.shown.columns[row]
        return None if columns < 0 else max(0, columns + self._row_shifts[row])

    @cached_property
    def pairs(self) -> list[Pairs]:
        """For each row the lines that it may stand for, see `PAIR`."""
        return [self._pairs_of(row) for row in range(self.num_rows)]

    def _pairs_of(self, row: int) -> Pairs:
        self.clock.check(self.num_rows, self.num_lines)
        one = self.rows[row]
        if one.is_blank:
            blank = np.nonzero(self.is_blank[:-1])[0].astype(np.int32)
            features = np.zeros((len(blank), len(PAIR)), np.float32)
            features[:, BLANK] = 1
            return Pairs(blank, features, [False] * len(blank), np.ones(len(blank), np.int32))
        key = self.shown.keys[row]
        same = self.original.places.get(key, [])[:MAX_SAME]
        found = self._same(row, same)
        is_sure_note = one.note is not None and one.role("code") < -3
        if not self.shown.is_trivial[row] and not one.is_dots and len(key) <= 2000 and not is_sure_note:
            found += self._similar(row, same)
            found += self._joined(row, [line for line, *_ in found])
        lines = [line for line, *_ in found]
        table = [values for _, _, values, _ in found]
        self._add_context(row, lines, table)
        features = np.array(table, np.float32).reshape(len(lines), len(PAIR))
        spans = np.array([span for _, span, _, _ in found], np.int32)
        return Pairs(np.array(lines, np.int32), features, [is_loose for *_, is_loose in found], spans)

    def _same(self, row: int, same: Sequence[int]) -> list[_Found]:
        """The lines that are equal to a row but for white space."""
        one, shown = self.rows[row], self.shown
        key = shown.keys[row]
        is_trivial = shown.is_trivial[row]
        length = min(3.0, math.log2(1 + len(key) / 8))
        rare = min(6.0, math.log2(len(same))) if same else 0.0
        twice = len(shown.places.get(key, ())) > 1
        found: list[_Found] = []
        for line in same:
            values = [0.0] * len(PAIR)
            values[SAME_TRIVIAL if is_trivial else SAME] = 1
            values[SAME_LEN] = 0 if is_trivial else length
            values[SAME_TRIVIAL_DUP if is_trivial else SAME_DUP] = rare
            values[SAME_SHOWN_TWICE] = float(twice and not is_trivial)
            values[NOTE_PAIR] = float(one.note is not None)
            values[DOTS_PAIR] = float(one.is_dots)
            found.append((line, 1, values, False))
            if len(same) <= MAX_RESPACED and _is_respaced(shown.stripped[row], self.original.stripped[line]):
                respaced = list(values)
                respaced[RESPACED] = 1
                found.append((line, 1, respaced, False))
        return found

    def _similar(self, row: int, same: Sequence[int]) -> list[_Found]:
        """The lines that a row quotes loosely or changes; for a note only comments."""
        one = self.rows[row]
        known = set(same)
        is_note = one.note is not None and one.role("code") < NOT_CODE
        found: list[_Found] = []
        for line, likeness, overlap in self._alike(row):
            if line in known or (is_note and not self.original.is_comment(line)):
                continue
            for values, is_loose in self._like(row, line, likeness, overlap, bool(same)):
                found.append((line, 1, values, is_loose))
        return found

    def _alike(self, row: int) -> list[tuple[int, float, float]]:
        """(line, likeness, shared rare words) of the lines that are most like a row."""
        original, shown = self.original, self.shown
        text = shown.stripped[row]
        counts: dict[int, float] = {}
        total = 0.0
        for word in dict.fromkeys(shown.words(row)):
            places = original.word_places.get(word, ())
            weight = 1 / (1 + math.log2(1 + len(places)))
            total += weight
            if len(places) > COMMON:
                continue
            for line in places:
                counts[line] = counts.get(line, 0.0) + weight
        identity = shown.identity(row)
        if identity is not None:
            for line in original.identities.get(identity, ())[:20]:
                counts[line] = counts.get(line, 0.0) + 1
        best = sorted(counts, key=lambda line: -counts[line])[:MAX_LIKE]
        result = []
        for line in best:
            other = original.stripped[line]
            if original.is_trivial[line] or len(other) > 2000:
                continue
            likeness = Indel.normalized_similarity(text, other)
            is_named = identity is not None and original.identity(line) == identity
            if likeness >= MIN_LIKENESS or is_named or (DOTS.search(text) and counts[line] > 0.3):
                result.append((line, likeness, min(1.0, counts[line] / max(total, 1e-6))))
        return result

    def _like(
        self, row: int, line: int, likeness: float, overlap: float, is_known: bool
    ) -> list[tuple[list[float], bool]]:
        """How a row may stand for a line that isn't equal, as (features, is loose): as a quote of it, as a change."""
        one = self.rows[row]
        original, shown = self.original, self.shown
        mine, theirs = shown.stripped[row], original.stripped[line]
        values = [0.0] * len(PAIR)
        result = []
        loose = _looseness(mine, theirs)
        if one.note is not None and one.role("code") < NOT_CODE:
            if overlap > MIN_NOTE_OVERLAP:  # `// (flush the queue)` for a comment that says it at length
                values[LOOSE] = values[NOTE_QUOTES] = 1
                values[LIKE_WORDS] = overlap
                result.append((values, True))
            return result
        if loose:
            quoted = list(values)
            quoted[LOOSE] = 1
            quoted[LOOSE_ABBREVIATED] = float(loose == 2)
            quoted[SAME_LEN] = min(3.0, math.log2(1 + len(mine) / 8))
            result.append((quoted, True))
        elif one.is_quoted:
            quoted = list(values)
            quoted[LOOSE] = quoted[QUOTED_BY_WORDS] = 1
            quoted[LIKE_BY] = likeness - 0.5
            result.append((quoted, True))
        values[LIKE] = 1
        values[LIKE_BY] = likeness - 0.5
        values[LIKE_WORDS] = overlap
        values[LIKE_THOUGH_LOOSE] = float(loose == 1)
        a, b = shown.words(row), original.words(line)
        is_first = bool(a and b and a[0] == b[0])
        values[LIKE_FIRST], values[LIKE_FIRST_NOT] = float(is_first), float(not is_first)
        identity, other = shown.identity(row), original.identity(line)
        if identity is not None and other is not None:
            if identity == other:
                values[IDENTITY_SAME] = 1
            elif identity.kind == other.kind:
                values[IDENTITY_OTHER] = 1
                values[IDENTITY_KNOWN] = float(identity in original.identities)
            else:
                values[IDENTITY_KIND] = 1
        is_comment, was_comment = one.note is not None, original.is_comment(line)
        values[LIKE_COMMENT] = float(is_comment and was_comment)
        values[LIKE_MIXED] = float(is_comment != was_comment)
        values[LIKE_SAME_ELSEWHERE] = float(is_known)
        values[LIKE_LINE_SHOWN] = float(original.keys[line] in shown.places)
        result.append((values, False))
        return result

    def _statement(self, line: int) -> tuple[int, str, str]:
        """How many lines the statement takes that begins in a line, its text in one line, and without white space."""
        if line not in self._statements:
            span = self.original.statement_span(line)
            joined = " ".join(self.original.stripped[line : line + span]) if span > 1 else ""
            self._statements[line] = span, joined, unwrapped(joined)
        return self._statements[line]

    def _joined(self, row: int, lines: Sequence[int]) -> list[_Found]:
        """Statements of several lines that the row may stand for."""
        mine = self.shown.stripped[row]
        if not any(bracket in mine for bracket in "([{"):
            return []
        original = self.original
        result = []
        key = unwrapped(mine)
        starts = set(lines)
        identity = self.shown.identity(row)
        if identity is not None:
            starts.update(original.identities.get(identity, ())[:20])
        for line in sorted(starts):
            span, joined, other = self._statement(line)
            if span < 2:
                continue
            values = [0.0] * len(PAIR)
            values[SEVERAL] = 1
            if key == other:
                values[LOOSE] = 1
                values[SAME_LEN] = min(3.0, math.log2(1 + len(key) / 8))
                result.append((line, span, values, True))
                continue
            loose = _looseness(mine, joined)
            if loose:
                quoted = list(values)
                quoted[LOOSE], quoted[LOOSE_ABBREVIATED] = 1, float(loose == 2)
                result.append((line, span, quoted, True))
            likeness = Indel.normalized_similarity(key, other)
            if likeness > 0.5 or (DOTS.search(mine) and likeness > 0.3):
                values[LIKE], values[LIKE_BY] = 1, likeness - 0.5
                values[LIKE_FIRST] = 1
                values[IDENTITY_SAME] = float(identity is not None and identity == original.identity(line))
                result.append((line, span, values, False))
        return result

    def _add_context(self, row: int, lines: list[int], features: list[list[float]]) -> None:
        """Adds what the blocks tell in which the row and each of the lines stand."""
        original, shown = self.original, self.shown
        parent = self.row_parents[row]
        mine = self._ancestors(row)
        owner = self.row_owners[row]
        names = self.context_names[row]
        shift = self._row_shifts[row]
        told = self.told.inside
        for number, line in enumerate(lines):
            values = features[number]
            theirs = original.parents[line]
            self._add_parent(values, parent, theirs)
            if owner is not None:
                values[self._owner_column(owner, line)] = 1
            if values[LIKE]:
                values[LIKE_PARENT_OTHER], values[LIKE_PARENT_NEW] = values[PARENT_OTHER], values[PARENT_NEW]
                values[LIKE_OWNER_OTHER], values[LIKE_OWNER_NEW] = values[OWNER_OTHER], values[OWNER_NEW]
            if len(mine) > 1:
                hits = self._count_shared(mine[1:], self._chain(theirs))
                values[ANCESTORS] = (2 * hits - len(mine) + 1) / (len(mine) - 1)
            if names:
                share = self._named_at(line, names)
                values[NAMED] = share
                values[NAMED_NOT] = float(share == 0)
            if told is not None:
                values[TOLD_INSIDE], values[TOLD_OUTSIDE] = float(told[line]), float(not told[line])
            same = original.columns[line] - shown.columns[row] == shift
            values[SHIFT_SAME], values[SHIFT_OTHER] = float(same), float(not same)

    def _add_parent(self, values: list[float], parent: int, theirs: int) -> None:
        """Compares the row that a row stands in with the line that a line stands in; -1 for none."""
        original, shown = self.original, self.shown
        if parent < 0:
            values[PARENT_NONE] = float(theirs < 0)
            return
        if theirs < 0:
            values[PARENT_OTHER] = 1
            return
        identity = shown.identity(parent)
        if original.keys[theirs] == shown.keys[parent] or (
            identity is not None and identity == original.identity(theirs)
        ):
            values[PARENT_SAME] = 1
        elif shown.keys[parent] in original.places or identity in original.identities:
            values[PARENT_OTHER] = 1
        elif Indel.normalized_similarity(shown.stripped[parent], original.stripped[theirs]) > 0.6:
            values[PARENT_LIKE] = 1
        else:
            values[PARENT_NEW] = 1

    def _owner_column(self, owner: Identity, line: int) -> int:
        """Which feature tells how a row's owner compares with that of a line."""
        if owner == self._owner_of(line):
            return OWNER_SAME
        return OWNER_OTHER if owner in self.original.identities else OWNER_NEW

    def _count_shared(self, rows: Sequence[int], chain: set[str | Identity | None]) -> int:
        """How many of the rows have their key or their identity in a chain."""
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
        for row in range(self.num_rows):
            found: Identity | None = None
            at = row
            while at >= 0 and found is None:
                identity = self.shown.identity(at)
                if identity is not None and identity.kind in OWNERS and not self.rows[at].is_blank:
                    found = identity
                at = self.row_parents[at]
            owners.append(found)
        return owners

    def _owner_of(self, line: int) -> Identity | None:
        """The declaration that a line of the original stands in, or is the header of."""
        at = line
        while at >= 0:
            identity = self.original.identity(at)
            if identity is not None and identity.kind in OWNERS:
                return identity
            at = self.original.parents[at]
        return None

    def _ancestors(self, row: int) -> list[int]:
        result, at = [], self.row_parents[row]
        while at >= 0:
            result.append(at)
            at = self.row_parents[at]
        return result

    @cached_property
    def declared_names(self) -> dict[str, list[tuple[int, int]]]:
        """name → the line ranges of the declarations with that name."""
        result: dict[str, list[tuple[int, int]]] = {}
        for one in self.outline.declarations:
            if one.name and one.kind != "import" and one.end_line - one.start_line > 1:
                for part in {one.name, re.split(r"[.:\s]+", one.name)[-1]}:
                    result.setdefault(part, []).append((one.start_line, one.end_line))
        return result

    @cached_property
    def context_names(self) -> list[frozenset[str]]:
        """For each row the declared names that the words before the snippet, or a note above the row, mention."""
        general = frozenset(name for name in self.context.names if name in self.declared_names)
        result: list[frozenset[str]] = []
        local: frozenset[str] | None = None
        for one in self.rows:
            if one.note is not None and one.role("where") > -1.2:
                named = frozenset(name for name in one.names if name in self.declared_names)
                local = named or local
            elif one.role("elide") > -0.7:
                local = None
            result.append(local if local else general)
        return result

    @cached_property
    def told(self) -> Told:
        """Where the words say that the snippet goes."""
        if not self.context.prose:
            return Told()
        found = (self.shown.identity(row) for row in range(self.num_rows))
        shown = (re.split(r"[.:\s]+", one.name)[-1] for one in found if one is not None and one.kind == "decl")
        return PlaceReader(self.original, self.declared_names).told(self.context.prose, frozenset(shown))

    def _named_at(self, line: int, names: frozenset[str]) -> float:
        hits = sum(any(start <= line < end for start, end in self.declared_names[name]) for name in names)
        return hits / len(names)

    def new_row(self, row: int) -> Floats:
        """(len(ROW_NEW),): what speaks for or against the row being new."""
        one = self.rows[row]
        values = np.zeros(len(ROW_NEW), np.float32)
        if one.is_blank:
            values[NEW_BLANK] = 1
            return values
        values[NEW] = 1
        values[NEW_COMMENT] = float(one.note is not None)
        identity = self.shown.identity(row)
        is_outer = identity is not None and identity.kind in ("decl", "import", "heading", "table")
        is_named = is_outer or (identity is not None and identity.kind in ("case", "key", "assign"))
        if is_named and identity in self.original.identities:
            values[NEW_DECLARED] = 1.0 if is_outer else 0.3
        if self.shown.keys[row] in self.original.places:
            values[NEW_KNOWN_TRIVIAL if self.shown.is_trivial[row] else NEW_KNOWN] = 1
        values[NEW_DOTS] = float(one.is_dots)
        pairs = self.pairs[row]
        if len(pairs.lines) and not values[NEW_KNOWN] and not values[NEW_KNOWN_TRIVIAL]:
            values[NEW_LIKE] = max(0.0, float(pairs.features[:, LIKE_BY].max()))
        if one.note is not None:
            values[NEW_NOTE] = min(4.0, -one.role("code"))
        return values

    def listing(self, row: int) -> float:
        """The share of a comment's words that are names of things in the original: `// format, test`."""
        words = [word for word in self.shown.words(row) if len(word) > 1]
        if not words:
            return 0.0
        return sum(self.original.identities.has_name(word) for word in words) / len(words)

    def new_at(self, row: int) -> Floats:
        """`new_table`, remembered where the tables are small."""
        if (self.num_rows + 1) * (self.num_lines + 1) > MAX_REMEMBERED:
            return self.new_table(row)
        if row not in self._new_tables:
            self._new_tables[row] = self.new_table(row)
        return self._new_tables[row]

    def _led_by(self, word: str) -> list[int]:
        """The first lines of the original that begin with a word."""
        if word not in self._led:
            places = self.original.word_places.get(word, ())
            self._led[word] = list(islice((line for line in places if self.original.words(line)[0] == word), 300))
        return self._led[word]

    def new_table(self, row: int) -> Floats:
        """(n + 1, len(NEW_AT)): how well a run of new lines that begins with the row would stand at each position."""
        n = self.num_lines
        column = self.column_of(row)
        before, behind = self.column_before, self.column_behind
        table = np.zeros((n + 1, len(NEW_AT)), np.float32)
        if column is None:
            return table
        fits_before, fits_behind = before == column, behind == column
        fits_opener = self.opens_before & (before < column)
        table[:, FITS_BEFORE] = fits_before
        table[:, FITS_BEHIND] = fits_behind
        table[:, FITS_OPENER] = fits_opener & ~fits_behind
        table[:, FITS_NONE] = ~(fits_before | fits_behind | fits_opener)
        table[:, CAPTURES] = behind > column
        table[:, ENDS_BLOCK] = self.block_ends
        table[-1, ENDS_FILE] = 1
        table[0, BEGINS_FILE] = 1
        table[:, BLANK_BEHIND] = self.is_blank
        table[1:, BLANK_BEFORE] = self.is_blank[:-1]
        identity = self._leading_identity(row)
        kinds = ("decl", "heading", "table", "decorator", "selector", "tag")
        is_declared = identity is not None and identity.kind in kinds
        boundary = self.boundary
        if is_declared:
            table[:, DECLARED_AT_BOUNDARY] = boundary
            table[:, DECLARED_INSIDE] = ~boundary & ~self.block_ends
        else:
            table[:, STATEMENT_AT_BOUNDARY] = boundary & ~fits_before
        first = self.shown.words(row)[:1]
        if first:
            places = self._led_by(first[0])
            ahead = np.zeros(n + 1, bool)
            ahead[places] = True
            if places:
                # Line -1 and line n, of which there are none, are the last of `ahead`: False.
                table[:, FIRST_SAME_BEFORE] = ahead[self._line_before]
                table[:, FIRST_SAME_BEHIND] = ahead[self._line_behind]
            if identity is not None and identity.kind == "import" and places:
                table[:, IMPORT_FAR] = 1 - np.maximum(table[:, FIRST_SAME_BEFORE], table[:, FIRST_SAME_BEHIND])
        self._add_blocks(table, row)
        table[:, DEEPER_THAN_BEFORE] = (before < column) & ~self.opens_before
        return table

    def _add_blocks(self, table: Floats, row: int) -> None:
        """Adds whether positions lie in the block that the row stands in, and in the declarations that words name."""
        n = self.num_lines
        parent = self.row_parents[row]
        extents = self._extents(parent) if parent >= 0 else []
        if extents:
            inside = np.zeros(n + 1, bool)
            for start, end in extents:
                inside[start + 1 : end + 1] = True
            table[:, INSIDE_PARENT], table[:, OUTSIDE_PARENT] = inside, ~inside
        names = self.context_names[row]
        if names:
            share = np.zeros(n + 1, np.float32)
            for name in names:
                covered = np.zeros(n + 1, bool)
                for start, end in self.declared_names[name]:
                    covered[start + 1 : end] = True
                share += covered
            table[:, INSIDE_NAMED] = share / len(names)
            table[:, OUTSIDE_NAMED] = share == 0
        self._add_told(table)

    def _add_told(self, table: Floats) -> None:
        """Adds whether positions are where the words say."""
        told = self.told
        if told.inside is not None:
            inside = np.zeros(self.num_lines + 1, bool)
            inside[1:] = told.inside
            table[:, IN_TOLD], table[:, OUT_TOLD] = inside, ~inside
        if told.at is not None:
            table[:, AT_TOLD], table[:, OFF_TOLD] = told.at, ~told.at

    def _leading_identity(self, row: int) -> Identity | None:
        """What a run of lines that begins with the row declares, its comments and decorators passed over."""
        for at in range(row, min(self.num_rows, row + 12)):
            one = self.rows[at]
            if one.is_blank or one.note is not None:
                continue
            found = self.shown.identity(at)
            if found is None or found.kind != "decorator":
                return found
        return None

    def _extents(self, row: int) -> list[tuple[int, int]]:
        """The blocks of the original that a header in the snippet may mean, as (header, end)."""
        lines = self.original.places.get(self.shown.keys[row], [])
        if not lines:
            identity = self.shown.identity(row)
            lines = self.original.identities.get(identity, []) if identity is not None else []
        return [(line, self.block_end(line)) for line in lines[:20]]

    def block_end(self, line: int) -> int:
        """One behind the last line that stands in the block which a line opens."""
        columns, limit = self.original.columns, self.original.columns[line]
        end = line + 1
        for at in range(line + 1, self.num_lines):
            if columns[at] < 0:
                continue
            if columns[at] <= limit:
                return end
            end = at + 1
        return end


def _is_respaced(mine: str, theirs: str) -> bool:
    """Whether two lines with the same key differ in more than blanks for tabs."""
    return mine != theirs and not ("\t" in mine + theirs and " ".join(mine.split()) == " ".join(theirs.split()))


def _looseness(mine: str, theirs: str) -> int:
    """1 where a line is quoted without its comment or its last comma, 2 where it is abbreviated, 0 elsewhere."""
    if DOTS.search(mine) and not DOTS.search(theirs):
        parts = [part.strip() for part in re.split(r"/\*[^*]*(?:\.{3,}|…)[^*]*\*/|\.{3,}|…", mine)]
        if sum(map(len, parts)) >= 4:
            pattern = ".*".join(re.escape(part).replace(r"\ ", r"\s*") for part in parts)
            if re.fullmatch(pattern, theirs, re.DOTALL):
                return 2
            if parts[-1] and theirs.startswith(parts[0]) and re.match(pattern, theirs):
                return 2
    bare = _PUNCTUATION.sub("", _LINE_COMMENT.sub("", theirs))
    if bare and bare != theirs and not mine.endswith((",", ";")):
        key = "".join(_PUNCTUATION.sub("", mine).split())
        if "".join(bare.split()) == key:
            return 1
    if mine.replace("'", '"').replace(" ", "") == theirs.replace("'", '"').replace(" ", ""):
        return 1
    return 0


__all__ = ["FEATURES", "INDEX", "Context", "Grid", "identity_of"]
