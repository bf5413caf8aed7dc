"""Facts of one snippet's result that no single step of the search can see.

More syntax errors, headers lost, a marker leaked. What speaks of all snippets merged is in `coherence`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.features import LIKE_THOUGH_LOOSE
from fastedit.anchor.lazy.identity import bound_names
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.columns import Cell, changes_of
from fastedit.anchor.lazy.result.realise import SPACES
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import PathPlan
from fastedit.patterns import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

# apart: all that the snippet shows is new in one place. apart_kin: beside what is of its kind and has another name.
# apart_sorted, apart_unsorted: between two of its kind that are in the alphabet's order, in its place there or not.
# apart_alike: beside a line that words name and that is like the snippet's first one. beside_changed: lines that change
# or go though the words name them as what the snippet goes beside.
# gaps_stay_again: places but for one where rows follow each other and what is between in the file stays;
# gaps_stay_marked: in a snippet with markers. gaps_differ: pairs of such a place and of one where it goes.
FACTS = (
    "more_errors", "fewer_errors", "unchanged", "lost_lines", "lost_headers", "lost_said", "duplicated", "leaked",
    "notes_kept", "marker_names_missed", "marker_names_met", "said_kept", "torn", "new_apart", "deleted_runs",
    "replaced_unlike", "lost_used", "lost_unused", "kin_apart", "kin_of_new", "closer_apart", "closer_of_new",
    "closer_new", "renamed_header", "renamed_used", "renamed_said", "bare_runs", "bare_lines", "beside_like",
    "replaced_runs", "replaced_share", "beside_share", "repeats_near", "repeats_far", "moves_line",
    "comments_dropped", "passed_full", "passed_full_lines", "apart", "apart_told", "apart_meant", "apart_adds",
    "apart_changes", "apart_known", "apart_kin", "apart_sorted", "apart_unsorted", "apart_alike", "beside_changed",
    "gaps_stay_again", "gaps_stay_marked", "gaps_differ", *SPACES,
)  # fmt: skip
# Words before a snippet that say that it is all there is to be.
_FULL = pattern(
    r"\b(?:in full|complete(?:ly)?|whole|entire|only|just this|reduced|shrinks?|becomes?|reads?|replaced?|rewritten"
    r"|everything|down to|up to|from .{1,60} to|takes? the place|neu|wird zu|queda|devient|diventa)\b",
    re.IGNORECASE,
)
_HEADERS = ("decl", "heading", "table")
_KINDS = frozenset("decl import assign key entry case heading table selector".split())  # of what has a name
_COMMENTED = re.compile(r"\S\s+(?:#|//|--|/\*)\s")
CLOSES = re.compile(r"[)\]}]|</|(?:end|fi|done|esac)\b")
MAX_COUNT = 4
MIN_TELLING = 2  # characters of a line
NEAR_LINES = 30
MIN_BESIDE = 0.4  # likeness
MAX_BESIDE = 5  # lines
MAX_KIN_LINES = 80  # between what is of one kind


def facts_of(grid: Grid, plan: PathPlan, cells: tuple[Cell, ...]) -> NDArray[np.float32]:
    """(len(FACTS),): counts and logarithms, 0 where there is nothing to say."""
    original, shown, rows = grid.original, grid.shown, grid.rows
    new_rows = [row for at in plan.new.values() for row in at if not rows[row].is_blank]
    changed = [row for row, (line, _) in plan.quoted.items() if original.keys[line] != shown.keys[row]]
    f = dict.fromkeys(FACTS, 0.0)
    _count_errors(f, grid, cells)
    _count_lost(f, grid, plan, new_rows, changed)
    renamed = [row for row in changed if grid.shown.identity(row) != original.identity(plan.quoted[row][0])]
    gone = plan.deleted | {plan.quoted[row][0] for row in changed}
    f["duplicated"] = sum((_duplicated(grid, gone, row) for row in (*new_rows, *renamed)), 0.0)
    _count_names(f, grid, plan, gone, (*new_rows, *changed))
    for row in (*new_rows, *changed):
        if rows[row].note is not None:
            f["leaked"] += rows[row].role("elide") > -0.7
            f["notes_kept"] += max(rows[row].role(name) for name in ("where", "new", "gone")) > -0.7
    _count_kin(f, grid, plan)
    _count_closers(f, grid, plan)
    _count_marker_names(f, grid, plan)
    f["said_kept"] = _num_said_kept(grid, plan)
    _count_runs(f, grid, plan)
    f["new_apart"] = len(plan.new)
    _count_renamed(f, grid, gone, changed, plan)
    _count_repeated(f, grid, plan, gone)
    _count_beside(f, grid, cells)
    f["comments_dropped"] = _num_comments_dropped(grid, plan)
    _count_passed(f, grid, plan)
    _count_gaps(f, grid, plan)
    _tell_apart(f, grid, plan)
    f["beside_changed"] = sum(_is_beside(grid, plan.quoted[row][0], row) for row in changed)
    f["beside_changed"] += 0 if grid.told.beside is None else sum(map(bool, grid.told.beside[sorted(plan.deleted)]))
    return np.array([min(MAX_COUNT, f[name]) for name in FACTS], np.float32)


def _tell_apart(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in whether all that the snippet shows is new in one place, and what the words say of that."""
    if len(plan.new) != 1 or plan.deleted or not all(grid.rows[row].is_blank for row in plan.quoted):
        return
    ((at, rows),) = plan.new.items()
    told, original = grid.told, grid.original
    keys = [key for row in rows if len(key := grid.shown.keys[row]) > MIN_TELLING]
    f["apart"] = 1
    f["apart_told"] = float(told.at is not None and told.at[at])
    f["apart_meant"] = float(told.near[at]) if told.near is not None else 0.0
    f["apart_alike"] = float(told.alike is not None and told.alike[at])
    f["apart_adds"] = grid.intent.adds
    f["apart_changes"] = grid.intent.changes
    f["apart_known"] = sum(key in original.places for key in keys) / max(1, len(keys))
    _tell_kin(f, grid, at, rows)


