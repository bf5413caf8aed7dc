from __future__ import annotations

import json

import pytest

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets import TEMPLATES, read_template, template_named

HOSTILE = "x = '{edit} {original} {instruction}' % {0} {{}} \\1 \\g<0>"


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_texts_are_put_in_once_and_as_they_are(template):
    filled = "".join(message.content for message in template.fill(HOSTILE, "change", None))
    assert filled.count(HOSTILE) == 1
    assert filled.count("{edit}") == HOSTILE.count("{edit}")
    assert "change" in filled


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_every_template_has_a_place_for_both_texts(template):
    words = "".join(message.content for message in template.messages)
    assert words.count("{original}") == words.count("{edit}") == 1


def test_kortix_is_asked_in_its_makers_words():
    system, user = template_named("kortix").fill("ORIGINAL", "UPDATE", None)
    assert system.content == (
        "You are a coding assistant that helps merge code updates, ensuring every modification is fully integrated."
    )
    assert user.content == (
        "Merge all changes from the <update> snippet into the <code> below.\n"
        "- Preserve the code's structure, order, comments, and indentation exactly.\n"
        "- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.\n"
        "- Do not include any additional text, explanations, placeholders, ellipses, or code fences.\n\n"
        "<code>ORIGINAL</code>\n\n<update>UPDATE</update>\n\nProvide the complete updated code."
    )


def test_osmosis_is_asked_in_its_makers_words():
    system, user = template_named("osmosis").fill("a\n", "b", None)
    assert user.content == "<code>\na\n</code>\n\n<edit>b</edit>"
    assert system.content.startswith("\nYou are a helpful assistant for a code editor that applies an edit to code")
    assert system.content.endswith("\n\nOutput the code wrapped in <code> tags.\n")


def test_an_instruction_is_worded_where_there_is_one():
    chat = template_named("chat")
    assert "What the edit is for: faster" in chat.fill("a", "b", "faster")[1].content
    assert "What the edit is for" not in chat.fill("a", "b", None)[1].content


def test_a_users_own_template_is_read_from_a_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(
        json.dumps(
            {"messages": [{"role": "user", "content": "{original}|{edit}"}], "answer_open": "<a>", "is_chat": False}
        )
    )
    template = read_template(path)
    assert (template.name, template.answer_open, template.is_chat) == ("mine", "<a>", False)
    assert template.fill("1", "2", None)[0].content == "1|2"


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        "{}",
        '{"messages": [{"role": "user"}]}',
        '{"messages": [{"role": "user", "content": "{original}"}]}',
        '{"messages": [{"role": "user", "content": "{original}{edit}"}], "colour": 1}',
        '{"messages": [{"role": "user", "content": "{original}{edit}"}], "context_lines": -1}',
        '{"messages": [{"role": "user", "content": "{original}{edit}"}], "declaration_lines": "8"}',
    ],
)
def test_a_broken_template_is_refused_by_name(tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(EngineUnavailable, match=r"broken\.json") as refused:
        read_template(path)
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_an_unknown_template_names_those_there_are():
    with pytest.raises(EngineUnavailable, match="kortix"):
        template_named("cortex")
