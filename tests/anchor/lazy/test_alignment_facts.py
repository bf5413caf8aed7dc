"""Facts about a result as a whole."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.facts import FACTS, facts_of
from fastedit.anchor.lazy.imports import bound_names
from fastedit.anchor.lazy.plan import plan_of
from fastedit.anchor.lazy.realise import Realiser
from support.aligning import grid_of, path_of

ORIGINAL = """\
import json
import os

LIMIT = 3


def load(path):
    return json.load(open(path))


def save(path):
    return LIMIT
"""


def facts(edit: str, told: str, original: str = ORIGINAL) -> dict[str, float]:
    grid = grid_of(original, edit)
    plan = plan_of(path_of(grid, told), grid)
    assert plan is not None
    values = facts_of(grid, plan, tuple(Realiser(grid, plan).cells()))
    return {name: float(value) for name, value in zip(FACTS, values, strict=True) if value}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import os", ("os",)),
        ("import os.path", ("path",)),
        ("from x import a, b as c", ("a", "c")),
        ("import React from 'react'", ("React",)),
        ("import { a, type B } from './b';", ("a", "B")),
        ("use std::fmt;", ("fmt",)),
        ("import java.util.List;", ("List",)),
        ('spb "github.com/a/b_proto"', ("spb",)),
        ('"github.com/a/wire"', ("wire",)),
        ("def load(path):", ("load",)),
        ("LIMIT = 3", ("LIMIT",)),
        ("#include <stdio.h>", ()),
        ("import {} from './nothing';", ()),
        ("return x", ()),
    ],
)
def test_names_that_a_line_binds(line: str, names: tuple[str, ...]) -> None:
    assert bound_names(line, "go" if "github.com" in line else "python") == names


def test_a_name_that_goes_though_it_is_used() -> None:
    assert facts("import os\n\n\ndef load(path):\n", "Q1 D4 Q4 Q5 Q6")["lost_used"] == 1


def test_an_import_that_goes_for_nobody_uses_it() -> None:
    found = facts("import json\n\nLIMIT = 3\n", "Q0 D2 Q2 Q3")
    assert (found.get("lost_used"), found.get("lost_unused")) == (None, 1)


def test_a_name_that_is_bound_anew_isnt_lost() -> None:
    found = facts("import os\nfrom limits import LIMIT\n\ndef load(path):\n", "Q1 N D5 Q5 Q6")
    assert "lost_used" not in found


def test_a_header_that_becomes_one_that_is_there_already() -> None:
    assert "duplicated" not in facts("def store(path):\n", "Q6")
    assert facts("def save(path):\n", "Q6")["duplicated"] == 1


TWINS = """\
function one() {
  run();
}

function two() {
  run();
}
"""


def test_rows_of_one_block_that_are_found_in_two() -> None:
    shown = "function one() {\n  run();\n}\n"
    together = facts(shown, "Q0 Q1 Q2", TWINS)
    apart = facts(shown, "Q0 D5 Q5 Q6", TWINS)
    assert not together.keys() & {"kin_apart", "closer_apart"}
    assert (apart["kin_apart"], apart["closer_apart"]) == (1, 1)


def test_a_new_block_that_takes_what_a_known_one_has() -> None:
    shown = "function three() {\n  run();\n}\n"
    found = facts(shown, "N Q1 Q2", TWINS)
    assert (found["kin_of_new"], found["closer_of_new"]) == (1, 1)


def test_a_known_block_that_ends_anew() -> None:
    found = facts("function two() {\n  run();\n}\n", "Q4 Q5 N", TWINS)
    assert found["closer_new"] == 1
