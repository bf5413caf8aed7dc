from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.marks import UNKNOWN, LineCopying, LineMarks, end_mark, line_copying, mark
from fastedit.training.tokenizer import train_tokenizer

ORIGINAL = "def area(width):\n    return width * 2\n\nprint(area(3))\n"
LINES = ORIGINAL.splitlines(keepends=True)
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
    line = mark(1) + LINES[1] + end_mark(mark(1))
    assert written(codec, rule, mark(1)) == line
    assert written(codec, rule, mark(1) + "    return wide") == line


def test_marks_are_free_and_so_is_what_has_none(codec):
    rule = rule_of(codec, ORIGINAL, "other\n")
    free = mark(3) + LINES[3] + end_mark(mark(3)) + UNKNOWN + SLIP + mark(100) + SLIP
    assert written(codec, rule, free) == free


def test_a_changed_line_or_the_one_that_it_was(codec):
    changed = "    return width * 20\n"
    rule = rule_of(codec, ORIGINAL, LINES[0] + changed)
    old, new = mark(1) + LINES[1] + end_mark(mark(1)), mark(1) + mark(5) + changed + end_mark(mark(1))
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


@given(st.lists(st.sampled_from([*LINES, "other = 1\n", "\n", "    return width * 20\n"]), max_size=6), st.data())
def test_what_is_made_of_both_texts_is_never_in_its_way(codec, edit, data):
    text = "".join(data.draw(st.lists(st.sampled_from([*LINES, *edit]), max_size=8)))
    marked = LineMarks(ORIGINAL, "".join(edit)).marked_text(text)
    assert written(codec, rule_of(codec, ORIGINAL, "".join(edit)), marked) == marked


@given(data=st.data())
def test_it_is_the_targets_own_token_wherever_that_may_stand(codec, data):
    """What may stand is what the rule, asked with every token there is, gives back unchanged."""
    rule = rule_of(codec, ORIGINAL, LINES[0] + "    return width * 20\n    other = 1\n")
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
