"""Claims that words make of names and a result doesn't bear out: one that is to go stands there as before.

How likely a name is to go, to come or to change is told by the words around it (`words/mentions.py`), in whatever
language. "In `a` this becomes" tells which of two like places is meant; "only `a` changes" beside a snippet of `b` is a
message that nobody can follow, however well the snippet fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fastedit.anchor.hints import is_path
from fastedit.anchor.lazy.lines import WORD, Change, Lines
from fastedit.anchor.lazy.words.mentions import ROLES, Mentioned
from fastedit.syntax.model import Outline

# How likely it is, summed up over names, that the words say of one what doesn't show. gone: that it goes, and it stands
# as often as before; partly: the same, and it stands less often than before; old: that another takes its place, and it
# stands as often as before; new: that it comes, and it is nowhere; again: the same, and it stands as often as before;
# changed, inside: that its lines change, or something in its block, and nothing of that does; stays: that it stays, and
# it stands less often; stays_inside: the same, and something in its block changes; beside: that something comes above
# or below it, and nothing does; vanished: that they only refer to it, and it is nowhere any more; absent: that they say
# anything of code which neither the original nor the result has; absent_place: that something changes there.
_KINDS = (
    "gone", "partly", "old", "new", "again", "changed", "inside", "stays", "stays_inside", "beside", "vanished",
    "absent", "absent_place",
)  # fmt: skip
# elsewhere: how likely the words before a snippet ask for something in blocks by name, and the share of what the
# snippet changes that is in none of these; over all snippets. elsewhere_all: the same of all words and all changes.
CLAIMS = tuple(f"claims_{kind}" for kind in (*_KINDS, "elsewhere", "elsewhere_all"))
MIN_LETTERS = 2
MAX_SUM = 3.0
NEAR = 2  # lines from a name within which something comes beside it
MAX_BLOCKS = 6  # lines with a name that may open a block each
_SIDES = ",;:.()`'\" "
_GOING = ("gone", "old", "changed", "new")
_PLACES = ("inside", "changed", "top", "end", "after", "before")
_IN_BLOCK = ("inside", "changed", "gone", "old")


class Claims:
    """The claims of one message's words.

    found: the outline of the original. snippets: the lines of each, without white space.
    """

    def __init__(self, named: Mentioned, original: Lines, found: Outline, snippets: Sequence[Sequence[str]]) -> None:
        self._original, self._snippets = original, [frozenset(filter(None, keys)) for keys in snippets]
        known: dict[str, _Name] = {}
        self._claims: list[_Claim] = []
        for mention, chances in zip(named.mentions, named.chances.tolist(), strict=True):
            text = mention.text.strip(_SIDES)
            if len(text) >= MIN_LETTERS and not is_path(text):  # a file's name says which, not where in it
                name = known.setdefault(text, _Name(text, original, found))
                of = dict(zip(ROLES, chances, strict=True))
                self._claims.append(_Claim(name, of, mention.piece, mention.is_plain))

    def unborne(self, changes: Sequence[Change]) -> tuple[float, ...]:
        """(len(CLAIMS),): how much of it changes don't bear out. changes: lines [start, end) that become others."""
        if not self._claims or not changes:
            return (0.0,) * len(CLAIMS)
        gone = [self._original.texts[line] for start, end, _ in changes for line in range(start, end)]
        new = [text for *_, texts in changes for text in texts]
        facts: dict[str, _NameFacts] = {}
        sums = [0.0] * len(_KINDS)
        of_snippet = list(self._by_snippet(changes))
        for claim in self._claims:
            name = claim.name
            if name.text not in facts:
                facts[name.text] = name.facts(changes, gone, new)
            mine = of_snippet[claim.piece] if claim.piece < len(of_snippet) else ()
            for at, value in enumerate(_unborne(claim, facts[name.text], mine or range(len(changes)))):
                sums[at] += value
        near = sum(
            self._elsewhere([one for one in self._claims if one.piece == number], facts, mine)
            for number, mine in enumerate(of_snippet)
        )
        in_all = self._elsewhere(self._claims, facts, range(len(changes)))
        return tuple(min(MAX_SUM, value) for value in (*sums, near, in_all))

    def _by_snippet(self, changes: Sequence[Change]) -> Iterator[list[int]]:
        """Yields for each snippet the changes that write a line of it."""
        keys = [{"".join(text.split()) for text in texts} for *_, texts in changes]
        for shown in self._snippets:
            yield [number for number, own in enumerate(keys) if own & shown]

    @staticmethod
    def _elsewhere(claims: Sequence[_Claim], facts: dict[str, _NameFacts], mine: Sequence[int]) -> float:
        asked, inside = 0.0, set[int]()
        for claim in claims if mine else ():
            if claim.name.blocks:
                likely = sum(claim.of[role] for role in _IN_BLOCK)
                asked = max(asked, likely)
                if likely > claim.of["stays"]:
                    inside.update(facts[claim.name.text].inside)
        return asked * (1 - len(inside.intersection(mine)) / len(mine)) if mine else 0.0


