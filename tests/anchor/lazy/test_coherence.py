"""Signs that a result can't be meant so: each is there where it should be, and isn't where it shouldn't."""

from __future__ import annotations

import difflib
from textwrap import dedent

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.facts import COHERENCE, coherence_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.message import MessageFacts
from fastedit.edits.model import Snippet


def told(before: str, after: str, *, language: str = "python", shown: str = "", gone: bool = False) -> dict[str, float]:
    old, new = dedent(before).strip("\n").split("\n"), dedent(after).strip("\n").split("\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [(a, b, new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    snippet = Snippet(tuple(dedent(shown).strip("\n").split("\n")))
    prose = "I removed some of it." if gone else ""
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
