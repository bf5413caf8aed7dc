"""White space that only the snippet speaks for, and blank lines where several things speak for different numbers."""

from __future__ import annotations

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.result.columns import Verbatim
from fastedit.anchor.lazy.result.gaps import GAPS, Gap, Gaps, ways_to_space
from fastedit.anchor.lazy.result.realise import Realiser, ways_to_write
from support.aligning import grid_of, lines_of, plan_told, realised, written


def made(original: str, edit: str, steps: str, verbatim: Verbatim, language: str = "python") -> str:
    """The result of a path whose rows have the white space of the snippet."""
    grid = grid_of(original, edit, language)
    cells = Realiser(grid, plan_told(grid, steps), verbatim=verbatim).cells()
    return "\n".join(written(lines_of(original), cells)) + "\n"


def texts(original: str, edit: str, steps: str, language: str = "python") -> list[str]:
    """All texts that a path may come to."""
    grid = grid_of(original, edit, language)
    ways = ways_to_write(Realiser(grid, plan_told(grid, steps)), False, False)
    return ["\n".join(written(lines_of(original), way.cells)) + "\n" for way in ways]


# ---- rows as they are shown ------------------------------------------------------------------------------------------

BODY = "int main() {\n    one();\n    two();\n}\n"


def test_new_rows_may_stand_where_the_snippet_has_them_though_a_quoted_one_lost_its_indentation() -> None:
    edit = "one();\n#ifdef A\n    more();\n#endif\n    two();"
    expected = BODY.replace("    two", "#ifdef A\n    more();\n#endif\n    two")
    assert made(BODY, edit, "Q1 N N N Q2", Verbatim.NEW, "c") == expected
    found = texts(BODY, edit, "Q1 N N N Q2", "c")
    assert expected in found
    assert found[0] != expected


def test_new_rows_may_have_the_tabs_of_the_snippet() -> None:
    original = "a = [\n    1,\n]\n"
    edit = "b = [\n\t2,\n]"
    usual = f"{original}b = [\n    2,\n]\n"
    assert texts(original, edit, "N3 N3 N3") == [usual, usual.replace("    2", "\t2")]
    assert texts(original, edit.replace("\t", "    "), "N3 N3 N3") == [usual]


def test_a_row_that_is_all_a_snippet_shows_may_stand_further_in_than_its_line() -> None:
    original = "/*\n  Read on at\n\n  https://one.example\n*/\n"
    edit = "      https://one.example"
    assert texts(original, edit, "Q3", "c") == [original, original.replace("  https", "      https")]
    assert set(texts(original, edit.strip(), "Q3", "c")) == {original}


def test_a_row_that_is_all_a_snippet_shows_may_have_another_end() -> None:
    original = "a = 1\nb = 2  \n"
    assert texts(original, "b = 2", "Q1") == [original, "a = 1\nb = 2\n"]
    assert texts(original, "b = 2\nc = 3", "Q1 N") == [f"{original}c = 3\n"]


def test_a_changed_line_of_a_text_keeps_its_break() -> None:
    original = "# Title\n\nwritten by one  \nand two\n\nthis is the end  \n"
    changed = original.replace("by one", "by four")
    assert realised(original, "written by four", "Q2", "markdown") == changed
    ended = original.replace("the end  ", "the last end")
    assert realised(original, "this is the last end", "Q5", "markdown") == ended  # nothing follows it
    assert realised("a = 1  \nb = 2\n", "a = 2", "Q0") == "a = 2\nb = 2\n"


# ---- blank lines -----------------------------------------------------------------------------------------------------


def test_a_last_line_below_its_kin_has_no_blank_line_before_it_as_these() -> None:
    original = "a = 1\n\ndrop one\ndrop two\n"
    assert realised(original, "drop three", "N4", "") == f"{original}drop three\n"
    apart = "a = 1\n\ndrop one\n\ndrop two\n"
    assert realised(apart, "drop three", "N5", "") == f"{apart}\ndrop three\n"


def test_a_last_comment_is_apart_as_the_others_are() -> None:
    block = "/**\n * One.\n */\n\nvar one = go(\n  1\n)\n"
    original = "\n".join([block, block.replace("ne", "n"), block.replace("ne", "m")])
    new = block.replace("ne", "x")
    told = " ".join(["N23"] * len(lines_of(new)))
    assert realised(original, new, told, "javascript") == f"{original}\n{new}"


def test_a_last_method_whose_brace_is_on_the_next_line_is_apart_as_the_others_are() -> None:
    methods = "    function one()\n    {\n        go();\n    }\n\n    function two()\n    {\n        go();\n    }\n"
    original = f"<?php\nclass A\n{{\n{methods}}}\n"
    edit = "    function three()\n    {\n        go();\n    }"
    assert realised(original, edit, "N12 N12 N12 N12", "php") == original[:-2] + f"\n{edit}\n}}\n"


def gaps(original: str, result: str, origins: list[int | None], *shown: str) -> dict[tuple[int, int], Gap]:
    """The other numbers of blank lines of a result, by where they begin and by number."""
    found = Gaps(Lines(lines_of(original)), [lines_of(one) for one in shown], []).of_result(lines_of(result), origins)
    return {(gap.start, gap.number): gap for gap in found}


def test_new_lines_of_two_snippets_may_be_as_near_as_the_lines_beside_them_were() -> None:
    asked = "one()\ntwo()\n", "one()\nnew()\n\nmore()\ntwo()\n", [0, None, None, None, 1]
    found = gaps(*asked, "new()", "more()")
    assert found[2, 0].values["above"] == found[2, 0].values["below"] == 1
    found = gaps(*asked, "new()\n\nmore()")
    assert "above" not in found[2, 0].values


def test_a_new_line_among_blank_ones_may_leave_as_many_as_there_were() -> None:
    original = "one()\n\n\n\ntwo()\n"
    result = "one()\n\nnew()\n\n\n\ntwo()\n"
    found = gaps(original, result, [0, None, None, 1, 2, 3, 4], "one()\n\nnew()")
    assert found[3, 2].values["replaced"] == 1
    assert (3, 2) not in gaps(original, result.replace("\n\nnew", "\nnew"), [0, None, 1, 2, 3, 4], "one()\nnew()")


def test_two_places_may_be_others_together() -> None:
    worth = dict.fromkeys(GAPS, 0.0) | {"any": -1.0}
    found = [Gap(at, at + 1, 0, {"any": number}) for at, number in ((1, 2.0), (4, 1.0), (7, 3.0))]
    ways = {tuple(gap.start for gap in way.chosen): way.gain for way in ways_to_space(found, worth)}
    assert ways == {(): 0.0, (4,): -1.0, (1,): -2.0, (7,): -3.0, (1, 4): -3.0, (4, 7): -4.0}
