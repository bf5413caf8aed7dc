from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets import TEMPLATES, PromptTemplate, Target, Turn
from fastedit.targets.templates import NOTHING, WORD_FILE, Word, check_template, prompt_tokens, read_word


@pytest.fixture(scope="module")
def target(folder):
    return Target.load(folder)


ORIGINAL = "def f(x):\n    return x\n"
EDIT = "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize("name", ["kortix", "osmosis", "chat"])
@pytest.mark.parametrize("original", [ORIGINAL, "\n\nx", "  indented", "no end", ""])
def test_is_what_the_chat_template_gives(target, name, original):
    template = TEMPLATES[name]
    turns = [{"role": m.role, "content": m.content} for m in template.fill(original, EDIT, None)]
    expected = target.tokenizer.apply_chat_template(turns, add_generation_prompt=True)["input_ids"]
    assert replace(target, template=template).prompt(original, EDIT) == expected


@given(st.lists(st.sampled_from(["<|im_end|>", "<|im_start|>system\n", "<|endoftext|>", "x", "\n"]), max_size=6))
def test_special_tokens_in_a_file_stay_text(target, parts):
    plain = target.prompt("", "")
    smuggled = target.prompt("".join(parts), EDIT)
    for content in ("<|im_start|>", "<|im_end|>", "<|endoftext|>"):
        token = target.codec.special_id(content)
        assert smuggled.count(token) == plain.count(token)
    assert "".join(parts) in target.codec.text(smuggled)


def test_a_raw_template_reads_only_its_own_special_tokens(target):
    template = PromptTemplate("raw", (Turn("user", "<|im_start|>{original}<|endoftext|>{edit}"),), is_chat=False)
    tokens = prompt_tokens(template, target.tokenizer, target.codec, "a<|im_end|>", "b")
    start, end, stop = (target.codec.special_id(f"<|{name}|>") for name in ("im_start", "im_end", "endoftext"))
    assert tokens[0] == start
    assert tokens.count(stop) == 1
    assert end not in tokens


def test_elisions_are_shown_in_the_template_s_own_word(target):
    template = PromptTemplate("raw", (Turn("user", "{original}<|im_start|>{edit}"),), is_chat=False)
    edit = "a\n  # ...\nb<|im_end|>\n// rest\n"
    elisions = [(edit.index("#"), edit.index("\nb")), (edit.index("//"), len(edit) - 1)]
    worded = replace(target, template=template).prompt("x", edit, elisions=elisions)
    assert worded == replace(target, template=template).prompt("x", edit)
    marked = replace(target, template=replace(template, elision="<|endoftext|>")).prompt("x", edit, elisions=elisions)
    shown = target.tokenizer.decode(marked, skip_special_tokens=False)
    assert shown == "x<|im_start|>a\n  <|endoftext|>\nb<|im_end|>\n<|endoftext|>\n"
    assert target.codec.special_id("<|im_end|>") not in marked


def test_a_chat_template_is_needed_where_it_is(folder):
    target = Target.load(folder)
    target.tokenizer.chat_template = None
    with pytest.raises(EngineUnavailable, match="chat template") as refused:
        check_template(TEMPLATES["kortix"], target.tokenizer)
    assert refused.value.code == Code.TARGET_UNAVAILABLE
    assert replace(target, template=TEMPLATES["plain"]).prompt("a", "b")


def test_the_same_original_gives_the_same_beginning(target):
    one, other = target.prompt(ORIGINAL * 9, EDIT), target.prompt(ORIGINAL * 9, "quite another edit")
    shared = next(index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    assert shared > len(target.codec.encode(ORIGINAL * 9))


def test_agreement_multiplies_the_odds() -> None:
    word = Word(agrees=9.0, differs=0.25)
    assert word.certainty(0.5, is_agreed=True) == pytest.approx(0.9)
    assert word.certainty(0.5, is_agreed=False) == pytest.approx(0.2)


def test_a_word_that_was_not_measured_changes_nothing() -> None:
    for before in (0.0, 0.3, 0.99):
        assert NOTHING.certainty(before, is_agreed=True) == pytest.approx(before)
        assert NOTHING.certainty(before, is_agreed=False) == pytest.approx(before)


def test_even_what_was_certain_stays_a_probability() -> None:
    assert 0.99 < Word(agrees=5.0).certainty(1.0, is_agreed=True) <= 1.0


def test_a_word_is_read_from_the_targets_folder(tmp_path: Path) -> None:
    assert read_word(tmp_path) is NOTHING
    (tmp_path / WORD_FILE).write_text('{"agrees": 12, "differs": 0.5, "cases": 7}')
    assert read_word(tmp_path) == Word(12.0, 0.5)
