"""Plans the lines of the changed file that an assistant shows: the changes, some context, and headers around them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from fastedit.training.synthesis.blocks import CLOSER, IndentedBlock
from fastedit.training.synthesis.corpus import is_balanced, is_comment
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import NEW, Change
from fastedit.training.synthesis.rendering.page import (
    Page,
    PageSpan,
    ancestors,
    declaration_with_header,
    header_of,
    innermost,
    page_of,
)
from fastedit.training.synthesis.rendering.reader import Doubt, Reader, Side

MAX_STEPS = 40
OPENED = ("(", "[", ",")
MAX_WHOLE = 60
MAX_REST = 2  # lines: nobody puts a marker for so little
MAX_OPENED = 8  # a run that would start by closing a block shows the block, up to so many lines


class Extent(StrEnum):
    """The amount of text shown around a change."""

    CONTEXT = "context"  # a few lines on either side
    DECLARATION = "declaration"  # the whole function
    NEIGHBOURS = "neighbours"  # a few lines, and the headers of the declarations before and after


@dataclass(frozen=True, slots=True)
class ShowPlan:
    """A plan of what to show.

    above, below: kept lines around a change; filled: gaps of up to that many lines are shown.
    with_headers: the headers of the declarations around what is shown; with_blocks: those of other blocks too;
    with_closers: the lines that close blocks whose headers are shown. by_order: see `Reader`. only_telling: no
    function is shown whose name doesn't tell which it is (overloads, equal methods of classes that aren't shown).
    """

    extent: Extent
    above: int
    below: int
    filled: int
    with_headers: bool
    with_blocks: bool
    with_closers: bool
    by_order: bool = False
    only_telling: bool = False


def draw_plan(rng: random.Random, *, extents: tuple[Extent, ...] = tuple(Extent)) -> ShowPlan:
    """A plan with headers and closers, as careful assistants have it."""
    return ShowPlan(
        extent=rng.choice(extents),
        above=rng.choice((1, 1, 2, 2, 3, 4)),
        below=rng.choice((1, 1, 2, 2, 3, 4)),
        filled=rng.choice((0, 1, 1, 2, 4)),
        with_headers=True,
        with_blocks=rng.random() < 0.5,
        with_closers=True,
    )


def planned_page(
    change: Change,
    plan: ShowPlan,
    splices: Iterable[int] | None = None,
    context: Callable[[], tuple[int, int]] | None = None,
) -> Page | None:
    """A page for these splices (all of them by default), or None where no reader could be sure of it.

    context: draws how many lines are shown above and below a splice, where the plan's numbers aren't for all of them.
    """
    shown = set[int]()
    for index in range(len(change.splices)) if splices is None else splices:
        above, below = context() if context is not None else (plan.above, plan.below)
        shown |= _around(change, index, replace(plan, above=above, below=below))
    if plan.with_headers or plan.with_blocks:
        shown |= _frames(change.after, shown, plan)
    shown = _tidied(change, shown, plan)
    return _made_sure(change, shown, plan, range(len(change.splices)) if splices is None else splices)


def widened(page: Page, doubts: Iterable[Doubt]) -> set[int]:
    """The shown lines with one more line of text at each doubtful edge that can still move."""
    shown = {number for run in page.runs for number in range(run.start, run.end)}
    for doubt in doubts:
        step = -1 if doubt.side is Side.TOP else 1
        number = doubt.run.start - 1 if step < 0 else doubt.run.end
        while 0 <= number < len(page.change.after.lines):
            shown.add(number)
            if page.change.after.lines[number].strip():
                break
            number += step
    return shown


def _made_sure(change: Change, shown: set[int], plan: ShowPlan, splices: Iterable[int]) -> Page | None:
    """The page widened until its reader has no doubts, or None where that takes too many lines."""
    for _ in range(MAX_STEPS):
        page = page_of(change, shown)
        reader = Reader(page, by_order=plan.by_order)
        doubts = reader.doubts()
        if not doubts:
            is_told = reader.shows_deletions(splices) and reader.new_names_tell()
            return page if is_told and (not plan.only_telling or reader.all_names_tell()) else None
        wider = _tidied(change, widened(page, doubts), plan)
        if wider == shown:
            return None
        shown = wider
    return None


def spans_in_after(change: Change) -> list[PageSpan]:
    """The places of the splices' lines in the changed file."""
    spans, shift = [], 0
    for splice in change.splices:
        start = splice.start + shift
        spans.append(PageSpan(start, start + len(splice.lines)))
        shift += len(splice.lines) - (splice.end - splice.start)
    return spans


def _around(change: Change, index: int, plan: ShowPlan) -> set[int]:
    """The lines of a splice with their context."""
    span, splice = spans_in_after(change)[index], change.splices[index]
    least = 1 if splice.end > splice.start else 0
    shown = set(range(span.start, span.end))
    shown |= _context(change, span.start - 1, -1, max(plan.above, least))
    shown |= _context(change, span.end, 1, max(plan.below, least))
    at = min(max(span.start, 0), len(change.after.lines) - 1)
    if plan.extent is Extent.DECLARATION:
        function = innermost(change.after, at)
        if function is not None and function.end_line - function.start_line <= MAX_WHOLE:
            shown = {n for n in shown if function.start_line <= n < function.end_line or change.origin[n] == NEW}
            shown |= set(range(function.start_line, function.end_line))
            shown |= _context(change, span.start - 1, -1, least) | _context(change, span.end, 1, least)
    if plan.extent is Extent.NEIGHBOURS:
        shown |= _neighbour_headers(change.after, span)
    return shown


