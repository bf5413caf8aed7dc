"""Parts of the alignment by themselves, without the fitted weights."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.columns import Cell, changes_of
from fastedit.anchor.lazy.result.realise import Realiser
from fastedit.anchor.lazy.search.grid import Context, Grid
from fastedit.anchor.lazy.search.paths import LEFT_OUT, Node, Path, PathPlan, Step, plan_of
from fastedit.anchor.lazy.search.rows import Taste, rows_of
from fastedit.syntax import outline

# Enough to tell lines that are the same from new ones, a marker from code, and to shun what is far-fetched.
WEIGHTS = {
    "blank": 0.2,
    "same": 3.0,
    "same_trivial": 1.0,
    "same_dup": -0.3,
    "like": 0.5,
    "like_by": 4.0,
    "loose": 2.5,
    "next_shift_same": 0.5,
    "new": -1.0,
    "new_known": -2.0,
    "new_dots": -9.0,
    "new_more": 0.3,
    "near_fits_before": 0.3,
    "deleted": -2.0,
    "deleted_trivial": -0.5,
    "delete_after_marker": -6.0,
    "delete_at_start": -6.0,
    "delete_to_end": -6.0,
    "spoken_any": -6.0,
    "jump": -1.0,
    "jumped": -0.3,
    "jump_unmarked": -1.0,
    "marker": 2.0,
    "marker_odds": 1.0,
    "marker_empty": -3.0,
    "elided_shown": -2.0,
    "note": -3.0,
    "note_odds": 1.0,
    "note_blank": -0.5,
    "back": -6.0,
    "start_inside": -0.5,
    "parent_other": -1.0,
    "same_shown_twice": -0.3,
    "new_note": -1.0,
}


def lines_of(text: str) -> list[str]:
    """The text's lines without their ends."""
    return text.removesuffix("\n").split("\n") if text else []


def grid_of(
    original: str, edit: str, language: str = "python", context: Context | None = None, taste: Taste | None = None
) -> Grid:
    """The grid of a snippet and an original."""
    lines = Lines(lines_of(original))
    rows = rows_of(lines_of(edit), lines, language, taste)
    return Grid(lines, rows, outline(original, language), context or Context())


def path_of(grid: Grid, told: str) -> Path:
    """The path that is told step by step, without a score.

    For each row one of Q3 (is line 3), Q3~ (that line's bytes win), N (new here), N5 (new at position 5), M (a marker),
    x (left out); in between S5 (kept by the marker up to position 5), D5 (deleted up to there), J5 (kept unasked), B.
    """
    steps: list[Step] = []
    node: Node | None = None
    row = 0
    for word in told.split():
        found = re.fullmatch(r"([QNMSDJBx])(\d*)(~?)", word)
        assert found, word
        kind, at, is_loose = found[1], int(found[2] or -1), bool(found[3])
        pair = -1
        if kind == "Q":
            pairs = grid.pairs[row]
            pair = next(
                number
                for number, line in enumerate(pairs.lines.tolist())
                if line == at and bool(pairs.is_loose[number]) == is_loose
            )
            start, at = at, at + int(pairs.spans[pair])
        else:
            if at < 0:
                at = node.at if node is not None else 0
            start = at
        source = node or Node("T", 0, start)
        row += kind in "QNMx"
        target = Node(source.state if kind == "x" else kind, row, 0 if kind == "B" else at)
        steps.append(Step(source, target, LEFT_OUT if kind == "x" else pair))
        node = target
    assert node is not None
    assert row == grid.num_rows, f"{grid.num_rows} rows, {row} of them told"
    return Path((*steps, Step(node, Node("END", row, 0))), 0.0)


def plan_told(grid: Grid, told: str) -> PathPlan:
    """The plan of a path that is told as in `path_of`; it has to be possible."""
    plan = plan_of(path_of(grid, told), grid)
    assert plan is not None
    return plan


def realised(original: str, edit: str, told: str, language: str = "python") -> str:
    """What comes of a path that is told as in `path_of`."""
    grid = grid_of(original, edit, language)
    cells = Realiser(grid, plan_told(grid, told)).cells()
    return "\n".join(applied(lines_of(original), changes_of(cells, grid.num_lines))) + "\n"


def applied(lines: Sequence[str], changes: Sequence[tuple[int, int, Sequence[str]]]) -> list[str]:
    """The lines with changes made to them."""
    result = list(lines)
    for start, end, new in reversed(changes):
        result[start:end] = new
    return result


def written(lines: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """The cells' lines."""
    result: list[str] = []
    for cell in cells:
        if cell.text is not None:
            result.append(cell.text)
        elif cell.line is not None:
            result.extend(lines[cell.line : cell.line + cell.count])
    return result
