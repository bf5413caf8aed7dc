"""Words that tell places, and what a sentence announces: `after`, `zwischen`, `in front of`, `at the end of`.

The words are tables; what they go with are names, quotes and ends of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastedit.patterns import pattern

if TYPE_CHECKING:
    pass

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
# A quote, what is emphasised, as titles are, or a word that is written as only code is.
QUOTED = re.compile(
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
# What may stand between a name and the word for a place behind it: "of", "that line", "right" below.
_BEFORE_PLACE = r"^\s*(?:の|之|的|那一?行|这一?行|行|すぐ|真|ちょうど|正|紧(?:接着|跟着|跟|挨着)?的?|바로\s*)*"
_BEHIND_NAME = (
    ("after", re.compile(_BEFORE_PLACE + r"(?:直後|直下|後|下|次に|后|다음|뒤|아래)")),
    ("before", re.compile(_BEFORE_PLACE + r"(?:直前|直上|手前|前|上|앞|위)")),
    ("between", re.compile(r"^\s*(?:の|之|的)?(?:之间|之間|间|間|中间|사이)")),
    ("inside", re.compile(r"^\s*(?:の|之|的)?(?:中|内|里|裡|안)|^\s*では|^\s*에서")),
)
_AND = re.compile(r"\b(?:and|und|y|et|e|och|en|i|и)\W+(?:\w+\W+){0,3}$")
_OF = re.compile(r"\s+(?:of|von|des|der|del?|della|du|di|do|da|van|av)\b")
EDGES = ("top", "end")
BESIDE = frozenset(("after", "before", "between", "beside"))
# Phrases that tell a place, and the word that tells the same.
_THING = (
    r"(?:thing|statement|line|member|entry|item|argument|method|function|test|property|field|import|rule|case|option"
    r"|key|row|one|element|child)s? (?:of|in)\b"
)
_PHRASES = (
    (re.compile(r"\bat the (?:very )?(?:head|start) of\b", re.IGNORECASE), "at the top of"),
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
_BRACKETS = re.compile(r"\([^()]*\)")
_STOP = re.compile(r"\s*[,;:]")
# A quote, or a word with what belongs to a number, a name or a path.
_TOKEN = re.compile(r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]|([\w$@.*#/-]*\w)")
MAX_BETWEEN = 40  # characters between a word for a place and the name
MAX_DISTANCE = 5  # words behind one for a place
MIN_WORD = 4
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


def plain(sentence: str) -> str:
    """The sentence with one word for each phrase that tells a place."""
    for phrase, word in _PHRASES:
        sentence = phrase.sub(word, sentence)
    return sentence


def names_beside(prose: str) -> frozenset[str]:
    """The names of what sentences say that something goes beside."""
    found = (one for sentence in SENTENCE_END.split(prose) for one in mentions(plain(sentence)))
    return frozenset(name.strip().removesuffix("()") for kind, name in found if kind in BESIDE)


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
        for quote in QUOTED.finditer(behind[: stop.start()] if stop is not None else behind):
            yield next(filter(None, quote.groups()))
    for found in _IS_REPLACED.finditer(sentence):
        yield next(filter(None, found.groups()))


def _is_coded(word: str) -> bool:
    return any(one.isdigit() or one.isupper() for one in word)


def mentions(sentence: str) -> Iterator[tuple[str, str]]:
    """(kind, quote) for each name that a word for a place goes with, or for an end of the file and ""."""
    kind, since, at, last = "", 0, 0, ""
    has_name = False
    for piece in QUOTED.finditer(sentence):
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
