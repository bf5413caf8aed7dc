"""Line marks: in the texts of some targets every line begins with a character that names the line it comes from.

A small model that copies by what stood before goes on from the wrong place wherever lines look alike. With marks it
says at each line's start which line of the original or of the edit comes next, and then copies that one: the choice is
one token, and the copying has a unique place to look at. Lines of the edit that plainly are the original's have its
marks, and a line that looks like one of the original's has that one's mark behind its own. Where the former are
indented otherwise than in the original, the lines around them are shown as deep as they say. What a patch takes away
isn't shown: its context stands together then, as in an edit that leaves a line out.

The marks are private-use characters; they are taken out of what a target writes before anybody else sees it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from fastedit.lines import indent_of
from fastedit.targets.twins import ELISION, likes, twins

FIRST = 0xF0000
NUM_MARKS = 512  # with UNKNOWN
UNKNOWN = chr(FIRST)  # of a line that comes from neither text
RANGE = f"{UNKNOWN}-{chr(FIRST + NUM_MARKS - 1)}"  # for a regular expression's character class
_MARK = re.compile(f"[{RANGE}]")


def mark(number: int) -> str:
    """The mark of line `number` (from 0) of original and edit together; numbers come back after many lines."""
    return chr(FIRST + 1 + number % (NUM_MARKS - 1))


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
    _twins: dict[int, int] = field(init=False, repr=False)
    _likes: dict[int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lines", _lines_of(self.original))
        object.__setattr__(self, "_edit_lines", _lines_of(self.edit))
        keys, others = self._keys(), [line.strip() for line in self._lines]
        object.__setattr__(self, "_twins", twins(keys, others))
        object.__setattr__(self, "_likes", likes(keys, others, self._twins))

    @property
    def marked_original(self) -> str:
        return _joined(map(self._of_original, range(len(self._lines))), self._lines)

    @property
    def marked_edit(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The edit, and where its elisions are in it. They have neither marks nor indentation: what follows a line of
        the edit is then either the next line's mark or, all by itself, an elision.
        """
        text, elisions = "", list[tuple[int, int]]()
        ends = {self.edit.count("\n", 0, start): end - start for start, end in self.elisions}
        shown = self._as_deep_as_twins()
        for number, line in enumerate(self._edit_lines):
            if number in ends:
                elisions.append((len(text), len(text) + ends[number]))
                text += line.lstrip()
            elif number in shown:
                like = self._of_original(self._likes[number]) if number in self._likes else ""
                text += self._of_edit(number) + like + shown[number] + line[len(line.rstrip("\n")) :]
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
        at = 0
        for run in self._runs():
            places = _place([code.strip() for _, code in run], keys, at, kept)
            num_joining = _num_joining(run, places, kept)
            for index, ((line, _), place) in enumerate(zip(run, places, strict=True)):
                if place is not None:
                    at = place + 1
                    if index >= num_joining:
                        marks[place] = self._of_edit(line)
        return _joined(marks, lines)

    def _of_original(self, line: int) -> str:
        return mark(self.first + line)

    def _of_edit(self, line: int) -> str:
        return mark(self.first + self._twins.get(line, len(self._lines) + line))

    def _keys(self) -> list[str]:
        """What each line of the edit has in common with the line of the original that it shows."""
        keys = {line: code.strip() for run in self._runs() for line, code in run}
        return [keys.get(line, ELISION) for line in range(len(self._edit_lines))]

    def _as_deep_as_twins(self) -> dict[int, str]:
        """The edit's lines of code. A run whose twins are all moved alike is moved with them; where some are moved and
        others not, it is the edit that moves them.
        """
        shown: dict[int, str] = {}
        for run in self._runs():
            pairs = [(code, self._lines[self._twins[line]]) for line, code in run if line in self._twins]
            moves = {_move_between(code, twin) for code, twin in pairs if code.strip()}
            moved = [_moved(code, *next(iter(moves))) for _, code in run] if len(moves) == 1 else [None]
            shown |= dict(run) if None in moved else {line: str(new) for (line, _), new in zip(run, moved, strict=True)}
        return shown

    def _elided(self) -> set[int]:
        return {self.edit.count("\n", 0, start) for start, _ in self.elisions}

    def _runs(self) -> list[list[tuple[int, str]]]:
        """The edit's code between elisions: (line, its text without its end)."""
        codes = self.codes or [line.removesuffix("\n") for line in self._edit_lines]
        elided = self._elided()
        runs: list[list[tuple[int, str]]] = [[]]
        for line, code in enumerate(codes):
            if line in elided:
                runs.append([])
            elif code is not None:
                runs[-1].append((line, code))
        return [run for run in runs if run]


