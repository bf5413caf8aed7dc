"""Files as they were before a run, kept so that the run can be undone.

Each run that writes has a record in a folder of the user's own, outside of any project: the last `MAX_RECORDS` of them.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Code, InputRefused, Warning
from fastedit.files import SYSTEM, Delete, Filesystem, Operation, Write, commit, sha256_of
from fastedit.workspace.patch import Plan

MAX_RECORDS = 50
MAX_BYTES = 64 << 20  # of a run's files; more isn't kept


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of a run. before: bytes before the run; after: sha256 of those after it; None where there was no file."""

    path: Path
    before: bytes | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """A run that can be undone. commit: what it was committed as, or ""."""

    path: Path
    root: Path
    files: tuple[KeptFile, ...]
    commit: str = ""


def read_before(plan: Plan) -> tuple[KeptFile, ...]:
    """The files that the plan changes, as they are; to be called before it is written."""
    return tuple(_kept(operation) for one in plan.planned for operation in one.operations)


def keep(folder: Path, root: Path, files: Sequence[KeptFile], *, commit: str = "") -> Record | None:
    """Writes the record of a run; None where that can't be, as the run itself has succeeded by then."""
    if not files or sum(len(file.before or b"") for file in files) > MAX_BYTES:
        return None
    record = Record(folder / f"{time.time_ns()}.json", root, tuple(files), commit)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(record.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(_written(record), file)
        for old in sorted(folder.glob("*.json"))[:-MAX_RECORDS]:
            old.unlink()
    except OSError:
        return None
    return record


def last_record(folder: Path, below: Path) -> Record:
    """The last run all of whose files lie in `below`, or are it. InputRefused(INVALID_PATH) where there is none."""
    for record in _records(folder):
        if all(file.path.is_relative_to(below) for file in record.files):
            return record
    raise InputRefused(Code.INVALID_PATH, f"there is nothing to undo in {below}")


def restore(files: Sequence[KeptFile], root: Path, *, fs: Filesystem = SYSTEM) -> tuple[Warning, ...]:
    """Gives files the bytes from before, all or none.

    InputRefused CONTENT_CONFLICT where one was changed since, FILE_EXISTS where one came to be.
    """
    return commit(root, [operation for file in files if (operation := _back(file))], fs=fs)


def forget(record: Record) -> None:
    """Removes a record that has been used."""
    with suppress(OSError):
        record.path.unlink()


def _kept(operation: Operation) -> KeptFile:
    data = None
    if operation.expected is not None:
        with suppress(OSError):  # gone or closed to us since it was planned: writing it is going to be refused
            data = operation.path.read_bytes()
    after = sha256_of(operation.data) if isinstance(operation, Write) else None
    return KeptFile(operation.path, data, after)


def _back(file: KeptFile) -> Operation | None:
    if file.before is not None:
        return Write(file.path, file.before, file.after)
    return Delete(file.path, file.after) if file.after else None


def _records(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*.json"), reverse=True):
        with suppress(OSError, ValueError, KeyError, TypeError, zlib.error):  # another version's, or cut off
            yield _read(path)


def _written(record: Record) -> dict[str, object]:
    files = [
        {
            "path": str(file.path),
            "before": None if file.before is None else b64encode(zlib.compress(file.before, 1)).decode("ascii"),
            "after": file.after,
        }
        for file in record.files
    ]
    return {"root": str(record.root), "commit": record.commit, "files": files}


def _read(path: Path) -> Record:
    said = json.loads(path.read_text("utf-8"))
    files = tuple(
        KeptFile(
            Path(one["path"]),
            None if one["before"] is None else zlib.decompress(b64decode(one["before"])),
            one["after"],
        )
        for one in said["files"]
    )
    return Record(path, Path(said["root"]), files, said["commit"])
