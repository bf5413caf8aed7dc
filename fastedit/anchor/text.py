"""Lines prepared for comparing: white-space-blind keys, indentation columns, and how telling a line is."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

from fastedit.anchor.strings import strings_of
from fastedit.edits.lazy import LineKind

TAB_COLUMNS = 4
MAX_COUNTED_LINES = 20_000
MIN_DIGITS = 4
_WORD = re.compile(r"[A-Za-z_]\w*")
_TERMINATOR = re.compile(r"(?:return|raise|throw|break|continue|yield from|exit|die|panic!?|goto)\b")
_DIGIT = re.compile(r"\d")
# What closes a block, by how a line starts; such a line belongs to the block that it ends.
_CLOSER = re.compile(r"^(?:[)\]}]|</|end\b|fi\b|done\b|esac\b|>\s*[),;{]?|\*/|-->|endif\b|#endif\b|\{%\s*end)")


def key_of(line: str) -> str:
    """The line without any white space: equal keys are the same line to a reader."""
    return "".join(line.split())


def columns_of(line: str) -> int:
    """The indentation of a line in columns, a tab counting `TAB_COLUMNS`."""
    columns = 0
    for character in line:
        if character == " ":
            columns += 1
        elif character == "\t":
            columns += TAB_COLUMNS - columns % TAB_COLUMNS
        else:
            break
    return columns


def is_closer(line: str) -> bool:
    """Whether the line closes a block rather than says something."""
    return bool(_CLOSER.match(line.lstrip()))


def is_terminator(line: str) -> bool:
    """Whether nothing behind the line in its block is ever reached."""
    return bool(_TERMINATOR.match(line.lstrip()))


def opens_bracket(text: str) -> bool:
    """Whether a bracket is open at the end of the text."""
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))


def is_trivial(key: str) -> bool:
    """Whether a key says too little to find a place by: brackets, `else:`, `return`, `break`, `pass`."""
    return len(key) <= 2 or key in _TRIVIAL or not (_WORD.search(key) or len(_DIGIT.findall(key)) >= MIN_DIGITS)


_TRIVIAL = frozenset(
    "else: else{ }else{ else end return return; break break; continue; continue pass try: try{ do{ do then fi done esac"
    " begin BEGIN END finally: finally{ }finally{ default: returnNone returnnull; returntrue; returnfalse; returnnil"
    " #else #endif returnTrue returnFalse *** /** // # --".split()
)


class LineTable:
    """Lines without their ends, with what comparing needs, made once.

    keys: white-space-blind; columns: indentation (0 for blank lines). strings: the lines that start inside of a
    string, string by string. kinds: of a snippet's lines; None for an original.
    """

    def __init__(self, lines: list[str], language: str = "", kinds: Sequence[LineKind] | None = None) -> None:
        self.lines = lines
        self.strings = tuple(strings_of(lines, language, kinds))
        self.keys = [key_of(line) for line in lines]
        self.columns = [columns_of(line) if key else 0 for line, key in zip(lines, self.keys, strict=True)]

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """key → the lines that have it, ascending."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, key in enumerate(self.keys):
            if key:
                places[key].append(number)
        return dict(places)

    @cached_property
    def indent_unit(self) -> str:
        """One level of indentation as this text writes it: a tab, or the commonest step in blanks."""
        steps: Counter[int] = Counter()
        blocks: Counter[int] = Counter()
        num_tabs = num_indented = previous = 0
        opens = False
        inside = {number for span in self.strings for number in span}
        for number, (line, key, columns) in enumerate(zip(self.lines, self.keys, self.columns, strict=True)):
            if not key or number in inside:
                continue
            if columns:
                num_indented += 1
                num_tabs += line[0] == "\t"
            if columns > previous:
                steps[columns - previous] += 1
                blocks[columns - previous] += opens
            previous, opens = columns, key.endswith(("{", ":"))
        if num_indented and num_tabs * 2 > num_indented:
            return "\t"
        counts = blocks if blocks.total() else steps  # lines that only go on may stand anywhere
        likely = {step: count for step, count in counts.items() if step in (1, 2, 3, 4, 8) and count}
        return " " * (max(likely, key=lambda step: (likely[step], step)) if likely else TAB_COLUMNS)

    def weight(self, key: str) -> float:
        """How much finding this key in the text tells: about 1 for a unique line, less for common ones."""
        if is_trivial(key):
            return 0.1
        count = len(self.places.get(key, ()))
        length = min(1.0, 0.5 + len(key) / 40)
        return length if count <= 1 else length / (1 + 0.6 * math.log2(count))

    @cached_property
    def word_lines(self) -> Counter[str]:
        """word → in how many lines it stands (of the first `MAX_COUNTED_LINES`)."""
        counts: Counter[str] = Counter()
        for line in self.lines[:MAX_COUNTED_LINES]:
            counts.update(set(_WORD.findall(line)))
        return counts

    def word_weight(self, word: str) -> float:
        """How much it tells that two lines share this word: 1 for a rare one, little for one that stands everywhere."""
        return 1 / (1 + math.log2(max(1, self.word_lines[word])))

    def trim_blank(self, start: int, end: int) -> tuple[int, int]:
        """The range without the blank lines at its ends (empty at `start` where all are blank)."""
        while end > start and not self.keys[end - 1]:
            end -= 1
        while start < end and not self.keys[start]:
            start += 1
        return start, end
