"""Reads the words before a snippet: the places that they name for it, whether they announce something new or a change.

A place is in a declaration, beside a line, at an end of the file. Only words near the snippet count, and only names
that the original has. "Then add the method, following `hasMany`" and "`hasMany` becomes" may stand before the same
lines; only the last sentence tells what is announced. What they say is one more fact for the search, not an order:
"after `load`" may tell when something happens, and a function that is named may be one that is called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import fuzz

from fastedit.anchor.hints import is_path
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.anchor.lazy.words.phrases import (
    BESIDE,
    EDGES,
    QUOTED,
    SENTENCE_END,
    mentions,
    plain,
    replaced_in,
    words_near,
)
from fastedit.anchor.lazy.words.shapes import is_title, is_underline
from fastedit.patterns import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
# A block that words name by what its first line has, or by its keyword, the first or the last: "the `ready` branch".
_BRANCH = pattern(
    r"(?:\b(?P<which>first|last|final)\s+)?`(?P<quote>[^`\n]+)`"
    r"(?:[\s-]+(?P<kind>branch|case|arm|clause|loop|zweig|rama|branche|ramo)\b)?",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:\}\s*)?(?P<keyword>(?:el(?:se )?)?if|else|case|when|while|for|switch|match|with|try|except|catch|finally"
    r"|unless|until|default)\b"
)
MAX_NEAR = 6  # lines that a word may mean
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
# Of lines that are like the first one of a snippet: characters of that, and of the word that they have; how alike they
# are, of 100, and how much less alike the next may be that are meant too; lines that are compared, and meant.
MIN_KIN, MIN_PLAIN, KIN, EQUAL, MAX_LIKE, MAX_KIN = 8, 3, 62.0, 3.0, 60, 2
_SMALL = frozenset(
    "the and for its one ones that this with der die das und les des une los las del een het den".split()
)


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
            names = [next(filter(None, one.groups())) for one in QUOTED.finditer(before)]
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
        named = list(mentions(_FILE_NAME.sub(self._without_path, sentence)))
        around = self._around(named, shown)
        for kind, quoted in named:
            if kind in EDGES and not quoted:
                told.at = _with(told.at, n + 1, self._gap(0 if kind == "top" else n))
                continue
            kin: list[tuple[int, int]] = []
            if kind in BESIDE and quoted not in shown:
                kin = [(line, self._end_of(line)) for line in self._kin_of(first, quoted)]
            if kind in BESIDE:
                meant = self._meant(quoted, shown, around)
            else:
                meant = self._branches(sentence, quoted, around) or self._meant(quoted, shown)
            for span in dict.fromkeys([*meant, *kin]):
                if kind in BESIDE:
                    self._place_beside(told, kind, span, first, is_alike=span in kin)
                else:
                    self._place_inside(told, "end" if is_last and kind == "inside" else kind, span)
        return told

    def _around(self, named: Sequence[tuple[str, str]], shown: frozenset[str]) -> list[tuple[int, int]]:
        """The lines of the declarations that a sentence says a snippet goes into: it may name a place in them."""
        names = (quoted.strip().removesuffix("()") for kind, quoted in named if kind == "inside")
        return [span for name in names if name not in shown for span in self.declared.get(name, ())[:MAX_MEANT]]

    def _branches(self, sentence: str, quoted: str, around: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The lines of the branches and loops that a sentence calls so by a quote: of `if ready:` and what is in it."""
        said = next((one for one in _BRANCH.finditer(sentence) if one["quote"] == quoted), None)
        key = "".join(quoted.split()).rstrip(":{")
        begins = _OPENS.fullmatch(quoted.strip(" :{"))
        if said is None or not key or not (said["kind"] or begins):
            return []
        spans = []
        for line in self.original.word_places.get(_NAME.findall(quoted)[0], ()) if _NAME.search(quoted) else ():
            found = _OPENS.match(self.original.stripped[line])
            is_meant = found is not None and (found["keyword"] == key if begins else key in self.original.keys[line])
            if is_meant and self._end_of(line) > line + max(1, self.original.statement_span(line)):
                spans.append((line, self._end_of(line)))
        spans = _in_any(spans, around) or spans
        if said["which"]:
            return spans[:1] if said["which"].lower() == "first" else spans[-1:]
        return spans if len(spans) <= MAX_MEANT else []

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
            is_above = len(first) > 1 or self._has_overline(start)
            told.at = _with(told.at, n + 1, above if is_above else range(above.start, start + 1))
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
                    top = self._above_comments(line) if len(first) > 1 or self._has_overline(line) else line
                    for at in [top] * (sides != "after") + [line + span, self._end_of(line)] * (sides != "before"):
                        places = self._gap(at)
                        result[places.start : places.stop] = np.maximum(result[places.start : places.stop], worth)
        return result if result.any() else None

    def _above_comments(self, line: int) -> int:
        """The first of the comments directly above a line, at its column, or the line above a title that is like the
        one below it; the line where there are none.
        """
        original = self.original
        if self._has_overline(line):
            return line - 1
        while line > 0 and original.is_comment(line - 1) and original.columns[line - 1] == original.columns[line]:
            line -= 1
        return line

    def _has_overline(self, line: int) -> bool:
        """Whether a line is a title between two lines of the same signs."""
        original = self.original
        if not 0 < line < len(original) - 1 or original.keys[line - 1] != original.keys[line + 1]:
            return False
        return is_underline(original.stripped[line - 1]) and is_title(original, line)

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

    def _meant(
        self, quoted: str, shown: frozenset[str], around: Sequence[tuple[int, int]] = ()
    ) -> list[tuple[int, int]]:
        """The line ranges [start, end) that a quote may mean; none where it means too many.

        around: lines in which it is looked for first: "in `Store`, below its `load`".
        """
        name = quoted.strip().removesuffix("()").split(".")[-1].strip("[]#. ")
        if name in shown:
            return []
        if name in self.declared:
            spans = self.declared[name]
            return (_in_any(spans, around) or spans)[:MAX_MEANT]
        if _NAME.fullmatch(name):
            places = self.original.word_places.get(name, ())
            lines = [line for line in places if self._is_about(line, name)]
            lines = lines or [line for line in places if self._leads(line, name)] or list(places)
        else:
            lines = self._quoted("".join(quoted.split()))
        lines = [start for start, _ in _in_any([(line, line) for line in lines], around)] or lines
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


def _in_any(spans: Sequence[tuple[int, int]], around: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The line ranges that lie in others, below their first lines."""
    return [one for one in spans if any(start < one[0] and one[1] <= end for start, end in around)]


def _with(mask: NDArray[np.bool_] | None, size: int, places: range) -> NDArray[np.bool_]:
    """The mask with more places set."""
    result = np.zeros(size, bool) if mask is None else mask
    result[places.start : places.stop] = True
    return result
