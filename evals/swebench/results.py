"""Verdicts on disk: one JSON line each, appended as they come, so that a run that was killed goes on where it was."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

RESULTS, PREDICTIONS, SETTINGS, LOCK = "results.jsonl", "predictions.jsonl", "run.json", ".lock"


class ResultsError(Exception):
    """The folder of results can't be used: it belongs to another run, or one is going on in it."""


class Applied(StrEnum):
    """exact: the gold patch's own files. differs: applied, with other files. refused: EditRefused. error: any other
    exception. missing: there was no edit. none: it never came to that."""

    EXACT = "exact"
    DIFFERS = "differs"
    REFUSED = "refused"
    ERROR = "error"
    MISSING = "missing"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one instance.

    written_as: how each message was written. files: those that were applied, as dicts (path, strategy, warnings).
    note: the refusal or exception. resolved, gold_resolved: whether all the named tests pass, None where they weren't
    run. failing: tests that should pass and don't. problem: why the instance couldn't be judged, "" where it could.
    model_patch: the diff that the official harness takes. difference: how its files differ from the gold patch's.
    """

    instance_id: str
    repo: str
    applied: Applied
    written_as: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    files: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    resolved: bool | None = None
    gold_resolved: bool | None = None
    failing: tuple[str, ...] = ()
    problem: str = ""
    model_patch: str = ""
    difference: str = ""
    num_changed_lines: int = 0
    apply_ms: float = 0.0
    tests_s: float = 0.0

    @property
    def is_applied(self) -> bool:
        return self.applied in (Applied.EXACT, Applied.DIFFERS)


def read_result(row: Mapping[str, Any]) -> Result:
    """The result of a JSON line's object."""
    values = {field.name: row[field.name] for field in fields(Result) if field.name in row}
    for name in ("written_as", "habits", "files", "failing"):
        values[name] = tuple(values.get(name, ()))
    return Result(**values | {"applied": Applied(row["applied"])})


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one run in a folder."""

    folder: Path
    model_name: str

    def load(self) -> dict[str, Result]:
        """What is there already. A last line that was cut off by a kill is dropped from the file."""
        path = self.folder / RESULTS
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            _write(path, whole)
        rows = (json.loads(line) for line in whole.decode("utf-8").split("\n") if line)
        return {row["instance_id"]: read_result(row) for row in rows}

    def append(self, result: Result) -> None:
        """Adds a result, as one write."""
        line = json.dumps(asdict(result), ensure_ascii=False) + "\n"
        file = os.open(self.folder / RESULTS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, line.encode("utf-8"))
            os.fsync(file)
        finally:
            os.close(file)

    def write_all(self, results: Sequence[Result]) -> None:
        """Both files anew, in this order: the results, and the predictions that follow from them."""
        _write_lines(self.folder / RESULTS, [asdict(result) for result in results])
        _write_lines(self.folder / PREDICTIONS, [self._prediction(result) for result in results])

    def _prediction(self, result: Result) -> dict[str, str]:
        return {
            "instance_id": result.instance_id,
            "model_name_or_path": self.model_name,
            "model_patch": result.model_patch,
        }

    @contextmanager
    def opened(self, settings: Mapping[str, Any]) -> Iterator[None]:
        """The folder for this run alone. Raises ResultsError where it has another run's results or a run goes on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise ResultsError(f"another run is writing to {self.folder}") from error
            self._check(settings)
            yield

    def _check(self, settings: Mapping[str, Any]) -> None:
        path = self.folder / SETTINGS
        if path.exists() and (self.folder / RESULTS).exists():
            known = json.loads(path.read_text("utf-8"))
            other = [name for name in settings if known.get(name) != json.loads(json.dumps(settings[name]))]
            if other:
                raise ResultsError(f"{self.folder} has results of another run (other {', '.join(other)})")
        _write(path, (json.dumps(settings, indent=1) + "\n").encode("utf-8"))


def _write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8"))


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
