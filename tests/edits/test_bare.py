"""Messages without fences: what is the file's text, what only speaks about it."""

import pytest

from fastedit.edits import parse_message
from fastedit.edits.model import Edit, Format
from fastedit.errors import Code, EditUnreadable

CODE = "# ... existing code ...\n\ndef tide(level):\n    return level + 1\n\n# ... existing code ..."


def only(text: str) -> Edit:
    (edit,) = parse_message(text)
    assert edit.format is Format.LAZY
    return edit


def snippets(text: str) -> list[str]:
    return ["\n".join(snippet.lines) for snippet in only(text).snippets]


@pytest.mark.parametrize(
    "told",
    [
        "I'll raise the level by one; `tide` isn't called with None any longer.",
        "I'm replacing tide(level) with level + 1 (see `harbour`), and dropping the `__all__` entry; both were unused.",
        "I will rename foo_bar to tide, so `x[0]` works again",
        "Let me fix tide.py: the level, which is a float now, gets one more.",
        "Two steps:\n\n1. raise the level of `tide`;\n2. keep the rest as it is.",
        "The level rises.\n\nEverything else in the module stays (also `ebb`).",
        "`tide` adds one to the level now.",
        "In `tide`:",
        "Der Pegel steigt jetzt um eins; `tide` bleibt sonst gleich.",
        "把水位加一，其余不变：",
    ],
)
@pytest.mark.parametrize("between", ["\n\n", "\n\n\n"])
def test_sentences_before_the_code_are_no_code(told: str, between: str):
    edit = only(f"{told}{between}{CODE}\n")
    assert ["\n".join(snippet.lines) for snippet in edit.snippets] == [CODE]
    assert (edit.snippets[0].prose, edit.snippets[0].source_line) == (told, told.count("\n") + len(between))


def test_code_may_start_right_below_the_sentence():
    assert snippets(f"I'll raise the level; nothing else changes:\n{CODE}") == [CODE]


@pytest.mark.parametrize(
    "told",
    ["That's all; `ebb` stays.", "I left `ebb(level)` alone because the tests rely on it.", "Then run `pytest -q`."],
)
def test_sentences_behind_the_code_are_no_code(told: str):
    assert snippets(f"{CODE}\n\n{told}\n") == [CODE]


def test_what_the_message_says_in_between_parts_its_code():
    text = "In `tide`:\n\ndef tide():\n    return 1\n\nand the same in `ebb`:\n\ndef ebb():\n    return 2\n"
    assert snippets(text) == ["def tide():\n    return 1", "def ebb():\n    return 2"]
    assert [snippet.prose for snippet in only(text).snippets] == ["In `tide`:", "and the same in `ebb`:"]


@pytest.mark.parametrize(
    "code",
    [
        '"""The tides.\n\nThey come and go with the moon, as in this list:\n\n    ebb, flow\n"""\n\nimport moon',
        'def tide():\n    """The level.\n\n    - Return it if it is known.\n    - Return the last.\n    """\n    x()',
        '"""The tides.\n\nHere are the names that are of use:\n\n    ebb()\n"""\n\nimport moon',
        "/*\n * The tides.\n\nThey come and go with the moon:\n\n */\nint tide;\n\nint ebb;",
        " * Declares what the harbour and the ships need.\n */\nint tide;",
        "# The tides come and go with the moon.\nx = 1",
        "---\n- name: Install the pumps that are needed.\n  pump: {}\n\n- name: Start them.\n  pump: {}",
        "SELECT the_tide, level FROM a_harbour WHERE level IS NOT NULL;",
        "if the_tide is not None:\n    pass\n\nelse:\n    pass",
        "<p>\nThe tide is coming in now.\n</p>\n\n<p>It is late.</p>",
    ],
    ids=[
        "docstring",
        "list",
        "first person",
        "comment",
        "end of a comment",
        "line comment",
        "yaml",
        "sql",
        "python",
        "html",
    ],
)
def test_sentences_inside_the_code_stay(code: str):
    assert snippets(code) == [code]
    assert snippets(f"I'll change the tides.\n\n{code}\n\nThat should be all of it.") == [code]


