"""Splits text into lines, and prepares lines for comparing: keys without white space, columns, what lies in a string.

`changed_lines` tells what makes one text out of another, `twins` pairs the lines that two texts plainly share.

Lines end at `\\n` alone and keep their `\\r`: `str.splitlines` also splits at form feeds and Unicode
separators, so its line numbers would disagree with tree-sitter's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from rapidfuzz.distance import Indel

TAB_COLUMNS = 4
MIN_DIGITS = 4
ELISION = "\0"  # for `twins`: a key that no line has, where lines are left out
_WORD = re.compile(r"[A-Za-z_]\w*")
_DIGIT = re.compile(r"\d")


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends, so that `"".join(split_lines(text)) == text`.

    The last line has no `\\n` where the text doesn't end in one; an empty text has no lines.
    """
    lines = text.split("\n")
    last = lines.pop()
    ended = [line + "\n" for line in lines]
    if last:
        ended.append(last)
    return ended


def body(line: str) -> str:
    """The line without its end (`\\n` or `\\r\\n`)."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith("\n") else line


def ending(line: str) -> str:
    """The end of the line: `"\\r\\n"`, `"\\n"` or `""`."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def indent_of(line: str) -> str:
    """The leading blanks and tabs of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]


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


def is_trivial(key: str) -> bool:
    """Whether a key says too little to find a place by: brackets, `else:`, `return`, `break`, `pass`."""
    return len(key) <= 2 or key in _TRIVIAL or not (_WORD.search(key) or len(_DIGIT.findall(key)) >= MIN_DIGITS)


_TRIVIAL = frozenset(
    "else: else{ }else{ else end return return; break break; continue; continue pass try: try{ do{ do then fi done esac"
    " begin BEGIN END finally: finally{ }finally{ default: returnNone returnnull; returntrue; returnfalse; returnnil"
    " #else #endif returnTrue returnFalse *** /** // # --".split()
)


@dataclass(frozen=True, slots=True)
class _Quotes:
    """The way a language writes strings of several lines.

    signs: one of these stands in a line where such a string begins. token: what has to be passed over to find its
    beginning, which is in group `open`; end: what it ends in, `{}` standing for the beginning's text.
    """

    signs: tuple[str, ...]
    token: re.Pattern[str]
    end: str = "{}"


_STRING = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_TRIPLE = _Quotes(('"""', "'''"), re.compile(rf"(?P<open>\"\"\"|''')|{_STRING}|#.*"))
_BACKTICK = _Quotes(("`",), re.compile(rf"(?P<open>`)|{_STRING}|//.*"))
_ATTRIBUTE = _Quotes(("<",), re.compile(r"<[A-Za-z][\w:.-]*(?:\s[^<>]*)?=\s*(?P<open>\")(?=[^\"<>]*$)"))
_HEREDOC = _Quotes(("<<",), re.compile(rf"<<[-~]?\s?[\"']?(?P<open>[A-Z_][A-Z_0-9]*)[\"']?|{_STRING}|#.*"), r"^\s*{}\b")
_QUOTES: Mapping[str, _Quotes] = {
    "python": _TRIPLE,
    "javascript": _BACKTICK,
    "typescript": _BACKTICK,
    "tsx": _BACKTICK,
    "go": _BACKTICK,
    "xml": _ATTRIBUTE,
    "html": _ATTRIBUTE,
    "bash": _HEREDOC,
    "ruby": _HEREDOC,
}


def strings_of(lines: Sequence[str], language: str) -> Iterator[range]:
    """The lines that start inside of a string, string by string; a string that never ends is none."""
    quotes = _QUOTES.get(language)
    if quotes is None:
        return
    end: re.Pattern[str] | None = None
    start = 0
    for number, line in enumerate(lines):
        position = 0
        if end is not None:
            closing = end.search(line)
            if closing is None:
                continue
            yield range(start, number + 1)
            position = closing.end()
        end = _left_open(line, position, quotes)
        start = number + 1


def _left_open(line: str, position: int, quotes: _Quotes) -> re.Pattern[str] | None:
    """The pattern that ends the string which the line opens behind `position` and leaves open; None for none."""
    if not any(sign in line for sign in quotes.signs):
        return None
    while (found := quotes.token.search(line, position)) is not None:
        position = found.end()
        if found.group("open") is None:
            continue
        end = _end_of(found.group("open"), quotes.end)
        closing = end.search(line, position)
        if closing is None or quotes.end.startswith("^"):
            return end
        position = closing.end()
    return None


@cache
def _end_of(opening: str, end: str) -> re.Pattern[str]:
    return re.compile(end.format(re.escape(opening)))


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, list[str]]]:
    """The fewest changes that make `new` out of `old`: lines [start, end) that become others.

    They are in their order, with a line that stays between any two.
    """
    changes: list[tuple[int, int, list[str]]] = []
    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            continue
        start, texts = step.src_start, list(new[step.dest_start : step.dest_end])
        if changes and changes[-1][1] == start:
            start, _, before = changes.pop()
            texts = [*before, *texts]
        changes.append((start, step.src_end, texts))
    return changes


def twins(keys: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Pairs lines of two texts: for lines of `keys` the number of the line of `others` that each plainly is.

    A line that occurs once in both has its twin there, and so have the equal lines beside the two; between twins the
    same is done again. Both numbers rise. A blank line has a twin only beside others.
    """
    found: dict[int, int] = {}
    ranges = [(0, len(keys), 0, len(others))]
    while ranges:
        start, end, first, last = ranges.pop()
        chain = _rising(_unique(keys, start, end, others, first, last))
        if not chain:
            continue
        found.update(chain)
        ends = [(start - 1, first - 1), *chain, (end, last)]
        ranges += [
            (one + 1, other, at + 1, to) for (one, at), (other, to) in pairwise(ends) if other - one > 1 and to - at > 1
        ]
    return _extended(found, keys, others)


def _unique(
    keys: Sequence[str], start: int, end: int, others: Sequence[str], first: int, last: int
) -> list[tuple[int, int]]:
    """The lines that occur once in both ranges, as pairs in the order of `keys`."""
    num = Counter(keys[start:end])
    num_others = Counter(others[first:last])
    places = {others[at]: at for at in range(first, last)}
    return [
        (at, places[keys[at]])
        for at in range(start, end)
        if keys[at] and num[keys[at]] == 1 and num_others[keys[at]] == 1
    ]


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers rise (by patience sorting)."""
    ends: list[int] = []  # the smallest second number that a chain of each length ends with
    chains: list[tuple[tuple[int, int], int]] = []  # pair, the one before it
    tops: list[int] = []
    for pair in pairs:
        length = bisect_left(ends, pair[1])
        before = tops[length - 1] if length else -1
        chains.append((pair, before))
        ends[length : length + 1] = [pair[1]]
        tops[length : length + 1] = [len(chains) - 1]
    chain = []
    at = tops[-1] if tops else -1
    while at >= 0:
        pair, at = chains[at]
        chain.append(pair)
    return chain[::-1]


def _extended(found: dict[int, int], keys: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Adds the equal lines directly beside twins, as far as they go."""
    taken = set(found.values())
    for step in (1, -1):
        for line in sorted(found, reverse=step < 0):
            at, to = line + step, found[line] + step
            while 0 <= at < len(keys) and 0 <= to < len(others) and at not in found and to not in taken:
                if keys[at] != others[to]:
                    break
                found[at] = to
                taken.add(to)
                at, to = at + step, to + step
    return found
