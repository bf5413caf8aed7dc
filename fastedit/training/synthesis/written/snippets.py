"""The fences of a written message: what each of them shows of a change, and the words of its markers and remarks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rapidfuzz import fuzz

from fastedit.lines import indent_of
from fastedit.training.synthesis.model import NEW, Change, Tier
from fastedit.training.synthesis.rendering import abridge, drift, markers
from fastedit.training.synthesis.rendering.lazy import are_apart, may_break_off, moves
from fastedit.training.synthesis.rendering.markers import MarkerStyle, as_comment
from fastedit.training.synthesis.rendering.page import Page, PageSpan
from fastedit.training.synthesis.rendering.plan import Extent, ShowPlan, planned_page, spans_in_after
from fastedit.training.synthesis.rendering.snippet import FenceLine, PageLayout, comments_at, pieces_of
from fastedit.training.synthesis.written.facts import ChangedPlace
from fastedit.training.synthesis.written.habits import Manner
from fastedit.training.synthesis.written.prose import ENGLISH, filled, phrases

CANONICAL = "existing code"
MIN_LIKENESS, MARGIN = 60.0, 8.0  # percent: a new line that is so like one old line, and no other, tells its place
SITUATIONS = {
    markers.BODY: "body",
    markers.IMPORTS: "imports",
    markers.NAMED: "named",
    markers.TOP: "top",
    markers.BOTTOM: "bottom",
}


def pages_of(change: Change, manner: Manner, rng: random.Random) -> list[tuple[Page, list[int]]]:
    """The pages of the message's fences, each with the splices that it shows; none where a reader couldn't be sure."""
    groups = _groups(change, manner.number("fences", rng))
    plan = _plan(manner, rng)

    def context() -> tuple[int, int]:
        return manner.number("above", rng), manner.number("below", rng)

    if len(groups) > 1 and not moves(change):
        found = [planned_page(change, plan, group, context) for group in groups]
        pages = [page for page in found if page is not None]
        if len(pages) == len(groups) and are_apart(change, pages, groups):
            return [(_trimmed(page, manner, rng), group) for page, group in zip(pages, groups, strict=True)]
    everything = list(range(len(change.splices)))
    page = planned_page(change, plan, everything, context)
    return [(_trimmed(page, manner, rng), everything)] if page is not None else []


def _plan(manner: Manner, rng: random.Random) -> ShowPlan:
    is_framed = manner.has("framed", rng)
    return ShowPlan(
        extent=Extent.DECLARATION if manner.has("declaration", rng) else Extent.CONTEXT,
        above=1,
        below=1,
        filled=rng.choice((0, 1, 1, 2, 3)),
        with_headers=is_framed,
        with_blocks=is_framed and rng.random() < 0.4,
        with_closers=is_framed and manner.has("closed", rng),
        by_order=True,
    )


def _groups(change: Change, wanted: int) -> list[list[int]]:
    """The splices in at most so many groups, cut where they lie farthest apart."""
    gaps = [(b.start - a.end, n + 1) for n, (a, b) in enumerate(pairwise(change.splices))]
    cuts = sorted(at for distance, at in sorted(gaps, reverse=True)[: max(0, wanted - 1)] if distance > 1)
    ends = [0, *cuts, len(change.splices)]
    return [list(range(start, end)) for start, end in pairwise(ends)]


def _trimmed(page: Page, manner: Manner, rng: random.Random) -> Page:
    """The page without the lines around changed ones that tell by themselves which they stand for, now and then."""
    change = page.change
    shown = {number for run in page.runs for number in range(run.start, run.end)}
    for splice, span in zip(change.splices, spans_in_after(change), strict=True):
        run = next((run for run in page.runs if run.start <= span.start and span.end <= run.end), None)
        old = change.before.lines[splice.start : splice.end]
        if run is None or not old or not splice.lines:
            continue
        if not manner.number("above", rng) and _is_told(change, splice.lines[0], splice.start):
            shown -= _kept(change, range(run.start, span.start))
        if not manner.number("below", rng) and _is_told(change, splice.lines[-1], splice.end - 1):
            shown -= _kept(change, range(span.end, run.end))
    runs: list[PageSpan] = []
    for number in sorted(shown):
        if runs and runs[-1].end == number:
            runs[-1] = PageSpan(runs[-1].start, number + 1)
        else:
            runs.append(PageSpan(number, number + 1))
    return Page(change, tuple(runs))


def _kept(change: Change, numbers: range) -> set[int]:
    """The lines where all of them are kept ones; none where they tell of another change."""
    return set(numbers) if all(change.origin[number] != NEW for number in numbers) else set()


def _is_told(change: Change, new: str, line: int) -> bool:
    """Whether a new line tells by itself that it stands for this line of the original and no other."""
    ratios = [fuzz.ratio(new.strip(), other.strip()) for other in change.before.lines]
    own = ratios[line]
    return own >= MIN_LIKENESS and all(ratio <= own - MARGIN for at, ratio in enumerate(ratios) if at != line)


def fence_lines(
    page: Page, places: Sequence[ChangedPlace], manner: Manner, language: str, style: MarkerStyle, rng: random.Random
) -> list[str] | None:
    """The lines of one fence, or None where it would show nothing of the file."""
    pieces = pieces_of(page, _layout(page, manner, style, rng), rng)
    if manner.has("abridged", rng):
        habit = rng.choice(list(abridge.HABITS.values()))
        pieces = habit(page, pieces, rng) or pieces
    if manner.has("remark", rng) and language == ENGLISH:
        pieces = _remarked(page, pieces, places, rng)
    if manner.has("flush", rng):
        pieces = drift.flush_left(page, pieces, rng) or pieces
    lines = [piece.text for piece in pieces]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines if any(piece.after != NEW for piece in pieces) else None


def _layout(page: Page, manner: Manner, style: MarkerStyle, rng: random.Random) -> PageLayout:
    layout = PageLayout(
        style=style,
        top=manner.has("top", rng),
        bottom=manner.has("bottom", rng),
        blanks=manner.has("blanks", rng),
        doubled=rng.random() < 0.5,
        shallow=rng.random() < 0.7,
    )
    is_skipping = len(page.runs) > 1 and not manner.has("skips", rng)
    if not is_skipping and not manner.has("markers", rng):
        layout = replace(layout, top=False, bottom=False, unmarked=frozenset(range(1, len(page.runs))))
    return layout if layout.bottom or may_break_off(page, Tier.SLOPPY) else replace(layout, bottom=True)


def marker_style(manner: Manner, language: str, rng: random.Random) -> MarkerStyle:
    """A message's markers: all the same, or words of their own for each, in one form."""
    form = manner.drawn("marker form", rng, "... {w} ...")
    words = phrases()["markers"]
    if language != ENGLISH and rng.random() < 0.8:
        words = {"any": phrases()["foreign"][language]["markers"]}
    elif manner.has("canonical", rng):
        words = {"any": [CANONICAL]}
    elif manner.has("same markers", rng):
        words = {"any": [rng.choice(words["any"])]}
    own = {situation: words[table] for situation, table in SITUATIONS.items() if table in words}
    own[markers.ANY] = words["any"]
    wordings = {
        situation: tuple(form.replace("{w}", text) for text in texts if "{home}" not in text)
        for situation, texts in own.items()
    }
    return MarkerStyle("written", wordings)


def _remarked(
    page: Page, pieces: list[FenceLine], places: Sequence[ChangedPlace], rng: random.Random
) -> list[FenceLine]:
    """The pieces with a comment to the reader above a changed line, or where a part begins."""
    document, tables = page.change.after, phrases()["remarks"]
    at = [n for n, piece in enumerate(pieces) if piece.after != NEW and page.change.origin[piece.after] == NEW]
    starts = [run.start for run in page.runs]
    is_place = rng.random() < 0.5
    if is_place:
        at = [n for n, piece in enumerate(pieces) if piece.after in starts]
    if not at:
        return pieces
    position = rng.choice(at)
    line = pieces[position].after
    place = rng.choice(places)
    words = filled(tables["place" if is_place else rng.choice(("new", "changed"))], place.facts[0].names, rng)
    comments = comments_at(document, line)
    if not words or document.hidden[line] or not (comments.line or comments.block):
        return pieces
    indent = indent_of(pieces[position].text)
    remark = FenceLine(indent + as_comment(words, comments, block=False))
    return [*pieces[:position], remark, *pieces[position:]]
