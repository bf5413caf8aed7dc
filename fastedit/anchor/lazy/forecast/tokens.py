"""A message and its original as the forecast reads them: the rows, and the lines that they may be about, with facts.

Rows, lines and pairs have the facts that the search has of them (`grid`, `steps`, `pairs`), and a few of their own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.hints import Hints, name_of
from fastedit.anchor.lazy.features import BACK, JUNCTION, LANDED, LEFT, LIKE, LIKE_BY, MARKER, NOTE, PAIR, ROW_NEW, SAME
from fastedit.anchor.lazy.forecast.sentences import lines_named, sentences_around
from fastedit.anchor.lazy.identity import Identity
from fastedit.anchor.lazy.lines import WORD, Lines
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.rows import names_in
from fastedit.anchor.lazy.search.steps import StepFacts
from fastedit.anchor.lazy.words.comments import log_odds
from fastedit.anchor.lazy.words.mentions import ROLES, Mention, Mentioned, lines_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_KINDS = (
    "decl", "import", "assign", "key", "call", "case", "heading", "table", "decorator", "selector", "tag", "entry",
    "arm", "none",
)  # fmt: skip
_KIND_AT = {name: at for at, name in enumerate(_KINDS)}
_COMMENT_ROLES = ("code", "elide", "where", "new", "gone")
# Of a sentence of the message, which is a row, too.
_PROSE_FACTS = (
    "is_prose", "near", "is_behind", "is_item", "num_names", "known", "shown", "says_gone", "is_long"
)  # fmt: skip
# Of a sentence and a line: how rare the rarest name is that both have, a quoted or a plain one; whether the line is the
# first one of a declaration that the sentence names, or inside of one. said_...: how likely the sentence says so of a
# name in the line, said_around_...: of a declaration that the line is in.
_NAMED = (
    "prose", "prose_named", "prose_plainly", "prose_declares", "prose_inside",
    *(f"said_{role}" for role in ROLES), *(f"said_around_{role}" for role in ROLES),
)  # fmt: skip
_LINE_FACTS = (
    "blank", "comment", "trivial", "header", "shown", "like", "said", "doc", "stays", "replaced"
)  # fmt: skip
ROW_FACTS: tuple[str, ...] = (
    "is_blank", "is_dots", "is_part", "is_quoted", "is_whole", "places", "is_trivial", "is_first", "is_last", "before",
    "behind", "column", "opens", "is_note", "adds", "changes", "has_markers", "snippets", "is_shifted", "named",
    "removed", "in_named", "length", *(f"role_{name}" for name in _COMMENT_ROLES), *(f"kind_{name}" for name in _KINDS),
    *ROW_NEW, *MARKER, *NOTE, *JUNCTION, *BACK, *_PROSE_FACTS,
)  # fmt: skip
_ROLES_AT = ROW_FACTS.index(f"role_{_COMMENT_ROLES[0]}")
LINE_FACTS: tuple[str, ...] = (
    "same", "most_like", "rows", "named", "removed", "is_trivial", "column", "opens", "is_comment", "places", "part",
    "is_top", "is_end", *(f"kind_{name}" for name in _KINDS), *_LINE_FACTS,
    "told_inside", "told_any", "told_at", "told_place", "told_near", "told_replaced", *LANDED, *LEFT,
    "breaks_before", "breaks_behind",
)  # fmt: skip
NUM_OWN = LINE_FACTS.index("is_end") + 1
PAIR_FACTS: tuple[str, ...] = (*PAIR, *_NAMED)
# Of a row and a line: whether the row's column is that of what stands above, or below, the position before the line,
# or further right or left of it; whether both are the same, or the ones above them, or the ones below them are.
# in_order: it would be in the alphabet's order there; in_their_order: in that of the lines around. kin_above,
# kin_below: what stands above or below has the row's column and begins with the same word, or is of the same kind.
# in_block: that position is in a block of the original that the row stands in as the snippet shows it; off_block: it is
# out of all of them; block_start, block_end: one starts or ends there.
FITS = (
    "above", "below", "right_of_above", "left_of_below", "same", "same_above", "same_below", "in_order",
    "in_their_order", "kin_above", "kin_below", "in_block", "off_block", "block_start", "block_end",
)  # fmt: skip
_BEFORE_WORDS = "\"'`-*([{<@ "
MAX_LINES, SPREAD = 480, 10  # lines that are looked at, and how many around each that may be meant
HEAD, END = 8, 6  # lines that always are
MAX_ROWS = 300
MAX_PAIRS = 60  # lines that a row may stand for, or a sentence be about
MAX_NAMED = 12  # lines with a name in them, that it may mean one of them
MAX_DECLARED, MAX_INSIDE = 3, 30  # declarations of a name, and lines of each, that a sentence may be about
# Of a row and a sentence: whether the sentence names what is in the row; stands before its snippet, or behind the last
# one; whether nothing stands between, and whether it is the first one behind the row's snippet; whether the sentence
# says of a name in the row that it is new, goes, changes. Of two rows: whether the first stands in the second, or the
# second in the first.
TIES = ("named", "around", "next", "behind", "named_new", "named_gone", "named_changed", "within", "holds")
_TIED_ROLES = (("new",), ("gone", "old"), ("changed", "inside"))
LIKELY = 0.4  # chance of a role from which on it ties
LIKELIEST = 3  # lines that a row is most like
MAX_BLOCKS, BLOCK_END = 3, 0.9  # blocks that a row may stand in whose ends are looked at, and what an end is worth


@dataclass(frozen=True, slots=True)
class Tokens:
    """The rows of a message and the lines of the original that it may be about, as the network reads them.

    Behind the rows of code are the sentences. rows: (R, len(ROW_FACTS)); lines: (N, len(LINE_FACTS)), the last one for
    the end where the file's end is near. numbers: (N,), the original's line for each, ascending. pairs: (P, 2), rows
    and lines that they may stand for, or name; pair_facts: (P, len(PAIR_FACTS)). fits: (R, N, len(FITS)). ties:
    (R, R, len(TIES)). snippets: (R,), the number of each row's snippet. row_keys, line_keys: without white space, ""
    for blank ones and sentences.
    """

    rows: Floats
    lines: Floats
    numbers: NDArray[np.int32]
    pairs: NDArray[np.int32]
    pair_facts: Floats
    fits: NDArray[np.bool_]
    ties: NDArray[np.bool_]
    snippets: NDArray[np.int32]
    row_keys: tuple[str, ...]
    line_keys: tuple[str, ...]


def tokens_of(
    of_snippets: Sequence[Grid | None], hints: Hints, pieces: Sequence[str], named: Mentioned
) -> Tokens | None:
    """The tokens of a message; None where it shows too many rows, or none.

    of_snippets: the grid of each snippet, all with the same lines; None for one without rows. pieces: the words before
    each snippet, and those behind the last one; named: the names in these.
    """
    grids = [grid for grid in of_snippets if grid is not None]
    num_rows = sum(grid.num_rows for grid in grids)
    if not grids or not 0 < num_rows <= MAX_ROWS:
        return None
    sentences = _Sentences(grids, of_snippets, pieces, named)
    rows = np.concatenate([*(_row_facts(grid, len(of_snippets)) for grid in grids), sentences.facts()])
    pairs, facts = _pairs(grids)
    about, about_facts = sentences.pairs(num_rows)
    lines = _LineReader(grids, pairs, facts, names_in("\n".join(pieces)) | hints.removed, hints.removed)
    lines.add_named(about, about_facts)
    pairs, facts = np.concatenate([pairs, about]), np.concatenate([facts, about_facts])
    chosen = lines.chosen()
    at = np.full(grids[0].num_lines + 1, -1, np.int32)
    at[chosen] = np.arange(len(chosen))
    near = at[pairs[:, 1]] >= 0
    pairs, facts = pairs[near], facts[near]
    pairs[:, 1] = at[pairs[:, 1]]
    keys = [*grids[0].original.keys, ""]
    starts = grids[0].fold.starts if grids[0].fold is not None else range(grids[0].num_lines + 1)
    snippets = np.repeat(np.arange(len(grids), dtype=np.int32), [grid.num_rows for grid in grids])
    code_keys = (
        "" if row.is_blank else key for grid in grids for row, key in zip(grid.rows, grid.shown.keys, strict=True)
    )
    return Tokens(
        rows,
        lines.facts(chosen),
        np.array([starts[line] for line in chosen.tolist()], np.int32),
        pairs,
        facts,
        _fits(grids, len(rows), chosen, pairs, facts),
        sentences.ties(snippets),
        np.concatenate([snippets, sentences.snippets]),
        (*code_keys, *("" for _ in sentences.found)),
        tuple(keys[line] for line in chosen.tolist()),
    )


class _Sentences:
    """The sentences of a message as rows, with what they name.

    of_snippets, pieces: see `tokens_of`. snippets: (S,), the number of the grid that each stands before.
    """

    def __init__(
        self, grids: Sequence[Grid], of_snippets: Sequence[Grid | None], pieces: Sequence[str], named: Mentioned
    ) -> None:
        self.grids, self.original = grids, grids[0].original
        self.found = sentences_around(pieces)
        numbers = np.cumsum([grid is not None for grid in of_snippets]) - 1  # the last grid up to each snippet
        at = [numbers[one.snippet] + (of_snippets[one.snippet] is None and not one.is_behind) for one in self.found]
        self.snippets = np.array(at, np.int32).clip(0, len(grids) - 1)
        self.row_words = [frozenset(grid.shown.words(row)) for grid in grids for row in range(grid.num_rows)]
        self.mentions: list[list[tuple[Mention, Floats]]] = [[] for _ in self.found]
        for mention, chances in zip(named.mentions, named.chances, strict=True):
            for number, one in enumerate(self.found):
                if one.piece == mention.piece and one.start <= mention.start < one.start + len(one.text):
                    self.mentions[number].append((mention, chances))
        self.shown = [frozenset().union(*(grid.shown.words(row) for row in range(grid.num_rows))) for grid in grids]

    def facts(self) -> Floats:
        """(S, len(ROW_FACTS))."""
        facts = np.zeros((len(self.found), len(ROW_FACTS)), np.float32)
        known = self.original.word_places
        for at, one in enumerate(self.found):
            names, shown = one.names, self.shown[self.snippets[at]]
            most = max(1, len(names))
            odds = log_odds(one.text)
            told = [max(-6.0, odds[role]) / 3 for role in _COMMENT_ROLES]
            facts[at, _ROLES_AT : _ROLES_AT + len(told)] = told
            facts[at, -len(_PROSE_FACTS) :] = (
                1, math.log1p(one.near) / 2, one.is_behind, one.is_item, min(1.5, len(names) / 3),
                sum(name in known for name in names) / most, len(names & shown) / most, one.says_gone,
                min(1.5, len(one.text) / 120),
            )  # fmt: skip
        return facts

    def pairs(self, first: int) -> tuple[NDArray[np.int32], Floats]:
        """(P, 2) and (P, len(PAIR_FACTS)): the sentences with lines that they name, or lines inside of what they name.

        first: the number of the first sentence's row.
        """
        pairs, facts = [], []
        declared: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for one in self.grids[0].outline.declarations:
            declared[one.name].append((one.header_line, one.start_line, one.end_line))
        for number, sentence in enumerate(self.found):
            empty = [0.0] * (2 * len(ROLES))
            values = {
                line: [1.0, *told, 0.0, 0.0, *empty]
                for line, told in lines_named(sentence, self.original, MAX_NAMED).items()
            }
            for name in sentence.names:
                for header, start, end in declared.get(name, ())[:MAX_DECLARED]:
                    for line in range(start, min(end, start + MAX_INSIDE)):
                        told = values.setdefault(line, [1.0, 0.0, 0.0, 0.0, 0.0, *empty])
                        told[3], told[4] = max(told[3], line == header), 1
            for mention, chances in self.mentions[number]:
                lines = lines_of(mention, self.original, MAX_NAMED)
                self._add_said(values, lines, chances / max(1, len(lines)) ** 0.5, 0)
                inside: set[int] = set()
                for header, start, end in declared.get(name_of(mention.text), ())[:MAX_DECLARED]:
                    inside.update(line for line in range(start, min(end, start + MAX_INSIDE)) if line != header)
                self._add_said(values, sorted(inside), chances, len(ROLES))
            for line, told in sorted(values.items())[:MAX_PAIRS]:
                pairs.append((first + number, line))
                facts.append(told)
        table = np.zeros((len(pairs), len(PAIR_FACTS)), np.float32)
        if facts:
            table[:, len(PAIR) :] = facts
        return np.array(pairs, np.int32).reshape(-1, 2), table

    @staticmethod
    def _add_said(values: dict[int, list[float]], lines: Sequence[int], chances: Floats, first: int) -> None:
        """Notes of lines how likely a sentence says what of them. first: 0, or the number of roles: around them."""
        start = len(_NAMED) - 2 * len(ROLES) + first
        for line in lines:
            told = values.setdefault(line, [1.0, *[0.0] * (len(_NAMED) - 1)])
            for at, chance in enumerate(chances.tolist(), start):
                told[at] = max(told[at], chance)

    def ties(self, snippets: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(R, R, len(TIES)), see there. snippets: the number of the snippet of each row of code."""
        first = len(snippets)
        ties = np.zeros((first + len(self.found),) * 2 + (len(TIES),), bool)
        for number, one in enumerate(self.found):
            row = first + number
            mine = np.flatnonzero(snippets == self.snippets[number])
            at = [other for other, words in enumerate(self.row_words) if words & one.names]
            above = mine if one.is_behind else np.flatnonzero(snippets == self.snippets[number] - 1)
            is_next = not one.near and not one.is_behind
            tied: list[Sequence[int] | NDArray[np.intp]] = [
                at,
                mine,
                mine if is_next else [],
                above if one.is_first else [],
            ]
            for roles in _TIED_ROLES:
                words = self._words_said(number, roles)
                tied.append([other for other, theirs in enumerate(self.row_words) if theirs & words])
            for kind, rows in enumerate(tied):
                ties[rows, row, kind] = ties[row, rows, kind] = True
        first = 0
        for grid in self.grids:
            for number, parent in enumerate(grid.row_parents):
                if parent >= 0:
                    row, header = first + number, first + parent
                    ties[row, header, TIES.index("within")] = ties[header, row, TIES.index("holds")] = True
            first += grid.num_rows
        return ties

    def _words_said(self, number: int, roles: Sequence[str]) -> frozenset[str]:
        """The words of the names in a sentence that likely have one of these roles."""
        at = [ROLES.index(role) for role in roles]
        named = [one.text for one, chances in self.mentions[number] if chances[at].sum() >= LIKELY]
        return frozenset(word for text in named for word in WORD.findall(text))


