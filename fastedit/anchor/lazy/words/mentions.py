"""The names in words, and the odds of what these say of each: that it goes, stays, changes, or is a place.

"drop `a`, which `b` no longer needs, and put this below `c`" says something else of each name. A small network reads
the words around a name: embeddings of hashed words, convolutions along them, and whether the file and the snippets have
the name. It is fitted to names in messages whose roles readers told, see `fastedit.training.alignment.mentions`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.lines import WORD, Lines
from fastedit.patterns import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# gone: it goes; old: another takes its place, or it gets another name; new: it comes; changed: it stays, and its lines
# change; inside: something in it does; top, end, after, before: something new comes there; stays: it is said to stay;
# other: none of these.
ROLES = ("gone", "old", "new", "changed", "inside", "top", "end", "after", "before", "stays", "other")
# Of a token: whether it is a mention; a quote, a word written like code, a plain word; whether the file has it; whether
# any snippet has it, the next one, or that one's first line; of how many words it is, and whether it is a number.
TOKEN_FACTS = (
    "mention", "quote", "code", "plain", "in_file", "shown", "shown_next", "shown_first", "words", "is_number"
)  # fmt: skip
BUCKETS = 4096
CODE_BREAK, NAME_TOKEN = 0, 1  # tokens that stand for a snippet, and for a name that isn't a plain word
WIDTH, DILATIONS = 5, (1, 2, 3)  # of the convolutions
MAX_TOKENS = 2000
MAX_PLAIN_LINES, MIN_PLAIN = 4, 4  # lines with a plain word that may be a name, and its letters
MAX_WORDS = 5
MIN_PART = 2  # characters of what is looked for inside of lines
_MENTION = re.compile(
    r"`+[^`\n]+`+|[\"“„«][^\"“”„«»\n]{2,}?[\"”“»]"
    r"|(?<![\w*])\*{1,2}(?=[^\s*])[^*\n]{2,60}?(?<=[^\s*])\*{1,2}(?![\w*])"
    r"|(?<!\w)(?:[@$.]|--?)?\w[\w$-]*(?:\.\w[\w-]*)*(?:\(\))?"
)
_QUOTES = '`"“”„«»*'
_LIKE_CODE = pattern(r"_|[a-z0-9][A-Z]|^[A-Z]{3,}|\(\)$|^\d|\w\.\w|^[@$.-]|^[A-Z].*[A-Z]")
_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NAMES = re.compile(r"[A-Za-z_$][\w$]*|\d+(?:\.\d+)*")
_TOKEN = re.compile(r"\n|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s]|_+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_FILE = FITTED / "mentions.npz"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the words of a message.

    piece: the number of the snippet that the words stand before, see `pieces_of`; start, end: where it stands in them,
    with its quotes; text: without them. in_file: whether the original has that text.
    """

    piece: int
    start: int
    end: int
    text: str
    is_quote: bool
    is_plain: bool
    in_file: bool


def mentions_in(pieces: Sequence[str], snippets: Sequence[Sequence[str]], original: Lines) -> list[Mention]:
    """The names in a message's words: quotes, what is written like code, and rare words of the original.

    pieces: the words before each snippet, and those behind the last.
    """
    shown, whole = "\n".join(line for lines in snippets for line in lines), "\n".join(original.stripped)
    places, common = original.word_places, _network(_FILE).common
    result = []
    for number, piece in enumerate(pieces):
        for found in _MENTION.finditer(piece):
            text = found.group()
            core = text.strip(_QUOTES)
            is_quote = text[0] in _QUOTES
            is_plain = not is_quote and _LETTERS.fullmatch(text) is not None and not _LIKE_CODE.search(text)
            if is_plain:
                counts = [len(places[word]) for word in (text, text.lower()) if word in places]
                if len(text) < MIN_PLAIN or text.lower() in common or not 0 < min(counts, default=0) <= MAX_PLAIN_LINES:
                    continue
            elif not is_quote:
                is_known = any(word in places for word in WORD.findall(core)) or core in whole
                if not _LIKE_CODE.search(text) or (len(text) == 1 and text.isdigit()):
                    continue
                if not is_known and core not in shown:
                    continue
            result.append(Mention(number, found.start(), found.end(), core, is_quote, is_plain, core in whole))
    return result


@dataclass(frozen=True, slots=True)
class MentionTokens:
    """The words of a message as the network reads them.

    buckets: (T,), of the words; facts: (T, len(TOKEN_FACTS)); at: (M,), the token of each mention that is among them.
    """

    buckets: NDArray[np.int64]
    facts: Floats
    at: NDArray[np.int64]


