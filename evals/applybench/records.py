"""A case of the benchmark, and the files that the cases lie in."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

DATA = Path(__file__).parent / "data"
SPLITS = ("train", "validation", "test")
TIERS = ("clear", "sloppy", "hard", "refuse")
STYLES = ("chat", "markers", "agent", "config", "partial", "foreign", "patch", "refuse", "other")
FORMATS = ("lazy", "udiff", "search_replace", "v4a", "whole", "multi_file")
CHECKS = ("agreed", "mended", None)
# Why a message can't be applied. twins: what it shows fits several places alike; absent: it changes what the file
# hasn't; version: it shows the file as it was, or will be; contradiction: its words say otherwise than its code;
# untold: its words ask for what they don't tell; place: it puts something where the file has no such place.
REFUSALS = ("twins", "absent", "version", "contradiction", "untold", "place", None)
# Whoever chose these cases did so before there were splits, or a list of what is kept for judging.
FIRST_WRITER = 0


class BadRecord(Exception):
    """A line that is no record. Its message says which one and why."""


@dataclass(frozen=True, slots=True)
class Record:
    """One message and what it makes of the files.

    file: the name that the message is applied to, or None where it names its files itself. files: all originals by
    name. expected: the files that change or are new, or None where the right answer is to refuse. deletes: files that
    must be gone. package: what the originals are from, or None where they were written for the benchmark.
    writer, checker: numbers of those who wrote the message and who applied it blind; checked: whether that one got
    the expected bytes at once (`agreed`) or the case was changed first (`mended`); both None where nobody was asked.
    refusal: one of REFUSALS, None where nobody said, or the message can be applied.
    """

    id: str
    language: str
    tier: str
    style: str
    format: str
    file: str | None
    files: Mapping[str, str]
    message: str
    expected: Mapping[str, str] | None
    deletes: tuple[str, ...]
    source: str
    package: str | None
    licence: str
    writer: int
    checker: int | None
    checked: str | None
    why: str
    refusal: str | None = None

    @property
    def result(self) -> dict[str, str] | None:
        """All files as they should be afterwards, or None where the right answer is to refuse."""
        if self.expected is None:
            return None
        return {name: text for name, text in self.files.items() if name not in self.deletes} | dict(self.expected)


FIELDS = frozenset(Record.__dataclass_fields__)


def record_of(data: Any, where: str) -> Record:
    """The record that parsed JSON holds. Raises BadRecord, which names the record or else `where` it stands."""
    if not isinstance(data, dict):
        raise BadRecord(f"{where}: not a JSON object")
    where = str(data.get("id") or where)
    missing, unknown = FIELDS - data.keys() - {"refusal"}, data.keys() - FIELDS
    if missing or unknown:
        told = [f"no {', '.join(sorted(missing))}"] * bool(missing)
        told += [f"unknown {', '.join(sorted(map(str, unknown)))}"] * bool(unknown)
        raise BadRecord(f"{where}: {'; '.join(told)}")
    for problem in chain(_wrong_values(data), _wrong_files(data)):
        raise BadRecord(f"{where}: {problem}")
    return Record(**{**data, "deletes": tuple(data["deletes"])})


def _wrong_values(data: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the fields by themselves."""
    for name in ("id", "language", "tier", "style", "format", "message", "source", "licence", "why"):
        if not isinstance(data[name], str) or not data[name].strip():
            yield f"{name} must be a text that isn't empty"
    of_few = (("tier", TIERS), ("style", STYLES), ("format", FORMATS), ("checked", CHECKS), ("refusal", REFUSALS))
    for name, allowed in of_few:
        if data.get(name) not in allowed:
            yield f"{name} is {data.get(name)!r}, not one of {', '.join(map(str, allowed))}"
    for name, kinds in (("file", (str, type(None))), ("package", (str, type(None))), ("deletes", (list, tuple))):
        if not isinstance(data[name], kinds):
            yield f"{name} has a wrong type: {type(data[name]).__name__}"
    if not _is_number(data["writer"]) or not (data["checker"] is None or _is_number(data["checker"])):
        yield "writer and checker must be numbers (checker may be null)"
    if (data["checked"] is None) != (data["checker"] is None):
        yield "checker and checked belong together"


def _wrong_files(data: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong between the fields about files."""
    if not _is_tree(data["files"]) or not (data["expected"] is None or _is_tree(data["expected"])):
        yield "files and expected must give a text for each name (expected may be null)"
        return
    names = [*data["files"], *(data["expected"] or ()), *data["deletes"]]
    yield from (f"{name!r} is no name below the case's folder" for name in names if not _is_inside(name))
    if data["file"] is not None and data["file"] not in data["files"]:
        yield f"file {data['file']!r} is not among the files"
    if data.get("refusal") is not None and data["expected"] is not None:
        yield "refusal is told where a message can't be applied, and only there"
    if (data["expected"] is None) != (data["tier"] == "refuse"):
        yield "expected is null in the tier refuse, and only there"
    yield from (f"deletes {name!r}, which isn't there" for name in data["deletes"] if name not in data["files"])


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_tree(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair)


def _is_inside(name: Any) -> bool:
    if not isinstance(name, str) or not name or "\\" in name or "\0" in name:
        return False
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and path.as_posix() == name


def path_of(split: str, folder: Path = DATA) -> Path:
    """The file of a split."""
    return folder / f"{split}.jsonl.gz"


def read(split: str, folder: Path = DATA) -> Iterator[Record | BadRecord]:
    """A split's records in their order, a BadRecord in place of each line that holds none.

    Raises FileNotFoundError where the split has no file.
    """
    try:
        lines = gzip.decompress(path_of(split, folder).read_bytes()).decode("utf-8").split("\n")
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError) as error:
        yield BadRecord(f"{split}: the file can't be read: {error}")
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield record_of(json.loads(line), f"{split}, line {number}")
            except ValueError as error:
                yield BadRecord(f"{split}, line {number}: no JSON: {error}")
            except BadRecord as error:
                yield error


def load(split: str, folder: Path = DATA) -> list[Record]:
    """A split's records. Raises BadRecord at the first line that holds none."""
    records = []
    for record in read(split, folder):
        if isinstance(record, BadRecord):
            raise record
        records.append(record)
    return records


def text_of(records: Iterable[Record]) -> str:
    """The records as lines of JSON: what a split's file holds, unpacked."""
    rows = (json.dumps(_fields_of(record), ensure_ascii=False, sort_keys=True) + "\n" for record in records)
    return "".join(rows)


def _fields_of(record: Record) -> dict[str, Any]:
    """The fields as they are stored: `refusal` only where it says something."""
    fields = asdict(record)
    if record.refusal is None:
        del fields["refusal"]
    return fields


def packed(records: list[Record]) -> bytes:
    """The bytes of a split's file: the same for the same records, whenever and wherever they are made."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=9, mtime=0) as file:
        file.write(text_of(records).encode("utf-8"))
    return buffer.getvalue()