def _context(change: Change, number: int, step: int, wanted: int) -> set[int]:
    """Up to `wanted` lines of text from `number` on, with the blank lines between; all that is new on the way too."""
    shown: set[int] = set()
    pending: set[int] = set()
    hidden = change.after.hidden
    while wanted > 0 and 0 <= number < len(change.after.lines):
        if shown and (hidden[number] if step < 0 else number + 1 < len(hidden) and hidden[number + 1]):
            break  # nobody quotes a long comment as context
        if shown and _goes_on(change.after, number, step):
            break
        pending.add(number)
        if change.after.lines[number].strip():
            shown |= pending
            pending = set()
            wanted -= change.origin[number] != NEW
        number += step
    return shown


def _goes_on(document: Document, number: int, step: int) -> bool:
    """Whether line `number` is a comment that goes on with the next line in the direction of `step`."""
    lines = [document.lines[n].strip() for n in (number, number + step) if 0 <= n < len(document.lines)]
    return len(lines) == 2 and all(line and is_comment(document, line) for line in lines)


def _neighbour_headers(document: Document, span: PageSpan) -> set[int]:
    """The headers of the declarations right before and right after the one that holds the span."""
    home = innermost(document, min(span.start, len(document.lines) - 1))
    if home is None:
        return set()
    kin = [d for d in document.declarations if d.parent == home.parent and d.kind == "function"]
    position = kin.index(home)
    near = kin[max(0, position - 1) : position] + kin[position + 1 : position + 2]
    return {n for d in near for n in range(d.header_line, max(d.body_line, d.header_line + 1))}


def _frames(document: Document, shown: set[int], plan: ShowPlan) -> set[int]:
    """The headers (and closers) of the blocks around what is shown."""
    frames: set[int] = set()
    seen: set[int] = set()
    for number in shown:
        for index in ancestors(document, number):
            if index in seen:
                continue
            seen.add(index)
            block = document.blocks[index]
            is_declaration = declaration_with_header(document, block.header) is not None
            if not (plan.with_headers if is_declaration else plan.with_blocks):
                continue
            frames |= _frame(document, block, plan)
    return frames


def _frame(document: Document, block: IndentedBlock, plan: ShowPlan) -> set[int]:
    """A block's header, the headers that it goes on from (`if` before `else`), and its closer."""
    lines: set[int] = set()
    if plan.with_closers and block.closer >= 0:
        lines.add(block.closer)
    while True:
        index = document.blocks.index(block)
        lines |= set(range(*header_of(document, index)))
        if block.previous < 0:
            return lines
        block = document.blocks[block.previous]


def _tidied(change: Change, shown: set[int], plan: ShowPlan) -> set[int]:
    """Small gaps filled; no edge inside a multi-line string or comment, nor between a header's lines."""
    after, result = change.after, set(shown)
    if plan.with_closers:
        result |= _closers(after, result)
    page = page_of(change, result)
    for gap in page.gaps:
        if sum(bool(line.strip()) for line in after.lines[gap.start : gap.end]) <= plan.filled:
            result |= set(range(gap.start, gap.end))
    headers = {block.closer: block.header for block in after.blocks if block.closer >= 0}
    for run in page_of(change, result).runs:
        start, end = run
        header = max(headers.get(start, -1), _opened_bracket(after, start))
        if header >= 0 and header not in result and start - header <= MAX_OPENED:
            start = header
        elif header >= 0 and plan.with_blocks:
            result |= _header_lines(after, header)
        start, end = _whole_headers(after, start, end)
        while start > 0 and after.hidden[start]:
            start -= 1
        while end < len(after.lines) and after.hidden[end]:
            end += 1
        result |= set(range(start, _short_rest(after, end)))
    return result


def _header_lines(document: Document, line: int) -> set[int]:
    """The line, or all lines of the declaration's header that it belongs to."""
    declaration = declaration_with_header(document, line)
    if declaration is None or declaration.body_line <= line:
        return {line}
    return set(range(declaration.header_line, declaration.body_line))


def _opened_bracket(document: Document, start: int) -> int:
    """The line that opens the bracket that line `start` stands in, or -1."""
    index = document.inside[start]
    header = document.blocks[index].header if index >= 0 else -1
    text = document.lines[header].rstrip()
    return header if header >= 0 and text.endswith(OPENED) and not is_balanced(text) else -1


def _short_rest(document: Document, end: int) -> int:
    """`end`, or the end of the block that the line before it stands in where that is near."""
    if end >= len(document.lines) or document.inside[end] < 0 or document.blocks[document.inside[end]].start >= end:
        return end
    if CLOSER.match(document.lines[end].strip()):
        return end
    rest = document.blocks[document.inside[end]].end
    return rest if 0 < rest - end <= MAX_REST else end


def _closers(document: Document, shown: set[int]) -> set[int]:
    """The lines that close the blocks whose headers are shown; with `else` and the like, to the end."""
    closers: set[int] = set()
    for block in document.blocks:
        if block.closer >= 0 and (block.header in shown or block.header in closers):
            closers.add(block.closer)
    return closers


def _whole_headers(document: Document, start: int, end: int) -> tuple[int, int]:
    """The run without an edge inside a declaration's header, or between its decorators and its header."""
    for declaration in document.declarations:
        if declaration.kind not in ("function", "class"):
            continue
        body = max(declaration.body_line, declaration.header_line + 1)
        if declaration.header_line < start < body:
            start = declaration.header_line
        if declaration.start_line < end < body:
            end = body
    return start, end


def without_frames(plan: ShowPlan) -> ShowPlan:
    """The same plan for snippets that show neither class nor function around their lines."""
    extent = Extent.CONTEXT if plan.extent is Extent.NEIGHBOURS else plan.extent
    return replace(plan, extent=extent, with_headers=False, with_blocks=False, with_closers=False)
