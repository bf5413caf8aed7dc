"""Finds what is new and only the prose quotes, and where it goes: beside what it names, or in the order of like lines.

A quote is a line, or one more entry: `py314` behind the line `py313,`, or `b` in `import a, c`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fastedit.anchor.hints import is_path, sentences_of
from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines
from fastedit.anchor.lazy.result.message import Shown
from fastedit.anchor.lazy.words.mentions import ROLES, Mention, Mentioned, lines_of
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.patterns import pattern

MIN_WORD = 3
MIN_NEW = 8  # characters of a line that is added
MIN_ENTRY = 4  # of one whose place is told
MIN_ROLE = 0.12  # that a name is new, or a place
NEW_TO_FILE = 0.3  # that code is new which neither the file nor a snippet has
MAX_ANCHORS = 3  # names that are places, for each new one
MAX_ANCHOR_LINES = 6  # a name that more lines have is no place
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
_FILE_TOP = pattern(
    r"\b(?:(?:very|absolute) (?:first line|top|beginning|start)|first line (?:of|in) the (?:file|module)"
    r"|top (?:line )?of the (?:file|module)|allererste\w* zeile|toute première ligne|primera línea de todo)\b",
    re.IGNORECASE,
)
_NEW, _AFTER, _BEFORE = (ROLES.index(role) for role in ("new", "after", "before"))
_SEPARATOR = pattern(r"(?P<sep>\s*[,|]\s*)(?=[^\s,|#])")
_SEPARATOR_BEFORE = pattern(r"(?<=[^\s,|])(?P<sep>\s*[,|]\s*)$")
_QUOTES = ("'", '"')
_OUTER = '"“”„«»*'
_LETTER = re.compile(r"[^\W\d_]")
_NEAR = 60  # characters from a word for a place to what it goes with


class QuotedLine(NamedTuple):
    """The lines that a quote adds or changes. values: what speaks for it, see `reworded.CHANGED`.

    added: new lines, (text, line of the original that it goes behind); changed: (text, line) that lines become.
    """

    added: tuple[tuple[str, int], ...]
    values: dict[str, float]
    changed: tuple[tuple[str, int], ...] = ()


def new_quoted_lines(
    shown: Shown, original: Lines, declared: Declared, named: Mentioned | None = None, pieces: Sequence[str] = ()
) -> list[QuotedLine]:
    """The additions that the words quote, of code that nothing is like, each once.

    It goes beside what the words name, or in its order. named: the names in the words, with their roles; pieces: the
    words before each snippet, and those behind the last.
    """
    by_roles = [] if named is None else _by_roles(named, pieces, shown, original)
    found: dict[tuple[object, object], QuotedLine] = {}
    for one in (*by_roles, *_by_words(shown, original, declared)):
        key = (one.added, one.changed)
        known = found.get(key)
        found[key] = one if known is None else known._replace(values=known.values | one.values)
    return list(found.values())


def _by_words(shown: Shown, original: Lines, declared: Declared) -> Iterator[QuotedLine]:
    """Yields the lines whose places are told by words for places, or by the order of like ones."""
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
    return QuotedLine(((f"{indentation}{quote}{tail}", line),), values)


def _told_places(sentence: str, quote: re.Match[str], original: Lines, scopes: Sequence[range] = ()) -> Iterator[int]:
    """Yields the lines behind which a sentence says that a quote goes. scopes: declarations that it names."""
    masked = sentence[: quote.start()] + " " * len(quote[0]) + sentence[quote.end() :]
    for edge in _EDGE.finditer(masked):
        for line in _openers(edge["name"].strip("`"), original):
            yield line if edge["top"] else _last_inside(line, original)
    yield from _told_tops(masked, original)
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


def _told_tops(sentence: str, original: Lines) -> Iterator[int]:
    """Yields the line at the file's top behind which a sentence says that something goes; -1: before all."""
    if _FILE_TOP.search(sentence):
        yield 0 if original.stripped[:1] and original.stripped[0].startswith("#!") else -1
    if _BELOW_DOCSTRING.search(sentence) and (end := _end_of_docstring(original)):
        yield end - 1


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
    alone = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    lines = same or [line for line, theirs in enumerate(original.stripped) if word in theirs and alone.search(theirs)]
    about = [line for line in lines if (found := original.identity(line)) is not None and found.name.endswith(word)]
    leading = re.compile(rf"\W*{re.escape(word)}(?!\w)")
    lines = about or [line for line in lines if leading.match(original.stripped[line])] or lines
    lines = _begun_alike(quote, lines, original)
    return lines if len(lines) <= 2 else []


