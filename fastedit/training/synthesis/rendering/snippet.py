"""A page as the lines of a fence: what is shown, with markers for the rest."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from fastedit.lines import indent_of
from fastedit.syntax.model import CommentSyntax
from fastedit.training.synthesis.blocks import CLOSER, width_of
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import NEW
from fastedit.training.synthesis.rendering import markers
from fastedit.training.synthesis.rendering.markers import MarkerStyle, as_comment, worded
from fastedit.training.synthesis.rendering.page import Page, PageSpan, innermost

JSX_LANGUAGES = ("javascript", "tsx", "jsx")
EMBEDDED = re.compile(r"<(/?)(script|style)\b", re.IGNORECASE)
KEYS = ("function", "class", "block", "value", "section")
OWN_LINES = ("=begin",)  # block comments that have to start and end on lines of their own
C_COMMENTS = CommentSyntax(("//",), (("/*", "*/"),))


@dataclass(frozen=True, slots=True)
class FenceLine:
    """A line of a fence. after: the line of the changed file that it is, or NEW for markers, remarks and blanks.

    gap: index of the page's gap that a marker stands for, or -1.
    """

    text: str
    after: int = NEW
    gap: int = -1


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of a page.

    style: of the markers. block_comments: markers as `/* */` where the language has both. top, bottom: whether what
    lies before the first and behind the last run has a marker. blanks: whether markers stand apart where the file
    has blank lines. doubled: whether a gap that leaves a block or a function has a marker for each part.
    shallow: whether a marker stands as deep as the shallowest line that it hides, not as the first one.
    unmarked: gaps that have no marker all the same (the sloppy skip between whole declarations).
    """

    style: MarkerStyle
    block_comments: bool = False
    top: bool = True
    bottom: bool = True
    blanks: bool = True
    doubled: bool = True
    shallow: bool = True
    unmarked: frozenset[int] = frozenset()


def pieces_of(page: Page, layout: PageLayout, rng: random.Random) -> list[FenceLine]:
    """The lines of the fence in order."""
    after = page.change.after
    result: list[FenceLine] = []
    for index, gap in enumerate(page.gaps):
        result.extend(_marker_pieces(page, layout, index, gap, rng))
        if index < len(page.runs):
            run = page.runs[index]
            result.extend(FenceLine(after.lines[number], number) for number in range(run.start, run.end))
    return result


def _marker_pieces(page: Page, layout: PageLayout, index: int, gap: PageSpan, rng: random.Random) -> list[FenceLine]:
    lines = page.change.after.lines
    text = [number for number in range(gap.start, gap.end) if lines[number].strip()]
    is_outer = index in (0, len(page.runs))
    if not text:
        return [] if is_outer else [FenceLine("") for _ in range(gap.end - gap.start)]
    if (index == 0 and not layout.top) or (index == len(page.runs) and not layout.bottom):
        return []
    if index in layout.unmarked:
        return [FenceLine("")]
    result: list[FenceLine] = []
    if layout.blanks and text[0] > gap.start > 0:
        result.append(FenceLine(""))
    for position, part in enumerate(_parts(page, layout, index, text)):
        if position:
            result.append(FenceLine(""))
        indent = _marker_indent(page, part, layout)
        result.append(FenceLine(indent + _marker_text(page, layout, index, part, rng), NEW, index))
    if layout.blanks and gap.end - 1 > text[-1]:
        result.append(FenceLine(""))
    return result


def _parts(page: Page, layout: PageLayout, index: int, text: list[int]) -> list[list[int]]:
    """The gap's lines, split where they leave the block that was opened last, and where they leave its function."""
    document = page.change.after
    if not layout.doubled or index == 0:
        return [text]
    last = page.runs[index - 1].end - 1
    ends = [_end_of_opened(document, last), _end_of_block(document, last, text[0]), *_ends_of_functions(document, last)]
    parts: list[list[int]] = []
    rest = text
    for end in ends:
        inner = [number for number in rest if number < end]
        outer = rest[len(inner) :]
        if inner and outer and not _closes_only(document, inner) and not _closes_only(document, outer):
            parts.append(inner)
            rest = outer
    return [*parts, rest]


def _end_of_opened(document: Document, last: int) -> int:
    """The end of the block that line `last` opens, 0 where it opens none."""
    return next((block.end for block in document.blocks if block.header == last), 0)


