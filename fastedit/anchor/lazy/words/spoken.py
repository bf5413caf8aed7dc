"""Finds what sentences mean that say that something goes, where their grammar doesn't tell.

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

from fastedit.anchor.cues import CueKind, cue_at
from fastedit.anchor.hints import is_path, name_of, sentences_of, speaks_of_imports
from fastedit.anchor.lazy.identity import is_named as imports_just
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.anchor.lazy.words.compound import BRANCHES, CONTROL, branch_at, compound_at, control_word, unit_at
from fastedit.anchor.lazy.words.repeated import Declared
from fastedit.anchor.lazy.words.shapes import shapes_at, shapes_said
from fastedit.anchor.lazy.words.spans import begun, counted_spans, dotted_spans, spans_in
from fastedit.patterns import pattern

# any: a unit that a word of a sentence about going may mean. by_quote: the word is quoted. near: 1 beside the word for
# going, down to 0. strong: that is one of `CUES`, which say nothing else. place: the word follows one for a place.
# named: the unit's head has that name; told: the word is the whole head; held: the head only has the word. stays: the
# sentence also says that something stays. others: the logarithm of how many units the word could mean. block: the unit
# has several lines. before: the word stands before the one for going. share: how much of the line the word is. scoped:
# the unit stands in, or above, a declaration that the sentence names; unscoped: it doesn't, though it names some. span:
# the sentence names the first and the last of its lines: "everything from `a` to the end of `b`". shape: the unit is
# of a kind that the sentence names, as a section or a row. leads: the unit begins with the word. shown: a snippet shows
# how it begins. noted: a note in a snippet says so, not the words around it. import: the unit is an import, and the
# sentence speaks of imports. excepted: the sentence says that all but this goes.
SPOKEN = (
    "any", "by_quote", "near", "strong", "place", "named", "told", "held", "stays", "others", "block", "before",
    "share", "scoped", "unscoped", "span", "shape", "leads", "shown", "noted", "import", "excepted",
)  # fmt: skip
_GOING = (CueKind.GOES, CueKind.REMOVED, CueKind.REMOVES)
_SIGNS = "-*+•|>#[]`\"'_:. \t"
MAX_UNITS = 4  # that a word may mean
MAX_WORDS = 72  # of a sentence
MAX_SAME_CONTROL = 2  # statements with a control word, of which it may mean each
NEAR = 12  # words
MIN_WORD = 3
MIN_HELD = 5  # characters of a quote that is looked for inside of lines
_TOKEN = pattern(r"`([^`\n]+)`|[\"“„]([^\"“”„\n]{2,})[\"”“]|([\w$@.*#:/-]*[\w*])")
_WEAK = pattern(
    r"\b(?:out|kill\w*|leaves?|no|without|unneeded|needed|unused|obsolete|history|dead|instead|replac\w+|strip\w*|take[sn]?|done|swap\w*"
    r"|in place of|gives? way|stands? in|becom(?:e|es)|leftovers?|merge[sd]?|nor|down to|shrinks?|have to go|has to go"
    r"|took|cuts?|away|loses?|neither|nothing|clean\w*|minus|rid|pop(?:ped)?|plus de|sans|ohne|statt|sin|senza|sem|без"
    r"|不再|没有|去掉|删|移除|削除|不要|제거|삭제)\b|去掉|删|移除|削除|不要|제거|삭제",
    re.IGNORECASE,
)
_BLANK_STAYS = pattern(
    r"\b(?:blank|empty) lines?\b[^,.;]{0,16}?\b(?:stays?|remains?|is kept|is left)\b"
    r"|\b(?:stays?|remains?|keeps?|leav\w+)\b[^,.;]{0,16}?\b(?:blank|empty) lines?\b",
    re.IGNORECASE,
)
_DELETIONS = pattern(r"\b(?:deletions?|removals?|clean-?ups?|löschungen|suppressions?|eliminaciones)\b", re.IGNORECASE)
_PLAIN = pattern(r"[\w$.]*(?:\(\))?$")
_SAME = pattern(
    r"^\W*(?:(?:and|so|the|und|y|et|e)\s+)*(?:same|likewise|ditto|neither|nor|also|equally|(?:as|so) (?:is|are|do|does)"
    r"|ebenso|genauso|dasselbe|gleiches|auch|ídem|idem|lo mismo|también|de même|pareil|lo stesso|anche|o mesmo)\b",
    re.IGNORECASE,
)
_PLACE = pattern(
    r"\b(?:in|from|of|to|into|at|on|above|below|before|after|between|behind|beside|inside|under|over|within|im|in der"
    r"|aus|von|vor|nach|dans|de|du|à|en|del|na|do|из|в)\s+(?:the\s+|its\s+|both\s+|all\s+)?$",
    re.IGNORECASE,
)
_EXCEPTED = pattern(
    r"\b(?:everything|all|alles|tout|todo|tutto|tudo)\b[^,.;:]{0,40}?"
    r"\b(?:but|except|apart from|other than|save|bis auf|außer|sauf|menos|salvo|excepto|tranne|exceto)\b[^.;:]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """Lines [start, end) of the original that could go, and what speaks for that; see `SPOKEN`.

    name: of the declaration that they are; word: of the sentence that means them.
    """

    start: int
    end: int
    name: str
    values: dict[str, float]
    word: str = ""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence about going. text: without quotes' signs. shapes: see `shapes_said`."""

    text: str
    values: dict[str, float]
    shapes: frozenset[str] = frozenset()


