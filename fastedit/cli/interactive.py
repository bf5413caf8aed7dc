"""`--interactive`: hunk by hunk, and the reading where there are several, by asking whoever sits at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TextIO

from rapidfuzz.distance import Indel

from fastedit.applied import Applied, unified_diff
from fastedit.cli.terminal import visible
from fastedit.errors import Candidate, EditRefused, SettingsError
from fastedit.lines import split_lines
from fastedit.merged import DEFAULT_CHOICE

ANSWERS = "y: take it, n: leave it out, a: take it and the rest, d: leave it and the rest out, q: quit"
Merge = Callable[..., Applied]


@dataclass(frozen=True, slots=True)
class OfferedHunk:
    """Lines [start, end) of the old text become `new`, with their line ends."""

    start: int
    end: int
    new: tuple[str, ...]


def asking(merge: Merge, ask: Callable[[str], str]) -> Merge:
    """Makes `merge` ask which reading is meant where it can't tell, and which of the hunks are wanted."""

    def merged(original: str, edits: Any, **how: Any) -> Applied:
        applied = _chosen(merge, original, edits, how, ask)
        text = _wanted(original, applied.text, how.get("path") or "original", ask)
        return replace(applied, text=text) if text != applied.text else applied

    return merged


def _chosen(merge: Merge, original: str, edits: Any, how: dict[str, Any], ask: Callable[[str], str]) -> Applied:
    try:
        return merge(original, edits, **how)
    except EditRefused as refusal:
        readings = [candidate for candidate in refusal.candidates if candidate.choice]
        if not readings:
            raise
        choice = replace(how.get("choice") or DEFAULT_CHOICE, reading=_number(refusal, readings, ask))
        return merge(original, edits, **{**how, "choice": choice})


def _number(refusal: EditRefused, readings: list[Candidate], ask: Callable[[str], str]) -> int:
    """Asks for the number of a reading. Raises KeyboardInterrupt for q."""
    shown = [f"  {one.choice}: line {one.start_line + 1}: {one.words}" for one in readings]
    question = "\n".join([refusal.message, *shown, f"which one? [{readings[0].choice}-{readings[-1].choice}, q] "])
    while True:
        answer = ask(question).strip().lower()
        if answer == "q":
            raise KeyboardInterrupt
        if answer in {str(one.choice) for one in readings}:
            return int(answer)


def _wanted(before: str, after: str, path: str, ask: Callable[[str], str]) -> str:
    """The old text with those hunks in it that are answered with yes."""
    old = split_lines(before)
    hunks = list(hunks_of(old, split_lines(after)))
    wanted: list[OfferedHunk] = []
    rest = ""
    for number, hunk in enumerate(hunks, 1):
        shown = visible(unified_diff(before, with_hunks(old, [hunk]), path))
        answer = rest or _answer(f"{shown}hunk {number} of {len(hunks)}: take it? [y,n,a,d,q,?] ", ask)
        rest = answer if answer in "ad" else rest
        if answer in "ya":
            wanted.append(hunk)
    return after if len(wanted) == len(hunks) else with_hunks(old, wanted)


def _answer(question: str, ask: Callable[[str], str]) -> str:
    """The answer: y, n, a or d. Raises KeyboardInterrupt for q."""
    answer = ask(question).strip().lower()[:1]
    while answer not in ("y", "n", "a", "d"):
        if answer == "q":
            raise KeyboardInterrupt
        answer = ask(f"{ANSWERS} ").strip().lower()[:1]
    return answer


def hunks_of(old: list[str], new: list[str]) -> Iterator[OfferedHunk]:
    """The hunks that turn the old lines into the new ones: neighbouring changes are one hunk."""
    start = end = first = last = 0
    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            if (start, first) != (end, last):
                yield OfferedHunk(start, end, tuple(new[first:last]))
            start, end, first, last = step.src_end, step.src_end, step.dest_end, step.dest_end
        else:
            end, last = step.src_end, step.dest_end
    if (start, first) != (end, last):
        yield OfferedHunk(start, end, tuple(new[first:last]))


def with_hunks(old: list[str], hunks: list[OfferedHunk]) -> str:
    """The old text with some hunks, ascending, in it."""
    parts: list[str] = []
    at = 0
    for hunk in hunks:
        parts += [*old[at : hunk.start], *hunk.new]
        at = hunk.end
    return "".join(parts + old[at:])


def ask_at_terminal(question: str) -> str:
    """Asks at the terminal, even if standard input is something else. Raises SettingsError where there is none."""
    how: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
    with suppress(OSError), open("/dev/tty", **how) as reader, open("/dev/tty", "w", **how) as writer:
        return _asked(question, reader, writer)
    if sys.stdin is not None and sys.stdin.isatty():
        return _asked(question, sys.stdin, sys.stderr)
    raise SettingsError("there is no terminal to ask at")


def _asked(question: str, reader: TextIO, writer: TextIO) -> str:
    writer.write(question)
    writer.flush()
    line = reader.readline()
    if not line:
        raise KeyboardInterrupt
    return line
