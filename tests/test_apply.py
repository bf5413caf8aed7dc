"""`apply` as callers meet it: bad inputs, odd bytes, sizes, places that can't be told."""

from __future__ import annotations

import sys

import pytest

from fastedit import Applied, EditRefused, Warning, apply
from fastedit.apply import apply_edits, begin
from fastedit.edits import parse_message
from fastedit.errors import Code
from fastedit.merged import merge
from support.applying import fenced, lazily, refusal, replaced
from support.timing import took

FILE = '''"""Two rooms."""

import os


class Kitchen:
    def enter(self):
        print("kitchen")
        self.count += 1

    def leave(self):
        self.count -= 1


class Hall:
    def enter(self):
        print("hall")
        self.count += 1

    def leave(self):
        self.count -= 1
'''
EDIT = '# ...\nclass Hall:\n    def enter(self):\n        print("the hall")\n        # ...\n    # ...'
EXPECTED = FILE.replace('"hall"', '"the hall"')
MAX_UNITS = 2000  # an answer within seconds


def codes(warnings: tuple[Warning, ...]) -> list[str]:
    return [warning.code for warning in warnings]


def answered(original: str, message: str, path: str = "a.py") -> Applied | EditRefused:
    """What comes of a message, an answer or a refusal, in bounded time."""
    answers: list[Applied | EditRefused] = []

    def answer() -> None:
        try:
            answers.append(apply(original, message, path=path, mode="structural"))
        except EditRefused as refused:
            answers.append(refused)

    assert took(answer) < MAX_UNITS
    return answers[0]


# -- the call ------------------------------------------------------------------------------------------------------


def test_what_comes_back():
    applied = lazily(FILE, EDIT)
    assert applied.text == EXPECTED
    assert (applied.changes.modified, applied.changes.total) == (1, 1)
    assert (applied.strategy, applied.path, applied.warnings) == ("structural", "sample.py", ())
    assert 0.5 <= applied.stats.certainty <= 1
    assert applied.stats.total_ms > 0
    assert (applied.stats.passes, applied.stats.drafted) == (0, 0)


@pytest.mark.parametrize("num_edits", [1, 2])
def test_what_was_begun_elsewhere_is_not_done_again(num_edits: int, monkeypatch: pytest.MonkeyPatch):
    kitchen = EDIT.replace("Hall", "Kitchen").replace("hall", "kitchen")
    edits = [edit for each in [EDIT, kitchen][:num_edits] for edit in parse_message(fenced(each))]
    whole = apply_edits(FILE, edits, path="a.py")
    begun = begin(FILE, edits, path="a.py")
    merges = []
    monkeypatch.setattr(sys.modules["fastedit.apply"], "merge", lambda *given: merges.append(given) or merge(*given))
    rest = apply_edits(FILE, edits, path="a.py", begun=begun)
    assert len(merges) == num_edits - 1
    assert (rest.text, rest.warnings, rest.alignment) == (whole.text, whole.warnings, whole.alignment)
    assert rest.stats.total_ms > begun.ms


@pytest.mark.parametrize("option", [{"mode": "fast"}, {"scope": "all"}])
def test_an_option_that_there_is_not_is_the_callers_mistake(option: dict[str, str]):
    with pytest.raises(ValueError, match="must be one of"):
        apply(FILE, fenced(EDIT), **option)


def test_without_a_target_the_model_mode_is_unavailable():
    with pytest.raises(EditRefused) as caught:
        apply(FILE, fenced(EDIT), mode="model")
    assert caught.value.code == "TARGET_UNAVAILABLE"


def test_the_result_is_the_same_each_time():
    assert len({lazily(FILE, EDIT).text for _ in range(3)}) == 1


@pytest.mark.parametrize("path", [None, "hall.py", "src/hall.py", "hall", "hall.zzz", "", "a b\n.py"])
def test_a_path_is_a_help_not_a_need(path: str | None):
    snippet = EXPECTED[EXPECTED.index("class Hall") :]
    assert lazily(FILE, snippet, path).text == EXPECTED


# -- edits that aren't ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", ["", "   \n\n", "I would rather not change this file. Shall I?"])
def test_no_edit_is_refused(message: str):
    with pytest.raises(EditRefused) as caught:
        apply(FILE, message, path="a.py")
    assert caught.value.code == "EDIT_EMPTY"


@pytest.mark.parametrize("code", ["# ... existing code ...", "...", "# ...\n\n# ...\n"])
def test_only_markers_change_nothing(code: str):
    outcome = answered(FILE, fenced(code, "python"))
    if isinstance(outcome, Applied):
        assert (outcome.text, codes(outcome.warnings)) == (FILE, ["NO_CHANGE"])
    else:
        assert outcome.code in (Code.EDIT_EMPTY, Code.ANCHOR_NOT_FOUND)


