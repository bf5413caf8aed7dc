"""Tells whether a part of a line, or words that fill one, stand for what isn't shown."""

from __future__ import annotations

import math
import re

from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines
from fastedit.anchor.lazy.words.comments import log_odds

MIN_ELIDED = -0.7  # the least log odds that a comment inside of a line stands for code
# Words in brackets that fill a line: `[the examples as they are]`. Files hardly ever have such a line.
_BRACKETED = re.compile(
    r"^(?:\[{1,2}[^\[\](){}=<>;\"`\\]*\]{1,2}|\([^\[\](){}=<>;\"`\\]*\)|<{1,2}(?!!)[^\[\](){}=<>;\"`\\]*>{1,2})$"
)
# A line that such brackets hold whatever the words: where others of the snippet stand for something, it does so, too.
_ENCLOSED = re.compile(r"^(\[{1,2}|<{1,2})\s*[^\W_][^{}=\\]*[\])>]$")
_MANY_WORDS = re.compile(r"^[\[(<]{1,2}\s*(?:[\"`']?[^\W_]{2,}[\"`',;:]*\s+){4}[^{}=\\]*[\])>]$")
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}")
_ONE_WORD = re.compile(r"[\[(]{1,2}\s*([^\W\d_]{3,})\s*[\])]{1,2}")
MIN_ONE_WORD = math.log(0.6)  # the least chance that one word in brackets stands for something, by that word


def indent_of(text: str) -> int:
    """The number of blanks and tabs that a line begins with; -1 for a blank line."""
    return len(text) - len(text.lstrip()) if text.strip() else -1


def is_elision(note: str) -> bool:
    """Whether the words of a comment inside of a line stand for code."""
    return bool(DOTS.search(note)) or log_odds(note)["elide"] > MIN_ELIDED


def is_held(note: str) -> bool:
    """Whether one pair of brackets holds all of the words."""
    return note[:1] + note[-1:] in ("()", "[]") and not re.search(r"[\[\]()]", note[1:-1])


def is_in_brackets(text: str) -> bool:
    """Whether brackets hold all of a line, and nothing but words."""
    if not _BRACKETED.match(text):
        return bool(_MANY_WORDS.match(text))
    word = _ONE_WORD.fullmatch(text)
    return bool(_TWO_WORDS.search(text)) or (word is not None and log_odds(word.group(1))["elide"] > MIN_ONE_WORD)


def bracket_of(text: str) -> str:
    """The brackets that open a line which they hold all of; "" for any other line."""
    found = _ENCLOSED.match(text)
    return found.group(1) if found else ""


def logit(log_probability: float) -> float:
    """The logarithm of the odds."""
    return log_probability - math.log(max(1e-9, 1 - math.exp(log_probability)))


def is_shortened(head: str, original: Lines) -> bool:
    """Whether the original has this header in another form, with these words and perhaps more."""
    identity = identity_of(head.strip())
    if identity is None or "".join(head.split()) in original.places:
        return False
    words = set(WORD.findall(head))
    return any(words <= set(original.words(line)) for line in original.identities.get(identity, ()))


def opens_block(head: str, original: Lines) -> bool:
    """Whether the original has a line like this one, or one that is about the same."""
    key = "".join(head.split())
    if key in original.places:
        return True
    if len(key) > 6 and any(other.startswith(key[:-1]) for other in original.places):
        return True
    identity = identity_of(head.strip())
    return identity is not None and identity in original.identities
