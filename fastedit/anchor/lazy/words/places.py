"""Reads the words before a snippet: the places that they name for it, whether they announce something new or a change.

A place is in a declaration, beside a line, at an end of the file. Only words near the snippet count, and only names
that the original has. "Then add the method, following `hasMany`" and "`hasMany` becomes" may stand before the same
lines; only the last sentence tells what is announced. What they say is one more fact for the search, not an order:
"after `load`" may tell when something happens, and a function that is named may be one that is called.

The words that tell a place (`after`, `zwischen`, `in front of`, `at the end of`) are tables; what they go with are
names, quotes and ends of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import fuzz

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
MIN_QUOTED = 3  # characters of a quote that is looked for inside of lines
_FILE_NAME = re.compile(r"`([^`\s]+)`")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_LEADING = re.compile(r"(?:[-*+•|#>]+|\d+[.)])\s*[`*_\"':\[]*([\w.$/-]*\w)")
_BULLET = re.compile(r"(?:[-*+•]|\d+[.)]) +\S")
# What stands in a block is said to come last there.
_LAST_INSIDE = re.compile(
    r"\b(?:as|is|comes|goes) (?:the )?(?:very )?last\b|\blast (?:thing|statement)\b|\bat the (?:very )?end\b"
)
_CLOSER = re.compile(r"[)\]}]|</|(?:end|fi|done|esac)\b")
MAX_NEAR = 6  # lines that a word may mean
# A quote, what is emphasised, as titles are, or a word that is written as only code is.
_QUOTED = re.compile(
    r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]"
    r"|(?<![\w*])\*{1,2}(?=[^\s*])([^*\n]{2,60})(?<=[^\s*])\*{1,2}(?![\w*])"
    r"|(\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,}\w*)\b)"
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WORDS = {
    "after": (
        "after behind below beneath under underneath following follows nach unter unterhalb hinter darunter después "
        "debajo tras detrás siguiente dopo sotto après sous derrière depois abaixo após po pod za после под ниже за "
        "efter onder achter"
    ),
    "before": (
        "before front above over preceding precedes vor über oberhalb antes encima arriba prima sopra avant au-dessus "
        "devant acima przed nad перед над выше до före ovanför voor boven"
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
    ("after", re.compile(r"^\s*(?:の|之|的|那一?行|这一?行|行)*(?:直後|後|下|后面|后|下面|下方|다음|뒤|아래)")),
    ("before", re.compile(r"^\s*(?:の|之|的|那一?行|这一?行|行)*(?:直前|前|上|前面|上面|上方|앞|위)")),
    ("between", re.compile(r"^\s*(?:の|之|的)?(?:之间|之間|间|間|中间|사이)")),
    ("inside", re.compile(r"^\s*(?:の|之|的)?(?:中|内|里|裡|안)")),
)
_AND = re.compile(r"\b(?:and|und|y|et|e|och|en|i|и)\W+(?:\w+\W+){0,3}$")
_OF = re.compile(r"\s+(?:of|von|des|der|del?|della|du|di|do|da|van|av)\b")
EDGES = ("top", "end")
_BESIDE = frozenset(("after", "before", "between", "beside"))
# Phrases that tell a place, and the word that tells the same.
_THING = (
    r"(?:thing|statement|line|member|entry|item|argument|method|function|test|property|field|import|rule|case|option"
    r"|key|row|one|element|child)s? (?:of|in)\b"
)
_PHRASES = (
    (re.compile(r"\bin front of\b", re.IGNORECASE), "before"),
    (re.compile(r"\b(?:ahead of|prior to|on top of)\b", re.IGNORECASE), "before"),
    (re.compile(rf"\bas (?:the |its )?(?:very )?(?:last|final) {_THING}", re.IGNORECASE), "at the end of"),
    (re.compile(rf"\bas (?:the |its )?(?:very )?first {_THING}", re.IGNORECASE), "at the top of"),
    (re.compile(r"(?<!\bthe )\blast (?:one )?(?:in|inside)(?= (?:the )?[`\"“])", re.IGNORECASE), "at the end of"),
    (re.compile(r"(?<!\bthe )\bfirst (?:one )?(?:in|inside)(?= (?:the )?[`\"“])", re.IGNORECASE), "at the top of"),
)
# A sentence that says which end of the file is meant: "and as last line of the file", "below everything".
_LAST_OF_FILE = re.compile(
    r"\blast\s+(?:\w+\s+)?(?:lines?|thing|entry|section|rule|block|function)\s+(?:of|in)\s+(?:the|this)\s+"
    r"(?:file|document|page)\b|\b(?:below|after|behind|under)\s+(?:everything|all\s+(?:else|the\s+rest))\b"
    r"|\b(?:file|document|page)\s+ends\s+(?:with|like)\b"
    r"|\b(?:very )?(?:end|bottom) of (?:the |this )?(?:file|module|script)\b",
    re.IGNORECASE,
)
_FIRST_OF_FILE = re.compile(
    r"\bfirst\s+(?:\w+\s+)?(?:lines?|thing|section)\s+(?:of|in)\s+(?:the|this)\s+(?:file|document|page)\b"
    r"|\b(?:above|before)\s+(?:everything|all\s+(?:else|the\s+rest))\b"
    r"|\b(?:very )?(?:top|beginning|start) of (?:the |this )?(?:file|module|script)\b|\bfile (?:begins|starts) with\b",
    re.IGNORECASE,
)
# Words for what takes the place of something: "instead of `a`", "replace `a` and `b` with", "`a` gives way to".
_REPLACES = pattern(
    r"\b(?:instead of|in (?:the )?place of|takes? the place of|rather than|replac(?:e|es|ing)|anstelle von|anstatt"
    r"|statt|ersetz(?:e|t|en)|en lugar de|en vez de|reemplaz(?:a|ar)|au lieu de|remplac(?:e|er|ez)|al posto di"
    r"|sostituisc[ei]|em vez de|substitu(?:i|a|ir)|in plaats van|vervang(?:t|en)?|zamiast)\b|вместо|замен(?:и|ите|яет)",
    re.IGNORECASE,
)
_REPLACED_BY = pattern(r"\b(?:with|by|durch|por|con|par|da|door)\b", re.IGNORECASE)
_IS_REPLACED = pattern(
    r"(?:`([^`\n]+)`|[\"“„]([^\"“”„\n]{4,})[\"”“])(?:\s+[a-z]+){0,4}?\s+(?:is|are|gets?|wird|werden|es|est)\s+(?:now\s+)?"
    r"(?:replaced|swapped|superseded|ersetzt|reemplazad\w+|remplacée?s?)\b",
    re.IGNORECASE,
)
MAX_BEHIND = 90  # characters behind a word for replacing
_COMES_FIRST = pattern(
    r"\b(?:comes?|goes?|go|stands?|put (?:it|them|this|that))\s+(?:very\s+|right\s+)?first\b"
    r"|\b(?:as|is|are|be)\s+(?:its|the|now the)\s+(?:very\s+)?first\s+(?:line|import|thing)s?\b(?!\s+(?:of|in))"
    r"|\bkommt\s+(?:ganz\s+)?(?:zuerst|an den anfang)\b|\bva\s+(?:de\s+)?primer[oa]\b|\bva\s+(?:en\s+)?premier\b",
    re.IGNORECASE,
)
# Words that point at what is named before: "right after that method", "above the hook", "at its end".
_POINTING = pattern(
    r"\b(?P<place>after|behind|below|before|above|beneath|following|in|inside|into)\s+(?:that|this|the|the same)\s+"
    r"(?:class|method|function|hook|component|type|interface|struct|macro|helper|rule|section|block|test|enum)"
    r"(?:['’]s\s+(?:closing\s+\w+|end|body))?(?![\w'’-]|\s+(?:of|for|that|which|with|in|named|called|`))"
    r"|\bat\s+(?:its|the (?:class|function|method)['’]s?)\s+(?:very\s+)?(?P<edge>end|top|bottom|beginning)\b"
    r"|\b(?P<side>end|top|bottom|beginning)\s+(?:of|in)\s+(?:the|this|that)\s+(?P<owner>class|struct|interface|trait|enum)"
    r"(?![\w'’-]|\s+(?:of|for|that|which|with|in|named|called|`|[A-Z]))"
    r"|\b(?:directly|right|immediately|just)\s+(?P<pointed>after|behind|below|before|above|beneath)\s+(?:it|that)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
_STOP = re.compile(r"\s*[,;:]")
# A quote, or a word with what belongs to a number, a name or a path.
_TOKEN = re.compile(r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]|([\w$@.*#/-]*\w)")
MAX_BETWEEN = 40  # characters between a word for a place and the name
MAX_DISTANCE = 5  # words behind one for a place
MIN_WORD = 4
# Of lines that are like the first one of a snippet: characters of that, and of the word that they have; how alike they
# are, of 100, and how much less alike the next may be that are meant too; lines that are compared, and meant.
MIN_KIN, MIN_PLAIN, KIN, EQUAL, MAX_LIKE, MAX_KIN = 8, 3, 62.0, 3.0, 60, 2
_SMALL = frozenset(
    "the and for its one ones that this with der die das und les des une los las del een het den".split()
)
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

    inside: lines that stand in a declaration which they name; at: positions which they name; near: how likely they mean
    a position by words that aren't sure to name one, such as plain ones; replaced: how likely they say that something
    takes the place of a line; beside: lines that they name as what it goes beside; alike: positions beside those of
    these that are like its first line; None where they don't.
    """

    inside: NDArray[np.bool_] | None = None
    at: NDArray[np.bool_] | None = None
    near: NDArray[np.float32] | None = None
    replaced: NDArray[np.float32] | None = None
    beside: NDArray[np.bool_] | None = None
    alike: NDArray[np.bool_] | None = None


