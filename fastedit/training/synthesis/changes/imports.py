"""Imports that come, go and change."""

from __future__ import annotations

from fastedit.training.synthesis.blocks import width_of
from fastedit.training.synthesis.changes.common import Maker, Site, code_lines, indent_at, names_in
from fastedit.training.synthesis.corpus import is_balanced
from fastedit.training.synthesis.model import Splice


def _imports(site: Site) -> list[int]:
    """The lines at the margin that are whole imports."""
    document = site.document
    start = document.traits.import_start
    if not start:
        return []
    return [
        number
        for number, line in enumerate(document.lines)
        if line.startswith(start) and not document.hidden[number] and width_of(line) == 0 and _is_whole(line)
    ]


def _is_whole(line: str) -> bool:
    return is_balanced(line) and not line.endswith("\\")


def add_import_and_use(site: Site) -> list[Splice] | None:
    """Adds an import of another file next to the existing ones, and mostly a statement that uses it."""
    places = _imports(site)
    present = set(site.document.lines)
    new = [line for line in site.pool.imports if line not in present]
    if not places or not new:
        return None
    line = site.rng.choice(new)
    at = site.rng.choice(places) + 1
    splices = [Splice(at, at, (line,))]
    if site.rng.random() < 0.75:
        use = _use_of(site, line)
        if use is not None:
            splices.append(use)
    return splices


def _use_of(site: Site, line: str) -> Splice | None:
    """A statement that names what the import brings."""
    names = names_in([line])
    uses = [n for n in code_lines(site.document) if n > 0 and "(" in site.document.lines[n]]
    if not names or not uses:
        return None
    number = site.rng.choice(uses)
    end = site.document.traits.terminator
    call = f"{names[-1]}({site.rng.choice(names_in([site.document.lines[number]]) or ['value'])}){end}"
    return Splice(number, number, (indent_at(site.document, number) + call,))


def delete_import(site: Site) -> list[Splice] | None:
    """Deletes one or two neighbouring imports."""
    places = _imports(site)
    inner = [n for n in places if n > 0 and site.document.lines[n - 1].strip()]
    if not inner:
        return None
    start = site.rng.choice(inner)
    end = start + 2 if start + 1 in places and site.rng.random() < 0.3 else start + 1
    return [Splice(start, end, ())]


def replace_import(site: Site) -> list[Splice] | None:
    """Replaces an import by another one, or lets it bring one more name."""
    places = _imports(site)
    if not places or not site.pool.imports:
        return None
    number = site.rng.choice(places)
    line = site.document.lines[number]
    other = site.rng.choice(site.pool.imports)
    if line.startswith("from ") and " import " in line and "#" not in line and site.rng.random() < 0.6:
        names = names_in([other])
        return [Splice(number, number + 1, (f"{line}, {names[-1]}",))] if names else None
    return [Splice(number, number + 1, (other,))] if other not in site.document.lines else None


IMPORT_MAKERS: dict[str, Maker] = {
    "add_import_and_use": add_import_and_use,
    "delete_import": delete_import,
    "replace_import": replace_import,
}
