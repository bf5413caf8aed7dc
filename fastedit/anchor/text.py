"""Prepares lines for comparing: white-space-blind keys, indentation columns, and whether a line tells anything."""

from __future__ import annotations

import re

TAB_COLUMNS = 4
MIN_DIGITS = 4
_WORD = re.compile(r"[A-Za-z_]\w*")
_DIGIT = re.compile(r"\d")


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