def mention_tokens(
    mentions: Sequence[Mention], pieces: Sequence[str], snippets: Sequence[Sequence[str]]
) -> MentionTokens:
    """The words of a message with the mentions in them; those behind the first `MAX_TOKENS` are left out."""
    texts = ["\n".join(lines) for lines in snippets]
    shown = "\n".join(texts)
    buckets: list[int] = []
    at: list[int] = []
    facts: list[tuple[float, ...]] = []
    for number, piece in enumerate(pieces):
        start = 0
        for one in (one for one in mentions if one.piece == number):
            buckets += map(_bucket, _words(piece[start : one.start]))
            is_next = number < len(texts) and one.text in texts[number]
            is_first = is_next and one.text in (snippets[number] or ("",))[0]
            at.append(len(buckets))
            buckets.append(_bucket(one.text) if one.is_plain else NAME_TOKEN)
            is_code = not (one.is_quote or one.is_plain)
            num_words = min(MAX_WORDS, len(_NAMES.findall(one.text))) / MAX_WORDS
            facts.append(
                (1.0, one.is_quote, is_code, one.is_plain, one.in_file, one.text in shown, is_next, is_first, num_words,
                 one.text[:1].isdigit())
            )  # fmt: skip
            start = one.end
        buckets += map(_bucket, _words(piece[start:]))
        buckets.append(CODE_BREAK)
    count = sum(place < MAX_TOKENS for place in at)
    table = np.zeros((min(MAX_TOKENS, len(buckets)), len(TOKEN_FACTS)), np.float32)
    places = np.array(at[:count], np.int64)
    if count:
        table[places] = facts[:count]
    return MentionTokens(np.array(buckets[:MAX_TOKENS], np.int64), table, places)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The names in a message's words.

    tokens: the words. chances: (M, len(ROLES)), how likely each name has each role; 0 where it stands behind the first
    `MAX_TOKENS` tokens.
    """

    mentions: Sequence[Mention]
    tokens: MentionTokens
    chances: Floats


def mentioned(pieces: Sequence[str], snippets: Sequence[Sequence[str]], original: Lines) -> Mentioned:
    """The names in a message's words, with what these say of them.

    pieces: the words before each snippet, and those behind the last.
    """
    mentions = mentions_in(pieces, snippets, original)
    tokens = mention_tokens(mentions, pieces, snippets)
    chances = np.zeros((len(mentions), len(ROLES)), np.float32)
    if mentions:
        chances[: len(tokens.at)] = _network(_FILE).chances(tokens)
    return Mentioned(mentions, tokens, chances)


def lines_of(mention: Mention, original: Lines, most: int) -> Sequence[int]:
    """The lines that a mention names: those that it is, else those that have it; none where more than `most` do."""
    key = "".join(mention.text.split()).strip(",;")
    for whole in (key, f"{key},", f"{key};"):
        if whole in original.places:
            found: Sequence[int] = original.places[whole]
            return found if len(found) <= most else ()
    name = key.removesuffix("()")
    if len(mention.text.split()) == 1 and _NAME.fullmatch(name):
        found = original.word_places.get(name, original.word_places.get(name.lower(), ()))
    elif len(name) < MIN_PART:
        return ()
    else:
        start = r"(?<![\w.])" if name[0].isalnum() or name[0] == "_" else ""  # `#include<a>` has no blank here
        alone = re.compile(rf"{start}{re.escape(name)}(?!\w|\.\w)")
        found = [line for line, theirs in enumerate(original.keys) if name in theirs and alone.search(theirs)]
        last = _NAMES.findall(name)[-1:]
        if not found and not mention.is_plain and last and "." in name:  # `Store.load`
            found = original.word_places.get(last[0], ())
    return found if len(found) <= most else ()


def _words(text: str) -> Iterator[str]:
    """Yields words and signs; each sign of a script without spaces by itself, numbers all alike."""
    for found in _TOKEN.finditer(text):
        word = found.group()
        if _UNSPACED.search(word):
            yield from word
        else:
            yield "0" if word[0].isdigit() else word


def _bucket(word: str) -> int:
    return NAME_TOKEN + 1 + zlib.crc32(word.lower().encode()) % (BUCKETS - NAME_TOKEN - 1)


class WordNetwork:
    """A network that reads the words of a message, with its parameters by the names that fitting gives them."""

    def __init__(self, parameters: Mapping[str, NDArray[np.generic]]) -> None:
        self.of = {name: value.astype(np.float32) for name, value in parameters.items()}

    def told(self, head: str, tokens: MentionTokens) -> Floats:
        """(T, ...): what a linear head says of each word."""
        values = self.of["embedded.weight"][tokens.buckets] + self._linear("facts", tokens.facts)
        for layer, dilation in enumerate(DILATIONS):
            inner = self._along(f"along.{layer}", self._normal(f"normal.{layer}", values), dilation)
            values = values + self._linear(f"outer.{layer}", inner / (1 + np.exp(-inner.clip(-60, 60))))
        return self._linear(head, self._normal("last", values))

    def _along(self, name: str, values: Floats, dilation: int) -> Floats:
        kernel, reach = self.of[f"{name}.weight"], WIDTH // 2 * dilation  # (out, in, WIDTH)
        padded = np.pad(values, ((reach, reach), (0, 0)))
        total = np.tile(self.of[f"{name}.bias"], (len(values), 1))
        for at in range(WIDTH):
            start = at * dilation
            total += padded[start : start + len(values)] @ kernel[:, :, at].T
        return total

    def _linear(self, name: str, values: Floats) -> Floats:
        return np.asarray(values @ self.of[f"{name}.weight"].T + self.of[f"{name}.bias"], np.float32)

    def _normal(self, name: str, values: Floats) -> Floats:
        centred = values - values.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5)
        return np.asarray(centred / scale * self.of[f"{name}.weight"] + self.of[f"{name}.bias"], np.float32)


class MentionNetwork(WordNetwork):
    """The network that tells the roles of mentions. common: words that many messages have, whatever they name."""

    def __init__(self, parameters: Mapping[str, NDArray[np.generic]], common: frozenset[str]) -> None:
        super().__init__(parameters)
        self.common = common

    def chances(self, tokens: MentionTokens) -> Floats:
        """(M, len(ROLES)): how likely each mention has each role."""
        odds = self.told("roles", tokens)[tokens.at]
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float32)


@cache
def _network(path: Path) -> MentionNetwork:
    """The stored network."""
    with np.load(path) as stored:
        common = frozenset(stored["common"].tolist())
        return MentionNetwork({name: stored[name] for name in stored.files if name != "common"}, common)
