"""Everyday edits among like siblings: elements of markup, items of lists, sections of texts.

One of several is put back where it was, or changed, below a marker that stands for the others. What a reader goes by is
whether the last one shown is one that the file has, changed, or another one of its kind.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastedit.lines import indent_of
from fastedit.training.alignment.additions import Addition, marker_line

MAX_LINES = 700
MAX_UNIT, MAX_SHOWN = 24, 6  # lines of a sibling, and of a neighbour that is shown
MIN_SIBLINGS = 3
LAST = 0.7  # the share of edits to the last sibling
CHANGED = 0.35  # the share of edits that change a sibling
RARE = 0.7  # the share of edits to elements and sections, in files that have such
TEXTS = frozenset({"markdown", "rst"})
MARKUP = frozenset({"html", "xml", "vue", "svelte", "tsx", "jsx"})
_MARKERS = (
    "... existing {} ...", "existing {}", "(the {} that you have)", "... {} as before ...", "other {} unchanged",
    "the {} so far", "...", "... the other {} ...", "{} above stay as they are", "(existing {})", "same {} as now",
    "keep the {}",
)  # fmt: skip
_ADDED = ("", "", "One more:", "Add it at the end of the {}:", "It goes last:", "A new one behind the others:")
_CHANGED = ("", "", "Here is the change:", "The last one is another now:", "Updated:")
_ITEM = re.compile(r"\s*(?:[-*+]\s|[\"'`\w{(\[].*,\s*$)")
_OPENING = re.compile(r"\s*<([A-Za-z][\w.:-]*)(?=[\s>/])")
_HEADING = re.compile(r"#{1,4} \S")
_UNDERLINE = re.compile(r"([=\-~^*\"'+#.`:])\1{2,}\s*$")
_NUMBER, _WORD = re.compile(r"\d+"), re.compile(r"(?<![<\w/])[a-z]{4,}(?![\w=(>])")


@dataclass(frozen=True, slots=True)
class _Siblings:
    """Lines [start, end) of each sibling, with the line above that opens their block and the one that closes it."""

    spans: tuple[tuple[int, int], ...]
    opener: int | None
    closer: int | None
    noun: str


def sibling_edit(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """One edit for a file; None where it has no siblings. Its lines come without line ends."""
    if len(lines) > MAX_LINES or any("```" in line for line in lines):
        return None
    groups = [one for one in _groups(lines, language) if len(one.spans) >= MIN_SIBLINGS]
    if not groups:
        return None
    rare = [one for one in groups if one.noun not in ("entries", "items")]
    group = chance.choice(rare if rare and chance.random() < RARE else groups)
    at = len(group.spans) - 1 if chance.random() < LAST else chance.randrange(1, len(group.spans))
    start, end = group.spans[at]
    if end - start > MAX_UNIT or not lines[start].strip():
        return None
    if chance.random() < CHANGED:
        return _changed(lines, language, group, at, chance)
    gap = start - group.spans[at - 1][1]
    shown = list(lines[start:end])
    if at < len(group.spans) - 1:
        before = lines[slice(*group.spans[at - 1])]
        if len(before) > MAX_SHOWN:
            return None
        shown = [*before, *[""] * gap, *shown]
        gap = 0
    result = list(lines)
    original = [*lines[: group.spans[at - 1][1]], *lines[end:]]
    words = chance.choice(_ADDED).format(group.noun) if at == len(group.spans) - 1 else ""
    return Addition(original, words, _framed(lines, language, group, shown, gap, chance), result)


def _changed(lines: Sequence[str], language: str, group: _Siblings, at: int, chance: random.Random) -> Addition | None:
    """A sibling with another number, or another word, in one of its lines."""
    start, end = group.spans[at]
    places = [
        (line, found)
        for line in range(start, end)
        for found in (*_NUMBER.finditer(lines[line]), *_WORD.finditer(lines[line]))
    ]
    if not places or (end - start == 1 and len(lines[start].split()) < 2):  # of one word little would be left
        return None
    line, found = chance.choice(places)
    text = found.group()
    new = str(int(text) + 1) if text.isdigit() else f"{text}_{chance.choice(('next', 'more', 'v2'))}"
    changed = lines[line][: found.start()] + new + lines[line][found.end() :]
    result = [*lines[:line], changed, *lines[line + 1 :]]
    gap = start - group.spans[at - 1][1]
    tail = [] if at == len(group.spans) - 1 else [_marker(language, indent_of(lines[start]), "...")]
    shown = [*result[start:end], *tail]
    words = chance.choice(_CHANGED)
    return Addition(list(lines), words, _framed(lines, language, group, shown, gap, chance), result)


def _framed(
    lines: Sequence[str], language: str, group: _Siblings, shown: Sequence[str], gap: int, chance: random.Random
) -> list[str]:
    """The lines shown below a marker, mostly between those that open and close the block."""
    first = next(line for line in shown if line.strip())
    marker = _marker(language, indent_of(first), chance.choice(_MARKERS).format(group.noun))
    inside = [marker, *[""] * (gap if chance.random() < 0.7 else min(gap, 1)), *shown]
    if group.opener is None or chance.random() < 0.3:
        return inside
    closing = [lines[group.closer]] if group.closer is not None and chance.random() < 0.85 else []
    return [lines[group.opener], *inside, *closing]


def _marker(language: str, indent: str, text: str) -> str:
    """A marker's words as a comment; in a text half of them stand as they are."""
    return f"{indent}{text}" if language in TEXTS and len(text) % 2 else marker_line(language, indent, text)


