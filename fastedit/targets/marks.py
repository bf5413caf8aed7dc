"""Line marks: in the texts of some targets every line stands between two characters that name it.

A small model that copies by what stood before goes on from the wrong place wherever lines look alike. With marks it
says before each line which line of the original or of the edit comes next, and then copies that one: the choice is one
token, and the copying has a unique place to look at. Behind the line stands its end mark, which in original and edit is
followed by the next line's mark: what may come next is a look-up too.

Lines of the edit that plainly are the original's have its marks. One that stands for a line of the original has that
one's mark before its own, and its end mark: a model that would go on with the original finds the edit's line. `places`
tells which lines these are. Lines are shown as deep as the original has them, unless the edit is what moves them. What
a patch takes away isn't shown: its context stands together then, as in an edit that leaves a line out.

The marks are private-use characters; they are taken out of what a target writes before anybody else sees it.

Lines that plainly are lines of the original have their places by `twins`. Between two of them every other line is
compared with every line there, and the best-scoring reading in which places only rise is sought by dynamic
programming, as sequences are aligned (Needleman and Wunsch, 1970); a gap costs more the wider it is, unless the edit
itself says there that it leaves lines out. A line has a place only where every reading that puts it elsewhere scores
worse by a margin. Assistants indent in other steps, or from another margin.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

import numpy as np
import numpy.typing as npt

from fastedit.lines import ELISION, indent_of, twins

FIRST = 0xF0000
NUM_LINES = 512  # that are told apart, with UNKNOWN
NUM_MARKS = 2 * NUM_LINES
UNKNOWN = chr(FIRST)  # of a line that comes from neither text
RANGE = f"{UNKNOWN}-{chr(FIRST + NUM_MARKS - 1)}"  # for a regular expression's character class
_FIRST_END = chr(FIRST + NUM_LINES)
_MARK = re.compile(f"[{RANGE}]")
MAX_CELLS = 3_000_000  # lines of the edit times the square of the original's, between two twins: some 30 ms
MARGIN = 0.12  # by so much the best reading is better than any that puts a line elsewhere
# What a pair of lines scores. An equal line of a few letters counts less than a long one.
SHORT_LINE, PER_LETTER = 0.25, 0.1  # up to 1
EXACT = 0.05  # with the same indentation
BLANK = 0.05
MIN_LIKENESS, LIKE_ORIGIN, LIKE_SCALE = 0.6, 0.5, 1.2  # of lines that aren't equal, from 0.12 to 0.6
# What beside a pair counts.
CONTINUITY = 0.4  # the pair before is the two lines before
GAP, GAP_GROWTH, MAX_GAP = 0.15, 0.08, 0.9  # lines are skipped in one run of the edit
TINY = 1e-4
Floats = npt.NDArray[np.float32]


def mark(number: int) -> str:
    """The mark of line `number` (from 0) of original and edit together; the same marks come back after many lines."""
    return chr(FIRST + 1 + number % (NUM_LINES - 1))


def end_mark(start_mark: str) -> str:
    """The mark that stands behind a line, by the mark before it."""
    return chr(ord(start_mark) + NUM_LINES)


def has_marks(text: str) -> bool:
    """Whether the text has characters of its own that would be taken for marks."""
    return _MARK.search(text) is not None


def without_marks(text: str) -> str:
    return _MARK.sub("", text)


@dataclass(frozen=True)
class LineMarks:
    """Marks for one request's texts.

    original, edit: texts. elisions: (start, end) in `edit` of what stands for lines left out. codes: for each line of
    the edit what of it may stand in the result, None for a line that may not. first: the number of the first mark.
    """

    original: str
    edit: str
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()
    first: int = 0
    _lines: list[str] = field(init=False, repr=False)
    _edit_lines: list[str] = field(init=False, repr=False)
    _places: Places = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lines", _lines_of(self.original))
        object.__setattr__(self, "_edit_lines", _lines_of(self.edit))
        object.__setattr__(self, "_places", places(self._codes(), _ended(self._lines)))

    @property
    def original_numbers(self) -> frozenset[int]:
        """The numbers of the original's marks."""
        return frozenset(ord(self._of_original(line)) - FIRST for line in range(len(self._lines)))

    @property
    def marked_original(self) -> str:
        return "".join(map(_between_marks, map(self._of_original, range(len(self._lines))), self._lines))

    @property
    def marked_edit(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The edit with marks, and its elisions as (start, end) in it. Elisions have neither marks nor indentation: a
        line of the edit is followed either by the next line's mark or, all by itself, by an elision. Of several with
        nothing but blank lines between them one is shown.
        """
        text, elisions = "", list[tuple[int, int]]()
        ends = {self.edit.count("\n", 0, start): end - start for start, end in self.elisions}
        shown = self._as_deep_as_twins()
        is_elided = False
        for number, line in enumerate(self._edit_lines):
            if number in ends and not is_elided:
                elisions.append((len(text), len(text) + ends[number]))
                text += line.lstrip()
                is_elided = True
            elif number in shown:
                is_elided = False
                text += _between_marks(self._of_edit(number), shown[number] + line[len(line.rstrip("\n")) :])
        return text, tuple(elisions)

    def marked_text(self, text: str) -> str:
        """A text that the target may write, marked as it would mark it: the edit's lines, where they stand in the
        order and neighbourhood of the edit, as the edit's, all others as the original's.

        The line with which the edit joins the original still counts as the original's: having written it, a model
        finds it in the edit, and what follows it there.
        """
        lines = _lines_of(text)
        kept = _kept(self._lines, lines)
        marks = [self._of_original(kept[at]) if at in kept else UNKNOWN for at in range(len(lines))]
        keys = [line.strip() for line in lines]
        stays = {old: new for new, old in kept.items()}
        at = 0
        for run in self._runs():
            known = [stays.get(self._places.same.get(line, -1)) for line, _ in run]
            places = _place([code.strip() for _, code in run], keys, at, known, kept)
            num_joining = _num_joining(run, places, kept)
            for index, ((line, _), place) in enumerate(zip(run, places, strict=True)):
                if place is not None:
                    at = place + 1
                    if index >= num_joining:
                        marks[place] = self._of_edit(line)
        return "".join(map(_between_marks, marks, lines))

    def _of_original(self, line: int) -> str:
        return mark(self.first + line)

    def _of_edit(self, line: int) -> str:
        """A line's marks; where there are two, the first is also the one behind it."""
        if line in self._places.same:
            return self._of_original(self._places.same[line])
        own = mark(self.first + len(self._lines) + line)
        return self._of_original(self._places.like[line]) + own if line in self._places.like else own

    def _codes(self) -> list[str]:
        """Each line of the edit as it may stand in the result."""
        codes = {line: code for run in self._runs() for line, code in run}
        return [codes.get(line, ELISION) for line in range(len(self._edit_lines))]

    def _as_deep_as_twins(self) -> dict[int, str]:
        """The edit's lines of code, each run as deep as most of its twins are."""
        runs, shown = self._runs(), dict[int, str]()
        units = unit_of([code for run in runs for _, code in run]), unit_of(self._lines)
        for run in runs:
            twins = [
                (code, self._lines[self._places.same[line]])
                for line, code in run
                if line in self._places.same and code.strip()
            ]
            codes = [code for _, code in run]
            moved = as_deep(codes, twins, *units) if twins and not self._is_deepened(run) else codes
            shown |= {line: code for (line, _), code in zip(run, moved, strict=True)}
        return shown

    def _is_deepened(self, run: Sequence[tuple[int, str]]) -> bool:
        """Whether a new line stands before, and less deep than all lines that have twins: it is what deepens them."""
        lines = [(len(indent_of(code)), line in self._places.same) for line, code in run if code.strip()]
        twins = [number for number, (_, is_twin) in enumerate(lines) if is_twin]
        least = min((lines[number][0] for number in twins), default=0)
        return any(depth < least for depth, is_twin in lines[: max(twins, default=0)] if not is_twin)

    def _elided(self) -> set[int]:
        return {self.edit.count("\n", 0, start) for start, _ in self.elisions}

    def _runs(self) -> list[list[tuple[int, str]]]:
        """The edit's code between elisions: (line, its text without its end). Blank lines alone say nothing there."""
        codes = self.codes or [line.removesuffix("\n") for line in self._edit_lines]
        elided = self._elided()
        runs: list[list[tuple[int, str]]] = [[]]
        for line, code in enumerate(codes):
            if line in elided:
                runs.append([])
            elif code is not None:
                runs[-1].append((line, code))
        return [run for run in runs if any(code.strip() for _, code in run)]


def shifted_offsets(offsets: Sequence[int], marked: str) -> tuple[int, ...]:
    """The offsets into a text moved to their places once its lines are marked; one at a line's start is before the
    line's marks and behind the end mark of the line before.
    """
    # Before each mark: how much text. A mark is before an offset at its own place only if it ends a line there.
    starts = [(found.start() - number, found[0] < _FIRST_END) for number, found in enumerate(_MARK.finditer(marked))]
    return tuple(offset + bisect_left(starts, (offset, True)) for offset in offsets)


def _between_marks(marks: str, line: str) -> str:
    return marks + line + end_mark(marks[0])


def _place(
    run: Sequence[str], keys: Sequence[str], start: int, known: Sequence[int | None], kept: dict[int, int]
) -> list[int | None]:
    """The place of each line of a run among `keys[start:]`; None for lines that don't stand there.

    The run is placed in one piece if it can be, where most of its lines are where they are `known` to be and most of it
    is new; at the ends of the text it may reach beyond it.
    """
    length = len(run)
    pieces = [
        (first, last, shift)
        for shift in range(start - length + 1, len(keys))
        if (first := max(0, start - shift)) < (last := min(length, len(keys) - shift))
        and list(run[first:last]) == list(keys[first + shift : last + shift])
        and any(run[first:last])
    ]
    fixed = _rising_places(known, start)
    if pieces:
        first, last, shift = best = max(pieces, key=lambda piece: _worth(run, piece, known, kept))
        if not fixed or _worth(run, best, known, kept)[0]:
            return [index + shift if first <= index < last else None for index in range(length)]
    return _spread(run, keys, start, fixed)


def _worth(
    run: Sequence[str], piece: tuple[int, int, int], known: Sequence[int | None], kept: dict[int, int]
) -> tuple[int, int, int]:
    """Counts a piece's lines that are where they are known to be, those that aren't blank, and those that are new."""
    first, last, shift = piece
    indices = range(first, last)
    num_code = sum(bool(run[index]) for index in indices)
    num_fixed = sum(known[index] == index + shift for index in indices)
    return num_fixed, num_code, sum(index + shift not in kept for index in indices)


def _rising_places(known: Sequence[int | None], start: int) -> list[tuple[int, int]]:
    """The lines whose place is known, each with its place, if that lies behind the place of the one before."""
    fixed: list[tuple[int, int]] = []
    for index, place in enumerate(known):
        if place is not None and place >= start and (not fixed or place > fixed[-1][1]):
            fixed.append((index, place))
    return fixed


def _spread(run: Sequence[str], keys: Sequence[str], start: int, fixed: Sequence[tuple[int, int]]) -> list[int | None]:
    """As `_place`, for a run with other lines in between. fixed: lines that stand in a place for certain."""
    from rapidfuzz.distance import Indel

    places: list[int | None] = [None] * len(run)
    for index, place in fixed:
        places[index] = place
    for (one, first), (other, last) in pairwise([(-1, start - 1), *fixed, (len(run), len(keys))]):
        part, there = list(run[one + 1 : other]), list(keys[first + 1 : last])
        for block in Indel.opcodes(part, there).as_matching_blocks():
            if any(part[block.a : block.a + block.size]):
                for offset in range(block.size):
                    places[one + 1 + block.a + offset] = first + 1 + block.b + offset
    return places


def _num_joining(run: Sequence[tuple[int, str]], places: Sequence[int | None], kept: dict[int, int]) -> int:
    """Counts the lines by which a run joins the original: up to its first that isn't blank, if it stays, else 0."""
    there = [index for index, place in enumerate(places) if place is not None]
    first = next((index for index in there if run[index][1].strip()), None)
    if first is None or any(places[index] not in kept for index in there if index <= first):
        return 0
    return first + 1


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The lines of `new` that are lines of `old`, each with its number there."""
    from rapidfuzz.distance import Indel

    blocks = Indel.opcodes(_ended(old), _ended(new)).as_matching_blocks()
    return {block.b + offset: block.a + offset for block in blocks for offset in range(block.size)}


def _ended(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\n") for line in lines]


def _lines_of(text: str) -> list[str]:
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


# ---- the line that each line of an edit is ---------------------------------------------------------------------------


def unit_of(lines: Sequence[str]) -> str:
    """The step by which most lines that are deeper than the line before are deeper; "" where there are none."""
    indents = [indent_of(line) for line in lines if line.strip()]
    steps = Counter(
        other.removeprefix(one) for one, other in pairwise(indents) if len(other) > len(one) and other.startswith(one)
    )
    return max(steps, key=lambda step: (steps[step], -len(step)), default="")


def as_deep(codes: list[str], twins: Sequence[tuple[str, str]], unit: str, other_unit: str) -> list[str]:
    """The lines, indented so that most twins are where the original has them: as they are, moved as far as the least
    deep twin, or moved so and in the original's steps.
    """
    base, there = min(((indent_of(code), indent_of(twin)) for code, twin in twins), key=lambda pair: len(pair[0]))
    ways: list[Callable[[str], str | None]] = [
        lambda indent: indent,
        lambda indent: _shifted(indent, *_move_between(base, there)),
        lambda indent: _scaled(indent, base, there, unit, other_unit),
    ]
    best = max(ways, key=lambda way: sum(way(indent_of(code)) == indent_of(twin) for code, twin in twins))
    indents = [best(indent_of(code)) if code.strip() else indent_of(code) for code in codes]
    if any(indent is None for indent in indents):
        return codes
    return [str(indent) + code[len(indent_of(code)) :] for indent, code in zip(indents, codes, strict=True)]


def _move_between(own: str, there: str) -> tuple[str, str]:
    """The white space to cut from the beginning of an indentation and the one to put there, to have the other."""
    pairs = zip(reversed(own), reversed(there), strict=False)
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return own[: len(own) - num_common], there[: len(there) - num_common]


def _shifted(indent: str, cut: str, new: str) -> str | None:
    return new + indent.removeprefix(cut) if indent.startswith(cut) else None


def _scaled(indent: str, base: str, there: str, unit: str, other_unit: str) -> str | None:
    """The indentation with the other's steps from `there` instead of its own from `base`."""
    if not unit or not other_unit:
        return None
    steps, rest = divmod(len(indent) - len(base), len(unit))
    if steps < 0:
        less = other_unit * -steps
        return there.removesuffix(less) + " " * rest if there.endswith(less) else None
    return there + other_unit * steps + " " * rest


@dataclass(frozen=True, slots=True)
class Places:
    """Lines of the original, by lines of the edit. same: the line that it is; like: the one that it changes."""

    same: dict[int, int] = field(default_factory=dict)
    like: dict[int, int] = field(default_factory=dict)


def places(lines: Sequence[str], others: Sequence[str]) -> Places:
    """Finds the edit's lines in the original.

    lines: the edit's, with `ELISION` where it leaves lines out. others: the original's. Both without their ends.
    """
    keys, theirs = [line.strip() for line in lines], [line.strip() for line in others]
    found = Places(twins(keys, theirs))
    ends = [(-1, -1), *sorted(found.same.items()), (len(keys), len(theirs))]
    for (start, first), (end, last) in pairwise(ends):
        num, num_theirs = end - start - 1, last - first - 1
        if num and num_theirs and num * num_theirs**2 <= MAX_CELLS:
            edges = start >= 0, end < len(keys)
            for line, place in _placed(lines[start + 1 : end], others[first + 1 : last], *edges).items():
                line, place = start + 1 + line, first + 1 + place
                (found.same if keys[line] == theirs[place] else found.like)[line] = place
    return found


def _placed(lines: Sequence[str], others: Sequence[str], has_start: bool, has_end: bool) -> dict[int, int]:
    """The places of lines between two twins. has_start, has_end: whether there are both, or a text begins or ends."""
    scores = _scores(lines, others)
    is_elided = [line == ELISION for line in lines]
    forward = _best(scores, is_elided, has_start)
    backward = _best(scores[::-1, ::-1], is_elided[::-1], has_end)[::-1, ::-1]
    readings = forward + backward - np.where(np.isfinite(scores), scores, 0)  # the best with each pair in it
    best = readings.max()
    if not np.isfinite(best):
        return {}
    by_place: dict[int, list[int]] = {}
    for line, row in enumerate(readings):
        place = int(row.argmax())
        elsewhere = np.delete(row, place).max(initial=-np.inf)
        if row[place] >= best - TINY and row[place] - elsewhere >= MARGIN:
            by_place.setdefault(place, []).append(line)
    # Of several lines at one place any may be it.
    return {at[0]: place for place, at in by_place.items() if len(at) == 1}


def _scores(lines: Sequence[str], others: Sequence[str]) -> Floats:
    """[lines, others]: how well each pair of lines goes together; -inf where it doesn't."""
    from rapidfuzz import fuzz, process

    keys, theirs = np.array([line.strip() for line in lines]), np.array([line.strip() for line in others])
    ratios = process.cdist(keys.tolist(), theirs.tolist(), scorer=fuzz.ratio, dtype=np.float32) / 100
    letters = np.array([sum(map(str.isalnum, key)) for key in keys])
    weights = np.minimum(1.0, SHORT_LINE + PER_LETTER * letters)[:, None]
    is_exact = np.array(lines)[:, None] == np.array(others)[None]
    like = np.where(ratios >= MIN_LIKENESS, LIKE_SCALE * (ratios - LIKE_ORIGIN) * weights, -np.inf)
    scores = np.where(keys[:, None] == theirs[None], weights + EXACT * is_exact, like)
    is_blank, are_blank = (keys == "")[:, None], (theirs == "")[None]
    scores = np.where(is_blank | are_blank, np.where(is_blank & are_blank, BLANK, -np.inf), scores)
    is_elided = np.array([line == ELISION for line in lines])[:, None]  # numpy takes this NUL for nothing
    return np.where(is_elided, -np.inf, scores).astype(np.float32)


def _best(scores: Floats, is_elided: Sequence[bool], has_start: bool) -> Floats:
    """[lines, others]: for each pair the best score of a reading of all lines up to it that ends with it."""
    num, width = scores.shape
    skipped = np.subtract.outer(np.arange(width), np.arange(-1, width)) - 1  # from the place before, -1 for none
    costs = np.where(skipped > 0, np.minimum(GAP + GAP_GROWTH * np.log2(1 + skipped.clip(0)), MAX_GAP), 0)
    costs = np.where(skipped < 0, np.inf, costs).astype(np.float32)
    never = np.full(width + 1, -np.inf, dtype=np.float32)
    # By the last place that has a line, before which nothing was elided; and where something was.
    tight, free = never.copy(), never.copy()
    (tight if has_start else free)[0] = 0
    last = tight  # of these, what ends with the line before
    result = np.empty((num, width), dtype=np.float32)
    for line in range(num):
        if is_elided[line]:
            free, tight, last = np.maximum(free, tight), never, never
            result[line] = -np.inf
            continue
        reached = np.maximum((tight - costs).max(axis=1), np.maximum.accumulate(free)[:-1])
        result[line] = np.maximum(reached, last[:-1] + CONTINUITY) + scores[line]
        last = np.concatenate([never[:1], result[line]])
        tight = np.maximum(tight, last)
    return result
