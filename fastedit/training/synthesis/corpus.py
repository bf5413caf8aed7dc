"""Gathers the pieces of made changes: statements, declarations, imports and comments of other places in the corpus."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.blocks import CLOSER, width_of
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.languages import Family

IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
UNFINISHED = re.compile(r"(?:[,\\([{+*/|&=<>?:.-]|\b(?:and|or|not|in|is|do|then))$")
CONTROL = re.compile(
    r"(?:if|for|while|switch|match|try|with|else|elif|except|finally|catch|case|default|return|def|class|func|fn"
    r"|function|import|from|package|using|use|break|continue|goto|end|public|private|protected|static)\b"
)
LITERALS = ("({", "= {", "[{", ": {", "return {")
TYPES = re.compile(
    r"(?:(?:export|default|public|abstract|final|pub|private|internal|data|sealed) )*"
    r"(?:class|interface|enum|struct|impl|trait|namespace|object|type)\b"
)
MAX_LINE = 110
MAX_DECLARATION = 24


@dataclass
class Pool:
    """Pieces of one language, each flush left and indented in units of its own document."""

    statements: list[str] = field(default_factory=list)
    functions: list[tuple[str, ...]] = field(default_factory=list)
    methods: list[tuple[str, ...]] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    decorators: list[str] = field(default_factory=list)


def gather(documents: Iterable[Document]) -> dict[str, Pool]:
    """The pools of all languages that occur."""
    pools: dict[str, Pool] = defaultdict(Pool)
    for document in documents:
        _gather_lines(document, pools[document.language])
        _gather_declarations(document, pools[document.language])
    return pools


def is_balanced(line: str) -> bool:
    """Whether brackets open and close within the line, strings left out."""
    depth = 0
    for character in STRINGS.sub('""', line):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def is_statement(document: Document, number: int) -> bool:
    """Whether the line is a whole simple statement inside a block of code."""
    return number in _statements(document)


@lru_cache(maxsize=128)
def _statements(document: Document) -> frozenset[int]:
    return frozenset(number for number in range(len(document.lines)) if _is_statement(document, number))


def _is_statement(document: Document, number: int) -> bool:
    line = document.lines[number].strip()
    if not line or document.hidden[number] or len(line) > MAX_LINE or opens_block(document, number):
        return False
    if CLOSER.match(line) or is_comment(document, line) or not is_balanced(line) or UNFINISHED.search(line):
        return False
    if not is_code_block(document, document.inside[number]) or line.startswith(
        ("@", "#[", '"', "'", "|", "&", ".", "?")
    ):
        return False
    terminator = document.traits.terminator
    if terminator and not line.endswith(terminator) and document.traits.family is Family.BRACE:
        return document.language in ("javascript", "jsx", "typescript", "tsx") and line.endswith(")")
    return _starts_fresh(document, number)


def _starts_fresh(document: Document, number: int) -> bool:
    """Whether the line before is finished, so that a statement starts here."""
    above = number - 1
    while above >= 0 and not document.lines[above].strip():
        above -= 1
    if above < 0 or document.hidden[number]:
        return above < 0
    text = document.lines[above].strip()
    if width_of(document.lines[above]) < width_of(document.lines[number]):
        return document.inside[number] >= 0 and document.blocks[document.inside[number]].header == above
    return is_comment(document, text) or not UNFINISHED.search(text)


def is_comment(document: Document, stripped: str) -> bool:
    """Whether a stripped line is nothing but a comment."""
    return stripped.startswith((*document.comments.line, *(start for start, _ in document.comments.block)) or ("\0",))


def opens_block(document: Document, number: int) -> bool:
    """Whether the next visible line stands deeper."""
    width = width_of(document.lines[number])
    for below in range(number + 1, len(document.lines)):
        if document.lines[below].strip() and not document.hidden[below]:
            return width_of(document.lines[below]) > width
    return False


def is_code_block(document: Document, index: int) -> bool:
    """Whether block `index` holds statements (and not arguments or the rows of a table)."""
    if index < 0:
        return False
    header = document.lines[document.blocks[index].header].strip()
    family = document.traits.family
    if family is Family.INDENT:
        return header.endswith(":") and not header.startswith("class ")
    if family is Family.BRACE:
        return header.endswith("{") and not header.endswith(LITERALS) and not TYPES.match(header)
    return family is Family.END and re.match(r"(?:module|class)\b", header) is None


def dedented(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines flush left, told by the least indented one."""
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    least = min(indents, key=len, default="")
    return tuple(line[len(least) :] if line.startswith(least) else line.lstrip(" \t") for line in lines)


def fitted(lines: Sequence[str], unit_from: str, unit_to: str, indent: str) -> tuple[str, ...]:
    """Flush-left lines moved to `indent`, their own levels written in the other unit."""
    return tuple(indent + _respaced(line, unit_from, unit_to) if line.strip() else "" for line in lines)


def _respaced(line: str, unit_from: str, unit_to: str) -> str:
    levels, rest = 0, line
    while unit_from and unit_from != unit_to and rest.startswith(unit_from):
        levels, rest = levels + 1, rest[len(unit_from) :]
    return unit_to * levels + rest


def _gather_lines(document: Document, pool: Pool) -> None:
    data = document.traits.family in (Family.DATA, Family.MARKUP)
    for number, line in enumerate(document.lines):
        stripped = line.strip()
        if not stripped or document.hidden[number] or len(stripped) > MAX_LINE:
            continue
        if (
            stripped.startswith(document.traits.import_start or ("\0",))
            and width_of(line) == 0
            and is_balanced(stripped)
        ):
            pool.imports.append(stripped)
        elif is_comment(document, stripped):
            if len(stripped) > 12 and "*/" not in stripped and "/*" not in stripped:
                pool.comments.append(stripped)
        elif document.traits.decorator and stripped.startswith(document.traits.decorator):
            if is_balanced(stripped):
                pool.decorators.append(stripped)
        elif not data and not CONTROL.match(stripped) and is_statement(document, number):
            pool.statements.append(stripped)


def _gather_declarations(document: Document, pool: Pool) -> None:
    for declaration in document.declarations:
        if declaration.kind != "function" or not declaration.name or not _is_short(declaration):
            continue
        lines = document.lines[declaration.start_line : declaration.end_line]
        unit = document.unit
        piece = tuple(_respaced(line, unit, "\t") for line in dedented(lines))
        (pool.methods if declaration.parent >= 0 else pool.functions).append(piece)


def _is_short(declaration: Declaration) -> bool:
    return 2 <= declaration.end_line - declaration.start_line <= MAX_DECLARATION
