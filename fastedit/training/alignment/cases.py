"""Edits with known results, and what the search needs of them."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Format, Snippet
from fastedit.errors import EditRefused, SettingsError
from fastedit.lines import body, split_lines
from fastedit.syntax import language_of, outline
from fastedit.syntax.model import Outline
from fastedit.training.cuts import cut_snippet

WRITTEN, CUT = 1.0, 0.4  # what a case weighs
MAX_CUT_LINES = 250
MAX_ORIGINAL_LINES = 700
_FIELDS = ("id", "format", "file", "files", "message", "expected")

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Case:
    """An assistant's message about one file. expected: the file afterwards; None where the message is to be refused.

    package: what it comes from; all cases of a package are on one side when something is checked on held-out ones.
    refusal: why it is to be refused, as ApplyBench's records say; None where they don't.
    """

    name: str
    package: str
    file: str
    original: str
    message: str
    expected: str | None
    weight: float = WRITTEN
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A file before and after a change that somebody made.

    language: as the file's name tells. package: what it comes from, "" where that isn't known.
    """

    file: str
    language: str
    original: tuple[str, ...]
    result: tuple[str, ...]
    package: str = ""


@dataclass(frozen=True, slots=True)
class Laid:
    """A case as the search takes it, without line ends. goal: the result's lines, None where it has to be refused.
    message: what is said of the file."""

    snippets: tuple[Snippet, ...]
    lines: tuple[str, ...]
    goal: tuple[str, ...] | None
    language: str
    found: Outline
    message: str


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, compressed if its name ends in .gz. Raises SettingsError."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
        return [json.loads(line) for line in text.split("\n") if line]
    except FileNotFoundError:
        raise SettingsError(f"{path}: no such file") from None
    except (OSError, EOFError, ValueError) as error:
        raise SettingsError(f"{path}: can't be read as JSON lines: {error}") from error


def read_cases(path: Path) -> list[Case]:
    """The lazy edits of one file in a file of records as ApplyBench has them. Raises SettingsError.

    A folder is taken for one of folders with `edit.md`, `original.*` and `expected.*`, as the golden tests have them.
    """
    if path.is_dir():
        return _read_folders(path)
    cases = []
    for row in read_rows(path):
        if not row.keys() >= set(_FIELDS):
            raise SettingsError(f"{path}: not records of edits: {', '.join(_FIELDS)} are needed")
        if row["format"] != "lazy" or row["file"] is None or len(row["files"]) != 1:
            continue
        name = row["file"]
        expected = None if row["expected"] is None else row["expected"].get(name, row["files"][name])
        package = row.get("package") or row["id"]
        told = (row["id"], package, name, row["files"][name], row["message"], expected)
        cases.append(Case(*told, refusal=row.get("refusal")))
    if not cases:
        raise SettingsError(f"{path}: no lazy edits of one file in it")
    return cases


def _read_folders(path: Path) -> list[Case]:
    cases = []
    for message in sorted(path.glob("*/edit.md")):
        for original in message.parent.glob("original.*"):
            expected = original.with_name(f"expected{original.suffix}")
            if expected.is_file():
                name = message.parent.name
                before, words, after = (one.read_bytes().decode("utf-8") for one in (original, message, expected))
                cases.append(Case(name, name, f"sample{original.suffix}", before, words, after))
    if not cases:
        raise SettingsError(f"{path}: no folders with edit.md, original.* and expected.* in it")
    return cases


def read_changes(path: Path) -> list[RecordedChange]:
    """The changes of a file of pairs (file, original, result) that are small enough. Raises SettingsError."""
    rows = read_rows(path)
    if not all({"file", "original", "result"} <= row.keys() for row in rows):
        raise SettingsError(f"{path}: not pairs: file, original and result are needed")
    return _recorded((row["file"], row["original"], row["result"], "") for row in rows)


def changes_of(cases: Sequence[Case]) -> list[RecordedChange]:
    """The changes of the cases without their messages, where they are small enough."""
    known = ((one.file, one.original, one.expected, one.package) for one in cases if one.expected is not None)
    return _recorded(known)


def _recorded(files: Iterable[tuple[str, str, str, str]]) -> list[RecordedChange]:
    """The changes of files, given by name, text before, text after and package, that are small enough."""
    changes = []
    for file, original, result, package in files:
        if original.count("\n") <= MAX_ORIGINAL_LINES and "\r" not in original:
            name = file.rpartition("/")[2]
            texts = _bodies(original), _bodies(result)
            changes.append(RecordedChange(name, language_of(name, original), *texts, package))
    return changes


def cut_cases(
    changes: Sequence[RecordedChange], phrases: Sequence[str], count: int, chance: random.Random
) -> list[Case]:
    """At most `count` of the changes, drawn, each as a message with a snippet cut from it."""
    cases: list[Case] = []
    for number in chance.sample(range(len(changes)), len(changes)):
        if len(cases) == count:
            break
        change = changes[number]
        snippet = cut_snippet(change.original, change.result, change.language, phrases, chance)
        if not snippet or len(snippet) > MAX_CUT_LINES or any(line.lstrip().startswith("```") for line in snippet):
            continue
        message = "\n".join(("```", *snippet, "```", ""))
        original, result = ("".join(f"{line}\n" for line in lines) for lines in (change.original, change.result))
        name = f"cut-{number}"
        cases.append(Case(name, change.package or name, change.file, original, message, result, CUT))
    return cases


def laid(case: Case) -> Laid | None:
    """The case as the search takes it; None where its message isn't read as lazy snippets."""
    try:
        edits, _ = edits_for(parse_message(case.message), case.file)
    except EditRefused:
        return None
    snippets = tuple(snippet for edit in edits for snippet in edit.snippets)
    if not snippets or any(edit.format not in (Format.LAZY, Format.WHOLE) for edit in edits):
        return None
    lines = _bodies(case.original)
    goal = None if case.expected is None else _bodies(case.expected)
    language = language_of(case.file, case.original)
    return Laid(snippets, lines, goal, language, outline("\n".join(lines), language), edits[0].part_of(case.message))


def _bodies(text: str) -> tuple[str, ...]:
    return tuple(body(line) for line in split_lines(text))


# ---- several processes -----------------------------------------------------------------------------------------------

Mapping = Callable[[Callable[[Item], Result], Sequence[Item]], list[Result]]


class ProcessMap:
    """Calls a function for many items, in the order of the items, in as many processes as asked for."""

    def __init__(self, pool: Any = None) -> None:
        self._pool = pool

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], at_once: int = 4) -> list[Result]:
        """The results of the function, one for each item. at_once: the number of items that a process takes."""
        if self._pool is None:
            return [function(item) for item in items]
        return list(self._pool.imap(function, items, chunksize=at_once))


@contextmanager
def workers(processes: int, prepare: Callable[[Path], None], path: Path) -> Iterator[ProcessMap]:
    """Workers that have all called `prepare(path)`; with one process, the caller is the worker."""
    prepare(path)
    if processes == 1:
        yield ProcessMap()
        return
    # One thread each: the matrices are small. Not forked: torch's threads would be missing in the children.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with get_context("spawn").Pool(processes, prepare, (path,)) as pool:
        yield ProcessMap(pool)
