"""Finds where else changes are to be made: `each of the three`, `in both` may be shown once.

The same change is made where the original has the lines again that it replaces, or stands between; everywhere, or in
the declarations that the words name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.syntax.model import Outline

# said: the words speak of several places; part: only what some snippets change is made elsewhere; count: it is made in
# as many places as the words say; named: the share of the other places that stand in what the words name; unnamed: of
# those that don't, where they name some; like: it is also made where lines are only like those it replaces; fits: the
# share of places where all that the snippet shows beside what it changes stands too, so that it would be read the same
# there; outside: the words name the declarations of other places, but none that holds what is shown; miscounted: it is
# made in another number of places than the words say.
REPEATED = ("said", "part", "count", "named", "unnamed", "like", "fits", "outside", "miscounted")
MIN_TELLING = 6  # characters of what is changed
MIN_TELLING_ALONE = 12  # of one line beside new ones
MAX_BESIDE = 8  # lines on either side
MAX_MEANT = 4  # declarations of a name
MAX_REPEATED = 20
MIN_LIKE = 72.0  # percent
MAX_LIKE_LINES = 4
MAX_WAYS = 6
_SAID = re.compile(
    r"\b(?:each|every(?:where)?|all|both|throughout|same|twice|likewise|two|three|four|five|six|seven|eight|"
    r"jede\w*|alle[ns]?|beide\w*|überall|gleich\w*|zwei|drei|vier|cada|tod[oa]s|amb[oa]s|mism\w+|dos|tres|cuatro|"
    r"chaque|tous|toutes|deux|trois|quatre|partout|même\w*|ogni|tutt[ie]|entramb\w+|stess\w+|ovunque|due|tre|quattro|"
    r"mesm\w+|dois|duas|três|quatro|кажд\w+|все\w*|оба|обе|двух|тр[иё]х|wszystki\w+|każd\w+|oba|obie|dwa|trzy|elke|twee|drie)\b"
    r"|每|所有|都|全部|两处|两个|三处|すべて|全て|両方|それぞれ|모든|각각|둘 다",
    re.IGNORECASE,
)
_COUNTS = {
    2: "two both twice zwei beide beiden dos ambos ambas deux due entrambi dois duas dwa oba obie twee два обе оба",
    3: "three thrice drei tres trois tre três trzy drie три",
    4: "four vier cuatro quatre quattro quatro cztery четыре",
    5: "five fünf cinco cinq cinque vijf пять",
    6: "six sechs seis sei zes шесть",
    7: "seven sieben siete sept sette",
    8: "eight acht ocho huit otto",
}
_COUNT_OF = {word: count for count, words in _COUNTS.items() for word in words.split()}
_NUMBER = re.compile(r"\b([2-9]|1\d)\s?(?:x|×|places|times|spots|mal|Stellen)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
# "in `a` as well as in `b`" are two places, "all three overloads and the function" one more than the number.
_AS_WELL = re.compile(r"\bas well as (?:in|for|at|on|to)\b", re.IGNORECASE)
_AND_ONE = re.compile(
    r"\b(?P<number>two|three|four|five|six|seven|eight) (?:\w+ )?\w+,? and (?:(?:in|for|at|of|on|to) )?(?:the|its)\b",
    re.IGNORECASE,
)
_CODE_NAME = re.compile(r"`([^`\n]+)`|\b(\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b")
# Where a change is that is made elsewhere too, and what is made there.
PlaceMade = tuple[int, Change]
# name → the lines [start, end) of its declarations
Declared = dict[str, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Words:
    """The words that may tell where else lines go, and the keys of what is shown below them.

    is_part: they speak of these lines only, not of the other snippets' too.
    """

    text: str
    keys: frozenset[str] = frozenset()
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Repetition:
    """Changes, those that are made elsewhere too among them, and what speaks for that; see `REPEATED`."""

    changes: list[Change]
    values: dict[str, float]


def says_everywhere(words: str) -> bool:
    """Whether words speak of several places."""
    return _SAID.search(words) is not None or _AS_WELL.search(words) is not None


def repetitions(
    changes: Sequence[Change], original: Lines, told: Sequence[Words], declared: Declared
) -> list[Repetition]:
    """The ways to make changes in other places too, each once. told: whose words to follow, for which lines."""
    found: dict[tuple[tuple[int, int], ...], Repetition] = {}
    for words in told:
        mine = [one for one in changes if not words.is_part or _is_of(one, words.keys)]
        if not mine:
            continue
        named = _scopes(words.text, declared)
        scopes = [one for one in named if not _holds(one, mine)]
        is_outside = not any(_holds(one, mine) for one in named)
        counts = told_counts(words.text)
        is_said = says_everywhere(words.text)
        for places, is_like in _places(mine, original, scopes, words.keys, is_said=is_said):
            if not places:
                continue
            made = sorted((*changes, *(one for _, one in places)), key=lambda one: (one[0], one[1]))
            inside = sum(_is_inside(place, scopes) for place in places) / len(places)
            is_counted = _is_counted(counts, len(mine), places)
            values = {
                "said": float(is_said),
                "part": float(words.is_part),
                "count": float(is_counted),
                "named": inside,
                "unnamed": (1 - inside) if scopes else 0.0,
                "like": float(is_like),
                "fits": sum(_fits(one, mine, original, words.keys) for one in places) / len(places),
                "outside": float(is_outside and inside > 0),
                "miscounted": float(bool(counts) and not is_counted),
            }
            key = tuple((start, end) for start, end, _ in made)
            if key not in found or _strength(found[key]) < _strength(Repetition(made, values)):
                found[key] = Repetition(made, values)
    return list(found.values())[:MAX_WAYS]


def _is_inside(place: PlaceMade, scopes: Sequence[tuple[int, int]]) -> bool:
    """Whether a place stands in one of the declarations, and the change that is made there too doesn't."""
    source, (at, _, _) = place
    return any(start <= at < end and not start <= source < end for start, end in scopes)


