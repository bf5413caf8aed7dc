"""Finds changes that the prose quotes and no snippet shows: a name for another, a line as it is to be, a new line."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines, identity_of
from fastedit.anchor.lazy.shown import Declared, Shown
from fastedit.patterns import pattern

# rename: one quote stands for another from now on, wherever it is; rename_places: the logarithm of their number;
# rename_shown: the snippets have the new one; rename_part: it is done in one declaration only, which the words name;
# rename_wanted: the words say that the one should be the other; rename_became: the two are alike, with words of their
# own between: "`a` clashes, so it is `b` now".
# line: a quote is a line that the original has with another value; line_among: as many other lines could be meant;
# line_like: how alike the two are; line_shown: a snippet shows it; line_gone: the words say that it is gone;
# line_entry: it is an item of a list with the same first word; line_far: nothing but its words says which line it is.
# line_paragraph: a block quote is a paragraph that is otherwise now; line_import: an import would take the place of one
# of something else.
# insert: a quote is a line that nothing of the original is like; insert_told: a word for a place stands beside what it
# goes next to; insert_sorted: it goes where the order of the lines that it is like puts it; insert_said: the
# sentence says that something is added; insert_again: the original has that line elsewhere, and the sentence tells the
# place for another; insert_scoped: it goes into a declaration that the sentence names; insert_agreed: the words and the
# order say the same.
CHANGED = (
    "rename", "rename_places", "rename_shown", "rename_part", "rename_wanted", "rename_became", "line", "line_among",
    "line_like", "line_shown", "line_gone", "line_entry", "line_far", "line_paragraph", "line_import", "insert",
    "insert_told", "insert_sorted", "insert_said", "insert_again", "insert_scoped", "insert_agreed",
)  # fmt: skip
MAX_RENAMED = 12  # lines
MIN_PARAGRAPH = 2  # lines of a block quote that is a paragraph
MAX_CHANGES = 10
MAX_MEANT = 4  # lines that a quote may stand for
MAX_SIMILAR = 400  # lines that share a word with a quote
MIN_WORD = 3
MIN_LIKE = 58.0  # percent: less alike are two lines that have nothing to do with each other
NEARLY = 4.0  # percent that a line may be less alike than the likest and still be meant
MIN_NEW = 8  # characters of a line that is added
MIN_PREFIX = 5  # characters that lines of one list begin with
_FIRST = pattern(r"[A-Za-z@][\w@./-]{2,}")
# What stands before a comment's words, which a quote may leave out.
_SIGN = pattern(r"^(?:\*|//+!?|#+|--|>|;|-)\s+")
_NAME = pattern(r"[\w.$#:@\\/-]*(?:\(\))?$")
_QUOTE = pattern(r"`([^`\n]+)`")
_ADDS = pattern(
    r"\b(?:add\w*|append\w*|insert\w*|new|plus|with|needs?|import\w*|goes|comes?|follows|in|put|forgot\w*|missing|missed|lacks?|hinzu|dazu|neu\w*|añad\w+"
    r"|ajout\w+|aggiung\w+|nuov\w+|nuev\w+|dodaj\w*|nieuwe?)\b|追加|添加|新增|добав\w+",
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


@dataclass(frozen=True, slots=True)
class Rewording:
    """Changes of the original that only words make, and what speaks for them; see `CHANGED`.

    lines: (line, text) that lines become. added: (line, text) of new lines behind one of the original. gone: lines.
    """

    lines: tuple[tuple[int, str], ...]
    values: dict[str, float]
    added: tuple[tuple[int, str], ...] = ()
    gone: tuple[int, ...] = ()


def spoken_changes(shown: Shown, original: Lines, declared: Declared) -> list[Rewording]:
    """The changes that the prose quotes without showing them in a snippet: `a` becomes `b`, `timeout = 30`."""
    paragraphs = list(_paragraphs(shown, original))
    taken = {quote for _, quotes in paragraphs for quote in quotes}
    found = [*_renamings(shown, original, declared), *(one for one, _ in paragraphs)]
    found += [*_quoted_lines(shown, original), *_like_lines(shown, original, taken)]
    return [*found, *_new_lines(shown, original, declared)][:MAX_CHANGES]


def _renamings(shown: Shown, original: Lines, declared: Declared) -> Iterator[Rewording]:
    """Yields for each pair of quotes, one for the other, all lines with the new one, and those of what words name."""
    for old, new in dict.fromkeys((*shown.renamed, *shown.wanted, *shown.became)):
        if len(old) < MIN_WORD or old == new:
            continue
        start, end = (r"(?<![\w$-])" if old[0].isalnum() else ""), (r"(?![\w$-])" if old[-1].isalnum() else "")
        found = re.compile(f"{start}{re.escape(old)}{end}")
        lines = [line for line, text in enumerate(original.texts) if old in text and found.search(text)]
        if not 0 < len(lines) <= MAX_RENAMED:
            continue
        literal = new.replace("\\", r"\\")
        changed = tuple((line, found.sub(literal, original.texts[line])) for line in lines)
        key = "".join(new.split())
        is_shown = any(key in line for line in shown.lines)
        values = {"rename": 1.0, "rename_places": math.log(len(lines)), "rename_shown": float(is_shown)}
        values["rename_wanted"] = float((old, new) in shown.wanted)
        values["rename_became"] = float((old, new) in shown.became)
        yield Rewording(changed, values)
        within = {line for start, end in _scopes(shown, old, new, declared) for line in range(start, end)}
        part = tuple(one for one in changed if one[0] in within)
        if 0 < len(part) < len(changed):
            yield Rewording(part, {**values, "rename_places": math.log(len(part)), "rename_part": 1.0})


def _paragraphs(shown: Shown, original: Lines) -> Iterator[tuple[Rewording, tuple[str, ...]]]:
    """Yields for each block quote the paragraph that it is most alike as it is quoted, with the quote's lines."""
    for quote in shown.block_quotes:
        if len(quote) < MIN_PARAGRAPH or "".join(quote[0].split()) in shown.lines:
            continue
        joined = " ".join(quote)
        best, span = 0.0, range(0)
        for start, end in _paragraph_spans(original):
            likeness = fuzz.ratio(joined, " ".join(original.stripped[start:end]), score_cutoff=MIN_LIKE)
            if likeness > best:
                best, span = likeness, range(start, end)
        if not span:
            continue
        text = original.texts[span.start]
        indentation = text[: len(text) - len(text.lstrip())]
        written = [indentation + line for line in quote]
        pairs = tuple(zip(span, written, strict=False))
        changed = tuple((line, new) for line, new in pairs if original.texts[line] != new)
        added = tuple((span.stop - 1, new) for new in written[len(span) :])
        values = {"line": 1.0, "line_like": best / 100, "line_far": 1.0, "line_paragraph": 1.0}
        if changed:
            yield Rewording(changed, values, added, tuple(span[len(written) :])), quote


