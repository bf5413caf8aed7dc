"""Renames, and parameters that come and go."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastedit.syntax.model import Declaration
from fastedit.training.synthesis.changes.common import (
    KEYWORDS,
    Maker,
    Site,
    filled,
    fresh_name,
    functions,
    indent_at,
    is_blank,
    pick_function,
    replace_word,
    statements_in,
    unit_at,
)
from fastedit.training.synthesis.corpus import IDENTIFIER
from fastedit.training.synthesis.model import Splice

MAX_PLACES = 12


def rename_in_function(site: Site) -> list[Splice] | None:
    """Replaces a name that occurs two to eight times in one function by another."""
    function = pick_function(site, least=4)
    if function is None:
        return None
    lines = list(site.document.lines[function.header_line : function.end_line])
    counts: dict[str, int] = {}
    for name in IDENTIFIER.findall("\n".join(lines)):
        counts[name] = counts.get(name, 0) + 1
    names = [
        name for name, count in counts.items() if 2 <= count <= 8 and name not in KEYWORDS and name != function.name
    ]
    if not names:
        return None
    return _renamed(site, site.rng.choice(names), range(function.header_line, function.end_line))


def rename_in_file(site: Site) -> list[Splice] | None:
    """Renames a function that is named in up to a dozen lines, everywhere."""
    names = {
        f.name for f in functions(site.document) if f.name.isidentifier() and len(f.name) > 3 and "__" not in f.name
    }
    counts = {name: len(re.findall(rf"\b{name}\b", site.document.text)) for name in sorted(names)[:40]}
    choices = [name for name, count in counts.items() if 2 <= count <= MAX_PLACES]
    if not choices:
        return None
    return _renamed(site, site.rng.choice(choices), range(len(site.document.lines)))


def _renamed(site: Site, old: str, lines: range) -> list[Splice] | None:
    new = fresh_name(site, old)
    if new is None:
        return None
    splices = []
    for number in lines:
        line = replace_word(site.document.lines[number], old, new)
        if line != site.document.lines[number]:
            splices.append(Splice(number, number + 1, (line,)))
    return splices


@dataclass(frozen=True)
class ParameterList:
    """The place of a header's parameters: from behind `(` to before `)`, each as (line, column)."""

    start: tuple[int, int]
    end: tuple[int, int]


def parameter_list(lines: tuple[str, ...], function: Declaration) -> ParameterList | None:
    """The brackets behind the function's name, or None where there are none."""
    name_seen, depth, start = False, 0, (0, 0)
    for number in range(function.header_line, function.body_line):
        line = lines[number]
        column = 0
        if not name_seen:
            match = re.search(rf"\b{re.escape(function.name)}\b[^(]*", line) if function.name else None
            if match is None:
                continue
            name_seen, column = True, match.end()
        for position in range(column, len(line)):
            if line[position] == "(":
                depth += 1
                if depth == 1:
                    start = (number, position + 1)
            elif line[position] == ")":
                depth -= 1
                if depth == 0:
                    return ParameterList(start, (number, position))
    return None


def add_parameter(site: Site) -> list[Splice] | None:
    """Gives a function one more parameter and a statement that uses it."""
    function = pick_function(site, least=2)
    if function is None or not site.document.traits.parameters:
        return None
    place = parameter_list(site.document.lines, function)
    if place is None:
        return None
    parameter = site.rng.choice(site.document.traits.parameters)
    header = _with_parameter(site, place, parameter)
    if header is None:
        return None
    uses = statements_in(site.document, function)
    if not uses or site.rng.random() < 0.25:
        return [header]
    return [header, _use(site, uses, parameter)]


def _with_parameter(site: Site, place: ParameterList, parameter: str) -> Splice | None:
    lines = site.document.lines
    number, column = place.end
    before, after = lines[number][:column], lines[number][column:]
    if place.start[0] == number:
        present = lines[number][place.start[1] : column].strip()
        if present.startswith(("*", "&", "...")) or present.endswith(","):
            return None
        return Splice(number, number + 1, (before + (", " if present else "") + parameter + after,))
    last = lines[number - 1]
    if before.strip() or not last.strip() or "//" in last or "#" in last or "*" in last:
        return None
    indent = indent_at(site.document, number - 1)
    if last.rstrip().endswith(","):
        return Splice(number, number, (indent + parameter + ",",))
    return Splice(number - 1, number, (last + ",", indent + parameter))


def _use(site: Site, uses: list[int], parameter: str) -> Splice:
    names = [name for name in IDENTIFIER.findall(parameter) if name not in KEYWORDS and name[0].islower()]
    name = names[0] if names else "limit"
    indent = indent_at(site.document, uses[0])
    guards = site.document.traits.guards
    if guards and site.rng.random() < 0.6:
        variable = f"${name}" if site.document.language == "php" else name
        return Splice(
            uses[0], uses[0], filled(site.rng.choice(guards), variable, unit_at(site.document, indent), indent)
        )
    number = site.rng.choice(uses)
    line = site.document.lines[number]
    call = re.search(r"\w\(([^()]*)\)", line)
    if call is None:
        end = site.document.traits.terminator
        return Splice(number, number, (f"{indent_at(site.document, number)}self.{name} = {name}{end}",))
    joint = ", " if call.group(1).strip() else ""
    return Splice(number, number + 1, (line[: call.end() - 1] + joint + name + line[call.end() - 1 :],))


def remove_parameter(site: Site) -> list[Splice] | None:
    """Deletes the last of a function's parameters, with the statements that name it."""
    function = pick_function(site, least=3)
    place = parameter_list(site.document.lines, function) if function else None
    if function is None or place is None or place.start[0] != place.end[0]:
        return None
    number, column = place.end
    line = site.document.lines[number]
    parameters = line[place.start[1] : column]
    cut = parameters.rfind(",")
    if cut < 0 or any(bracket in parameters for bracket in "([{<"):
        return None
    names = IDENTIFIER.findall(parameters[cut:])
    splices = [Splice(number, number + 1, (line[: place.start[1] + cut] + line[column:],))]
    for use in statements_in(site.document, function):
        is_named = names and re.search(rf"\b{names[0]}\b", site.document.lines[use])
        if is_named and use > number and not is_blank(site.document, use - 1):
            splices.append(Splice(use, use + 1, ()))
    return splices if len(splices) <= 4 else None


NAMING_MAKERS: dict[str, Maker] = {
    "rename_in_function": rename_in_function,
    "rename_in_file": rename_in_file,
    "add_parameter": add_parameter,
    "remove_parameter": remove_parameter,
}
