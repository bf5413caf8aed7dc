"""Facts about a result as a whole: each is there where it should be, and isn't where it shouldn't."""

from __future__ import annotations

import difflib
from textwrap import dedent

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.identity import bound_names
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.coherence import COHERENCE, coherence_of
from fastedit.anchor.lazy.result.facts import FACTS, facts_of
from fastedit.anchor.lazy.result.message import MessageFacts
from fastedit.anchor.lazy.result.realise import Realiser
from fastedit.anchor.lazy.search.grid import Context
from fastedit.anchor.lazy.search.paths import plan_of
from fastedit.edits.model import Snippet
from support.aligning import grid_of, path_of, plan_told

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


def test_a_header_that_becomes_another_though_the_old_one_is_still_used() -> None:
    original = "def load(path):\n    return path\n\n\nload(1)\n"
    found = facts("def read(path):\n    return path\n", "Q0 Q1", original)
    assert (found["renamed_header"], found["renamed_used"], found.get("renamed_said")) == (1, 1, None)
    assert "renamed_used" not in facts("def read(path):\n    return path\n\n\nread(1)\n", "Q0 Q1 Q2 Q3 Q4", original)
    assert "renamed_header" not in facts("def load(path, mode):\n    return path\n", "Q0 Q1", original)


def test_lines_that_go_with_nothing_in_their_place() -> None:
    found = facts("LIMIT = 3\n\n\ndef save(path):\n", "Q3 Q4 Q5 D10 Q10")
    assert found["bare_runs"] == 1
    assert found["bare_lines"] == pytest.approx(1.0986, abs=1e-3)  # two lines that aren't blank
    assert "bare_runs" not in facts("LIMIT = 3\nMOST = 4\n\ndef save(path):\n", "Q3 D10 N N Q10")


def test_what_goes_is_compared_with_what_takes_its_place() -> None:
    found = facts("LIMIT = 3\n\n\ndef load(path):\n    return open(path)\n", "Q3 Q4 Q5 Q6 D8 N")
    assert found["replaced_runs"] == 1
    assert found["replaced_share"] == pytest.approx(3 / 5)  # return, open and path; not json, load


def test_a_new_line_beside_one_that_stays_and_says_the_same() -> None:
    edit = "def load(path):\n    # ...\n    return json.load(open(path, mode))\n"
    beside = facts(edit, "Q6 M S8 N")
    assert beside["beside_like"] > 0.3
    assert beside["beside_share"] == pytest.approx(1 + 1 / 3)  # and of `def save(path):` it has `path`
    other = facts("def load(path):\n    # ...\n    print(LIMIT)\n", "Q6 M S8 N")
    assert other.get("beside_like", 0.0) + other.get("beside_share", 0.0) < 0.3


def test_a_new_line_that_the_file_has_already() -> None:
    edit = "import os\n\ndef load(path):\n    return json.load(open(path))\nLIMIT = 3\n"
    kept, gone = facts(edit, "Q1 Q2 J6 Q6 Q7 N"), facts(edit, "Q1 Q2 D6 Q6 Q7 N")
    assert (kept.get("repeats_near"), kept.get("moves_line")) == (1, None)
    assert (gone.get("repeats_near"), gone.get("moves_line")) == (None, 1)


def test_a_new_line_that_stands_far_away() -> None:
    original = "a = 1\n" + "".join(f"line_{n}\n" for n in range(40)) + "LIMIT = 3\n"
    assert facts("LIMIT = 3\na = 1\n", "N Q0", original)["repeats_far"] == 1


def test_a_comment_that_is_left_out_where_others_are_shown() -> None:
    original = "a = call(1)  # one\nb = call(2)  # two\nc = call(3)\n"
    assert facts("a = call(1)\nb = call(2)  # two\n", "Q0 Q1", original)["comments_dropped"] == 1
    assert "comments_dropped" not in facts("a = call(1)\nc = call(3)\n", "Q0 D2 Q2", original)
    assert "comments_dropped" not in facts("a = call(1)\nb = call(2)  # two\n", "Q0~ Q1", original)


