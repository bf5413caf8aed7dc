"""Makes snippets careless in ways that a careful reader still reads right: indentation and quotations drift.

Only the white space in front of new lines changes, and only evenly, so that the indentation that they must get can
be told from the kept lines around them. Kept lines may be misquoted in more ways: the original's bytes win.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fastedit.lines import indent_of
from fastedit.training.synthesis.corpus import is_balanced
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import NEW
from fastedit.training.synthesis.rendering.page import Page
from fastedit.training.synthesis.rendering.snippet import FenceLine

Drift = Callable[[Page, list[FenceLine], random.Random], list[FenceLine] | None]
MIN_WRAPPED = 10  # shorter pieces of a line occur in others by chance
UNITS = ("  ", "    ", "\t")


def flush_left(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """The snippet without the indentation that all its lines share; None where they share none."""
    indents = [indent_of(piece.text) for piece in pieces if piece.text.strip()]
    shared = min(indents, key=len, default="")
    if not shared or any(not indent.startswith(shared) for indent in indents):
        return None
    return [replace(piece, text=piece.text[len(shared) :] if piece.text.strip() else "") for piece in pieces]


def shifted(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """The snippet with every line a few columns to the right, as if pasted into a list."""
    if any(piece.text.startswith("\t") for piece in pieces):
        return None
    more = " " * rng.choice((1, 2, 3, 4, 8))
    return [replace(piece, text=more + piece.text if piece.text.strip() else "") for piece in pieces]


def other_unit(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """The snippet with levels of indentation written as another number of spaces, or spaces for tabs.

    None where the file has no even levels, or a new line stands between two levels.
    """
    unit = page.change.after.unit
    new_lines = [piece.text for piece in pieces if piece.after != NEW and page.change.origin[piece.after] == NEW]
    if any(_levels(line, unit) is None for line in new_lines if line.strip()):
        return None
    other = rng.choice([candidate for candidate in UNITS if candidate != unit])
    if other == "\t" and rng.random() < 0.5:
        return None
    return [replace(piece, text=_in_unit(piece.text, unit, other)) for piece in pieces]


def _levels(line: str, unit: str) -> int | None:
    indent = indent_of(line)
    if len(indent) % len(unit) or indent != unit * (len(indent) // len(unit)):
        return None
    return len(indent) // len(unit)


def _in_unit(line: str, unit: str, other: str) -> str:
    levels = 0
    rest = line
    while rest.startswith(unit):
        levels, rest = levels + 1, rest[len(unit) :]
    return other * levels + rest


INDENT_DRIFTS: dict[str, Drift] = {"flush left": flush_left, "shifted": shifted, "other unit": other_unit}


def droppable_comment(document: Document, line: str) -> str | None:
    """The line without its trailing comment, or None where it has none that is safe to drop."""
    for start in document.comments.line:
        match = re.search(rf"\s+{re.escape(start)} .*$", line)
        if match and line[: match.start()].strip() and "'" not in match.group() and '"' not in match.group():
            return line[: match.start()]
    return None


def other_spacing(document: Document, line: str) -> str | None:
    """The line with aligned columns or inner padding folded, or None where there are none."""
    indent, rest = indent_of(line), line.strip()
    folded = re.sub(r"(?<=\S) {2,}(?=\S)", " ", rest)
    if folded == rest:
        folded = re.sub(r"([(\[{]) (?=\S)|(?<=\S) ([)\]}])", lambda m: m.group(1) or m.group(2), rest)
    return indent + folded if folded != rest else None


def trailing_space(document: Document, line: str) -> str | None:
    """The line with stray white space at its end."""
    return line + "  " if line.strip() and not line.endswith((" ", "\\")) else None


def shortened_comment(document: Document, line: str) -> str | None:
    """A comment line of some length cut short."""
    stripped = line.strip()
    if not stripped.startswith(document.comments.line or ("\0",)) or len(stripped.split()) < 7:
        return None
    return indent_of(line) + " ".join(stripped.split()[:5]) + " ..."


MISQUOTES: dict[str, Callable[[Document, str], str | None]] = {
    "comment dropped": droppable_comment,
    "spacing folded": other_spacing,
    "comment shortened": shortened_comment,
    "trailing space": trailing_space,
}
SHARE_OF_STRAY_SPACE = 0.15  # it fits every line, so that it would crowd out the others


def misquoted_lines(
    page: Page, pieces: Sequence[FenceLine], rng: random.Random, most: int
) -> dict[int, tuple[str, str]]:
    """Up to `most` kept lines of the page and how they are misquoted: line of the changed file -> (text, habit)."""
    document = page.change.after
    kept = [p for p in pieces if p.after != NEW and page.change.origin[p.after] != NEW and p.text.strip()]
    rng.shuffle(kept)
    result: dict[int, tuple[str, str]] = {}
    habits = list(MISQUOTES.items()) if rng.random() < SHARE_OF_STRAY_SPACE else list(MISQUOTES.items())[:-1]
    for piece in kept:
        if len(result) >= most:
            break
        if document.hidden[piece.after] or not is_balanced(piece.text):
            continue
        for habit, misquote in rng.sample(habits, len(habits)):
            text = misquote(document, piece.text)
            if text is not None:
                result[piece.after] = (text, habit)
                break
    return result


def is_respacing(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether some of the new lines are old ones but for white space or line breaks: a snippet can't say that, since
    context that is quoted with other white space or wrapped otherwise is still context."""
    old_lines, new_lines = _unspaced(old), _unspaced(new)
    if sorted(old_lines) == sorted(new_lines):
        return bool(old)
    old_text, new_text = "".join(old_lines), "".join(new_lines)
    return any(line in old_text for line in new_lines if len(line) >= MIN_WRAPPED and line not in old_lines) or any(
        line in new_text for line in old_lines if len(line) >= MIN_WRAPPED and line not in new_lines
    )


def _unspaced(lines: Sequence[str]) -> list[str]:
    folded = ("".join(line.split()).rstrip(",") for line in lines)
    return [line for line in folded if line]
