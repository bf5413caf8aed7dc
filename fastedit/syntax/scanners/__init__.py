"""The declarations of languages without a grammar, by line patterns, braces and statements.

An approximation on purpose: it finds what stands at the start of a line in usual style.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from fastedit.syntax.languages import comment_syntax, tokens
from fastedit.syntax.model import Found
from fastedit.syntax.scanners.common import Rows

# module of this package → the languages that it reads
_READS = {
    "lines": "make just dockerfile cmake ini dotenv requirements",
    "markdown": "markdown",
    "braces": (
        "scss less nginx dart groovy objc zig solidity proto graphql prisma powershell perl r awk glsl wgsl nix"
        " verilog template astro"
    ),
    "sql": "sql",
}


@cache
def _modules() -> dict[str, str]:
    return {language: module for module, languages in _READS.items() for language in languages.split()}


def can_scan(language: str) -> bool:
    """Whether there is a scanner for the language."""
    return language in _modules()


def scan(text: str, language: str) -> list[Found]:
    """The declarations of the text in order, parents before their children."""
    find: Callable[[str, str], list[Found]] = import_module(f"{__name__}.{_modules()[language]}").find
    found = find(text, language)
    found.sort(key=lambda item: (item.header_line, -item.end_line))
    rows = _comment_rows(text, language)
    for item in found:
        while item.start_line - 1 in rows:
            item.start_line = rows[item.start_line - 1]
    _nest(found)
    return found


def _comment_rows(text: str, language: str) -> dict[int, int]:
    """The last row of each comment that has its rows to itself → its first row."""
    found: dict[int, int] = {}
    if not comment_syntax(language).line:
        return found
    rows = Rows(text)
    for what, start, end in tokens(text, language):
        if what == "comment" and rows.is_alone(start, end) and not (start == 0 and text.startswith("#!")):
            found[rows.of(end - 1)] = rows.of(start)
    return found


def _nest(found: list[Found]) -> None:
    """Gives each declaration the innermost one before it that it lies in as its parent."""
    around: list[int] = []
    for index, item in enumerate(found):
        while around and found[around[-1]].end_line <= item.header_line:
            around.pop()
        item.parent = around[-1] if around else -1
        around.append(index)
