"""The facts of a message, of what it shows and says, prepared once to be held against each result that it may mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from fastedit.anchor.hints import Hints, says_gone
from fastedit.anchor.lazy.comments import log_odds, note_of
from fastedit.anchor.lazy.lines import Lines, columns_of
from fastedit.edits.model import Snippet
from fastedit.patterns import pattern

NAME = pattern(r"[A-Za-z_$][\w$]{2,}")
DOTS = pattern(r"\.\.\.|…|⋮")
_COMMENT = ("//", "/*", "--", "<!", "*/", "*", "#", ";", "%", "{/*", "..")
_NOTE_BEHIND = pattern(r"\s(?:#|//|--|/\*|<!--)")
_DOTS_ALONE = frozenset(("...", "…"))
MIN_ELIDE = -0.7  # log odds of a comment that stands for code
MAX_PLACES = 12  # of a word of a note: a commoner one tells nothing


class SnippetStep(NamedTuple):
    """The way that a snippet goes on from one line that isn't blank to the next.

    columns: how much further in that is; is_apart: whether blank lines stand between.
    """

    columns: int
    is_apart: bool


class Note(NamedTuple):
    """A comment of a snippet that the original doesn't have. names: those that stand in the original, too."""

    text: str
    names: frozenset[str]

    def says_gone(self) -> bool:
        """Whether it says that something goes."""
        return _says_gone(self.text)


@dataclass(frozen=True)
class MessageFacts:
    """A message against one original. prose: its words around the snippets; text: all of it."""

    original: Lines
    snippets: Sequence[Snippet]
    hints: Hints
    prose: str
    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        """All names and words of three letters and more."""
        return frozenset(NAME.findall(self.text))

    @cached_property
    def prose_words(self) -> frozenset[str]:
        """Those around the snippets."""
        return frozenset(NAME.findall(self.prose))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names that the words mention: the last part of each."""
        return frozenset(name.split(".")[-1].strip("()`") for name in self.hints.mentioned)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The lines of the snippets without white space."""
        return frozenset("".join(line.split()) for snippet in self.snippets for line in snippet.lines)

    @cached_property
    def steps(self) -> dict[tuple[str, str], SnippetStep]:
        """Two lines that follow each other in a snippet, without white space → how."""
        result: dict[tuple[str, str], SnippetStep] = {}
        for snippet in self.snippets:
            last, column, is_apart = "", 0, False
            for line in snippet.lines:
                key = "".join(line.split())
                if not key:
                    is_apart = True
                    continue
                if last:
                    result.setdefault((last, key), SnippetStep(columns_of(line) - column, is_apart))
                last, column, is_apart = key, columns_of(line), False
        return result

    @cached_property
    def is_marked(self) -> bool:
        """Whether any marker stands in the snippets: then what they leave out is mostly said to be."""
        texts = (line.strip() for snippet in self.snippets for line in snippet.lines)
        return any(self._is_marker(text) for text in texts)

    def _is_marker(self, text: str) -> bool:
        if text in _DOTS_ALONE:
            return True
        note = note_of(text) if is_comment_text(text) and "".join(text.split()) not in self.original.places else None
        return note is not None and log_odds(note)["elide"] > MIN_ELIDE

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The comments of the snippets that the original doesn't have, but for those that name nothing of it."""
        places, words = self.original.places, self.original.word_places
        texts = dict.fromkeys(line.strip() for snippet in self.snippets for line in snippet.lines)
        result = []
        for text in texts:
            if is_comment_text(text) and "".join(text.split()) not in places:
                names = frozenset(name for name in NAME.findall(text) if 0 < len(words.get(name, ())) <= MAX_PLACES)
                if names:
                    result.append(Note(text, names))
        return tuple(result)

    @cached_property
    def code(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The snippets' lines of code, without notes behind them → the lines of the original that say the same."""
        texts = (line.strip() for snippet in self.snippets for line in snippet.lines)
        keys = [code_key(text) for text in texts if text and not is_comment_text(text) and not DOTS.search(text)]
        telling = [key for key in keys if sum(map(str.isalnum, key)) > 1]
        noted, places = self._noted, self.original.places
        return tuple((key, (*places.get(key, ()), *noted.get(key, ()))) for key in telling)

    @cached_property
    def _noted(self) -> dict[str, list[int]]:
        """The original's lines with notes behind them, by their code."""
        result: defaultdict[str, list[int]] = defaultdict(list)
        for line, text in enumerate(self.original.stripped):
            if _NOTE_BEHIND.search(text):
                result[code_key(text)].append(line)
        return result


def is_comment_text(text: str) -> bool:
    """Whether a stripped line looks like a comment, or a part of one."""
    return text.startswith(_COMMENT)


@lru_cache(maxsize=512)
def _says_gone(text: str) -> bool:
    return says_gone(text)


@lru_cache(maxsize=8192)
def note_behind(text: str) -> str:
    """The words of the note behind a line's code; "" where there is none."""
    found = None if is_comment_text(text) else _NOTE_BEHIND.search(text)
    return (note_of(text[found.start() :].strip()) or "") if found is not None else ""


@lru_cache(maxsize=8192)  # results of one edit are asked for the same lines
def code_key(text: str) -> str:
    """A line without the note behind it and without white space."""
    found = _NOTE_BEHIND.search(text)
    return "".join((text[: found.start()] if found is not None else text).split())