def _kind(identity: Identity | None) -> str:
    return "none" if identity is None else identity.kind


def _row_facts(grid: Grid, num_snippets: int) -> Floats:
    """(m, len(ROW_FACTS)) of a snippet's rows."""
    steps = StepFacts(grid)
    context = grid.context
    result = []
    for number, row in enumerate(grid.rows):
        column, words = grid.column_of(number), set(grid.shown.words(number))
        kind = _kind(grid.shown.identity(number))
        behind = grid.num_rows - 1 - number
        values = [
            row.is_blank, row.is_dots, row.is_part, row.is_quoted, row.whole is not None,
            min(3.0, math.log1p(len(grid.original.places.get(grid.shown.keys[number], ())))),
            grid.shown.is_trivial[number], number == 0, not behind, min(1.0, number / 20), min(1.0, behind / 20),
            min(1.5, max(0, grid.shown.columns[number]) / 16), min(3.0, max(-3.0, float(grid.row_opens[number]))),
            row.note is not None, grid.intent.adds, grid.intent.changes, grid.has_markers, math.log1p(num_snippets),
            grid.row_shifts[number] != grid.shift if column is not None else 0.0,
            bool(words & context.names), bool(words & context.removed), bool(grid.context_names[number]),
            min(2.0, math.log1p(len(grid.shown.texts[number])) / 4),
            *(max(-6.0, row.role(name)) / 3 for name in _COMMENT_ROLES), *(name == kind for name in _KINDS),
        ]  # fmt: skip
        steps_told = (steps.marker_row(number), steps.note_row(number), steps.junction(number), steps.back_row(number))
        result.append(np.concatenate([np.array(values, np.float32), grid.new.row(number), *steps_told]))
    return np.pad(np.stack(result).astype(np.float32), ((0, 0), (0, len(_PROSE_FACTS))))