def _strength(one: Repetition) -> float:
    return one.values["said"] + one.values["count"] + one.values["named"] - one.values["part"]


def _is_of(change: Change, keys: frozenset[str]) -> bool:
    """Whether a change writes lines of a snippet, or only deletes what stands beside them."""
    if not change[2]:
        return True
    new = [key for line in change[2] if (key := "".join(line.split()))]
    return bool(new) and sum(key in keys for key in new) * 2 > len(new)


def told_counts(words: str) -> set[int]:
    """The numbers of places that words may tell."""
    told = {_COUNT_OF[word] for one in _WORD.findall(words) if (word := one.lower()) in _COUNT_OF}
    told |= {_COUNT_OF[found["number"].lower()] + 1 for found in _AND_ONE.finditer(words)}
    if _AS_WELL.search(words):
        told.add(2)
    return told | {int(number) for number in _NUMBER.findall(words)}


def _is_counted(told: set[int], num_changes: int, places: Sequence[PlaceMade]) -> bool:
    """Whether words tell in how many places changes are made, counting the ones that are shown: all, or each alone."""
    if len(places) % num_changes == 0 and 1 + len(places) // num_changes in told:
        return True
    nums_more = Counter(source for source, _ in places)
    return len(nums_more) > 1 and all(1 + number in told for number in nums_more.values())


def _scopes(words: str, declared: Declared) -> list[tuple[int, int]]:
    """The declarations that words name; of names that too many have, none."""
    names = {(quoted or plain).strip().removesuffix("()") for quoted, plain in _CODE_NAME.findall(words)}
    meant = [declared.get(name.split(".")[-1], declared.get(name, [])) for name in names]
    return sorted({one for scopes in meant if len(scopes) <= MAX_MEANT for one in scopes})


def _holds(scope: tuple[int, int], changes: Sequence[Change]) -> bool:
    """Whether a declaration holds all changes."""
    return scope[0] <= min(start for start, _, _ in changes) and max(end for _, end, _ in changes) <= scope[1]


def _fits(place: PlaceMade, changes: Sequence[Change], original: Lines, shown: frozenset[str]) -> bool:
    """Whether the lines that a snippet shows beside a change stand beside another place too. shown: their keys."""
    source, (at, end, _) = place
    source_end = next(one[1] for one in changes if one[0] == source)
    keys = original.keys
    if not shown:
        return False
    for line, other, step in ((source - 1, at - 1, -1), (source_end, end, 1)):
        for beside in range(MAX_BESIDE):
            mine, theirs = line + step * beside, other + step * beside
            if not 0 <= mine < len(keys) or keys[mine] not in shown:
                break
            if not 0 <= theirs < len(keys) or keys[mine] != keys[theirs]:
                return False
    return True


