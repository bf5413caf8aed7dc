from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.decode.request import AnswerStream, extract_answer
from fastedit.lines import ELISION, twins
from fastedit.targets import marks
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.copying import LineCopying, line_copying
from fastedit.targets.marks import (
    FIRST,
    NUM_LINES,
    UNKNOWN,
    LineMarks,
    end_mark,
    has_marks,
    mark,
    places,
    shifted_offsets,
    without_marks,
)
from fastedit.targets.templates import MARKED, PLAIN
from fastedit.training.tokenizer import train_tokenizer

TEXTS = st.lists(st.sampled_from(["a", "  b", "}", "", "c = 1", "é"]), max_size=12).map("\n".join)


def shown(text: str) -> str:
    """Marks as numbers; without end marks."""
    numbers = ((ord(one) - FIRST, one) for one in text)
    return "".join(f"{number}|" if has_marks(one) else one for number, one in numbers if number < NUM_LINES)


def ends(text: str) -> list[int]:
    """The numbers of the end marks."""
    return [ord(one) - FIRST - NUM_LINES for one in text if ord(one) >= FIRST + NUM_LINES]


def marks_of(original: str, edit: str, first: int = 0) -> LineMarks:
    """`...` elides, a leading `-` is what goes."""
    lines = edit.split("\n")[:-1]
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
    elisions = [(start, start + 3) for start, line in zip(starts, lines, strict=True) if line == "..."]
    codes = [None if line == "..." or line.startswith("-") else line for line in lines]
    return LineMarks(original, edit, tuple(elisions), tuple(codes), first)


def test_lines_are_numbered_through_both_texts():
    marks = marks_of("a\nb\n", "...\nnew\n")
    assert shown(marks.marked_original) == "1|a\n2|b\n"
    edit, elisions = marks.marked_edit
    assert shown(edit) == "...\n4|new\n"
    assert [edit[start:end] for start, end in elisions] == ["..."]


def test_lines_of_the_edit_that_plainly_are_the_original_s_have_its_marks():
    edit, _ = marks_of("a\n    b\nc\n}\n}\n", "b\n...\n-c\nnew\n}\n").marked_edit
    assert shown(edit) == "2|    b\n...\n9|new\n10|}\n"


def test_a_line_that_looks_like_one_of_the_original_s_has_its_mark_too():
    edit, _ = marks_of("import os\nreturn one(two)\n", "...\nreturn one(two, three)\n").marked_edit
    assert shown(edit) == "...\n2|4|return one(two, three)\n"
    assert ends(edit) == [2]


def test_lines_are_shown_as_deep_as_their_twins_say():
    original = "class A:\n    def f(self):\n        a()\n        b()\n"
    margin = marks_of(original, "def f(self):\n    a()\n    new()\n...\n").marked_edit[0]
    assert without_marks(margin) == "    def f(self):\n        a()\n        new()\n...\n"
    deep = marks_of(original, "            def f(self):\n                a()\n\n                new()\n").marked_edit[0]
    assert without_marks(deep) == "    def f(self):\n        a()\n\n        new()\n"


def test_lines_are_shown_in_the_original_s_steps():
    original = "class A:\n\tdef f(self):\n\t\ta()\n\t\tb()\n"
    edit = marks_of(original, "  def f(self):\n    a()\n    if new:\n      new()\n    b()\n").marked_edit[0]
    assert without_marks(edit) == "\tdef f(self):\n\t\ta()\n\t\tif new:\n\t\t\tnew()\n\t\tb()\n"


@pytest.mark.parametrize(
    "edit", ["if x:\n    a()\n    b()\n", "start()\nif x:\n    a()\n", "start()\n    a()\n  b()\n"]
)
def test_lines_that_the_edit_itself_moves_are_shown_as_they_are(edit):
    assert without_marks(marks_of("start()\na()\nb()\n", edit).marked_edit[0]) == edit


def test_what_a_patch_takes_away_is_not_shown():
    edit = LineMarks("a\nb\nc\n", " a\n-b\n+B\n c\n", (), ("a", None, "B", "c")).marked_edit[0]
    assert shown(edit) == "1|a\n6|B\n3|c\n"


