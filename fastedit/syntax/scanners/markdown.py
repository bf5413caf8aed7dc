"""Markdown: a section for each heading, code blocks aside."""

from __future__ import annotations

import re

from fastedit.syntax.model import Found
from fastedit.syntax.scanners.common import declaration, without_blank_end

_HEADING = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*\r?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_TEXT = re.compile(r" {0,3}(?:[>|#]|[-*+] |\d+[.)] )|[ \t]*\r?$|    ")
_FRONT_MATTER = ("---", "+++")


def find(text: str, _language: str) -> list[Found]:
    """The sections of the text; each ends before the next of its level or a higher one."""
    lines = text.removesuffix("\n").split("\n")
    found: list[Found] = []
    sections: list[tuple[int, Found]] = []
    for line, body, level, title in _headings(lines):
        while sections and sections[-1][0] >= level:
            _end(sections.pop()[1], lines, line)
        section = declaration("section", title, line, body, len(lines), lines[line])
        sections.append((level, section))
        found.append(section)
    for _, section in sections:
        _end(section, lines, len(lines))
    return found


def _end(section: Found, lines: list[str], next_line: int) -> None:
    section.end_line = max(section.body_line, without_blank_end(lines, section.header_line, next_line))


def _headings(lines: list[str]) -> list[tuple[int, int, int, str]]:
    """(line, first line behind it, level, title) of the headings outside code blocks and front matter."""
    headings: list[tuple[int, int, int, str]] = []
    fence = ""
    line = _behind_front_matter(lines)
    while line < len(lines):
        text = lines[line]
        fence, is_code = _fence_behind(text, fence)
        heading = None if is_code else _HEADING.match(text)
        underline = None if is_code or heading else _underline(lines, line)
        if heading is not None:
            headings.append((line, line + 1, len(heading[1]), _title(text[heading.end() :])))
        elif underline is not None:
            headings.append((line, line + 2, 1 if underline[1] else 2, text.strip()))
            line += 1
        line += 1
    return headings


def _title(text: str) -> str:
    """The heading's text without the `#` that may close it."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else text


def _behind_front_matter(lines: list[str]) -> int:
    mark = lines[0].rstrip()
    if mark not in _FRONT_MATTER:
        return 0
    return next((line + 1 for line in range(1, len(lines)) if lines[line].rstrip() == mark), 0)


def _fence_behind(text: str, fence: str) -> tuple[str, bool]:
    """The fence that is open behind the line, and whether the line is code or a fence."""
    match = _FENCE.match(text)
    if not fence:
        return (match[1], True) if match else ("", False)
    is_end = match is not None and match[1].startswith(fence) and not text[match.end() :].strip()
    return ("" if is_end else fence), True


def _underline(lines: list[str], line: int) -> re.Match[str] | None:
    """The underline below a line that is a paragraph of its own."""
    is_alone = line == 0 or not lines[line - 1].strip()
    if not is_alone or line + 1 == len(lines) or _NO_TEXT.match(lines[line]):
        return None
    return _UNDERLINE.match(lines[line + 1])
