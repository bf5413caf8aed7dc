"""Finds what sentences mean that say that something goes or changes, where their grammar doesn't tell.

`hints.py` reads clauses and is sure of few. Here a sentence that holds any word for going names what could go by all of
its words: quotes, names, numbers. What the original has under such a word is a candidate, and what speaks for it are
weighed facts: how near the word is to the one for going, whether it names a place, how many lines there are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from fastedit.anchor.cues import CueKind, cue_at
from fastedit.anchor.hints import is_path, name_of, sentences_of
from fastedit.anchor.lazy.lines import CLOSER, WORD, Lines, identity_of
from fastedit.anchor.lazy.shown import Shown
from fastedit.patterns import pattern
from fastedit.syntax.model import Outline

# any: a unit that a word of a sentence about going may mean. by_quote: the word is quoted. near: 1 beside the word for
# going, down to 0. strong: that is one of `cues.py`, which say nothing else. place: the word follows one for a place.
# named: the unit's head has that name; told: the word is the whole head; held: the head only has the word. stays: the
# sentence also says that something stays. others: the logarithm of how many units the word could mean. block: the unit
# has several lines. before: the word stands before the one for going. comments: those above it go with it.
SPOKEN = (
    "any", "by_quote", "near", "strong", "place", "named", "told", "held", "stays", "others", "block", "before",
    "comments",
)  # fmt: skip
# rename: one quote stands for another from now on, wherever it is; rename_places: the logarithm of their number;
# rename_shown: the snippets have the new one. line: a quote is a line that the original has with another value;
# line_among: as many other lines could be meant; line_like: how alike the two are; line_shown: a snippet shows it;
# line_gone: the words say that it is gone; line_entry: it is an item of a list with the same first word.
CHANGED = (
    "rename", "rename_places", "rename_shown", "line", "line_among", "line_like", "line_shown", "line_gone",
    "line_entry",
)  # fmt: skip
MAX_UNITS = 4  # that a word may mean
MAX_RENAMED = 12  # lines
MAX_CHANGES = 6
MAX_WORDS = 72  # of a sentence
NEAR = 12  # words
MIN_WORD = 3
_FIRST = pattern(r"[A-Za-z@][\w@./-]{2,}")
_TOKEN = pattern(r"`([^`\n]+)`|[\"“„]([^\"“”„\n]{2,})[\"”“]|([\w$@.*#:/-]*[\w*])")
_WEAK = pattern(
    r"\b(?:out|kill\w*|leaves?|no|without|unneeded|needed|unused|obsolete|history|dead|instead|replac\w+|strip\w*|take[sn]?"
    r"|took|cuts?|away|loses?|neither|nothing|clean\w*|minus|rid|pop(?:ped)?|plus de|sans|ohne|statt|sin|senza|sem|без"
    r"|不再|没有|去掉|删|移除|削除|不要|제거|삭제)\b|去掉|删|移除|削除|不要|제거|삭제",
    re.IGNORECASE,
)
_PLACE = pattern(
    r"\b(?:in|from|of|to|into|at|on|above|below|before|after|between|behind|beside|inside|under|over|within|im|in der"
    r"|aus|von|vor|nach|dans|de|du|à|en|del|na|no|do|из|в)\s+(?:the\s+|its\s+|both\s+|all\s+)?$",
    re.IGNORECASE,
)
_TABLE = pattern(r"^\[{1,2}[^\]]+\]{1,2}\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Unit:
    """Lines [start, end) of the original that could go, and what speaks for that; see `SPOKEN`."""

    start: int
    end: int
    name: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence about going. text: without quotes' signs."""

    text: str
    values: dict[str, float]


def spoken_units(prose: str, original: Lines, found: Outline) -> list[Unit]:
    """The units of the original that the words may say are gone, each once, with its best reason."""
    declared = _declared(found)
    best: dict[tuple[int, int], Unit] = {}
    for words in _told_words(prose):
        for word in words:
            for unit in _units_of(word, original, found, declared):
                key = unit.start, unit.end
                if key not in best or _strength(best[key]) < _strength(unit):
                    best[key] = unit
    return sorted(best.values(), key=lambda unit: -_strength(unit))


