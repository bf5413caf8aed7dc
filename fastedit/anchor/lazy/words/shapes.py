"""The parts of texts and markup that words speak of: sections, paragraphs, items, rows, notes and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words.compound import compound_at
from fastedit.patterns import pattern

TEXTS = frozenset({"markdown", "rst", ""})  # a text without a grammar has no language
MAX_SHAPE = 400  # lines
_SAID = (
    ("paragraph", pattern(r"\b(?:paragraphs?|sentences?|absatz|párrafo|paragraphe|alinea|parágrafo)\b", re.I)),
    ("item", pattern(r"\b(?:bullets?|items?|entry|entries|points?|punkte?|eintrag|entradas?|puntos?)\b", re.I)),
    ("section", pattern(r"\b(?:sections?|chapters?|headings?|abschnitte?|sección|seção|sezione)\b", re.I)),
    ("row", pattern(r"\b(?:rows?|zeilen?|filas?|rijen|linhas?|righe)\b", re.I)),
    ("block", pattern(r"\b(?:notes?|warnings?|box(?:es)?|blocks?|elements?|rules?|jobs?|steps?|macros?)\b", re.I)),
)
_HEADING = pattern(r"(#{1,6})\s")
UNDERLINE = pattern(r"([=~^*+#\"'`.:_-])\1{2,}\s*(?:\*/)?$")
_FENCE = pattern(r"```|~~~")
_ITEM = pattern(r"(?:[-*+•]|\d+[.)]|#\.)\s")
_SEPARATOR = pattern(r"\+[-=+]+\+$|\|?[-:| ]*-{2,}[-:| ]*\|?$")
_TEMPLATE = pattern(r"\{%-?\s*(\w+)")
_TAG = pattern(r"<([A-Za-z][\w.:-]*)[^>]*>?$")
_KINDS = (
    ("heading", pattern(r"#{1,6}\s")),
    ("fence", pattern(r"```|~~~|:::")),
    ("row", pattern(r"\||\+[-=+]+\+$")),
    ("quote", pattern(r">")),
    ("image", pattern(r"\[?!\[|\.\. image::")),
    ("reference", pattern(r"\[[^\]]+\]:\s|\.\. _|\.\. \|")),
    ("directive", pattern(r"\.\. |:[\w-]+:")),
    ("item", pattern(r"(?:[-*+•]|\d+[.)])\s")),
    ("tag", pattern(r"</?\w|<!--|\{[%{]")),
    ("underline", UNDERLINE),
    ("key", pattern(r"[\w-]+:(?:\s|$)")),
)
_SELECTOR = pattern(r"[^{};]*[{,]$")


def is_underline(text: str) -> bool:
    """Whether a stripped line is nothing but what stands below a title."""
    return UNDERLINE.match(text) is not None


def kind_of(text: str) -> str:
    """Tells what a stripped line of a text is: "heading", "item", "row", ...; "" for plain text."""
    return next((kind for kind, begins in _KINDS if begins.match(text)), "")


def is_title(lines: Lines, line: int) -> bool:
    """Whether a line is a heading, or the title above an underline."""
    identity = lines.identity(line)
    if identity is not None and identity.kind == "heading":
        return True
    has_words = line + 1 < len(lines) and bool(lines.words(line)) and not lines.is_trivial[line]
    return has_words and not is_underline(lines.stripped[line]) and is_underline(lines.stripped[line + 1])


def shapes_said(sentence: str) -> frozenset[str]:
    """The kinds of parts that a sentence names."""
    return frozenset(kind for kind, words in _SAID if words.search(sentence))


def shapes_at(line: int, original: Lines, kinds: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yields the parts of these kinds, as lines [start, end), that a line stands in or begins."""
    finders = {"paragraph": _paragraph, "item": _item, "section": _section, "row": _row, "block": _block}
    for kind in sorted(kinds):
        found = finders[kind](line, original)
        if found is not None and found[1] - found[0] <= MAX_SHAPE:
            yield found