def _groups(lines: Sequence[str], language: str) -> Iterator[_Siblings]:
    """Yields what a file has of siblings."""
    if language in TEXTS:
        yield from _sections(lines, language)
    if language in MARKUP:
        yield from _elements(lines)
    yield from _items(lines)


def _items(lines: Sequence[str]) -> Iterator[_Siblings]:
    """Yields the items, each in one line, between a line that ends in a bracket and the one that closes it."""
    for opener, line in enumerate(lines):
        if not line.rstrip().endswith(("[", "(", "{", ":")):
            continue
        spans, at = [], opener + 1
        indent = indent_of(lines[at]) if at < len(lines) else ""
        while at < len(lines) and indent_of(lines[at]) == indent and _ITEM.match(lines[at]):
            spans.append((at, at + 1))
            at += 1
        is_closed = at < len(lines) and lines[at].strip().startswith(("]", ")", "}"))
        is_list = bool(spans) and lines[spans[0][0]].lstrip().startswith(("- ", "* ", "+ "))
        if len(indent) > len(indent_of(line)) and (is_closed or is_list):
            yield _Siblings(tuple(spans), opener, at if is_closed else None, "entries" if is_closed else "items")


def _elements(lines: Sequence[str]) -> Iterator[_Siblings]:
    """Yields elements of one name right below each other, at one column."""
    at = 0
    while at < len(lines):
        found = _OPENING.match(lines[at])
        spans: list[tuple[int, int]] = []
        first = at
        while found is not None:
            end = _end_of_element(lines, at, found[1])
            if end is None:
                break
            spans.append((at, end))
            at = end
            while at < len(lines) and not lines[at].strip():
                at += 1
            following = _OPENING.match(lines[at]) if at < len(lines) else None
            same = (
                following is not None and following[1] == found[1] and indent_of(lines[at]) == indent_of(lines[first])
            )
            found = following if same else None
        if len(spans) >= MIN_SIBLINGS:
            name = (_OPENING.match(lines[first]) or ["", "element"])[1]
            above = first - 1 if first and _OPENING.match(lines[first - 1]) else None
            below = spans[-1][1]
            closes = above is not None and below < len(lines) and lines[below].strip().startswith("</")
            yield _Siblings(tuple(spans), above, below if closes else None, f"{name}s")
        at = first + 1


def _end_of_element(lines: Sequence[str], start: int, name: str) -> int | None:
    """One behind the last line of an element that begins a line; None where it isn't closed at its column."""
    line, indent = lines[start].rstrip(), indent_of(lines[start])
    if line.endswith(("/>", f"</{name}>")):
        return start + 1
    for at in range(start + 1, min(len(lines), start + MAX_UNIT)):
        if indent_of(lines[at]) == indent and lines[at].strip() in (f"</{name}>", "/>"):
            return at + 1
        if lines[at].strip() and len(indent_of(lines[at])) <= len(indent):
            return None
    return None


def _sections(lines: Sequence[str], language: str) -> Iterator[_Siblings]:
    """Yields the sections of a text below headings of one kind, without the blank lines at their ends."""
    kinds: dict[str, list[int]] = {}
    heads: list[int] = []
    for at, line in enumerate(lines):
        if language == "markdown" and _HEADING.match(line):
            kinds.setdefault(line.split()[0], []).append(at)
            heads.append(at)
        under = _UNDERLINE.match(lines[at + 1]) if at + 1 < len(lines) else None
        if language == "rst" and under and line.strip() and not line.startswith((" ", "\t")):
            kinds.setdefault(under[1], []).append(at)
            heads.append(at)
    for mine in kinds.values():
        spans: list[tuple[int, int]] = []
        for number, start in enumerate(mine):
            end = next((head for head in heads if head > start), len(lines))
            if number + 1 < len(mine) and end != mine[number + 1]:
                spans.clear()  # another kind stands in between
                continue
            while end > start and not lines[end - 1].strip():
                end -= 1
            spans.append((start, end))
        if spans:
            yield _Siblings(tuple(spans), None, None, "sections")
