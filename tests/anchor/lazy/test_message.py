"""How far results bear out what messages show and say."""

from __future__ import annotations

from fastedit.anchor.lazy.message import FULFILLED, fulfilled_by
from support.results import result_of


def told(before: str, after: str, *, shown: str = "", prose: str = "") -> dict[str, float]:
    original, changes, message = result_of(before, after, shown, prose)
    return dict(zip(FULFILLED, fulfilled_by(original, changes, message), strict=True))


LOOP = """
def load(path):
    rows = read(path)
    for row in rows:
        check(row)  # may raise
    return rows
"""


def test_a_result_that_is_the_original_says_nothing() -> None:
    assert not any(told(LOOP, LOOP, shown=LOOP).values())


def test_shown_lines_that_the_result_lacks() -> None:
    shown = "    for row in rows:\n        check(row)\n        count += 1\n    # ...\n    return rows"
    assert told(LOOP, LOOP, shown=shown)["shown_lost"] > 0
    # Notes don't count, neither those of the snippet nor those behind the file's code.
    result = LOOP.replace("# may raise\n", "# may raise\n        count += 1\n")
    assert told(LOOP, result, shown=shown)["shown_lost"] == 0


def test_a_blank_line_that_only_the_snippet_has() -> None:
    shown = "    rows = read(path)\n    log(rows)\n\n    for row in rows:"
    new = "    rows = read(path)\n    log(rows)\n"
    assert told(LOOP, LOOP.replace("    rows = read(path)\n", new), shown=shown)["blank_lost"] == 1
    assert told(LOOP, LOOP.replace("    rows = read(path)\n", f"{new}\n"), shown=shown)["blank_lost"] == 0


def test_lines_indented_otherwise_against_each_other() -> None:
    shown = "for row in rows:\n    log(row)\n    note(row)"
    even = LOOP.replace("        check", "        log(row)\n        note(row)\n        check")
    assert told(LOOP, even, shown=shown)["uneven"] == told(LOOP, even, shown=shown)["uneven_kept"] == 0
    turned = told(LOOP, even.replace("        log(row)", "    log(row)"), shown=shown)
    assert turned["uneven_kept"] == turned["uneven"] == 1
    assert turned["uneven_turned"] == 2
    further = even.replace("        log(row)", "            log(row)").replace("        note", "            note")
    deeper = told(LOOP, further, shown=shown)
    assert (deeper["uneven_kept"], deeper["uneven"], deeper["uneven_turned"]) == (1, 0, 0)


def test_dots_that_are_written() -> None:
    assert told(LOOP, LOOP.replace("check(row)", "check(...)"))["dots_written"] == 1
    assert told(LOOP, LOOP.replace("check(row)", "check(row, 1)"))["dots_written"] == 0


def test_notes_that_are_written_behind_code() -> None:
    noted = told(LOOP, LOOP.replace("return rows", "return rows  # was None before"))
    assert noted["notes_written"] == 1
    assert noted["talk_written"] > 0
    added = told(LOOP, LOOP.replace("    return rows", "    log(rows)  # new\n    return rows"))
    assert added["notes_written"] == 0
    assert added["talk_written"] > 0
    assert told(LOOP, LOOP.replace("return rows", "return [*rows]"))["talk_written"] == 0


def test_names_that_go_though_they_are_spoken_of() -> None:
    result = LOOP.replace("        check(row)  # may raise\n", "        pass\n")
    assert told(LOOP, result, prose="Add `log` behind `check`.")["said_gone"] == 1
    assert told(LOOP, result, prose="I removed `check`.")["said_gone_asked"] == 1
    assert told(LOOP, LOOP, prose="Add `log` behind `check`.")["said_gone"] == 0


def test_names_that_go_though_a_note_has_them() -> None:
    result = LOOP.replace("        check(row)  # may raise\n", "        pass\n")
    assert told(LOOP, result, shown="    # ... check as before ...")["noted_gone"] == 1
    assert told(LOOP, result, shown="    # removed: check")["noted_gone_asked"] == 1
    # A note that is written isn't one.
    written = LOOP.replace("        check(row)  # may raise\n", "        # no check\n")
    assert told(LOOP, written, shown="        # no check")["noted_gone"] == 0


def test_lines_that_go_though_a_note_names_what_they_are_about() -> None:
    before = "sizes = {\n    'width': 1,\n    'height': 2,\n}\nprint(sizes['height'])"
    result = before.replace("    'height': 2,\n", "")
    assert told(before, result, shown="    # width, height")["noted_line_gone"] == 1
    assert told(before, before, shown="    # width, height")["noted_line_gone"] == 0