@pytest.mark.parametrize(
    ("prose", "told", "expected"),
    [
        ("The head of the file becomes:", "Q0 J3 Q3", {"passed_full", "passed_full_lines"}),
        ("The head of the file becomes:", "Q0 D3 Q3", set()),
        ("Here they are:", "Q0 J3 Q3", set()),
    ],
)
def test_lines_that_a_snippet_passes_over_though_it_is_called_complete(
    prose: str, told: str, expected: set[str]
) -> None:
    grid = grid_of(ORIGINAL, "import json\nLIMIT = 3\n", context=Context(prose=prose))
    plan = plan_of(path_of(grid, told), grid)
    assert plan is not None
    values = facts_of(grid, plan, tuple(Realiser(grid, plan).cells()))
    found = {name for name, value in zip(FACTS, values, strict=True) if value and name.startswith("passed")}
    assert found == expected


def test_a_snippet_that_is_new_in_one_place() -> None:
    prose = "Then add this below `LIMIT`:"
    grid = grid_of(ORIGINAL, "MOST = 4\nimport json", context=Context(prose=prose))

    def told(path: str) -> dict[str, float]:
        plan = plan_told(grid, path)
        values = facts_of(grid, plan, tuple(Realiser(grid, plan).cells()))
        return {name: float(value) for name, value in zip(FACTS, values, strict=True) if name.startswith("apart")}

    assert told("N4 N") == {
        "apart": 1, "apart_told": 1, "apart_meant": 1, "apart_adds": 1, "apart_changes": 0, "apart_known": 0.5,
        "apart_kin": 1, "apart_sorted": 0, "apart_unsorted": 0, "apart_alike": 0,
    }  # fmt: skip
    assert (told("N1 N")["apart"], told("N1 N")["apart_told"]) == (1, 0)
    assert not any(told("N4 B Q0").values())


@pytest.mark.parametrize(
    ("edit", "at", "expected"),
    [
        ("import json", 1, {"apart_kin", "apart_sorted"}),
        ("import json", 2, {"apart_kin"}),
        ("import zlib", 1, {"apart_kin", "apart_unsorted"}),
        ("import re", 1, set()),  # the file has it
        ("run(json)", 1, set()),
        ("def save(path):\n    pass", 7, {"apart_kin"}),
    ],
)
def test_a_snippet_that_is_new_beside_its_kind(edit: str, at: int, expected: set[str]) -> None:
    original = "import ast\nimport re\n\nLIMIT = 3\n\ndef load(path):\n    pass\n"
    grid = grid_of(original, edit)
    plan = plan_told(grid, " ".join([f"N{at}", *["N"] * edit.count("\n")]))
    values = facts_of(grid, plan, tuple(Realiser(grid, plan).cells()))
    told = {name for name, value in zip(FACTS, values, strict=True) if value}
    assert told & {"apart_kin", "apart_sorted", "apart_unsorted"} == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Q0 J2 Q2 J4 Q4 J6 Q6", (2, 0)),
        ("Q0 J2 Q2 D4 Q4 J6 Q6", (1, 1)),
        ("Q0 D2 Q2 D4 Q4 D6 Q6", (0, 0)),
        ("Q0 Q1 Q2 J6 Q6", (0, 0)),
    ],
)
def test_a_writer_who_leaves_lines_out_does_so_again(told: str, expected: tuple[int, int]) -> None:
    original = "one()\ntwo()\nthree()\nfour()\nfive()\nsix()\nseven()\n"
    lines = original.split("\n")
    rows = [int(step[1:]) for step in told.split() if step[0] == "Q"]
    grid = grid_of(original, "\n".join(lines[row] for row in rows))
    plan = plan_told(grid, told)
    values = facts_of(grid, plan, tuple(Realiser(grid, plan).cells()))
    found = dict(zip(FACTS, values, strict=True))
    assert (found["gaps_stay_again"], found["gaps_differ"]) == expected
    assert not found["gaps_stay_marked"]


