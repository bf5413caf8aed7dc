"""Makefiles, Dockerfiles, INI and the like: what a line starts with says what it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from fastedit.syntax.languages import comment_syntax
from fastedit.syntax.model import Found
from fastedit.syntax.scanners.common import declaration, without_blank_end

Extent = Callable[[list[str], int], int]
"""One behind the last line of a declaration, from the lines and the line it starts on."""


def _one_line(_lines: list[str], line: int) -> int:
    return line + 1


def _continued(lines: list[str], line: int) -> int:
    """The line behind this one and those that a backslash adds to it."""
    while line < len(lines) and lines[line].rstrip().endswith("\\"):
        line += 1
    return min(line + 1, len(lines))


def _recipe(lines: list[str], line: int) -> int:
    """The line behind this one, the indented lines below, and the blank lines and comments between them."""
    end = follow = _continued(lines, line)
    while follow < len(lines) and (not lines[follow].strip() or lines[follow][0] in " \t#"):
        is_part = bool(lines[follow].strip()) and lines[follow][0] in " \t"
        follow += 1
        end = follow if is_part else end
    return end


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line that `pattern` matches starts a declaration; the last group that matched is its name.

    extent: how far it goes; ending: or up to the next line that matches this, where there is one. Without
    either it is a section, which ends where the next one starts. is_opaque: what is inside isn't read.
    """

    kind: str
    pattern: re.Pattern[str]
    extent: Extent | None = None
    ending: re.Pattern[str] | None = None
    is_opaque: bool = True

    @property
    def is_section(self) -> bool:
        return self.extent is None and self.ending is None


def _rule(kind: str, pattern: str, extent: Extent | None = None) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.I), extent)


def _closed(kind: str, pattern: str, ending: str, *, is_opaque: bool = True) -> _Rule:
    return _Rule(kind, re.compile(pattern, re.I), None, re.compile(ending, re.I), is_opaque)


# No pattern may try twice for the same blanks: lines can be a megabyte long.
_PARENTHESIS_END = r"[^#]*\)[ \t]*(?:#.*)?\r?$"
_RULES: dict[str, tuple[_Rule, ...]] = {
    "ini": (
        _rule("section", r"\[([^\]]*)\]"),
        _rule("value", r"([^\s=:#;\[][^=:]*)[=:]", _continued),
    ),
    "dotenv": (_rule("value", r"(?:export\s+)?([A-Za-z_][\w.-]*)\s*=", _one_line),),
    "make": (
        _rule("value", r"(?:export\s+|override\s+)*([\w.-]+)\s*(?:[?+!]|:{1,3})?=", _continued),
        _closed("block", r"define\s+(\S+)", r"\s*endef\b"),
        _rule("import", r"-?s?include\s+(\S.*)", _one_line),
        _rule("function", r"([^\s:#=][^:=#]*)::?(?!=)", _recipe),
    ),
    "just": (
        _rule("value", r"(?:export\s+)?([\w-]+)\s*:=", _one_line),
        _rule("function", r"@?([\w-]+)(?:\s[^:]*)?:(?!=)", _recipe),
    ),
    "dockerfile": (
        _rule("section", r"FROM\s+\S.*\sAS\s+(\S+)"),
        _rule("section", r"FROM\s+(?:--\S+\s+)*(\S+)"),
        _rule("value", r"(?:ARG|ENV|LABEL)\s+([A-Za-z_][\w.-]*)", _continued),
    ),
    "cmake": (
        _closed("function", r"\s*function\s*\(\s*([^\s)]+)", r"\s*endfunction\b", is_opaque=False),
        _closed("function", r"\s*macro\s*\(\s*([^\s)]+)", r"\s*endmacro\b", is_opaque=False),
        _closed("value", r"(?:set|option|project)\s*\(\s*([^\s)]+)", _PARENTHESIS_END),
        _closed("block", r"add_(?:library|executable|custom_target|test)\s*\(\s*([^\s)]+)", _PARENTHESIS_END),
    ),
    "requirements": (_rule("value", r"([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*(?:[<>=!~@;#]|$)", _continued),),
}


class _Endings:
    """The lines of a text that a pattern matches, each pattern tried once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._found: dict[re.Pattern[str], list[int]] = {}

    def behind(self, pattern: re.Pattern[str], line: int) -> int:
        """The line behind the first match at or below this one; behind this one alone where there is none."""
        if pattern not in self._found:
            self._found[pattern] = [number for number, text in enumerate(self._lines) if pattern.match(text)]
        matches = self._found[pattern]
        at = bisect_left(matches, line)
        return matches[at] + 1 if at < len(matches) else line + 1


def find(text: str, language: str) -> list[Found]:
    """Finds what the language's rules match; of two rules the first."""
    lines = text.removesuffix("\n").split("\n")
    found: list[Found] = []
    endings = _Endings(lines)
    section: Found | None = None
    line = 0
    while line < len(lines):
        rule, name = _match(lines[line], language)
        if rule is None:
            line += 1
            continue
        end = len(lines)
        if rule.extent is not None:
            end = rule.extent(lines, line)
        elif rule.ending is not None:
            end = endings.behind(rule.ending, line)
        item = declaration(rule.kind, name, line, line + 1, end, lines[line])
        if rule.is_section:
            _close(section, line, lines, language)
            section = item
        found.append(item)
        line = line + 1 if rule.is_section or not rule.is_opaque else end
    _close(section, len(lines), lines, language)
    return found


def _match(text: str, language: str) -> tuple[_Rule | None, str]:
    for rule in _RULES[language]:
        match = rule.pattern.match(text)
        if match is not None:
            return rule, match[match.lastindex or 0].strip("[ \t\r")
    return None, ""


def _close(section: Found | None, next_line: int, lines: list[str], language: str) -> None:
    """Ends a section before the next one and the comments and blank lines above that."""
    if section is None:
        return
    end, prefixes = next_line, comment_syntax(language).line
    while next_line < len(lines) and end > section.body_line and lines[end - 1].lstrip().startswith(prefixes):
        end -= 1
    section.end_line = without_blank_end(lines, section.header_line, end)
