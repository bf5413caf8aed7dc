"""The lines of EDITS.jsonl and their results: read, checked, and done one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused

FIELDS: dict[str, tuple[type, ...]] = {
    "original": (str,),
    "edit": (str,),
    "path": (str,),
    "instruction": (str,),
    "format": (str,),
    "certainty": (int, float),
    "choose": (int,),
    "id": (str, int),
}
NEEDED = ("original", "edit")
KEY_CHARACTERS = 32
# A later run tries these again: the edit itself may be fine.
PASSING = frozenset({Code.OVERLOADED, Code.TIMEOUT, Code.TARGET_UNAVAILABLE, Code.ENGINE_ERROR})


@dataclass(frozen=True, slots=True)
class How:
    """The options that all edits of a run share; `fastedit.apply` has their meanings. target: a name, or None."""

    mode: str = "auto"
    scope: str = "auto"
    target: str | None = None
    certainty: float | None = None


@dataclass(frozen=True, slots=True)
class LineOffset:
    """An edit's line: where it is in the file, in bytes, and its result's key."""

    key: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class BulkEdit:
    """An edit's line, read."""

    key: str
    text: bytes


# Does rows' edits and yields their results, in any order, some at a time.
Runner = Callable[[Iterable[BulkEdit], How], Iterator[Sequence[bytes]]]


def read_lines(edits: Path, how: How) -> list[LineOffset]:
    """The file's edits, one for each line that isn't blank. Raises InputRefused, naming the first line that is none."""
    told = json.dumps(asdict(how), sort_keys=True).encode()
    lines: list[LineOffset] = []
    start = 0
    try:
        with edits.open("rb") as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    _check(text, f"{edits}:{number}")
                    key = hashlib.sha256(told + b"\n" + text.strip()).hexdigest()[:KEY_CHARACTERS]
                    lines.append(LineOffset(key, start, len(text)))
                start += len(text)
    except OSError as error:
        raise InputRefused(Code.INVALID_PATH, f"{edits} can't be read: {error.strerror}") from error
    return lines


def _check(text: bytes, place: str) -> None:
    """Raises InputRefused where the line is no edit, before anything is done."""
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: not an object with `original` and `edit`")
    for name in NEEDED:
        if name not in fields:
            raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: `{name}` is missing")
    for name, value in fields.items():
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: there is no field `{name}`; known are {known}")
        is_left_out = value is None and name not in NEEDED
        if not is_left_out and (not isinstance(value, FIELDS[name]) or isinstance(value, bool)):
            raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: `{name}` has a value of the wrong type")
    _check_choice(fields, place)


def _check_choice(fields: Mapping[str, Any], place: str) -> None:
    from fastedit.apply import choice_of
    from fastedit.edits.model import Format

    try:
        choice_of(fields.get("certainty"), fields.get("choose"))
        if (format := fields.get("format") or "auto") != "auto":
            Format(format)
    except ValueError as error:
        raise InputRefused(Code.EDIT_UNPARSABLE, f"{place}: {error}") from error


def rows_of(edits: Path, lines: Iterable[LineOffset]) -> Iterator[BulkEdit]:
    """The lines' texts, read as they are asked for."""
    with edits.open("rb") as file:
        for line in lines:
            file.seek(line.start)
            yield BulkEdit(line.key, file.read(line.length).strip())


def apply_row(row: BulkEdit, how: How) -> bytes:
    """The row's result, one line of JSON: `{"key", "id"?, "result"}` or `{"key", "id"?, "error"}`. Raises nothing.

    It says nothing of times, so that the same row has the same result wherever it is done.
    """
    fields = json.loads(row.text)
    try:
        outcome = {"result": _result(fields, how)}
    except EditRefused as refusal:
        outcome = {"error": _error(refusal)}
    except Exception as error:  # noqa: BLE001 one edit's failure is no other's
        outcome = {"error": _error(EngineUnavailable(Code.ENGINE_ERROR, f"unexpected {type(error).__name__}"))}
    return _encoded(row.key, fields, outcome)


def crashed(row: BulkEdit) -> bytes:
    """The result of a row that takes down the process it is done in."""
    error = EngineUnavailable(Code.ENGINE_ERROR, "the process that merged the edit has died")
    return _encoded(row.key, json.loads(row.text), {"error": _error(error)})


def _result(fields: Mapping[str, Any], how: How) -> dict[str, Any]:
    from fastedit.apply import apply
    from fastedit.targets.default import choose_default

    if how.target:
        choose_default(how.target)
    certainty = fields.get("certainty")
    applied = apply(
        fields["original"],
        fields["edit"],
        path=fields.get("path"),
        instruction=fields.get("instruction"),
        format=fields.get("format") or "auto",
        mode=how.mode,
        scope=how.scope,
        certainty=how.certainty if certainty is None else certainty,
        choose=fields.get("choose"),
    )
    return {
        "text": applied.text,
        "strategy": applied.strategy,
        "changes": asdict(applied.changes),
        "warnings": [asdict(warning) for warning in applied.warnings],
        "certainty": round(applied.stats.certainty, 6),
    }


def _error(refusal: EditRefused) -> dict[str, Any]:
    candidates = [asdict(candidate) for candidate in refusal.candidates]
    certainty = refusal.certainty and round(refusal.certainty, 6)
    return {"code": refusal.code.value, "message": refusal.message, "candidates": candidates, "certainty": certainty}


def _encoded(key: str, fields: Mapping[str, Any], outcome: Mapping[str, Any]) -> bytes:
    named = {"id": fields["id"]} if fields.get("id") is not None else {}
    return json.dumps({"key": key, **named, **outcome}).encode()
