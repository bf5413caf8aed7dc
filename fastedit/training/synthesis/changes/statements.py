"""Changes of single statements inside functions."""

from __future__ import annotations

import re
from collections.abc import Callable

from fastedit.training.synthesis.changes.common import (
    Site,
    a_name,
    code_lines,
    filled,
    indent_at,
    is_blank,
    names_in,
    pick_function,
    pieces,
    replace_word,
    statements_in,
    unit_at,
)
from fastedit.training.synthesis.corpus import STRINGS, is_code_block, is_statement
from fastedit.training.synthesis.languages import Family
from fastedit.training.synthesis.model import Splice


def insert_statements(site: Site) -> list[Splice] | None:
    """Adds one to three statements before or after a statement."""
    place = _place(site)
    if place is None:
        return None
    at = place + (site.rng.random() < 0.5)
    return [Splice(at, at, pieces(site, site.rng.choice((1, 1, 2, 3)), indent_at(site.document, place)))]


def delete_statements(site: Site) -> list[Splice] | None:
    """Deletes one to three neighbouring statements; something stays in their block."""
    run = _run(site, site.rng.choice((1, 1, 1, 2, 3)))
    if run is None:
        return None
    start, end = run
    inside = site.document.inside[start]
    if inside < 0:
        return None
    others = [
        number
        for number in range(site.document.blocks[inside].start, site.document.blocks[inside].end)
        if not start <= number < end and is_statement(site.document, number)
    ]
    return [Splice(_with_blanks_above(site, start, end), end, ())] if others else None


def _with_blanks_above(site: Site, start: int, end: int) -> int:
    """The line at which a deletion starts so that it doesn't leave two stretches of blank lines as one."""
    if is_blank(site.document, end):
        while start > 0 and is_blank(site.document, start - 1):
            start -= 1
    return start


def replace_statements(site: Site) -> list[Splice] | None:
    """Replaces one to three neighbouring statements by others."""
    run = _run(site, site.rng.choice((1, 1, 2, 3)))
    if run is None:
        return None
    new = pieces(site, site.rng.choice((1, 2, 2, 3)), indent_at(site.document, run[0]))
    return [Splice(*run, new)] if new else None


def modify_statement(site: Site) -> list[Splice] | None:
    """Changes a line in one place: a name, an operator, a literal, an argument."""
    lines = code_lines(site.document)
    for _ in range(8):
        if not lines:
            return None
        number = site.rng.choice(lines)
        new = modified(site, number)
        if new is not None:
            return [Splice(number, number + 1, (new,))]
    return None


def modify_neighbours(site: Site) -> list[Splice] | None:
    """Makes the same kind of change in two to four places of one function."""
    function = pick_function(site, least=6)
    if function is None:
        return None
    places = statements_in(site.document, function)
    site.rng.shuffle(places)
    splices = []
    for number in places[: site.rng.randint(2, 4)]:
        new = modified(site, number)
        if new is not None:
            splices.append(Splice(number, number + 1, (new,)))
    return splices if len(splices) > 1 else None


def move_statement(site: Site) -> list[Splice] | None:
    """Moves a statement elsewhere in its block."""
    place = _place(site)
    if place is None:
        return None
    document = site.document
    block = document.inside[place]
    if block < 0:
        return None
    others = [
        number
        for number in range(document.blocks[block].start, document.blocks[block].end)
        if document.inside[number] == block and abs(number - place) > 1 and is_statement(document, number)
    ]
    if not others:
        return None
    at = site.rng.choice(others)
    return [Splice(place, place + 1, ()), Splice(at, at, (document.lines[place],))]


def insert_guard(site: Site) -> list[Splice] | None:
    """Adds a check at the top of a function."""
    function = pick_function(site)
    if function is None or not site.document.traits.guards:
        return None
    places = statements_in(site.document, function)
    if not places:
        return None
    header = site.document.lines[function.header_line : function.body_line]
    guard = site.rng.choice(site.document.traits.guards)
    name = a_name(site, names_in(header)[1:] or [site.document.lines[places[0]]])
    indent = indent_at(site.document, places[0])
    lines = filled(guard, name, unit_at(site.document, indent), indent)
    blank = ("",) if site.rng.random() < 0.5 else ()
    return [Splice(places[0], places[0], lines + blank)]


def modify_condition(site: Site) -> list[Splice] | None:
    """Changes the condition of an `if`, `while` or `for`."""
    document = site.document
    headers = [
        block.header
        for block in document.blocks
        if re.match(
            r"(?:\} else )?(?:if|while|elif|elsif|unless|for|switch|when|case)\b", document.lines[block.header].strip()
        )
    ]
    for _ in range(6):
        if not headers:
            return None
        number = site.rng.choice(headers)
        new = modified(site, number)
        if new is not None:
            return [Splice(number, number + 1, (new,))]
    return None


