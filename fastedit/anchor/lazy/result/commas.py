"""The commas that the elements of lists need in a result: behind one that was the last, behind a new one.

A snippet that shows a new element behind a marker doesn't show the line before it. In JSON all commas follow from the
grammar. Elsewhere lines tell whether commas part the elements of a block: all elements but the last have one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from fastedit.anchor.lazy.identity import columns_of, is_comment_text
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.columns import Cell

MAX_ELEMENTS = 300  # lines above and below that are looked at
_OPENERS = ("(", "[", "{")
_CLOSERS = (")", "]", "}")
_NO_ELEMENT = (",", ";", ":", "\\", *_OPENERS)  # an element doesn't end so, or needs no comma
# An element goes on so: a comprehension's clause, an operator. Annotations belong to the element below.
_GOES_ON = re.compile(r"(?:async\s+)?(?:for|if|else|and|or|in|is)\b|\.(?!\.\.)|[-*+](?=\s)|&&|[/|?:=<>)\]}]")
_ANNOTATES = re.compile(r"\s*(?:@|#!?\[|\)\])")
_STRING = re.compile(r"[A-Za-z]{0,2}[\"'`]")
_NOTE = re.compile(r"\s+(?:#|//|--|/\*)\s.*$")


def with_commas_in_json(cells: Sequence[Cell], original: Lines) -> list[Cell]:
    """The cells of a JSON file with the commas that entries need now, and without those that none needs now."""
    single = _ended(cells)
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


def with_commas(cells: Sequence[Cell], original: Lines, language: str = "") -> list[Cell]:
    """The cells with the commas that new elements of lists need: before them, and behind them."""
    if not any(cell.is_new for cell in cells):
        return list(cells)
    single = _ended(cells)
    solid = [n for n, cell in enumerate(single) if cell.count > 1 or _text(cell, original).strip()]
    for above, here in pairwise(solid):
        if single[here].is_new and not single[above].is_new:
            _add_before(single, above, here, original, language)
        elif single[above].is_new and not single[here].is_new:
            _add_behind(single, above, here, original, language)
    return single


def _add_before(single: list[Cell], above: int, here: int, original: Lines, language: str) -> None:
    """Gives the line above a new element a comma, where it was the last of a list."""
    cell = single[above]
    if cell.line is None or cell.count > 1 or not _is_as_before(cell, original):
        return
    line = cell.line
    behind = next((at for at in range(line + 1, len(original)) if original.keys[at]), len(original))
    is_last = behind < len(original) and original.stripped[behind].startswith(_CLOSERS)
    code, note = _parted(_text(cell, original))
    new = single[here].text or ""
    if not is_last or _GOES_ON.match(new.strip()) or columns_of(new) != original.columns[line]:
        return
    if _may_take_one(code, language) and _is_parted_by_commas(line, original):
        single[above] = Cell(line, f"{code},{note}", cell.row)


def _add_behind(single: list[Cell], above: int, here: int, original: Lines, language: str) -> None:
    """Gives a new element a comma where another one of a list follows."""
    cell, following = single[above], single[here]
    code, note = _parted(cell.text or "")
    if following.line is None or not _may_take_one(code, language) or is_comment_text(code.strip()):
        return
    line = following.line
    goes_on = _GOES_ON.match(original.stripped[line]) or original.is_comment(line)
    if (
        not goes_on
        and not _ANNOTATES.match(code)
        and columns_of(code) == original.columns[line]
        and _is_parted_by_commas(line, original)
    ):
        single[above] = Cell(None, f"{code},{note}", cell.row)


def _may_take_one(code: str, language: str) -> bool:
    """Whether a comma may follow a line's code; in Rust an arm that is a block needs none."""
    return bool(code) and not code.endswith(_NO_ELEMENT) and not (language == "rust" and code.endswith("}"))


def _is_parted_by_commas(line: int, original: Lines) -> bool:
    """Whether a line stands among elements that stand in brackets and of which all but the last end in a comma."""
    column = original.columns[line]
    opener, above = _beside(range(line - 1, max(-1, line - MAX_ELEMENTS), -1), column, original)
    _, below = _beside(range(line, min(len(original), line + MAX_ELEMENTS)), column, original)
    if opener is None or not _parted(original.texts[opener])[0].endswith(_OPENERS):
        return False
    lines = [*reversed(above), *below]
    ends = [at for at, following in pairwise([*lines, -1]) if following < 0 or not _opens(at, original)]
    codes = [_parted(original.texts[at])[0] for at in ends]
    if len(codes) < 2:
        is_string = bool(codes) and _STRING.match(codes[0].strip()) is not None
        opening = _parted(original.texts[opener])[0][-1]
        return bool(codes) and (opening == "[" or (opening == "(" and not is_string))
    return all(code.endswith(",") for code in codes[:-1])


def _opens(line: int, original: Lines) -> bool:
    """Whether the line below stands further right, so that this one ends no element."""
    behind = next((at for at in range(line + 1, len(original)) if original.keys[at]), len(original))
    return behind < len(original) and original.columns[behind] > original.columns[line]


def _beside(lines: range, column: int, original: Lines) -> tuple[int | None, list[int]]:
    """The first of the lines that stands further left, and those at a column before it; comments don't count."""
    found: list[int] = []
    for at in lines:
        if not original.keys[at] or original.is_comment(at):
            continue
        closes = original.columns[at] == column and original.stripped[at].startswith(_CLOSERS)
        if original.columns[at] < column or (closes and lines.step > 0):
            return at, found
        if original.columns[at] == column:
            found.append(at)
    return None, found


def _ended(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, each last line of the original's by itself, so that it can change."""
    single: list[Cell] = []
    for cell in cells:
        if cell.line is not None and cell.count > 1:
            single.append(Cell(cell.line, None, None, cell.count - 1))
            single.append(Cell(cell.line + cell.count - 1, None))
        else:
            single.append(cell)
    return single


def _is_as_before(cell: Cell, original: Lines) -> bool:
    return cell.text is None or (cell.line is not None and cell.text.strip() == original.stripped[cell.line])


def _parted(text: str) -> tuple[str, str]:
    """The code of a line, and the comment behind it with the white space between."""
    found = _NOTE.search(text)
    code = text[: found.start()] if found is not None else text.rstrip()
    return code, text[len(code) :]


def _text(cell: Cell, original: Lines) -> str:
    """The text of the line of a cell; of several lines the first."""
    return cell.text if cell.text is not None else original.texts[cell.line] if cell.line is not None else ""