def test_elisions_stand_alone():
    edit, elisions = LineMarks("a\n", "x\n    # ...\ny\n", ((6, 11),), ("x", None, "y")).marked_edit
    assert shown(edit) == "2|x\n# ...\n4|y\n"
    assert [edit[start:end] for start, end in elisions] == ["# ..."]


def test_an_answer_s_lines_have_the_edit_s_marks_where_the_edit_shows_them():
    marks = marks_of("a\nb\nc\nd\n", "...\nb\n    new\n...\n")
    assert shown(marks.marked_text("a\nb\n  new\nc\nd\n")) == "1|a\n2|b\n7|  new\n3|c\n4|d\n"


def test_a_run_of_the_edit_is_found_where_most_of_it_is_new():
    """Both `}` could be the edit's; the one beside the new line is."""
    marks = marks_of("f {\n}\n\ng {\n}\n", "...\n  new\n}\n")
    assert shown(marks.marked_text("f {\n}\n\ng {\n  new\n}\n")) == "1|f {\n2|}\n3|\n4|g {\n7|  new\n8|}\n"


def test_a_run_may_reach_beyond_the_text():
    marks = marks_of("b\n\nc\n", "a\nb\n\nnew\nc\nd\n")
    assert shown(marks.marked_text("b\n\nnew\nc\n")) == "1|b\n2|\n7|new\n3|c\n"


def test_a_run_with_other_lines_in_between_is_found_in_parts():
    marks = marks_of("a\nx\nb\n", "a\nnew\nb\n")
    assert shown(marks.marked_text("a\nnew\nx\nb\n")) == "1|a\n5|new\n2|x\n3|b\n"


def test_what_a_patch_takes_away_breaks_no_run():
    marks = marks_of("a\nb\nc\n", "a\n-b\nB\nc\n")
    assert shown(marks.marked_text("a\nB\nc\n")) == "1|a\n6|B\n3|c\n"


def test_lines_from_neither_text_have_a_mark_of_their_own():
    marked = marks_of("a\n", "b\n").marked_text("a\nx\n")
    assert (shown(marked), ends(marked)) == ("1|a\n0|x\n", [1, 0])
    assert marked.count(UNKNOWN) == 1


def test_tabs_are_shown_as_the_original_s_blanks_where_a_line_is_moved_too():
    original = "def f():\n    if x:\n        a()\n        b()\n        c()\n"
    edit = marks_of(original, "def f():\n\tif x:\n\t\ta()\n\t\twith y:\n\t\t\tb()\n\t\tc()\n").marked_edit[0]
    assert without_marks(edit) == original.replace("        b()", "        with y:\n            b()")


def test_blank_lines_between_elisions_are_not_shown():
    edit, elisions = marks_of("a\nb\n", "a\n...\n\n...\nb\n").marked_edit
    assert shown(edit) == "1|a\n...\n2|b\n"
    assert len(elisions) == 1


def test_behind_a_line_stands_its_end_mark():
    marks = marks_of("a\nb", "new\na\n")
    assert marks.marked_original == f"{mark(0)}a\n{end_mark(mark(0))}{mark(1)}b{end_mark(mark(1))}"
    assert ends(marks.marked_edit[0]) == [3, 1]


def test_numbers_come_back_after_many_lines():
    text = "x\n" * (NUM_LINES + 3)
    marked = marks_of(text, "", first=5).marked_original
    assert {ord(one) - FIRST for one in marked if has_marks(one)} == {*range(1, NUM_LINES), *range(513, 2 * NUM_LINES)}


@given(TEXTS, TEXTS, TEXTS)
def test_marks_can_be_taken_out_again(original, edit, text):
    marks = LineMarks(original, edit)
    assert without_marks(marks.marked_original) == original
    assert without_marks(marks.marked_text(text)) == text
    assert without_marks(marks.marked_edit[0]) == (edit if edit.strip() else "")
    for marked in (marks.marked_original, marks.marked_edit[0], marks.marked_text(text)):
        assert all(has_marks(line[0]) for line in marked.split("\n") if line)


@given(TEXTS, TEXTS, st.data())
def test_offsets_stay_at_the_same_characters(text, edit, data):
    offsets = data.draw(st.lists(st.integers(0, len(text)), max_size=4))
    marked = marks_of(edit, text).marked_text(text)
    for offset, shifted in zip(offsets, shifted_offsets(offsets, marked), strict=True):
        assert without_marks(marked[:shifted]) == text[:offset]
        is_at_start = offset == 0 or text[offset - 1] == "\n"
        assert shifted == 0 or not is_at_start or ord(marked[shifted - 1]) >= FIRST + NUM_LINES
        assert is_at_start or offset == len(text) or not has_marks(marked[shifted])