class PlaceReader:
    """Reads the words before a snippet, given the original and the line ranges of what it declares."""

    def __init__(self, original: Lines, declared: dict[str, list[tuple[int, int]]]) -> None:
        self.original = original
        self.declared = declared

    def told(self, prose: str, shown: frozenset[str], earlier: str = "", first: Sequence[str] = ()) -> Told:
        """Reads the last sentence, else the one before it.

        shown: names that the snippet itself declares; earlier: words before those, for what these only point at; first:
        the first line of the snippet, beside whose like it goes, below the comments above it.
        """
        resolved = self._resolved(plain(prose), shown, earlier)
        sentences = [one for one in SENTENCE_END.split(resolved) if one.strip()][-2:]
        near, replaced = self._near(sentences, first), self._replaced(sentences[-1:], shown)
        for sentence in reversed(sentences):
            told = self._told_by(sentence, shown, first)
            if told.inside is not None or told.at is not None:
                told.near, told.replaced = near, replaced
                return told
        return Told(near=near, replaced=replaced)

    def _replaced(self, sentences: Sequence[str], shown: frozenset[str]) -> NDArray[np.float32] | None:
        """Weighs how likely sentences say of each line that something else takes its place."""
        result = np.zeros(len(self.original), np.float32)
        for sentence in sentences:
            for quoted in replaced_in(sentence):
                name = quoted.strip().removesuffix("()")
                if name in self.declared:
                    spans = self.declared[name][:MAX_MEANT]
                else:
                    lines = [start for start, _ in self._meant(quoted, shown)]
                    spans = [(line, line + max(1, self.original.statement_span(line))) for line in lines]
                for start, end in spans:
                    result[start:end] = np.maximum(result[start:end], 1 / len(spans))
        return result if result.any() else None

    def _resolved(self, prose: str, shown: frozenset[str], earlier: str) -> str:
        """The words with the declaration's name that "after that method", "at its end", "above the hook" point at.

        That is the one named last; "the end of the class" that of the only class where none was named.
        """
        pieces, at = [], 0
        for found in _POINTING.finditer(prose):
            before = f"{earlier}\n{prose[: found.start()]}"
            names = [next(filter(None, one.groups())) for one in _QUOTED.finditer(before)]
            bare = (name.strip().removesuffix("()").split(".")[-1] for name in reversed(names))
            known = [one for one in bare if one not in shown and len(self.declared.get(one, ())) == 1]
            if found["owner"]:
                owners = self._owners(found["owner"].lower())
                known = [one for one in known if one in owners] or (owners if len(owners) == 1 else [])
            if not known:
                continue
            edge = found["edge"] or found["side"]
            place = found["place"] or found["pointed"] or ("at the" if found["edge"] else "")
            pieces += [prose[at : found.start()], f"{place} {f'{edge} of' if edge else ''} `{known[0]}`"]
            at = found.end()
        return "".join([*pieces, prose[at:]]) if pieces else prose

    def _owners(self, kind: str) -> list[str]:
        """The names of the declarations whose first lines call them a class, a trait, ..."""
        result = []
        for name, spans in self.declared.items():
            header = rf"\b{kind}\s+{re.escape(name)}\b"
            if len(spans) == 1 and any(re.search(header, text) for text in self.original.texts[slice(*spans[0])]):
                result.append(name)
        return result

    def _told_by(self, sentence: str, shown: frozenset[str], first: Sequence[str] = ()) -> Told:
        told = Told()
        n = len(self.original)
        is_last = _LAST_INSIDE.search(sentence) is not None
        for kind, quoted in mentions(_FILE_NAME.sub(self._without_path, sentence)):
            if kind in EDGES and not quoted:
                told.at = _with(told.at, n + 1, self._gap(0 if kind == "top" else n))
                continue
            kin: list[tuple[int, int]] = []
            if kind in _BESIDE and quoted not in shown:
                kin = [(line, self._end_of(line)) for line in self._kin_of(first, quoted)]
            for span in dict.fromkeys([*self._meant(quoted, shown), *kin]):
                if kind in _BESIDE:
                    self._place_beside(told, kind, span, first, is_alike=span in kin)
                else:
                    self._place_inside(told, "end" if is_last and kind == "inside" else kind, span)
        return told

    def _place_inside(self, told: Told, kind: str, span: tuple[int, int]) -> None:
        """Fills in that a snippet goes into lines [start, end), or to an end of them."""
        n = len(self.original)
        told.inside = _with(told.inside, n, range(*span))
        if kind in EDGES:
            at = self._body(*span) if kind == "top" else self._last(*span)
            told.at = _with(told.at, n + 1, self._gap(at))

    def _place_beside(
        self, told: Told, kind: str, span: tuple[int, int], first: Sequence[str], *, is_alike: bool
    ) -> None:
        """Fills in that a snippet goes beside lines [start, end). is_alike: their first one is like the snippet's."""
        n, (start, end) = len(self.original), span
        told.beside = _with(told.beside, n, range(start, start + 1))
        above = self._gap(self._above_comments(start))
        if kind in ("after", "beside"):
            told.at = _with(told.at, n + 1, self._gap(end))
        if kind in ("before", "beside"):
            told.at = _with(told.at, n + 1, above if len(first) > 1 else range(above.start, start + 1))
        if is_alike:
            told.alike = _with(told.alike, n + 1, above if kind == "before" else self._gap(end))

    def _near(self, sentences: Sequence[str], first: Sequence[str]) -> NDArray[np.float32] | None:
        """Weighs how likely sentences mean each position, by all words that stand behind one for a place."""
        n = len(self.original)
        result = np.zeros(n + 1, np.float32)
        for number, sentence in enumerate(reversed(sentences)):
            num_between = 0
            for kind, word, distance, is_telling in words_near(sentence):
                kin = self._kin_of(first, word)
                lines = kin or (self._with_word(word) if is_telling else [])
                if not 0 < len(lines) <= MAX_NEAR:
                    continue
                worth = (0.5 if number else 1.0) / len(lines) / (1 + distance / 3)
                sides = kind
                if kind == "between" and kin:
                    num_between, sides = num_between + 1, "before" if num_between else "after"
                for line in lines:
                    span = max(1, self.original.statement_span(line))
                    top = self._above_comments(line) if len(first) > 1 else line
                    for at in [top] * (sides != "after") + [line + span, self._end_of(line)] * (sides != "before"):
                        places = self._gap(at)
                        result[places.start : places.stop] = np.maximum(result[places.start : places.stop], worth)
        return result if result.any() else None

    def _above_comments(self, line: int) -> int:
        """The first of the comments directly above a line, at its column; the line where there are none."""
        original = self.original
        while line > 0 and original.is_comment(line - 1) and original.columns[line - 1] == original.columns[line]:
            line -= 1
        return line

    def _kin_of(self, first: Sequence[str], word: str) -> list[int]:
        """The lines with a word that are most alike a snippet's first one: "the `b` import" is that of the imports."""
        names = _NAME.findall(word)
        if not first or len(first[-1]) < MIN_KIN or len(word) < MIN_PLAIN or word.lower() in _SMALL or not names:
            return []
        places: set[int] = set()
        for name in names[-1:]:
            places.update(self.original.word_places.get(name, ()))
        key = "".join(word.split())
        if "".join(first[-1].split()) in self.original.places:
            return []  # the snippet begins with a line that the file has
        likeness = {
            line: fuzz.ratio(first[-1], self.original.stripped[line])
            for line in sorted(places)[:MAX_LIKE]
            if len(names) == 1 or key in self.original.keys[line]
        }
        best = max(likeness.values(), default=0.0)
        kin = [line for line, one in likeness.items() if one >= max(KIN, best - EQUAL)]
        return kin if len(kin) <= MAX_KIN else []

    def _with_word(self, word: str) -> list[int]:
        """The lines that a word or quote may mean: those that are about it or begin with it, else all that have it."""
        key = "".join(word.split()).removesuffix("()")
        if _NAME.fullmatch(key):
            lines = self.original.word_places.get(key) or self.original.word_places.get(key.lower(), [])
        else:
            keys = self.original.keys
            alone = re.compile(rf"(?<![\w.]){re.escape(key)}" + (r"(?!\w)" if key[-1:].isalnum() else ""))
            lines = [line for line, theirs in enumerate(keys) if key in theirs and alone.search(theirs)]
        about = [line for line in lines if self._is_about(line, key.split(".")[-1]) or self._begins(line, key)]
        return about or list(lines)

    def _begins(self, line: int, key: str) -> bool:
        return self.original.keys[line].lstrip("*-+#\"'`/.([{<").startswith(key)

    def _body(self, start: int, end: int) -> int:
        """The position behind the header of a block."""
        return min(end, start + max(1, self.original.statement_span(start)))

    def _last(self, start: int, end: int) -> int:
        """The position behind the last line inside a block: before the one that closes it."""
        closes = end > start + 1 and _CLOSER.match(self.original.stripped[end - 1])
        is_outer = self.original.columns[end - 1] <= self.original.columns[start]
        return end - 1 if closes and is_outer else end

    def _without_path(self, quote: re.Match[str]) -> str:
        """The quote, or a word for a file where it names one that no line speaks of."""
        if not is_path(quote[1]) or 0 < sum(quote[1] in text for text in self.original.texts) <= MAX_MEANT:
            return quote[0]
        return "file"

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
        while _BULLET.match(self.original.stripped[line]) and self._continues(end, column):
            end += 1
        at = end
        while at < len(self.original) and (self.original.columns[at] > column or not self.original.keys[at]):
            at += 1
            if self.original.keys[at - 1]:
                end = at
        return end

    def _continues(self, line: int, column: int) -> bool:
        """Whether a line continues the text of an item above it, at its very column."""
        if line >= len(self.original) or self.original.columns[line] != column or not self.original.keys[line]:
            return False
        return self.original.identity(line) is None and not _BULLET.match(self.original.stripped[line])


