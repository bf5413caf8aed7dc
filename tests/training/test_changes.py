"""Makers of changes, each on files that have a place for it."""

from __future__ import annotations

import random
from functools import cache

import pytest

from fastedit.syntax import language_of
from fastedit.training.synthesis.changes import MAKERS, WEIGHTS
from fastedit.training.synthesis.changes.common import Site
from fastedit.training.synthesis.corpus import Pool, gather
from fastedit.training.synthesis.document import Document, read_document
from fastedit.training.synthesis.model import Change, make_change
from support.edits import ORIGINALS, STANDARD_LIBRARY

FILES = (*sorted(ORIGINALS.iterdir()), STANDARD_LIBRARY / "shelve.py", STANDARD_LIBRARY / "functools.py")


@cache
def documents() -> tuple[tuple[Document, ...], dict[str, Pool]]:
    found = [read_document(path.name, language_of(path.name), path.read_text("utf-8")) for path in FILES]
    kept = tuple(document for document in found if document is not None)
    return kept, gather(kept)


def changes(kind: str, wanted: int = 6) -> list[Change]:
    """The first few changes of a kind that the files have a place for."""
    kept, pools = documents()
    rng = random.Random(11)
    result: list[Change] = []
    for _ in range(60):
        for document in kept:
            splices = MAKERS[kind](Site(document, pools[document.language], rng))
            change = make_change(document, splices, kind) if splices else None
            if change is not None:
                result.append(change)
            if len(result) == wanted:
                return result
    return result


def test_every_kind_has_its_weight() -> None:
    assert set(MAKERS) == set(WEIGHTS)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_finds_places(kind: str) -> None:
    found = changes(kind)
    assert len(found) == 6
    for change in found:
        assert change.before.lines != change.after.lines
        assert change.after.num_errors <= change.before.num_errors


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind.startswith("delete_")])
def test_deletions_only_take_away(kind: str) -> None:
    for change in changes(kind):
        assert not any(splice.lines for splice in change.splices)


def test_a_moved_declaration_keeps_its_lines() -> None:
    for change in changes("move_declaration"):
        kept = [line for line in change.before.lines if line.strip()]
        assert sorted(line for line in change.after.lines if line.strip()) == sorted(kept)


def test_wrapped_lines_are_indented_by_one_unit() -> None:
    for change in changes("wrap"):
        old = [line.strip() for splice in change.splices for line in change.before.lines[splice.start : splice.end]]
        new = [line.strip() for splice in change.splices for line in splice.lines]
        assert len(new) > len(old)
        assert set(old) <= set(new) | {""}


def test_a_renamed_name_is_gone_from_its_function() -> None:
    for change in changes("rename_in_function"):
        assert len(change.before.lines) == len(change.after.lines)
        assert all(len(splice.lines) == splice.end - splice.start for splice in change.splices)