def _paragraph_spans(original: Lines) -> Iterator[tuple[int, int]]:
    """Yields the runs of lines at one column between blank ones."""
    start = 0
    for line in range(len(original) + 1):
        is_end = line == len(original) or not original.keys[line]
        if is_end or original.columns[line] != original.columns[start]:
            if line > start and original.keys[start]:
                yield start, line
            start = line + is_end


def _scopes(shown: Shown, old: str, new: str, declared: Declared) -> Iterator[tuple[int, int]]:
    """Yields the lines of the declarations that a sentence names which has both quotes."""
    for sentence, _ in sentences_of(shown.prose):
        quotes = [one.strip() for one in _QUOTE.findall(sentence)]
        is_about = (old in quotes and new in quotes) or (
            (old, new) in shown.wanted and old in sentence and new in sentence
        )
        if is_about:
            for quote in quotes:
                yield from declared.get(quote.removesuffix("()"), ()) if quote not in (old, new) else ()


def _quoted_lines(shown: Shown, original: Lines) -> Iterator[Rewording]:
    """Yields for each quote that assigns, keys or declares what a line does otherwise that line as it is quoted."""
    for quote in shown.quotes:
        identity = identity_of(quote)
        key = _bare(quote)
        if identity is None or identity.kind not in ("assign", "key", "decl", "import", "case", "entry"):
            continue
        about = _entries(identity.name, original) if identity.kind == "entry" else original.identities.get(identity, ())
        lines = [line for line in about if _bare(original.texts[line]) != key]
        if 0 < len(lines) <= MAX_MEANT:
            for line in lines:
                yield _reworded(line, quote, len(lines), shown, original, line_entry=float(identity.kind == "entry"))


