"""Finds new lines that only the prose quotes, and where they go: beside what it names, or in the order of like ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines
from fastedit.anchor.lazy.result.message import Shown
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.patterns import pattern

MIN_WORD = 3
MIN_NEW = 8  # characters of a line that is added
MIN_PREFIX = 5  # characters that lines of one list begin with
NAME = pattern(r"[\w.$#:@\\/-]*(?:\(\))?$")
QUOTE = pattern(r"`([^`\n]+)`")
_ADDS = pattern(
    r"\b(?:add\w*|append\w*|insert\w*|new|plus|with|needs?|import\w*|goes|comes?|follows|in|put|forgot\w*|missing|missed"
    r"|lacks?|hinzu|dazu|neu\w*|añad\w+|ajout\w+|aggiung\w+|nuov\w+|nuev\w+|dodaj\w*|nieuwe?)\b|追加|添加|新增|добав\w+",
    re.IGNORECASE,
)
_NEXT_TO = pattern(
    r"\b(?P<after>after|below|behind|under|beneath|follow(?:s|ing)|nach|unter|hinter|después de|debajo de|après|sous"
    r"|dopo|sotto|depois d[eoa]|abaixo d[eoa]|po|pod|после|под|na|onder|efter)\b"
    r"|\b(?P<before>before|above|over|in front of|vor|über|antes de|avant|prima di|przed|nad|перед|над|voor|boven)\b",
    re.IGNORECASE,
)
# "at the top of `contributors`"
_EDGE = pattern(
    r"\b(?:(?P<top>top|start|beginning|first\s+(?:one|entry|item|key|line)?)|end|bottom|last\s+(?:one|entry|item|key|line)?)"
    r"\s+(?:of|in)\s+(?:the\s+)?(?P<name>`[^`\n]+`)",
    re.IGNORECASE,
)
# Where an import goes that isn't shown.
_BELOW_DOCSTRING = pattern(
    r"\b(?:after|below|behind|under|beneath|follow(?:s|ing)|nach|unter|hinter|après|sous|dopo|sotto|después de"
    r"|debajo de)\s+(?:\w+[\s’'])?(?:the\s+)?(?:module|file|top|opening|first)?(?:'s)?\s*(?:doc[ -]?string|docblock)\b",
    re.IGNORECASE,
)
_NEAR = 60  # characters from a word for a place to what it goes with


class QuotedLine(NamedTuple):
    """A new line. line: of the original that it goes behind; values: what speaks for it, see `reworded.CHANGED`."""

    text: str
    line: int
    values: dict[str, float]


def new_quoted_lines(shown: Shown, original: Lines, declared: Declared) -> Iterator[QuotedLine]:
    """Yields for each quote of code that nothing is like a new line: beside what the words name, or in its order."""
    quotes = set(shown.quotes)
    for sentence, _ in sentences_of(shown.prose):
        for found in QUOTE.finditer(sentence):
            quote = found[1].strip()
            key = bare(quote)
            is_code = quote in quotes and len(key) >= MIN_NEW and not DOTS.search(quote) and not NAME.match(quote)
            if not is_code or _has(shown.lines, quote, key):
                continue
            said = _ADDS.search(QUOTE.sub(" ", sentence)) is not None
            values = {"insert": 1.0, "insert_said": float(said)}
            identity = identity_of(quote)
            if (identity is not None and identity in original.identities) or _has(original.keys, quote, key):
                yield from _again(sentence, found, original, declared, values)
                continue
            scopes = _named_scopes(sentence, quote, declared, len(original))
            told = dict.fromkeys(_told_places(sentence, found, original, scopes))
            in_order = _in_order(quote, original)
            for line in told:
                is_sorted = float(line in in_order)
                is_told = {"insert_told": 1.0, "insert_sorted": is_sorted, "insert_agreed": is_sorted}
                is_told["insert_scoped"] = float(any(line in scope for scope in scopes))
                yield _inserted(line, quote, original, {**values, **is_told})
            for line in in_order:
                if line not in told:
                    yield _inserted(line, quote, original, {**values, "insert_sorted": 1.0})


def _has(keys: Collection[str], quote: str, key: str) -> bool:
    """Whether lines have a quote; an import only where one is just it: `import a` is no part of `import a.b`."""
    identity = identity_of(quote)
    if identity is not None and identity.kind == "import":
        return any(bare(line) == key for line in keys)
    return any(key in line for line in keys)


def _again(
    sentence: str, found: re.Match[str], original: Lines, declared: Declared, values: dict[str, float]
) -> Iterator[QuotedLine]:
    """Yields a line that the original has, once more in a declaration that the sentence names, where it says."""
    quote = found[1].strip()
    scopes = _named_scopes(sentence, quote, declared, len(original))
    if any(bare(original.keys[line]) == bare(quote) for scope in scopes for line in scope):
        return
    for line in dict.fromkeys(_told_places(sentence, found, original, scopes)):
        if any(line in scope for scope in scopes):
            told = {**values, "insert_told": 1.0, "insert_again": 1.0, "insert_scoped": 1.0}
            yield _inserted(line, quote, original, told)


def _named_scopes(sentence: str, quote: str, declared: Declared, num_lines: int) -> list[range]:
    """The declarations of several lines that a sentence names beside a quote, one for each name."""
    names = (one.strip().removesuffix("()") for one in QUOTE.findall(sentence))
    found = (declared.get(name, ()) for name in names if name != quote)
    scopes = [range(one[0][0], min(num_lines, one[0][1])) for one in found if len(one) == 1]
    return [scope for scope in scopes if len(scope) > 1]


def _inserted(line: int, quote: str, original: Lines, values: dict[str, float]) -> QuotedLine:
    """A new line behind one of the original, indented and ended as the lines beside it are."""
    opens = line >= 0 and original.stripped[line][-1:] in tuple("[{(")
    has_own = line >= 0 and original.keys[line] and not opens
    beside = original.texts[line if has_own else min(line + 1, len(original) - 1)]
    indentation = beside[: len(beside) - len(beside.lstrip())]
    tail = beside.rstrip()[-1:] if beside.rstrip()[-1:] in (",", ";") and quote[-1] not in ",;{(:" else ""
    return QuotedLine(f"{indentation}{quote}{tail}", line, values)


def _told_places(sentence: str, quote: re.Match[str], original: Lines, scopes: Sequence[range] = ()) -> Iterator[int]:
    """Yields the lines behind which a sentence says that a quote goes. scopes: declarations that it names."""
    masked = sentence[: quote.start()] + " " * len(quote[0]) + sentence[quote.end() :]
    for edge in _EDGE.finditer(masked):
        for line in _openers(edge["name"].strip("`"), original):
            yield line if edge["top"] else _last_inside(line, original)
    if _BELOW_DOCSTRING.search(masked) and (end := _end_of_docstring(original)):
        yield end - 1
    for place in _NEXT_TO.finditer(masked):
        behind = masked[place.end() : place.end() + _NEAR]
        for word in re.finditer(r"`([^`\n]+)`|[\w$@./\\:-]*\w", behind):
            text = word[1] or word[0]
            lines = _named(text, original, quote[1])
            for scope in scopes:
                inside = original.word_places.get(text.removesuffix("()"), ())
                lines = [line for line in inside if line in scope[1:]] or lines
            if not lines:
                continue
            for line in lines:
                if place.lastgroup == "before":
                    yield line - 1
                else:
                    yield line + max(1, original.statement_span(line)) - 1
            break


def _end_of_docstring(original: Lines) -> int:
    """The line behind the module's docstring; 0 where it has none."""
    first = next((at for at, key in enumerate(original.keys) if key and not original.is_comment(at)), None)
    if first is None or not original.stripped[first].lstrip("rRbBuU").startswith(('"""', "'''")):
        return 0
    quotes = original.stripped[first].lstrip("rRbBuU")[:3]
    if quotes in original.stripped[first].lstrip("rRbBuU")[3:]:
        return first + 1
    return next((at + 1 for at in range(first + 1, len(original)) if quotes in original.stripped[at]), 0)


