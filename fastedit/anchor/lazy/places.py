"""Reads the words before a snippet: the places that they name for it, whether they announce something new or a change.

A place is in a declaration, beside a line, at an end of the file. Only words near the snippet count, and only names
that the original has. "Then add the method, following `hasMany`" and "`hasMany` becomes" may stand before the same
lines; only the last sentence tells what is announced. What they say is one more fact for the search, not an order:
"after `load`" may tell when something happens, and a function that is named may be one that is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.hints import is_path
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.patterns import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

SENTENCE_END = pattern(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
_CODE = pattern(r"`[^`\n]*`")
# English, German, Spanish, Portuguese, French, Italian, Dutch, Swedish, Polish, Russian, Japanese, Chinese.
_ADDS = pattern(
    r"\b(?:add(?:s|ed|ing|ition\w*)?|append\w*|insert\w*|new|extra|put|introduc\w+|another|goes|helper"
    r"|hinzu\w*|füg\w*|neue?[rsmn]?|zusätzlich\w*|kommt|añad\w+|agreg\w+|nuev[oa]s?|adicion\w+|acrescent\w+|nov[oa]s?"
    r"|ajout\w+|nouve\w+|aggiung\w+|nuov\w+|toevoeg\w*|voeg|nieuwe?|lägg|nya?|doda\w+|now[aeyi]\w*|nowego)\b"
    r"|добав\w+|нов\w+|追加|新しい|添加|新增",
    re.IGNORECASE,
)
_CHANGES = pattern(
    r"\b(?:replac\w+|chang\w+|becom\w+|instead|rewrit\w+|renam\w+|updat\w+|now|use[sd]?|fix\w*|turn\w*|swap\w*|mak(?:e|es|ing)"
    r"|let|was|were|longer|drop\w*|remov\w*|delet\w*|gone|switch\w*|convert\w*|rework\w*|simplif\w*|looks?|reads?"
    r"|ersetz\w*|wird|werden|statt|änder\w*|jetzt|reemplaz\w+|cambi\w+|ahora|queda|substitu\w+|agora|fica|remplac\w+"
    r"|devien\w+|sostitu\w+|diventa\w*|vervang\w*|wordt|ersätt\w*|blir|zamie\w+|zmie\w+)\b|замен\w+|измен\w+|теперь|変更|替换|改",
    re.IGNORECASE,
)
_PLACES = pattern(
    r"\b(?:after|before|below|above|beneath|under|underneath|behind|beside|between|following|next to|end of|to the end"
    r"|at the (?:end|top|bottom)|nach|vor|hinter|unter|über|zwischen|am ende|después|antes|debajo|entre|al final|depois"
    r"|abaixo|après|avant|sous|dopo|prima|sotto|onder|boven|achter|efter|före|po|przed|pod)\b|после|перед|под|後に|前に|之后|之前",
    re.IGNORECASE,
)
_BLANKS = pattern(
    r"(?<!no )(?<!without a )(?<!the )\b(?:blank|empty) lines?\b|leerzeilen?|líneas? (?:en blanco|vacías?)"
    r"|linhas? (?:em branco|vazias?)|lignes? vides?|saut de ligne|rig(?:a|he) vuot[ae]|lege regel|tom rad"
    r"|пуст\w+ строк\w+|pust\w+ (?:lini|wiersz)\w*|空行|빈 줄",
    re.IGNORECASE,
)
MAX_MEANT = 3  # lines that a quote may mean
MAX_BETWEEN = 40  # characters between a word for a place and the name
MIN_QUOTED = 3  # characters of a quote that is looked for inside of lines
# A quote, what is emphasised, as titles are, or a word that is written as only code is.
_QUOTED = re.compile(
    r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]"
    r"|(?<![\w*])\*{1,2}(?=[^\s*])([^*\n]{2,60})(?<=[^\s*])\*{1,2}(?![\w*])"
    r"|(\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,}\w*)\b)"
)
_FILE_NAME = re.compile(r"`([^`\s]+)`")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_LEADING = re.compile(r"(?:[-*+•|#>]+|\d+[.)])\s*[`*_\"':\[]*([\w.$/-]*\w)")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORDS = {
    "after": (
        "after behind below beneath under underneath following follows nach unter unterhalb hinter darunter después "
        "debajo tras detrás siguiente dopo sotto après sous derrière depois abaixo após po pod za после под ниже за "
        "efter onder achter"
    ),
    "before": (
        "before front above over preceding precedes vor über oberhalb antes encima arriba prima sopra avant au-dessus "
        "devant "
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
# A sentence that says which end of the file is meant: "and as last line of the file", "below everything".
_LAST_OF_FILE = re.compile(
    r"\blast\s+(?:\w+\s+)?(?:lines?|thing|entry|section|rule|block|function)\s+(?:of|in)\s+(?:the|this)\s+"
    r"(?:file|document|page)\b|\b(?:below|after|behind|under)\s+(?:everything|all\s+(?:else|the\s+rest))\b"
    r"|\b(?:file|document|page)\s+ends\s+with\b",
    re.IGNORECASE,
)
_FIRST_OF_FILE = re.compile(
    r"\bfirst\s+(?:\w+\s+)?(?:lines?|thing|section)\s+(?:of|in)\s+(?:the|this)\s+(?:file|document|page)\b"
    r"|\b(?:above|before)\s+(?:everything|all\s+(?:else|the\s+rest))\b",
    re.IGNORECASE,
)
_BEHIND_NAME = (
    ("after", re.compile(r"^\s*(?:の|之|的)?(?:直後|後|下|后面|后|下面|下方|다음|뒤|아래)")),
    ("before", re.compile(r"^\s*(?:の|之|的)?(?:直前|前|上|前面|上面|上方|앞|위)")),
    ("inside", re.compile(r"^\s*(?:の|之|的)?(?:中|内|里|裡|안)")),
)
_REMARK = re.compile(r"\([^()]*\)")
_AND = re.compile(r"\b(?:and|und|y|et|e|och|en|i|и)\W+(?:\w+\W+){0,3}$")
_OF = re.compile(r"\s+(?:of|von|des|der|del?|della|du|di|do|da|van|av)\b")
_EDGES = ("top", "end")
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Intent:
    """The announcements of a sentence, each 0 or 1. adds: something new; changes: a change; placed: where it goes."""

    adds: float = 0.0
    changes: float = 0.0
    placed: float = 0.0


def intent_of(prose: str) -> Intent:
    """Reads the last sentence of the words before a snippet; names in backticks don't count."""
    sentences = [one for one in SENTENCE_END.split(prose) if one.strip()]
    if not sentences:
        return Intent()
    words = _CODE.sub(" ", sentences[-1])
    return Intent(*(float(bool(found.search(words))) for found in (_ADDS, _CHANGES, _PLACES)))