def _with(mask: NDArray[np.bool_] | None, size: int, places: range) -> NDArray[np.bool_]:
    """The mask with more places set."""
    result = np.zeros(size, bool) if mask is None else mask
    result[places.start : places.stop] = True
    return result


def plain(sentence: str) -> str:
    """The sentence with one word for each phrase that tells a place."""
    for phrase, word in _PHRASES:
        sentence = phrase.sub(word, sentence)
    return sentence


def names_beside(prose: str) -> frozenset[str]:
    """The names of what sentences say that something goes beside."""
    found = (one for sentence in SENTENCE_END.split(prose) for one in mentions(plain(sentence)))
    return frozenset(name.strip().removesuffix("()") for kind, name in found if kind in _BESIDE)


def words_near(sentence: str) -> Iterator[tuple[str, str, int, bool]]:
    """(kind, word, distance, whether it tells by itself) for what stands behind a word for a place.

    Quotes, names, numbers and longer words tell by themselves.
    """
    kind, distance = "", 0
    for found in _TOKEN.finditer(sentence):
        text = found[1] or found[2] or found[3]
        is_quote = not found[3]
        place = None if is_quote else _KIND_OF.get(text.lower())
        if place in ("after", "before", "between", "beside"):
            kind, distance = place, 0
        elif kind and distance < MAX_DISTANCE:
            is_telling = is_quote or len(text) >= MIN_WORD or _is_coded(text)
            yield kind, text, distance, is_telling
            distance += is_telling
        if _STOP.match(sentence, found.end()):
            kind = ""


