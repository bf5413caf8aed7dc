"""What a result leaves undone of what the words ask for, and what looks odd in it."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.doubts import DOUBTS, doubts_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.shown import shown_of

BEFORE = (
    "import os\n\nYEAR = 2012\nLIMIT = 3\n\n# how long to wait\nTIMEOUT = 30\n\n"
    "def load(path):\n    return open(path)\n\ndef save(path):\n    return open(path)"
)
SNIPPET = "LIMIT = 4"
LIMIT = (3, 4, ("LIMIT = 4",))
INTRO = "The limit is higher:\n"


def doubts(words, changes=(LIMIT,), before=BEFORE, intro=INTRO):
    prose = f"{intro}\n{words}"
    shown = shown_of([SNIPPET.split("\n")], hints_of(prose), prose, [intro])
    found = doubts_of(shown, Lines(before.split("\n")), list(changes))
    assert tuple(found) == DOUBTS
    return found


def test_words_that_only_lead_to_the_snippet_leave_no_doubt() -> None:
    found = doubts("")
    assert not any(found.values())


def test_a_sentence_that_asks_for_a_change_is_idle_where_nothing_changes_that_it_names() -> None:
    words = "Also bump `TIMEOUT` to 60."
    assert doubts(words)["demand_idle"] == 1
    assert doubts(words, (LIMIT, (6, 7, ("TIMEOUT = 60",))))["demand_idle"] == 0


def test_a_number_is_named_too() -> None:
    words = "And bump the year to 2023."
    assert doubts(words)["demand_idle"] == 1
    assert doubts(words, ((2, 3, ("YEAR = 2023",)), LIMIT))["demand_idle"] == 0


def test_a_name_inside_of_a_longer_one_is_not_named() -> None:
    found = doubts("Also change `LIM`.")
    assert found["demand_idle"] == 1


def test_a_sentence_that_leads_to_a_snippet_asks_for_that_one() -> None:
    assert doubts("", intro="Change `TIMEOUT`, too:\n")["demand_idle"] == 0
    assert doubts("", intro="Change `TIMEOUT`, too.\n")["demand_idle"] == 1


def test_what_stays_is_not_asked_for() -> None:
    assert doubts("`TIMEOUT` should stay where it is, leave it.")["demand_idle"] == 0


def test_words_behind_the_last_snippet_are_counted() -> None:
    assert doubts("It was too low.")["words_behind"] > doubts("Done.")["words_behind"] > 0


def test_code_that_the_words_say_is_gone_leaves_a_doubt_where_it_stays() -> None:
    words = "`save` is gone."
    assert doubts(words)["gone_idle"] == 1
    assert doubts(words, (LIMIT, (10, 13, ())))["gone_idle"] == 0


def test_a_sentence_about_going_that_names_nothing_of_the_file_is_vague() -> None:
    assert doubts("The last method goes away.")["gone_vague"] == 1
    assert doubts("`save` goes away.")["gone_vague"] == 0


def test_a_comment_that_is_to_go_leaves_a_doubt_where_none_does() -> None:
    words = "Remove the comment above `TIMEOUT`."
    assert doubts(words)["gone_comment"] == 1
    assert doubts(words, (LIMIT, (5, 6, ())))["gone_comment"] == 0


def test_fewer_changes_than_the_words_count_leave_a_doubt() -> None:
    words = "I changed both functions."
    assert doubts(words)["count_short"] == 1
    assert doubts(words, (LIMIT, (9, 10, ("    return read(path)",))))["count_short"] == 0


def test_one_change_for_every_place_leaves_a_doubt() -> None:
    words = "Every function reads now."
    assert doubts(words)["every_once"] == 1
    assert doubts(words, (LIMIT, (9, 10, ("    return read(path)",))))["every_once"] == 0


def test_what_every_place_loses_must_not_be_left_anywhere() -> None:
    words = "Every `open` gets an encoding."
    one = (9, 10, ('    return open(path, encoding="utf-8")',))
    gone = (9, 10, ("    return read(path)",))
    assert doubts(words, (one,))["every_left"] == 1
    assert doubts(words, (gone,))["every_left"] == 0


@pytest.mark.parametrize(("lines", "count"), [(("", "TRIES = 2"), 1), (("TRIES = 2", ""), 0), (("TRIES = 2",), 0)])
def test_a_blank_line_beside_a_blank_one_leaves_a_doubt(lines, count) -> None:
    assert doubts("", ((2, 2, lines),))["blank_double"] == count


def test_a_comment_that_quotes_a_line_of_the_file_leaves_a_doubt() -> None:
    assert doubts("", ((6, 7, ("# was: TIMEOUT = 30", "TIMEOUT = 60")),))["note_of_line"] == 1
    assert doubts("", ((6, 7, ("# in seconds", "TIMEOUT = 60")),))["note_of_line"] == 0