@pytest.mark.parametrize("cut", range(1, 10))
def test_nobody_sees_the_marks_of_an_answer(cut):
    output = mark(0) + "a\n" + end_mark(mark(0)) + mark(7) + "b\n"
    assert extract_answer(output, MARKED, "x\n") == "a\nb\n"
    assert extract_answer(output, PLAIN, "x\n") == output
    stream = AnswerStream(MARKED, "x\n")
    assert "".join(map(stream.feed, (output[:cut], output[cut:]))) == "a\nb\n"


LINES = st.lists(st.sampled_from(["alpha()", "beta(one)", "beta(two)", "  gamma", "}", "", ELISION]), max_size=12)
OTHERS = ["import os", "def load(path):", "return path.read()", "def store(path):", "path.write(text)"]
LOOPS = ["for a in b:", "x = 1", "y = 2", "skip()", "for a in b:", "x = 1", "y = 2", "last()"]


def test_equal_lines_have_the_place_that_their_neighbours_tell():
    assert places(["x = 1", "y = 2", "new()", "last()"], LOOPS).same == {0: 5, 1: 6, 3: 7}
    assert places(["x = 1", "y = 2", "skip()"], LOOPS).same == {0: 1, 1: 2, 2: 3}


def test_lines_that_may_be_in_several_places_have_none():
    found = places([ELISION, "x = 1", ELISION], LOOPS)
    assert (found.same, found.like) == ({}, {})


def test_a_line_that_may_be_either_of_two_of_the_edit_is_neither():
    assert places(["}", ELISION, "}"], ["}"]).same == {}


def test_a_changed_line_stands_for_the_one_that_it_was():
    assert places(["def load(path, mode):", ELISION, "def store(path, mode):"], OTHERS).like == {0: 1, 2: 3}


def test_a_line_has_its_place_between_its_neighbours_twins():
    assert places(["path.write(text + end)", "import os"], OTHERS).like == {}
    assert places(["import os", ELISION, "path.write(text + end)"], OTHERS).like == {2: 4}


def test_a_line_that_is_there_already_stands_for_no_other():
    assert places(["import os", "import os, sys"], OTHERS).like == {}


def test_blank_lines_have_places_and_elisions_have_none():
    assert places(["x = 1", "", ELISION, "last()"], ["x = 0", "", "skip()", "last()"]).same == {1: 1, 3: 3}


def test_what_would_take_too_long_is_left_alone(monkeypatch):
    monkeypatch.setattr(marks, "MAX_CELLS", 4)
    assert places(["def load(path, mode):"], OTHERS).like == {}


@given(LINES, LINES)
def test_places_rise_and_hold_the_twins(lines, others):
    others = [line for line in others if line != ELISION]
    found = places(lines, others)
    assert twins([line.strip() for line in lines], [line.strip() for line in others]).items() <= found.same.items()
    assert not set(found.same) & set(found.like)
    assert all(lines[line].strip() == others[at].strip() for line, at in found.same.items())
    assert all(lines[line].strip() != others[at].strip() for line, at in found.like.items())
    both = sorted((found.same | found.like).items())
    assert all(at < to for (_, at), (_, to) in pairwise(both))


ORIGINAL = "def area(width):\n    return width * 2\n\nprint(area(3))\n"
SHOWN_LINES = ORIGINAL.splitlines(keepends=True)
SLIP = "~"  # what no line has


@pytest.fixture(scope="module")
def codec():
    return TokenizerCodec(train_tokenizer([ORIGINAL * 20], 300).backend_tokenizer)


def rule_of(codec: TokenizerCodec, original: str, edit: str) -> LineCopying:
    marks = LineMarks(original, edit)
    prompt = codec.encode(marks.marked_original + marks.marked_edit[0])
    rule = line_copying(codec, prompt, marks.original_numbers)
    assert rule is not None
    return rule


