"""Tells what a message shows and says, prepared once, and how far each result that it may mean bears that out.

The snippets show lines in their order, with their indentation and the blank lines between; a result that has them
otherwise is seldom meant. The words, and the notes in the snippets, name things: what they call unchanged can't go.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from fastedit.anchor.hints import Hints, says_gone
from fastedit.anchor.lazy.comments import log_odds, note_of
from fastedit.anchor.lazy.lines import Change, Lines, columns_of, is_comment_text
from fastedit.edits.model import Snippet
from fastedit.patterns import pattern

# shown_lost: lines of code shown that the result doesn't have. num_changes, num_changed: how much changes.
# blank_lost: lines that follow each other in a snippet with a blank line between them that the result lacks. uneven:
# those with another indentation against each other; uneven_kept: where one of them is an old line; uneven_turned: where
# the one that was further in no longer is.
# dots_written: new lines with dots, which may stand for code. notes_written: lines that only get a note behind them;
# talk_written: how likely such notes, behind any new line, speak to the reader.
# said_gone: names that the words mention and that stand nowhere any more, said_gone_asked: that they say are gone.
# noted_gone, noted_gone_asked: names that a note in a snippet has and that stand nowhere any more, by whether it says
# that something goes. noted_line_gone: names in notes for which a line goes that is about them.
FULFILLED = (
    "shown_lost", "num_changes", "num_changed", "blank_lost", "uneven", "uneven_kept", "uneven_turned", "dots_written",
    "notes_written", "talk_written", "said_gone", "said_gone_asked", "noted_gone", "noted_gone_asked",
    "noted_line_gone",
)  # fmt: skip
MAX_COUNT = 3.0  # of each of these
NAME = pattern(r"[A-Za-z_$][\w$]{2,}")
DOTS = pattern(r"\.\.\.|…|⋮")
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


# ---- how far a result bears it out ----------------------------------------------------------------------------------


def fulfilled_by(original: Lines, changes: Sequence[Change], message: MessageFacts) -> tuple[float, ...]:
    """`FULFILLED` of a result. changes: lines [start, end) of the original that become others; ascending."""
    f = dict.fromkeys(FULFILLED, 0.0)
    gone = {line for start, end, _ in changes for line in range(start, end)}
    new = [text for _, _, lines in changes for line in lines if (text := line.strip())]
    f["num_changes"] = math.log(max(1, len(changes)))
    f["num_changed"] = math.log1p(sum(end - start + len(lines) for start, end, lines in changes)) / 2
    written = {code_key(text) for text in new}
    lost = sum(key not in written and all(at in gone for at in places) for key, places in message.code)
    f["shown_lost"] = math.log1p(lost)
    for change in changes:
        _count_steps(f, original, change, message)
    f["dots_written"] = sum(bool(DOTS.search(text)) and "".join(text.split()) not in original.places for text in new)
    _count_notes(f, original, new)
    _count_names(f, original, gone, new, message)
    return tuple(min(MAX_COUNT, f[name]) for name in FULFILLED)


def _count_steps(f: dict[str, float], original: Lines, change: Change, message: MessageFacts) -> None:
    """Fills in the lines that follow each other as in a snippet, but for blank lines and indentation."""
    start, end, lines = change
    before, behind = original.beside(start, end)
    first = max(before, 0)
    texts = [*original.texts[first:start], *lines, *original.texts[end : behind + 1]]
    new = range(start - first, start - first + len(lines))
    row, last = -1, ""
    for at, text in enumerate(texts):
        key = "".join(text.split())
        if not key:
            continue
        step = message.steps.get((last, key)) if last else None
        if step is not None and (row in new or at in new):
            _compare(f, step.columns, columns_of(text) - columns_of(texts[row]), row in new and at in new)
            f["blank_lost"] += step.is_apart and at - row == 1
        row, last = at, key


def _compare(f: dict[str, float], shown: int, made: int, are_new: bool) -> None:
    """Fills in whether a line is as much further in than the one before as the snippet shows it."""
    if shown != made:
        f["uneven" if are_new else "uneven_kept"] += 1
        f["uneven_turned"] += (shown > 0) != (made > 0) or (shown < 0) != (made < 0)


def _count_notes(f: dict[str, float], original: Lines, new: Sequence[str]) -> None:
    """Fills in the notes behind new lines, which may only be for the reader."""
    for text in new:
        note = note_behind(text)
        if note and "".join(text.split()) not in original.places:
            f["notes_written"] += code_key(text) in original.places
            f["talk_written"] += sum(math.exp(log_odds(note)[role]) for role in ("where", "new", "gone"))


def _count_names(
    f: dict[str, float], original: Lines, gone: set[int], new: Sequence[str], message: MessageFacts
) -> None:
    """Fills in the names that stand nowhere any more, by who speaks of them."""
    lost = _names_gone(original, gone, new)
    for name in message.mentioned & lost:
        f["said_gone_asked" if name in message.hints.removed else "said_gone"] += 1
    for note in message.notes if gone else ():
        if note.text in new:
            continue
        for name in note.names:
            if name in lost:
                f["noted_gone_asked" if note.says_gone() else "noted_gone"] += 1
            elif _loses_line(original, gone, new, name):
                f["noted_line_gone"] += not note.says_gone()


def _loses_line(original: Lines, gone: set[int], new: Sequence[str], name: str) -> bool:
    """Whether a line goes that is about a name, and none that comes has it."""
    for line in original.word_places.get(name, ()):
        found = original.identity(line) if line in gone else None
        if found is not None and name in found.name:
            return not any(name in text for text in new)
    return False


def _names_gone(original: Lines, gone: set[int], new: Sequence[str]) -> frozenset[str]:
    """The names of lines that go which stand nowhere any more."""
    old = {name for line in gone for name in NAME.findall(original.stripped[line])}
    old -= {name for text in new for name in NAME.findall(text)}
    return frozenset(name for name in old if all(line in gone for line in original.word_places.get(name, ())))