def _is_beside(grid: Grid, line: int, row: int) -> bool:
    """Whether words name a line as what the snippet goes beside, and a row has more than a comma of its own there."""
    beside = grid.told.beside
    same = grid.original.keys[line].rstrip(",;") == grid.shown.keys[row].rstrip(",;")
    return beside is not None and bool(beside[line]) and not same


def _tell_kin(f: dict[str, float], grid: Grid, at: int, rows: Sequence[int]) -> None:
    """Fills in whether rows that are new in one place declare what the file has not, beside something of that kind."""
    original = grid.original
    first = next((row for row in rows if not grid.rows[row].is_blank), None)
    own = grid.leading_identity(first) if first is not None else None
    column = grid.column_of(first) if first is not None else None
    if first is None or own is None or column is None or own.kind not in _KINDS or own in original.identities:
        return
    above, below = (_next_of(original, lines, column) for lines in (range(at - 1, -1, -1), range(at, len(original))))
    kin = [line for line in (above, below) if line is not None and _kind(original, line) == own.kind]
    f["apart_kin"] = float(bool(kin))
    if len(kin) == 2:
        text = next(grid.shown.stripped[row] for row in range(first, grid.num_rows) if grid.shown.identity(row) == own)
        before, behind = (original.stripped[line].casefold() for line in kin)
        if before < behind:
            f["apart_sorted" if before < text.casefold() < behind else "apart_unsorted"] = 1


def _next_of(original: Lines, lines: Iterable[int], column: int) -> int | None:
    """The first of some lines at a column that declares or names something, unless one further out comes before."""
    for line in islice(lines, MAX_KIN_LINES):
        if not 0 <= original.columns[line] <= column or original.is_trivial[line]:
            continue
        if original.columns[line] < column:
            return None
        found = original.identity(line)
        if found is not None and found.kind != "decorator":
            return line
    return None


def _kind(original: Lines, line: int) -> str:
    found = original.identity(line)
    return found.kind if found is not None else ""


def _count_errors(f: dict[str, float], grid: Grid, cells: tuple[Cell, ...]) -> None:
    """Fills in whether anything changes, and how many parse errors come or go with it."""
    changes = changes_of(cells, len(grid.original))
    if not changes:
        f["unchanged"] = 1
    elif grid.errors.count is not None:
        errors = (grid.errors.after(grid.unfolded(changes) or ()) or 0) - grid.errors.count
        f["more_errors"] = min(MAX_COUNT, max(0, errors))
        f["fewer_errors"] = min(MAX_COUNT, max(0, -errors))


