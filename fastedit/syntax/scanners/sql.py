"""SQL: a declaration for each statement, named by what it is about."""

from __future__ import annotations

import re

from fastedit.syntax.languages import tokens
from fastedit.syntax.model import Found
from fastedit.syntax.scanners.common import Rows, declaration

_NAME = r"((?:[\w$#@]+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\])(?:\.(?:[\w$#@]+|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]))*)"
_CREATE = re.compile(
    r"CREATE(?:\s+(?:OR\s+(?:REPLACE|ALTER)|GLOBAL|LOCAL|TEMP(?:ORARY)?|UNIQUE|MATERIALIZED|RECURSIVE|UNLOGGED|EXTERNAL"
    r"|CLUSTERED|NONCLUSTERED|FULLTEXT|CONSTRAINT|VIRTUAL|DEFINER\s*=\s*\S+))*"
    r"\s+(\w+)(?:\s+(?:CONCURRENTLY|BODY))?(?:\s+IF\s+NOT\s+EXISTS)?\s+" + _NAME,
    re.I,
)
_OTHER = re.compile(
    r"((?:ALTER|DROP|INSERT|UPDATE|DELETE|SELECT|WITH|GRANT|REVOKE|TRUNCATE|COMMENT|MERGE|COPY|SET|USE|CALL|REPLACE|PRAGMA)\b"
    r"(?:\s+(?:INTO|FROM|ON|TABLE|VIEW|INDEX|TYPE|FUNCTION|PROCEDURE|TRIGGER|DATABASE|SCHEMA|ONLY|IF|EXISTS|COLUMN))*)"
    r"(?:(?<!SELECT)\s+" + _NAME + ")?",
    re.I,
)
_KINDS = {"function": "function", "procedure": "function", "proc": "function", "trigger": "function", "index": "value"}
_ROUTINE = re.compile(r"\s*CREATE\b[^;(]*?\b(?:FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE|EVENT)\b", re.I)
_BLOCK_WORD = re.compile(r"\b(BEGIN|CASE|END(?:\s+(?:IF|LOOP|WHILE|REPEAT|FOR))?)\b", re.I)
_BATCH_END = re.compile(r"^GO(?=[ \t]*\r?$)", re.I | re.M)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[^\n]*", re.I | re.M)
_MAX_DELIMITERS = 8


def find(text: str, _language: str) -> list[Found]:
    """The statements of the text that start with a known verb."""
    rows = Rows(text)
    found: list[Found] = []
    for start, end in _statements(_with_plain_ends(text)):
        item = _statement(text[start:end], rows.of(start), rows.of(max(start, end - 1)) + 1)
        if item is not None:
            found.append(item)
    return found


def _with_plain_ends(text: str) -> str:
    """The text with every other mark for the end of a statement made a `;`; offsets stay what they were."""
    delimiters = {match[1] for match in _DELIMITER.finditer(text)} - {";"}
    for delimiter in sorted(delimiters)[:_MAX_DELIMITERS]:
        plain = ";".ljust(len(delimiter))
        text = re.sub(re.escape(delimiter) + r"(?=[ \t]*\r?$)", plain, text, flags=re.M)
    text = _DELIMITER.sub(lambda match: " " * len(match[0]), text)
    return _BATCH_END.sub("; ", text)


def _statements(text: str) -> list[tuple[int, int]]:
    """(start, end) of the statements; a `;` between BEGIN and END doesn't end a routine."""
    statements: list[tuple[int, int]] = []
    start = code_start = num_blocks = 0
    for what, at, behind in [*tokens(text, "sql"), (";", len(text), len(text))]:
        num_blocks += sum(_step(match[1]) for match in _BLOCK_WORD.finditer(text, code_start, at))
        if what == "comment" and code_start == start and not text[start:at].strip():
            start = behind
        code_start = behind
        if what != ";" or (num_blocks > 0 and at < len(text) and _ROUTINE.match(text, start)):
            continue
        start += len(text[start:at]) - len(text[start:at].lstrip())
        if start < at:
            statements.append((start, behind))
        start, num_blocks = behind, 0
    return statements


def _step(word: str) -> int:
    """The number by which a word changes how many blocks are open."""
    if word[:3].upper() == "END":
        return -1 if len(word) == 3 else 0
    return 1


def _statement(text: str, start: int, end: int) -> Found | None:
    header = text.split("\n", 1)[0]
    created = _CREATE.match(text)
    if created is not None:
        kind, name = _KINDS.get(created[1].lower(), "class"), created[2]
    elif (other := _OTHER.match(text)) is not None:
        kind, name = "block", " ".join(f"{other[1]} {other[2] or ''}".split())
    else:
        return None
    return declaration(kind, re.sub(r"[\"`\[\]]", "", name), start, start + 1, end, header)