def _begun_alike(quote: str, lines: Sequence[int], original: Lines) -> list[int]:
    """Of several lines those that begin most as a quote does; all where none does."""
    common = [_num_common(bare(quote).lstrip("\"'"), original.keys[line].lstrip("\"'-")) for line in lines]
    if len(lines) > 1 and max(common) >= MIN_PREFIX:
        return [line for line, size in zip(lines, common, strict=True) if size == max(common)]
    return list(lines)


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
            left = min(original.columns[line] for line in run)
            run = [line for line in run if original.columns[line] == left]
            smaller = [line for line in run if _order(original.stripped[line]) < _order(quote)]
            line = smaller[-1] if smaller else run[0] - 1
            return [line + max(1, original.statement_span(line)) - 1 if smaller else line]
        prefix = prefix[:-1]
    return []


def _order(text: str) -> str:
    """The key that lines are sorted by: a module before its parts."""
    return " ".join(text.lower().split()).rstrip(",;")


def bare(text: str) -> str:
    """A text without white space and the comma behind it."""
    return "".join(text.split()).rstrip(",;")


# ---- by the roles of names ----------------------------------------------------------------------------------------


class _Anchor(NamedTuple):
    """A name that something new goes beside. chance: of that role; line: of the original that it means."""

    text: str
    chance: float
    line: int
    is_before: bool


def _by_roles(named: Mentioned, pieces: Sequence[str], shown: Shown, original: Lines) -> Iterator[QuotedLine]:
    """Yields what a sentence quotes as new beside each name that it tells the place by."""
    for number, piece in enumerate(pieces):
        own = [
            (one, chances) for one, chances in zip(named.mentions, named.chances, strict=True) if one.piece == number
        ]
        end = 0
        for sentence, _ in sentences_of(piece) if own else ():
            start = piece.find(sentence, end)
            end = start + len(sentence)
            here = [(one, chances) for one, chances in own if start <= one.start < end]
            for one, chances in here:
                quote = _inside(piece[one.start : one.end])
                if piece[one.start] != "`" or not bare(quote) or is_path(quote) or DOTS.search(quote):
                    continue
                is_known = _has(original.keys, quote, bare(quote)) or _has(shown.lines, quote, bare(quote))
                chance = max(float(chances[_NEW]), 0.0 if is_known or NAME.match(quote) else NEW_TO_FILE)
                if chance >= MIN_ROLE:
                    anchors = _anchors(quote, [other for other in here if other[0] is not one], piece, original)
                    yield from _beside(quote, chance, anchors, shown, original)


def _inside(quoted: str) -> str:
    """The text between the signs of a quote."""
    return quoted.strip("`").strip() if quoted[:1] == "`" else quoted.strip(_OUTER)


def _anchors(
    quote: str, others: Sequence[tuple[Mention, Sequence[float]]], piece: str, original: Lines
) -> list[_Anchor]:
    """The lines that a new quote goes beside, the likeliest first."""
    result: list[_Anchor] = []
    for other, chances in others:
        for role in (_AFTER, _BEFORE):
            if chances[role] >= MIN_ROLE:
                text = _inside(piece[other.start : other.end])
                lines = _begun_alike(quote, _lines_meant(other, text, original), original)[:2]
                result += [_Anchor(text, float(chances[role]), line, role == _BEFORE) for line in lines]
    return sorted(result, key=lambda one: -one.chance)[:MAX_ANCHORS]


def _lines_meant(mention: Mention, text: str, original: Lines) -> Sequence[int]:
    """The lines that a name means: those that it is or that have it, or that have its parts around dots."""
    parts = [bare(part) for part in DOTS.split(text)]
    if len(parts) == 1:
        return lines_of(mention, original, MAX_ANCHOR_LINES)
    held = re.compile(".*".join(map(re.escape, parts)))
    lines = [line for line, key in enumerate(original.keys) if held.match(key)]
    return lines if sum(map(len, parts)) >= MIN_ENTRY and len(lines) <= MAX_ANCHOR_LINES else ()


