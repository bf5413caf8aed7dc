"""Lines with an elision inside: the shown parts are merged into the original's tokens, the elided ones stay."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

MAX_TOKENS = 400
MAX_CHANGED_SHARE = 0.5

_TOKEN = re.compile(r"/\*\s*(?:\.{3,}|…).*?\*/|\.{3,}|…|\w+|\S")
_WILD = re.compile(r"^(?:/\*.*\*/|\.{3,}|…)$")
_CLOSING = frozenset(")]}>")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


def _tokens(text: str) -> list[_Token]:
    return [_Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


def merge_elided(shown: str, original_lines: list[str]) -> list[str] | None:
    """The original's lines with what `shown` changes in them; None where the two don't fit.

    `shown` has `...` (or `/* ... */`) where it leaves something out, commas around it included. A
    cheapest alignment of the tokens (an elision skips any of the original's at no cost) tells what is
    changed, and only that is taken from `shown`: the original's white space and line breaks stay.
    """
    original = "\n".join(original_lines)
    mine, theirs = _without_commas_at_elisions(_tokens(shown)), _tokens(original)
    mine = _with_elided_return(mine, theirs)
    if not mine or not theirs or len(mine) > MAX_TOKENS or len(theirs) > MAX_TOKENS:
        return None
    cost, steps = _align(mine, theirs)
    if cost > MAX_CHANGED_SHARE * sum(not _WILD.match(token.text) for token in mine):
        return None
    return _apply(shown, mine, original, theirs, steps).split("\n")


def _without_commas_at_elisions(tokens: list[_Token]) -> list[_Token]:
    result: list[_Token] = []
    for index, token in enumerate(tokens):
        beside = tokens[max(0, index - 1) : index + 2]
        if token.text == "," and any(_WILD.match(other.text) for other in beside):
            continue
        result.append(token)
    return result


def _with_elided_return(mine: list[_Token], theirs: list[_Token]) -> list[_Token]:
    """Puts dots for the return type into an abbreviated signature that shows none where the original has one."""
    arrow = [token.text for token in theirs]
    if not _has_arrow(arrow) or _has_arrow([token.text for token in mine]) or len(mine) < 2:
        return mine
    last = mine[-1]
    return [*mine[:-1], _Token("...", last.start, last.start), last]


def _has_arrow(texts: list[str]) -> bool:
    return any(first == "-" and second == ">" for first, second in pairwise(texts))


def _align(mine: list[_Token], theirs: list[_Token]) -> tuple[float, list[tuple[str, int, int]]]:
    """The cost of the cheapest alignment and its steps: ("keep" | "drop" | "add", mine, theirs)."""
    rows, columns = len(mine) + 1, len(theirs) + 1
    cost = [[0.0] * columns for _ in range(rows)]
    for column in range(1, columns):
        cost[0][column] = cost[0][column - 1] + 1
    for row in range(1, rows):
        is_wild = bool(_WILD.match(mine[row - 1].text))
        above, here = cost[row - 1], cost[row]
        here[0] = above[0] + (0 if is_wild else 1)
        for column in range(1, columns):
            if is_wild:
                here[column] = min(above[column], here[column - 1])
                continue
            same = mine[row - 1].text == theirs[column - 1].text
            here[column] = min(
                above[column - 1] if same else float("inf"),
                above[column] + 1,
                here[column - 1] + _drop_cost(theirs, column - 1),
            )
    return cost[-1][-1], _trace(cost, mine, theirs)


def _drop_cost(theirs: list[_Token], index: int) -> float:
    """The cost of leaving out a token: nothing for a formatter's comma before a closing bracket, which stays."""
    return 0.0 if _is_loose_comma(theirs, index) else 1.0


def _is_loose_comma(theirs: list[_Token], index: int) -> bool:
    return theirs[index].text == "," and index + 1 < len(theirs) and theirs[index + 1].text in _CLOSING


def _trace(cost: list[list[float]], mine: list[_Token], theirs: list[_Token]) -> list[tuple[str, int, int]]:
    steps: list[tuple[str, int, int]] = []
    row, column = len(mine), len(theirs)
    while row or column:
        is_wild = row > 0 and bool(_WILD.match(mine[row - 1].text))
        here = cost[row][column]
        if is_wild and column and here == cost[row][column - 1]:
            column -= 1
            steps.append(("keep", -1, column))
        elif is_wild:
            row -= 1
        elif row and column and mine[row - 1].text == theirs[column - 1].text and here == cost[row - 1][column - 1]:
            row, column = row - 1, column - 1
            steps.append(("keep", row, column))
        elif column and (row == 0 or here == cost[row][column - 1] + _drop_cost(theirs, column - 1)):
            column -= 1
            steps.append(("keep" if _is_loose_comma(theirs, column) and row else "drop", row, column))
        else:
            row -= 1
            steps.append(("add", row, column))
    return steps[::-1]


def _apply(
    shown: str, mine: list[_Token], original: str, theirs: list[_Token], steps: list[tuple[str, int, int]]
) -> str:
    """The original's text with the steps taken. Added tokens bring the white space that `shown` has before them."""
    result: list[str] = []
    at = 0
    last = ""
    for step, row, column in steps:
        if step == "add":
            result.append(_space_before(shown, mine, row, original, at) + mine[row].text)
        elif step == "keep":
            space = original[at : theirs[column].start]
            if (last == "add" and row > 0 and not space.strip()) or (last == "drop" and not space.strip() and row > 0):
                space = _space_before(shown, mine, row, original, at)
            result.append(space + theirs[column].text)
            at = theirs[column].end
        else:
            at = theirs[column].end
        last = step
    result.append(original[at:])
    return "".join(result)


def _space_before(shown: str, mine: list[_Token], row: int, original: str, at: int) -> str:
    """The white space before a token of `shown`; a line break takes the indentation of the original's line."""
    space = shown[mine[row - 1].end : mine[row].start] if row else ""
    if "\n" not in space:
        return space
    start = original.rfind("\n", 0, at) + 1
    line = original[start:]
    return "\n" + line[: len(line) - len(line.lstrip(" \t"))]
