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
Ask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class OfferedHunk:
    """Lines [start, end) of the old text become `new`, with their line ends."""

    start: int
    end: int
    new: tuple[str, ...]


def asking(merge: Merge, ask: Ask, show: Callable[[str], str] = visible) -> Merge:
    """Makes `merge` ask which reading is meant where it can't tell, and which of the hunks are wanted.

    show: makes a diff fit for a terminal.
    """
    choose = choosing(merge, ask)

    def merged(original: str, edits: Any, **how: Any) -> Applied:
        applied = choose(original, edits, **how)
        text = _wanted(original, applied.text, how.get("path") or "original", ask, show)
        return replace(applied, text=text) if text != applied.text else applied

    return merged


def choosing(merge: Merge, ask: Ask) -> Merge:
    """Makes `merge` ask which reading of a lazy edit is meant where it can't tell."""

    def merged(original: str, edits: Any, **how: Any) -> Applied:
        try:
            return merge(original, edits, **how)
        except EditRefused as refusal:
            readings = [candidate for candidate in refusal.candidates if candidate.choice]
            if not readings:
                raise
            if len(edits) > 1:  # readings are of one edit
                return _one_by_one(merged, original, edits, how)
            number = _number(refusal, readings, how.get("path") or "original", ask)
            choice = replace(how.get("choice") or DEFAULT_CHOICE, reading=number or readings[0].choice)
            applied = merge(original, edits, **{**how, "choice": choice})
            return applied if number else replace(applied, text=original, warnings=())

    return merged


def _one_by_one(merge: Merge, original: str, edits: Any, how: dict[str, Any]) -> Applied:
    first, *rest = edits
    applied = merge(original, [first], **how)
    for edit in rest:
        after = merge(applied.text, [edit], **how)
        warnings, stats = (*applied.warnings, *after.warnings), applied.stats.plus(after.stats)
        applied = replace(after, original=original, warnings=warnings, stats=stats)
    return applied


def _number(refusal: EditRefused, readings: list[Candidate], path: str, ask: Ask) -> int:
    """Asks for the number of a reading: 0 for none of them. Raises KeyboardInterrupt for q."""
    first, last = readings[0].choice, readings[-1].choice
    shown = [f"  {path}:{one.start_line + 1}: {one.words}" for one in readings]
    question = "\n".join([f"{path}: {refusal.message}", *shown, f"which reading? [{first}-{last},n,q,?] "])
    answer = ask(visible(question)).strip().lower()
    while answer not in {"n", *(str(one.choice) for one in readings)}:
        if answer == "q":
            raise KeyboardInterrupt
        answer = ask(f"{first}-{last}: take that reading, n: leave the edit out, q: quit ").strip().lower()
    return 0 if answer == "n" else int(answer)


def _wanted(before: str, after: str, path: str, ask: Ask, show: Callable[[str], str]) -> str:
    """The old text with those hunks in it that are answered with yes."""
    old = split_lines(before)
    hunks = list(hunks_of(old, split_lines(after)))
    wanted: list[OfferedHunk] = []
    rest = ""
    for number, hunk in enumerate(hunks, 1):
        shown = show(unified_diff(before, with_hunks(old, [hunk]), path))
        answer = rest or _answer(f"{shown}hunk {number} of {len(hunks)}: take it? [y,n,a,d,q,?] ", ask)
        rest = answer if answer in "ad" else rest
        if answer in "ya":
            wanted.append(hunk)
    return after if len(wanted) == len(hunks) else with_hunks(old, wanted)


def _answer(question: str, ask: Ask) -> str:
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