def test_a_broken_patch_is_refused_with_its_line():
    message = "Like this:\n\n<<<<<<< SEARCH\nimport os\n=======\nimport sys\n"
    with pytest.raises(EditRefused, match=r"\b3\b") as caught:
        apply(FILE, message, path="a.py")
    assert caught.value.code == "EDIT_UNPARSABLE"


def test_an_applied_edit_changes_nothing_and_says_so():
    again = lazily(EXPECTED, EDIT)
    assert (again.text, again.diff, again.changes.total) == (EXPECTED, "", 0)
    assert codes(again.warnings) == ["NO_CHANGE"]


@pytest.mark.parametrize("words", ["In `two_rooms.py`:", "**lib/twoRooms.py**", "Update two_rooms.py as follows:"])
def test_an_applied_edit_is_known_whatever_its_file_is_called(words: str):
    again = apply(EXPECTED, f"{words}\n\n{fenced(EDIT, 'python')}", path="lib/two_rooms.py")
    assert (again.text, "NO_CHANGE" in codes(again.warnings)) == (EXPECTED, True)


def test_a_new_comment_alone_is_written_though_all_code_is_there_already():
    original = "def area(size):\n    return size * size\n\n\ndef name():\n    return 'shape'\n"
    edit = "def area(size):\n    # both sides are as long\n    return size * size"
    assert lazily(original, edit).text == original.replace("def area(size):\n    return size * size", edit)


@pytest.mark.parametrize("comment", ["the size is squared", "sides: equal", "no check here"])
def test_a_comment_that_may_be_new_is_not_passed_over(comment: str):
    original = "def area(size):\n    return size * size\n\n\ndef name():\n    return 'shape'\n"
    edit = f"def area(size):\n    # {comment}\n    return size * size"
    outcome = answered(original, fenced(edit, "python"))
    assert not isinstance(outcome, Applied) or comment in outcome.text


def test_a_comment_that_says_what_goes_is_no_applied_edit_while_that_is_there():
    original = "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"
    edit = "def one():\n    return 1\n\n\n# two() removed\n\n\ndef three():\n    # ...\n"
    outcome = answered(original, fenced(edit, "python"))
    assert not isinstance(outcome, Applied) or "two" not in outcome.text


def test_an_applied_edit_is_known_beside_one_for_another_file():
    other = f"and in `no_rooms.py`:\n\n{fenced('COUNT = 0', 'python')}"
    again = apply(EXPECTED, f"In `two_rooms.py`:\n\n{fenced(EDIT, 'python')}\n\n{other}", path="two_rooms.py")
    assert (again.text, codes(again.warnings)) == (EXPECTED, ["OTHER_FILES", "NO_CHANGE"])


def test_no_change_is_not_believed_where_words_promise_one_that_nothing_tells_of():
    message = f"The hall is counted twice no longer.\n\n{fenced(EDIT, 'python')}"
    with pytest.raises(EditRefused, match="nothing that the words name tells that it was made before"):
        apply(EXPECTED, message, path="two_rooms.py")


def test_no_change_is_not_believed_where_words_name_code_that_is_missing():
    message = f"In `two_rooms.py` the hall gets `open_window`:\n\n{fenced(EDIT, 'python')}"
    with pytest.raises(EditRefused, match="`open_window`, which the words name, isn't in the file"):
        apply(EXPECTED, message, path="two_rooms.py")


# -- places that can't be told -------------------------------------------------------------------------------------


def test_two_equal_places_are_refused_with_both():
    message = "<<<<<<< SEARCH\n        self.count -= 1\n=======\n        self.count -= 2\n>>>>>>> REPLACE\n"
    with pytest.raises(EditRefused) as caught:
        apply(FILE, message, path="a.py")
    assert caught.value.code == "ANCHOR_AMBIGUOUS"
    assert {candidate.start_line for candidate in caught.value.candidates} == {11, 20}


def test_a_lazy_edit_for_one_of_two_equal_methods_is_refused():
    twin = FILE.replace('print("kitchen")', "self.log()").replace('print("hall")', "self.log()")
    assert refusal(twin, "def leave(self):\n    self.count = 0").code == "ANCHOR_AMBIGUOUS"


def test_an_edit_for_another_file_is_refused():
    code = """
class TokenService {
    // ...
    public String rotate(Token token) {
        audit.record(token);
        // ...
    }
}
"""
    assert refusal(FILE, code).code in ("ANCHOR_NOT_FOUND", "ANCHOR_AMBIGUOUS", "SYNTAX_BROKEN")


