"""Whole messages: which edits they hold, for which files, in which format."""

import pytest

from fastedit.edits import parse_message
from fastedit.edits.model import Action, Edit, Format
from fastedit.errors import Code, EditUnreadable

SEARCH = "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE"
DIFF = "--- a/tide.py\n+++ b/tide.py\n@@ -1 +1 @@\n-a = 1\n+a = 2"
V4A = "*** Begin Patch\n*** Update File: tide.py\n@@\n-a = 1\n+a = 2\n*** End Patch"


def only(text: str, format: str = "auto") -> Edit:
    (edit,) = parse_message(text, format=format)
    return edit


def summary(text: str) -> list[tuple[str, str | None, str]]:
    return [(edit.format.value, edit.path, edit.action.value) for edit in parse_message(text)]


def code(edit: Edit) -> list[tuple[str, ...]]:
    return [snippet.lines for snippet in edit.snippets]


@pytest.mark.parametrize(
    "wrap", ["{}", "```\n{}\n```", "Prose:\n\n```python\n{}\n```\n\nMore.", "Sure.\n\n{}\n\nDone now."]
)
@pytest.mark.parametrize(
    ("patch", "format", "path"),
    [(SEARCH, Format.SEARCH_REPLACE, None), (DIFF, Format.UDIFF, "tide.py"), (V4A, Format.V4A, "tide.py")],
    ids=["search/replace", "diff", "v4a"],
)
def test_patches_fenced_or_not(patch: str, format: Format, path: str | None, wrap: str):
    edit = only(wrap.format(patch))
    assert (edit.format, edit.path, len(edit.hunks)) == (format, path, 1)
    assert (edit.hunks[0].old, edit.hunks[0].new) == (["a = 1"], ["a = 2"])


def test_hunks_name_their_line_of_the_message():
    assert only(f"One\ntwo\n\n```\n{SEARCH}\n```").hunks[0].source_line == 4


@pytest.mark.parametrize(
    "above",
    [
        "### `src/tide.py`\n\n",
        "**src/tide.py**\n",
        "`src/tide.py`:\n\n",
        "src/tide.py\n",
        "Edit `src/tide.py`:\n\n",
        "File: src/tide.py\n",
    ],
)
@pytest.mark.parametrize("body", ["x = 1\n# ...", SEARCH, "@@ @@\n-a\n+b"], ids=["lazy", "search/replace", "diff"])
def test_a_path_above_the_fence(above: str, body: str):
    assert only(f"Hello.\n\n{above}```\n{body}\n```\n").path == "src/tide.py"


@pytest.mark.parametrize("info", ['py title="src/tide.py"', "py:src/tide.py", "src/tide.py", "py file=src/tide.py"])
def test_a_path_in_the_info_string(info: str):
    edit = only(f"```{info}\nx = 1\n```")
    assert (edit.path, code(edit)) == ("src/tide.py", [("x = 1",)])


@pytest.mark.parametrize(
    "told",
    [
        "Given that `LEVEL` is defined in `moon.py`:",
        "`moon.py` is only used here, so its function moves in:",
        "The import of `moon.py` makes way for:",
        "`harbour/moon.py` isn't needed any more, inline it:",
    ],
)
def test_a_file_that_is_only_talked_about_is_not_the_one_to_edit(told: str):
    assert only(f"{told}\n\n```py\nx = 1\n```").path is None
    assert only(f"### `tide.py`\n\n```py\na\n```\n\n{told}\n\n```py\nb\n```").path == "tide.py"


@pytest.mark.parametrize(("info", "path"), [("makefile", None), ("Makefile", "Makefile"), ("justfile", None)])
def test_a_language_is_no_file(info: str, path: str | None):
    assert only(f"```{info}\nall:\n```").path == path
    assert only(f"### `build/rules.mk`\n\n```{info}\nall:\n```").path == "build/rules.mk"