def _pairs(grids: Sequence[Grid]) -> tuple[NDArray[np.int32], Floats]:
    """(P, 2) and (P, len(PAIR_FACTS)): the rows that aren't blank with the lines that they may stand for."""
    pairs, facts, before = [np.zeros((0, 2), np.int32)], [np.zeros((0, len(PAIR)), np.float32)], 0
    for grid in grids:
        for number, row in enumerate(grid.rows):
            found = grid.pairs[number]
            if not row.is_blank and len(found.lines):
                lines = np.asarray(found.lines[:MAX_PAIRS], np.int32)
                pairs.append(np.stack([np.full_like(lines, before + number), lines], axis=1))
                facts.append(found.features[:MAX_PAIRS])
        before += grid.num_rows
    table = np.concatenate(facts).astype(np.float32)
    return np.concatenate(pairs), np.pad(table, ((0, 0), (0, len(PAIR_FACTS) - len(PAIR))))


def _fits(
    grids: Sequence[Grid], num_rows: int, chosen: NDArray[np.int64], pairs: NDArray[np.int32], facts: Floats
) -> NDArray[np.bool_]:
    """(R, N, len(FITS)), see there."""
    grid = grids[0]
    columns = [-1 if (column := one.column_of(row)) is None else column for one in grids for row in range(one.num_rows)]
    columns += [-1] * (num_rows - len(columns))
    mine = np.array(columns, np.int32)[:, None]
    above, below, is_code = grid.column_before[chosen], grid.column_behind[chosen], mine >= 0
    same = np.zeros((len(columns) + 2, len(chosen) + 2), bool)
    equal = pairs[facts[:, SAME] > 0]
    same[equal[:, 0] + 1, equal[:, 1] + 1] = True
    tables = (mine == above) & is_code, (mine == below) & is_code, (mine > above) & is_code, (mine < below) & is_code
    around = *_in_order(grids, mine, chosen), *_kin(grids, mine, chosen)
    told = np.stack([*tables, same[1:-1, 1:-1], same[:-2, :-2], same[2:, 2:], *around], axis=-1)
    return np.concatenate([told, _in_blocks(grids, num_rows)[:, chosen]], axis=-1)


