"""Changes of comments, docstrings and decorators."""

from __future__ import annotations

from fastedit.training.synthesis.changes.common import Maker, Site, indent_at, is_blank, pick_function
from fastedit.training.synthesis.corpus import is_comment, is_statement
from fastedit.training.synthesis.model import Splice

WORDS = ("always", "usually", "first", "safely", "lazily", "once", "again", "too", "the given", "the current", "every")


def add_comment(site: Site) -> list[Splice] | None:
    """Adds a comment of elsewhere above a statement."""
    document = site.document
    places = [n for n in range(len(document.lines)) if is_statement(document, n)]
    if not places or not site.pool.comments:
        return None
    at = site.rng.choice(places)
    return [Splice(at, at, (indent_at(document, at) + site.rng.choice(site.pool.comments),))]


def _comments(site: Site) -> list[int]:
    document = site.document
    return [
        number
        for number, line in enumerate(document.lines)
        if number > 0 and is_comment(document, line.strip()) and not document.hidden[number] and _is_closed(line)
    ]


def _is_closed(line: str) -> bool:
    """Whether a block comment that the line opens ends in it."""
    return ("/*" not in line or "*/" in line) and ("<!--" not in line or "-->" in line) and len(line.split()) > 2


def modify_comment(site: Site) -> list[Splice] | None:
    """Words a comment differently."""
    choices = _comments(site)
    if not choices:
        return None
    number = site.rng.choice(choices)
    return [Splice(number, number + 1, (_reworded(site, site.document.lines[number]),))]


def delete_comment(site: Site) -> list[Splice] | None:
    """Deletes a comment."""
    choices = _comments(site)
    if not choices:
        return None
    number = site.rng.choice(choices)
    return [Splice(number, number + 1, ())]


def _reworded(site: Site, line: str) -> str:
    indent, words = line[: len(line) - len(line.lstrip())], line.split()
    at = site.rng.randrange(1, len(words))
    if site.rng.random() < 0.5:
        words.insert(at, site.rng.choice(WORDS))
    else:
        words[at] = site.rng.choice(WORDS)
    return indent + " ".join(words)


def modify_docstring(site: Site) -> list[Splice] | None:
    """Words one or two lines of a docstring or block comment differently, or adds a paragraph."""
    document = site.document
    inner = [
        n
        for n, line in enumerate(document.lines)
        if document.hidden[n] and len(line.split()) > 3 and '"""' not in line and "*/" not in line and "'''" not in line
    ]
    if not inner:
        return None
    number = site.rng.choice(inner)
    if site.rng.random() < 0.3 and n_follows(site, number):
        star = "* " if document.lines[number].strip().startswith("*") else ""
        text = f"{indent_at(document, number)}{star}The result is computed {site.rng.choice(WORDS)} and kept."
        return [Splice(number + 1, number + 1, (text,))]
    return [Splice(number, number + 1, (_reworded(site, document.lines[number]),))]


def n_follows(site: Site, number: int) -> bool:
    """Whether the docstring goes on after line `number`."""
    return number + 1 < len(site.document.lines) and site.document.hidden[number + 1]


def add_docstring(site: Site) -> list[Splice] | None:
    """Gives a Python function without docstring one."""
    document = site.document
    function = pick_function(site)
    if function is None or not document.traits.triple_quotes:
        return None
    first = function.body_line
    if is_blank(document, first) or document.lines[first].strip()[:1] in ('"', "'", "r", "#"):
        return None
    indent = indent_at(document, first)
    words = function.name.strip("_").replace("_", " ") or "it"
    lines = [f'{indent}"""Handle {words}.']
    if site.rng.random() < 0.5:
        lines += ["", f"{indent}The result is computed {site.rng.choice(WORDS)} and kept."]
        return [Splice(first, first, (*lines, f'{indent}"""'))]
    return [Splice(first, first, (lines[0] + '"""',))]


def add_decorator(site: Site) -> list[Splice] | None:
    """Adds a decorator of elsewhere above a function."""
    function = pick_function(site)
    if function is None or not site.pool.decorators:
        return None
    number = function.header_line
    decorator = site.rng.choice(site.pool.decorators)
    if decorator in (line.strip() for line in site.document.lines[function.start_line : function.header_line]):
        return None
    return [Splice(number, number, (indent_at(site.document, number) + decorator,))]


def _decorators(site: Site) -> list[int]:
    start = site.document.traits.decorator
    if not start:
        return []
    return [
        n
        for n, line in enumerate(site.document.lines)
        if line.strip().startswith(start)
        and not site.document.hidden[n]
        and line.rstrip()[-1] in ")]" + "abcdefghijklmnopqrstuvwxyz"
        and line.count("(") == line.count(")")
    ]


def change_decorator(site: Site) -> list[Splice] | None:
    """Replaces a decorator by another one, or deletes it."""
    choices = _decorators(site)
    if not choices:
        return None
    number = site.rng.choice(choices)
    if site.rng.random() < 0.4 or not site.pool.decorators:
        return [Splice(number, number + 1, ())]
    return [Splice(number, number + 1, (indent_at(site.document, number) + site.rng.choice(site.pool.decorators),))]


REMARK_MAKERS: dict[str, Maker] = {
    "add_comment": add_comment,
    "modify_comment": modify_comment,
    "delete_comment": delete_comment,
    "modify_docstring": modify_docstring,
    "add_docstring": add_docstring,
    "add_decorator": add_decorator,
    "change_decorator": change_decorator,
}
