"""Facts about a change, read off it: for each place the kind of its change, and the names that a message mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.corpus import is_comment
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import Change, Splice
from fastedit.training.synthesis.rendering.page import innermost
from fastedit.training.synthesis.rendering.plan import spans_in_after

NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)?")
LITERAL = re.compile(r"\d+(?:\.\d+)*|\"[^\"\n]{1,24}\"|'[^'\n]{1,24}'")
GUARD = re.compile(r"(?:if|unless|guard)\b")
LEAVES = re.compile(r"\b(?:return|raise|throw|continue|break)\b")
CATCHES = re.compile(r"(?:except|catch|rescue)\b\s*\(?\s*([A-Z]\w+)")
RETURNS = re.compile(r"return\b")
MIN_NAME, MAX_NAME = 3, 40
COMMON = frozenset(
    (
        "self this return import from const let var function def class if else elif for while not and or in is"
        " None True False null true false new public private static final void int str string bool float async"
        " await try except catch finally raise throw with as pass break continue export default type interface"
        " struct func fn pub use mod impl match case the switch end do then begin require include define"
        " unsigned char long double auto template typename namespace using override extends implements package"
        " yield lambda del global print undefined number boolean any object echo fi"
    ).split()
)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
WORDS_OF = {"w": "x", "h": "home", "n": "near"}
MOST_WORDS = 3
COUNTS = ("one", "two", "three", "four", "five", "six", "several")
KINDS = ("function", "class", "section", "block", "value")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a change does. kind: a table of the phrases; names: what fills their slots."""

    kind: str
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class ChangedPlace:
    """One splice as a message speaks of it. home: the declaration around it, or "". facts: most telling first."""

    home: str
    facts: tuple[Fact, ...]


def places_of(change: Change) -> list[ChangedPlace]:
    """The places in order, each with at least one fact."""
    spans = spans_in_after(change)
    return [_place(change, splice, (span.start, span.end)) for splice, span in zip(change.splices, spans, strict=True)]


def _place(change: Change, splice: Splice, span: tuple[int, int]) -> ChangedPlace:
    home = _home(change.before, splice.start)
    near = _neighbour(change.before, splice.start, home)
    known = {name: text for name, text in (("home", home), ("near", near)) if text}
    count = COUNTS[min(len(change.splices), len(COUNTS)) - 1]
    old = change.before.lines[splice.start : splice.end]
    facts = [Fact(kind, _told(known | names) | {"count": count}) for kind, names in _facts(change, splice, span, old)]
    return ChangedPlace(home, tuple(facts))


def _told(names: dict[str, str]) -> dict[str, str]:
    """The names, each told once, with the plain words that some of them are made of."""
    names = {slot: text for slot, text in names.items() if slot not in ("home", "near") or text != names.get("x")}
    plain = {slot: plain_words(names[name]) for slot, name in WORDS_OF.items() if name in names}
    return names | {slot: words for slot, words in plain.items() if words}


def plain_words(name: str) -> str:
    """The words that an identifier is made of ("default timeout" of `DEFAULT_TIMEOUT`); "" where there are none."""
    words = [word.lower() for word in WORD.findall(name) if len(word) > 1]
    return " ".join(words[:MOST_WORDS]) if sum(map(len, words)) >= MIN_NAME else ""


def _home(document: Document, line: int) -> str:
    """The name of the innermost declaration around a line, or ""."""
    found = innermost(document, min(line, len(document.lines) - 1), kinds=KINDS)
    return found.name if found is not None and _is_sayable(found.name) else ""


def _neighbour(document: Document, line: int, home: str) -> str:
    """The declaration nearest above that doesn't hold the line, or ""."""
    above = [d for d in document.declarations if d.end_line <= line and d.kind in KINDS and _is_sayable(d.name)]
    return above[-1].name if above and above[-1].name != home else ""


def _is_sayable(name: str) -> bool:
    return 1 < len(name) <= MAX_NAME and name.strip("`\n ") == name


def _facts(
    change: Change, splice: Splice, span: tuple[int, int], old: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    new = splice.lines
    yield from _declarations(change, splice, span)
    if all(is_comment(change.before, line.strip()) for line in (*old, *new) if line.strip()):
        yield "commented", _named("x", _only(new, old))
        return
    come, gone = _only(new, old), _only(old, new)
    starts = change.before.traits.import_start
    if starts and any(line.startswith(starts) for line in (*old, *new)):
        yield from (("imported", {"x": name}) for name in come[-1:])
        yield from (("unimported", {"x": name}) for name in gone[-1:] if not come)
    yield from _replacements(old, new, come, gone)
    yield from _lines(new, come)
    told = come or _only(new, ())
    if new and old:
        yield "changed", _named("x", told)
    elif new:
        yield "inserted", _named("x", told)
    else:
        yield "deleted", _named("x", gone or _only(old, ()))


def _named(slot: str, names: Sequence[str]) -> dict[str, str]:
    return {slot: names[0]} if names else {}


def _declarations(change: Change, splice: Splice, span: tuple[int, int]) -> Iterator[tuple[str, dict[str, str]]]:
    before = {d.name for d in change.before.declarations}
    after = {d.name for d in change.after.declarations}
    for d in change.after.declarations:
        if span[0] <= d.header_line < span[1] and d.name not in before and _is_told(d):
            yield "declared", {"x": d.name}
    for d in change.before.declarations:
        if splice.start <= d.header_line < splice.end and d.name not in after and _is_told(d):
            yield "dropped", {"x": d.name}


def _is_told(declaration: Declaration) -> bool:
    return declaration.kind in ("function", "class") and _is_sayable(declaration.name)


def _replacements(
    old: Sequence[str], new: Sequence[str], come: Sequence[str], gone: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """One name or one value in place of another."""
    if len(come) == 1 and len(gone) == 1:
        yield "renamed", {"old": gone[0], "new": come[0], "x": come[0]}
    values = [LITERAL.findall("\n".join(lines)) for lines in (old, new)]
    less, more = ([text for text in one if text not in other] for one, other in (values, values[::-1]))
    if len(less) == len(more) == 1 and not come and not gone:
        yield "value", {"old": less[0], "new": more[0], "x": more[0]}


def _lines(new: Sequence[str], come: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Facts on what single new lines do: a check, a handler, a result."""
    for line, following in pairwise((*new, "")):
        text = line.strip()
        if (match := CATCHES.search(text)) is not None:
            yield "caught", {"x": match.group(1)}
        elif GUARD.match(text) and LEAVES.search(text + " " + following):
            yield "guard", _named("x", _only([text], ()))
        elif RETURNS.match(text):
            yield "returned", _named("x", _only([text], ()) or come)


def _only(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """The names in some lines that aren't in the others, each once, the most telling (longest) of each line first."""
    known = {match for line in others for match in NAME.findall(line)}
    found: dict[str, None] = {}
    for line in lines:
        names = [name for name in NAME.findall(line) if MIN_NAME <= len(name) <= MAX_NAME]
        for name in sorted(names, key=len, reverse=True):
            if name not in known and name not in COMMON:
                found.setdefault(name)
    return list(found)