def _beside(
    quote: str, chance: float, anchors: Sequence[_Anchor], shown: Shown, original: Lines
) -> Iterator[QuotedLine]:
    """Yields what a new quote adds beside each anchor: a line, an entry like the anchor's, or one in its line."""
    key = bare(quote)
    if _has(original.keys, quote, key) and identity_of(quote) is not None:
        return
    shown_lines = {bare(line) for line in shown.lines}
    is_line = len(key) >= MIN_ENTRY and not NAME.match(quote) and not _has(shown.lines, quote, key)
    gaps = [(one.line if one.is_before else one.line + max(1, original.statement_span(one.line))) for one in anchors]
    for one, gap in zip(anchors, gaps, strict=True):
        agreed = any(
            other.is_before != one.is_before and gap == theirs for other, theirs in zip(anchors, gaps, strict=True)
        )
        values = {
            "insert": 1.0, "insert_told": 1.0, "insert_role": one.chance * chance, "insert_between": float(agreed)
        }  # fmt: skip
        values["insert_shown"] = float(any(key in line for line in shown.lines))
        made = _entry(quote, one, original)
        if made is not None and not any(bare(text) in shown_lines for text, _ in (*made.added, *made.changed)):
            yield made._replace(values=values | made.values)
        if is_line:
            yield _inserted(gap - 1, quote, original, values)


def _entry(quote: str, anchor: _Anchor, original: Lines) -> QuotedLine | None:
    """One more entry like the anchor's: a line like its line, or beside it in the line; None where neither is."""
    text, core, quote = original.texts[anchor.line], anchor.text.strip(" ,;"), quote.rstrip(",;")
    found = list(re.finditer(rf"(?<![\w.-]){re.escape(core)}(?![\w-])", text)) if core and quote else []
    is_other = (core[:1] in _QUOTES and quote[0] not in _QUOTES) or (" " in quote) != (" " in core)
    identity = original.identity(anchor.line)
    is_comment = original.is_comment(anchor.line) and (identity is None or identity.kind != "import")  # `#include`
    if len(found) != 1 or is_other or is_comment:
        return None
    start, end = found[0].span()
    quoting = text[start - 1 : start] if text[:start][-1:] in _QUOTES and text[start - 1] == text[end : end + 1] else ""
    start, end = start - len(quoting), end + len(quoting)
    entry = quote if quote[0] == quoting else f"{quoting}{quote}{quoting}"
    head, tail = text[:start], text[end:]
    if tail.rstrip()[-1:] in ("(", "[", "{", ":"):
        return None
    return _as_own_line(entry, head, tail, anchor, original) or _in_its_line(entry, head, tail, anchor, text)


def _as_own_line(entry: str, head: str, tail: str, anchor: _Anchor, original: Lines) -> QuotedLine | None:
    """A new entry as a line like its anchor's; None where no line beside that is like it, and it has other words."""
    text = original.texts[anchor.line]
    neighbours = [
        original.texts[line]
        for line in (anchor.line - 1, anchor.line + 1)
        if 0 <= line < len(original) and _is_like(original.texts[line], head, tail)
    ]
    if not neighbours and _LETTER.search(head + tail):
        return None
    new, changed = f"{head}{entry}{tail}".rstrip(), tuple[tuple[str, int], ...]()
    if any(one.rstrip().endswith(",") for one in neighbours) and not text.rstrip().endswith(","):
        # The anchor is the last of a list: of two entries the upper one needs the comma.
        new = f"{new}," if anchor.is_before else new
        changed = () if anchor.is_before else ((f"{text.rstrip()},", anchor.line),)
    return QuotedLine(((new, anchor.line - anchor.is_before),), {"insert_entry": 1.0}, changed)


def _in_its_line(entry: str, head: str, tail: str, anchor: _Anchor, text: str) -> QuotedLine | None:
    """A new entry in the line of its anchor, beside that; None where no sign there parts entries."""
    found = _SEPARATOR.match(tail) or _SEPARATOR_BEFORE.search(head)
    if found is None:
        return None
    parted = f"{entry}{found['sep']}" if anchor.is_before else f"{found['sep']}{entry}"
    at = len(head) if anchor.is_before else len(text) - len(tail)
    return QuotedLine((), {"insert_inline": 1.0}, ((f"{text[:at]}{parted}{text[at:]}", anchor.line),))


def _is_like(text: str, head: str, tail: str) -> bool:
    """Whether a line is like one that has something else between its head and tail, but for the comma behind it."""
    body, ends = text.rstrip().rstrip(",;"), tail.rstrip().rstrip(",;")
    return len(body) > len(head) + len(ends) and body.startswith(head) and body.endswith(ends)