def test_a_path_in_the_first_comment_is_no_code():
    edit = only("```py\n# src/tide.py - Tide.level\nx = 1\n```")
    assert (edit.path, code(edit), edit.snippets[0].source_line) == ("src/tide.py", [("x = 1",)], 2)
    assert edit.snippets[0].prose.endswith("# src/tide.py - Tide.level")


def test_fences_for_one_file_are_one_edit_with_their_prose():
    edit = only("First:\n\n```py\na\n```\n\nThen the other\none:\n\n```py\nb\n```\n")
    assert (edit.format, edit.path, code(edit)) == (Format.LAZY, None, [("a",), ("b",)])
    assert [(snippet.prose, snippet.source_line) for snippet in edit.snippets] == [
        ("First:", 3),
        ("Then the other\none:", 10),
    ]


def test_fences_under_a_heading_belong_to_its_file():
    text = "## `a.py`\n\nImport:\n\n```py\n1\n```\n\nUse:\n\n```py\n2\n```\n\n## `b.py`\n\n```py\n3\n```\n"
    assert [(edit.path, code(edit)) for edit in parse_message(text)] == [("a.py", [("1",), ("2",)]), ("b.py", [("3",)])]


def test_several_formats_in_one_message():
    text = (
        "**`src/new.py`** (new)\n\n```python\nx = 1\n```\n\n**`src/a.py`**\n\n```python\n# ...\ny = 1\n```\n\n"
        f"**`src/b.py`**\n\n```python\n{SEARCH}\n```\n\n"
        "And:\n\n```\n*** Begin Patch\n*** Delete File: old.py\n*** End Patch\n```\n"
    )
    assert summary(text) == [
        ("whole", "src/new.py", "create"),
        ("lazy", "src/a.py", "update"),
        ("search_replace", "src/b.py", "update"),
        ("v4a", "old.py", "delete"),
    ]


@pytest.mark.parametrize(
    "above",
    [
        "### `a/new.py` (new)",
        "### `a/new.py` (new file)",
        "New file: `a/new.py`",
        "Create `a/new.py`:",
        "It moves to a new file, `a/new.py`:",
    ],
)
def test_a_new_file(above: str):
    edit = only(f"{above}\n\n```py\nx = 1\n```")
    assert (edit.format, edit.path, edit.action, code(edit)) == (Format.WHOLE, "a/new.py", Action.CREATE, [("x = 1",)])


@pytest.mark.parametrize(
    "above", ["### `create_user.py`", "In `new/app.py`:", "Create the table in `schema.sql`:", "### `new.py`"]
)
def test_names_and_other_news_create_nothing(above: str):
    assert only(f"{above}\n\n```\nx\n```").action is Action.UPDATE


def test_an_empty_new_file():
    edit = only("### `pkg/__init__.py` (new)\n\n```python\n```\n")
    assert (edit.action, code(edit)) == (Action.CREATE, [()])


def test_a_deleted_file_needs_no_fence():
    assert summary("### `old.py` (deleted)\n\n### `a.py`\n\n```py\nx\n```")[-1] == ("whole", "old.py", "delete")


@pytest.mark.parametrize(
    "above",
    [
        "The complete file:",
        "Here's the whole `tide.py`, with the flag gone:",
        "Below is the full updated file.",
        "Full contents of `tide.py`:",
    ],
)
def test_a_whole_file(above: str):
    assert only(f"{above}\n\n```py\nx = 1\n\n```").snippets[0].lines == ("x = 1",)
    assert only(f"{above}\n\n```py\nx = 1\n```").format is Format.WHOLE


@pytest.mark.parametrize(
    "above",
    [
        "I don't repeat the whole file:",
        "It loses the whole `warnings.warn(...)` call:",
        "The title goes, and full pages get a footer.",
        "Here's the full updated function:",
        "Rather than the complete file, only what changes:",
        "The change:",
    ],
)
def test_a_fence_that_need_not_be_the_whole_file(above: str):
    assert only(f"{above}\n\n```py\nx = 1\n```").format is Format.LAZY


