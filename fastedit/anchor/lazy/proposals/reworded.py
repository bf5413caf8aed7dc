"""Finds changes that the prose quotes and no snippet shows: a name for another, a line as it is to be, a new line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from fastedit.anchor.hints import sentences_of
from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Lines
from fastedit.anchor.lazy.proposals.cut import cut_pieces
from fastedit.anchor.lazy.proposals.fragments import fragments_of
from fastedit.anchor.lazy.proposals.quoted import MIN_NEW, MIN_WORD, NAME, QUOTE, bare, new_quoted_lines
from fastedit.anchor.lazy.proposals.values import kind_of, with_value
from fastedit.anchor.lazy.result.message import VERSION, Shown
from fastedit.anchor.lazy.words.mentions import Mentioned
from fastedit.anchor.lazy.words.repeated import Declared, told_counts
from fastedit.patterns import pattern

# rename: one quote stands for another from now on, wherever it is; rename_places: the logarithm of their number;
# rename_shown: the snippets have the new one; rename_part: it is done in one declaration only, which the words name;
# rename_wanted: the words say that the one should be the other; rename_became: the two are alike, with words of their
# own between: "`a` clashes, so it is `b` now"; rename_stated: a word for becoming joins them; rename_done: the share of
# the lines that a snippet shows as they are then; rename_count: the words tell how many places there are;
# rename_whole: it is done only where a line is nothing but the quote; rename_value: the old one is the key of a line,
# whose value, a number or flag as it is, becomes the new one; rename_paired: they are alike, or the new one is a
# version, and stand side by side in words that no list has.
# import: a name that the words say is imported joins the names of an import that they tell; import_said: by what they
# call that import; import_used: a snippet uses the name; import_adds: the sentence speaks of something that is added.
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
    "rename", "rename_places", "rename_shown", "rename_part", "rename_wanted", "rename_became", "rename_stated",
    "rename_done", "rename_count", "rename_whole", "rename_value", "rename_paired",
    "import", "import_said", "import_used", "import_adds", "line",
    "line_among", "line_like", "line_shown", "line_gone", "line_entry", "line_far", "line_paragraph", "line_import",
    "insert", "insert_told", "insert_sorted", "insert_said", "insert_again", "insert_scoped", "insert_agreed",
    "insert_role", "insert_between", "insert_entry", "insert_inline", "insert_shown",
)  # fmt: skip
MAX_RENAMED = 12  # lines
MIN_PARAGRAPH = 2  # lines of a block quote that is a paragraph
MAX_CHANGES = 10
MAX_PIECES = 6  # changes of pieces of lines
MAX_NEW = 6  # things that only words add
MIN_PLACES = 4  # of all changes that are kept for these
MAX_MEANT = 4  # lines that a quote may stand for
MAX_SIMILAR = 400  # lines that share a word with a quote
MIN_LIKE = 58.0  # percent: less alike are two lines that have nothing to do with each other
NEARLY = 4.0  # percent that a line may be less alike than the likest and still be meant
_IMPORTED = pattern(
    r"\bimport(?:s|ed|iert\w*|iere\w*|ar|ado|é\w*|ato)?\b|\bcomes? from\b|导入|インポート|импорт", re.IGNORECASE
)
_ALSO = pattern(
    r"\b(?:too|also|as well|append\w*|add\w*|extend\w*|along(?:side)? with|additionally|now|need\w*|auch|dazu"
    r"|zusätzlich|también|además|aussi|également|anche|também)\b",
    re.IGNORECASE,
)
_PLAIN_NAME = pattern(r"[A-Za-z_$][\w$]*")
# `import { a, b } from "m"`, `use m::{a, b};`, `const { a, b } = require("m")`; `from m import a, b`.
_IMPORT_LISTS = (
    pattern(
        r"^\s*(?:import\s+(?:type\s+)?(?:\w+,\s*)?|(?:pub\s+)?use\s+[\w:]+::|(?:const|let|var)\s*)\{(?P<names>[^{}]+)(?=\})"
    ),
    pattern(r"^\s*from\s+[\w.]+\s+import\s+(?P<names>[^()#*]+?)(?=\s*(?:#|$))"),
)
_TOKEN = pattern(r"\w+|[^\w\s]")
_TITLE = pattern(r"[`\"“„]([^`\"“”„\n]+)[`\"”“]")
_FIRST = pattern(r"[A-Za-z@][\w@./-]{2,}")
_LAST_VERSION = pattern(r"(?<![\w.])v?\d+(?:\.\w+)+$")  # `requests==2.31.0`
# What parts a name from its version: `actions/cache@v3`, `python:3.12`, `attrs==24.1`.
_PARTING = pattern(r"(?:@|:|[=~]=)(?=[^\s@:=]+$)")
# Between two names of a list: a comma, or a word for "and".
_LISTED = r"`(?P<other>[^`\n]+)`(?:\s*[,/&+]\s*|\s*,?\s+[^\W\d_]{1,5}\s+)"
# What stands before a comment's words, which a quote may leave out.
_SIGN = pattern(r"^(?:\*|//+!?|#+|--|>|;|-)\s+")


@dataclass(frozen=True, slots=True)
class Rewording:
    """Changes of the original that only words make, and what speaks for them; see `CHANGED`.

    lines: (line, text) that lines become. added: (line, text) of new lines behind one of the original. gone: lines.
    group: of which proposals the names in `values` are. quote: what it comes from; of the changes from one quote those
    of the highest rank are followed instead of the others.
    """

    lines: tuple[tuple[int, str], ...]
    values: dict[str, float]
    added: tuple[tuple[int, str], ...] = ()
    gone: tuple[int, ...] = ()
    group: str = "reworded"
    quote: str = ""
    rank: int = 0


def spoken_changes(
    shown: Shown, original: Lines, declared: Declared, named: Mentioned | None = None, pieces: Sequence[str] = ()
) -> list[Rewording]:
    """The changes that the prose quotes without showing them in a snippet: `a` becomes `b`, `timeout = 30`.

    named: the names in the words, with their roles; pieces: the words before each snippet, and those behind the last.
    """
    paragraphs = list(_paragraphs(shown, original))
    taken = {quote for _, quotes in paragraphs for quote in quotes}
    found = [*_renamings(shown, original, declared), *_linked(shown, original), *(one for one, _ in paragraphs)]
    found += [*_joined_imports(shown, original), *_quoted_lines(shown, original, declared)]
    found += _like_lines(shown, original, taken)
    cut = [
        Rewording(lines, {"part": 1.0, "quoted": 1.0}, group="removes")
        for lines in cut_pieces(shown, original, declared)
    ]
    parts = [*cut, *_fragments(shown, original, declared, taken)][:MAX_PIECES]
    new = [
        Rewording(
            tuple((line, text) for text, line in one.changed),
            one.values,
            added=tuple((line, text) for text, line in one.added),
        )
        for one in new_quoted_lines(shown, original, declared, named, pieces)[:MAX_NEW]
    ]
    return [*[*found[: MAX_CHANGES - min(len(new), MIN_PLACES)], *new][:MAX_CHANGES], *parts]


def _renamings(shown: Shown, original: Lines, declared: Declared) -> Iterator[Rewording]:
    """Yields for each pair of quotes, one for the other, all lines with the new one, and those of what words name."""
    for pair in dict.fromkeys((*shown.renamed, *shown.wanted, *shown.became, *shown.paired)):
        old, new = pair[0], _completed(*pair)
        if len(old) < MIN_WORD or old == new:
            continue
        if pair in shown.paired and any(new in text for text in original.texts):
            continue  # both are there: neither becomes the other
        start, end = (r"(?<![\w$-])" if old[0].isalnum() else ""), (r"(?![\w$-])" if old[-1].isalnum() else "")
        found = re.compile(f"{start}{re.escape(old)}{end}")
        lines = [line for line, text in enumerate(original.texts) if old in text and found.search(text)]
        if not lines:
            continue
        literal = new.replace("\\", r"\\")
        changed = tuple((line, found.sub(literal, original.texts[line])) for line in lines)
        changed += _listed_beside(pair, shown, original, {*lines})
        key = "".join(new.split())
        is_shown = any(key in line for line in shown.lines)
        values = {"rename": 1.0, "rename_places": math.log(len(lines)), "rename_shown": float(is_shown)}
        values["rename_wanted"] = float(pair in shown.wanted)
        values["rename_paired"] = float(pair in shown.paired)
        values["rename_became"] = float(pair in shown.became)
        values["rename_stated"] = float(pair in shown.stated)
        counts = told_counts("\n".join(one for one, _ in sentences_of(shown.prose) if old in one or new in one))
        if len(changed) <= MAX_RENAMED:
            yield Rewording(changed, {**values, **_of_lines(changed, counts, shown)}, quote=new)
        within = {line for start, end in _scopes(shown, old, new, declared) for line in range(start, end)}
        valued = with_value(old, new, lines, original)
        if valued is not None:
            told = {**values, "rename_places": 0.0, "rename_value": 1.0, "rename_part": float(valued[0] in within)}
            yield Rewording((valued,), {**told, **_of_lines((valued,), counts, shown)}, quote=new, rank=3)
        whole = tuple(one for one in changed if bare(original.texts[one[0]]) == bare(old))
        if 0 < len(whole) < len(changed) and len(whole) <= MAX_RENAMED:
            values_there = {**values, "rename_places": math.log(len(whole)), "rename_whole": 1.0}
            yield Rewording(whole, {**values_there, **_of_lines(whole, counts, shown)}, quote=new)
        part = tuple(one for one in changed if one[0] in within)
        if 0 < len(part) < len(changed) and len(part) <= MAX_RENAMED:
            values |= {"rename_places": math.log(len(part)), "rename_part": 1.0}
            yield Rewording(part, {**values, **_of_lines(part, counts, shown)}, quote=new)


def _completed(old: str, new: str) -> str:
    """The new name; where it is but a version, or begins as the old one's does, with what stands before that."""
    parting = _PARTING.match(new)
    parted = old.rfind(parting[0]) if parting is not None else -1
    if parted > 0:
        return old[:parted] + new
    version = _LAST_VERSION.search(old)
    return old[: version.start()] + new if version and version.start() and VERSION.fullmatch(new) else new


