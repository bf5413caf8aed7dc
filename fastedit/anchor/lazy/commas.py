"""The commas of a JSON file whose entries come and go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fastedit.anchor.lazy.cells import Cell
from fastedit.anchor.lazy.lines import Lines


def with_commas(cells: Sequence[Cell], original: Lines) -> list[Cell]:
    """The cells of a JSON file with the commas that entries need now, and without those that none needs now."""
    single: list[Cell] = []
    for cell in cells:
        if cell.line is not None and cell.count > 1:  # so that its last line can change
            single.append(Cell(cell.line, None, None, cell.count - 1))
            single.append(Cell(cell.line + cell.count - 1, None))
        else:
            single.append(cell)
    solid = [n for n, cell in enumerate(single) if cell.count > 1 or _text(cell, original).strip()]
    for here, behind in pairwise(solid):
        first, second = single[here], single[behind]
        is_next = first.line is not None and second.line == first.line + first.count
        if first.count > 1 or (is_next and first.text is None and second.text is None):
            continue
        text, following = _text(first, original).rstrip(), _text(second, original).strip()
        if text.lstrip().startswith(("//", "/*")) or following.startswith(("//", "/*")):
            continue
        closes = following[:1] in ("}", "]")
        if closes and text.endswith(","):
            single[here] = Cell(first.line, text[:-1], first.row)
        elif not closes and text[-1:] not in ("{", "[", ",", ":", "("):
            single[here] = Cell(first.line, text + ",", first.row)
    return single


def _text(cell: Cell, original: Lines) -> str:
    """The text of the line of a cell; of several lines the first."""
    return cell.text if cell.text is not None else original.texts[cell.line] if cell.line is not None else ""
