"""Every error that FastEdit raises on purpose, and what it means to a caller.

    FastEditError
    ├── EditRefused              the edit was not applied; nothing has changed
    │   ├── EditUnreadable       EDIT_EMPTY, EDIT_UNPARSABLE: no edit in the text, or a broken one
    │   ├── PlaceUnknown         ANCHOR_NOT_FOUND, ANCHOR_AMBIGUOUS: the place can't be told
    │   ├── InputRefused         NOT_TEXT, INVALID_PATH, FILE_EXISTS, TOO_LARGE, CONTENT_CONFLICT
    │   ├── ResultRefused        MARKER_LEAKAGE, TRUNCATION_DETECTED, SYMBOL_LOST, SYNTAX_BROKEN,
    │   │                        BLAST_RADIUS_EXCEEDED: the guard turned the result down; CHECK_FAILED: a check did
    │   └── EngineUnavailable    OVERLOADED, TIMEOUT, TARGET_UNAVAILABLE, ENGINE_ERROR
    └── SettingsError            a setting that can't be used

`STATUSES` is the only table from codes to HTTP and exit statuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Code(StrEnum):
    ANCHOR_NOT_FOUND = "ANCHOR_NOT_FOUND"
    ANCHOR_AMBIGUOUS = "ANCHOR_AMBIGUOUS"
    CONTENT_CONFLICT = "CONTENT_CONFLICT"
    EDIT_EMPTY = "EDIT_EMPTY"
    EDIT_UNPARSABLE = "EDIT_UNPARSABLE"
    NOT_TEXT = "NOT_TEXT"
    INVALID_PATH = "INVALID_PATH"
    FILE_EXISTS = "FILE_EXISTS"
    TOO_LARGE = "TOO_LARGE"
    MARKER_LEAKAGE = "MARKER_LEAKAGE"
    TRUNCATION_DETECTED = "TRUNCATION_DETECTED"
    SYMBOL_LOST = "SYMBOL_LOST"
    SYNTAX_BROKEN = "SYNTAX_BROKEN"
    BLAST_RADIUS_EXCEEDED = "BLAST_RADIUS_EXCEEDED"
    CHECK_FAILED = "CHECK_FAILED"
    OVERLOADED = "OVERLOADED"
    TIMEOUT = "TIMEOUT"
    TARGET_UNAVAILABLE = "TARGET_UNAVAILABLE"
    ENGINE_ERROR = "ENGINE_ERROR"


class Status(NamedTuple):
    http: int
    exit: int


STATUSES: dict[Code, Status] = {
    Code.ANCHOR_NOT_FOUND: Status(409, 4),
    Code.ANCHOR_AMBIGUOUS: Status(409, 4),
    Code.CONTENT_CONFLICT: Status(409, 4),
    Code.EDIT_EMPTY: Status(422, 3),
    Code.EDIT_UNPARSABLE: Status(422, 3),
    Code.NOT_TEXT: Status(422, 3),
    Code.INVALID_PATH: Status(422, 3),
    Code.FILE_EXISTS: Status(422, 3),
    Code.TOO_LARGE: Status(413, 3),
    Code.MARKER_LEAKAGE: Status(422, 5),
    Code.TRUNCATION_DETECTED: Status(422, 5),
    Code.SYMBOL_LOST: Status(422, 5),
    Code.SYNTAX_BROKEN: Status(422, 5),
    Code.BLAST_RADIUS_EXCEEDED: Status(422, 5),
    Code.CHECK_FAILED: Status(422, 5),
    Code.OVERLOADED: Status(429, 6),
    Code.TIMEOUT: Status(504, 6),
    Code.TARGET_UNAVAILABLE: Status(503, 6),
    Code.ENGINE_ERROR: Status(500, 1),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place in the original that the edit may have meant.

    start_line, end_line: 0-based, half-open. reason: one sentence for a person or an agent.
    path: the file that it is in (the place itself, where both lines are 0), or "" for the one that was given.
    choice: the number of the reading of the edit that means this place, to be chosen by; 0 where there is none.
    new: the first of the lines that this reading writes there.
    """

    start_line: int
    end_line: int
    reason: str
    text: str = ""
    path: str = ""
    choice: int = 0
    new: str = ""

    @property
    def words(self) -> str:
        """The reason and, where it is known, what would be written: `reading 1 (49%): replaces line 6: "return x"`."""
        return f"{self.reason}: `{self.new}`" if self.new else self.reason


@dataclass(frozen=True, slots=True)
class Warning:
    """Something the caller should know about a result that was given all the same.

    line: 0-based line of the result that it is about, or None.
    """

    code: str
    message: str
    line: int | None = None


class FastEditError(Exception):
    """Base of everything FastEdit raises on purpose."""


class SettingsError(FastEditError):
    """A setting has a value that can't be used, or an unknown name."""


class EditRefused(FastEditError):
    """The edit was not applied, and nothing has changed.

    code: one of `Code`; message: one or two sentences without source code in them;
    candidates: places that may have been meant, best first; certainty: how likely the best reading of a lazy edit is
    right, where it was refused for that, else None.
    """

    def __init__(
        self,
        code: Code | str,
        message: str,
        candidates: tuple[Candidate, ...] = (),
        certainty: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = Code(code)
        self.message = message
        self.candidates = candidates
        self.certainty = certainty

    @property
    def exit_status(self) -> int:
        return STATUSES[self.code].exit

    def __str__(self) -> str:
        return f"{self.code.value}: {self.message}"

    def __reduce__(self) -> tuple[type[EditRefused], tuple[Code, str, tuple[Candidate, ...], float | None]]:
        return type(self), (self.code, self.message, self.candidates, self.certainty)


class EditUnreadable(EditRefused):
    """There is no edit in the text, or a broken one."""


class PlaceUnknown(EditRefused):
    """The original has no such place, or several."""


class InputRefused(EditRefused):
    """The file, its path or its size can't be used."""


class ResultRefused(EditRefused):
    """The guard, or a check that was asked for, turned the result down."""


class EngineUnavailable(EditRefused):
    """No target could answer in time. retry_after_s: seconds after which one may, where that can be said."""

    def __init__(
        self,
        code: Code | str,
        message: str,
        candidates: tuple[Candidate, ...] = (),
        certainty: float | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(code, message, candidates, certainty)
        self.retry_after_s = retry_after_s