def spoken_units(prose: str, original: Lines, declared: Declared) -> list[Unit]:
    """The units of the original that the words may say are gone, each once, with its best reason."""
    best: dict[tuple[int, int], Unit] = {}
    for unit in _spans(prose, original, declared):
        best[unit.start, unit.end] = unit
    for words in _told_words(prose):
        named = _named(words, original, declared)
        for number, word in enumerate(words):
            scopes = [one for text, one in named if text != word.text]
            if word.values["by_quote"] and word.text in CONTROL:
                units = _controlled(number, words, original, declared)
            else:
                units = _units_of(word, original, declared, scopes)
            for unit in units:
                key = unit.start, unit.end
                if key not in best or _strength(best[key]) < _strength(unit):
                    best[key] = unit
    return sorted(best.values(), key=lambda unit: -_strength(unit))


def _spans(prose: str, original: Lines, declared: Declared) -> Iterator[Unit]:
    """Yields the lines between two that a sentence about going names."""
    for sentence, _ in sentences_of(prose):
        if not speaks_of_going(sentence, goes_on=False):
            continue
        values = dict.fromkeys(SPOKEN, 0.0) | {"any": 1.0, "by_quote": 1.0, "block": 1.0, "span": 1.0}
        for lines, count in spans_in(sentence, original, declared):
            yield Unit(lines.start, lines.stop, "", {**values, "others": math.log(count)})
        strong = float(bool(speaking_of_going((sentence,))))
        for lines, count in counted_spans(sentence, original):
            yield Unit(lines.start, lines.stop, "", {**values, "others": math.log(count), "strong": strong})


