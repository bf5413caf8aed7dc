"""Tasks in the SWE-bench schema, from a file or from the Hub."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REQUIRED = ("instance_id", "repo", "base_commit", "patch", "test_patch")
HUB_SPLIT = "test"


class InstancesError(Exception):
    """The instances can't be read: no such file, a broken line, a missing field or package."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One task: `patch` fixes the repository at `base_commit`, and `test_patch` brings the tests that show it.

    fail_to_pass, pass_to_pass: names of tests, as the repository's test runner prints them. version: of the
    repository, for its recipe.
    """

    instance_id: str
    repo: str
    base_commit: str
    patch: str
    test_patch: str
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    version: str = ""

    def as_row(self) -> dict[str, Any]:
        """The instance as SWE-bench publishes it."""
        row = asdict(self)
        row["FAIL_TO_PASS"] = list(row.pop("fail_to_pass"))
        row["PASS_TO_PASS"] = list(row.pop("pass_to_pass"))
        return row


def load_instances(source: str) -> list[Instance]:
    """The instances of a .jsonl, .json or .parquet file, or of a Hub data set (`name` or `name:split`).

    Raises InstancesError.
    """
    path = Path(source)
    if path.suffix == ".parquet":
        rows: Iterable[Mapping[str, Any]] = _parquet_rows(path)
    elif path.suffix in (".jsonl", ".json") or path.exists():
        rows = _json_rows(path)
    else:
        rows = _hub_rows(source)
    instances = [read_instance(row, number) for number, row in enumerate(rows, 1)]
    _refuse_repeated([instance.instance_id for instance in instances])
    return instances


def read_instance(row: Mapping[str, Any], number: int = 1) -> Instance:
    """The instance of a row; lists of tests may be JSON inside a string, as on the Hub. Raises InstancesError."""
    missing = [name for name in REQUIRED if not isinstance(row.get(name), str)]
    if missing:
        raise InstancesError(f"instance {number}: no text in {', '.join(missing)}")
    instance_id = row["instance_id"]
    if not instance_id or "/" in instance_id or instance_id.startswith("."):
        raise InstancesError(f"instance {number}: {instance_id!r} can't be the name of a folder")
    return Instance(
        **{name: row[name] for name in REQUIRED},
        fail_to_pass=_test_names(row.get("FAIL_TO_PASS"), number),
        pass_to_pass=_test_names(row.get("PASS_TO_PASS"), number),
        version=str(row.get("version") or ""),
    )


def _test_names(value: Any, number: int) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else []
        except json.JSONDecodeError as error:
            raise InstancesError(f"instance {number}: its list of tests is no JSON: {error}") from error
    if not isinstance(value, Sequence | None) or not all(isinstance(name, str) for name in value or ()):
        raise InstancesError(f"instance {number}: its tests must be a list of names")
    return tuple(value or ())


def _json_rows(path: Path) -> list[Mapping[str, Any]]:
    rows = read_json_lines(path) if path.suffix != ".json" else _read_json(path)
    if not all(isinstance(row, dict) for row in rows):
        raise InstancesError(f"{path} must hold objects, one for each instance")
    return rows


def read_json_lines(path: Path) -> list[Any]:
    """The values of a file of JSON lines; blank lines are passed over. Raises InstancesError."""
    rows = []
    for number, line in enumerate(_read(path).split("\n"), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise InstancesError(f"{path}, line {number}: {error}") from error
    return rows


def _read_json(path: Path) -> list[Any]:
    try:
        rows = json.loads(_read(path))
    except json.JSONDecodeError as error:
        raise InstancesError(f"{path}: {error}") from error
    return rows if isinstance(rows, list) else [rows]


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InstancesError(f"{path} can't be read: {error}") from error


def _parquet_rows(path: Path) -> list[Mapping[str, Any]]:
    try:
        from pyarrow import ArrowException, parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise InstancesError(f"{path.name}: reading parquet needs pyarrow (pip install pyarrow)") from error
    try:
        rows: list[Mapping[str, Any]] = parquet.read_table(path).to_pylist()
    except (OSError, ArrowException) as error:
        raise InstancesError(f"{path} can't be read: {error}") from error
    return rows


def _hub_rows(source: str) -> Iterable[Mapping[str, Any]]:
    name, _, split = source.partition(":")
    try:
        from datasets import load_dataset  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        message = f"there is no file {source}; loading it from the Hub needs the datasets package and a network"
        raise InstancesError(message) from error
    try:
        rows: Iterable[Mapping[str, Any]] = load_dataset(name, split=split or HUB_SPLIT)
    except Exception as error:  # the package has no error class of its own for "not there" and "no network"
        raise InstancesError(f"{source} is no file, and the Hub gives none: {error}") from error
    return rows


def _refuse_repeated(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise InstancesError(f"instances with the same name: {', '.join(repeated[:5])}")
