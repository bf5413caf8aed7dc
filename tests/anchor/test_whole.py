"""When a snippet without markers is the whole new file, and when it is only a part."""

from __future__ import annotations

import pytest

from fastedit import apply
from fastedit.errors import EditRefused
from support.applying import fenced, lazily

TASKS = """import sys


def first():
    return 1


def second():
    return 2


def main():
    print(first(), second())


if __name__ == "__main__":
    main()
"""
SHORTER = TASKS.replace("def second():\n    return 2\n\n\n", "").replace("first(), second()", "first()")


def test_a_snippet_from_the_first_line_to_the_last_is_the_file():
    assert lazily(TASKS, SHORTER).text == SHORTER


def test_a_marker_makes_it_a_part():
    code = TASKS.replace("    return 1\n", "    # ...\n").replace("second())", "second(), 3)")
    assert lazily(TASKS, code).text == TASKS.replace("second())", "second(), 3)")


def test_the_same_file_changes_nothing():
    applied = lazily(TASKS, TASKS)
    assert (applied.text, applied.changes.total) == (TASKS, 0)


def test_words_may_say_that_it_is_the_whole_file():
    new = 'import os\n\n\ndef third():\n    return 3\n\n\nif __name__ == "__main__":\n    print(third())\n'
    message = "Here is the complete new file:\n\n" + fenced(new)
    assert apply(TASKS, message, path="tasks.py", mode="structural", format="whole").text == new


@pytest.mark.parametrize("original", ["", "\n", "\n\n  \n"])
def test_anything_is_the_whole_of_an_empty_file(original: str):
    assert lazily(original, "a = 1").text == "a = 1\n"


def test_the_end_of_the_file_stays_as_it_was():
    assert lazily(TASKS[:-1], SHORTER).text == SHORTER[:-1]
    assert lazily(TASKS.replace("\n", "\r\n"), SHORTER).text == SHORTER.replace("\n", "\r\n")


def test_a_file_of_keys_shown_in_part_is_no_whole_file():
    limits = [f'    {{"path": "dist/{name}.css", "maxSize": "{size} kB"}}' for size, name in enumerate("abcdefgh", 10)]
    original = '{\n  "files": [\n' + ",\n".join(limits) + "\n  ]\n}\n"
    shown = [line.replace("kB", "KB") for line in limits[:6]]
    message = fenced('{\n  "files": [\n' + ",\n".join(shown) + "\n  ]\n}\n", "json")
    try:
        applied = apply(original, message, path="limits.json", mode="structural")
    except EditRefused as refusal:
        assert refusal.certainty is not None
        assert refusal.certainty < 1
    else:
        assert applied.stats.certainty < 1


def test_a_whole_file_with_a_comment_for_what_stays_is_merged():
    new = TASKS.replace("    return 1\n", "    # same as before\n").replace("second())", "second(), 3)")
    message = "Here is the whole file:\n\n" + fenced(new)
    expected = TASKS.replace("second())", "second(), 3)")
    assert apply(TASKS, message, path="tasks.py", mode="structural").text == expected