@lru_cache(maxsize=64)
def speaking_of_going(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the notes that say that something goes, in words that say nothing else."""
    return tuple(note for note in notes if any(token[1] in _GOING for token in _cues(_masked(note))))


def noted_units(notes: Sequence[str], original: Lines, declared: Declared) -> list[Unit]:
    """The units of the original that notes in a snippet may say are gone."""
    found = spoken_units("\n\n".join(notes), original, declared)
    return [Unit(one.start, one.end, one.name, {**one.values, "noted": 1.0}, one.word) for one in found]


def likeliest_of(word: str, units: Sequence[Unit]) -> list[Unit]:
    """Those of the units that a quote means most likely: declarations and whole lines before those that hold it."""
    own = [unit for unit in units if unit.word == word and not unit.values["place"] and not unit.values["excepted"]]
    for wanted in ("told", "named", "leads", "held"):
        found = [unit for unit in own if unit.values[wanted]]
        if found:
            return [unit for unit in found if unit.values["scoped"]] or found
    return []


def end_of_unit(name: str, original: Lines, declared: Declared, *, is_quoted: bool) -> int:
    """The line behind what a name, or how it begins, stands for; 0 where that isn't told.

    is_quoted: a word that isn't must be a whole name, or all of an entry's value.
    """
    ranges = declared.get(name_of(name) or name, ())
    if len(ranges) == 1:
        return min(ranges[0][1], len(original))
    if is_quoted:
        lines = begun(name, original)
    else:
        valued = re.compile(rf"[\s:=/\[]\W*{re.escape(name)}[\"',;\]]*$")
        lines = [
            line
            for line, how in _lines_with(name, original)
            if how == "named" or valued.search(original.stripped[line])
        ]
    return unit_at(lines[-1], original)[1] if lines else 0


def cues_of(sentence: str) -> list[tuple[int, CueKind]]:
    """The words of `CUES` in a sentence, each with where it begins; what is quoted doesn't count."""
    return list(_cues(_masked(sentence)))


def _strength(unit: Unit) -> float:
    """A rough order of units, of which only the first are tried; what they are worth is for the weights to say."""
    v = unit.values
    if v.get("span"):
        return math.inf
    known = v["named"] + v["told"] + v["scoped"] + v["share"] + v["shape"] + v["leads"] - v["unscoped"]
    return 2 * v["by_quote"] + 2 * v["strong"] + v["near"] + known - 2 * v["place"] - v["others"]


@lru_cache(maxsize=8)
def _told_words(prose: str) -> tuple[tuple[_Word, ...], ...]:
    """The words of each sentence that speaks of going."""
    result: list[tuple[_Word, ...]] = []
    goes_on = is_announced = False  # the sentence before speaks of going; it says that the items of a list go
    for sentence, is_item in sentences_of(prose):
        words = tuple(_words_of(sentence, goes_on=goes_on, is_announced=is_announced and is_item))
        goes_on = bool(words)
        is_announced = (is_announced and is_item) or _announces(sentence)
        if words:
            result.append(words)
    return tuple(result)


def speaks_of_going(sentence: str, *, goes_on: bool) -> bool:
    """Whether a sentence has a word for going. goes_on: the one before it has, and this one may say "same for `b`"."""
    masked = _masked(sentence)
    return any(_words_for_going(masked, list(_cues(masked)), goes_on=goes_on))


def _masked(sentence: str) -> str:
    return re.sub(r"`[^`\n]+`", lambda one: "`" * len(one.group()), sentence)


def _announces(sentence: str) -> bool:
    """Whether a sentence says that the items of the list behind it go: "Only deletions here:"."""
    is_open = sentence.rstrip().endswith((":", "："))
    return is_open and (bool(speaking_of_going((sentence,))) or _DELETIONS.search(sentence) is not None)


def _words_for_going(masked: str, cues: Sequence[tuple[int, CueKind]], *, goes_on: bool) -> tuple[list[int], list[int]]:
    """The places of the words for going in a sentence: those that say nothing else, and those that may."""
    strong = [at for at, kind in cues if kind in _GOING]
    weak = [one.start() for one in _WEAK.finditer(masked)]
    same = _SAME.match(masked) if goes_on and not strong and not weak else None
    return strong, [same.start()] if same is not None else weak


def _words_of(sentence: str, *, goes_on: bool = False, is_announced: bool = False) -> Iterator[_Word]:
    """Yields the words of a sentence, with what it says of them; none where it has no word for going.

    goes_on: "same for `b`" says of it what the sentence before says. is_announced: it is in a list of what goes.
    """
    masked = _BLANK_STAYS.sub(lambda one: " " * len(one.group()), _masked(sentence))
    cues = list(_cues(masked))
    strong, weak = _words_for_going(masked, cues, goes_on=goes_on)
    if is_announced and not strong:
        strong = [0]
    if not strong and not weak:
        return
    shapes = shapes_said(masked)
    imports = speaks_of_imports(masked)
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
                "import": float(imports),
                "excepted": float(_EXCEPTED.search(masked[: found.start()]) is not None),
            },
            shapes,
        )


def _cues(masked: str) -> Iterator[tuple[int, CueKind]]:
    """Yields the words of `CUES` in a sentence whose quotes are masked, each with where it begins."""
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


def _named(words: Sequence[_Word], original: Lines, declared: Declared) -> list[tuple[str, tuple[int, int]]]:
    """The declarations that the words of a sentence name, with the comments and annotations above them."""
    result = []
    for word in words:
        for start, end in declared.get(word.text.removesuffix("()"), ()):
            while start and original.keys[start - 1] and original.columns[start - 1] >= original.columns[start]:
                start -= 1
            result.append((word.text, (start, end)))
    return result


def _controlled(number: int, words: Sequence[_Word], original: Lines, declared: Declared) -> Iterator[Unit]:
    """Yields the statements that a control word means: around or right behind what the sentence names, else all."""
    word = words[number]
    if number and words[number - 1].text in CONTROL and word.text in BRANCHES:
        return  # `try`/`except`: the first tells all
    heads = [line for line in range(len(original)) if control_word(original.stripped[line]) == word.text]
    if not heads:
        return
    named: list[tuple[int, int]] = []
    for other in words:
        if other.text in CONTROL or not (other.values["by_quote"] or other.text in declared):
            continue
        places = [(at, end) for at, end in declared.get(name_of(other.text) or other.text, ())]
        lines = [] if places else [line for line, _, _ in _lines_of(other, name_of(other.text), original)]
        named += places or ([unit_at(line, original) for line in lines] if len(lines) <= MAX_UNITS else [])
    found: dict[range, bool] = {}
    whole = {line: compound_at(line, original) for line in heads}
    for start, end in named:
        around = [line for line in heads if line <= start and end <= whole[line].stop]
        behind = [line for line in heads if original.beside(start, end)[1] == line]
        found |= dict.fromkeys([whole[line] for line in (*around[-1:], *behind)], True)
    if not found and len(heads) <= MAX_SAME_CONTROL:
        found = dict.fromkeys((whole[line] for line in heads), False)
    for own, is_scoped in found.items():
        if own and len(found) <= MAX_UNITS:
            values = dict.fromkeys(SPOKEN, 0.0) | word.values | {"any": 1.0, "block": 1.0, "leads": 1.0, "held": 1.0}
            values |= {"others": math.log(len(found)), "scoped": float(is_scoped), "import": 0.0}
            yield Unit(own.start, own.stop, "", values, word.text)


