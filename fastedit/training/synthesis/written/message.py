"""A change as one written message."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fastedit.training.synthesis.model import Change
from fastedit.training.synthesis.rendering.lazy import MAX_SHOWN, Rendered, is_tellable
from fastedit.training.synthesis.rendering.message import (
    deleted_comments,
    deleted_decorators,
    deleted_docstrings,
    deleted_names,
)
from fastedit.training.synthesis.written.facts import places_of
from fastedit.training.synthesis.written.habits import Manner, MeasuredHabits, habits
from fastedit.training.synthesis.written.prose import ENGLISH, Teller
from fastedit.training.synthesis.written.snippets import fence_lines, marker_style, pages_of


def render_written(change: Change, rng: random.Random, known: MeasuredHabits | None = None) -> Rendered | None:
    """A message about the change, or None where none was found that a careful reader can apply in one way only."""
    if not is_tellable(change):
        return None
    known = known or habits()
    manner = known.manner(rng)
    pages = pages_of(change, manner, rng)
    if not pages or sum(run.end - run.start for page, _ in pages for run in page.runs) > MAX_SHOWN:
        return None
    language = manner.drawn("language", rng, ENGLISH)
    places = places_of(change)
    teller = Teller(manner, places, language, rng)
    style = marker_style(manner, language, rng)
    is_fenced = len(pages) > 1 or not manner.has("unfenced", rng)
    opening, closing = _around(change, teller, manner, rng, is_needed=not is_fenced)
    parts = [opening]
    is_numbered, is_bold = len(pages) > 1 and manner.has("numbered", rng), manner.has("bold", rng)
    for number, (page, group) in enumerate(pages):
        own = [places[index] for index in group]
        lines = fence_lines(page, own, manner, language, style, rng)
        if lines is None:
            return None
        lead = teller.lead(own) if number or is_numbered else ""
        lead = f"**{own[0].home}**" if number and is_bold and own[0].home else lead
        parts.append(f"{number + 1}. {lead}" if is_numbered and lead else lead)
        parts.append(_fenced(lines, known.tag(change.before.language, rng)) if is_fenced else "\n".join(lines))
    parts.append(closing)
    return Rendered("\n\n".join(part for part in parts if part) + "\n", (f"written: {manner.name}",))


def _around(change: Change, teller: Teller, manner: Manner, rng: random.Random, *, is_needed: bool) -> tuple[str, str]:
    """The prose before and behind the fences: all that goes is told in one of them."""
    opening = teller.opening() if is_needed or manner.has("opening", rng) else ""
    closing = teller.closing() if not is_needed and manner.has("closing", rng) else ""
    gone = _gone(change, teller)
    if not gone:
        return opening, closing
    if closing or is_needed or rng.random() < 0.5:
        return " ".join((opening.rstrip(":") + "." * opening.endswith(":"), gone)).strip(), closing
    return opening, gone


def _gone(change: Change, teller: Teller) -> str:
    """Sentences about what a snippet can't show to be gone."""
    lines = [text for text, _ in deleted_decorators(change)] + deleted_comments(change)
    told = [teller.gone(deleted_names(change)), teller.gone(lines, are_lines=True)]
    told.append(teller.gone([f"{name}'s docstring" for name in deleted_docstrings(change)]))
    return " ".join(text for text in told if text)


def _fenced(lines: Sequence[str], tag: str) -> str:
    mark = "```"
    while any(line.lstrip().startswith(mark) for line in lines):
        mark += "`"
    return "\n".join([mark + tag, *lines, mark])
