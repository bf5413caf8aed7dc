"""Blocks that are put inside something, or taken out of it."""

from __future__ import annotations

from fastedit.lines import indent_of
from fastedit.training.synthesis.blocks import IndentedBlock
from fastedit.training.synthesis.changes.common import Maker, Site, a_name, filled, indent_at, unit_at
from fastedit.training.synthesis.corpus import CONTROL, is_code_block, is_statement
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import Splice

MAX_WRAPPED = 24


def wrap(site: Site) -> list[Splice] | None:
    """Puts one or more statements of a block into a new one, a level to the right."""
    document = site.document
    run = _statement_run(site)
    if run is None or not document.traits.wraps:
        return None
    start, end = run
    if any(document.hidden[start:end]):
        return None
    template = site.rng.choice(document.traits.wraps)
    indent, name = indent_at(document, start), a_name(site, document.lines[start:end])
    unit = unit_at(document, indent)
    inner = tuple(unit + line if line.strip() else line for line in document.lines[start:end])
    before = filled(template.before, name, unit, indent)
    after = filled(template.after, name, unit, indent)
    return [Splice(start, end, before + inner + after)]


def unwrap(site: Site) -> list[Splice] | None:
    """Moves the lines in a block one level to the left; its header and closer go."""
    document = site.document
    choices = [block for block in document.blocks if _is_loose(site, block)]
    if not choices:
        return None
    block = site.rng.choice(choices)
    shift = _shift(document.lines[block.header], document.lines[block.start])
    inner = document.lines[block.start : block.end]
    if shift is None or any(document.hidden[block.start : block.end]):
        return None
    if any(line.strip() and not line.startswith(shift) for line in inner):
        return None
    end = block.closer + 1 if block.closer >= 0 else block.end
    return [Splice(block.header, end, tuple(line[len(shift) :] if line.strip() else line for line in inner))]


def _shift(outer: str, inner: str) -> str | None:
    """The indentation of `inner` beyond that of `outer`; None where it doesn't begin with that."""
    wide, narrow = indent_of(inner), indent_of(outer)
    return wide[len(narrow) :] if wide.startswith(narrow) else None


def _is_loose(site: Site, block: IndentedBlock) -> bool:
    """Whether a block can be taken apart: an `if`, `with` or the like without a second branch."""
    document = site.document
    header = document.lines[block.header].strip()
    if not header.startswith(("if ", "if(", "with ", "unless ", "while ", "{")) or block.previous >= 0:
        return False
    if block.end - block.start > MAX_WRAPPED:
        return False
    if document.traits.family is Family.INDENT:
        return header.endswith(":") and block.closer < 0
    if block.closer < 0 or document.lines[block.closer].strip() not in ("}", "end", "fi", "done", "};"):
        return False
    return document.traits.family is Family.END or header.endswith("{")


def _statement_run(site: Site) -> tuple[int, int] | None:
    """Lines [start, end) of one block, made of whole statements and whole inner blocks."""
    document = site.document
    if document.traits.family is Family.MARKUP:
        return _element_run(site)
    starts = [n for n in range(len(document.lines)) if is_statement(document, n) or _is_whole_block(site, n)]
    if not starts:
        return None
    start = site.rng.choice(starts)
    end, target = start, site.rng.choice((1, 1, 2, 3, 4, 6))
    for _ in range(target):
        following = _after_statement(site, end, document.inside[start])
        if following is None or following - start > MAX_WRAPPED:
            break
        end = following
    while end > start and not document.lines[end - 1].strip():
        end -= 1
    return (start, end) if end > start else None


def _after_statement(site: Site, number: int, inside: int) -> int | None:
    """The line behind the statement or block that starts at `number`, blank lines before it skipped."""
    document = site.document
    while number < len(document.lines) and not document.lines[number].strip():
        number += 1
    if number >= len(document.lines) or document.inside[number] != inside:
        return None
    if is_statement(document, number):
        return number + 1
    return _block_end(site, number) if _is_whole_block(site, number) else None


def _is_whole_block(site: Site, number: int) -> bool:
    """Whether a control block starts here that has no second branch."""
    document = site.document
    block = next((b for b in document.blocks if b.header == number), None)
    if block is None or block.previous >= 0 or not is_code_block(document, document.inside[number]):
        return False
    header = document.lines[number].strip()
    if not CONTROL.match(header) or not header.endswith((":", "{", "then", "do")):
        return False
    if header.startswith(("def ", "class ", "case ", "default", "function", "func ", "fn ", "async def ")):
        return False
    if document.traits.family is Family.INDENT:
        return block.closer < 0
    return block.closer >= 0 and document.lines[block.closer].strip() in ("}", "end", "fi", "done")


def _block_end(site: Site, number: int) -> int:
    block = next(b for b in site.document.blocks if b.header == number)
    return block.closer + 1 if block.closer >= 0 else block.end


def _element_run(site: Site) -> tuple[int, int] | None:
    """A closed element of a mark-up document."""
    document = site.document
    choices = [
        block
        for block in document.blocks
        if block.closer >= 0
        and document.lines[block.header].strip().startswith("<")
        and document.lines[block.closer].strip().startswith("</")
        and block.closer - block.header <= MAX_WRAPPED
        and block.parent >= 0
    ]
    if not choices:
        return None
    block = site.rng.choice(choices)
    return block.header, block.closer + 1


NESTING_MAKERS: dict[str, Maker] = {"wrap": wrap, "unwrap": unwrap}