@pytest.mark.parametrize(
    "document",
    [
        "<!-- ... existing content ... -->\n\n## Tides\n\nThey come and go with the moon.\n\nThey are high.",
        "## Tides\n\nThey come and go. See these:\n\n- the ebb, which is low\n- the flow, which is high",
        ".. existing text\n\nTides\n~~~~~\n\nThey come and go.\n\nHarbours\n~~~~~~~~\n\nShips lie in them.",
        "<!-- ... -->\n\nTo see the tides, run:\n\n```bash\ntide --now\n```\n\n<!-- ... existing content ... -->",
        ".. ... existing text ...\n\nTides come and go.\n\n.. ... existing text ...\n\nShips lie in the harbour.",
        "See ``tide -h`` for all of them::\n\n   tide --now\n\nTo see the ebb, run::\n\n   tide --ebb\n\nShips lie.",
        "<!-- ... -->\nIt is told so:\n\n```ts\nawait tide();\n<!-- ... existing text ... -->",
        "> The tides\n\n... existing text ...\n\nebb();\n```\n\n## API\n\n... existing text ...\n\n- `ebb`: it falls.",
    ],
    ids=[
        "markdown",
        "list",
        "underlined titles",
        "fences of the file",
        "reST comments",
        "literal blocks",
        "a fence's beginning",
        "a fence's end",
    ],
)
def test_the_sentences_of_a_document_are_its_text(document: str):
    assert snippets(document) == [document]
    assert snippets(f"I'll describe the tides; the rest stays.\n\n{document}\n\nLet me know what you think.") == [
        document
    ]
    assert snippets(f"Add a section about the tides.\n\n{document}\n") == [document]


def test_code_may_be_set_in_between_words_at_the_margin():
    text = "For tides 2.0:\n\n    tide = 1\n\nthen at the end of ebbs\n\n    low = 2\n\n    lower = 3\n"
    assert snippets(text) == ["    tide = 1", "    low = 2\n\n    lower = 3"]
    assert [snippet.prose for snippet in only(text).snippets] == ["For tides 2.0:", "then at the end of ebbs"]


@pytest.mark.parametrize(
    "code", ["return a b", "class Tide:\n\n    low = 2", "Feature: tides and ebbs\n\n    Scenario: low"]
)
def test_code_at_the_margin_stays(code: str):
    assert snippets(code) == [code]
    assert snippets(f"I'll change the tides.\n\n{code}") == [code]


def test_a_text_may_end_in_a_heading():
    document = "```\nnpm i tide\n```\n\nNode 20 is needed.\n\n## License"
    assert snippets(f"I'll say which versions are needed.\n\n{document}") == [document]


@pytest.mark.parametrize(
    "tail",
    ["## License", "Node 20 is needed.\n\n### `old.md` (deleted)", "... existing code ...\n\n```js\nebb();\n```"],
    ids=["nothing but a heading", "a file that goes", "dots between two fences"],
)
def test_fences_beside_these_are_the_messages_own(tail: str):
    edit = parse_message(f"I'll add it.\n\n```js\ntide();\n```\n\n{tail}")[0]
    assert edit.snippets[0].lines == ("tide();",)


def test_a_fence_that_is_announced_is_the_messages_own():
    edit = only("It is told here:\n\n```js\ntide();\n```\n\nNode 20 is needed.\n\n## Notes")
    assert edit.snippets[0].lines == ("tide();",)


@pytest.mark.parametrize(
    "text",
    [
        "I went over the tables. The **ebb** now has a shorter text; `flow` has none (it had one).\n\nShall I go on?",
        "There are two ways:\n\n1. a table that says what `ebb` does;\n2. one in the `tide=` line.\n\nWhich one?",
        "`tide` is right as it is.",
    ],
)
def test_nothing_but_sentences_holds_no_edit(text: str):
    with pytest.raises(EditUnreadable) as refused:
        parse_message(text)
    assert refused.value.code is Code.EDIT_EMPTY
