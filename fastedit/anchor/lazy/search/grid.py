"""One snippet beside one original: the search's grid of rows and positions, and every fact about them.

A snippet has rows 0..m-1, the original positions 0..n (position p lies before line p). The facts are the `features`;
`search` adds up what they are worth. What a position is like by itself doesn't depend on the snippet: see `positions`.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.features import (
    LIKE,
    LIKE_BY,
    SAME,
)  # fmt: skip
from fastedit.anchor.lazy.identity import Identity, opens
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.search.fold import MAX_CELLS, NUM_STATES, Fold
from fastedit.anchor.lazy.search.pairs import NOT_CODE, Pairing, Pairs
from fastedit.anchor.lazy.search.positions import Positions
from fastedit.anchor.lazy.search.rows import Row
from fastedit.anchor.lazy.search.steps import NewLines
from fastedit.anchor.lazy.words.asides import NO_ASIDES, Asides
from fastedit.anchor.lazy.words.phrases import Intent, intent_of
from fastedit.anchor.lazy.words.places import PlaceReader, Told
from fastedit.errors import Code, InputRefused
from fastedit.patterns import pattern
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import PageErrors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

HEADING = frozenset({"decl", "key", "selector"})  # what opens a block
FUNCTION = pattern(r"^[\w:<>,*&\[\]\s+()-]*?[\s*&:)](?P<name>[A-Za-z_]\w*)\s*[(:][^;=]*$")  # of C and its like
CONTROL = frozenset("if for while switch catch return else with until unless match when".split())
MAX_LEADING = 30  # rows of comments before what they speak of
MAX_SECONDS = 10.0  # for all searches of an edit, of the processor's time: others may keep the machine busy
CALLS_A_CHECK = 8
COUNTED = 30  # so many lines jumped over at once are far, more are no farther
MORE_THAN_ANY = np.float32(400)  # deleted lines: what a gap counts as, which must not be deleted
MIN_WHERE = -1.2  # log odds of a note that tells a place
MIN_MARKER = -0.7  # of one that stands for code


@dataclass(frozen=True, slots=True)
class Context:
    """All that the words around a snippet say.

    names: what they mention as code; removed: what they say is gone; kept: keys of lines that they say stay; prose: the
    words before it; earlier: those before the snippets above it; behind: words below it that may tell where it goes;
    asides: what the message says of signs in snippets.
    """

    names: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    prose: str = ""
    earlier: str = ""
    behind: str = ""
    asides: Asides = NO_ASIDES


class Grid(Positions):
    """The features of all steps between one snippet and one original."""

    def __init__(
        self,
        original: Lines,
        rows: Sequence[Row],
        found: Outline,
        context: Context,
        fold: Fold | None = None,
        errors: Callable[[], PageErrors] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(original, found, any(row.role("elide") > NOT_CODE for row in rows))
        self.rows = list(rows)
        self.shown = Lines([row.text for row in rows])
        self.context = context
        self.num_rows = len(rows)
        self.fold = fold
        self.new = NewLines(self)
        self.indents: dict[tuple[int, int], str] = {}  # see `Columns.indent`
        self._errors = errors
        self.clock = clock or Clock()
        self.clock.check_size(self.num_rows, self.num_lines)

    @cached_property
    def errors(self) -> PageErrors:
        """The parse errors of the original, unfolded, and of what becomes of it."""
        return self._errors() if self._errors else PageErrors(self.original.texts, self.outline.language)

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

    # ---- the lines of the original beside the snippet -----------------------------------------------------------

    def _counted(self, columns: Sequence[NDArray[np.float32]]) -> Floats:
        """(n + 1, k): sums of per-line features over the lines before each position."""
        table = np.zeros((self.num_lines + 1, len(columns)), np.float64)
        if self.num_lines:
            table[1:] = np.cumsum(np.stack(columns, axis=1), axis=0)
        return table.astype(np.float32)

    @cached_property
    def line_facts(self) -> dict[str, NDArray[np.float32]]:
        """Per line: blank, comment, trivial, header, shown, like a row, said to go or to be replaced, doc, stays."""
        n = self.num_lines
        names = "blank comment trivial header shown like said doc stays replaced".split()
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
        if self.told.replaced is not None:
            facts["replaced"] = self.told.replaced
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
        f = self.line_facts
        full = 1 - f["blank"]
        plain = full * (1 - f["comment"]) * (1 - f["trivial"]) + MORE_THAN_ANY * (self._left_out > 0).astype(np.float32)
        rest = "blank comment trivial header shown said like stays".split()
        told = [full * value for value in (self.intent.adds, self.intent.placed)]
        return self._counted([plain, *(f[name] for name in rest), *told, full * f["doc"], f["replaced"]])

    @cached_property
    def jumped_lines(self) -> Floats:
        """(n + 1, len(JUMPED_LINE)), summed up."""
        f = self.line_facts
        full = 1 - f["blank"]
        plain = full * (1 - f["doc"]) + np.minimum(self._left_out, COUNTED)
        return self._counted([plain, f["header"], f["shown"], f["doc"], f["like"]])

    def elided_lines(self, row: int) -> Floats:
        """(n + 1, len(MARKED_LINE) + 1), summed up; the last column counts where the lines leave the marker's block."""
        f = self.line_facts
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

    @cached_property
    def line_opens(self) -> Floats:
        """(n,): how much more each line opens than it closes."""
        language = self.outline.language
        return np.array([opens(text, language) for text in self.original.stripped], np.float32)

    # ---- the snippet's rows -------------------------------------------------------------------------------------

    @cached_property
    def row_opens(self) -> Floats:
        """(m,): how much more each row opens than it closes."""
        return np.array([opens(text, self.outline.language) for text in self.shown.stripped], np.float32)

    @cached_property
    def row_parents(self) -> list[int]:
        """For each row the row that it stands in, see `Lines.depths`; markers and notes are none."""
        parents: list[int] = []
        stack: list[int] = []
        depths = self.shown.depths
        for row, one in enumerate(self.rows):
            if one.is_blank:
                parents.append(stack[-1] if stack else -1)
                continue
            while stack and depths[stack[-1]] >= depths[row]:
                stack.pop()
            parents.append(stack[-1] if stack else -1)
            text = self.shown.stripped[row]
            is_code = one.role("code") > -0.7 and not one.is_dots
            if is_code and not (text[0] in ")]}" and len(text) <= 3):
                stack.append(row)
        return parents

    @cached_property
    def shift(self) -> int:
        """The columns that the original's lines stand further right than the snippet's, as most equal lines say."""
        counts: dict[int, float] = {}
        for row in range(self.num_rows):
            places = self.original.places.get(self.shown.keys[row], ())
            if places and len(places) <= 3 and not self.shown.is_trivial[row]:
                for line in places:
                    shift = self.original.columns[line] - self.shown.columns[row]
                    counts[shift] = counts.get(shift, 0.0) + 1 / len(places)
        return max(counts, key=lambda shift: (counts[shift], -abs(shift)), default=0)

    @cached_property
    def row_shifts(self) -> list[int]:
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
        return None if columns < 0 else max(0, columns + self.row_shifts[row])

    @cached_property
    def pairs(self) -> list[Pairs]:
        """For each row the lines that it may stand for, see `PAIR`."""
        pairing = Pairing(self)
        return [pairing.of(row) for row in range(self.num_rows)]

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
            if one.note is not None and one.role("where") > MIN_WHERE:
                named = frozenset(name for name in one.names if name in self.declared_names)
                local = named or local
            elif one.role("elide") > MIN_MARKER:
                local = None
            result.append(local if local else general)
        return result

    @cached_property
    def told(self) -> Told:
        """The places where the words say that the snippet goes."""
        context, reader, own = self.context, self._place_reader, self._declared_in_it
        told = reader.told(context.prose, own, context.earlier, self._first_texts()) if context.prose else Told()
        if told.at is not None or told.inside is not None or not context.behind:
            return told
        behind = reader.told(context.behind, own, f"{context.earlier}\n{context.prose}", self._first_texts())
        return replace(behind, replaced=told.replaced) if behind.at is not None or behind.near is not None else told

    @cached_property
    def told_by_row(self) -> list[Told]:
        """For each row the places that a note above it in the snippet tells, else those that the words before tell."""
        result: list[Told] = []
        local: Told | None = None
        for number, one in enumerate(self.rows):
            if one.note is not None and one.role("where") > MIN_WHERE:
                first = self._first_texts(number + 1)
                found = self._place_reader.told(self._quoting(one), self._declared_in_it, "", first)
                is_told = found.inside is not None or found.at is not None
                local = found if is_told else local
            elif one.role("elide") > MIN_MARKER:
                local = None
            result.append(local if local is not None else self.told)
        return result

    def _quoting(self, row: Row) -> str:
        """The words of a note with the names of declarations quoted, as prose has them: "after `load`"."""
        names = [name for name in row.names if name in self.declared_names]
        if not names or row.note is None or "`" in row.note:
            return row.note or ""
        return re.sub(rf"(?<![\w$])({'|'.join(map(re.escape, names))})(?![\w$])", r"`\1`", row.note)

    def _first_texts(self, start: int = 0) -> list[str]:
        """The first line that the snippet shows from a row on, and the comments above it."""
        rows = [row for row in self.rows[start:] if not row.is_blank]
        size = next((number + 1 for number, row in enumerate(rows) if row.note is None), 0)
        return [row.text.strip() for row in rows[:size]]

    @cached_property
    def _place_reader(self) -> PlaceReader:
        return PlaceReader(self.original, self.declared_names)

    @cached_property
    def _declared_in_it(self) -> frozenset[str]:
        """The names that the snippet declares."""
        found = (self.shown.identity(row) for row in range(self.num_rows))
        return frozenset(re.split(r"[.:\s]+", one.name)[-1] for one in found if one is not None and one.kind == "decl")

    @cached_property
    def intent(self) -> Intent:
        """The change that the words before the snippet announce."""
        return intent_of(self.context.prose)

    def listing(self, row: int) -> float:
        """The share of a comment's words that are names of things in the original: `// format, test`."""
        words = [word for word in self.shown.words(row) if len(word) > 1]
        if not words:
            return 0.0
        return sum(self.original.identities.has_name(word) for word in words) / len(words)

    def rows_of_new_blocks(self) -> frozenset[int]:
        """The rows of the blocks whose headers declare what the original has nowhere, but for blank ones."""
        columns = self.shown.columns
        known = {one.name.rpartition(".")[2] for one in self.outline.declarations}
        result: set[int] = set()
        for row in range(self.num_rows):
            name = "" if row in result or columns[row] < 0 else self._declared_by(row)
            if not name or name in known:
                continue
            block = [row]
            for at in range(row + 1, self.num_rows):
                if 0 <= columns[at] <= columns[row] and self.shown.stripped[at][0] not in "{)]}":
                    break
                if columns[at] >= columns[row]:
                    block.append(at)
            result.update(block if len(block) > 1 else ())
        return frozenset(result)

    def _declared_by(self, row: int) -> str:
        """The name that a row declares which may open a block; "" where it does no such thing."""
        found, text = self.shown.identity(row), self.shown.stripped[row]
        if found is not None:
            is_new = found.kind in HEADING and found not in self.original.identities
            return found.name.rpartition(".")[2] if is_new else ""
        header = FUNCTION.search(text)
        return header["name"] if header is not None and header["name"] not in CONTROL else ""

    def leading_identity(self, row: int) -> Identity | None:
        """The identity of a run of lines that begins with the row, its comments and decorators passed over."""
        for at in range(row, min(self.num_rows, row + MAX_LEADING)):
            one = self.rows[at]
            if one.is_blank or one.note is not None:
                continue
            found = self.shown.identity(at)
            is_comment = found is None and self.shown.is_comment(at)
            if not is_comment and (found is None or found.kind != "decorator"):
                return found
        return None


class Clock:
    """Refuses an edit that takes too long to read, or whose tables would take too much memory."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = MAX_SECONDS if seconds is None else seconds
        self._end = time.thread_time() + self._seconds
        self._num_checks = 0

    def check(self, num_rows: int, num_lines: int) -> None:
        """Raises InputRefused once the time is up; looks at the time, which isn't free, in one of eight calls."""
        self._num_checks += 1
        if self._num_checks % CALLS_A_CHECK == 1 and time.thread_time() > self._end:
            raise InputRefused(
                Code.TOO_LARGE,
                f"reading {num_rows} lines of the edit against {num_lines} of the file takes longer than "
                f"{self._seconds:g} s of the processor's time",
            )

    @staticmethod
    def check_size(num_rows: int, num_lines: int) -> None:
        """Raises InputRefused where a search would have too many cells."""
        if (num_rows + 1) * (num_lines + 1) * NUM_STATES > MAX_CELLS:
            raise InputRefused(
                Code.TOO_LARGE,
                f"the edit shows {num_rows} lines for {num_lines} lines of the file: too many to compare "
                f"(the limit is {MAX_CELLS // NUM_STATES} pairs)",
            )