def _listed_beside(
    pair: tuple[str, str], shown: Shown, original: Lines, taken: set[int]
) -> tuple[tuple[int, str], ...]:
    """The lines with the names listed before an old one that end as it does, where only this end becomes another."""
    old, new = pair
    parting = _PARTING.search(old)
    if parting is None or not new.startswith(parting[0]):
        return ()
    end, result = old[parting.start() :], list[tuple[int, str]]()
    for found in re.finditer(rf"(?:{_LISTED.replace('?P<other>', '')})+`{re.escape(old)}`", shown.prose):
        for other in dict.fromkeys(QUOTE.findall(found[0])):
            if other == old or not other.endswith(end):
                continue
            alone = re.compile(rf"(?<![\w$-]){re.escape(other)}(?![\w$.-])")
            for line, text in enumerate(original.texts):
                if line not in taken and other in text and alone.search(text):
                    result.append((line, text.replace(other, other.removesuffix(end) + new)))
    return tuple(result)


def _linked(shown: Shown, original: Lines) -> Iterator[Rewording]:
    """Yields for each address that a sentence quotes behind a link's title the link with it."""
    for sentence, _ in sentences_of(shown.prose):
        for found in QUOTE.finditer(sentence):
            address = found[1].strip()
            titles = [one for one in _TITLE.findall(sentence[: found.start()]) if len(one) >= MIN_WORD]
            if not titles or kind_of(address) != "address":
                continue
            title = titles[-1].strip()
            lines = [line for line, text in enumerate(original.texts) if f"[{title}](" in text]
            valued = with_value(title, address, lines, original) if lines else None
            if valued is not None and not any("".join(valued[1].split()) in line for line in shown.lines):
                yield Rewording((valued,), {"rename": 1.0, "rename_value": 1.0})


