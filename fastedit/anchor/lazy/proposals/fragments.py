"""Pieces of lines that quotes in the prose are as they are to be: a call, what stands in brackets, an address, a text.

"both checks accept it, `isinstance(value, (A, B))`" means the call in `if value and not isinstance(value, A):`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines
from fastedit.anchor.lazy.proposals.quoted import MIN_NEW, MIN_WORD, NAME, QUOTE, bare
from fastedit.anchor.lazy.result.message import Shown
from fastedit.patterns import pattern

MIN_PIECE_LIKE = 60.0  # percent: less alike are two pieces that have nothing to do with each other
MIN_TEXT_LIKE = 80.0  # of texts, whose words tell less
MAX_PLACES = 400  # lines that share a word with a quote
MAX_ENDS = 8  # places in one line where a piece may begin, or end
MAX_GROWN = 3.0  # a piece isn't so many times longer than the quote, nor shorter
NEARLY = 4.0  # percent that a piece may be less alike than the likest and still be meant
ADDRESS = pattern(r"https?://[^\s\"'<>()\[\]`]+")
_TOKEN = pattern(r"\w+|[^\w\s]")
_TEXT = pattern(r"(?<![\w`])[\"“„](?P<text>[^\"“”„\n`]{8,80})[\"”“](?![\w`])")
_LITERAL = pattern(r"(?P<q>[\"'])(?P<text>(?:(?!(?P=q))[^\\]){6,})(?P=q)")
_CLOSING = {")": "(", "]": "[", "}": "{"}


class LinePiece(NamedTuple):
    """A line with a piece of it as a quote has it. likeness: how alike the two are, in percent."""

    line: int
    text: str
    likeness: float


def fragments_of(shown: Shown, original: Lines) -> Iterator[tuple[str, list[LinePiece]]]:
    """Yields quotes that the original doesn't have, with the lines that have pieces most alike them."""
    addresses = [one for one in map(str.strip, QUOTE.findall(shown.prose)) if ADDRESS.fullmatch(one)]
    for quote in dict.fromkeys((*addresses, *shown.quotes)):
        identity = identity_of(quote)
        is_known = identity is not None and identity.kind != "entry" and identity in original.identities
        is_name = NAME.match(quote) is not None and quote not in addresses
        key = bare(quote)
        if is_name or is_known or len(key) < MIN_NEW or DOTS.search(quote) or not is_balanced(quote):
            continue
        if not any(key in theirs for theirs in original.keys):
            yield quote, _likest(_pieces(quote, original), MIN_PIECE_LIKE)
    spoken = (found["text"].strip() for found in _TEXT.finditer(QUOTE.sub("` `", shown.prose)))
    for text in dict.fromkeys(spoken):
        if len(WORD.findall(text)) > 1 and not any(text in theirs for theirs in original.texts):
            yield text, _likest(_literals(text, original), MIN_TEXT_LIKE)


def _likest(pieces: Iterator[LinePiece], least: float) -> list[LinePiece]:
    """The pieces that are about as alike as the likest one."""
    alike = [one for one in pieces if one.likeness >= least]
    top = max((one.likeness for one in alike), default=0.0)
    return [one for one in alike if one.likeness >= top - NEARLY]


def _pieces(quote: str, original: Lines) -> Iterator[LinePiece]:
    """Yields for each line that shares words with a quote the piece that is most alike it, where it is only a piece."""
    for line in _places(quote, original):
        text = original.texts[line]
        best, span = 0.0, (0, 0)
        for start, end in _stretches(quote, text):
            likeness = fuzz.ratio(quote, text[start:end], score_cutoff=MIN_PIECE_LIKE)
            if likeness > best:
                best, span = likeness, (start, end)
        if best and WORD.search(text[: span[0]] + text[span[1] :]):
            yield LinePiece(line, text[: span[0]] + quote + text[span[1] :], best)


def _literals(text: str, original: Lines) -> Iterator[LinePiece]:
    """Yields for each line with a string that is like a text the line with that text in its quotes."""
    for line in _places(text, original):
        theirs = original.texts[line]
        for found in _LITERAL.finditer(theirs):
            likeness = fuzz.ratio(text, found["text"], score_cutoff=MIN_TEXT_LIKE)
            if likeness:
                start, end = found.span("text")
                yield LinePiece(line, theirs[:start] + text + theirs[end:], likeness)


def _places(quote: str, original: Lines) -> Sequence[int]:
    """The lines that share a word with a quote; the rarest words come first, as far as there is room."""
    places: set[int] = set()
    words = {word for word in WORD.findall(quote) if len(word) >= MIN_WORD}
    for lines in sorted((original.word_places.get(word, []) for word in words), key=len):
        if len(places) + len(lines) > MAX_PLACES:
            break
        places.update(lines)
    return sorted(places)


def _stretches(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yields the stretches of a text that begin and end as a quote does, with their brackets; addresses for one."""
    if ADDRESS.fullmatch(quote):
        yield from (found.span() for found in ADDRESS.finditer(text))
        return
    tokens = _TOKEN.findall(quote)
    first, last = (
        re.compile(rf"(?<!\w){re.escape(one)}" if one[0].isalnum() else re.escape(one))
        for one in (tokens[0], tokens[-1])
    )
    starts = [found.start() for found in first.finditer(text)][:MAX_ENDS]
    ends = [found.end() for found in last.finditer(text)][:MAX_ENDS]
    for start in starts:
        for end in ends:
            is_near = len(quote) / MAX_GROWN < end - start < len(quote) * MAX_GROWN
            if is_near and is_balanced(text[start:end]):
                yield start, end


def is_balanced(text: str) -> bool:
    """Whether each bracket of a text has its other one in it."""
    opened: list[str] = []
    for one in text:
        if one in "([{":
            opened.append(one)
        elif one in _CLOSING and (not opened or opened.pop() != _CLOSING[one]):
            return False
    return not opened
