"""Spans of lines that sentences name by their first and their last line, or by the first and how many they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fastedit.anchor.lazy.lines import CLOSER, DOTS, Lines
from fastedit.anchor.lazy.words.compound import compound_at, unit_at
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.patterns import pattern

MAX_SPANS = 2
MAX_DOTTED = 80  # lines that a quote with dots may stand for
MAX_WRAPPED = 3  # lines over which the beginning of such a quote may go
MIN_WORD = 3
_SPAN = pattern(
    r"(?:\b(?:from|(?P<between>between|zwischen|entre|tra)|von|ab)\b[^`\"“„]{0,24}"
    r"(?P<first>`[^`\n]+`|[\"“„][^\"“”„\n]+[\"”“])[^`\"“„.;]{0,24}?|\beverything\b[^`\"“„.;]{0,12}?)"
    r"\b(?:up to|down to|through|until|till|to|and|bis|bis zu)\b(?: and including)?[^`\"“„.;]{0,12}?"
    r"(?P<end>(?:the )?end of (?:the |its |that )?(?P<what>file|function|method|class|block)?)?[^`\"“„.;]{0,10}?"
    r"(?P<last>`[^`\n]+`|[\"“„][^\"“”„\n]+[\"”“])?(?(end)|(?(last)|(?!)))",
    re.IGNORECASE,
)
# "`{% block nav %}` … `{% endblock %}`"
_DOTTED_SPAN = pattern(r"(?P<first>`[^`\n]+`)\s*(?:…|\.{3}|–|—)\s*(?P<last>`[^`\n]+`)")
# "the three lines from `a` down"
_COUNTED = pattern(
    r"\b(?P<count>\w+) (?:lines?|zeilen|lignes|líneas|righe)\b[^`.;:]{0,16}?"
    r"\b(?:from|starting (?:at|with)|beginning (?:at|with)|ab|à partir de|a partir de|desde)\b[^`.;:]{0,12}?"
    r"(?P<first>`[^`\n]+`)",
    re.IGNORECASE,
)
NUMBERS = {
    word: number + 2
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn",
        "deux trois quatre cinq six sept huit neuf dix",
        "dos tres cuatro cinco seis siete ocho nueve diez",
    )
    for number, word in enumerate(words.split())
} | {"both": 2, "beide": 2, "ambos": 2}


def spans_in(sentence: str, original: Lines, declared: Declared) -> Iterator[tuple[range, int]]:
    """Yields the lines that a sentence names by their ends, with how many lines their first could be.

    The ends go too, but for `between a and b`.
    """
    for found in _DOTTED_SPAN.finditer(sentence):
        lines = begun(_unquoted(found["first"]), original)
        ends = original.places.get("".join(_unquoted(found["last"]).split()), ())
        for start in lines:
            end = next((at for at in ends if at > start and original.columns[at] <= original.columns[start]), None)
            if end is not None:
                yield range(start, end + 1), len(lines)
    for found in _SPAN.finditer(sentence):
        first = [0] if found["first"] is None else begun(_unquoted(found["first"]), original)
        for start in first:
            end = _end_of_span(found, start, original, declared)
            if found["between"] and end is not None:
                start, end = start + 1, end - 1
            if end is not None and start < end:
                yield range(start, end), len(first)


def counted_spans(sentence: str, original: Lines) -> Iterator[tuple[range, int]]:
    """Yields the lines of which a sentence tells the first and how many they are."""
    for found in _COUNTED.finditer(sentence):
        word = found["count"].lower()
        count = NUMBERS.get(word) or (int(word) if word.isdigit() else 0)
        first = begun(_unquoted(found["first"]), original) if count > 1 else []
        for start in first:
            if start + count <= len(original):
                yield range(start, start + count), len(first)


def dotted_spans(quote: str, original: Lines) -> list[range]:
    """The lines that a quote means which has dots between its first and its last: `let a = lazy … in`."""
    parts = [part for part in DOTS.split("".join(quote.split()).strip(",;")) if part.strip(".")]
    if len(parts) < 2 or len(parts[0]) < MIN_WORD:
        return []
    first, last, result = parts[0], parts[-1], list[range]()
    for start in _opening(first, original):
        whole = compound_at(start, original)
        if whole and any(original.keys[line].startswith(last) for line in whole):
            result.append(whole)
            continue
        column = original.columns[start]
        for at in range(start + 1, min(len(original), start + MAX_DOTTED)):
            key = original.keys[at]
            if not key or original.columns[at] > column:
                continue
            if key.startswith(last) or key.rstrip(",;").endswith(last):
                result.append(range(start, at + 1))
                break
            if original.columns[at] < column:
                break
    return result if len(result) <= MAX_SPANS else []


def _opening(first: str, original: Lines) -> list[int]:
    """The lines that begin with a text, which may go on in the next ones."""
    head = first[:4]
    return [
        line
        for line, key in enumerate(original.keys)
        if key.startswith(head) and "".join(original.keys[line : line + MAX_WRAPPED]).startswith(first)
    ]


def _end_of_span(found: re.Match[str], start: int, original: Lines, declared: Declared) -> int | None:
    """The line behind the last one of a span; None where the words don't tell."""
    last = found["last"]
    if last is None:
        if found["what"] == "file":
            return len(original)
        return _within(
            start, [one for ranges in declared.values() for one in ranges if one[0] <= start < one[1]], original
        )
    name = _unquoted(last).removesuffix("()")
    ranges = [one for one in declared.get(name, ()) if one[1] > start] if found["end"] else []
    if ranges:
        return _within(start, ranges, original)
    lines = [line for line in begun(_unquoted(last), original) if line >= start]
    ends = [unit_at(line, original)[1] if found["end"] else line + 1 for line in lines]
    return min(ends, default=None)


def _within(start: int, ranges: Sequence[tuple[int, int]], original: Lines) -> int | None:
    """The end of the innermost declaration, without its closing line where the first line stands inside it."""
    if not ranges:
        return None
    first, end = max(ranges)
    has_closer = start > first and CLOSER.match(original.stripped[end - 1]) is not None
    is_outside = original.columns[end - 1] <= original.columns[first]
    return end - 1 if has_closer and is_outside else end


def _unquoted(text: str) -> str:
    return text.strip('`"“”„')


def begun(text: str, original: Lines) -> list[int]:
    """The lines that a quote is or begins, else those that hold it; none where these are many."""
    key = "".join(text.split()).rstrip("….,;")
    if len(key) < MIN_WORD:
        return []
    own = [line for line, theirs in enumerate(original.keys) if theirs.strip("\"';,").startswith(key.strip("\"'"))]
    lines = own or [line for line, theirs in enumerate(original.keys) if key in theirs]
    return lines if len(lines) <= MAX_SPANS else []