def _of_lines(changed: Sequence[tuple[int, str]], counts: set[int], shown: Shown) -> dict[str, float]:
    """Counts what the lines that a renaming changes say of it. counts: how many places there are, as words tell."""
    is_sum = len(counts) > 1 and len(changed) == sum(counts)  # "three of `a` and two of `b`"
    done = sum("".join(text.split()) in shown.lines for _, text in changed) / len(changed)
    return {"rename_done": done, "rename_count": float(len(changed) in counts or is_sum)}


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
        quotes = [one.strip() for one in QUOTE.findall(sentence)]
        is_about = (old in quotes and new in quotes) or (
            (old, new) in shown.wanted and old in sentence and new in sentence
        )
        if is_about:
            for quote in quotes:
                yield from declared.get(quote.removesuffix("()"), ()) if quote not in (old, new) else ()


def _joined_imports(shown: Shown, original: Lines) -> Iterator[Rewording]:
    """Yields for each name that a sentence says is imported the imports with it that the sentence may mean.

    "`b` comes from `m` too", "import `b` along with `a`".
    """
    for sentence, _ in sentences_of(shown.prose):
        if not _IMPORTED.search(QUOTE.sub(" ", sentence)):
            continue
        quotes = [one.strip() for one in QUOTE.findall(sentence)]
        for name in quotes:
            is_new = _PLAIN_NAME.fullmatch(name) and name not in original.word_places
            if not is_new or any(key.startswith(("import", "from")) and name in key for key in shown.lines):
                continue
            others = [one for one in quotes if one != name]
            for line, text in enumerate(original.texts):
                identity = original.identity(line)
                told = [one for one in others if one in text]
                joined = _with_name(text, name) if told and identity is not None and identity.kind == "import" else None
                if joined is not None:
                    is_module = any(re.search(rf"[\"'\s.]{re.escape(one)}(?:[\"'\s;:]|$)", text) for one in told)
                    values = {"import": 1.0, "import_said": float(is_module)}
                    values["import_adds"] = float(_ALSO.search(QUOTE.sub(" ", sentence)) is not None)
                    values["import_used"] = float(any(name in key for key in shown.lines))
                    yield Rewording(((line, joined),), values)