def _count_lost(f: dict[str, float], grid: Grid, plan: PathPlan, new_rows: list[int], changed: list[int]) -> None:
    """Fills in what goes without anything in its place: lines, and headers that nobody wrote anew."""
    original = grid.original
    written = {grid.shown.identity(row) for row in (*new_rows, *changed)}
    gone = [line for line in plan.deleted if original.keys[line]]
    f["lost_lines"] = math.log1p(max(0, len(gone) - len(new_rows)))
    for line in gone:
        identity = original.identity(line)
        if identity is None or identity.kind not in _HEADERS or identity in written:
            continue
        name = identity.name.split(".")[-1].split(" ")[0]
        is_said = name in grid.context.removed or name in grid.context.names
        f["lost_said" if is_said else "lost_headers"] += 1


def _count_names(f: dict[str, float], grid: Grid, plan: PathPlan, gone: set[int], rows: Sequence[int]) -> None:
    """Fills in how many of the lines that go bind names that others still use, and how many imports nobody needs go.

    gone: the lines that go or change; rows: what is written.
    """
    original, shown, language = grid.original, grid.shown, grid.outline.language
    written = {name for row in rows for name in bound_names(shown.stripped[row], language)}
    used = {word for row in rows for word in shown.words(row)}
    for line in plan.deleted:
        names = [name for name in bound_names(original.stripped[line], language) if name not in written]
        if not names:
            continue
        others = [at for name in names for at in original.word_places.get(name, ()) if at not in gone]
        if any(name in bound_names(original.stripped[at], language) for at in others for name in names):
            continue
        if others or any(name in used for name in names):
            f["lost_used"] += 1
        else:
            identity = original.identity(line)
            f["lost_unused"] += identity is not None and identity.kind == "import"


def _count_renamed(f: dict[str, float], grid: Grid, gone: set[int], changed: Sequence[int], plan: PathPlan) -> None:
    """Fills in how many headers become those of something else, and of these the ones still used, and spoken of."""
    for row in changed:
        line = plan.quoted[row][0]
        old, new = grid.original.identity(line), grid.shown.identity(row)
        if old is None or old.kind not in _HEADERS or old == new:
            continue
        name = old.name.split(".")[-1].split(" ")[0]
        f["renamed_header"] += 1
        f["renamed_used"] += any(at not in gone for at in grid.original.word_places.get(name, ()))
        f["renamed_said"] += name in grid.context.removed or name in grid.context.names


def _count_repeated(f: dict[str, float], grid: Grid, plan: PathPlan, gone: set[int]) -> None:
    """Fills in how many new rows repeat the only such line of the original, by what becomes of that one."""
    for at, rows in plan.new.items():
        for row in rows:
            lines = grid.original.places.get(grid.shown.keys[row], ())
            if len(lines) != 1 or grid.shown.is_trivial[row] or grid.rows[row].is_blank:
                continue
            if lines[0] in gone:
                f["moves_line"] += 1
            else:
                f["repeats_near" if abs(lines[0] - at) <= NEAR_LINES else "repeats_far"] += 1


def _count_beside(f: dict[str, float], grid: Grid, cells: Sequence[Cell]) -> None:
    """Fills in how like new lines are to those beside them that stay though the snippet doesn't show them.

    beside_like: the two lines that meet. beside_share: of the words of a few kept lines, those that the new ones have.
    """
    solid = [cell for cell in cells if cell.line is None or cell.count > 1 or grid.original.keys[cell.line]]
    for is_new, run in groupby(enumerate(solid), key=lambda one: one[1].is_new):
        if not is_new:
            continue
        rows = list(run)
        new = [(cell.text or "").strip() for _, cell in rows if (cell.text or "").strip()]
        words = {word for text in new for word in _words(text)}
        for at, step, text in ((rows[0][0] - 1, -1, new[0:1]), (rows[-1][0] + 1, 1, new[-1:])):
            lines = _kept_lines(grid, solid[at::step] if at >= 0 else (), step)
            if not lines or not text:
                continue
            if not grid.original.is_trivial[lines[0]]:
                likeness = Indel.normalized_similarity(text[0], grid.original.stripped[lines[0]])
                f["beside_like"] += max(0.0, likeness - MIN_BESIDE)
            theirs = [set(_words(grid.original.stripped[line])) for line in lines[: len(new)]]
            together = [set().union(*theirs[:end]) for end in range(1, len(theirs) + 1)]
            f["beside_share"] += max((len(told & words) / len(told) for told in together if told), default=0.0)


