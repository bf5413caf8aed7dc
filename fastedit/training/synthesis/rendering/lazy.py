"""A change as a lazy edit: snippets with markers, in one fence or one for each place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fastedit.training.synthesis.model import NEW, Change, Tier
from fastedit.training.synthesis.rendering import abridge, drift
from fastedit.training.synthesis.rendering.markers import CLEAR_STYLES, draw_style
from fastedit.training.synthesis.rendering.message import (
    COMMENTS_GONE,
    DECORATORS_GONE,
    DELETIONS,
    DOCSTRINGS_GONE,
    REPLACED,
    WrittenFence,
    deleted_comments,
    deleted_decorators,
    deleted_docstrings,
    deleted_names,
    message,
    tag_of,
)
from fastedit.training.synthesis.rendering.page import Page, PageSpan, innermost
from fastedit.training.synthesis.rendering.plan import (
    MAX_WHOLE,
    Extent,
    ShowPlan,
    draw_plan,
    planned_page,
    spans_in_after,
    without_frames,
)
from fastedit.training.synthesis.rendering.reader import Reader
from fastedit.training.synthesis.rendering.snippet import FenceLine, PageLayout, pieces_of

MAX_SHOWN = 160
FAR_APART = 12
MIN_MOVED = 8  # characters: braces and the like come and go everywhere
LIKE_MARKER = re.compile(r"\.\.\.|…|\b(?:existing|unchanged|rest of|same as|as before|snip)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message and the names of the habits that it shows."""

    text: str
    habits: tuple[str, ...]


class Habits(list[str]):
    """The habits of one message in the order in which they came in, each once."""

    def note(self, habit: str) -> None:
        if habit not in self:
            self.append(habit)


def render_lazy(change: Change, tier: Tier, rng: random.Random) -> Rendered | None:
    """A lazy edit that a careful reader can apply in one way only, or None where none was found."""
    if not is_tellable(change):
        return None
    habits = Habits()
    plan = _draw_plan(change, tier, rng, habits)
    pages = _pages(change, plan, rng, habits)
    if not pages or sum(run.end - run.start for page in pages for run in page.runs) > MAX_SHOWN:
        return None
    notes: list[str] = []
    layout = _draw_layout(pages, tier, rng, habits, notes)
    fences = _fences(pages, layout, tier, rng, habits)
    notes += _notes_on_deletions(change, rng)
    if not fences or (tier is Tier.SLOPPY and not habits):
        return None
    if tier is Tier.CLEAR and deleted_names(change) and not _has_marker(pages, layout):
        return None
    return Rendered(message(change, fences, tier, rng, notes=notes), tuple(habits))


def is_tellable(change: Change) -> bool:
    """Whether snippets can say the change at all: not one of white space alone, nor one that writes markers."""
    if any(drift.is_respacing(change.before.lines[s.start : s.end], s.lines) for s in change.splices):
        return False
    if _filled(change.before.lines) == _filled(change.after.lines):
        return False  # blank lines alone: a snippet has its own
    return not any(LIKE_MARKER.search(line) for splice in change.splices for line in splice.lines)