@dataclass(frozen=True, slots=True)
class _NameFacts:
    """A name beside changes. gone, new: how many of their lines have it. inside: the changes in a block of it.

    is_beside: whether something new comes near a line that has it.
    """

    gone: int
    new: int
    inside: frozenset[int]
    is_beside: bool


class _Name:
    """A name in the original. lines: those that have it."""

    def __init__(self, text: str, original: Lines, found: Outline) -> None:
        self.text, self._original, self._found = text, original, found
        self._has = _finder(text)
        self.lines = _lines_with(text, original)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """The lines [start, end) of what it declares, imports apart; else of the blocks that lines with it open."""
        last = self.text.rpartition(".")[2]
        named = (one for one in self._found.declarations if one.name and one.kind != "import")
        declared = [(one.start_line, one.end_line) for one in named if one.name.rpartition(".")[2] == last]
        if declared or len(self.lines) > MAX_BLOCKS:
            return declared
        opened = ((line, self._end_of(line)) for line in self.lines)
        return [(line, end) for line, end in opened if end > line + 1]

    def _end_of(self, line: int) -> int:
        """The line behind the last one that is further in than a line, without a gap."""
        columns, keys = self._original.columns, self._original.keys
        end = line + 1
        for at in range(line + 1, len(keys)):
            if keys[at]:
                if columns[at] <= columns[line]:
                    break
                end = at + 1
        return end

    def facts(self, changes: Sequence[Change], gone: Sequence[str], new: Sequence[str]) -> _NameFacts:
        inside = (
            number
            for number, (start, end, _) in enumerate(changes)
            if any(_is_inside(start, end, *block) for block in self.blocks)
        )
        is_beside = any(
            texts and start - NEAR <= line < end + NEAR for line in self.lines for start, end, texts in changes
        )
        return _NameFacts(sum(map(self._has, gone)), sum(map(self._has, new)), frozenset(inside), is_beside)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A name with the chances of its roles by the words around it. piece: see `Mention`."""

    name: _Name
    of: dict[str, float]
    piece: int
    is_plain: bool


def _unborne(claim: _Claim, facts: _NameFacts, mine: Sequence[int]) -> tuple[float, ...]:
    """The chances of `_KINDS`. mine: the changes that the snippet behind the claim makes."""
    of, before = claim.of, len(claim.name.lines)
    after = before - facts.gone + facts.new
    is_inside = not facts.inside.isdisjoint(mine)
    is_touched = is_inside or (not claim.name.blocks and bool(facts.gone or facts.new or facts.is_beside))
    is_absent = not before and after <= 0 and not claim.is_plain
    return (
        of["gone"] if before and after >= before else 0.0,
        of["gone"] if 0 < after < before else 0.0,
        of["old"] if before and after >= before else 0.0,
        of["new"] if after <= 0 else 0.0,
        of["new"] if 0 < after <= before and not facts.new else 0.0,
        of["changed"] if before and not is_touched and not facts.gone and not facts.new else 0.0,
        of["inside"] if before and not is_touched else 0.0,
        of["stays"] if after < before else 0.0,
        of["stays"] if is_inside else 0.0,
        of["after"] + of["before"] if before and not facts.is_beside else 0.0,
        1 - sum(of[role] for role in _GOING) if before and after <= 0 else 0.0,
        1 - of["other"] if is_absent else 0.0,
        sum(of[role] for role in _PLACES) if is_absent else 0.0,
    )


def _is_inside(start: int, end: int, first: int, last: int) -> bool:
    """Whether lines [start, end) are among [first, last); what is only added may stand at their very end."""
    return first < start <= last if start == end else start < last and end > first


def _lines_with(text: str, original: Lines) -> Sequence[int]:
    """The lines of an original that have a text: as a word where it is one, else anywhere, white space left out."""
    if WORD.fullmatch(text):
        return original.word_places.get(text, ())
    key = "".join(text.split())
    words: list[Sequence[int]] = [original.word_places.get(word, ()) for word in WORD.findall(text)]
    return [line for line in min(words, key=len, default=range(len(original))) if key in original.keys[line]]


def _finder(text: str) -> Callable[[str], bool]:
    """Tells whether a line has a text, as `_lines_with` looks for it."""
    if WORD.fullmatch(text):
        return lambda line: text in line and text in WORD.findall(line)
    key = "".join(text.split())
    return lambda line: key in "".join(line.split())
