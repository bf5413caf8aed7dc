"""Finds what one clause says goes together: "delete `a`, `b` and `c` from the list", "out go `a` and `b`", "both go".

Each of its names may be doubtful alone; that they are listed in one breath speaks for all of them. Also all lines that
are alike: "every `@mark` line goes".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fastedit.anchor.cues import CueKind
from fastedit.anchor.hints import Said, is_path, name_of, sentences_of
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.anchor.lazy.words.compound import BRANCHES, CONTROL
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.anchor.lazy.words.spans import NUMBERS
from fastedit.anchor.lazy.words.spoken import cues_of, speaking_of_going
from fastedit.patterns import pattern

# any: names of one clause that go together. names: the logarithm of how many. parsed: the grammar tells that they go;
# else they are all that the clause quotes. pronoun: the clause says "all three", of names before it. missing: the share
# of the names that nothing is found for. others: the logarithm of how many more things these could mean. counted,
# miscounted: it tells their number, or another. stays: it also says that something stays. shown: the share of them
# that a snippet shows. used: the share of the names that the rest still uses. every: all lines that are or begin like a
# quote; every_few: there is but one.
TOGETHER = (
    "any", "names", "parsed", "pronoun", "missing", "others", "counted", "miscounted", "stays", "shown", "used",
    "every", "every_few",
)  # fmt: skip
MAX_NAMES = 16
MAX_EVERY = 60  # lines
MIN_KEY = 3  # characters of a quote that lines are compared with
_GOING = (CueKind.GOES, CueKind.REMOVED, CueKind.REMOVES)
_CLAUSE = pattern(r";\s+|,?\s+\b(?:but|while|whereas|aber|mais|pero)\s+|\s+[–—]\s+")
_QUOTE = pattern(r"`([^`\n]+)`")
_ASIDE = pattern(r"(`[^`\n]+`)|\([^()`]*(?:`[^`\n]+`[^()`]*)*\)")
_ALL = pattern(
    r"\b(?:both|all (?:of (?:them|these|those)|two|three|four|five|six|seven|these|those)|them|these|those|they"
    r"|alle(?: \w+)?|beide|tous(?: les \w+)?|todos|ambos|tutti)\b",
    re.IGNORECASE,
)
_PLACE = pattern(
    r"\b(?:in|from|of|to|into|at|on|above|below|before|after|between|behind|beside|inside|under|over|within|by|with|for"
    r"|via|im|aus|von|vor|nach|dans|de|du|à|en|del|na|do|из|в)\s+(?:the\s+|its\s+|both\s+|all\s+)?(?:\w+\s+)?$",
    re.IGNORECASE,
)
_LISTED = pattern(r"\s*(?:[,/&]|,?\s*\b(?:and|or|und|et|y|e|и)\b)\s*", re.IGNORECASE)
_KIND = (
    r"(?:lines?|decorators?|annotations?|attributes?|calls?|imports?|entries|pragmas?|statements?|zeilen?|lignes?"
    r"|líneas?|righe)"
)
_EVERY = pattern(
    r"\b(?:every|all(?: of)?(?: (?:the|its|their|these|those))?|each|any|both|the (?:two|three|four|five|six|seven)"
    r"|jede[sr]?|alle|chaque|toutes? les|tous les|cada|todas? las|todos los|ogni|tutte le)"
    rf"(?: [\w-]+){{0,2}}? (?P<name>`[^`\n]+`)(?:s| {_KIND})\b"
    rf"|(?P<listed>`[^`\n]+`)(?:s| {_KIND})\b[^`]{{0,40}}?"
    r"\b(?:all\b(?! (?:the )?(?:other|rest|else))|everywhere|wherever|in every|from (?:both|each|every))",
    re.IGNORECASE,
)
_NUMBER = pattern(rf"\b(?:{'|'.join(sorted(NUMBERS, key=len, reverse=True))}|\d{{1,2}})\b(?!\.?\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoneTogether:
    """The names that one clause says are gone, and what the clause tells; see `TOGETHER`."""

    names: tuple[str, ...]
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class GoneEverywhere:
    """All lines that a clause says are gone, wherever they stand, and what speaks for that; see `TOGETHER`."""

    lines: tuple[int, ...]
    values: dict[str, float]


@lru_cache(maxsize=8)
def told_together(prose: str) -> tuple[GoneTogether, ...]:
    """The clauses that say of several names that they go."""
    found = [one for one in (*_clauses(prose), *_lists(prose)) if len(one.names) > 1]
    return tuple({one.names: one for one in found}.values())


def _clauses(prose: str) -> Iterator[GoneTogether]:
    """Yields what the clauses that speak of going name, or the ones before them where they only say "all three"."""
    before: list[str] = []
    for clause in (clause for sentence, _ in sentences_of(prose) for clause in _CLAUSE.split(sentence)):
        names = _quotes(clause)
        if speaking_of_going((clause,)):
            bare = _ASIDE.sub(lambda found: found[1] or " ", clause)
            gone, quoted = _parsed(bare), _quotes(bare)
            yield _told(gone, bare, parsed=True)
            if quoted != gone:
                yield _told(quoted, bare, parsed=False)
            if not names and _ALL.search(clause):
                yield _told(before, bare, parsed=True, pronoun=True)
        before = names or before


def _lists(prose: str) -> Iterator[GoneTogether]:
    """Yields what the items of lists name that are announced by a sentence about going: "What goes:"."""
    announced, listed = "", list[str]()
    for sentence, is_item in (*sentences_of(prose), ("", False)):
        is_going = bool(speaking_of_going((sentence,)))
        if announced and is_item and not is_going:
            listed += _quotes(sentence)[:1]
            continue
        yield _told(listed, announced, parsed=True)
        is_open = is_going and not sentence.rstrip().endswith((".", "!", "?")) and not _QUOTE.search(sentence)
        announced, listed = sentence if is_open else "", []


def _parsed(clause: str) -> list[str]:
    said = Said()
    said.read(clause, is_item=False)
    return [name for name in said.gone if name not in said.stays and not is_path(name)]


def _quotes(text: str) -> list[str]:
    """The quotes of a clause, but for places, what is listed with them, and files."""
    names: dict[str, None] = {}
    end, is_place = 0, False
    for one in _QUOTE.finditer(text):
        is_listed = is_place and _LISTED.fullmatch(text[end : one.start()]) is not None
        is_place = is_listed or _PLACE.search(text[: one.start()]) is not None
        end = one.end()
        if not is_place and not is_path(one[1]):
            names[one[1]] = None
    return list(names)


def _without_branches(names: list[str]) -> list[str]:
    """The names without control words behind another one: `try`/`except` is one statement."""
    pairs = zip(["", *names], names, strict=False)
    return [name for before, name in pairs if name not in BRANCHES or before not in CONTROL]


def _told(names: list[str], clause: str, *, parsed: bool, pronoun: bool = False) -> GoneTogether:
    names = _without_branches(names)
    kinds = {kind for _, kind in cues_of(clause)}
    counts = {NUMBERS.get(word.lower()) or int(word) for word in _NUMBER.findall(_QUOTE.sub("", clause)) if word}
    values = {
        "any": 1.0,
        "names": math.log(max(1, len(names))),
        "parsed": float(parsed),
        "pronoun": float(pronoun),
        "counted": float(len(names) in counts),
        "miscounted": float(bool(counts) and len(names) not in counts),
        "stays": float(bool(kinds & {CueKind.STAYS, CueKind.KEEPS})),
    }
    return GoneTogether(tuple(names[:MAX_NAMES]), values)


def gone_everywhere(prose: str, original: Lines, declared: Declared) -> list[GoneEverywhere]:
    """All lines that clauses say go wherever they are: "every `@mark` line is deleted".

    Where the clause names declarations that have such lines, only those in them.
    """
    result = []
    for sentence, _ in sentences_of(prose):
        for clause in _CLAUSE.split(sentence):
            found = _EVERY.search(clause)
            if found is None or not speaking_of_going((clause,)):
                continue
            name = (found["name"] or found["listed"]).strip("`")
            scopes = [
                one for other in _QUOTE.findall(clause) if other != name for one in declared.get(name_of(other), ())
            ]
            lines = _lines_like(name, original)
            if any(start <= line < end for line in lines for start, end in scopes):
                lines = tuple(line for line in lines if any(start <= line < end for start, end in scopes))
            if lines and len(lines) <= MAX_EVERY:
                kinds = {kind for _, kind in cues_of(clause)}
                values = {
                    "every": 1.0,
                    "every_few": float(len(lines) == 1),
                    "stays": float(bool(kinds & {CueKind.STAYS, CueKind.KEEPS})),
                }
                result.append(GoneEverywhere(lines, values))
    return result


def _lines_like(quote: str, original: Lines) -> tuple[int, ...]:
    """The lines that a quote is, else those that it begins; with dots for what it leaves out."""
    key = "".join(quote.split()).rstrip(",;")
    parts = DOTS.split(key)
    if len(key) < MIN_KEY or not any(one.isalnum() for one in key):
        return ()
    if len(parts) == 1:
        same = tuple(line for line, theirs in enumerate(original.keys) if theirs.rstrip(",;") == key)
        if same:
            return same
    held = re.compile(".*".join(map(re.escape, parts)))
    begun = (line for line, theirs in enumerate(original.keys) if parts[0][:3] == theirs[: len(parts[0][:3])])
    return tuple(at for line in begun if held.match(original.keys[line]) for at in _statement(line, original))


def _statement(line: int, original: Lines) -> range:
    return range(line, line + max(1, original.statement_span(line)))