def _place(site: Site) -> int | None:
    """A statement to work at."""
    choices = [n for n in code_lines(site.document) if not is_blank(site.document, n)]
    if site.document.traits.family not in (Family.DATA, Family.MARKUP):
        choices = [n for n in choices if is_code_block(site.document, site.document.inside[n])]
    return site.rng.choice(choices) if choices else None


def _run(site: Site, length: int) -> tuple[int, int] | None:
    """A run of neighbouring statements of one block."""
    place = _place(site)
    if place is None:
        return None
    end = place + 1
    while end < place + length and end < len(site.document.lines) and _goes_on(site, place, end):
        end += 1
    return place, end


def _goes_on(site: Site, place: int, number: int) -> bool:
    return site.document.inside[number] == site.document.inside[place] and is_statement(site.document, number)


def modified(site: Site, number: int) -> str | None:
    """The line with one small thing changed, or None where there is nothing to change."""
    line = site.document.lines[number]
    ways = [_other_name, _other_number, _other_string, _other_operator, _other_constant, _more_arguments]
    site.rng.shuffle(ways)
    for way in ways:
        new = way(site, line)
        if new is not None and new != line:
            return new
    return None


def _other_name(site: Site, line: str) -> str | None:
    names = names_in([line])
    others = names_in([site.rng.choice(site.pool.statements)]) if site.pool.statements else []
    if not names or not others:
        return None
    return replace_word(line, site.rng.choice(names), site.rng.choice(others))


def _other_number(site: Site, line: str) -> str | None:
    numbers = list(re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line))
    if not numbers:
        return None
    match = site.rng.choice(numbers)
    new = str(int(float(match.group())) * site.rng.choice((2, 3, 10)) + site.rng.randint(1, 9))
    return line[: match.start()] + new + line[match.end() :]


def _other_string(site: Site, line: str) -> str | None:
    strings = [match for match in STRINGS.finditer(line) if len(match.group()) > 5 and "\\" not in match.group()]
    if not strings:
        return None
    match = site.rng.choice(strings)
    text = match.group()
    words = text[1:-1].split(" ")
    words[site.rng.randrange(len(words))] = site.rng.choice(("updated", "default", "missing", "extra", "v2", "local"))
    return line[: match.start()] + text[0] + " ".join(words) + text[-1] + line[match.end() :]


OPERATORS: tuple[tuple[str, str], ...] = (
    (" == ", " != "), (" != ", " == "), (" < ", " <= "), (" > ", " >= "), (" <= ", " < "), (" >= ", " > "),
    (" + ", " - "), (" - ", " + "), (" && ", " || "), (" || ", " && "), (" and ", " or "), (" or ", " and "),
    (" is None", " is not None"), (" is not None", " is None"), (" === ", " !== "), (" !== ", " === "),
    (" in ", " not in "), (" = ", " += "),
)  # fmt: skip


def _other_operator(site: Site, line: str) -> str | None:
    plain = STRINGS.sub(lambda match: "\0" * len(match.group()), line)
    choices = [(old, new) for old, new in OPERATORS if old in plain and (old != " in " or " for " not in plain)]
    if not choices:
        return None
    old, new = site.rng.choice(choices)
    at = plain.index(old)
    return line[:at] + new + line[at + len(old) :]


CONSTANTS = {"True": "False", "False": "True", "true": "false", "false": "true", "None": "0", "null": "undefined"}


def _other_constant(site: Site, line: str) -> str | None:
    present = [name for name in CONSTANTS if re.search(rf"\b{name}\b", STRINGS.sub('""', line))]
    return replace_word(line, present[0], CONSTANTS[present[0]]) if present else None


def _more_arguments(site: Site, line: str) -> str | None:
    call = re.search(r"\w\((?P<arguments>[^()]*)\)", STRINGS.sub(lambda match: "\0" * len(match.group()), line))
    if call is None or re.match(r"\s*(?:if|for|while|switch|catch)\b", line):
        return None
    separator = ", " if call.group("arguments").strip() else ""
    name = a_name(site, [site.rng.choice(site.pool.statements)]) if site.pool.statements else "limit"
    return line[: call.end() - 1] + separator + name + line[call.end() - 1 :]


STATEMENT_MAKERS: dict[str, Callable[[Site], list[Splice] | None]] = {
    "insert_statements": insert_statements,
    "delete_statements": delete_statements,
    "replace_statements": replace_statements,
    "modify_statement": modify_statement,
    "modify_neighbours": modify_neighbours,
    "move_statement": move_statement,
    "insert_guard": insert_guard,
    "modify_condition": modify_condition,
}
