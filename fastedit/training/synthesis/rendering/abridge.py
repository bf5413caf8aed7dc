"""Habits of leaving out parts of shown declarations (parameters, docstrings, bodies), and of remarking on changes.

Each habit gives the changed pieces, or None where the page has no place for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from fastedit.lines import indent_of
from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.model import NEW
from fastedit.training.synthesis.rendering.markers import as_comment, joined
from fastedit.training.synthesis.rendering.message import deleted_names
from fastedit.training.synthesis.rendering.page import Page, innermost, is_new
from fastedit.training.synthesis.rendering.plan import spans_in_after
from fastedit.training.synthesis.rendering.reader import Reader
from fastedit.training.synthesis.rendering.snippet import FenceLine, comments_at

Habit = Callable[[Page, list[FenceLine], random.Random], list[FenceLine] | None]


def _shown_declarations(page: Page) -> list[Declaration]:
    """Functions of the changed file that the original has under the same, telling name, header shown."""
    reader = Reader(page)
    return [
        d
        for line, d in reader.named_after.items()
        if d.kind == "function" and line in reader.shown and reader.counterpart(d) is not None
    ]


def _kept_headers(page: Page) -> list[Declaration]:
    """The shown functions whose whole header is shown as it was, nothing deleted in it either."""
    return [
        d
        for d in _shown_declarations(page)
        if all(_is_shown(page, n) for n in range(d.header_line, d.body_line))
        and _is_kept(page.change.origin[d.header_line : d.body_line])
    ]


def _is_kept(origin: Sequence[int]) -> bool:
    """Whether lines with these origins stood right below each other before."""
    return NEW not in origin and all(after == before + 1 for before, after in pairwise(origin))


def _is_shown(page: Page, number: int) -> bool:
    return any(run.start <= number < run.end for run in page.runs)


def elided_parameters(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Writes `def f(...):` for a header that stays, or a marker between the first and the last line of a long one."""
    for declaration in rng.sample(headers := _kept_headers(page), len(headers)):
        first, last = declaration.header_line, declaration.body_line - 1
        if last - first >= 3:
            return _marker_for_parameters(page, pieces, first, last, rng)
        line = page.change.after.lines[first]
        start, end = line.find("("), line.rfind(")")
        if last == first and 0 < start < end and line[start:end].count(",") >= 2 and line.count("(") == 1:
            short = rng.choice(("...", f"{line[start + 1 : end].split(',')[0]}, ..."))
            return [replace(p, text=line[: start + 1] + short + line[end:]) if p.after == first else p for p in pieces]
    return None


def _marker_for_parameters(
    page: Page, pieces: list[FenceLine], first: int, last: int, rng: random.Random
) -> list[FenceLine] | None:
    document = page.change.after
    if document.lines[last].strip()[:1] not in (")", "}"):
        return None
    words = rng.choice(("... same parameters ...", "...", "[same parameters]", "... existing parameters ..."))
    marker = indent_of(document.lines[first + 1]) + as_comment(words, comments_at(document, first), block=False)
    return _replaced(pieces, range(first + 1, last), [FenceLine(marker)])


def _replaced(pieces: list[FenceLine], numbers: range, new: list[FenceLine]) -> list[FenceLine]:
    """The pieces with those of the given lines taken out and others put there."""
    result: list[FenceLine] = []
    for piece in pieces:
        if piece.after in numbers:
            result.extend(new if piece.after == numbers.start else [])
        else:
            result.append(piece)
    return result