def told(
    before: str, after: str, *, language: str = "python", shown: str = "", gone: bool = False, prose: str = ""
) -> dict[str, float]:
    old, new = dedent(before).strip("\n").split("\n"), dedent(after).strip("\n").split("\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [(a, b, new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    snippet = Snippet(tuple(dedent(shown).strip("\n").split("\n")))
    prose = "I removed some of it." if gone else prose
    message = MessageFacts(Lines(old), [snippet], hints_of(prose), prose, shown)
    return dict(zip(COHERENCE, coherence_of(Lines(old), changes, message, language), strict=True))


LOOP = """
def load(path, limit):
    rows = read(path)
    for row in rows:
        check(row, limit)
    return rows


def save(path):
    return write(path)
"""


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("I removed the call of `check` in `load`. `write` stays.", (1, 1)),
        ("I removed the call of `check`, and `save` is gone, too.", (2, 0)),
        ("I removed some of it.", (0, 0)),
        ("`check` is called by `read` now.", (0, 0)),
    ],
)
def test_what_goes_is_named_where_something_is_said_to_go(prose: str, expected: tuple[int, int]) -> None:
    after = LOOP.replace("        check(row, limit)\n", "").replace("def save(path):\n    return write(path)\n", "")
    found = told(LOOP, after, prose=prose)
    assert (found["gone_named"], found["gone_unnamed"]) == expected


def test_a_result_that_is_the_original_says_nothing() -> None:
    assert not any(told(LOOP, LOOP).values())


def test_a_line_left_beside_the_one_that_was_to_replace_it() -> None:
    left = LOOP.replace("    rows = read(path)\n", "    rows = read(path)\n    rows = read(path, limit)\n")
    replaced = LOOP.replace("rows = read(path)", "rows = read(path, limit)")
    assert told(LOOP, left)["left_like"] == told(LOOP, left)["left_start"] == 1
    assert told(LOOP, replaced)["left_like"] == 0
    # Shown lines are meant to stay.
    assert told(LOOP, left, shown="    rows = read(path)")["left_like"] == 0


def test_lines_behind_a_return_are_not_reached() -> None:
    result = LOOP.replace("    return rows\n", "    return rows\n    return sorted(rows)\n")
    assert told(LOOP, result)["unreachable"] == 1
    assert told(LOOP, LOOP.replace("return rows", "return sorted(\n        rows)"))["unreachable"] == 0
    # A comment between changes nothing, but what stands further out is reached.
    noted = "def load(path):\n    # All of them.\n    rows = read(path)\n    return rows\n"
    assert told(noted, noted.replace("    #", "    return list(read(path))\n\n    #"))["unreachable"] == 1
    assert told(noted, noted.replace("    #", "    if not path:\n        return []\n    #"))["unreachable"] == 0


def test_a_comment_of_a_block_right_beside_another_one() -> None:
    before = "/**\n * Loads it.\n */\nfunction load() {}\n\n/** Saves it. */\nfunction save() {}\n"
    below = before.replace(" */\n", " */\n/**\n * Loads all of it.\n */\n", 1)
    assert told(before, below, language="javascript")["doc_twice"] == 1
    above = before.replace("/** Saves", "/** Saves all of it. */\n/** Saves")
    assert told(before, above, language="javascript")["doc_twice"] == 1
    changed = before.replace("Loads it", "Loads all of it")
    assert told(before, changed, language="javascript")["doc_twice"] == 0
    documented = '    """Loads it."""\n    return rows\n'
    assert told(documented, f'    """Loads all of it."""\n{documented}')["doc_twice"] == 1


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", "if a:\n    b()\nc()", "if a:\nif a is None:\n    b()\nc()"),
        ("c", "if (a) {\n  b();\n}\nc();", "if (a) {\nif (!a) {\n  b();\n}\nc();"),
    ],
)
def test_a_header_without_its_block(language: str, before: str, after: str) -> None:
    assert told(before, after, language=language)["empty"] == 1


