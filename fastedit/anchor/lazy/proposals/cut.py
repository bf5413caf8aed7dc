"""Parts of lines that words say are gone: one that a key lists, an operand, what a quote is word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.identity import lists_names, without_name
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.quoted import MIN_WORD, QUOTE, bare
from fastedit.anchor.lazy.result.message import Shown
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.patterns import pattern

MAX_CUT = 6  # lines that one quote goes from
MIN_CUT = 4  # characters
MAX_CUT_SHARE = 0.5  # of a line, where it is only a part
# `ignore = E231,E501`, `branches: [main, dev]`
_LIST = pattern(
    r"^\s*(?:- )?[\"']?[\w.@/-]+[\"']?\s*(?::|\+?=)\s*\[?(?P<items>[^\[\](){},]+(?:,[^\[\](){},]+)+)\]?[,;]?\s*$"
)
_OPERATOR = pattern(r"\s*(?:\|\||&&)\s*|\s+(?:or|and)\s+")
# What stands before the first operand and behind the last one.
_BEFORE = pattern(r".*?(?:\b(?:return|if|elif|unless|while|when|until|assert)\b\s*|[^=!<>]=\s+|:\s+|=>\s*)|\s*")
_BEHIND = pattern(r"(?:\s*(?:[;:,{?]|\bthen))*\s*$")
_DEPTH = {**dict.fromkeys("([{", 1), **dict.fromkeys(")]}", -1)}
_WORD = pattern(r"\w")
_NAME = pattern(r"[\w.$-]+")
_STEM = pattern(r"[^…(]*?(?=\.\.\.|…|\(|$)")


def without_part(line: str, name: str) -> str | None:
    """A line without what it lists, or asks for, by a name; None where that isn't one of several."""
    less = without_name(line, name) if lists_names(line) else None
    return less or _without_item(line, name) or _without_operand(line, name)


def _without_item(line: str, name: str) -> str | None:
    """A line that gives a key several values without one of them."""
    found = _LIST.match(line)
    items = found["items"].split(",") if found is not None else []
    kept = [one for one in items if one.strip().strip("\"'") != name]
    if found is None or not kept or len(kept) != len(items) - 1:
        return None
    kept[0] = items[0][: len(items[0]) - len(items[0].lstrip())] + kept[0].lstrip()
    return line[: found.start("items")] + ",".join(kept) + line[found.end("items") :]


def _without_operand(line: str, name: str) -> str | None:
    """A line without the one operand of `||`, `&&`, `or` and `and` that has a name; None where others have it too."""
    places = list(re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line))
    operators = list(_OPERATOR.finditer(line)) if len(places) == 1 else []
    if not operators:
        return None
    depths = list(accumulate((_DEPTH.get(one, 0) for one in line), initial=0))
    at = places[0].start()
    for depth in range(depths[at], -1, -1):
        start = next((one for one in range(at, 0, -1) if depths[one] < depth), 0)
        start += bool(start)
        end = next((one - 1 for one in range(at, len(line) + 1) if depths[one] < depth), len(line))
        own = [one for one in operators if start <= one.start() and one.end() <= end and depths[one.start()] == depth]
        if own:
            before = [one for one in own if one.end() <= at][-1:]
            behind = [one for one in own if one.start() > at][:1]
            return _without_stretch(line, (start, end), before, behind)
    return None


def _without_stretch(
    line: str, inside: tuple[int, int], before: Sequence[re.Match[str]], behind: Sequence[re.Match[str]]
) -> str | None:
    """A line without an operand and one of the operators beside it. inside: where the brackets around it are."""
    start, end = inside
    if before and behind and before[0][0].strip() != behind[0][0].strip():
        return None  # `a && b || c`
    if before:
        last = behind[0].start() if behind else _last_end(line) if end == len(line) else end
        less = line[: before[0].start()] + line[last:]
    else:
        opening = _BEFORE.match(line[start : behind[0].start()])
        first = start + (opening.end() if opening is not None else 0)
        less = line[:first] + line[behind[0].end() :]
    return less if _WORD.search(less) else None


def _last_end(line: str) -> int:
    """The end of the last operand in a line."""
    found = _BEHIND.search(line)
    return len(line) if found is None else found.start()


def cut_pieces(shown: Shown, original: Lines, declared: Declared) -> Iterator[tuple[tuple[int, str], ...]]:
    """Yields for each quote that words say is gone, and that is a part of lines, all of these lines without it.

    Where several lines have it, those are meant that have what a sentence quotes beside it, in what it names.
    """
    for sentence, _ in sentences_of(shown.prose):
        quotes = [one.strip() for one in QUOTE.findall(sentence)]
        for quote in dict.fromkeys(quotes):
            if bare(quote) not in shown.gone or _NAME.fullmatch(quote) or len(quote) < MIN_CUT:
                continue
            lines = [line for line, text in enumerate(original.texts) if _is_part(quote, text)]
            if len(lines) > 1:
                lines = _beside(quote, quotes, lines, original, declared)
            if 0 < len(lines) <= MAX_CUT:
                yield tuple((line, _without(original.texts[line], quote)) for line in lines)


def _is_part(quote: str, text: str) -> bool:
    """Whether a quote stands in a line once, as less than half of it."""
    return text.count(quote) == 1 and len(bare(quote)) < MAX_CUT_SHARE * len(bare(text))


def _beside(quote: str, quotes: Sequence[str], lines: Sequence[int], original: Lines, declared: Declared) -> list[int]:
    """Those of several lines that have another quote, or its beginning up to dots, in what the quotes declare."""
    stems = [found[0] for one in quotes if one != quote and (found := _STEM.match(one)) and len(found[0]) >= MIN_WORD]
    spans = [declared.get(one.removesuffix("()"), ()) for one in quotes]
    scopes = [found[0] for found in spans if len(found) == 1]
    within = [line for line in lines if any(start <= line < end for start, end in scopes)] if scopes else list(lines)
    return [line for line in within if any(stem in original.texts[line].replace(quote, "") for stem in stems)]


def _without(text: str, quote: str) -> str:
    """A text without a quote and the white space that set it off."""
    head, _, tail = text.partition(quote)
    if not tail.strip():
        return head.rstrip()
    return head + tail.lstrip() if head[-1:].isspace() or not head else head + tail