def _kept_lines(grid: Grid, cells: Sequence[Cell], step: int) -> list[int]:
    """The lines of the first cells, few of them and up to one that the snippet shows; upwards for a step of -1."""
    result: list[int] = []
    for cell in cells[:MAX_BESIDE]:
        if cell.row is not None or cell.line is None or cell.text is not None:
            break
        lines = range(cell.line, cell.line + cell.count)[::step]
        result += islice((line for line in lines if grid.original.keys[line]), MAX_BESIDE)
    return result[:MAX_BESIDE]


def _num_comments_dropped(grid: Grid, plan: PathPlan) -> int:
    """Counts the comments behind code that rows leave out, where the snippet shows others."""
    num_dropped = num_shown = 0
    for row, (line, pair) in plan.quoted.items():
        theirs = grid.original.stripped[line]
        if not _COMMENTED.search(theirs):
            continue
        pairs = grid.pairs[row]
        num_shown += grid.original.keys[line] == grid.shown.keys[row]
        num_dropped += bool(pairs.features[pair][LIKE_THOUGH_LOOSE]) and not pairs.is_loose[pair]
    return num_dropped if num_shown else 0


def _count_passed(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in the lines that stay between rows that follow each other, where words call the snippet complete."""
    original = grid.original
    if _FULL.search(grid.context.prose) is None:
        return
    quoted = {line for line, _ in plan.quoted.values()}
    runs = lines = 0
    end: int | None = None  # the line behind the row before; None behind a marker
    for row in range(grid.num_rows):
        if row in plan.markers:
            end = None
        if row not in plan.quoted:
            continue
        line, pair = plan.quoted[row]
        if end is not None and line > end:
            stay = [at for at in range(end, line) if at not in plan.deleted and at not in quoted]
            passed = [at for at in stay if original.keys[at]]
            runs, lines = runs + bool(passed), lines + len(passed)
        end = line + int(grid.pairs[row].spans[pair])
    f["passed_full"] = float(runs)
    f["passed_full_lines"] = math.log1p(lines)


def _count_gaps(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in how often the lines between two rows stay or go, where the snippet says nothing of them."""
    num_staying = num_going = 0
    end: int | None = None  # the line behind the quoted row before; None behind any other row
    for row in range(grid.num_rows):
        if row not in plan.quoted:
            end = end if grid.rows[row].is_blank or row in plan.left_out else None
            continue
        if grid.rows[row].is_blank:
            continue
        line, pair = plan.quoted[row]
        if end is not None and line > end:
            between = [at for at in range(end, line) if grid.original.keys[at]]
            num_staying += bool(between) and plan.deleted.isdisjoint(between)
            num_going += bool(between) and plan.deleted.issuperset(between)
        end = line + int(grid.pairs[row].spans[pair])
    f["gaps_stay_marked" if plan.markers else "gaps_stay_again"] = float(max(0, num_staying - 1))
    f["gaps_differ"] = float(min(num_staying, num_going))


def _count_kin(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in how many quoted rows stand in another block of the file than in the snippet, or in a new one."""
    new = {row for rows in plan.new.values() for row in rows}
    for row, (line, _) in plan.quoted.items():
        parent = grid.row_parents[row]
        if parent < 0 or grid.rows[row].is_blank:
            continue
        if parent in plan.quoted:
            f["kin_apart"] += grid.original.parents[line] != plan.quoted[parent][0]
        else:
            f["kin_of_new"] += parent in new


def _count_closers(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in how many lines that close a block are taken from another one than the line that opens it."""
    shown, columns = grid.shown, grid.shown.columns
    new = {row for rows in plan.new.values() for row in rows}
    for row in range(grid.num_rows):
        if not CLOSES.match(shown.stripped[row]):
            continue
        opener = next((at for at in range(row - 1, -1, -1) if 0 <= columns[at] <= columns[row]), -1)
        if opener < 0 or columns[opener] != columns[row]:
            continue
        if opener in plan.quoted and row in plan.quoted:
            f["closer_apart"] += plan.quoted[row][0] != _closing(grid, plan.quoted[opener][0])
        elif opener in new and row in plan.quoted:
            f["closer_of_new"] += 1
        elif opener in plan.quoted and row in new:
            f["closer_new"] += 1


def _closing(grid: Grid, line: int) -> int:
    """The line that ends the block which a line opens: the next one that isn't indented further."""
    columns = grid.original.columns
    return next((at for at in range(line + 1, len(columns)) if 0 <= columns[at] <= columns[line]), len(columns))


def _duplicated(grid: Grid, gone: set[int], row: int) -> float:
    """The weight of a written row saying what a line that stays already says beside it; 0 if none does."""
    original, shown = grid.original, grid.shown
    identity = shown.identity(row)
    if identity is None or identity.kind not in (*_HEADERS, "key", "import"):
        return 0.0
    parent = grid.row_parents[row]
    for line in original.identities.get(identity, ()):
        if line in gone:
            continue
        theirs = original.parents[line]
        if parent < 0 or theirs < 0 or original.keys[theirs] == shown.keys[parent]:
            return 1.0 if identity.kind in _HEADERS else 0.5
    return 0.0


def _count_marker_names(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in how many of the names in markers stand in the lines that they keep, and how many stand elsewhere."""
    for marker, (start, end) in plan.markers.items():
        for name in grid.rows[marker].names:
            words = grid.original.word_places
            places = grid.declared_names.get(name) or [(line, line + 1) for line in words.get(name, ())[:20]]
            if any(start <= place < end for place, _ in places):
                f["marker_names_met"] += 1
            elif name in grid.declared_names:
                f["marker_names_missed"] += 1


def _num_said_kept(grid: Grid, plan: PathPlan) -> int:
    """Counts the declarations that stay though the words say that they are gone."""
    count = 0
    for one in grid.outline.declarations:
        name = one.name.split(".")[-1] if one.name else ""
        count += name in grid.context.removed and one.kind != "import" and one.header_line not in plan.deleted
    return count


def _count_runs(f: dict[str, float], grid: Grid, plan: PathPlan) -> None:
    """Fills in what the stretches of deleted lines look like beside what replaces them."""
    original, shown = grid.original, grid.shown
    runs = _runs(sorted(plan.deleted))
    changed = {line for row, (line, _) in plan.quoted.items() if original.keys[line] != shown.keys[row]}
    num_bare = 0
    f["deleted_runs"] = sum(any(original.keys[line] for line in range(*run)) for run in runs)
    for start, end in runs:
        old = "".join(original.stripped[start:end])
        has_new = any(plan.new.get(at) for at in range(start, end + 1))
        if old and not has_new and not changed.intersection((start - 1, end)):
            f["bare_runs"] += 1
            num_bare += sum(bool(key) for key in original.keys[start:end])
        new = "".join(shown.stripped[row] for at in range(start, end + 1) for row in plan.new.get(at, ()))
        if any(old.count(a) - old.count(b) != new.count(a) - new.count(b) for a, b in ("()", "[]", "{}")):
            f["torn"] += 1
        mine, theirs = set(_words(new)), set(_words(old))
        if new and not theirs & mine:
            f["replaced_unlike"] += 1
        if new and theirs:
            f["replaced_runs"] += 1
            f["replaced_share"] += len(theirs & mine) / len(theirs)
    f["bare_lines"] = math.log1p(num_bare)


def _words(text: str) -> list[str]:
    """The words of a text that have two letters or more."""
    return re.findall(r"\w{2,}", text)


def _runs(lines: list[int]) -> list[tuple[int, int]]:
    """The stretches [start, end) of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for line in lines:
        if runs and runs[-1][1] == line:
            runs[-1] = (runs[-1][0], line + 1)
        else:
            runs.append((line, line + 1))
    return runs