def _paragraph(line: int, original: Lines) -> tuple[int, int] | None:
    """The lines of text around a line at its columns, up to blank ones."""
    keys, columns = original.keys, original.columns
    if not keys[line] or _ITEM.match(original.stripped[line]):
        return None
    start, end = line, line + 1
    while start and keys[start - 1] and columns[start - 1] == columns[line]:
        start -= 1
    while end < len(keys) and keys[end] and columns[end] == columns[line]:
        end += 1
    return start, end


def _item(line: int, original: Lines) -> tuple[int, int] | None:
    """The item of a list that a line stands in."""
    start = line
    while start and original.keys[start] and not _ITEM.match(original.stripped[start]):
        start -= 1
    if not _ITEM.match(original.stripped[start]) or original.columns[start] > original.columns[line]:
        return None
    return start, _end_deeper(start, original)


def _end_deeper(start: int, original: Lines) -> int:
    """The line behind those that stand further in than the first, and of a paragraph that goes on at its column."""
    end = start + 1
    while end < len(original) and (not original.keys[end] or original.columns[end] > original.columns[start]):
        end += 1
    while not original.keys[end - 1]:
        end -= 1
    return end


def _section(line: int, original: Lines) -> tuple[int, int] | None:
    """A heading, or a title with its underline, with all that stands below it."""
    ranks = _ranks(original)
    start = next((at for at in (line, line - 1, line + 1) if at in ranks), None)
    if start is None:
        return None
    end = next((at for at in sorted(ranks) if at > start and ranks[at] <= ranks[start]), len(original))
    while end > start + 1 and not original.keys[end - 1]:
        end -= 1
    return start, end


def _ranks(original: Lines) -> dict[int, int]:
    """The lines that are headings or titles, with their ranks; 0 is the highest."""
    result: dict[int, int] = {}
    signs: list[str] = []
    is_fenced = False
    for line, text in enumerate(original.stripped):
        if _FENCE.match(text):
            is_fenced = not is_fenced
        if is_fenced or not text:
            continue
        found = _HEADING.match(text)
        if found and original.columns[line] == 0:
            result[line] = len(found[1])
            continue
        under = UNDERLINE.match(original.stripped[line + 1]) if line + 1 < len(original) else None
        if under and not UNDERLINE.match(text) and not _SEPARATOR.match(text) and text[0] != "|":
            if under[1] not in signs:
                signs.append(under[1])
            result[line] = signs.index(under[1])
    return result


def _row(line: int, original: Lines) -> tuple[int, int] | None:
    """A row of a table, with the rule below it where all rows have one."""
    text = original.stripped[line]
    if not text.startswith("|"):
        return None
    has_rule = line + 1 < len(original) and original.stripped[line + 1].startswith("+")
    return line, line + 1 + has_rule


def _block(line: int, original: Lines) -> tuple[int, int] | None:
    """A directive, an element, a template's block, a rule of a style sheet, or what else stands further in."""
    text = original.stripped[line]
    if text.startswith("#") and (whole := compound_at(line, original)):
        return whole.start, whole.stop
    start = line
    while _SELECTOR.match(original.stripped[start]) and start and original.stripped[start - 1].endswith(","):
        start -= 1  # a rule of several selectors
    head = line
    while original.stripped[head].endswith(",") and head + 1 < len(original):
        head += 1
    end = _end_deeper(head, original)
    template, tag = _TEMPLATE.match(text), _TAG.match(text)
    closing = f"{{% end{template[1]}" if template else f"</{tag[1]}" if tag else "}"
    at = next((one for one in range(end, min(len(original), end + 2)) if original.keys[one]), end)
    is_level = at < len(original) and original.columns[at] == original.columns[head]
    if is_level and original.stripped[at].replace("{%-", "{%").startswith(closing):
        end = at + 1
    return (start, end) if end > start + 1 else None
