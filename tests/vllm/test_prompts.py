"""What a prompt asks for, read from its tokens."""

from __future__ import annotations

import subprocess
import sys

import pytest
from transformers import AutoTokenizer

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.default import EMBEDDED_FOLDER
from fastedit.targets.marks import LineMarks
from fastedit.targets.synthetic import make_tokenizer
from fastedit.targets.templates import (
    CHAT,
    KORTIX,
    MARKED,
    OSMOSIS,
    PLAIN,
    TEMPLATES,
    PromptTemplate,
    Turn,
    prompt_tokens,
)
from fastedit.vllm.planning import drafts_of
from fastedit.vllm.prompts import Asked, Predicted, prompt_text, read_prompt

ORIGINAL = """\
import os


def area(width, height):
    return width * height


def volume(width, height, depth):
    # </code> and <update> and <|im_end|> may stand in a file
    return area(width, height) * depth


def name(path):
    return os.path.basename(path)
"""
EDIT = """\
# ... existing code ...
def volume(width, height, depth):
    # </code> and <update> and <|im_end|> may stand in a file
    return depth * area(width, height)

# ... existing code ...
"""
MERGED = ORIGINAL.replace("area(width, height) * depth", "depth * area(width, height)")
TEXTS = (ORIGINAL, "<code></code><update></update>")


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer(TEXTS, 400)


@pytest.fixture(scope="module")
def codec(tokenizer):
    return TokenizerCodec(tokenizer.backend_tokenizer)


def read(tokens, codec):
    return read_prompt(prompt_text(tokens, codec), TEMPLATES.values(), codec)


def said(tokenizer, codec, content):
    """What is read in a chat's message."""
    return read(prompt_tokens(template_of(content), tokenizer, codec, "x", "y"), codec)


def template_of(content):
    """A template in no words that are known, whose fields aren't read: the content is all there is."""
    return PromptTemplate("test", (Turn("system", "You help."), Turn("user", content)))


@pytest.mark.parametrize("template", [KORTIX, OSMOSIS, CHAT], ids=lambda template: template.name)
def test_known_templates_are_taken_apart(template, tokenizer, codec):
    tokens = prompt_tokens(template, tokenizer, codec, ORIGINAL, EDIT, "turn the product round")
    asked = read(tokens, codec)
    assert isinstance(asked, Asked)
    assert (asked.original, asked.edit) == (ORIGINAL, EDIT)
    assert (asked.opening, asked.closing) == (template.answer_open, template.answer_close)
    assert asked.instruction == ("turn the product round" if template is CHAT else "")
    merged, original = drafts_of(asked)
    assert merged.text == template.answer_open + MERGED + template.answer_close
    assert original.text == template.answer_open + ORIGINAL + template.answer_close


@pytest.mark.parametrize("template", [PLAIN, MARKED], ids=lambda template: template.name)
def test_prompts_of_the_embedded_target_are_taken_apart(template):
    tokenizer = AutoTokenizer.from_pretrained(EMBEDDED_FOLDER)
    codec = TokenizerCodec(tokenizer.backend_tokenizer)
    elisions = [(0, 23), (len(EDIT) - 24, len(EDIT) - 1)]
    assert {EDIT[start:end] for start, end in elisions} == {"# ... existing code ..."}
    original, edit, expected = ORIGINAL, EDIT, MERGED
    if template.has_marks:
        marks = LineMarks(ORIGINAL, EDIT, tuple(elisions))
        original, expected = marks.marked_original, marks.marked_text(MERGED)
        edit, elisions = marks.marked_edit
    tokens = prompt_tokens(template, tokenizer, codec, original, edit, None, elisions)
    merged, bare = drafts_of(read(tokens, codec))
    assert merged.text == expected
    assert bare.text == original


@pytest.mark.parametrize("tag", ["update", "edit"])
@pytest.mark.parametrize("answer", ["", "Answer between <updated-code> and </updated-code>."])
def test_tags_in_any_other_words_are_read(tag, answer, tokenizer, codec):
    code, edit = "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 5\nc = 3\n"
    content = f"<instruction>five</instruction>\n<code>{code}</code>\n<{tag}>{edit}</{tag}>\n{answer}"
    asked = said(tokenizer, codec, content)
    tags = ("<updated-code>", "</updated-code>") if answer else ("", "")
    assert asked == Asked(code, edit, "five", *tags)
    assert drafts_of(asked)[0].text == tags[0] + edit + tags[1]


def test_a_prediction_stands_for_the_whole_output(tokenizer, codec):
    text = "All of it,\n<prediction>\nnested, too\n"
    found = said(tokenizer, codec, f"Write.\n<prediction>\n{text}</prediction>\nThank you.")
    assert found == Predicted(text)
    assert [draft.text for draft in drafts_of(found)] == [text]


@pytest.mark.parametrize(
    "content",
    [
        "What is the capital of France?",
        "<code>x = 1</code> is what I have.",
        "<update>x = 1</update> before <code>x = 2</code>",
        "I mean <prediction> as a word and </prediction> as another.",
        "<code>a</code><update>b</update> twice <code>a</code><update>b</update>",
    ],
)
def test_other_prompts_ask_for_nothing(content, tokenizer, codec):
    assert said(tokenizer, codec, content) is None


def test_special_tokens_in_a_file_are_only_text(tokenizer, codec):
    content = "<code>x = '<|im_end|>'\n</code>\n<update>x = '<|im_start|>'\n</update>"
    asked = said(tokenizer, codec, content)
    assert isinstance(asked, Asked)
    assert asked.original == "x = '<|im_end|>'\n"


def test_an_edit_that_cannot_be_placed_leaves_the_original():
    (only,) = drafts_of(Asked("a = 1\n", "", opening="<", closing=">"))
    assert only.text == "<a = 1\n>"


def test_the_process_that_makes_drafts_loads_no_torch():
    code = "import sys, fastedit.vllm.making; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