def _entries(name: str, original: Lines) -> list[int]:
    """The lines that are items of lists and begin with the same word as the name of one."""
    found = _FIRST.match(name)
    if found is None or found.end() == len(name):
        return []
    result = []
    for line in original.word_places.get(WORD.findall(found[0])[0], ()):
        other = original.identity(line)
        first = _FIRST.match(other.name) if other is not None and other.kind == "entry" else None
        if first is not None and first[0] == found[0]:
            result.append(line)
    return result


def _reworded(line: int, quote: str, num_meant: int, shown: Shown, original: Lines, **values: float) -> Rewording:
    """The change of a line, or of the statement that it begins, to a quote; its sign of a comment and comma stay."""
    text = original.texts[line]
    indentation = text[: len(text) - len(text.lstrip())]
    sign = _SIGN.match(original.stripped[line])
    lead = sign[0] if sign is not None and not quote.startswith(sign[0].strip()) else ""
    lead = "" if sign is not None and sign[0][0] != ">" and _SIGN.match(quote) else lead
    span = original.statement_span(line) if not values.get("line_entry") and _is_closed(quote) else 1
    last = original.texts[line + span - 1].rstrip()[-1:]
    tail = last if last in ",;" and quote[-1] not in ",;{(:" else ""
    key = _bare(quote)
    told = {
        "line": 1.0,
        "line_among": float(num_meant - 1),
        "line_like": fuzz.ratio(quote, _statement(line, span, original).removeprefix(lead)) / 100,
        "line_shown": float(any(one.startswith(key) for one in shown.lines)),
        "line_gone": float(key in shown.gone),
        "line_import": float(_imports_another(quote, original, line)),
        **values,
    }
    return Rewording(((line, f"{indentation}{lead}{quote}{tail}"),), told, gone=tuple(range(line + 1, line + span)))


def _imports_another(quote: str, original: Lines, line: int) -> bool:
    """Whether a quote and a line import things of other names: `import a.B` and `import a.C`."""
    mine, theirs = identity_of(quote), original.identity(line)
    if mine is None or theirs is None or not mine.kind == theirs.kind == "import":
        return False
    return WORD.findall(mine.name)[-1:] != WORD.findall(theirs.name)[-1:]


def _is_closed(quote: str) -> bool:
    """Whether each bracket that a quote opens is closed in it."""
    return all(quote.count(one) == quote.count(other) for one, other in ("()", "[]", "{}"))


def _statement(line: int, span: int, original: Lines) -> str:
    return original.stripped[line] if span == 1 else "".join(original.stripped[line : line + span])


def _like_lines(shown: Shown, original: Lines, taken: set[str]) -> Iterator[Rewording]:
    """Yields for each quote that the original doesn't have the lines, or statements, that it is most alike.

    taken: quotes that are parts of paragraphs.
    """
    for quote in shown.quotes:
        if quote in taken:
            continue
        identity = identity_of(quote)
        if DOTS.search(quote) or _NAME.match(quote):
            continue
        if identity is not None and identity.kind != "entry" and identity in original.identities:
            continue  # what has its identity is known
        meant = _meant(quote, original)
        for line in meant:
            yield _reworded(line, quote, len(meant), shown, original, line_far=1.0)


def _meant(quote: str, original: Lines) -> list[int]:
    """The lines that are most alike a quote and that many words of it; none where it stands there already."""
    key = _bare(quote)
    if len(key) < MIN_NEW or any(key in theirs for theirs in original.keys):
        return []
    places: dict[int, str] = {}
    for word in set(WORD.findall(quote)):
        lines: Sequence[int] = original.word_places.get(word, ()) if len(word) >= MIN_WORD else ()
        if len(places) + len(lines) <= MAX_SIMILAR:
            places.update((line, original.stripped[line]) for line in lines)
    if not places:
        return []
    signless = {line: _SIGN.sub("", text) if not _SIGN.match(quote) else text for line, text in places.items()}
    joined = {line: _statement(line, original.statement_span(line), original) for line in places}
    best: dict[int, float] = {}
    for texts in (signless, joined) if _is_closed(quote) else (signless,):
        for _, ratio, line in process.extract(quote, texts, scorer=fuzz.ratio, score_cutoff=MIN_LIKE, limit=MAX_MEANT):
            best[line] = max(ratio, best.get(line, 0.0))
    top = max(best.values(), default=0.0)
    return sorted(line for line, ratio in best.items() if ratio >= top - NEARLY)[:MAX_MEANT]