def test_what_is_nowhere_says_what_is_near():
    code = '# ...\n    def entered(self):\n        print("the kitchen")\n        # ... existing checks ...\n# ...'
    refused = refusal(FILE.replace("self.count += 1", "pass"), code.replace("entered", "on_entering_this_room"))
    assert refused.code in ("ANCHOR_NOT_FOUND", "ANCHOR_AMBIGUOUS")
    lines = FILE.split("\n")
    assert all(0 <= candidate.start_line <= candidate.end_line <= len(lines) for candidate in refused.candidates)
    assert all(candidate.reason for candidate in refused.candidates)


def test_a_refusal_does_not_quote_the_original():
    secret = "password = 'tiger-7'\n"
    refused = refusal(secret * 30, "def rotate(self):\n    # ...\n    self.audit()")
    assert "tiger-7" not in refused.message


def test_duplicate_bodies_are_told_by_their_class():
    for owner, value in (("Kitchen", 0), ("Hall", 1)):
        code = f"# ...\nclass {owner}:\n    # ...\n\n    def leave(self):\n        self.count = 0\n\n# ..."
        parts = FILE.split("        self.count -= 1\n")
        parts[value] += "        self.count = 0\n"
        parts[1 - value] += "        self.count -= 1\n"
        assert lazily(FILE, code).text == "".join(parts)


# -- bytes ---------------------------------------------------------------------------------------------------------


def test_an_empty_file_takes_the_edit():
    assert lazily("", "import os\n\nprint(os.name)").text == "import os\n\nprint(os.name)\n"


def test_an_edit_may_delete_everything():
    applied = apply("only = 1\n", "<<<<<<< SEARCH\nonly = 1\n=======\n>>>>>>> REPLACE\n", path="a.py")
    assert (applied.text, applied.changes.removed) == ("", 1)