def _with_name(text: str, name: str) -> str | None:
    """An import of one line with one more name at the end of those that it has; None where it has no list of names."""
    found = next((one for listed in _IMPORT_LISTS if (one := listed.match(text)) is not None), None)
    if found is None:
        return None
    names, rest = found["names"].rstrip(), text[found.end("names") :]
    space = found["names"][len(names) :]
    comma = "" if names.endswith(",") else ","
    return f"{text[: found.start('names')]}{names}{comma} {name}{space}{rest}"


def _fragments(shown: Shown, original: Lines, declared: Declared, taken: set[str]) -> Iterator[Rewording]:
    """Yields for each quote the lines that have a piece most alike it as it is quoted, each and all that words name."""
    for quote, pieces in fragments_of(shown, original):
        if quote in taken or not pieces:
            continue
        key = bare(quote)
        values = {
            "line": 1.0,
            "line_far": 1.0,
            "line_shown": float(any(key in one for one in shown.lines)),
            "line_gone": float(key in shown.gone),
        }
        if len(pieces) <= MAX_MEANT:
            for line, text, likeness in pieces:
                told = {**values, "line_among": float(len(pieces) - 1), "line_like": likeness / 100}
                yield Rewording(((line, text),), told, quote=quote, rank=1)
        scopes = _scopes_with(quote, [one.line for one in pieces], shown, declared)
        every = [one for one in pieces if any(start <= one.line < end for start, end in scopes)]
        if len(every) > 1:
            likeness = sum(one.likeness for one in every) / len(every)
            told = {**values, "line_like": likeness / 100, **_of_all(quote, len(every), shown)}
            yield Rewording(tuple((line, text) for line, text, _ in every), told, quote=quote, rank=2)


