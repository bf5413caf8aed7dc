"""Tools for all makers of changes: the place they work at, and ways to look around in it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastedit.lines import indent_of
from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.corpus import IDENTIFIER, STRINGS, Pool, is_statement
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import Splice

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        and are args async await bool break byte case catch char class const continue def default del done
        elif else end enum except export extends False false final finally float fn for from func function
        get global goto if impl implements import include int interface isinstance kwargs lambda len let
        long loop match mod module mut namespace new nil None nonlocal not null Null number object operator
        override package pass print private protected pub public raise range rescue return Self self set
        short signed sizeof size_t static str string String struct super switch template then this throw
        throws trait True true try type typedef typeof undefined unless unsigned use using val var virtual
        void volatile when where while with yield the
        """,
    )
)


@dataclass(frozen=True)
class Site:
    """The place of a change: the document, pieces of its language, and the random numbers."""

    document: Document
    pool: Pool
    rng: random.Random


Maker = Callable[[Site], list[Splice] | None]


def functions(document: Document, *, least: int = 2, most: int = 80) -> list[Declaration]:
    """Functions and methods with a body, of `least` to `most` lines."""
    return [
        declaration
        for declaration in document.declarations
        if declaration.kind == "function"
        and declaration.body_line < declaration.end_line
        and least <= declaration.end_line - declaration.header_line <= most
    ]


def siblings(document: Document, parent: int) -> list[Declaration]:
    """The declarations directly inside declaration `parent` (-1: those of the file)."""
    return [declaration for declaration in document.declarations if declaration.parent == parent]


def statements_in(document: Document, declaration: Declaration) -> list[int]:
    """The whole simple statements, one a line, in a declaration's body."""
    lines = range(declaration.body_line, declaration.end_line)
    return [number for number in lines if is_statement(document, number)]


def names_in(lines: Sequence[str]) -> list[str]:
    """The identifiers of the lines, keywords and what stands in strings left out, in order of appearance."""
    text = STRINGS.sub('""', "\n".join(lines))
    return [name for name in dict.fromkeys(IDENTIFIER.findall(text)) if name not in KEYWORDS]


def a_name(site: Site, lines: Sequence[str]) -> str:
    """An identifier at hand, as the language writes variables."""
    names = names_in(lines) or ["value"]
    name = site.rng.choice(names[:12])
    return f"${name}" if site.document.language == "php" else name


def indent_at(document: Document, number: int) -> str:
    return indent_of(document.lines[number])


def is_blank(document: Document, number: int) -> bool:
    """Whether the line is blank, or lies outside the text."""
    return not 0 <= number < len(document.lines) or not document.lines[number].strip()


def blanks_before(document: Document, number: int) -> int:
    """Counts the blank lines right before line `number`."""
    count = 0
    while number - count > 0 and is_blank(document, number - count - 1):
        count += 1
    return count


def blanks_after(document: Document, end: int) -> int:
    """Counts the blank lines from line `end` on."""
    count = 0
    while end + count < len(document.lines) and is_blank(document, end + count):
        count += 1
    return count


def pieces(site: Site, count: int, indent: str) -> tuple[str, ...]:
    """`count` statements from elsewhere, indented."""
    drawn = site.rng.sample(site.pool.statements, min(count, len(site.pool.statements)))
    return tuple(indent + statement for statement in drawn)


def unit_at(document: Document, indent: str) -> str:
    """One level of indentation as it is written where a line has `indent` (files mix tabs and spaces)."""
    if indent and (document.unit == "\t") != indent.endswith("\t"):
        return "\t" if indent.endswith("\t") else "    "
    return document.unit


def filled(template: Sequence[str], name: str, unit: str, indent: str) -> tuple[str, ...]:
    """A template's lines with their names, at `indent`."""
    return tuple(indent + line.replace("{name}", name).replace("{u}", unit) for line in template)


def pick_function(site: Site, *, least: int = 3, most: int = 60) -> Declaration | None:
    """One of the document's functions, or None."""
    choices = functions(site.document, least=least, most=most)
    return site.rng.choice(choices) if choices else None


def code_lines(document: Document) -> list[int]:
    """Lines that a small change may touch: the statements of code, every visible line of data."""
    lines = range(len(document.lines))
    if document.traits.family in (Family.DATA, Family.MARKUP):
        return [number for number in lines if document.lines[number].strip() and not document.hidden[number]]
    return [number for number in lines if is_statement(document, number)]


def replace_word(line: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w$]){re.escape(old)}(?!\w)", lambda _: new, line)


NEW_PREFIXES = ("new_", "raw_", "current_", "base_", "inner_", "cached_", "safe_")
NEW_SUFFIXES = ("_value", "_or_none", "_once", "_by_name", "_list", "_count", "_with_default", "_v2", "_impl", "_info")


def fresh_name(site: Site, name: str) -> str | None:
    """A name like `name` that the document doesn't have yet, or None."""
    text = site.document.text
    for _ in range(6):
        core = name.strip("_")
        candidate = (
            name + site.rng.choice(NEW_SUFFIXES)
            if site.rng.random() < 0.6
            else name[: len(name) - len(name.lstrip("_"))] + site.rng.choice(NEW_PREFIXES) + core
        )
        if "_" not in core and any(letter.isupper() for letter in core):
            candidate = _camel(candidate)
        if candidate not in text:
            return candidate
    return None


def _camel(name: str) -> str:
    head, *rest = [part for part in name.split("_") if part]
    first = head if name[0].islower() else head[0].upper() + head[1:]
    return first + "".join(part[0].upper() + part[1:] for part in rest)