@dataclass(frozen=True, slots=True)
class Rewording:
    """Lines of the original that would become others, (line, text), and what speaks for that; see `CHANGED`."""

    lines: tuple[tuple[int, str], ...]
    values: dict[str, float]


def spoken_changes(shown: Shown, original: Lines) -> list[Rewording]:
    """The changes that the prose quotes without showing them in a snippet: `a` becomes `b`, `timeout = 30`."""
    found = [*_renamings(shown, original), *_quoted_lines(shown, original)]
    return found[:MAX_CHANGES]


def _renamings(shown: Shown, original: Lines) -> Iterator[Rewording]:
    """Yields for each pair of quotes, one for the other, all lines with the new one."""
    for old, new in shown.renamed:
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
        yield Rewording(
            changed, {"rename": 1.0, "rename_places": math.log(len(lines)), "rename_shown": float(is_shown)}
        )


def _quoted_lines(shown: Shown, original: Lines) -> Iterator[Rewording]:
    """Yields for each quote that assigns, keys or declares what a line does otherwise that line as it is quoted."""
    for quote in shown.quotes:
        identity = identity_of(quote)
        key = "".join(quote.split()).rstrip(",;")
        if identity is None or identity.kind not in ("assign", "key", "decl", "import", "case", "entry"):
            continue
        about = _entries(identity.name, original) if identity.kind == "entry" else original.identities.get(identity, ())
        lines = [line for line in about if original.keys[line].rstrip(",;") != key]
        if not 0 < len(lines) <= MAX_UNITS:
            continue
        is_shown = float(any(line.startswith(key) for line in shown.lines))
        for line in lines:
            text = original.texts[line]
            tail = text.rstrip()[-1] if text.rstrip()[-1] in ",;" and quote[-1] not in ",;{(:" else ""
            values = {
                "line": 1.0,
                "line_among": float(len(lines) - 1),
                "line_like": fuzz.ratio(quote, original.stripped[line]) / 100,
                "line_shown": is_shown,
                "line_gone": float(key in shown.gone),
                "line_entry": float(identity.kind == "entry"),
            }
            indentation = text[: len(text) - len(text.lstrip())]
            yield Rewording(((line, f"{indentation}{quote}{tail}"),), values)


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


def _strength(unit: Unit) -> float:
    """A rough order of units, of which only the first are tried; what they are worth is for the weights to say."""
    v = unit.values
    return 2 * v["by_quote"] + 2 * v["strong"] + v["near"] + v["named"] + v["told"] - 2 * v["place"] - v["others"]


@lru_cache(maxsize=8)
def _told_words(prose: str) -> tuple[tuple[_Word, ...], ...]:
    """The words of each sentence that speaks of going."""
    return tuple(words for sentence, _ in sentences_of(prose) if (words := tuple(_words_of(sentence))))


def _words_of(sentence: str) -> Iterator[_Word]:
    """Yields the words of a sentence, with what it says of them; none where it has no word for going."""
    masked = re.sub(r"`[^`\n]+`", lambda one: "`" * len(one.group()), sentence)
    cues = list(_cues(masked))
    strong = [at for at, kind in cues if kind in (CueKind.GOES, CueKind.REMOVED, CueKind.REMOVES)]
    weak = [one.start() for one in _WEAK.finditer(masked)]
    if not strong and not weak:
        return
    stays = any(kind in (CueKind.STAYS, CueKind.KEEPS, CueKind.NOT) for _, kind in cues)
    for number, found in enumerate(_TOKEN.finditer(sentence)):
        if number >= MAX_WORDS:
            return
        quoted = found[1] or found[2]
        text = (quoted or found[3]).strip()
        if not _is_telling(text, bool(quoted)):
            continue
        nearest = min((strong or weak), key=lambda at: abs(at - found.start()))
        between = masked[min(nearest, found.start()) : max(nearest, found.start())]
        yield _Word(
            text,
            {
                "by_quote": float(bool(quoted)),
                "near": max(0.0, 1 - len(between.split()) / NEAR),
                "strong": float(bool(strong)),
                "place": float(_PLACE.search(masked[: found.start()]) is not None),
                "stays": float(stays),
                "before": float(nearest > found.start()),
            },
        )


