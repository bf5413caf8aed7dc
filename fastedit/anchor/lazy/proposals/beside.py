"""Proposes comments, annotations and blank lines that words say go beside what changes: `the comment above it`.

A comment seldom has a name. Words tell it by what it stands above, or by what it says: "no eslint comment", "in place
of the remark about PyCharm", "loses its doc block". All that fit are proposed, with what speaks for each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words.spoken import speaks_of_going
from fastedit.patterns import pattern

# comment: comments or annotations that a sentence about going may mean; comment_words: how many of its words they have
# that few others have; comment_share: how much of their words these are; comment_here: the sentence leads to a snippet
# that shows what stands below them; comment_changed: what stands below them changes or goes; comment_shown: a snippet
# shows what stands below them, and not them; comment_far: nothing but its words speaks for them; comment_others: the
# logarithm of how many there are; comment_quoted: the sentence quotes words of theirs; comment_above: it quotes or
# names what stands below them; comment_best: for a sentence no other comment is as likely. blank: a blank line beside
# lines that go, where a sentence about going speaks of one; blank_side: it says on this side.
# edge: lines above or below what a snippet shows, which words say is the top or the end of the file; edge_lines: the
# logarithm of how many; edge_going: the sentence speaks of going; edge_comments: the share of comments and blank lines.
BESIDE = (
    "comment", "comment_words", "comment_changed", "comment_shown", "comment_far", "comment_others",
    "comment_share", "comment_here", "comment_quoted", "comment_above", "comment_best", "blank", "blank_side", "edge",
    "edge_lines", "edge_going", "edge_comments",
)  # fmt: skip
MAX_COMMENTS = 6
MAX_COMMENT_LINES = 40
MAX_EDGE = 30  # lines
MIN_WORD = 4  # characters
MAX_OFTEN = 2  # comments that have a word which tells one from others
_COMMENTS = pattern(
    r"\b(?:comments?|doc ?blocks?|docs?|jsdocs?|javadocs?|phpdocs?|remarks?|notes?|todos?|apolog(?:y|ies)|explanation"
    r"|ts-ignore|ts-expect-error|eslint(?:-\w+)*|noqa|pylint|nolint|noinspection|type: ignore|fixmes?"
    r"|cookie|licen[cs]e|headers?|kommentar\w*|comentarios?|comentários?|commentaires?|comment[oi]|komentarz\w*|kommentaar"
    r"|комментари\w+)\b|注释|註解|コメント|주석",
    re.IGNORECASE,
)
_ANNOTATIONS = pattern(r"\b(?:annotations?|decorators?|attributes?|pragmas?|markers?|dekorator\w*)\b", re.IGNORECASE)
_BLANKS = pattern(
    r"\b(?:blank|empty)\b[^.;]{0,12}?\b(?:lines?|one|row)\b|\bleerzeilen?\b|líneas? (?:en blanco|vac[ií]as?)"
    r"|lignes? vides?|linhas? (?:em branco|vazias?)|rig(?:a|he) vuot[ae]|空行|пуст\w+ строк\w+",
    re.IGNORECASE,
)
_BEFORE = pattern(r"\b(?:before|above|over|preceding|in front|davor|darüber|antes|avant|prima)\b", re.IGNORECASE)
_BEHIND = pattern(r"\b(?:after|below|behind|under|following|danach|dahinter|después|après|dopo)\b", re.IGNORECASE)
_WORDS = pattern(r"[A-Za-z][A-Za-z]{3,}|\d{2,}")
_DECORATES = pattern(r"@\w|#\[|\[\w+[\](]")
_DIRECTIVE = pattern(
    r"#\s*(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma|error|import|region)\b|#!|#\[|%"
)
_TOP = pattern(
    r"\b(?:top|head|beginning|start)\b(?! of (?:the |its )?(?:class|method|function|list|section|block|loop))"
    r"|\bfile (?:\w+ ){0,2}(?:begins|starts|opens)\b|\b(?:first|header) lines?\b|\b(?:from|in|of) the header\b"
    r"|\b(?:oben|anfang|kopf|arriba|inicio|début|inizio)\b",
    re.IGNORECASE,
)
_END = pattern(
    r"\b(?:tail|very end|last (?:two |three )?lines?|end of (?:the )?file|bottom)\b|\bfile (?:now |then )?ends\b"
    r"|\b(?:am ende|schluss|al final|à la fin|alla fine|в конце)\b",
    re.IGNORECASE,
)
_COMMENT_SIGNS = ("#", "//", "/*", "*", "--", ";")
_SURPLUS = pattern(
    r"\b(?:surplus|superfluous|trailing|stray|extra|too many|überflüssig\w*|zu viel|de trop|superflue?s?|sobran?"
    r"|in più)\b",
    re.IGNORECASE,
)
_SIGNS = " \t*#/-;<>!"
_QUOTES = pattern(r"`([^`\n]{3,})`|[\"“„]([^\"“”„\n]{3,})[\"”“]")


@dataclass(frozen=True, slots=True)
class SaidBeside:
    """A sentence about going that speaks of comments or of blank lines.

    keys: of the snippet that it introduces. quotes: what it quotes, without white space and without dots at its end;
    phrases: those of several words.
    """

    words: frozenset[str]
    quotes: frozenset[str]
    phrases: frozenset[str]
    keys: frozenset[str]
    comments: bool
    annotations: bool
    blanks: bool
    before: bool
    behind: bool


@dataclass(frozen=True, slots=True)
class LostBeside:
    """Lines that could go, and what speaks for that; see `BESIDE`."""

    lines: Sequence[int]
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class CommentBlock:
    """A comment or annotations, as one sentence may mean it. told: the sentence's number.

    common, share: how many of the block's words the sentence has, and how much of them these are. is_here: it leads to
    a snippet that shows what stands below. is_quoted, is_above: it quotes words of the block, or what stands below it.
    """

    lines: range
    told: int
    common: int
    share: float
    is_here: bool
    is_quoted: bool
    is_above: bool


class Beside:
    """Finds what the words of a message may say goes beside what changes, for all of its readings.

    original: the lines before. pieces: the words before each snippet, with its lines without white space. shown: those
    lines of all snippets that tell something.
    """

    def __init__(
        self, original: Lines, pieces: Sequence[tuple[str, frozenset[str]]] = (), shown: frozenset[str] = frozenset()
    ) -> None:
        self.original, self.pieces, self.shown = original, pieces, shown
        self.told = [told for prose, keys in pieces for told in _told(prose, keys)]

    @cached_property
    def _blocks(self) -> list[list[CommentBlock]]:
        """The comments and annotations that the sentences may mean, whatever a reading makes of the rest.

        Each as every sentence may mean it that speaks of such.
        """
        told = [one for one in self.told if one.comments or one.annotations]
        blocks = list(_blocks(self.original)) if told else []
        words = [_words_in(" ".join(self.original.stripped[line] for line in block)) for block, _ in blocks]
        counts = Counter(word for own in words for word in own)
        result = []
        for (lines, is_annotation), own in zip(blocks, words, strict=True):
            rare = {word for word in own if counts[word] <= MAX_OFTEN}
            if len(lines) > MAX_COMMENT_LINES:
                continue
            ways = []
            for number, one in enumerate(told):
                if not (one.annotations if is_annotation else one.comments):
                    continue
                common, share = len(rare & one.words), len(rare & one.words) / max(1, len(own))
                here, quoted = _is_here(one, lines.stop, self.original), _is_quoted(one.phrases, lines, self.original)
                above = _is_above(one.quotes, lines, self.original)
                ways.append(CommentBlock(lines, number, common, share, here, quoted, above))
            if ways:
                result.append(ways)
        return result

    def comments(self, kept: Collection[int], changed: Collection[int]) -> list[LostBeside]:
        """The comments and annotations that sentences may mean, the likeliest first.

        kept: lines that a result has; changed: those that it doesn't have, or before which it has new ones.
        """
        keys = self.original.keys
        found: list[LostBeside] = []
        best: dict[int, list[tuple[float, range]]] = {}
        for ways in self._blocks:
            lines = ways[0].lines
            below = lines.stop
            is_changed = below in changed
            is_shown = below < len(keys) and keys[below] in self.shown
            is_shown = is_shown and not any(keys[line] in self.shown for line in lines)
            is_told = any(one.common or one.is_quoted or one.is_above for one in ways)
            if not (is_told or is_changed or is_shown) or not all(line in kept for line in lines):
                continue
            values = {
                "comment": 1.0,
                "comment_changed": float(is_changed),
                "comment_shown": float(is_shown and not is_changed),
                "comment_far": float(not is_shown and not is_changed),
            }
            told = [values | _told_of(one, is_changed) for one in ways]
            for one, each in zip(ways, told, strict=True):
                best.setdefault(one.told, []).append((_strength(each), lines))
            found.append(LostBeside(lines, {name: max(each[name] for each in told) for name in told[0]}))
        found.sort(key=lambda one: _strength(one.values))
        others = {"comment_others": math.log(max(1, len(found)))}
        ranked = [sorted(one, key=itemgetter(0)) for one in best.values()]
        alone = [first[1] for first, *rest in ranked if not rest or first[0] < rest[0][0]]
        return [
            LostBeside(one.lines, {**one.values, **others, "comment_best": float(one.lines in alone)})
            for one in found[:MAX_COMMENTS]
        ]

    def edges(self, lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[LostBeside]:
        """Yields what a result still has above or below a snippet that words call the top or the end of the file."""
        for prose, keys in self.pieces:
            sentences = [sentence for sentence, _ in sentences_of(prose)][-2:]
            tops, ends = ([one for one in sentences if found.search(one)] for found in (_TOP, _END))
            if not (tops or ends) or not keys:
                continue
            shown = [
                at for at, line in enumerate(lines) if len(key := "".join(line.split())) >= MIN_WORD and key in keys
            ]
            if not shown:
                continue
            for told, rest in ((tops, origins[: shown[0]]), (ends, origins[shown[-1] + 1 :])):
                kept = [origin for origin in rest if origin is not None]
                if kept and kept[0] == 0 and lines[0].startswith(("#!", "---")):
                    kept = kept[1:]
                if told and 0 < len(kept) <= MAX_EDGE and len(kept) == kept[-1] - kept[0] + 1:
                    yield self._edge(told, range(kept[0], kept[-1] + 1))

    def _edge(self, told: Sequence[str], rows: range) -> LostBeside:
        goes = any(speaks_of_going(one, goes_on=False) for one in told)
        texts = [self.original.stripped[line] for line in rows]
        comments = sum(not text or text.startswith(_COMMENT_SIGNS) for text in texts) / len(texts)
        values = {"edge": 1.0, "edge_lines": math.log1p(len(rows)), "edge_going": float(goes)}
        return LostBeside(rows, {**values, "edge_comments": comments})

    def blanks(self, gone: Sequence[int], kept: Collection[int]) -> Iterator[LostBeside]:
        """Yields the blank lines, or lines of a comment without words, beside lines that go, if words speak of such."""
        told = [one for one in self.told if one.blanks]
        if not told or not gone:
            return
        own = set(gone)
        for step in (-1, 1):
            beside = sorted({line + step for line in gone} - own)
            lines = tuple(line for line in beside if line in kept and not self.original.stripped[line].strip(_SIGNS))
            if lines and len(lines) == len(beside):
                is_told = any(one.before if step < 0 else one.behind for one in told)
                yield LostBeside(lines, {"blank": 1.0, "blank_side": float(is_told)})

    def trailing(self, lines: Sequence[str], origins: Sequence[int | None]) -> Iterator[LostBeside]:
        """Yields the blank lines that end the file, where words say that such go."""
        if not self._has_trailing:
            return
        end = len(lines)
        while end and not lines[end - 1].strip():
            end -= 1
        kept = tuple(origin for origin in origins[end:] if origin is not None)
        if kept:
            values = {"edge": 1.0, "edge_lines": math.log1p(len(kept)), "edge_going": 1.0, "edge_comments": 1.0}
            yield LostBeside(kept, values)

    @cached_property
    def _has_trailing(self) -> bool:
        sentences = [one for prose, _ in self.pieces for one, _ in sentences_of(prose)]
        told = [one for one in sentences if _BLANKS.search(one) and _END.search(one)]
        return any(_SURPLUS.search(one) or speaks_of_going(one, goes_on=False) for one in told)


def _told(prose: str, keys: frozenset[str]) -> Iterator[SaidBeside]:
    goes_on = False
    for sentence, _ in sentences_of(prose):
        goes_on = speaks_of_going(sentence, goes_on=goes_on)
        if not goes_on:
            continue
        found = (_COMMENTS, _ANNOTATIONS, _BLANKS, _BEFORE, _BEHIND)
        comments, annotations, blanks, before, behind = (one.search(sentence) is not None for one in found)
        if comments or annotations or blanks:
            quotes = [(one[1] or one[2]).split() for one in _QUOTES.finditer(sentence)]
            quoted, phrases = (
                frozenset("".join(one).rstrip(".…,;:") for one in quotes if len(one) >= least) for least in (1, 2)
            )
            yield SaidBeside(_words_in(sentence), quoted, phrases, keys, comments, annotations, blanks, before, behind)


def _words_in(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(text))


def _is_here(told: SaidBeside, below: int, original: Lines) -> bool:
    """Whether a snippet shows what stands below comments: the line, or another with its identity."""
    if below >= len(original):
        return False
    if original.keys[below] in told.keys:
        return True
    found = original.identity(below)
    if found is None:
        words = original.words(below)
        return sum(map(len, words)) > 2 * MIN_WORD and any(all(word in key for word in words) for key in told.keys)
    name = "".join(found.name.split())
    ends = re.compile(rf"{re.escape(name)}(?!\w)")
    return len(name) >= MIN_WORD and any(ends.search(key) for key in told.keys)


def _told_of(block: CommentBlock, is_changed: bool) -> dict[str, float]:
    """The facts of a comment that a sentence tells."""
    return {
        "comment_words": math.log1p(block.common),
        "comment_share": block.share,
        "comment_here": float(is_changed and block.is_here),
        "comment_quoted": float(block.is_quoted),
        "comment_above": float(block.is_above),
    }


def _is_quoted(phrases: Collection[str], block: range, original: Lines) -> bool:
    """Whether a comment has all the words of a quote, in their order."""
    text = "".join("".join(original.stripped[line].strip(_SIGNS).split()) for line in block)
    return any(phrase in text for phrase in phrases)


def _is_above(quotes: Collection[str], block: range, original: Lines) -> bool:
    """Whether a quote is the name of what stands below a comment, or how the line there begins."""
    below = block.stop
    if below >= len(original) or not original.keys[below]:
        return False
    found = original.identity(below)
    names = {found.name} if found is not None else set[str]()
    return any(quote.removesuffix("()") in names or _begins(original.keys[below], quote) for quote in quotes)


def _begins(key: str, quote: str) -> bool:
    """Whether a quote, whose end may be cut off inside of brackets, is how a line begins, up to the end of a word."""
    start = quote.removesuffix(")").rstrip(".…")
    return len(start) >= MIN_WORD and re.match(rf"{re.escape(start)}(?:(?<=\W)|(?!\w))", key) is not None


def _strength(v: dict[str, float]) -> float:
    """A rough order of comments, of which only the first are tried; low is likely."""
    near = 2 * v["comment_here"] + v["comment_changed"] - v["comment_far"]
    near += 2 * v["comment_quoted"] + 2 * v["comment_above"]
    return -(v["comment_words"] + 2 * v["comment_share"] + near)


def _blocks(original: Lines) -> Iterator[tuple[range, bool]]:
    """Yields the runs of comments and of annotations, with whether they are annotations."""
    line = 0
    while line < len(original):
        kind = _kind(line, original)
        end = line + 1
        if kind:
            column = original.columns[line]
            while end < len(original) and _kind(end, original) == kind and original.columns[end] >= column:
                end += 1
            yield range(line, end), kind == "annotation"
        line = end


def _kind(line: int, original: Lines) -> str:
    text = original.stripped[line]
    if _DECORATES.match(text):
        return "annotation"
    return "comment" if original.is_comment(line) and not _DIRECTIVE.match(text) else ""
