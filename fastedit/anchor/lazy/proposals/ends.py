"""Finds what words say goes at a file's two ends: its header, docstring or interpreter line, all behind its last part.

Such lines are hardly ever quoted: "the shebang goes", "I drop the licence header", "`main` is the last function here".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastedit.anchor.cues import CueKind
from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.anchor.lazy.words.spoken import cues_of, end_of_unit, speaking_of_going
from fastedit.patterns import pattern

# any: lines at an end of the file of which a sentence speaks. interpreter, coding, docstring, banner: it has a word for
# just such lines at the top; header: one that may mean others too. opens: a snippet begins with what stands below them.
# starts: the sentence says with what the file begins. tail: the lines are at the end, and it says what is the last of
# the file; tail_named: it names that. shown: the share of the lines that snippets show. stays: the sentence also says
# that something stays. lines: the logarithm of how many.
ENDS = (
    "any", "interpreter", "coding", "docstring", "banner", "header", "opens", "starts", "tail", "tail_named", "shown",
    "stays", "lines",
)  # fmt: skip
MAX_HEAD = 80  # lines
MAX_TAIL = 200
MIN_RUN = 4  # characters of a snippet's line that shows where it ends
_HEADS = (
    ("interpreter", pattern(r"\b(?:shebangs?|hashbangs?|interpreter line)\b|`#!", re.IGNORECASE)),
    (
        "coding",
        pattern(
            r"\b(?:(?:en)?coding|utf-?8|charset)[\w -]{0,12}?[ -](?:lines?|cookies?|comments?|declarations?|headers?"
            r"|markers?|pragmas?)\b|`#\s?-\*-|`# coding",
            re.IGNORECASE,
        ),
    ),
    (
        "docstring",
        pattern(
            r"\b(?:module|file)(?:['’]s)?(?:[ -]level)? doc ?(?:string|comment|umentation)s?\b"
            r"|\bdoc ?strings? (?:at the (?:very )?(?:top|beginning|start)|of the (?:module|file)|above the imports)\b"
            r"|\bmodul-?docstrings?\b|\bdocstring (?:du|del|do) m[oó]dul[eo]\b",
            re.IGNORECASE,
        ),
    ),
    (
        "banner",
        pattern(
            r"\b(?:header|banner|licen[cs]e|copyright|leading|top|opening|header's)[ -]comments?\b|\bcomment header\b"
            r"|\bcomments? (?:block )?(?:at the (?:very )?(?:top|beginning|start|head)|above everything)\b"
            r"|\b(?:licen[cs]e|copyright|definitelytyped|typed|definitions?|generated|file|gpl|mit|apache)"
            r" (?:headers?|banner|notice|boilerplate)\b|\bbanner\b|\blizenz(?:kopf|kommentar|hinweis)\b"
            r"|\b(?:datei|kopf)kommentar\b|\ben-tête de (?:licence|fichier)\b|\b(?:cabecera|encabezado) de licencia\b",
            re.IGNORECASE,
        ),
    ),
    (
        "header",
        pattern(
            r"\bheaders?\b|\bcomment block\b|\b(?:old|first|big|long) comment\b|\bpreamble\b|\bboilerplate\b"
            r"|\bdateikopf\b|\ben-tête\b|\b(?:cabecera|encabezado|cabeçalho|intestazione)\b",
            re.IGNORECASE,
        ),
    ),
)
_STARTS = pattern(
    r"\b(?:file|module|it)\b(?: \w+){0,2}? (?:begins?|starts?|opens?)\b|\beverything (?:above|before)\b"
    r"|\b(?:datei|modul) (?:beginnt|fängt)\b|\bfichier commence\b|\b(?:archivo|fichero) (?:empieza|comienza)\b",
    re.IGNORECASE,
)
_CLAUSE = pattern(r"[,;:()]\s*|\s+[-–—]\s+|\b(?:but|while|whereas|aber|mais|pero)\b", re.IGNORECASE)
_IT = pattern(r"\b(?:it|them|they|both|all of (?:it|them))\b", re.IGNORECASE)
_QUOTE = (
    r"(?:`(?P<{0}>[^`\n]+)`|[\"“„](?P<{0}_text>[^\"“”„\n]{{2,}})[\"”“]"
    r"|(?P<{0}_word>(?!(?:it|that|this|th[eo]se|they|which|what|here|there)\b)[\w$][\w.$#-]{{2,}}))"
)
_PARTS = (
    r"(?:function|method|class|rule|section|test|step|job|hook|entry|key|line|block|statement|definition|declaration"
    r"|target|table|part|thing|item|one)"
)
# "`main` is the last function in the file", "`b` is the end of the file now", "nothing comes after `c` any more".
_LAST = pattern(
    rf"{_QUOTE.format('last')}(?: \w+)? (?:is|are|becomes?|closes)(?: now| then)?"
    rf"(?: (?:also )?(?:the|our) (?:very )?(?:last|final)(?: {_PARTS})?"
    r" (?:here|(?:of|in) (?:the|this) (?:file|module))\b"
    r"| (?:now )?the (?:very )?end of (?:the|this) (?:file|module)\b)"
    r"|\bnothing (?:else )?(?:comes|follows|remains|stands|is left)(?: \w+)?"
    rf" (?:after|behind|below|under) {_QUOTE.format('after')}"
    rf"|\bfile (?:now |then )?ends (?:with|after|behind|at) {_QUOTE.format('end')}"
    rf"|\bdatei (?:hört|endet)(?: \w+)? (?:mit|nach|hinter) {_QUOTE.format('ende')}",
    re.IGNORECASE,
)
# "The file ends there", "and that's the end of the file": of what a snippet shows.
_ENDS_THERE = pattern(
    r"\bfile (?:now |then )?ends (?:there|here|with (?:that|this|it))\b|\bfile ends (?:now |then )?with\W*$"
    r"|\b(?:that|this)(?:['’]s| is) (?:then |now )?the (?:very )?end of (?:the|this) file\b"
    r"|\b(?:nothing|no more)(?: else)? (?:comes|follows|stands|remains|is left)"
    r" (?:after|behind|below) (?:it|that|this)\b",
    re.IGNORECASE,
)
_OF_ENDS = ("last", "final", "end", "nothing", "no more", "hört")
_CODING = pattern(r"(?:#|//|;|%|/\*|\.\.|<!--|\")\s*(?:-\*-|vim?:)?.{0,12}?coding[:=]", re.IGNORECASE)
_DOCSTRING = pattern(r"[rRuUbB]?(\"\"\"|'''|\"(?!\"))")
_STAYING = (CueKind.STAYS, CueKind.KEEPS)
_PRAGMA = pattern(r"///|#(?:include|pragma|if|ifdef|ifndef|define|!\[|\[)|<!doctype|//go:|// \+build", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LostEnd:
    """Lines at one end of a file that could go, and what speaks for that; see `ENDS`."""

    lines: range
    values: dict[str, float]


class FileEnds:
    """Finds what the words of a message say goes at the file's ends, for all of its readings.

    pieces: the words before each snippet, and those behind the last. snippets: their lines without white space.
    """

    def __init__(
        self, original: Lines, declared: Declared, pieces: Sequence[str], snippets: Sequence[Sequence[str]]
    ) -> None:
        self.original, self.declared = original, declared
        self.snippets = [[key for key in own if key] for own in snippets]
        self._shown = frozenset(key for own in self.snippets for key in own)
        self.heads: list[LostEnd] = []
        self.tails: list[LostEnd] = []
        self._ending: list[Sequence[str]] = []  # the snippets behind which words say that the file ends
        for number, prose in enumerate(pieces):
            self._read(prose, self.snippets[min(number, len(self.snippets) - 1)] if self.snippets else ())

    def _read(self, prose: str, snippet: Sequence[str]) -> None:
        before = ""
        for sentence, _ in sentences_of(prose):
            if speaking_of_going((sentence,)):
                kinds = _kinds_of(sentence) or (_kinds_of(before) if _IT.search(sentence) else ())
                self.heads += self._heads(sentence, kinds)
            words = sentence.lower()
            if any(word in words for word in _OF_ENDS):  # most sentences have none, and need no pattern
                self.tails += self._tails(sentence)
                if _ENDS_THERE.search(sentence) and snippet:
                    self._ending.append(snippet)
            before = sentence

    def _values(self, lines: range, sentence: str, **values: float) -> dict[str, float]:
        keys = [self.original.keys[line] for line in lines if self.original.words(line)]
        stays = any(kind in _STAYING for _, kind in cues_of(sentence))
        shown = sum(key in self._shown for key in keys) / max(1, len(keys))
        return {"any": 1.0, "shown": shown, "stays": float(stays), "lines": math.log(max(1, len(keys))), **values}

    # ---- the head ----------------------------------------------------------------------------------------------------

    def _heads(self, sentence: str, kinds: Sequence[str]) -> Iterator[LostEnd]:
        """Yields the lines at the top that a sentence about going means by its words."""
        told = [kind for kind in kinds if kind != "header"] or kinds
        starts = float(_STARTS.search(sentence) is not None)
        for kind in told:
            lines = self._comment() if kind in ("banner", "header") else self._line_of(kind)
            if lines:
                opens = float(self._opens_a_snippet(lines.stop))
                yield LostEnd(lines, self._values(lines, sentence, opens=opens, starts=starts, **{kind: 1.0}))

    def _line_of(self, kind: str) -> range:
        texts = self.original.stripped
        if kind == "interpreter":
            return range(1) if texts[:1] and texts[0].startswith("#!") else range(0)
        if kind == "coding":
            return next(
                (range(line, line + 1) for line in range(min(2, len(texts))) if _CODING.match(texts[line])), range(0)
            )
        start = next((line for line, text in enumerate(texts[:MAX_HEAD]) if text and text[0] != "#"), len(texts))
        found = _DOCSTRING.match(texts[start]) if start < len(texts) else None
        if found is None:
            return range(0)
        for line in range(start, min(len(texts), start + MAX_HEAD)):
            if found[1] in (texts[line][found.end() :] if line == start else texts[line]):
                return range(start, line + 1)
        return range(0)

    def _comment(self) -> range:
        """The comment at the top, without the lines for the interpreter and the coding."""
        texts, start, end = self.original.stripped, 0, 0
        while start < len(texts) and (
            not texts[start] or texts[start].startswith("#!") or (start < 2 and _CODING.match(texts[start]))
        ):
            start += 1
        if start < len(texts) and texts[start].startswith(("/*", "<!--")):
            closing = "*/" if texts[start].startswith("/*") else "-->"
            end = next(
                (line + 1 for line in range(start, min(len(texts), start + MAX_HEAD)) if closing in texts[line]), 0
            )
            return range(start, end) if end else range(0)
        end = start
        while end < len(texts) and self.original.is_comment(end) and not _PRAGMA.match(texts[end]):
            end += 1
        return range(start, end) if end - start <= MAX_HEAD else range(0)

    def _opens_a_snippet(self, below: int) -> bool:
        """Whether a snippet begins with what stands below a head."""
        key = next((one for one in self.original.keys[below : below + 4] if one), "")
        return bool(key) and any(own and own[0] == key for own in self.snippets)

    # ---- the tail ----------------------------------------------------------------------------------------------------

    def _tails(self, sentence: str) -> Iterator[LostEnd]:
        """Yields what stands behind the part that a sentence calls the last of the file."""
        for found in _LAST.finditer(sentence):
            group, name = next((group, text) for group, text in found.groupdict().items() if text)
            end = end_of_unit(name, self.original, self.declared, is_quoted=not group.endswith("_word"))
            while 0 < end < len(self.original) and not self.original.keys[end]:
                end += 1
            if 0 < end < len(self.original) and len(self.original) - end <= MAX_TAIL:
                lines = range(end, len(self.original))
                yield LostEnd(lines, self._values(lines, sentence, tail=1.0, tail_named=1.0))

    def of_result(self, lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[LostEnd]:
        """Yields what could go from a result at its two ends."""
        yield from self.heads
        yield from self.tails
        for own in self._ending:
            end = _end_of(own, lines)
            kept = [origin for origin in origins[end:] if origin is not None]
            is_rest = bool(end) and None not in origins[end:] and len(kept) <= MAX_TAIL
            if is_rest and any(self.original.keys[line] for line in kept):
                rest = range(kept[0], kept[-1] + 1)
                yield LostEnd(rest, self._values(rest, "", tail=1.0, shown=0.0))


def _kinds_of(sentence: str) -> tuple[str, ...]:
    """The kinds of heads that a sentence speaks of, but for what it only says stays."""
    clauses = [one for one in _CLAUSE.split(sentence) if one and not _only_stays(one)]
    return tuple(kind for kind, words in _HEADS if any(words.search(one) for one in clauses))


def _only_stays(clause: str) -> bool:
    """Whether a clause says that something stays, and of nothing that it goes."""
    return any(kind in _STAYING for _, kind in cues_of(clause)) and not speaking_of_going((clause,))


def _end_of(snippet: Sequence[str], lines: Sequence[str]) -> int:
    """The line of a result behind which a snippet ends, where most of its last lines stand together; 0: none do."""
    keys = [(number, key) for number, line in enumerate(lines) if (key := "".join(line.split()))]
    best, end = 0, 0
    for place, (number, key) in enumerate(keys):
        if key != snippet[-1]:
            continue
        run = 0
        while run < min(len(snippet), place + 1) and keys[place - run][1] == snippet[-1 - run]:
            run += 1
        if run > best and sum(len(one) for one in snippet[-run:]) >= MIN_RUN:
            best, end = run, number + 1
    return end