def test_markers_make_a_file_no_whole_one():
    assert only("The complete file:\n\n```py\n# ... existing code ...\nx = 1\n```").format is Format.LAZY


@pytest.mark.parametrize(
    "other",
    [
        "Then install it:\n\n```bash\nnpm install\n```\n",
        "```console\n$ pytest -q\n3 passed\n```\n",
        "Run\n\n```\npip install x\npytest\n```\n",
        "It prints:\n\n```\n42\n```\n",
        "```text\nTraceback\n```\n",
        "Usage:\n\n```py\nlevel(3)\n```\n",
        "```12:14:tide.py\ndef level(): ...\n```\n",
    ],
    ids=["install", "console", "run", "output", "text", "usage", "citation"],
)
def test_what_is_no_edit_beside_one(other: str):
    edit = only(f"In `tide.py`:\n\n```py\ndef level(n):\n    return n\n```\n\n{other}")
    assert code(edit) == [("def level(n):", "    return n")]
    before = only(f"{other}\nNow `tide.py`:\n\n```py\ndef level(n):\n    return n\n```\n")
    assert code(before) == [("def level(n):", "    return n")]


def test_code_that_shows_what_a_patch_does_is_no_edit():
    edit = only(f"```diff\n{DIFF}\n```\n\nThe line then reads:\n\n```py\na = 2\n```\n")
    assert (edit.format, edit.path) == (Format.UDIFF, "tide.py")


@pytest.mark.parametrize(
    "prose",
    [
        "It also handles the error:",
        "The second change was in the handler:",
        "Then log the results:",
        "So that it can be used in both places:",
        "Currently it is too long, so I cut it:",
    ],
)
def test_prose_that_only_sounds_like_output_hides_no_edit(prose: str):
    edit = only(f"First:\n\n```\na()\n# ...\n```\n\n{prose}\n\n```\nb()\n```\n")
    assert code(edit) == [("a()", "# ..."), ("b()",)]


def test_commands_are_parts_of_a_script_beside_other_parts():
    text = "```bash\n# ...\nbuild() {\n    make\n}\n```\n\nand a tag:\n\n```bash\ndocker build -t app .\n```\n"
    assert len(only(text).snippets) == 2
    assert len(only(text.replace("and a tag:", "Then run:")).snippets) == 1


TEXT = "Two things:\n\n```markdown\nTides rise.\n```\n\n"


@pytest.mark.parametrize("commands", ["npm ci\nnpm start", "$ npm ci"])
def test_commands_are_parts_of_a_text_beside_other_parts(commands: str):
    fence = f"```sh\n{commands}\n```\n"
    assert len(only(f"{TEXT}Under Install:\n\n{fence}").snippets) == 2
    assert len(only(f"In `README.md`:\n\n```js\nx()\n```\n\nUnder Install:\n\n{fence}").snippets) == 2
    assert len(only(f"{TEXT}Now run this:\n\n{fence}").snippets) == 1
    assert len(only(TEXT.replace("markdown", "py") + f"Under Install:\n\n{fence}").snippets) == 1


@pytest.mark.parametrize("told", ["The command is shorter:", "and the one to run the tests:"])
def test_commands_that_are_set_in_are_a_part_of_a_file(told: str):
    text = f"First:\n\n```\na tide()\n```\n\n{told}\n\n```\n    $ pytest\n```\n"
    assert len(only(text).snippets) == 2
    assert len(only(text.replace("    $", "$")).snippets) == 1
    assert len(only(text.replace(told, "Then run:")).snippets) == 1


def test_a_shell_script_is_an_edit():
    assert code(only("```bash\n# ...\nupload() {\n    aws s3 cp x\n}\n```")) == [
        ("# ...", "upload() {", "    aws s3 cp x", "}")
    ]
    assert only("`deploy.sh`:\n\n```bash\nset -e\n./build\n```\n\n```py\nx\n```").path == "deploy.sh"


