"""What makes a record fit to be in the benchmark, each doubt one line of text."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

from evals.applybench.records import DATA, FIRST_WRITER, SPLITS, BadRecord, Record, read
from fastedit.applied import unified_diff
from fastedit.lines import split_lines

OWN = "written for this set"  # what the licence says of originals that are from no package
PERMISSIVE = frozenset({
    "0BSD", "AFL-3.0", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause",
    "BSL-1.0", "CC0-1.0", "curl", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "NCSA", "PHP-3.01", "PostgreSQL", "PSF-2.0",
    "Python-2.0", "Ruby", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "W3C", "WTFPL", "X11", "Zlib", "ZPL-2.1", OWN,
})  # fmt: skip
EXCLUDED = Path(__file__).parent / "excluded.txt"
SHORTEST_COPY = 200  # characters: shorter files may well be equal by chance
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a record can't stay. where: its id, or what several of them share."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


def check_splits(folder: Path = DATA) -> tuple[dict[str, int], list[Doubt]]:
    """How many records each split has that has a file, and the doubts about all of them."""
    splits: dict[str, list[Record]] = {}
    doubts: list[Doubt] = []
    for split in SPLITS:
        try:
            entries = list(read(split, folder))
        except FileNotFoundError:
            continue
        splits[split] = [entry for entry in entries if isinstance(entry, Record)]
        for entry in entries:
            if isinstance(entry, BadRecord):
                where, _, text = str(entry).partition(": ")
                doubts.append(Doubt(where, text))
            else:
                doubts += (Doubt(entry.id, text) for text in check_record(entry))
    doubts += check_between(splits)
    return {split: len(records) for split, records in splits.items()}, doubts


def check_record(record: Record) -> Iterator[str]:
    """The doubts about a record by itself."""
    if not is_permissive(record.licence):
        yield f"the licence {record.licence!r} isn't among the permissive ones"
    if record.writer != FIRST_WRITER and record.package is not None:
        pattern = excluded_by(record.package)
        if pattern:
            yield f"the package {record.package} is kept for judging ({pattern})"
    if record.licence != OWN and record.package is None:
        yield "no package is named, but the licence is one of a package"
    yield from (f"{name} has NUL characters" for name, text in _texts(record) if "\0" in text)
    if record.expected is not None:
        yield from _check_expected(record)


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    yield "the message", record.message
    yield from record.files.items()
    yield from (record.expected or {}).items()


def _check_expected(record: Record) -> Iterator[str]:
    expected = record.expected or {}
    if not expected and not record.deletes:
        yield "nothing is expected to change"
    for name, text in expected.items():
        original = record.files.get(name, "")
        if text == original:
            yield f"{name} is expected as it was"
        elif not unified_diff(original, text, name).startswith("--- "):
            yield f"{name} has no unified diff"
    known = _Known(record)
    for name, text in expected.items():
        for number, line in _added(record.files.get(name, ""), text):
            if not _follows(line, known):
                yield f"line {number} of {name} is neither in the message nor made of it and the original"
                break


@dataclass(frozen=True)
class _Known:
    record: Record

    @cached_property
    def message(self) -> str:
        """The message without white space."""
        return "".join(self.record.message.split())

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Those of the message and all originals; most records have only lines that are in the message."""
        sources = [self.record.message, *self.record.files, *self.record.files.values()]
        return frozenset(token for text in sources for token in _TOKEN.findall(text))


def _added(original: str, expected: str) -> Iterator[tuple[int, str]]:
    """The lines that the original doesn't have (or not so often), white space aside, with their 1-based numbers."""
    left = Counter("".join(line.split()) for line in split_lines(original))
    for number, line in enumerate(split_lines(expected), start=1):
        bare = "".join(line.split())
        if left[bare]:
            left[bare] -= 1
        elif bare:
            yield number, line


def _follows(line: str, known: _Known) -> bool:
    """Whether a line is in the message, white space aside, or has no token that message and originals don't have."""
    return "".join(line.split()) in known.message or known.tokens.issuperset(_TOKEN.findall(line))


def is_permissive(licence: str) -> bool:
    """Whether an SPDX expression (or `A/B`) leaves a choice that asks for no more than notices."""
    choices = re.split(r"\s+OR\s+|/", licence.replace("(", " ").replace(")", " "))
    return any(all(part.strip() in PERMISSIVE for part in re.split(r"\s+AND\s+", choice)) for choice in choices)


def excluded_by(package: str) -> str:
    """The pattern of a package that is kept for judging, or an empty text."""
    name = canonical(package)
    return next((pattern for pattern in excluded() if fnmatchcase(name, pattern)), "")


@cache
def excluded() -> tuple[str, ...]:
    """The patterns in `excluded.txt`."""
    lines = EXCLUDED.read_text("utf-8").split("\n")
    return tuple(line.strip().lower() for line in lines if line.strip() and not line.startswith("#"))


def canonical(package: str) -> str:
    """One spelling for a package that registries spell differently."""
    return package.strip().lower().replace("_", "-").removeprefix("python3-")


def check_between(splits: Mapping[str, Iterable[Record]]) -> Iterator[Doubt]:
    """The doubts about records beside each other: an id twice; a package, a writer or a file in two splits."""
    ids: Counter[str] = Counter()
    places: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for split, records in splits.items():
        for record in records:
            ids[record.id] += 1
            for shared in _shared(record):
                places[shared][split].add(record.id)
    yield from (Doubt(name, f"{count} records have this id") for name, count in ids.items() if count > 1)
    for shared, found in places.items():
        if len(found) > 1:
            told = "; ".join(f"{split}: {_some(names)}" for split, names in found.items())
            yield Doubt(shared, f"is in {len(found)} splits ({told})")


def _shared(record: Record) -> Iterator[str]:
    """What a record must not share with one of another split."""
    yield f"writer {record.writer}"
    if record.package is not None:
        yield f"package {canonical(record.package)}"
    for text in record.files.values():
        if len(text) >= SHORTEST_COPY:
            yield f"the same original ({hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]})"


def _some(names: Iterable[str], most: int = 3) -> str:
    ordered = sorted(names)
    return ", ".join(ordered[:most]) + (f" and {len(ordered) - most} more" if len(ordered) > most else "")