def _cues(masked: str) -> Iterator[tuple[int, CueKind]]:
    """Yields the words of `cues.py` in a sentence whose quotes are masked, each with where it begins."""
    at = 0
    while at < len(masked):
        cue = cue_at(masked, at)
        if cue is None:
            at += 1
            continue
        yield at, cue[0]
        at = max(cue[1], at + 1)


def _is_telling(text: str, is_quoted: bool) -> bool:
    """Whether a word can name code: a quote, a number, or a word that isn't only small letters."""
    if is_quoted:
        return not is_path(text) or text.startswith("@")
    if len(text) < MIN_WORD:
        return False
    return any(one.isdigit() or one.isupper() or one in "_$@.*#:/-" for one in text) or len(text) > 4


def _declared(found: Outline) -> dict[str, list[tuple[int, int]]]:
    """Each name that is declared, whole and without what it is in → the lines [start, end) of its declarations."""
    result: dict[str, list[tuple[int, int]]] = {}
    for one in found.declarations:
        if one.name and one.kind != "import":
            for name in {one.name, re.split(r"[.:\s]+", one.name)[-1]}:
                result.setdefault(name.strip("\"'"), []).append((one.start_line, one.end_line))
    return result


def _units_of(
    word: _Word, original: Lines, found: Outline, declared: dict[str, list[tuple[int, int]]]
) -> Iterator[Unit]:
    """Yields the units that a word may mean."""
    name = name_of(word.text) or word.text.strip("`'\"*:,;()")
    units: dict[tuple[int, int], str] = {}
    for start, end in declared.get(name, ()):
        units[start, min(end, len(original))] = "named"
    for line, how in _lines_of(word.text, name, original):
        if not any(start <= line < end for start, end in units):
            units[_unit_at(line, original)] = how
    if not units or len(units) > MAX_UNITS:
        return
    for (start, end), how in units.items():
        values = {"any": 1.0, "named": 0.0, "told": 0.0, "held": 0.0, **word.values}
        values[how] = 1.0
        values["others"] = math.log(len(units))
        values["block"] = float(end - start > 1)
        yield Unit(start, end, name if how == "named" else "", values)
        above = _comments_above(start, original)
        if above < start:
            yield Unit(above, end, name if how == "named" else "", {**values, "comments": 1.0})


def _comments_above(line: int, original: Lines) -> int:
    """The first of the comments right above a line, at its column; the line where there are none."""
    while line and original.is_comment(line - 1) and original.columns[line - 1] == original.columns[line]:
        line -= 1
    return line


def _lines_of(text: str, name: str, original: Lines) -> Iterator[tuple[int, str]]:
    """Yields the lines that a word names, with how: "named", "told" or "held"."""
    key = "".join(text.split()).strip(",;")
    whole = original.places.get(key) or original.places.get(f"{key},") or original.places.get(f"{key};")
    if whole:
        yield from ((line, "told") for line in whole)
        return
    found: list[tuple[int, str]] = []
    is_word = re.fullmatch(r"[A-Za-z_$][\w$]*", name) is not None
    alone = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w]|\.\w)")
    lines: Sequence[int] = original.word_places.get(name, ()) if is_word else range(len(original))
    for line in lines:
        stripped = original.stripped[line]
        if name not in stripped or alone.search(stripped) is None:
            continue
        identity = original.identity(line)
        is_named = identity is not None and name in (identity.name, re.split(r"[./\\:\s]", identity.name)[-1])
        found.append((line, "named" if is_named else "held"))
        if len(found) > 40:
            return
    named = [one for one in found if one[1] == "named"]
    yield from named or found


def _unit_at(line: int, original: Lines) -> tuple[int, int]:
    """The statement, block, table or entry that a line begins, or the line alone."""
    columns, column = original.columns, original.columns[line]
    if _TABLE.match(original.stripped[line]):
        end = line + 1
        while end < len(original) and not _TABLE.match(original.stripped[end]):
            end += 1
        while not original.keys[end - 1]:
            end -= 1
        return line, end
    end = line + 1
    while end < len(original) and (not original.keys[end] or columns[end] > column):
        end += 1
    while not original.keys[end - 1]:
        end -= 1
    if end < len(original) and end > line + 1 and columns[end] == column and CLOSER.match(original.stripped[end]):
        end += 1
    if end == line + 1 and original.identity(line) is not None:
        end = line + max(1, original.statement_span(line))
    return line, end