def _kin(
    grids: Sequence[Grid], columns: NDArray[np.int32], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(R, N) twice: whether the line above a position, and the one below it, are of a row's kind.

    columns: (R, 1), of the rows, -1 for what is none.
    """
    grid = grids[0]
    numbers: dict[str, int] = {"": -1}  # of leading words, and of kinds

    def kinds_of(lines: Lines, line: int) -> tuple[int, int]:
        word, kind = (*lines.words(line)[:1], "")[0], _kind(lines.identity(line))
        found = word, "" if kind == "none" else f"{kind}:"
        mine, theirs = (numbers.setdefault(one, len(numbers)) for one in found)
        return mine, theirs

    rows = [kinds_of(one.shown, row) for one in grids for row in range(one.num_rows)]
    of_rows = np.array([*rows, *[(-1, -1)] * (len(columns) - len(rows))], np.int32)[:, None]  # (R, 1, 2)
    around = np.stack([np.array(grid.line_before)[chosen], np.array(grid.line_behind)[chosen]])  # (2, N)
    is_line = (around >= 0) & (around < grid.num_lines)
    of_lines = {line: kinds_of(grid.original, line) for line in np.unique(around[is_line]).tolist()}
    theirs = np.array([of_lines.get(line, (-1, -1)) for line in around.flat], np.int32).reshape(2, 1, -1, 2)
    at = np.where(is_line, np.array([*grid.original.columns, -1])[around], -2)[:, None]
    is_kin = ((of_rows == theirs) & (of_rows >= 0)).any(axis=-1) & (at == columns)
    return is_kin[0], is_kin[1]


def _in_blocks(grids: Sequence[Grid], num_rows: int) -> NDArray[np.bool_]:
    """(R, n + 1, 4): whether positions are in a block that a row stands in, or off it; where these start and end.

    All are False for rows that stand in none that the original has.
    """
    result = np.zeros((num_rows, grids[0].num_lines + 1, 4), bool)
    first = 0
    for grid in grids:
        for row, parent in enumerate(grid.row_parents):
            blocks = grid.new.blocks(parent) if parent >= 0 else []
            inside = result[first + row]
            for header, end in blocks:
                inside[header + 1 : end + 1, 0] = inside[header + 1, 2] = inside[end, 3] = True
            if blocks:
                inside[:, 1] = ~inside[:, 0]
        first += grid.num_rows
    return result


def _in_order(
    grids: Sequence[Grid], columns: NDArray[np.int32], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(R, N) twice: whether a row would be in the alphabet's order before a line, and whether those around it are.

    columns: (R, 1), of the rows, -1 for what is none. Only lines at the same column as the row tell.
    """
    grid = grids[0]
    original, before, behind = grid.original, np.array([*grid.line_before, -1]), np.array(grid.line_behind)
    last, following = before[chosen], behind[chosen]
    around = np.stack([before[last], last, following, behind[np.minimum(following + 1, grid.num_lines)]])  # (4, N)
    is_line = (around >= 0) & (around < grid.num_lines)
    texts = [original.stripped[line] if known else "" for line, known in zip(around.flat, is_line.flat, strict=True)]
    rows = [text for one in grids for text in one.shown.stripped]
    texts += [*rows, *("" for _ in range(len(columns) - len(rows)))]
    _, ranks = np.unique([text.lstrip(_BEFORE_WORDS).lower() for text in texts], return_inverse=True)
    lines, mine = ranks[: around.size].reshape(around.shape), ranks[around.size :, None]
    at = np.where(is_line, np.array([*original.columns, -1])[around], -2)
    above, below = (at[number] == columns for number in (1, 2))  # (R, N)
    fits = (above | below) & (~above | (lines[1] < mine)) & (~below | (mine < lines[2])) & (columns >= 0)
    pairs = [(at[a] == at[a + 1], lines[a] < lines[a + 1]) for a in range(3)]
    is_sorted = np.all([~together | ordered for together, ordered in pairs], axis=0)
    is_sorted &= np.any([together for together, _ in pairs], axis=0)
    return fits, fits & is_sorted


class _LineReader:
    """Tells of the lines of the original what all snippets say of them, and which are worth a look.

    pairs, facts: see `_pairs`. names, removed: what the words name, and of these what they say is gone.
    """

    def __init__(
        self,
        grids: Sequence[Grid],
        pairs: NDArray[np.int32],
        facts: Floats,
        names: frozenset[str],
        removed: frozenset[str],
    ) -> None:
        self.grids, self.grid, self.original = grids, grids[0], grids[0].original
        self.names, self.removed = names, removed
        n = self.grid.num_lines
        rows, lines = pairs[:, 0], pairs[:, 1]
        trivial = np.array([flag for grid in grids for flag in grid.shown.is_trivial], bool)
        shares = 1 / np.maximum(1, np.bincount(rows, minlength=len(trivial)))[rows]
        is_same = facts[:, SAME] > 0
        self.same, self.count = np.zeros(n, np.float32), np.zeros(n, np.float32)
        np.add.at(self.same, lines[is_same], shares[is_same])
        np.add.at(self.count, lines[is_same], 1)
        self.like, self.worth = np.zeros(n, np.float32), np.zeros(n + 1, np.float32)
        np.maximum.at(self.like, lines[~is_same], facts[~is_same, LIKE_BY] + 0.5)
        telling = is_same & ~trivial[rows]
        np.maximum.at(self.worth, lines[telling], 1 + 3 * shares[telling])
        self._add_likeliest(rows, lines, np.where(facts[:, LIKE] > 0, facts[:, LIKE_BY], -1.0))
        self._add_ends()
        self._add_told(n)

    def _add_likeliest(self, rows: NDArray[np.int32], lines: NDArray[np.int32], likeness: Floats) -> None:
        """Has the lines that each row is most like count."""
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        for start, end in zip(starts, np.append(starts, len(rows))[1:], strict=True):
            for at in (np.argsort(-likeness[start:end], kind="stable")[:LIKELIEST] + start).tolist():
                if likeness[at] > -1:
                    self.worth[lines[at]] = max(self.worth[lines[at]], 0.5 + likeness[at])

    def _add_ends(self) -> None:
        """Has the ends of blocks count that rows may stand in: new ones go there."""
        for grid in self.grids:
            for header in {parent for parent in grid.row_parents if parent >= 0}:
                for _, end in grid.new.blocks(header)[:MAX_BLOCKS]:
                    self.worth[end] = max(self.worth[end], BLOCK_END)

    def _add_told(self, n: int) -> None:
        """Notes where words say that the snippets go."""
        self.told = np.zeros((n + 1, 6), np.float32)
        for grid in self.grids:
            told = grid.told
            if told.inside is not None:
                self.told[1:, 0], self.told[:, 1] = told.inside, 1
            if told.at is not None:
                self.told[:, 2], self.told[:, 3] = np.maximum(self.told[:, 2], told.at), 1
            if told.near is not None:
                self.told[:, 4] = np.maximum(self.told[:, 4], told.near)
            if told.replaced is not None:
                self.told[:-1, 5] = np.maximum(self.told[:-1, 5], told.replaced)
        named = self.told[:, 4] > 0
        for word in self.removed:
            named[list(self.original.word_places.get(word, ()))] = True
        self.worth[named] = np.maximum(self.worth[named], 1)

    def add_named(self, pairs: NDArray[np.int32], facts: Floats) -> None:
        """Has the lines count that sentences name, see `_Sentences.pairs`."""
        quoted, plainly, declares = (
            facts[:, PAIR_FACTS.index(f"prose_{name}")] for name in ("named", "plainly", "declares")
        )
        np.maximum.at(self.worth, pairs[:, 1], np.maximum(np.maximum(quoted, declares), 0.6 * plainly))

    def chosen(self) -> NDArray[np.int64]:
        """The lines, ascending, that are worth a look, with those around them; `num_lines` stands for the end."""
        n = self.grid.num_lines
        is_near = np.zeros(n + 1, bool)
        is_near[:HEAD] = is_near[max(0, n - END) :] = True
        for line in np.argsort(-self.worth, kind="stable").tolist():
            if self.worth[line] <= 0 or is_near.sum() > MAX_LINES - 2 * SPREAD:
                break
            is_near[max(0, line - SPREAD) : line + SPREAD + 1] = True
        if self.grid.fold is not None:
            is_near[list(self.grid.fold.gaps)] = False
        return np.flatnonzero(is_near)

    def facts(self, chosen: NDArray[np.int64]) -> Floats:
        """(N, len(LINE_FACTS)) of the chosen lines."""
        n = self.grid.num_lines
        own = np.zeros((len(chosen), NUM_OWN + len(_KINDS)), np.float32)
        inside = chosen[chosen < n]  # the end is no line
        own[: len(inside), :NUM_OWN] = self._own(inside)
        kinds = [_KIND_AT[_kind(self.original.identity(line))] for line in inside.tolist()]
        own[np.arange(len(inside)), NUM_OWN + np.array(kinds, np.intp)] = 1
        of_lines = np.zeros((n + 1, len(_LINE_FACTS)), np.float32)
        for grid in self.grids:
            of_lines[:n] = np.maximum(of_lines[:n], np.stack([grid.line_facts[name] for name in _LINE_FACTS], axis=1))
        breaks = np.zeros((len(chosen), 2), np.float32)
        breaks[1:, 0] = breaks[:-1, 1] = np.diff(chosen) > 1
        tables = of_lines[chosen], self.told[chosen], self.grid.landed[chosen], self.grid.left[chosen], breaks
        return np.concatenate([own, *tables], axis=1)

    def _own(self, lines: NDArray[np.int64]) -> Floats:
        """(k, NUM_OWN): what there is to say of lines by themselves, and of the rows that are like them."""
        original, n = self.original, self.grid.num_lines
        numbers = lines.tolist()
        places = [len(original.places.get(original.keys[line], ())) for line in numbers]
        columns = [
            self.same[lines], self.like[lines], np.minimum(3, self.count[lines]),
            self._share_of(self.names, numbers), self._share_of(self.removed, numbers),
            [original.is_trivial[line] for line in numbers],
            np.clip(np.array(original.columns)[lines] / 16, 0, 1.5), self.grid.line_opens[lines],
            [original.is_comment(line) for line in numbers], np.minimum(3, np.log1p(places)), lines / n,
            lines < 3, lines >= n - 3,
        ]  # fmt: skip
        return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)

    def _share_of(self, names: frozenset[str], lines: Sequence[int]) -> Sequence[float]:
        """For each line the share of its words that are names."""
        if not names:
            return [0.0] * len(lines)
        words = [set(self.original.words(line)) for line in lines]
        return [len(own & names) / max(1, len(own)) for own in words]
