"""Changes of whole functions, methods and other declarations."""

from __future__ import annotations

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.changes.common import (
    Maker,
    Site,
    blanks_after,
    blanks_before,
    fresh_name,
    functions,
    indent_at,
    is_blank,
    pick_function,
    pieces,
    replace_word,
    siblings,
    statements_in,
)
from fastedit.training.synthesis.changes.statements import modified
from fastedit.training.synthesis.corpus import dedented, fitted
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import Splice


def new_declaration(site: Site) -> list[Splice] | None:
    """Adds a function of another file, or a variant of a neighbour, before or after an existing function."""
    neighbour = pick_function(site, least=2, most=200)
    if neighbour is None:
        return None
    lines = _new_function(site, neighbour)
    return _placed(site, neighbour, lines) if lines else None


def variant_of_neighbour(site: Site) -> list[Splice] | None:
    """Adds a near-identical twin of a function, with another name, right behind it."""
    neighbour = pick_function(site, least=3, most=30)
    if neighbour is None:
        return None
    lines = _variant(site, neighbour)
    return _placed(site, neighbour, lines, after=True) if lines else None


def replace_declaration(site: Site) -> list[Splice] | None:
    """Gives a function another body; its header stays."""
    function = pick_function(site, least=3, most=40)
    if function is None:
        return None
    document = site.document
    places = statements_in(document, function)
    if not places:
        return None
    start = next((n for n in range(function.body_line, function.end_line) if n in places), places[0])
    end = function.end_line - (document.traits.family in (Family.BRACE, Family.END))
    donor = site.rng.choice(site.pool.functions + site.pool.methods or [()])
    body = pieces(site, site.rng.randint(2, 7), indent_at(document, start))
    if site.rng.random() < 0.4 and donor:
        body = fitted(_body_of(site, donor), "\t", document.unit, indent_at(document, start)) or body
    return [Splice(start, end, body)] if body and start < end else None


def rewrite_statements(site: Site) -> list[Splice] | None:
    """Changes about half of the statements of a function; the rest stays."""
    function = pick_function(site, least=5, most=50)
    if function is None:
        return None
    splices = []
    for number in statements_in(site.document, function):
        dice = site.rng.random()
        new = modified(site, number) if dice < 0.35 else None
        if new is not None:
            splices.append(Splice(number, number + 1, (new,)))
        elif dice > 0.85:
            splices.append(Splice(number, number, pieces(site, 1, indent_at(site.document, number))))
    return splices or None


def delete_declaration(site: Site) -> list[Splice] | None:
    """Deletes a function, with the comments and decorators that belong to it."""
    document = site.document
    choices = [
        f for f in functions(document, most=40) if len(siblings(document, f.parent)) > 1 and not _is_alone(document, f)
    ]
    if not choices:
        return None
    return [_removal(site, site.rng.choice(choices))]


def move_declaration(site: Site) -> list[Splice] | None:
    """Moves a function to another place among its siblings."""
    document = site.document
    choices = [
        f for f in functions(document, most=30) if len(siblings(document, f.parent)) > 2 and not _is_alone(document, f)
    ]
    if not choices:
        return None
    function = site.rng.choice(choices)
    others = [
        other
        for other in siblings(document, function.parent)
        if other.kind in ("function", "class") and other != function and _gap(other, function) > 0
    ]
    if not others:
        return None
    lines = document.lines[function.start_line : function.end_line]
    arrival = _placed(site, site.rng.choice(others), tuple(lines))
    removal = _removal(site, function)
    if arrival is None:
        return None
    low, high = sorted((arrival[0].start, removal.end if arrival[0].start > removal.start else removal.start))
    if not any(line.strip() for line in document.lines[low:high]):
        return None
    return [removal, *arrival]