def _units_of(word: _Word, original: Lines, declared: Declared, scopes: Sequence[tuple[int, int]]) -> Iterator[Unit]:
    """Yields the units that a word may mean."""
    name = name_of(word.text) or word.text.strip("`'\"*:,;()")
    units: dict[tuple[int, int], tuple[str, float]] = {}
    for start, end in declared.get(name, ()):
        units[start, min(end, len(original))] = "named", 1.0
    shaped: dict[tuple[int, int], tuple[str, float]] = {}
    spans = dotted_spans(word.text, original) if word.values["by_quote"] else []
    branches: dict[tuple[int, int], tuple[str, float]] = {}
    for line, how, share in _lines_of(word, name, original):
        for shape in shapes_at(line, original, word.shapes):
            shaped[shape] = how, share
        if not any(start <= line < end for start, end in units):
            units[unit_at(line, original)] = how, share
            branch = branch_at(line, original)
            if branch:
                branches[branch.start, branch.stop] = how, share
    if len(units) > MAX_UNITS:
        units = {}
    units |= shaped | {(lines.start, lines.stop): ("held", 1.0) for lines in spans}
    if not units or len(units) > MAX_UNITS:
        return
    count = len(units)
    for (start, end), (how, share) in (branches | units).items():
        values = {"any": 1.0, "named": 0.0, "told": 0.0, "held": 0.0, **word.values, "share": share}
        values[how] = 1.0
        is_span = range(start, end) in spans
        values |= {"others": math.log(len(spans) if is_span else count), "span": float(is_span)}
        values["block"] = float(end - start > 1)
        inside = any(first <= start and end <= last and end - start < last - first for first, last in scopes)
        is_compound = bool(scopes) and end - start > 1 and bool(control_word(original.stripped[start]))
        inside = inside or (is_compound and any(start <= first and last <= end for first, last in scopes))
        values |= {"scoped": float(inside), "unscoped": float(bool(scopes) and not inside)}
        identity = original.identity(start)
        values["import"] *= float(identity is not None and identity.kind == "import")
        head = original.stripped[start].lstrip(_SIGNS)
        values["leads"] = float(head.startswith(name) and not head[len(name) : len(name) + 1].isalnum())
        values["shape"] = float((start, end) in shaped)
        yield Unit(start, end, name if how == "named" else "", values, word.text)


def _lines_of(word: _Word, name: str, original: Lines) -> Iterator[tuple[int, str, float]]:
    """Yields the lines that a word names, with how ("named", "told" or "held"), and how much of the line it is."""
    key = "".join(word.text.split()).strip(",;")
    whole = original.places.get(key) or original.places.get(f"{key},") or original.places.get(f"{key};")
    if whole:
        yield from ((line, "told", 1.0) for line in whole)
        return
    parts = [part for part in DOTS.split(key) if part]
    length = sum(map(len, parts))
    if word.values["by_quote"] and length >= MIN_HELD and (len(parts) > 1 or not _PLAIN.match(key)):
        held = re.compile(".*".join(map(re.escape, parts)))
        holding = [line for line, theirs in enumerate(original.keys) if parts[0] in theirs]
        lines = [line for line in holding if held.search(original.keys[line])]
        if len(parts) > 1 and parts[0][-1] in "([{":  # what is left out may stand on lines of its own
            lines = lines or [line for line in holding if original.keys[line].startswith(parts[0])]
        if lines:
            yield from ((line, "held", length / len(original.keys[line])) for line in lines[: MAX_UNITS + 1])
            return
    for line, how in _lines_with(name, original):
        yield line, how, len(name) / len(original.keys[line])


def _lines_with(name: str, original: Lines) -> Iterator[tuple[int, str]]:
    """Yields the lines that have a name as a word: those that are about it, else all."""
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
        is_named = is_named or (identity is not None and identity.kind == "import" and imports_just(name, stripped))
        found.append((line, "named" if is_named else "held"))
        if len(found) > 40:
            return
    named = [one for one in found if one[1] == "named"]
    yield from named or found
