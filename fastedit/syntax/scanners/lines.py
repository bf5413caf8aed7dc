"""Makefiles, Dockerfiles, INI and the like: what a line starts with says what it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fastedit.syntax.languages import comment_syntax
from fastedit.syntax.scanners.common import declaration, without_blank_end
from fastedit.syntax.walk import Found

Extent = Callable[[list[str], int], int]
"""One behind the last line of a declaration, from the lines and the line it starts on."""


def _one_line(_lines: list[str], line: int) -> int:
    return line + 1


def _continued(lines: list[str], line: int) -> int:
    """With the lines that a backslash continues."""
    while line < len(lines) and lines[line].rstrip().endswith("\\"):
        line += 1
    return min(line + 1, len(lines))


def _recipe(lines: list[str], line: int) -> int:
    """With the indented lines below, and the blank lines and comments between them."""
    end = follow = _continued(lines, line)
    while follow < len(lines) and (not lines[follow].strip() or lines[follow][0] in " \t#"):
        is_part = bool(lines[follow].strip()) and lines[follow][0] in " \t"
        follow += 1
        end = follow if is_part else end
    return end


def _until(pattern: str) -> Extent:
    """With everything up to the line that the pattern matches; one line where there is none."""
    ending = re.compile(pattern, re.I)

    def extent(lines: list[str], line: int) -> int:
        return next((end + 1 for end in range(line, len(lines)) if ending.match(lines[end])), line + 1)

    return extent


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line that `pattern` matches starts a declaration; the last group that matched is its name.

    extent: None for a section, which ends where the next one starts. is_opaque: what is inside isn't read.
    """

    kind: str
    pattern: re.Pattern[str]
    extent: Extent | None = None
    is_opaque: bool = True


def _rule(kind: str, pattern: str, extent: Extent | None = None, *, is_opaque: bool = True) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.I), extent, is_opaque and extent is not None)


_RULES: dict[str, tuple[_Rule, ...]] = {
    "ini": (
        _rule("section", r"\[+\s*([^\]]*?)\s*\]"),
        _rule("value", r"([^\s=:#;\[][^=:]*?)\s*[=:]", _continued),
    ),
    "dotenv": (_rule("value", r"(?:export\s+)?([A-Za-z_][\w.-]*)\s*=", _one_line),),
    "make": (
        _rule("value", r"(?:export\s+|override\s+)*([\w.-]+)\s*(?:[?+!]|::?:?)?=", _continued),
        _rule("block", r"define\s+(\S+)", _until(r"\s*endef\b")),
        _rule("import", r"-?s?include\s+(.+)", _one_line),
        _rule("function", r"([^\s:#=][^:=#]*?)\s*::?(?!=)", _recipe),
    ),
    "just": (
        _rule("value", r"(?:export\s+)?([\w-]+)\s*:=", _one_line),
        _rule("function", r"@?([\w-]+)(?:\s[^:]*)?:(?!=)", _recipe),
    ),
    "dockerfile": (
        _rule("section", r"FROM\s+.*\sAS\s+(\S+)"),
        _rule("section", r"FROM\s+(?:--\S+\s+)*(\S+)"),
        _rule("value", r"(?:ARG|ENV|LABEL)\s+([A-Za-z_][\w.-]*)", _continued),
    ),
    "cmake": (
        _rule("function", r"\s*function\s*\(\s*([^\s)]+)", _until(r"\s*endfunction\b"), is_opaque=False),
        _rule("function", r"\s*macro\s*\(\s*([^\s)]+)", _until(r"\s*endmacro\b"), is_opaque=False),
        _rule("value", r"(?:set|option|project)\s*\(\s*([^\s)]+)", _until(r"[^#]*\)\s*(#.*)?$")),
        _rule("block", r"add_(?:library|executable|custom_target|test)\s*\(\s*([^\s)]+)", _until(r"[^#]*\)\s*(#.*)?$")),
    ),
    "requirements": (_rule("value", r"([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*(?:[<>=!~@;#]|$)", _continued),),
}


def find(text: str, language: str) -> list[Found]:
    """What the language's rules match; of two rules the first."""
    lines = text.removesuffix("\n").split("\n")
    found: list[Found] = []
    section: Found | None = None
    line = 0
    while line < len(lines):
        rule, name = _match(lines[line], language)
        if rule is None:
            line += 1
            continue
        end = rule.extent(lines, line) if rule.extent is not None else len(lines)
        item = declaration(rule.kind, name, line, line + 1, end, lines[line])
        if rule.extent is None:
            _close(section, line, lines, language)
            section = item
        found.append(item)
        line = end if rule.is_opaque else line + 1
    _close(section, len(lines), lines, language)
    return found


def _match(text: str, language: str) -> tuple[_Rule | None, str]:
    for rule in _RULES[language]:
        match = rule.pattern.match(text)
        if match is not None:
            return rule, match[match.lastindex or 0]
    return None, ""


def _close(section: Found | None, next_line: int, lines: list[str], language: str) -> None:
    """End a section before the next one and the comments and blank lines above that."""
    if section is None:
        return
    end, prefixes = next_line, comment_syntax(language).line
    while next_line < len(lines) and end > section.body_line and lines[end - 1].lstrip().startswith(prefixes):
        end -= 1
    section.end_line = without_blank_end(lines, section.header_line, end)
