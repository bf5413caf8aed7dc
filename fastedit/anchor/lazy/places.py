"""Finds the places that the words before a snippet name for it: in a declaration, beside a line, at an end of the file.

Only words near the snippet count, and only names that the original has. What they say is one more fact for the search,
not an order: "after `load`" may tell when something happens, and a function that is named may be one that is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.hints import is_path
from fastedit.anchor.lazy.intent import SENTENCE_END
from fastedit.anchor.lazy.lines import DOTS, Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_MEANT = 3  # lines that a quote may mean
MAX_BETWEEN = 40  # characters between a word for a place and the name
MIN_QUOTED = 3  # characters of a quote that is looked for inside of lines
# A quote, or a word that is written as only code is.
_QUOTED = re.compile(
    r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]|(\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,}\w*)\b)"
)
_FILE_NAME = re.compile(r"`([^`\s]+)`")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORDS = {
    "after": (
        "after behind below beneath under underneath following follows nach unter unterhalb hinter darunter después "
        "debajo tras detrás siguiente dopo sotto après sous derrière depois abaixo após po pod za после под ниже за "
        "efter onder achter"
    ),
    "before": (
        "before above over preceding precedes vor über oberhalb antes encima arriba prima sopra avant au-dessus devant "
        "acima przed nad перед над выше до före ovanför voor boven"
    ),
    "between": "between zwischen entre tra fra mellan mellem tussen między mezi между",
    "beside": "next beside neben junto accanto próximo naast bredvid obok vedle рядом",
    "inside": (
        "in inside within into to im ins innerhalb en dentro nel nello nella nell dans no em num numa w we в во i"
    ),
    "top": (
        "top beginning oben anfang beginn inicio principio comienzo inizio cima début haut topo início начале "
        "начало początku początek början"
    ),
    "end": "end bottom append appended ende unten final fin fine fondo bas fim конце конец końcu koniec slutet",
}
# Behind a word for an end: that it is that of the file, or nothing.
_OF_FILE = re.compile(
    r"^\W*(?:(?:of|the|this|der|des|von|dieser|del?|della|du|da|do|la|le|el|il|o|av|van)\W+)*"
    r"(?:file|module|script|page|document|datei|moduls?|seite|archivo|fichero|módulo|modulo|fichier|arquivo|ficheiro|"
    r"файла|модуля|pliku|modułu|filen|bestand)?\W*(?:add|comes|goes|kommt|va|viene|ajoute\w*|añad\w*|aggiung\w*)?\W*"
    r"(?:(?:after|behind|with|nach|mit|tras|con|après|avec|dopo|após|com|efter|met|na)\W+(?:\w+\W+){1,3}"
    r"(?:line|zeile|blanco|vacía|branco|vazia|vide|vuota|regel|rad))?\W*$"
)
_BEHIND_NAME = (
    ("after", re.compile(r"^\s*(?:の|之|的)?(?:直後|後|下|后面|后|下面|下方|다음|뒤|아래)")),
    ("before", re.compile(r"^\s*(?:の|之|的)?(?:直前|前|上|前面|上面|上方|앞|위)")),
    ("inside", re.compile(r"^\s*(?:の|之|的)?(?:中|内|里|裡|안)")),
)
_AND = re.compile(r"\b(?:and|und|y|et|e|och|en|i|и)\W+(?:\w+\W+){0,3}$")
_OF = re.compile(r"\s+(?:of|von|des|der|del?|della|du|di|do|da|van|av)\b")
_EDGES = ("top", "end")
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}


@dataclass(slots=True)
class Told:
    """The place of a snippet, as words tell it.

    inside: lines that stand in a declaration which they name; at: positions which they name; None where they don't.
    """

    inside: NDArray[np.bool_] | None = None
    at: NDArray[np.bool_] | None = None


class PlaceReader:
    """Reads the words before a snippet, given the original and the line ranges of what it declares."""

    def __init__(self, original: Lines, declared: dict[str, list[tuple[int, int]]]) -> None:
        self.original = original
        self.declared = declared

    def told(self, prose: str, shown: frozenset[str]) -> Told:
        """Reads the last sentence, else the one before it. shown: names that the snippet itself declares."""
        sentences = [one for one in SENTENCE_END.split(prose) if one.strip()]
        for sentence in reversed(sentences[-2:]):
            told = self._told_by(sentence, shown)
            if told.inside is not None or told.at is not None:
                return told
        return Told()

    def _told_by(self, sentence: str, shown: frozenset[str]) -> Told:
        told = Told()
        n = len(self.original)
        for kind, quoted in _mentions(_FILE_NAME.sub(_without_path, sentence)):
            if kind in _EDGES:
                told.at = _with(told.at, n + 1, self._gap(0 if kind == "top" else n))
                continue
            for start, end in self._meant(quoted, shown):
                if kind == "inside":
                    told.inside = _with(told.inside, n, range(start, end))
                if kind in ("after", "beside"):
                    told.at = _with(told.at, n + 1, self._gap(end))
                if kind in ("before", "beside"):
                    told.at = _with(told.at, n + 1, self._gap(start))
        return told

    def _gap(self, at: int) -> range:
        """The position, and those beside it with only blank lines between."""
        n, keys = len(self.original), self.original.keys
        start = end = at
        while start > 0 and not keys[start - 1]:
            start -= 1
        while end < n and not keys[end]:
            end += 1
        return range(start, end + 1)

    def _meant(self, quoted: str, shown: frozenset[str]) -> list[tuple[int, int]]:
        """The line ranges [start, end) that a quote may mean; none where it means too many."""
        name = quoted.strip().removesuffix("()").split(".")[-1].strip("[]#. ")
        if name in shown:
            return []
        if name in self.declared:
            return self.declared[name][:MAX_MEANT]
        if _NAME.fullmatch(name):
            lines = [line for line in self.original.word_places.get(name, ()) if self._is_about(line, name)]
            lines = lines or list(self.original.word_places.get(name, ()))
        else:
            lines = self._quoted("".join(quoted.split()))
        if not 0 < len(lines) <= MAX_MEANT:
            return []
        return [(line, self._end_of(line)) for line in lines]

    def _quoted(self, key: str) -> list[int]:
        """The lines that are quoted: equal ones, else those with the quote, or its parts around dots, in them."""
        found = self.original.places.get(key, [])
        parts = [part for part in DOTS.split(key) if part]
        if found or sum(map(len, parts)) <= MIN_QUOTED:
            return found
        pattern = re.compile(".*".join(map(re.escape, parts)))
        lines = [line for line, theirs in enumerate(self.original.keys) if pattern.search(theirs)]
        if lines or len(parts) < 2:
            return lines
        keys = ((line, self._statement(line)) for line, theirs in enumerate(self.original.keys) if parts[0] in theirs)
        return [line for line, statement in keys if pattern.search(statement)]

    def _statement(self, line: int) -> str:
        """The statement that begins in a line, without white space."""
        return "".join(self.original.keys[line : line + max(1, self.original.statement_span(line))])

    def _is_about(self, line: int, name: str) -> bool:
        identity = self.original.identity(line)
        return identity is not None and _NAME.findall(identity.name)[-1:] == [name]

    def _end_of(self, line: int) -> int:
        """The line behind the last one of the statement and its block."""
        end = line + max(1, self.original.statement_span(line))
        column = self.original.columns[line]
        at = end
        while at < len(self.original) and (self.original.columns[at] > column or not self.original.keys[at]):
            at += 1
            if self.original.keys[at - 1]:
                end = at
        return end


def _without_path(quote: re.Match[str]) -> str:
    """The quote, or a word for a file where it names one."""
    return "file" if is_path(quote[1]) else quote[0]


def _mentions(sentence: str) -> Iterator[tuple[str, str]]:
    """(kind, quote) for each name that a word for a place goes with; without any, an end of the file and ""."""
    kind, since, at = "", 0, 0
    has_name = False
    for piece in _QUOTED.finditer(sentence):
        for word in _WORD.finditer(sentence, at, piece.start()):
            found = _KIND_OF.get(word.group().lower())
            if kind == "beside" and word.start() - since < 2:  # next to
                continue
            if found and (found not in _EDGES or _OF.match(sentence[word.end() : piece.start()])):
                kind, since = "inside" if found in _EDGES else found, word.end()
        behind = next((one for one, pattern in _BEHIND_NAME if pattern.match(sentence[piece.end() :])), "")
        if behind or (kind and piece.start() - since <= MAX_BETWEEN):
            meant = behind or kind
            if meant == "between":
                meant = "before" if _AND.search(sentence, at, piece.start()) else "after"
            yield meant, piece[1] or piece[2] or piece[3]
            has_name, since = True, piece.end()
        at = piece.end()
    if not has_name:
        for word in _WORD.finditer(sentence):
            found = _KIND_OF.get(word.group().lower())
            if found in _EDGES and _OF_FILE.match(sentence[word.end() :].lower()):
                yield found, ""
                return


def _with(mask: NDArray[np.bool_] | None, size: int, places: range) -> NDArray[np.bool_]:
    """The mask with more places set."""
    result = np.zeros(size, bool) if mask is None else mask
    result[places.start : places.stop] = True
    return result