def _of_all(quote: str, count: int, shown: Shown) -> dict[str, float]:
    """The signs of a change in several places: the share that snippets show, and that words tell so many."""
    key = bare(quote)
    told = told_counts("\n".join(one for one, _ in sentences_of(shown.prose) if quote in one))
    num_shown = sum(key in bare(line) for keys in shown.keys for line in keys)
    return {"line_shown": min(1.0, num_shown / count), "rename_count": float(count in told)}


def _scopes_with(quote: str, lines: Sequence[int], shown: Shown, declared: Declared) -> list[tuple[int, int]]:
    """The declarations named beside a quote that have lines which it may mean, where there are several such."""
    scopes: set[tuple[int, int]] = set()
    for sentence, _ in sentences_of(shown.prose):
        others = [one.strip() for one in QUOTE.findall(sentence)]
        if quote in others:
            told = (declared.get(one.removesuffix("()"), ()) for one in others if one != quote)
            scopes |= {found[0] for found in told if len(found) == 1}
    holding = sorted(scope for scope in scopes if any(scope[0] <= line < scope[1] for line in lines))
    return holding if len(holding) > 1 else []


def _quoted_lines(shown: Shown, original: Lines, declared: Declared) -> Iterator[Rewording]:
    """Yields for each quote that assigns, keys or declares what a line does otherwise that line as it is quoted."""
    for quote in shown.quotes:
        identity = identity_of(quote)
        key = bare(quote)
        if identity is None or identity.kind not in ("assign", "key", "decl", "import", "case", "entry"):
            continue
        about = _entries(identity.name, original) if identity.kind == "entry" else original.identities.get(identity, ())
        lines = [line for line in about if bare(original.texts[line]) != key]
        if 0 < len(lines) <= MAX_MEANT:
            for line in lines:
                one = _reworded(line, quote, len(lines), shown, original, line_entry=float(identity.kind == "entry"))
                yield replace(one, quote=quote)
        if len(lines) > 1:
            yield from _in_each(quote, lines, shown, original, declared)


def _in_each(
    quote: str, lines: Sequence[int], shown: Shown, original: Lines, declared: Declared
) -> Iterator[Rewording]:
    """Yields what a quote says of all declarations that are named beside it: the likest line of each."""
    every = [
        max(
            (_reworded(line, quote, 1, shown, original) for line in lines if start <= line < end),
            key=lambda one: (_num_at_ends(quote, original.stripped[one.lines[0][0]]), _likeness(one)),
        )
        for start, end in _scopes_with(quote, lines, shown, declared)
    ]
    if len(every) > 1:
        changed = dict(line for one in every for line in one.lines)
        gone = {line for one in every for line in one.gone} - set(changed)
        like = sum(map(_likeness, every)) / len(every)
        told = {**every[0].values, "line_like": like, **_of_all(quote, len(every), shown)}
        yield Rewording(tuple(changed.items()), told, gone=tuple(sorted(gone)), quote=quote, rank=2)


def _num_at_ends(quote: str, text: str) -> int:
    """Counts the words and signs (up to 3) that a quote and a line have in common at their beginnings and ends."""
    mine, theirs = _TOKEN.findall(quote.rstrip(",;")), _TOKEN.findall(text.rstrip(",;"))
    return (mine[:1] == theirs[:1]) + (mine[:2] == theirs[:2]) + (mine[-1:] == theirs[-1:])


def _likeness(one: Rewording) -> float:
    return one.values["line_like"]


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
    key = bare(quote)
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
        if DOTS.search(quote) or NAME.match(quote):
            continue
        if identity is not None and identity.kind != "entry" and identity in original.identities:
            continue  # what has its identity is known
        meant = _meant(quote, original)
        for line in meant:
            yield replace(_reworded(line, quote, len(meant), shown, original, line_far=1.0), quote=quote)


def _meant(quote: str, original: Lines) -> list[int]:
    """The lines that are most alike a quote and that many words of it; none where it stands there already."""
    key = bare(quote)
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