def _end_of_block(document: Document, last: int, following: int) -> int:
    """The end of the block of line `following` where line `last` stands in it, too; else 0."""
    index = document.inside[following]
    return document.blocks[index].end if index >= 0 and document.blocks[index].start <= last else 0


def _ends_of_functions(document: Document, last: int) -> list[int]:
    """The ends of the innermost and the outermost function around line `last`."""
    ends = [d.end_line for d in document.declarations if d.kind == "function" and d.start_line <= last < d.end_line]
    return [ends[-1], ends[0]] if ends else []


def _closes_only(document: Document, numbers: list[int]) -> bool:
    return all(CLOSER.match(document.lines[number].strip()) for number in numbers)


def _marker_indent(page: Page, part: list[int], layout: PageLayout) -> str:
    """The indentation of a marker: that of the shallowest line that it hides, or (carelessly) of the first one."""
    document = page.change.after
    visible = [number for number in part if not document.hidden[number]] or part
    shallowest = min(visible, key=lambda number: width_of(document.lines[number]))
    return indent_of(document.lines[shallowest if layout.shallow else visible[0]])


def _marker_text(page: Page, layout: PageLayout, index: int, part: list[int], rng: random.Random) -> str:
    document = page.change.after
    words = worded(layout.style, _situations(page, index, part), _names(document, part), rng)
    if layout.style.is_bare or document.hidden[part[0]]:
        return words
    comments = comments_at(document, part[0])
    if _is_in_tags(document, part):
        return f"{{/* {words} */}}"
    return as_comment(words, comments, block=layout.block_comments)


def comments_at(document: Document, number: int) -> CommentSyntax:
    """The syntax of comments at a line: inside scripts and style sheets of a page as those have them."""
    if document.traits.family is not Family.MARKUP:
        blocks = tuple(pair for pair in document.comments.block if pair[0] not in OWN_LINES)
        return CommentSyntax(document.comments.line[:1], blocks[:1])
    for line in range(number - 1, -1, -1):
        tags = list(EMBEDDED.finditer(document.lines[line]))
        if tags:
            match = tags[-1]
            if match.group(1):
                break
            return C_COMMENTS if match.group(2).lower() == "script" else CommentSyntax((), C_COMMENTS.block)
    return CommentSyntax((), (("<!--", "-->"),))


def _is_in_tags(document: Document, part: list[int]) -> bool:
    """Whether the hidden lines are elements of JSX."""
    if document.language not in JSX_LANGUAGES:
        return False
    number = part[0]
    block = document.inside[number]
    header = document.lines[document.blocks[block].header].strip() if block >= 0 else ""
    return document.lines[number].strip().startswith(("<", "{")) and header.startswith("<")


def _situations(page: Page, index: int, part: list[int]) -> list[str]:
    """The kinds of marker words that fit the hidden lines, most telling first."""
    document = page.change.after
    starts = document.traits.import_start
    at_margin = [n for n in part if not document.hidden[n] and width_of(document.lines[n]) == 0]
    if starts and part[0] in at_margin and all(document.lines[n].startswith(starts) for n in at_margin):
        return [markers.IMPORTS]
    homes = {innermost(document, part[0]), innermost(document, part[-1])}
    if len(homes) == 1 and None not in homes:
        return [markers.BODY]
    outer = [markers.TOP] if index == 0 else [markers.BOTTOM] if index == len(page.runs) else []
    return [markers.NAMED, *outer]


def _names(document: Document, part: list[int]) -> list[str]:
    """The names of the declarations that lie wholly in the hidden lines; none where most of it is something else."""
    kinds = KEYS if document.traits.family in (Family.DATA, Family.MARKUP) else ("function", "class")
    found = [
        d
        for d in document.declarations
        if part[0] <= d.header_line and d.end_line <= part[-1] + 1 and d.name.isidentifier() and d.kind in kinds
    ]
    outer = [
        d
        for d in found
        if not any(o is not d and o.start_line <= d.start_line and d.end_line <= o.end_line for o in found)
    ]
    covered = sum(d.end_line - d.start_line for d in outer)
    return list(dict.fromkeys(d.name for d in outer)) if outer and covered >= 0.6 * len(part) else []