def _places(
    changes: Sequence[Change],
    original: Lines,
    scopes: Sequence[tuple[int, int]],
    shown: frozenset[str],
    *,
    is_said: bool,
) -> Iterator[tuple[list[PlaceMade], bool]]:
    """Yields the same changes for other places: all, those in declarations, those and the ones that are alike there.

    is_said: words speak of several places; so less that is shown may tell them.
    """
    everywhere = _equal_places(changes, original, shown)
    yield everywhere, False
    if is_said:
        wider = _equal_places(changes, original, shown, is_wide=True)
        if len(wider) > len(everywhere):
            yield wider, False
            everywhere = wider
    if not scopes:
        return
    inside = [place for place in everywhere if _is_inside(place, scopes)]
    if len(inside) < len(everywhere):
        yield inside, False
    if len(changes) == 1:
        rest = [scope for scope in scopes if not any(scope[0] <= at < scope[1] for _, (at, _, _) in inside)]
        like = [(changes[0][0], one) for scope in rest for one in _like_places(changes[0], original, scope)]
        if like:
            yield [*inside, *like], True


def _equal_places(
    changes: Sequence[Change], original: Lines, shown: frozenset[str], *, is_wide: bool = False
) -> list[PlaceMade]:
    """The changes, made where the original has the lines that they replace, or stand between, again.

    Where these lines stand at another column there, so do the new ones. is_wide: what is only deleted is looked for
    too, and new lines of which the snippet shows what they stand between on one side alone.
    """
    more: list[PlaceMade] = []
    taken = {line for start, end, _ in changes for line in range(start, end)}
    filled = {start for start, end, _ in changes if start == end}
    keys = original.keys
    for start, end, new in changes:
        first, last = (start, end) if start < end else _shown_around(start, keys, shown, is_wide=is_wide)
        block = keys[first:last]
        if not (new or is_wide) or sum(map(len, block)) < MIN_TELLING:
            continue
        telling = max(range(len(block)), key=lambda at: len(block[at]))  # a blank line tells nothing
        starts = (at - telling for at in original.places.get(block[telling], ()))
        found = [at for at in starts if at != first and at >= 0 and keys[at : at + len(block)] == block]
        if len(found) >= MAX_REPEATED:
            continue
        for place in found:
            at = place + start - first
            size = end - start
            # Nothing is written in the midst of lines that go.
            is_within = {at - 1, at} <= taken if size == 0 else not filled.isdisjoint(range(at + 1, at + size))
            if not is_within and not taken.intersection(range(at, at + size)):
                filled.update({at} if size == 0 else ())
                taken.update(range(at, at + size))
                moved = _moved(new, original.texts[first + telling], original.texts[place + telling])
                more.append((start, (at, at + size, moved)))
    return more


def _shown_around(at: int, keys: Sequence[str], shown: frozenset[str], *, is_wide: bool = False) -> tuple[int, int]:
    """The lines [first, last) around new ones that a snippet shows beside them; none where it shows none of a side.

    is_wide: the line of one side is enough where it tells enough.
    """
    first = at - 1 if at > 0 and keys[at - 1] and keys[at - 1] in shown else at
    last = at + 1 if at < len(keys) and keys[at] and keys[at] in shown else at
    is_told = first < at < last or (is_wide and sum(map(len, keys[first:last])) >= MIN_TELLING_ALONE)
    return (first, last) if is_told else (at, at)


def _like_places(change: Change, original: Lines, scope: tuple[int, int]) -> Iterator[Change]:
    """Yields a change for the lines of a declaration that are most alike those that it replaces."""
    start, end, new = change
    size = end - start
    block = "\n".join(original.stripped[start:end])
    if not new or not 0 < size <= MAX_LIKE_LINES or len(block) < MIN_TELLING:
        return
    ratios = {
        at: fuzz.ratio(block, "\n".join(original.stripped[at : at + size]))
        for at in range(scope[0], scope[1] - size + 1)
        if original.keys[at] and (at + size <= start or at >= end)
    }
    best = max(ratios, key=lambda at: ratios[at], default=None)
    if best is not None and ratios[best] >= MIN_LIKE:
        yield best, best + size, _moved(new, original.texts[start], original.texts[best])


def _moved(new: Sequence[str], from_line: str, to_line: str) -> list[str]:
    """The lines at the indentation of another line than the one they were written for."""
    before, behind = (line[: len(line) - len(line.lstrip())] for line in (from_line, to_line))
    if before == behind:
        return list(new)
    return [behind + line[len(before) :] if line.startswith(before) and line.strip() else line for line in new]


def declared_in(found: Outline) -> Declared:
    """Each name that is declared, whole and without what it is in → the lines [start, end) of its declarations."""
    result: dict[str, list[tuple[int, int]]] = {}
    for one in found.declarations:
        if one.name and one.kind != "import":
            for name in {one.name, re.split(r"[.:\s]+", one.name)[-1]}:
                result.setdefault(name.strip("\"'"), []).append((one.start_line, one.end_line))
    return result
