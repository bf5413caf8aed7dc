"""Made changes: tables of kinds, and how one is drawn.

A maker knows nothing of renderings: it gives the splices of one change, or None where the document has no place
for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastedit.training.synthesis.changes.common import Maker, Site
from fastedit.training.synthesis.changes.declarations import DECLARATION_MAKERS
from fastedit.training.synthesis.changes.imports import IMPORT_MAKERS
from fastedit.training.synthesis.changes.naming import NAMING_MAKERS
from fastedit.training.synthesis.changes.nesting import NESTING_MAKERS
from fastedit.training.synthesis.changes.remarks import REMARK_MAKERS
from fastedit.training.synthesis.changes.rows import ROW_MAKERS
from fastedit.training.synthesis.changes.statements import STATEMENT_MAKERS
from fastedit.training.synthesis.model import Change, Splice, make_change

MAKERS: dict[str, Maker] = {
    **STATEMENT_MAKERS,
    **DECLARATION_MAKERS,
    **NAMING_MAKERS,
    **NESTING_MAKERS,
    **IMPORT_MAKERS,
    **ROW_MAKERS,
    **REMARK_MAKERS,
}

# How often a kind is drawn. Deletions are what published apply data sets lack, and where their models fail.
WEIGHTS: dict[str, float] = {
    "insert_statements": 6, "delete_statements": 5, "replace_statements": 5, "modify_statement": 6,
    "modify_neighbours": 3, "move_statement": 2, "insert_guard": 4, "modify_condition": 3,
    "new_declaration": 7, "variant_of_neighbour": 3, "replace_declaration": 5, "rewrite_statements": 4,
    "delete_declaration": 4, "move_declaration": 2, "twin_method": 3,
    "rename_in_function": 4, "rename_in_file": 2, "add_parameter": 6, "remove_parameter": 2,
    "wrap": 7, "unwrap": 3,
    "add_import_and_use": 5, "delete_import": 3, "replace_import": 2,
    "insert_row": 5, "delete_row": 3, "modify_row": 4, "insert_group": 6, "delete_group": 5,
    "add_comment": 2, "modify_comment": 2, "delete_comment": 1, "modify_docstring": 2, "add_docstring": 2,
    "add_decorator": 2, "change_decorator": 2,
}  # fmt: skip

# What makes edits hard: equal names, near-identical neighbours, things that go or move, several places in one function.
HARD_KINDS: dict[str, float] = {
    "twin_method": 6, "variant_of_neighbour": 2, "modify_neighbours": 2, "rewrite_statements": 2, "move_declaration": 3,
    "delete_declaration": 2, "delete_statements": 1.5, "delete_import": 2, "wrap": 1.5,
}  # fmt: skip
HARD_WEIGHTS: dict[str, float] = {kind: weight * HARD_KINDS.get(kind, 1) for kind, weight in WEIGHTS.items()}

SHARE_OF_COMBINED = 0.3
COMBINED = "combined"
MIN_DISTANCE = 1
TRIES = 8


def draw_change(site: Site, weights: Mapping[str, float] = WEIGHTS) -> Change | None:
    """A change of a random kind (several of them at once in three of ten), or None where none fits."""
    if site.rng.random() < SHARE_OF_COMBINED:
        return _combined(site, weights)
    for _ in range(TRIES):
        kind = _draw_kind(site, weights)
        splices = MAKERS[kind](site)
        change = make_change(site.document, splices, kind) if splices else None
        if change is not None:
            return change
    return None


def _draw_kind(site: Site, weights: Mapping[str, float]) -> str:
    return site.rng.choices(list(weights), list(weights.values()))[0]


def _combined(site: Site, weights: Mapping[str, float]) -> Change | None:
    """Two to four changes that keep apart from each other."""
    chosen: list[Splice] = []
    wanted = site.rng.choice((2, 2, 3, 4))
    for _ in range(wanted * 2):
        splices = MAKERS[_draw_kind(site, weights)](site)
        if splices and not any(_touch(new, old) for new in splices for old in chosen):
            chosen.extend(splices)
            wanted -= 1
        if not wanted:
            break
    return make_change(site.document, chosen, COMBINED) if len(chosen) > 1 else None


def _touch(one: Splice, other: Splice) -> bool:
    return one.start <= other.end + MIN_DISTANCE and other.start <= one.end + MIN_DISTANCE