ODD = [
    "# form\x0cfeed",
    "s = '\u2028\u2029\x85'",
    "# lone \r return",
    "t = 'a\x0bb\x1cc'",
    "trailing = 1   \t",
    "\t",
    "# \ufeff a mark in the middle",
    "n = 'e\u0301 \U0001f600 \u202e'",
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_odd_lines_stay_byte_for_byte(odd: str, line_end: str):
    original = replaced(
        FILE, ("import os\n", f"import os\n{odd}\n"), ('print("kitchen")\n', f'print("kitchen")\n{odd}\n')
    )
    original = (original + odd).replace("\n", line_end)
    assert lazily(original, EDIT).text == original.replace('"hall"', '"the hall"')


def test_mixed_line_ends_stay_and_new_lines_take_their_neighbours():
    lines = FILE.splitlines(keepends=True)
    original = "".join(line.replace("\n", "\r\n") if number % 3 else line for number, line in enumerate(lines))
    code = EDIT.replace('print("the hall")', 'print("hall")\n        print("welcome")')
    at = original.index('print("hall")')
    end = original[at : original.index("\n", at) + 1].removeprefix('print("hall")')
    assert lazily(original, code).text == original.replace(
        f'print("hall"){end}', f'print("hall"){end}        print("welcome"){end}'
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("has_end", [True, False])
def test_the_end_of_the_file_stays(line_end: str, has_end: bool):
    original = (FILE if has_end else FILE[:-1]).replace("\n", line_end)
    assert lazily(original, EDIT).text == original.replace('"hall"', '"the hall"')


@pytest.mark.parametrize("literal", ["# ... existing code ...", "...", "// unchanged", "<!-- ... -->"])
def test_a_marker_in_the_file_itself_stays(literal: str):
    original = FILE.replace("import os\n", f'import os\n\nPROMPT = """\n{literal}\n"""\n')
    assert lazily(original, EDIT).text == original.replace('"hall"', '"the hall"')


def test_a_marker_of_the_file_may_be_quoted_as_context():
    original = FILE.replace("import os\n", 'import os\n\nPROMPT = """\n# ... existing code ...\n"""\n')
    code = 'import os\nimport sys\n\nPROMPT = """\n# ... existing code ...\n"""'
    assert lazily(original, code).text == original.replace("import os\n", "import os\nimport sys\n")


@pytest.mark.parametrize(
    "text", ["</code>", "<|im_end|>", "<update>x</update>", "<<<<<<< SEARCH", "@@ -1 +1 @@", "```"]
)
def test_text_that_means_something_elsewhere_is_text_here(text: str):
    original = FILE.replace("import os\n", f"import os\n\nTAG = {text!r}\n# {text}\n")
    assert lazily(original, EDIT).text == original.replace('"hall"', '"the hall"')


def test_a_lone_surrogate_is_carried_or_refused():
    character = "\ud800"
    outcome = answered(FILE.replace("Two", character), fenced(EDIT))
    assert isinstance(outcome, EditRefused) or outcome.text == EXPECTED.replace("Two", character)


def test_a_binary_file_is_refused():
    assert refusal("a\0b\n" * 5, EDIT).code == "NOT_TEXT"


def test_a_byte_order_mark_stays():
    assert lazily("\ufeff" + FILE, EDIT).text == "\ufeff" + EXPECTED


# -- languages -----------------------------------------------------------------------------------------------------


def test_a_language_that_nobody_knows_is_read_by_lines():
    original = "begin alpha\n  set x 1\n  run\nend\nbegin beta\n  set x 2\n  run\nend\n"
    applied = lazily(original, "begin beta\n  set x 3\n  run\nend", "a.zzz")
    assert applied.text == original.replace("x 2", "x 3")


def test_a_file_that_does_not_parse_can_be_edited():
    original = FILE.replace('print("kitchen")', 'print("kitchen"').replace("import os", "import os, (")
    assert lazily(original, EDIT).text == original.replace('"hall"', '"the hall"')


# -- white space and look-alikes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["  ", "\t", " "])
def test_another_indentation_is_rewritten_to_the_files(unit: str):
    code = '    def enter(self):\n        print("hall")\n        if self:\n            self.count += 1'
    new = "        if self:\n            self.count += 1\n\n    def leave"
    expected = FILE[: FILE.index("class Hall")] + FILE[FILE.index("class Hall") :].replace(
        "        self.count += 1\n\n    def leave", new
    )
    assert lazily(FILE, "class Hall:\n" + code.replace("    ", unit) + f"\n{unit}# ...").text == expected


def test_a_comment_right_behind_a_rewritten_function_stays():
    original = (
        '"""Shapes."""\n\n\ndef area(width, height):\n    return width * height\n\n\n'
        'def name():\n    return "shape"\n\n\n'
        "def scale(factor):\n    return factor * 2\n# not saved\n"
    )
    code = (
        "def area(width, height, depth=1):\n    return width * height * depth\n\n# ... existing code ...\n\n"
        "def scale(factor):\n    return factor * 3"
    )
    expected = original.replace("height):", "height, depth=1):").replace("width * height\n", "width * height * depth\n")
    assert lazily(original, code).text == expected.replace("factor * 2", "factor * 3")


# -- sizes ---------------------------------------------------------------------------------------------------------


def test_over_the_limit_is_refused_before_any_work():
    refused = answered("x" * (16 * 1024 * 1024 + 1), fenced(EDIT))
    assert isinstance(refused, EditRefused)
    assert refused.code == "TOO_LARGE"
    assert str(16 * 1024 * 1024) in refused.message


def test_thousands_of_identical_lines():
    refused = answered("step()\n" * 4000, fenced("# ...\nstep()\nstep(now=True)\nstep()\n# ..."))
    assert isinstance(refused, EditRefused)
    original = "step()\n" * 2000 + "only_here()\n" + "step()\n" * 2000
    applied = answered(original, fenced("# ...\nonly_here()\nstep(now=True)\n# ..."))
    assert isinstance(applied, EditRefused) or applied.text.count("step()\n") >= 3999


@pytest.mark.parametrize("number", [30_000, pytest.param(350_000, marks=pytest.mark.slow)])
def test_a_line_of_up_to_a_million_characters(number: int):
    line = "data = [" + "1, " * number + "]\n"
    applied = answered(FILE + line, fenced(EDIT))
    assert isinstance(applied, Applied)
    assert applied.text == EXPECTED + line
    assert isinstance(answered(FILE + line, fenced(f"# ...\n{line}extra = 1")), (Applied, EditRefused))


@pytest.mark.parametrize("brackets", ["()", "[]", "{}"])
def test_deep_nesting(brackets: str):
    nested = f"x = {brackets[0] * 10_000}{brackets[1] * 10_000}\n"
    applied = answered(FILE + nested, fenced(EDIT))
    assert isinstance(applied, Applied)
    assert applied.text == EXPECTED + nested
    assert isinstance(answered(FILE, fenced(f"# ...\n{nested}# ...")), (Applied, EditRefused))


def test_a_file_of_deep_blocks():
    deep = "".join(" " * number + "if x:\n" for number in range(2500)) + " " * 2500 + "pass\n"
    applied = answered(FILE + deep, fenced(EDIT))
    assert isinstance(applied, Applied)
    assert applied.text == EXPECTED + deep


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_file_of_many_lines(count: int):
    original = "".join(f"value_{number} = {number}\n" for number in range(count))
    applied = answered(original, fenced("# ...\nvalue_10000 = 10000\nvalue_10001 = -1\nvalue_10002 = 10002\n# ..."))
    assert isinstance(applied, Applied)
    assert applied.text == original.replace("value_10001 = 10001\n", "value_10001 = -1\n")


@pytest.mark.parametrize("number", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_snippet_of_many_markers(number: int):
    assert isinstance(answered(FILE, fenced("# ...\nimport os\n" * number)), (Applied, EditRefused))