def replaced_in(sentence: str) -> Iterator[str]:
    """The quotes of which a sentence says that something else takes their place."""
    for found in _REPLACES.finditer(sentence):
        behind = sentence[found.end() : found.end() + MAX_BEHIND]
        stop = _REPLACED_BY.search(_CODE.sub(lambda one: " " * len(one[0]), behind))
        for quote in _QUOTED.finditer(behind[: stop.start()] if stop is not None else behind):
            yield next(filter(None, quote.groups()))
    for found in _IS_REPLACED.finditer(sentence):
        yield next(filter(None, found.groups()))


def _is_coded(word: str) -> bool:
    return any(one.isdigit() or one.isupper() for one in word)


def mentions(sentence: str) -> Iterator[tuple[str, str]]:
    """(kind, quote) for each name that a word for a place goes with, or for an end of the file and ""."""
    kind, since, at, last = "", 0, 0, ""
    has_name = False
    for piece in _QUOTED.finditer(sentence):
        kind, since = _kind_before(sentence, at, piece.start(), kind, since)
        behind = next((one for one, pattern in _BEHIND_NAME if pattern.match(sentence[piece.end() :])), "")
        name = next(filter(None, piece.groups()))
        if behind or (kind and piece.start() - since <= MAX_BETWEEN * (1 + (kind == "between"))):
            meant = behind or kind
            if behind == "between" and last:
                yield "after", last
                meant = "before"
            elif meant == "between":
                meant = "before" if _AND.search(sentence, at, piece.start()) else "after"
            yield meant, name
            has_name, since = True, piece.end()
        at, last = piece.end(), name
    edge = _edge_in(sentence, has_name=has_name)
    edge = edge or ("top" if not has_name and _COMES_FIRST.search(sentence) else "")
    if edge:
        yield edge, ""


def _kind_before(sentence: str, start: int, end: int, kind: str, since: int) -> tuple[str, int]:
    """The kind of the last word for a place before a name, and where it ends. kind, since: of those before `start`."""
    for word in _WORD.finditer(sentence, start, end):
        found = _KIND_OF.get(word.group().lower())
        if kind == "beside" and word.start() - since < 2:  # next to
            continue
        if kind == "between" and found == "inside":
            continue  # "between the section ending in `a` and `b`"
        if found and (found not in EDGES or _OF.match(sentence[word.end() : end])):
            kind, since = found, word.end()
    return kind, since


def _edge_in(sentence: str, *, has_name: bool) -> str:
    """The end of the file that a sentence means; "" where it means none. has_name: it names another place."""
    for edge, said in (("end", _LAST_OF_FILE), ("top", _FIRST_OF_FILE)):
        if said.search(sentence):
            return edge
    for word in _WORD.finditer("" if has_name else sentence):
        found = _KIND_OF.get(word.group().lower(), "")
        if found in EDGES and _OF_FILE.match(_BRACKETS.sub("", sentence[word.end() :].lower())):
            return found
    return ""
