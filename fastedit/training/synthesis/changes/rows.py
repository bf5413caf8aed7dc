"""Changes of tables, literals and configuration: rows, keys and groups of keys."""

from __future__ import annotations

from fastedit.training.synthesis.blocks import IndentedBlock
from fastedit.training.synthesis.changes.common import (
    Maker,
    Site,
    blanks_after,
    blanks_before,
    fresh_name,
    names_in,
    replace_word,
)
from fastedit.training.synthesis.changes.statements import modified
from fastedit.training.synthesis.corpus import is_balanced, is_code_block, is_comment, opens_block
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import Splice

MAX_GROUP = 30
MAX_ROW = 120


def _rows(site: Site) -> list[int]:
    """Lines that are one entry of a literal, a table or a configuration."""
    document = site.document
    is_data = document.traits.family in (Family.DATA, Family.MARKUP)
    return [
        number
        for number, line in enumerate(document.lines)
        if line.strip()
        and not document.hidden[number]
        and len(line) <= MAX_ROW
        and is_balanced(line)
        and not opens_block(document, number)
        and not is_comment(document, line.strip())
        and ((line.rstrip().endswith(",") and document.inside[number] >= 0) or is_data)
        and not is_code_block(document, document.inside[number])
    ]


def insert_row(site: Site) -> list[Splice] | None:
    """Adds an entry like its neighbour, next to it."""
    rows = _rows(site)
    if not rows:
        return None
    number = site.rng.choice(rows)
    new = _like(site, number)
    if new is None or new in site.document.lines:
        return None
    if site.document.language == "json" and not site.document.lines[number].rstrip().endswith(","):
        return [Splice(number, number + 1, (site.document.lines[number] + ",", new))]
    at = number + (site.rng.random() < 0.7)
    return [Splice(at, at, (new,))]


def delete_row(site: Site) -> list[Splice] | None:
    """Deletes an entry, or two neighbours."""
    rows = _rows(site)
    inner = [n for n in rows if n - 1 in rows or n + 1 in rows]
    if not inner:
        return None
    start = site.rng.choice(inner)
    end = start + 2 if start + 1 in rows and start + 2 in rows and site.rng.random() < 0.3 else start + 1
    return [Splice(start, end, ())]


def modify_row(site: Site) -> list[Splice] | None:
    """Gives an entry another value, sometimes two entries."""
    rows = _rows(site)
    splices = {}
    for _ in range(site.rng.choice((1, 1, 2))):
        if not rows:
            return None
        number = site.rng.choice(rows)
        new = modified(site, number)
        if new is not None:
            splices[number] = Splice(number, number + 1, (new,))
    return list(splices.values()) or None


def insert_group(site: Site) -> list[Splice] | None:
    """Adds a copy of a group (a section, a job, a rule, an element) under another name, behind it."""
    group = _group(site)
    if group is None:
        return None
    start, end = group
    document = site.document
    names = names_in([document.lines[start]])
    name = fresh_name(site, names[-1]) if names else None
    if name is None:
        return None
    lines = [replace_word(line, names[-1], name) for line in document.lines[start:end]]
    for offset in range(1, len(lines)):
        if site.rng.random() < 0.3 and lines[offset].strip():
            lines[offset] = modified(site, start + offset) or lines[offset]
    gap = ("",) * (blanks_after(document, end) or blanks_before(document, start))
    if document.language == "json" and not lines[-1].rstrip().endswith(","):
        return [Splice(end - 1, end, (document.lines[end - 1] + ",", *lines))]
    return [Splice(end, end, (*gap, *lines))]


def delete_group(site: Site) -> list[Splice] | None:
    """Deletes a group, with the blank lines above it."""
    group = _group(site)
    if group is None:
        return None
    start, end = group
    if site.document.language == "json" and not site.document.lines[end - 1].rstrip().endswith(","):
        return None
    return [Splice(start - blanks_before(site.document, start), end, ())] if start > 0 else None


def _group(site: Site) -> tuple[int, int] | None:
    """A block of data from its header to its closer."""
    document = site.document
    choices = [block for block in document.blocks if _is_group(site, block)]
    if not choices:
        return None
    block = site.rng.choice(choices)
    return block.header, block.closer + 1 if block.closer >= 0 else block.end


def _is_group(site: Site, block: IndentedBlock) -> bool:
    document = site.document
    if document.traits.family not in (Family.DATA, Family.MARKUP) or block.end - block.header > MAX_GROUP:
        return False
    if block.previous >= 0 or document.hidden[block.header] or not names_in([document.lines[block.header]]):
        return False
    closer = document.lines[block.closer].strip() if block.closer >= 0 else ""
    return block.closer < 0 or not closer.endswith(("{", "[", "("))


def _like(site: Site, number: int) -> str | None:
    """The row with a fresh name and perhaps another value."""
    line = site.document.lines[number]
    names = names_in([line]) or [
        word for word in line.replace('"', " ").replace("'", " ").split() if word.isidentifier()
    ]
    if not names:
        return modified(site, number)
    name = fresh_name(site, names[0])
    return replace_word(line, names[0], name) if name else None


ROW_MAKERS: dict[str, Maker] = {
    "insert_row": insert_row,
    "delete_row": delete_row,
    "modify_row": modify_row,
    "insert_group": insert_group,
    "delete_group": delete_group,
}