def test_a_lone_fence_is_an_edit_whatever_it_looks_like():
    assert code(only("```\nnpm ci\n```")) == [("npm ci",)]


def test_before_and_after_are_a_replacement():
    edit = only("Replace this:\n\n```py\nx = 1\n```\n\nwith:\n\n```py\nx = 2\n```\n")
    assert (edit.format, edit.hunks[0].old, edit.hunks[0].new) == (Format.SEARCH_REPLACE, ["x = 1"], ["x = 2"])


def test_a_short_path_means_the_long_one_that_ends_with_it():
    text = "### `src/tide.py`\n\n```py\na\n```\n\n## Tests\n\nAlso in `tide.py`:\n\n```py\nb\n```\n"
    assert [(edit.path, len(edit.snippets)) for edit in parse_message(text)] == [("src/tide.py", 2)]


def test_bare_code():
    text = "def f():\n    # ... existing code ...\n    return 2\n"
    assert code(only(text)) == [("def f():", "    # ... existing code ...", "    return 2")]
    assert code(only(f"Here is the change:\n\n{text}\nThat should be all of it.\n")) == code(only(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "I've read the guide. There are two ways:\n\n1. Use `OnceLock`.\n2. Keep `lazy_static`, it's in.\n\nWhich one?",
        "Sure!",
        "```\n```\n",
        "*** Begin Patch\n*** End Patch",
    ],
)
def test_no_code_at_all_is_refused(text: str):
    with pytest.raises(EditUnreadable) as refused:
        parse_message(text)
    assert refused.value.code is Code.EDIT_EMPTY


def test_broken_patches_are_refused_with_their_line():
    with pytest.raises(EditUnreadable, match="line 4: ") as refused:
        parse_message("Look:\n\n```\n<<<<<<< SEARCH\na\n=======\n```\n")
    assert refused.value.code is Code.EDIT_UNPARSABLE


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        ("lazy", "x = 1\ny = 2\n", Format.LAZY),
        ("whole", "Plain text of a file.\n", Format.WHOLE),
        ("whole", "Prose\n\n```py\nx\n```\n", Format.WHOLE),
        ("udiff", " a\n-b\n+c\n", Format.UDIFF),
        ("udiff", "```\n a\n-b\n+c\n```", Format.UDIFF),
        ("v4a", V4A, Format.V4A),
        ("search_replace", SEARCH, Format.SEARCH_REPLACE),
    ],
)
def test_a_format_can_be_asked_for(format: str, text: str, expected: Format):
    assert only(text, format).format is expected


def test_whole_takes_the_longest_fence():
    assert code(only("```\na\n```\n\nor rather\n\n```\na\nb\n```\n", "whole")) == [("a", "b")]


def test_an_unknown_format_is_refused():
    with pytest.raises(EditUnreadable, match="known are auto, lazy"):
        parse_message("x", format="yaml")


def test_hostile_paths_come_through_as_they_are():
    assert only("### `../../etc/passwd`\n\n```\nx\n```").path == "../../etc/passwd"


def test_code_in_a_fence_that_never_closes_may_be_cut_off():
    with pytest.raises(EditUnreadable, match="fence of line 2 is never closed") as caught:
        parse_message("Here:\n```python\n# ...\ndef f():\n    return 1\n")
    assert caught.value.code is Code.EDIT_UNPARSABLE


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef f():\n    return 1\n# ... existing code ...\n",
        "```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    ],
)
def test_what_ends_by_itself_needs_no_closing_fence(text):
    assert len(parse_message(text)) == 1


def test_a_file_that_prose_mentions_is_not_that_of_data_in_another_format() -> None:
    message = '`start` goes, since there\'s no `src/index.js` any more:\n\n```json\n  "scripts": {\n  }\n```\n'
    [edit] = parse_message(message)
    assert edit.path is None
    [edit] = parse_message(message.replace("json", "js"))
    assert edit.path == "src/index.js"