def shifted_offsets(offsets: Sequence[int], text: str) -> tuple[int, ...]:
    """Where offsets into a text are once its lines are marked; an offset at a line's start is before its mark."""
    num_before = (text.count("\n", 0, offset) + (offset > text.rfind("\n", 0, offset) + 1) for offset in offsets)
    return tuple(offset + count for offset, count in zip(offsets, num_before, strict=True))


def _move_between(line: str, twin: str) -> tuple[str, str]:
    """What to take from the beginning of a line's indentation, and to put there, to have its twin's."""
    old, new = indent_of(line), indent_of(twin)
    pairs = zip(reversed(old), reversed(new), strict=False)
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return old[: len(old) - num_common], new[: len(new) - num_common]


def _moved(line: str, cut: str, new: str) -> str | None:
    """The line with another beginning of its indentation; None where it doesn't have that one."""
    if not line.strip():
        return line
    return new + line.removeprefix(cut) if line.startswith(cut) else None


def _place(run: Sequence[str], keys: Sequence[str], start: int, kept: dict[int, int]) -> list[int | None]:
    """Where each line of a run stands among `keys[start:]`; None for lines that don't.

    In one piece if it can be, where most of it is new; at the ends of the text the run may reach beyond it.
    """
    length = len(run)
    pieces = [
        (first, last, shift)
        for shift in range(start - length + 1, len(keys))
        if (first := max(0, start - shift)) < (last := min(length, len(keys) - shift))
        and list(run[first:last]) == list(keys[first + shift : last + shift])
        and any(run[first:last])
    ]
    if pieces:
        first, last, shift = max(pieces, key=lambda piece: _worth(run, piece, kept))
        return [index + shift if first <= index < last else None for index in range(length)]
    return _spread(run, keys, start)


def _worth(run: Sequence[str], piece: tuple[int, int, int], kept: dict[int, int]) -> tuple[int, int]:
    """How much of a run is there, and how much of that is new."""
    first, last, shift = piece
    num_code = sum(bool(run[index]) for index in range(first, last))
    return num_code, sum(index + shift not in kept for index in range(first, last))


def _spread(run: Sequence[str], keys: Sequence[str], start: int) -> list[int | None]:
    """As `_place`, for a run with other lines in between."""
    from rapidfuzz.distance import Indel

    places: list[int | None] = [None] * len(run)
    for block in Indel.opcodes(list(run), list(keys[start:])).as_matching_blocks():
        if any(run[block.a : block.a + block.size]):
            for offset in range(block.size):
                places[block.a + offset] = start + block.b + offset
    return places


def _num_joining(run: Sequence[tuple[int, str]], places: Sequence[int | None], kept: dict[int, int]) -> int:
    """How many lines of a run lead up to where it leaves the original: to the first that isn't blank, if it stays."""
    there = [index for index, place in enumerate(places) if place is not None]
    first = next((index for index in there if run[index][1].strip()), None)
    if first is None or any(places[index] not in kept for index in there if index <= first):
        return 0
    return first + 1


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Which of the original's lines each line is."""
    from rapidfuzz.distance import Indel

    blocks = Indel.opcodes(_ended(old), _ended(new)).as_matching_blocks()
    return {block.b + offset: block.a + offset for block in blocks for offset in range(block.size)}


def _ended(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\n") for line in lines]


def _lines_of(text: str) -> list[str]:
    pieces = text.split("\n")
    lines = [piece + "\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _joined(marks: Sequence[str] | map[str], lines: Sequence[str]) -> str:
    return "".join(one + line for one, line in zip(marks, lines, strict=True))