def joined_header(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Quotes a header of several lines that stays on one line."""
    lines = page.change.after.lines
    for declaration in _kept_headers(page):
        first, last = declaration.header_line, declaration.body_line - 1
        if not 1 <= last - first <= 6 or lines[last].strip()[:1] != ")" or not lines[first].rstrip().endswith("("):
            continue
        inner = " ".join(line.strip() for line in lines[first + 1 : last]).rstrip(",")
        if "#" in inner or "//" in inner:
            continue
        return _replaced(pieces, range(first, last + 1), [FenceLine(lines[first] + inner + lines[last].strip(), first)])
    return None


def elided_docstring(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Writes `\"\"\"...\"\"\"` or a marker for a docstring that stays."""
    document = page.change.after
    if not document.traits.triple_quotes:
        return None
    for declaration in _shown_declarations(page):
        numbers = _docstring(page, declaration)
        if numbers is None:
            continue
        quotes = document.lines[numbers.start].strip()[:3]
        words = rng.choice(
            (f"{quotes}...{quotes}", f"{quotes} (docstring unchanged) {quotes}", "# ... docstring unchanged ...")
        )
        return _replaced(pieces, numbers, [FenceLine(indent_of(document.lines[numbers.start]) + words)])
    return None


def _docstring(page: Page, declaration: Declaration) -> range | None:
    """The lines of a declaration's docstring where it is kept and shown, and something shown follows it."""
    lines, hidden = page.change.after.lines, page.change.after.hidden
    start = declaration.body_line
    if start >= declaration.end_line or lines[start].strip()[:3] not in ('"""', "'''"):
        return None
    end = start + 1
    while end < declaration.end_line and hidden[end]:
        end += 1
    numbers = range(start, end)
    if end >= declaration.end_line or not all(
        _is_shown(page, n) and not is_new(page.change, n) for n in range(start, end + 1)
    ):
        return None
    return numbers


def stub_bodies(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Writes `def f(a): ...` where all of the body is elided (Python)."""
    if not page.change.after.traits.triple_quotes:
        return None
    bodies = {(d.body_line - 1): d for d in _shown_declarations(page)}
    result: list[FenceLine] = []
    found = False
    for piece in pieces:
        header = result[-1].after if result else NEW
        gap = page.gaps[piece.gap] if piece.gap >= 0 else None
        if gap is not None and header in bodies and _is_body(page, bodies[header], gap.start, gap.end):
            result[-1] = replace(result[-1], text=result[-1].text + " ...")
            found = True
        else:
            result.append(piece)
    return result if found else None


def _is_body(page: Page, declaration: Declaration, start: int, end: int) -> bool:
    lines = page.change.after.lines
    rest = [n for n in range(declaration.end_line, end) if lines[n].strip()]
    return start <= declaration.body_line and not rest and end >= declaration.end_line


REMOVALS: tuple[str, ...] = (
    "removed: {names}",
    "DELETED: {names}",
    "{names} removed",
    "{names} is gone",
    "[{names} deleted]",
)


def removal_comments(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Adds a comment where a deleted declaration was."""
    document, names = page.change.before, deleted_names(page.change)
    for span, splice in zip(spans_in_after(page.change), page.change.splices, strict=True):
        gone = [
            d.name
            for d in document.declarations
            if splice.start <= d.header_line and d.end_line <= splice.end and d.name in names
        ]
        position = next((i for i, piece in enumerate(pieces) if piece.after == span.start), None)
        if not gone or span.end > span.start or position is None or position == 0:
            continue
        words = rng.choice(REMOVALS).replace("{names}", joined(gone))
        first = next(n for n in range(splice.start, splice.end) if document.lines[n].strip())
        comment = indent_of(document.lines[first]) + as_comment(words, comments_at(document, first), block=False)
        while position > 0 and not pieces[position - 1].text.strip():
            position -= 1
        return [*pieces[:position], FenceLine(""), FenceLine(comment), *pieces[position:]]
    return None


def path_comment(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Adds the file's name in a comment on top."""
    document = page.change.before
    comments = comments_at(document, 0)
    if (not comments.line and not comments.block) or document.language in ("json", "markdown", ""):
        return None
    blanks = [FenceLine("")] * rng.randint(0, 1)
    return [FenceLine(as_comment(document.path, comments, block=False)), *blanks, *pieces]


LOCATORS: tuple[str, ...] = ("{name}()", "in {name}", "{home}.{name}", "inside {name}()", "{name}")


def locator_comment(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Adds a comment above lines of a function that says which function they are of, where its header isn't shown."""
    document, reader = page.change.after, Reader(page)
    for run in page.runs:
        function = innermost(document, run.start)
        if function is None or not function.name.isidentifier() or function.header_line >= run.start:
            continue
        if any(r.start <= function.header_line < r.end for r in page.runs) or reader.counterpart(function) is None:
            continue
        parent = document.declarations[function.parent].name if function.parent >= 0 else ""
        words = rng.choice([text for text in LOCATORS if parent or "{home}" not in text])
        words = words.replace("{name}", function.name).replace("{home}", parent)
        position = next((index for index, piece in enumerate(pieces) if piece.after == run.start), None)
        if position is None:
            continue
        comment = as_comment(words, comments_at(document, run.start), block=rng.random() < 0.2)
        indent = indent_of(document.lines[run.start])
        return [*pieces[:position], FenceLine(indent + comment), *pieces[position:]]
    return None


MIN_ELIDED = 3  # lines inside a wrapped block that are worth a marker


def elided_wrap(page: Page, pieces: list[FenceLine], rng: random.Random) -> list[FenceLine] | None:
    """Puts a marker for the inner lines of a block that moves right whole; its first and last line stay shown."""
    change = page.change
    for span, splice in zip(spans_in_after(change), change.splices, strict=True):
        old = change.before.lines[splice.start : splice.end]
        start = span.start + _moved(old, splice.lines)
        inner = range(start + 1, start + len(old) - 1)
        if start < span.start or len(inner) < MIN_ELIDED or not all(_is_shown(page, n) for n in inner):
            continue
        if any(change.before.lines.count(line) > 1 for line in (old[0], old[-1])):
            continue
        text = next(n for n in inner if change.after.lines[n].strip())
        words = as_comment("... existing code ...", comments_at(change.after, text), block=False)
        return _replaced(pieces, inner, [FenceLine(indent_of(change.after.lines[start]) + words)])
    return None


def _moved(old: Sequence[str], new: Sequence[str]) -> int:
    """The index in the new lines at which the old ones stand, all of them moved to the right; -1 where they don't."""
    if len(old) < MIN_ELIDED + 2:
        return -1
    stripped = [line.strip() for line in old]
    for start in range(len(new) - len(old) + 1):
        part = new[start : start + len(old)]
        if [line.strip() for line in part] == stripped and part[0] != old[0]:
            return start
    return -1


HABITS: dict[str, Habit] = {
    "locator comment": locator_comment,
    "parameters elided": elided_parameters,
    "header joined": joined_header,
    "docstring elided": elided_docstring,
    "stub bodies": stub_bodies,
    "path comment": path_comment,
}
