"""Tells what a message shows and says, prepared once, and how far each result that it may mean bears that out.

The snippets show lines in their order, with their indentation and the blank lines between; a result that has them
otherwise is seldom meant. The words, and the notes in the snippets, name things: what they call unchanged can't go.
Whether a reading is right also shows in what the message asks for and the result doesn't have: code in the prose that
is nowhere, a name for another that stands as before, a snippet that changes nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import NamedTuple

from rapidfuzz import fuzz

from fastedit.anchor.hints import Hints, is_path, says_gone, sentences_of
from fastedit.anchor.lazy.identity import columns_of, is_comment_text
from fastedit.anchor.lazy.keys.merging import COMPLETE
from fastedit.anchor.lazy.lines import DOTS, KEY_WORD, WORD, Change, Lines
from fastedit.anchor.lazy.result.adjacent import Neighbours
from fastedit.anchor.lazy.result.columns import indent_ratio
from fastedit.anchor.lazy.words.comments import log_odds
from fastedit.anchor.lazy.words.repeated import says_everywhere
from fastedit.edits.model import Snippet
from fastedit.edits.wording import comment_text
from fastedit.patterns import pattern

# shown_lost: lines of code shown that the result doesn't have. num_changes, num_changed: how much changes.
# blank_lost: lines that follow each other in a snippet with a blank line between them that the result lacks. uneven:
# those with another indentation against each other; uneven_kept: where one of them is an old line; uneven_turned: where
# the one that was further in no longer is.
# dots_written: new lines with dots, which may stand for code. notes_written: lines that only get a note behind them;
# talk_written: how likely such notes, behind any new line, speak to the reader.
# said_gone: names that the words mention and that stand nowhere any more, said_gone_asked: that they say are gone;
# stays_gone: names that they say stay, for which a line goes that is about them.
# noted_gone, noted_gone_asked: names that a note in a snippet has and that stand nowhere any more, by whether it says
# that something goes. noted_line_gone: names in notes for which a line goes that is about them.
FULFILLED = (
    "shown_lost", "num_changes", "num_changed", "blank_lost", "uneven", "uneven_kept", "uneven_turned", "dots_written",
    "notes_written", "talk_written", "said_gone", "said_gone_asked", "noted_gone", "noted_gone_asked",
    "noted_line_gone", "shown_apart", "shown_apart_marked", "shown_turned", "stays_gone",
)  # fmt: skip
MAX_COUNT = 3.0  # of each of these
NAME = pattern(r"[A-Za-z_$][\w$]{2,}")
_KEY = re.compile(r"[\w$@/-]{2,}")
_ANY_DOTS = pattern(r"\.\.\.|…|⋮")
_NOTE_BEHIND = pattern(r"\s(?:#|//|--|/\*|<!--)")
_DOTS_ALONE = frozenset(("...", "…"))
MIN_ELIDE = -0.7  # log odds of a comment that stands for code
MAX_NOTED = 12  # of a word of a note: a commoner one tells nothing
MIN_BECOME = 60.0  # percent that two quotes are alike of which one becomes the other
# missing: code in the prose that neither the original nor the result has. renamed_not: pairs of quotes, one for the
# other, that don't show in the result. lost: code of the snippets that the result doesn't have. idle: snippets that
# change nothing. removed: names said to be gone. everywhere: several places are spoken of. unknown: names in the prose
# that nobody else knows. twice: lines beside changes that the original has twice. hunks, changed: how much changes.
# asks_gone: the words say that something goes.
TOLD = (
    "missing", "renamed", "renamed_not", "lost", "idle", "removed", "everywhere", "unknown", "twice", "hunks",
    "changed", "asks_gone",
)  # fmt: skip
_QUOTE = pattern(r"`([^`\n]+)`")
_RENAMED = pattern(
    r"`([^`\n]+)`(?:\s+\w+){0,3}\s*(?:→|->|=>|⇒|\b(?:becomes?|to|by|with|into|wird|zu|durch|devient|par|por|pasa a)\b)"
    r"(?:\s+\w+){0,2}\s*`([^`\n]+)`"
)
# What may stand behind the quote that becomes another one and only tells where, or how often.
_ASIDE = pattern(
    r"(?<=`)\s+(?:\([^()`\n]*\)|(?:in|of|inside|from|under|dans|en|di|bei)\s+(?:the\s+)?`[^`\n]+`)(?=[^`\n]*`)"
)
_INSTEAD = pattern(
    r"`([^`\n]+)`\s+(?:instead of|rather than|in place of|replaces|statt|anstelle von)\s+(?:\w+\s+)?`([^`\n]+)`"
    r"|`([^`\n]+)`\s*[(–,]\s*(?:\w+\s+)?(?:was|were|formerly|previously|war|bisher|vorher|était|antes|era|prima|было|был)"
    r"\s+`([^`\n]+)`"
)
# A word for becoming, which "add `a` to `b`" doesn't have: "`a` turns into `b`", "rename `a` to `b`", "it calls `a`;
# make that `b`".
_STATED = pattern(
    r"(?:`(?P<old>[^`\n]+)`|[\"“](?P<text>[^\"“”\n]{2,})[\"”])(?:\s+\w+){0,3}?\s*(?:→|->|=>|⇒"
    r"|[,;:.–—-]?\s*(?:\b(?:and|so|please|just)\s+)?\b(?:make|change|turn|rename|mach|ändere|cambia)\s+(?:\w+\s+){0,2}?"
    r"(?:it|that|this|them|these|those|both|das|es|daraus|sie)(?:\s+(?:in)?to)?"
    r"|\b(?:becomes?|turns?\s+(?:in)?to|changes?\s+(?:in)?to|wird\s+zu|werden\s+zu|devient|diventa|pasa\s+a(?:\s+ser)?)\b)"
    r"(?:\s+\w+){0,1}?\s*(?:`(?P<new>[^`\n]+)`|[\"“](?P<new_text>[^\"“”\n]{2,})[\"”])"
    r"|\b(?:replac|renam|chang|turn|swap|switch|ersetz|reemplaz|cambi|remplac|sostitu|substitu)\w*\s[^`.;\n]{0,30}"
    r"`(?P<from>[^`\n]+)`(?:\s+\w+){0,3}?\s+(?:to|by|with|into|for|durch|zu|por|par|con)(?:\s+\w+)?\s+`(?P<to>[^`\n]+)`",
    re.IGNORECASE,
)
# Two for two: `a` / `b` to `c` / `d`.
_RENAMED_BOTH = pattern(
    r"`([^`\n]+)`\s*(?:/|,|&|and|und|y|et|e)\s*`([^`\n]+)`\s*(?:→|->|=>|⇒|\b(?:becomes?|to|by|with|into)\b)\s*"
    r"`([^`\n]+)`\s*(?:/|,|&|and|und|y|et|e)\s*`([^`\n]+)`"
)
# "`a` in line 2 must be `b`", "in `f` the words “a” should read “b”": the one that is to be, whatever stands between.
_WANTED = pattern(
    r"(?:`(?P<code>[^`\n]+)`|[\"“„](?P<words>[^\"“”„\n]{2,})[\"”“])[^`\"“„;\n]{0,40}?"
    r"(?:\b(?:in|of|inside|from)\s[^`\"“„;\n]{0,24}`[^`\n]+`[^`\"“„;\n]{0,16}?)?"
    r"\b(?:should|must|ought to|ha(?:s|ve) to|needs? to|is to|are to|muss|sollte?|devrait|doit|debe(?:ría)?"
    r"|dovrebbe|deve)\s+(?:now\s+|rather\s+)?(?:be|read|say|become|sein|heißen|lauten|être|ser|decir|essere)\b(?:\s+\w+)?\s*"
    r"(?:`(?P<new_code>[^`\n]+)`|[\"“„](?P<new_words>[^\"“”„\n]{2,})[\"”“])",
    re.IGNORECASE,
)
# What was and what is to be with words of their own between: "`a()` clashes with it, so both calls are `b()` now". Only
# quotes that are alike are such a pair.
_BECOMES = pattern(
    r"`(?P<old>[^`\n]+)`[^`\n]{1,140}?"
    r"\b(?:becomes?|(?:is|are|that's|should be|must be|reads?|now)(?: now)?(?: called| named)?)"
    r"\s+(?=`(?P<new>[^`\n]+)`)"
)
# Two quotes with a few words between, in any language: "sube `a` a `b`".
_PAIRED = pattern(r"`(?P<old>[^`\n]+)`(?=[^`\n.;:,()]{1,24}`(?P<new>[^`\n]+)`)")
VERSION = pattern(r"v?\d+(?:\.\w+)*")
# Lines of prose that quote: `> like this`, or indented as code is.
_QUOTED_LINE = pattern(r"^(?:>[ \t]?|[ ]{4,}|\t)(\S.*)$")
_BLOCK_QUOTE = pattern(r"^>[ \t]?(\S.*)$")
_CODE = pattern(r"[(){}\[\]=<>;+*/%&|!\"']|\w:?\s\w|\w\.\w")


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
    def telling(self) -> frozenset[str]:
        """The keys that tell something."""
        return frozenset(key for key in self.keys if sum(map(str.isalnum, key)) > 1)

    @cached_property
    def all_words(self) -> frozenset[str]:
        """All names, words and numbers, however short."""
        return frozenset(WORD.findall(self.text))

    @cached_property
    def told(self) -> frozenset[str]:
        """Those outside of the snippets, and what may be keys there."""
        return frozenset([*WORD.findall(self.prose), *_KEY.findall(self.prose)])

    @cached_property
    def asks_gone(self) -> bool:
        """Whether the words, or a comment in the snippets, say that something goes: `# removed: save`."""
        shown = (Lines(snippet.lines) for snippet in self.snippets)
        comments = (own.stripped[at] for own in shown for at in range(len(own)) if own.is_comment(at))
        return says_gone(self.prose) or any(map(says_gone, comments))

    @cached_property
    def gone_words(self) -> frozenset[str]:
        """The words of sentences and notes that say that something goes, those that few lines of the original have."""
        told = [sentence for sentence, _ in sentences_of(self.prose) if _says_gone(sentence)]
        told += [note.text for note in self.notes if note.says_gone()]
        words = {word for sentence in told for word in NAME.findall(sentence)}
        places = self.original.word_places
        return frozenset(word for word in words if 0 < len(places.get(word, ())) <= MAX_NOTED)

    @cached_property
    def has_dots(self) -> bool:
        """Whether a snippet leaves something out with dots."""
        return any(DOTS.search(line) for snippet in self.snippets for line in snippet.lines)

    @cached_property
    def says_complete(self) -> bool:
        """Whether words call something complete."""
        return COMPLETE.search(self.prose) is not None

    @cached_property
    def steps(self) -> dict[tuple[str, str], SnippetStep]:
        """Two lines that follow each other in a snippet, without white space → how, in columns of the original."""
        result: dict[tuple[str, str], SnippetStep] = {}
        for snippet in self.snippets:
            ratio = indent_ratio(self.original, Lines(snippet.lines))
            last, column, is_apart = "", 0, False
            for line in snippet.lines:
                key = "".join(line.split())
                if not key:
                    is_apart = True
                    continue
                if last:
                    result.setdefault((last, key), SnippetStep(round((columns_of(line) - column) * ratio), is_apart))
                last, column, is_apart = key, columns_of(line), False
        return result

    @cached_property
    def neighbours(self) -> Neighbours:
        """The lines that follow each other in a snippet, against the original."""
        return Neighbours(self.original, self.steps)

    @cached_property
    def beside_markers(self) -> frozenset[str]:
        """The lines of the snippets, without white space, between which and a marker stands none that tells a place."""
        result: set[str] = set()
        for snippet in self.snippets:
            told = [("".join(line.split()), self._is_marker(line.strip())) for line in snippet.lines]
            for way in (told, told[::-1]):
                is_near = False
                for key, is_marker in way:
                    if is_marker:
                        is_near = True
                    elif key and is_near:
                        result.add(key)
                        known = self.original.places.get(key, ())
                        is_near = len(known) != 1 or self.original.is_trivial[known[0]]
        return frozenset(result)

    @cached_property
    def is_marked(self) -> bool:
        """Whether any marker stands in the snippets: then what they leave out is mostly said to be."""
        texts = (line.strip() for snippet in self.snippets for line in snippet.lines)
        return any(self._is_marker(text) for text in texts)

    def _is_marker(self, text: str) -> bool:
        if text in _DOTS_ALONE:
            return True
        note = (
            comment_text(text) if is_comment_text(text) and "".join(text.split()) not in self.original.places else None
        )
        return note is not None and log_odds(note)["elide"] > MIN_ELIDE

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The comments of the snippets that the original doesn't have, but for those that name nothing of it."""
        places, words = self.original.places, self.original.word_places
        texts = dict.fromkeys(line.strip() for snippet in self.snippets for line in snippet.lines)
        result = []
        for text in texts:
            if is_comment_text(text) and "".join(text.split()) not in places:
                names = frozenset(name for name in NAME.findall(text) if 0 < len(words.get(name, ())) <= MAX_NOTED)
                if names:
                    result.append(Note(text, names))
        return tuple(result)

    @cached_property
    def code(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The snippets' lines of code, without notes behind them → the lines of the original that say the same."""
        texts = (line.strip() for snippet in self.snippets for line in snippet.lines)
        keys = [code_key(text) for text in texts if text and not is_comment_text(text) and not _ANY_DOTS.search(text)]
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
    return (comment_text(text[found.start() :].strip()) or "") if found is not None else ""


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
    f["dots_written"] = sum(
        bool(_ANY_DOTS.search(text)) and "".join(text.split()) not in original.places for text in new
    )
    apart = message.neighbours.apart(changes)
    f["shown_apart"] = math.log1p(apart.num_apart)
    f["shown_apart_marked"] = message.is_marked * f["shown_apart"]
    f["shown_turned"] = float(min(2, apart.num_turned))
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
    lost, kept = _names_gone(original, gone, new), message.hints.kept
    for name in kept if gone else ():
        f["stays_gone"] += _loses_line(original, gone, new, name)
    for name in (message.mentioned & lost) - kept:
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


# ---- what its words ask for ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """The snippets and words of a message, for all of its readings.

    keys: the lines of its snippets without white space, blank ones too; prose: its words around them.
    """

    keys: tuple[tuple[str, ...], ...]
    hints: Hints
    prose: str

    @cached_property
    def lines(self) -> frozenset[str]:
        """The lines that tell something."""
        return frozenset(key for own in self.keys for key in own if sum(one.isalnum() for one in key) > 1)

    @cached_property
    def gone(self) -> frozenset[str]:
        """The code that the words say is gone, without white space."""
        return frozenset(map(_bare, self.hints.gone))

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """The code that the prose quotes."""
        lines = (found[1] for line in self.prose.split("\n") if (found := _QUOTED_LINE.match(line)) is not None)
        quoted = (one.strip() for one in (*_QUOTE.findall(self.prose), *lines))
        return tuple(dict.fromkeys(one for one in quoted if len(one) > 1 and _CODE.search(one) and not is_path(one)))

    @cached_property
    def block_quotes(self) -> tuple[tuple[str, ...], ...]:
        """The lines of prose that follow each other and are quoted: `> like this`."""
        found = (_BLOCK_QUOTE.match(line) for line in self.prose.split("\n"))
        runs = groupby((one[1].strip() if one is not None else "" for one in found), key=bool)
        return tuple(tuple(lines) for is_quoted, lines in runs if is_quoted)

    @cached_property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Pairs of quotes: what was, and what is to be in its place."""
        pairs = [*_RENAMED.findall(self._direct), *self.stated]
        for first, second, new_first, new_second in _RENAMED_BOTH.findall(self._direct):
            pairs = [pair for pair in pairs if pair != (second, new_first)]
            pairs += [(first, new_first), (second, new_second)]
        return tuple(dict.fromkeys((old.strip(), new.strip()) for old, new in pairs))

    @cached_property
    def _direct(self) -> str:
        """The prose without what stands behind a quote and only tells where it is."""
        return _ASIDE.sub("", self.prose)

    @cached_property
    def stated(self) -> tuple[tuple[str, str], ...]:
        """Pairs of quotes that a word for becoming joins."""
        found = _STATED.finditer(self._direct)
        pairs = [
            (one["old"] or one["text"] or one["from"], one["new"] or one["new_text"] or one["to"]) for one in found
        ]
        pairs += [(old or was, new or now) for new, old, now, was in _INSTEAD.findall(self.prose)]
        return tuple(dict.fromkeys((old.strip(), new.strip().rstrip(".,")) for old, new in pairs))

    @cached_property
    def wanted(self) -> tuple[tuple[str, str], ...]:
        """Pairs of quotes of which words say that the one should be the other."""
        pairs = (
            (one["code"] or one["words"], one["new_code"] or one["new_words"]) for one in _WANTED.finditer(self.prose)
        )
        return tuple(dict.fromkeys((old.strip(), new.strip().rstrip(".,")) for old, new in pairs))

    @cached_property
    def became(self) -> tuple[tuple[str, str], ...]:
        """More such pairs: of quotes that are alike, with words of their own between them."""
        known = {quote for pair in self.renamed for quote in pair}
        pairs = [(one["old"].strip(), one["new"].strip()) for one in _BECOMES.finditer(self.prose)]
        alike = (pair for pair in pairs if MIN_BECOME <= fuzz.ratio(*pair) < 100)
        return tuple(dict.fromkeys(pair for pair in alike if known.isdisjoint(pair)))

    @cached_property
    def paired(self) -> tuple[tuple[str, str], ...]:
        """More such pairs: of quotes that are alike, or of which the second is a version, side by side."""
        known = {quote for pair in (*self.renamed, *self.wanted, *self.became) for quote in pair}
        pairs = [(one["old"].strip(), one["new"].strip()) for one in _PAIRED.finditer(self.prose)]
        alike = (pair for pair in pairs if MIN_BECOME <= fuzz.ratio(*pair) < 100 or VERSION.fullmatch(pair[1]))
        return tuple(dict.fromkeys(pair for pair in alike if known.isdisjoint(pair)))

    @cached_property
    def asks_gone(self) -> bool:
        """Whether the words say that something goes."""
        return says_gone(self.prose)

    @cached_property
    def asks_everywhere(self) -> bool:
        """Whether the words speak of several places."""
        return says_everywhere(self.prose)


def shown_of(snippets: Sequence[Sequence[str]], hints: Hints, prose: str) -> Shown:
    """Collects what a message shows and says. snippets: the lines of each."""
    return Shown(tuple(tuple(map(_bare, snippet)) for snippet in snippets), hints, prose)


def _changed(keys: Sequence[str], changes: Sequence[Change], new_keys: Sequence[Sequence[str]]) -> list[str]:
    """The keys of a result. new_keys: those of the new lines of each change."""
    result = list(keys)
    for (start, end, _), new in zip(reversed(changes), reversed(new_keys), strict=True):
        result[start:end] = new
    return result


def _bare(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def told_by(shown: Shown, original: Lines, changes: Sequence[Change]) -> dict[str, float]:
    """`TOLD` of a result. changes: lines [start, end) of the original that become others; ascending."""
    keys, places = original.keys, original.places
    new_keys = [[_bare(line) for line in new] for _, _, new in changes]
    written = Counter(key for new in new_keys for key in new)
    gone = Counter(key for start, end, _ in changes for key in keys[start:end])
    lost = sum(not written[key] and len(places.get(key, ())) <= gone[key] for key in shown.lines)
    mentioned = [name for name in shown.hints.mentioned if len(name) > 2]
    known = original.key_words | set(KEY_WORD.findall("\n".join(written))) if mentioned else set()
    before = after = ""
    if shown.quotes or shown.renamed:
        before, after = "\n".join(keys), "\n".join(_changed(keys, changes, new_keys))
    beside = [at for start, end, _ in changes for at in (start - 1, end) if 0 <= at < len(keys) and keys[at]]
    values = {
        "missing": sum(one not in after and one not in before for one in map(_bare, shown.quotes)),
        "renamed": len(shown.renamed),
        "renamed_not": sum(
            new not in after or (old not in new and after.count(old) >= before.count(old) > 0)
            for old, new in (map(_bare, pair) for pair in shown.renamed)
        ),
        "lost": math.log1p(lost),
        "idle": sum(not any(written[key] for key in own if key) for own in shown.keys) if changes else 0,
        "removed": len(shown.hints.removed),
        "everywhere": shown.asks_everywhere,
        "unknown": sum(name not in known for name in mentioned),
        "twice": sum(len(places[keys[at]]) > 1 for at in beside) / max(1, len(beside)),
        "hunks": math.log(max(1, len(changes))),
        "changed": math.log1p(sum(end - start + len(new) for start, end, new in changes)) / 2,
        "asks_gone": shown.asks_gone,
    }
    return {name: min(MAX_COUNT, float(value)) for name, value in values.items()}