def _filled(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _fences(
    pages: Sequence[Page], layout: PageLayout, tier: Tier, rng: random.Random, habits: Habits
) -> list[WrittenFence]:
    """The fences of all pages; none where one would show nothing of the file."""
    indentation = _draw_drift(tier, rng)
    fences = []
    for page in pages:
        lines = _fence_lines(page, layout, tier, indentation, rng, habits)
        if lines is None:
            return []
        fences.append(WrittenFence(lines, tag_of(page.change.before, rng)))
    return fences


def _notes_on_deletions(change: Change, rng: random.Random) -> list[str]:
    """Sentences of prose about all that goes, for a reader can't tell what is left out from what is gone."""
    gone: list[tuple[Sequence[str], Sequence[tuple[str, str]]]] = [
        (DELETIONS, [("", name) for name in deleted_names(change)]),
        (DECORATORS_GONE, deleted_decorators(change)),
        (COMMENTS_GONE, [(text, "") for text in deleted_comments(change)]),
        (DOCSTRINGS_GONE, [("", name) for name in deleted_docstrings(change)]),
    ]
    notes = []
    for sentences, entries in gone:
        if entries:
            sentence = rng.choice(sentences)
            notes += [sentence.replace("{text}", text).replace("{name}", name) for text, name in entries]
    return notes


def may_break_off(page: Page, tier: Tier) -> bool:
    """Whether a fence may end without a marker: not where a declaration would seem to be shown whole."""
    last = page.runs[-1].end
    for declaration in page.change.after.declarations:
        if not declaration.header_line < last < declaration.end_line or declaration.kind not in ("function", "class"):
            continue
        if not any(run.start <= declaration.header_line < run.end for run in page.runs):
            continue
        has_marker = any(declaration.header_line < run.start for run in page.runs)
        if not has_marker or (declaration.kind == "function" and tier is Tier.CLEAR):
            return False
    return True


def _has_marker(pages: Sequence[Page], layout: PageLayout) -> bool:
    """Whether some gap has a marker, so that a place without one says that something was deleted."""
    return layout.top or layout.bottom or any(len(page.runs) > 1 for page in pages)


def _draw_plan(change: Change, tier: Tier, rng: random.Random, habits: Habits) -> ShowPlan:
    plan = draw_plan(rng)
    habits.note(f"extent: {plan.extent}") if tier is Tier.CLEAR else None
    if tier is Tier.HARD:
        plan = replace(plan, by_order=True)
    if tier is not Tier.CLEAR and rng.random() < 0.2 and _in_functions(change):
        habits.note("no class")
        return without_frames(replace(plan, extent=Extent.DECLARATION))
    if tier is not Tier.CLEAR and rng.random() < 0.4:
        habits.note("no class")
        return without_frames(plan)
    if tier is Tier.CLEAR:
        plan = replace(plan, with_blocks=True, only_telling=True)
    if plan.extent is Extent.DECLARATION and rng.random() < 0.3 and _in_functions(change):
        return without_frames(plan)
    if tier is Tier.CLEAR:
        return plan
    return replace(plan, with_closers=rng.random() < 0.85)


def _in_functions(change: Change) -> bool:
    """Whether every change lies in a function that is shown whole."""
    homes = [innermost(change.after, min(span.start, len(change.after.lines) - 1)) for span in spans_in_after(change)]
    return all(home is not None and home.end_line - home.start_line <= MAX_WHOLE for home in homes)


def _pages(change: Change, plan: ShowPlan, rng: random.Random, habits: Habits) -> list[Page]:
    """One page for the whole change, or one for each place where the places are far apart."""
    groups = _groups(change)
    if len(groups) > 1 and not plan.by_order and not moves(change) and rng.random() < 0.3:
        pages = [planned_page(change, plan, group) for group in groups]
        found = [page for page in pages if page is not None]
        if len(found) == len(groups) and are_apart(change, found, groups):
            habits.note("a fence for each place")
            return found
    page = planned_page(change, plan)
    return [page] if page is not None else []


def moves(change: Change) -> bool:
    """Whether a line goes in one place and comes in another: the two have to be shown together."""
    gone = {line.strip() for s in change.splices for line in change.before.lines[s.start : s.end]}
    come = {line.strip() for s in change.splices for line in s.lines}
    return any(line in come for line in gone if len(line) >= MIN_MOVED)


def _groups(change: Change) -> list[list[int]]:
    """The splices, those near each other together."""
    groups: list[list[int]] = []
    for index, splice in enumerate(change.splices):
        if groups and splice.start - change.splices[groups[-1][-1]].end < FAR_APART:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def are_apart(change: Change, pages: Sequence[Page], groups: Sequence[Sequence[int]]) -> bool:
    """Whether no page shows anything of the changes of another one."""
    spans = spans_in_after(change)
    for page, group in zip(pages, groups, strict=True):
        others = [spans[index] for index in range(len(spans)) if index not in group]
        if any(_touch(run, other) for run in page.runs for other in others):
            return False
    return True


def _touch(run: PageSpan, other: PageSpan) -> bool:
    return run.start <= other.end and other.start <= run.end


def _draw_layout(pages: Sequence[Page], tier: Tier, rng: random.Random, habits: Habits, notes: list[str]) -> PageLayout:
    style = draw_style(rng, tier)
    if style not in CLEAR_STYLES:
        habits.note(f"markers: {style.name}")
    careless = {Tier.CLEAR: 0.12, Tier.SLOPPY: 0.45, Tier.HARD: 0.3}[tier]
    is_split = tier is Tier.CLEAR or rng.random() < 0.6
    layout = PageLayout(
        style=style,
        block_comments=rng.random() < 0.12,
        top=rng.random() > careless,
        bottom=rng.random() > careless,
        blanks=rng.random() < 0.85,
        doubled=is_split,
        shallow=is_split,
    )
    if tier is not Tier.CLEAR and rng.random() < 0.5:
        layout = _unmarked(pages, layout, habits, notes)
    if not layout.bottom and not all(may_break_off(page, tier) for page in pages):
        layout = replace(layout, bottom=True)
    if tier is not Tier.CLEAR and not (layout.top and layout.bottom):
        habits.note("no marker at an end")
    return layout


def _unmarked(pages: Sequence[Page], layout: PageLayout, habits: Habits, notes: list[str]) -> PageLayout:
    """Takes the markers from between whole declarations, where every run is one and nothing was deleted."""
    if len(pages) != 1 or len(pages[0].runs) < 2 or deleted_names(pages[0].change):
        return layout
    page = pages[0]
    if not all(_is_whole(page, run) for run in page.runs):
        return layout
    habits.note("no marker between declarations")
    notes.append(REPLACED)
    return replace(layout, top=False, bottom=False, unmarked=frozenset(range(1, len(page.runs))))


def _is_whole(page: Page, run: PageSpan) -> bool:
    """Whether the run is one declaration, whole, that the original has by the same name."""
    declaration = innermost(page.change.after, run.start)
    if declaration is None or declaration.end_line != run.end or run.start > declaration.header_line:
        return False
    return any(d.name == declaration.name and d.kind == declaration.kind for d in page.change.before.declarations)


def _fence_lines(
    page: Page, layout: PageLayout, tier: Tier, indentation: str, rng: random.Random, habits: Habits
) -> tuple[str, ...] | None:
    pieces = pieces_of(page, layout, rng)
    for habit, changed in _abridged(page, pieces, tier, rng):
        habits.note(habit)
        pieces = changed
    if tier is not Tier.CLEAR:
        pieces = _misquoted(page, pieces, tier, rng, habits)
        pieces = _drifted(page, pieces, indentation, rng, habits)
    lines = [piece.text for piece in pieces]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return tuple(lines) if any(piece.after != NEW for piece in pieces) else None


def _abridged(
    page: Page, pieces: list[FenceLine], tier: Tier, rng: random.Random
) -> Iterator[tuple[str, list[FenceLine]]]:
    """The pieces after each habit of leaving out that takes hold."""
    if tier is Tier.CLEAR:
        return
    if rng.random() < 0.4 and (changed := abridge.removal_comments(page, pieces, rng)):
        pieces = changed
        yield "removal comment", pieces
    if tier is Tier.HARD and (changed := abridge.elided_wrap(page, pieces, rng)):
        pieces = changed
        yield "elided inside a wrap", pieces
    for habit in rng.sample(list(abridge.HABITS), len(abridge.HABITS)):
        likely = 0.08 if habit in ("path comment", "locator comment") else 0.35
        if rng.random() < likely and (changed := abridge.HABITS[habit](page, pieces, rng)):
            pieces = changed
            yield habit, pieces
            return


def _misquoted(page: Page, pieces: list[FenceLine], tier: Tier, rng: random.Random, habits: Habits) -> list[FenceLine]:
    """Some kept lines quoted inexactly, as long as nothing has to rest on them."""
    if rng.random() > (0.4 if tier is Tier.SLOPPY else 0.2):
        return pieces
    quotes = drift.misquoted_lines(page, pieces, rng, rng.randint(1, 3))
    if not quotes or Reader(page, by_order=tier is Tier.HARD, misquoted=frozenset(quotes)).doubts():
        return pieces
    for _, habit in quotes.values():
        habits.note(habit)
    return [replace(p, text=quotes[p.after][0]) if p.after in quotes and p.gap < 0 else p for p in pieces]


def _draw_drift(tier: Tier, rng: random.Random) -> str:
    """Draws the name of a drift for the message's indentation, or "" for none."""
    if rng.random() > {Tier.CLEAR: 0.0, Tier.SLOPPY: 0.55, Tier.HARD: 0.2}[tier]:
        return ""
    return rng.choice(list(drift.INDENT_DRIFTS))


def _drifted(page: Page, pieces: list[FenceLine], habit: str, rng: random.Random, habits: Habits) -> list[FenceLine]:
    """The snippet's indentation moved as a whole, where it can be."""
    changed = drift.INDENT_DRIFTS[habit](page, pieces, rng) if habit else None
    if changed is None:
        return pieces
    habits.note(habit)
    return changed