def _new_lines(shown: Shown, original: Lines, declared: Declared) -> Iterator[Rewording]:
    """Yields for each quote of code that nothing is like a new line: beside what the words name, or in its order."""
    quotes = set(shown.quotes)
    for sentence, _ in sentences_of(shown.prose):
        for found in _QUOTE.finditer(sentence):
            quote = found[1].strip()
            key = _bare(quote)
            is_code = quote in quotes and len(key) >= MIN_NEW and not DOTS.search(quote) and not _NAME.match(quote)
            if not is_code or _has(shown.lines, quote, key):
                continue
            said = _ADDS.search(_QUOTE.sub(" ", sentence)) is not None
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
        return any(_bare(line) == key for line in keys)
    return any(key in line for line in keys)


def _again(
    sentence: str, found: re.Match[str], original: Lines, declared: Declared, values: dict[str, float]
) -> Iterator[Rewording]:
    """Yields a line that the original has, once more in a declaration that the sentence names, where it says."""
    quote = found[1].strip()
    scopes = _named_scopes(sentence, quote, declared, len(original))
    if any(_bare(original.keys[line]) == _bare(quote) for scope in scopes for line in scope):
        return
    for line in dict.fromkeys(_told_places(sentence, found, original, scopes)):
        if any(line in scope for scope in scopes):
            told = {**values, "insert_told": 1.0, "insert_again": 1.0, "insert_scoped": 1.0}
            yield _inserted(line, quote, original, told)


def _named_scopes(sentence: str, quote: str, declared: Declared, num_lines: int) -> list[range]:
    """The declarations of several lines that a sentence names beside a quote, one for each name."""
    names = (one.strip().removesuffix("()") for one in _QUOTE.findall(sentence))
    found = (declared.get(name, ()) for name in names if name != quote)
    scopes = [range(one[0][0], min(num_lines, one[0][1])) for one in found if len(one) == 1]
    return [scope for scope in scopes if len(scope) > 1]


def _inserted(line: int, quote: str, original: Lines, values: dict[str, float]) -> Rewording:
    """A new line behind one of the original, indented and ended as the lines beside it are."""
    opens = line >= 0 and original.stripped[line][-1:] in tuple("[{(")
    has_own = line >= 0 and original.keys[line] and not opens
    beside = original.texts[line if has_own else min(line + 1, len(original) - 1)]
    indentation = beside[: len(beside) - len(beside.lstrip())]
    tail = beside.rstrip()[-1:] if beside.rstrip()[-1:] in (",", ";") and quote[-1] not in ",;{(:" else ""
    return Rewording((), values, added=((line, f"{indentation}{quote}{tail}"),))


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
    key = _bare(word)
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
        common = [_num_common(_bare(quote).lstrip("\"'"), original.keys[line].lstrip("\"'-")) for line in lines]
        if max(common) >= MIN_PREFIX:
            lines = [line for line, size in zip(lines, common, strict=True) if size == max(common)]
    return lines if len(lines) <= 2 else []


def _num_common(one: str, other: str) -> int:
    """Counts the characters that two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _in_order(quote: str, original: Lines) -> list[int]:
    """The line behind which the order of lines with the same beginning puts a quote."""
    key = _bare(quote)
    prefix = key
    while len(prefix) >= MIN_PREFIX:
        run = [line for line, theirs in enumerate(original.keys) if theirs.startswith(prefix)]
        if run:
            smaller = [line for line in run if original.keys[line] < key]
            line = smaller[-1] if smaller else run[0] - 1
            return [line + max(1, original.statement_span(line)) - 1 if smaller else line]
        prefix = prefix[:-1]
    return []


def _bare(text: str) -> str:
    """A text without white space and the comma behind it."""
    return "".join(text.split()).rstrip(",;")
