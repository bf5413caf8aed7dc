"""The sentences around snippets, with what they name, as the forecast reads them.

What a rule makes of a sentence (`hints`, `spoken`) is right or it isn't there. Beside the lines that it names, and the
rows that it stands next to, it may tell more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.anchor.hints import says_gone, sentences_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.search.rows import names_in

MAX_SENTENCES = 10  # before each snippet, and behind the last: the nearest ones
MAX_OF_ALL = 100  # of a message: the nearest ones
MIN_LETTERS = 4  # of a plain word that may name a line
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message.

    snippet: the number of that which it stands before, or of the last one. near: the number of sentences between.
    is_behind: whether it stands behind the last snippet; is_first: whether nothing stands above it, up to the snippet
    before. names: words in it that are quoted or written like code; plain: its other words. piece, start: where it
    stands in the words.
    """

    text: str
    snippet: int
    near: int
    is_behind: bool
    is_first: bool
    is_item: bool
    names: frozenset[str]
    plain: frozenset[str]
    piece: int
    start: int

    @property
    def says_gone(self) -> bool:
        """Whether it tells that something goes, by the rules for that."""
        return says_gone(self.text)


def sentences_around(pieces: Sequence[str]) -> list[Sentence]:
    """The sentences of a message in their order. pieces: the words before each snippet, and those behind the last."""
    result: list[Sentence] = []
    for number, piece in enumerate(pieces):
        is_behind = number == len(pieces) - 1
        told = list(sentences_of(piece))
        found = told[:MAX_SENTENCES] if is_behind else told[-MAX_SENTENCES:]
        starts = _starts(piece, [text for text, _ in told])
        starts = starts[: len(found)] if is_behind else starts[len(told) - len(found) :]
        for at, (text, is_item) in enumerate(found):
            names = names_in(text)
            plain = frozenset(word for word in _NAME.findall(text) if len(word) >= MIN_LETTERS) - names
            near = at if is_behind else len(found) - 1 - at
            is_first = at == 0 and (is_behind or len(found) == len(told))
            snippet = max(0, number - is_behind)
            result.append(Sentence(text, snippet, near, is_behind, is_first, is_item, names, plain, number, starts[at]))
    if len(result) > MAX_OF_ALL:
        nearest = sorted(range(len(result)), key=lambda at: result[at].near)[:MAX_OF_ALL]
        return [result[at] for at in sorted(nearest)]
    return result


def _starts(piece: str, sentences: Sequence[str]) -> list[int]:
    """The places at which the sentences of a piece begin."""
    starts, at = [], 0
    for text in sentences:
        at = piece.index(text, at)
        starts.append(at)
        at += len(text)
    return starts


def lines_named(sentence: Sentence, original: Lines, most: int) -> dict[int, tuple[float, float]]:
    """line → how rare the rarest name in it is that the sentence has (1 for one line), quoted ones and plain ones."""
    result: dict[int, list[float]] = {}
    for kind, words in enumerate((sentence.names, sentence.plain)):
        for word in words:
            places = original.word_places.get(word, ())
            if len(places) > most:
                continue
            for line in places:
                values = result.setdefault(line, [0.0, 0.0])
                values[kind] = max(values[kind], len(places) ** -0.5)
    return {line: (values[0], values[1]) for line, values in result.items()}