def written(codec: TokenizerCodec, rule: LineCopying, own: str) -> str:
    """What comes of it if the target would write `own`, and then only slips."""
    tokens, state = [], rule.start
    for token in codec.encode(own):
        chosen, state = rule.choose(state, token)
        tokens.append(chosen)
        if chosen != token:
            break
    while state:
        chosen, state = rule.choose(state, codec.encode(SLIP)[0])
        tokens.append(chosen)
    return codec.text(tokens)


def test_behind_a_mark_stands_its_line(codec):
    rule = rule_of(codec, ORIGINAL, "other\n")
    line = mark(1) + SHOWN_LINES[1] + end_mark(mark(1))
    assert written(codec, rule, mark(1)) == line
    assert written(codec, rule, mark(1) + "    return wide") == line


def test_marks_are_free_and_so_is_what_has_none(codec):
    rule = rule_of(codec, ORIGINAL, "other\n")
    free = mark(3) + SHOWN_LINES[3] + end_mark(mark(3)) + UNKNOWN + SLIP + mark(100) + SLIP
    assert written(codec, rule, free) == free


def test_a_changed_line_or_the_one_that_it_was(codec):
    changed = "    return width * 20\n"
    rule = rule_of(codec, ORIGINAL, SHOWN_LINES[0] + changed)
    old, new = mark(1) + SHOWN_LINES[1] + end_mark(mark(1)), mark(1) + mark(5) + changed + end_mark(mark(1))
    assert written(codec, rule, old) == old
    assert written(codec, rule, mark(1) + mark(5)) == new
    assert written(codec, rule, mark(1)) == new  # the target would go on with neither: the edit's


def test_a_line_that_is_moved_has_either_depth(codec):
    edit = "if x:\n        return width * 2\n"
    rule = rule_of(codec, ORIGINAL, edit)
    for depth in ("    ", "        "):
        line = mark(1) + depth + "return width * 2\n" + end_mark(mark(1))
        assert written(codec, rule, line) == line
    assert written(codec, rule, mark(1) + "      ").startswith(mark(1) + "        return")


@pytest.mark.parametrize("depth", ["", "  ", "        ", "\t"])
def test_a_new_line_may_have_any_depth(codec, depth):
    rule = rule_of(codec, ORIGINAL, "    other = 1\n")
    line = mark(4) + depth + "other = 1\n" + end_mark(mark(4))
    assert written(codec, rule, mark(4) + depth + "other") == line


def test_only_with_a_token_for_each_mark(codec):
    from fastedit.targets.synthetic import make_tokenizer

    bare = TokenizerCodec(make_tokenizer([ORIGINAL], 300).backend_tokenizer)
    assert line_copying(bare, bare.encode(LineMarks(ORIGINAL, "").marked_original), ()) is None


@given(st.lists(st.sampled_from([*SHOWN_LINES, "other = 1\n", "\n", "    return width * 20\n"]), max_size=6), st.data())
def test_what_is_made_of_both_texts_is_never_in_its_way(codec, edit, data):
    text = "".join(data.draw(st.lists(st.sampled_from([*SHOWN_LINES, *edit]), max_size=8)))
    marked = LineMarks(ORIGINAL, "".join(edit)).marked_text(text)
    assert written(codec, rule_of(codec, ORIGINAL, "".join(edit)), marked) == marked


@given(data=st.data())
def test_it_is_the_targets_own_token_wherever_that_may_stand(codec, data):
    """What may stand is what the rule, asked with every token there is, gives back unchanged."""
    rule = rule_of(codec, ORIGINAL, SHOWN_LINES[0] + "    return width * 20\n    other = 1\n")
    tokens = range(codec.num_tokens)
    state = rule.by_mark[data.draw(st.sampled_from(sorted(rule.by_mark)))]
    for _ in range(data.draw(st.integers(0, 6))):
        if state:
            state = rule.choose(state, data.draw(st.sampled_from(tokens)))[1]
    allowed = {token for token in tokens if rule.choose(state, token)[0] == token}
    chosen_else = {rule.choose(state, token)[0] for token in tokens if token not in allowed}
    nexts = {rule.lines[number].tokens[at] for number, at in state}
    assert nexts <= allowed
    if state:  # one token for all that may not stand, and one that may: the first line's next
        assert chosen_else <= {rule.lines[state[0][0]].tokens[state[0][1]]}
    else:
        assert allowed == set(tokens)
