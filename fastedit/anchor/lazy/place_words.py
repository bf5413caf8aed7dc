"""Reads sentences for the words that tell a place: `after`, `zwischen`, `in front of`, `at the end of`.

What they go with are names, quotes and ends of the file. What of an original these mean is for `places.py` to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
# Phrases that tell a place, and the word that tells the same.
_THING = r"(?:thing|statement|line|member|entry|item|argument)s? (?:of|in)\b"
_PHRASES = (
    (re.compile(r"\bin front of\b", re.IGNORECASE), "before"),
    (re.compile(r"\b(?:ahead of|prior to|on top of)\b", re.IGNORECASE), "before"),
    (re.compile(rf"\bas (?:the )?(?:very )?(?:last|final) {_THING}"), "at the end of"),
    (re.compile(rf"\bas (?:the )?(?:very )?first {_THING}"), "at the top of"),
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
_BRACKETS = re.compile(r"\([^()]*\)")
_STOP = re.compile(r"\s*[,;:]")
# A quote, or a word with what belongs to a number, a name or a path.
_TOKEN = re.compile(r"`([^`\n]+)`|[\"“„«]([^\"“”„«»\n]{2,})[\"”“»]|([\w$@.*#/-]*\w)")
MAX_BETWEEN = 40  # characters between a word for a place and the name
MAX_DISTANCE = 5  # words behind one for a place
MIN_WORD = 4
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def plain(sentence: str) -> str:
    """The sentence with one word for each phrase that tells a place."""
    for phrase, word in _PHRASES:
        sentence = phrase.sub(word, sentence)
    return sentence


def words_near(sentence: str) -> Iterator[tuple[str, str, int]]:
    """(kind, word, distance) for the quotes, names, numbers and rarer words behind a word for a place."""
    kind, distance = "", 0
    for found in _TOKEN.finditer(sentence):
        text = found[1] or found[2] or found[3]
        is_quote = not found[3]
        place = None if is_quote else _KIND_OF.get(text.lower())
        if place in ("after", "before", "between", "beside"):
            kind, distance = place, 0
        elif kind and distance < MAX_DISTANCE and (is_quote or len(text) >= MIN_WORD or _is_coded(text)):
            yield kind, text, distance
            distance += 1
        if _STOP.match(sentence, found.end()):
            kind = ""


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
