"""Doubts about a whole result: what a careful reader misses in it when he goes through the message once more.

Readings are compared by what they make of the snippets. Whether the best of them is right also depends on the sentences
that no snippet follows: "also bump the year", "the last method goes away". They name things, and a result in which none
of these change doesn't do what they ask for. These facts only tell how certain a reading is: they rank none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fastedit.anchor.hints import is_path, sentences_of
from fastedit.anchor.lazy.comments import note_of
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.message import is_comment_text
from fastedit.anchor.lazy.shown import Shown, counts_in
from fastedit.anchor.lazy.spoken import speaks_of_going, words_of_going
from fastedit.patterns import pattern

# demand_idle: sentences that ask for a change, without a snippet that follows, of which nothing changes that they name;
# words_behind: words behind the last snippet.
# gone_idle: sentences about going that name code, none of which goes; gone_vague: those that name nothing that the file
# has; gone_comment: those about a comment, though none goes.
# count_short: the words count more places than change; every_once: they speak of every place, and one changes;
# every_left: what such a sentence names changes somewhere, and the result has it as often as before.
# blank_double: blank lines written beside blank ones. note_of_line: comments written that quote a line of the file.
DOUBTS = (
    "demand_idle", "words_behind", "gone_idle", "gone_vague", "gone_comment", "count_short", "every_once", "every_left",
    "blank_double", "note_of_line",
)  # fmt: skip
MAX_COUNT = 3.0
MAX_SENTENCES = 60
MAX_TOKENS = 12  # of a sentence
MIN_QUOTED_LINE = 10  # characters
_QUOTED = pattern(r"`([^`\n]+)`|[\"“„]([^\"“”„\n]{2,})[\"”“]")
_NUMBER = pattern(r"(?<![\w.#/-])v?\d+(?:[.\-–]\d+)+(?!\w)|(?<![\w.#/-])\d{2,}(?!\w|\.\d|%)")
_CODE = pattern(r"(?<!\w)[A-Za-z_]\w*(?:\.\w+)*")
_DEMANDS = pattern(
    r"(?:^|[,;(:–—-]\s*"
    r"|\b(?:and|also|please|then|to|should|must|has to|have to|needs? to|can|could|I(?:'ve| have)?|we)\s+)"
    r"(?:also\s+|please\s+|just\s+)?(?:removed?|deleted?|drop(?:ped)?|bump(?:ed)?|changed?|renamed?|replaced?|add(?:ed)?"
    r"|append(?:ed)?|moved?|put|insert(?:ed)?|set|swap(?:ped)?|switch(?:ed)?|updated?|fix(?:ed)?|adjust(?:ed)?"
    r"|sort(?:ed)?|correct(?:ed)?|reword(?:ed)?|shorten(?:ed)?|turn(?:ed)?|made?|make|give|pass|wrap(?:ped)?"
    r"|(?:un)?indent(?:ed)?)\b"
    r"|\b(?:should (?:be|read|say|become|go|stand|have|get)|becomes?|turns? into|gets?|got|needs?|goes?|comes?"
    r"|moves? (?:up|down|to|out|into)|belongs?|takes? the place|(?:is|are|reads?) now|instead of)\b|→|->|⇒",
    re.IGNORECASE,
)
_STAYS = pattern(
    r"\b(?:stays?|keeps?|kept|remains?|unchanged|untouched|as (?:it|they) (?:is|are|was|were)|(?:not|n['’]t) change"
    r"|alone|leave|bleib\w*|rest(?:e|ent))\b",
    re.IGNORECASE,
)
_EVERY = pattern(r"\b(?:every|each|all|both|everywhere|throughout|remaining)\b", re.IGNORECASE)
_COMMENT = pattern(
    r"\b(?:comments?|remarks?|docstrings?|notes?|javadoc|jsdoc|kommentar\w*|commentaires?|comentarios?)\b|コメント|注释",
    re.IGNORECASE,
)
_ENDS = (".", ")", "!", "。")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the words around the snippets.

    tokens: what it names. gone: its words that may name what goes, None where it doesn't speak of going; gone_surely:
    those that look like code, beside a word that says nothing else. is_free: no snippet follows that it speaks of.
    """

    text: str
    tokens: tuple[str, ...]
    gone: tuple[str, ...] | None
    gone_surely: tuple[str, ...]
    is_free: bool


@dataclass(frozen=True)
class _Difference:
    """The lines that a result has no more, and those that it has more; those only moved are neither."""

    gone: Counter[str]
    come: Counter[str]

    @property
    def text(self) -> str:
        """All of them, below each other."""
        return "\n".join([*self.gone, *self.come])


def doubts_of(shown: Shown, original: Lines, changes: Sequence[Change]) -> dict[str, float]:
    """`DOUBTS` of a result. changes: lines [start, end) of the original that become others; ascending."""
    old = Counter(text for start, end, _ in changes for text in original.stripped[start:end] if text)
    new = Counter(text for _, _, lines in changes for line in lines if (text := line.strip()))
    made = _Difference(old - new, new - old)
    f = dict.fromkeys(DOUBTS, 0.0)
    sentences = _sentences(shown.prose, shown.before)
    f["words_behind"] = math.log1p(len(shown.behind.split()))
    _count_demands(f, sentences, made)
    _count_gone(f, sentences, original, made)
    _count_places(f, sentences, shown, original, changes, made)
    for text in made.come:
        f["note_of_line"] += _quotes_line(text, original, made)
    f["blank_double"] = float(sum(_doubles_blank(original, change) for change in changes))
    return {name: min(MAX_COUNT, value) for name, value in f.items()}