def asks_blanks(prose: str) -> bool:
    """Whether words speak of a blank line that is to be."""
    return bool(_BLANKS.search(prose))


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
            places = self.original.word_places.get(name, ())
            lines = [line for line in places if self._is_about(line, name)]
            lines = lines or [line for line in places if self._leads(line, name)] or list(places)
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

    def _leads(self, line: int, name: str) -> bool:
        """Whether an item, a row or a heading begins with a name."""
        found = _LEADING.match(self.original.stripped[line])
        return found is not None and found[1] == name

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
            if kind == "between" and found == "inside":
                continue  # "between the section ending in `a` and `b`"
            if found and (found not in _EDGES or _OF.match(sentence[word.end() : piece.start()])):
                kind, since = "inside" if found in _EDGES else found, word.end()
        behind = next((one for one, pattern in _BEHIND_NAME if pattern.match(sentence[piece.end() :])), "")
        if behind or (kind and piece.start() - since <= MAX_BETWEEN * (1 + (kind == "between"))):
            meant = behind or kind
            if meant == "between":
                meant = "before" if _AND.search(sentence, at, piece.start()) else "after"
            yield meant, next(filter(None, piece.groups()))
            has_name, since = True, piece.end()
        at = piece.end()
    edge = "" if has_name else _edge_in(sentence)
    if edge:
        yield edge, ""


def _edge_in(sentence: str) -> str:
    """The end of the file that a sentence without names means; "" where it means none."""
    for edge, said in (("end", _LAST_OF_FILE), ("top", _FIRST_OF_FILE)):
        if said.search(sentence):
            return edge
    for word in _WORD.finditer(sentence):
        found = _KIND_OF.get(word.group().lower(), "")
        if found in _EDGES and _OF_FILE.match(_REMARK.sub("", sentence[word.end() :].lower())):
            return found
    return ""


def _with(mask: NDArray[np.bool_] | None, size: int, places: range) -> NDArray[np.bool_]:
    """The mask with more places set."""
    result = np.zeros(size, bool) if mask is None else mask
    result[places.start : places.stop] = True
    return result