def test_a_line_further_in_than_anything_opens() -> None:
    assert told(LOOP, LOOP.replace("    return rows\n", "        return rows\n"))["slanted"] == 0
    assert told("a = 1\nb = 2", "a = 1\n    c = 3\nb = 2")["slanted"] == 1


def test_a_name_used_though_nothing_binds_it_any_more() -> None:
    assert told(LOOP, LOOP.replace("rows = read(path)", "found = read(path)"))["unbound"] == 1
    renamed = LOOP.replace("rows", "found")
    assert told(LOOP, renamed)["unbound"] == 0


def test_a_parameter_that_is_gone_while_the_body_uses_it() -> None:
    assert told(LOOP, LOOP.replace("def load(path, limit):", "def load(path):"))["params"] == 1
    both = LOOP.replace("def load(path, limit):", "def load(path):").replace("check(row, limit)", "check(row)")
    assert told(LOOP, both)["params"] == 0


def test_what_nobody_uses_any_more() -> None:
    code = "import json\nimport os\n\ndata = json.loads(text)\nos.remove(name)\n\ndef helper():\n    pass\n\nhelper()"
    changed = told(code, code.replace("data = json.loads(text)", "data = parse(text)"))
    assert (changed["unused_import"], changed["unused"]) == (1, 0)
    changed = told(code, code.replace("\nhelper()", "\nother()"))
    assert (changed["unused_import"], changed["unused"]) == (0, 1)


def test_what_is_written_a_second_time() -> None:
    code = "import { a, b } from 'x'\n\nfunction one(value) {\n  return send(value, a, b)\n}\n\nconst limit = 3"
    assert told(code, code + "\nconst limit = 4", language="javascript")["again"] == 1
    result = told(code, code.replace("import", "import { b, c } from 'y'\nimport", 1), language="javascript")
    assert result["reimported"] == 1
    result = told(code, code + "\n  return send(value, a, b)", language="javascript")
    assert result["copied"] == result["copied_near"] == result["copied_once"] == 1


def test_what_goes_and_whether_the_words_ask_for_it() -> None:
    shorter = LOOP.replace("    for row in rows:\n        check(row, limit)\n", "")
    unasked, asked = told(LOOP, shorter), told(LOOP, shorter, gone=True)
    assert unasked["gone_unasked"] == asked["gone_asked"] > 0
    assert unasked["gone_asked"] == asked["gone_unasked"] == 0
    assert unasked["gone_runs"] == 1
    known = told(LOOP, shorter, shown="for row in rows: check(row, limit)")
    assert known["gone_known"] == unasked["gone_unknown"] > 0
    assert known["gone_unknown"] == unasked["gone_known"] == 0


def test_a_line_that_moves_is_not_gone() -> None:
    moved = told("first()\nsecond(1)\nthird()", "second(1)\nfirst()\nthird()")
    assert moved["moved"] == 1
    assert moved["gone_unasked"] == 0


def test_comments_that_part_from_what_they_speak_of() -> None:
    code = "start()\n\n# Loads it.\ndef load():\n    pass\n\ndef save():\n    pass"
    assert told(code, code.replace("# Loads it.\n", ""))["lost_doc"] == 1
    assert told(code, code.replace("def load():\n    pass\n\n", ""))["orphan_doc"] == 1


def test_a_comment_that_is_written_though_it_stays() -> None:
    before = "# Copyright us\nrun()\n"
    assert told(before, "# Copyright us\n# Copyright us\nrun()\n", language="shell")["copied_comment"] == 1
    assert told(before, "# Copyright them\nrun()\n", language="shell")["copied_comment"] == 0