# ---- sentences -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _sentences(prose: str, before: tuple[str, ...]) -> tuple[Sentence, ...]:
    """Reads the sentences of a message. before: the words before each of its snippets."""
    intros = {_plain(last) for text in before if (last := _introduction(text))}
    result: list[Sentence] = []
    goes_on = False  # the sentence before speaks of something that goes
    for text, _ in sentences_of(prose):
        if len(result) == MAX_SENTENCES:
            break
        goes = speaks_of_going(text, goes_on=goes_on)
        words = words_of_going(text, goes_on=goes_on) if goes else []
        goes_on = bool(words)
        gone = tuple(word for word, _ in words) if goes else None
        surely = tuple(word for word, is_sure in words if is_sure)
        result.append(Sentence(text, tuple(_tokens(text)), gone, surely, _plain(text) not in intros))
    return tuple(result)


def _introduction(before: str) -> str:
    """The sentence that leads to a snippet; "" where the words before it end for themselves."""
    sentences = [text for text, _ in sentences_of(before)]
    return sentences[-1] if sentences and not before.rstrip().endswith(_ENDS) else ""


def _plain(text: str) -> str:
    return " ".join(text.split())


def _tokens(text: str) -> list[str]:
    """What a sentence names: quotes, numbers, and words written like code; each once."""
    quotes = [(code or words).strip() for code, words in _QUOTED.findall(text)]
    rest = _QUOTED.sub(" ", text)
    words = [word for word in _CODE.findall(rest) if _is_code(word)]
    found = dict.fromkeys(one for one in (*quotes, *_NUMBER.findall(rest), *words) if one and not is_path(one))
    return list(found)[:MAX_TOKENS]


def _is_code(word: str) -> bool:
    return "_" in word or (any(map(str.isupper, word[1:])) and any(map(str.islower, word)))


def _stands_in(token: str, text: str) -> bool:
    """Whether a text has a token that isn't part of a longer word."""
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        if not (at and _joins(text[at - 1], token[0])) and not (end < len(text) and _joins(token[-1], text[end])):
            return True
        at = text.find(token, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two characters beside each other are of one word."""
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


def _is_known(token: str, original: Lines) -> bool:
    """Whether the original has a token."""
    return any(token in text and _stands_in(token, text) for text in original.stripped)


def _count_demands(f: dict[str, float], sentences: Sequence[Sentence], made: _Difference) -> None:
    """Fills in the sentences that ask for a change without a snippet, and of which nothing changes."""
    text = made.text
    for one in sentences:
        if one.is_free and one.tokens and (one.gone is not None or _DEMANDS.search(one.text)):
            is_met = any(_stands_in(token, text) for token in one.tokens)
            f["demand_idle"] += not is_met and _STAYS.search(one.text) is None


def _count_gone(f: dict[str, float], sentences: Sequence[Sentence], original: Lines, made: _Difference) -> None:
    """Fills in the sentences about something that goes, by whether it does."""
    text = "\n".join(made.gone)
    has_comment = any(is_comment_text(line) or '"""' in line for line in made.gone)
    for one in sentences:
        if one.gone is None:
            continue
        f["gone_comment"] += not has_comment and _COMMENT.search(one.text) is not None
        if not any(_stands_in(token, text) for token in one.gone_surely):
            f["gone_idle"] += any(_is_known(token, original) for token in one.gone_surely)
        if not any(_stands_in(token, text) for token in one.gone):
            f["gone_vague"] += not any(_is_known(token, original) for token in one.gone)


def _count_places(
    f: dict[str, float],
    sentences: Sequence[Sentence],
    shown: Shown,
    original: Lines,
    changes: Sequence[Change],
    made: _Difference,
) -> None:
    """Fills in whether as many places change as the words say."""
    told = counts_in(shown.prose)
    f["count_short"] = float(bool(told) and len(changes) < min(told))
    f["every_once"] = float(len(changes) == 1 and _EVERY.search(shown.prose) is not None)
    before, after, text = "\n".join(made.gone.elements()), "\n".join(made.come.elements()), made.text
    for one in sentences:
        if _EVERY.search(one.text):
            changed = [token for token in one.tokens if _stands_in(token, text)]
            left = [token for token in changed if after.count(token) >= before.count(token)]
            f["every_left"] += any(_is_known(token, original) for token in left)


# ---- lines -----------------------------------------------------------------------------------------------------------


def _quotes_line(text: str, original: Lines, made: _Difference) -> bool:
    """Whether a new line is a comment that holds a line that goes, or a line of the file: `# was: timeout = 30`."""
    note = note_of(text) if is_comment_text(text) and "".join(text.split()) not in original.places else None
    if not note:
        return False
    key = "".join(note.split())
    gone = ("".join(line.split()) for line in made.gone)
    return any(len(line) >= MIN_QUOTED_LINE and line in key for line in gone) or any(
        len(line) >= MIN_QUOTED_LINE and line in original.places for line in (key, key.partition(":")[2])
    )


def _doubles_blank(original: Lines, change: Change) -> bool:
    """Whether a change begins or ends with a blank line beside one that stays."""
    start, end, lines = change
    if not lines:
        return False
    above = start > 0 and not original.stripped[start - 1] and not lines[0].strip()
    below = end < len(original) and not original.stripped[end] and not lines[-1].strip()
    return above or below