def _openers(name: str, original: Lines) -> list[int]:
    """The line that opens the block or list of this name; none where there are several."""
    lines = [
        line
        for line in original.word_places.get(WORD.findall(name)[0] if WORD.search(name) else "", ())
        if (found := original.identity(line)) is not None and found.name.strip("[]") == name.strip("[]")
    ]
    is_open = [line for line in lines if line + 1 < len(original) and original.stripped[line][-1] in "[{(:=]"]
    return is_open if len(is_open) == 1 else []


def _last_inside(line: int, original: Lines) -> int:
    """The last line of the block that a line opens, without what closes it."""
    last = line
    while last + 1 < len(original) and (
        not original.keys[last + 1] or original.columns[last + 1] > original.columns[line]
    ):
        last += 1
    while last > line and not original.keys[last]:
        last -= 1
    return last


def _named(word: str, original: Lines, quote: str) -> list[int]:
    """The lines that a word of a sentence names; none where it names too many, or says nothing.

    Of several it means those that begin as the quote does.
    """
    key = bare(word)
    if len(key) < MIN_WORD or (word.islower() and word.isalpha() and len(word) < 5):
        return []
    same = [*original.places.get(key, ()), *original.places.get(f"{key},", ())]
    lines = same or [line for line, theirs in enumerate(original.keys) if key in theirs]
    alone = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")
    lines = [line for line in lines if alone.search(original.keys[line])]
    about = [line for line in lines if (found := original.identity(line)) is not None and found.name.endswith(word)]
    leading = re.compile(rf"\W*{re.escape(key)}(?!\w)")
    lines = about or [line for line in lines if leading.match(original.keys[line])] or lines
    if len(lines) > 1:
        common = [_num_common(bare(quote).lstrip("\"'"), original.keys[line].lstrip("\"'-")) for line in lines]
        if max(common) >= MIN_PREFIX:
            lines = [line for line, size in zip(lines, common, strict=True) if size == max(common)]
    return lines if len(lines) <= 2 else []


def _num_common(one: str, other: str) -> int:
    """Counts the characters that two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _in_order(quote: str, original: Lines) -> list[int]:
    """The line behind which the order of lines with the same beginning puts a quote."""
    key = bare(quote)
    prefix = key
    while len(prefix) >= MIN_PREFIX:
        run = [line for line, theirs in enumerate(original.keys) if theirs.startswith(prefix)]
        if run:
            smaller = [line for line in run if original.keys[line] < key]
            line = smaller[-1] if smaller else run[0] - 1
            return [line + max(1, original.statement_span(line)) - 1 if smaller else line]
        prefix = prefix[:-1]
    return []


def bare(text: str) -> str:
    """A text without white space and the comma behind it."""
    return "".join(text.split()).rstrip(",;")
