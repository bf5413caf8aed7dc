"""Comments, strings and brackets of a text by its language's comment syntax alone, without a grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from fastedit.syntax.languages import comment_syntax

# A string ends at the end of its line at the latest, so that an apostrophe in prose hides one line, not the file.
_STRINGS = (r"\"\"\".*?\"\"\"", r"\"(?:\\.|[^\"\\\n])*\"", r"'(?:\\.|[^'\\\n])*'", r"`(?:\\.|[^`\\])*`")
_DOLLAR_TAG = re.compile(r"\$\w{0,40}\$")
_MAX_DOLLAR_TAGS = 16
CLOSERS = {"{": "}", "(": ")", "[": "]"}


@lru_cache(maxsize=128)
def _token(language: str, dollar_tags: tuple[str, ...] = ()) -> re.Pattern[str]:
    syntax = comment_syntax(language)
    # A word character before `#` or `;` is part of a word (`$#`, `a#b`), never a comment.
    comments = [rf"(?<![\w$&]){re.escape(prefix)}[^\n]*" for prefix in syntax.line]
    comments += [rf"{re.escape(start)}.*?(?:{re.escape(end)}|\Z)" for start, end in syntax.block]
    strings = [rf"{re.escape(tag)}.*?{re.escape(tag)}" for tag in dollar_tags] + list(_STRINGS)
    parts = [rf"(?P<comment>{'|'.join(comments)})"] if comments else []
    return re.compile("|".join([*parts, rf"(?P<string>{'|'.join(strings)})", r"(?P<mark>[{}()\[\];])"]), re.S)


def tokens(text: str, language: str) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of each comment, string and mark; what: "comment", "string" or the mark, one of `{}()[];`."""
    for match in _token(language, _dollar_tags(text) if language == "sql" else ()).finditer(text):
        yield (match[0] if match.lastgroup == "mark" else match.lastgroup or ""), match.start(), match.end()


def _dollar_tags(text: str) -> tuple[str, ...]:
    """The tags of the text's dollar-quoted strings. The most frequent ones: each costs a search to the end."""
    counts = Counter(_DOLLAR_TAG.findall(text))
    return tuple(tag for tag, count in counts.most_common(_MAX_DOLLAR_TAGS) if count > 1)


def closing_brackets(text: str, language: str) -> str:
    """The brackets that close those that are open at the end of the text, innermost first."""
    open_brackets: list[str] = []
    for what, _, _ in tokens(text, language):
        if what in CLOSERS:
            open_brackets.append(what)
        elif open_brackets and CLOSERS[open_brackets[-1]] == what:
            open_brackets.pop()
    return "".join(CLOSERS[bracket] for bracket in reversed(open_brackets))