def swap_bodies_in_twins(site: Site) -> list[Splice] | None:
    """Changes one of several functions of the same name, each in another class."""
    document = site.document
    names = [f.name for f in functions(document)]
    twins = [f for f in functions(document, least=3, most=50) if names.count(f.name) > 1]
    if not twins:
        return None
    places = statements_in(document, site.rng.choice(twins))
    site.rng.shuffle(places)
    for number in places:
        new = modified(site, number)
        if new is not None:
            return [Splice(number, number + 1, (new,))]
    return None


def _is_alone(document: Document, function: Declaration) -> bool:
    """Whether nothing else stands in the block around the function, so that it would be left empty."""
    index = document.inside[function.start_line]
    if index < 0:
        return False
    block = document.blocks[index]
    others = (*document.lines[block.start : function.start_line], *document.lines[function.end_line : block.end])
    return not any(line.strip() for line in others)


def _gap(one: Declaration, other: Declaration) -> int:
    """The number of lines between two declarations."""
    return max(one.start_line - other.end_line, other.start_line - one.end_line)


def _new_function(site: Site, neighbour: Declaration) -> tuple[str, ...]:
    if site.rng.random() < 0.3:
        return _variant(site, neighbour)
    kin = site.pool.methods if neighbour.parent >= 0 else site.pool.functions
    if not kin:
        return _variant(site, neighbour)
    piece = site.rng.choice(kin)
    return fitted(piece, "\t", site.document.unit, indent_at(site.document, neighbour.header_line))


def _variant(site: Site, function: Declaration) -> tuple[str, ...]:
    """The function under a fresh name with a few statements changed; empty where no name can be found."""
    document = site.document
    name = fresh_name(site, function.name) if function.name.isidentifier() else None
    if name is None or function.end_line - function.start_line > 40:
        return ()
    lines = {n: document.lines[n] for n in range(function.start_line, function.end_line)}
    for number in statements_in(document, function):
        if site.rng.random() < 0.4:
            lines[number] = modified(site, number) or lines[number]
    return tuple(replace_word(line, function.name, name) for line in lines.values())


def _placed(
    site: Site, neighbour: Declaration, lines: tuple[str, ...], *, after: bool | None = None
) -> list[Splice] | None:
    """The lines before or after the neighbour, kept apart as the neighbours are."""
    document = site.document
    above = blanks_before(document, neighbour.start_line)
    below = blanks_after(document, neighbour.end_line)
    after = site.rng.random() < 0.7 if after is None else after
    is_last = max(other.end_line for other in siblings(document, neighbour.parent)) <= neighbour.end_line
    gap = ("",) * (above if is_last or not below else below)
    if not gap and len(lines) > 1:
        gap = ("",)
    if not after:
        return [Splice(neighbour.start_line, neighbour.start_line, lines + ("",) * max(1, above))]
    return [Splice(neighbour.end_line, neighbour.end_line, (*gap, *lines))]


def _removal(site: Site, declaration: Declaration) -> Splice:
    """The declaration with the blank lines on one side of it."""
    document = site.document
    above = blanks_before(document, declaration.start_line)
    below = blanks_after(document, declaration.end_line)
    is_first = is_blank(document, declaration.start_line - above - 1) or above == 0
    if is_first and declaration.end_line + below < len(document.lines):
        return Splice(declaration.start_line, declaration.end_line + below, ())
    return Splice(declaration.start_line - above, declaration.end_line, ())


def _body_of(site: Site, piece: tuple[str, ...]) -> tuple[str, ...]:
    """The inner lines of a one-line-header function, flush left."""
    inner = piece[1:-1] if site.document.traits.family is not Family.INDENT else piece[1:]
    return dedented(inner) if inner and inner[0].startswith("\t") and piece[0][:1].strip() else ()


DECLARATION_MAKERS: dict[str, Maker] = {
    "new_declaration": new_declaration,
    "variant_of_neighbour": variant_of_neighbour,
    "replace_declaration": replace_declaration,
    "rewrite_statements": rewrite_statements,
    "delete_declaration": delete_declaration,
    "move_declaration": move_declaration,
    "twin_method": swap_bodies_in_twins,
}
