"""What a message about several files says of each."""

from __future__ import annotations

import pytest

from fastedit.edits import parse_message
from fastedit.edits.model import Action, Edit
from fastedit.guard import Original
from fastedit.merged import message_about
from fastedit.syntax import outline

CODE = "```python\n{}\n```\n"
OVERVIEW = f"""Sizes are checked now. `area.py` gets the check and `shop.py` calls it.

- `area.py`: a new function
- `shop.py`: one call

In `area.py`:

{CODE.format("def check(size): ...")}
It raises nothing.

### `shop.py`

It is called first.

{CODE.format("check(size)")}
Both files are formatted; `area.py` needs no tests.
"""


def edits_by_path(text: str) -> dict[str | None, Edit]:
    return {edit.path: edit for edit in parse_message(text)}


def test_each_file_hears_its_own_words() -> None:
    edits = edits_by_path(OVERVIEW)
    area, shop = (edits[path].message or "" for path in ("area.py", "shop.py"))
    for said in ("a new function", "In `area.py`:", "def check", "It raises nothing.", "needs no tests"):
        assert said in area
        assert said not in shop
    for said in ("one call", "### `shop.py`", "It is called first.", "check(size)\n"):
        assert said in shop
        assert said not in area
    assert "Sizes are checked now." not in area + shop  # of the whole change, and names neither
    assert "gets the check" in area
    assert "gets the check" in shop


def test_what_is_said_before_a_snippet_is_part_of_what_its_file_hears() -> None:
    """The rest of the words is told by where this ends in them."""
    for edit in parse_message(OVERVIEW):
        assert all(snippet.prose and snippet.prose in (edit.message or "") for snippet in edit.snippets)
    assert edits_by_path(OVERVIEW)["shop.py"].snippets[0].prose == ("### `shop.py`\n\nIt is called first.")


def test_a_message_about_one_file_is_heard_as_it_is() -> None:
    (edit,) = parse_message(f"Of all files only `area.py` changes:\n\n{CODE.format('x = 1')}\nThat's all.\n")
    assert edit.message is None
    assert edit.part_of("all of it") == "all of it"


def test_files_that_only_a_patch_names_are_told_apart() -> None:
    patch = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    text = f"First this.\n\n```diff\n{patch.format('a.py')}```\n\nThen that.\n\n```diff\n{patch.format('b.py')}```\n"
    edits = edits_by_path(text)
    assert edits["a.py"].message is not None
    assert "Then that." not in edits["a.py"].message
    assert edits["b.py"].message is not None
    assert "Then that." in edits["b.py"].message
    both = edits_by_path(f"All of it.\n\n```diff\n{patch.format('a.py')}{patch.format('b.py')}```\n\nThen run it.\n")
    assert both["a.py"].message == both["b.py"].message


@pytest.mark.parametrize(
    "heading", ["**Changes in `shop.py`**", "## What `shop.py` needs", "// shop.py", "**`shop.py`** (two changes)"]
)
def test_headings_name_files_among_other_words(heading: str) -> None:
    text = f"**area.py**\n\n{CODE.format('x = 1')}\n{heading}\n\nThe call:\n\n{CODE.format('y = 2')}"
    assert {path: edit.snippets[0].lines for path, edit in edits_by_path(text).items()} == {
        "area.py": ("x = 1",),
        "shop.py": ("y = 2",),
    }


@pytest.mark.parametrize(
    ("said", "goes"),
    [
        ("**shop.py**: delete it, nothing in there is needed.", True),
        ("**`shop.py`**\n\nDeleted. (The adapter stays.)", True),
        ("### `shop.py`\nThis file is removed.", True),
        ("### `shop.py`\n\nRemove the file entirely.", True),
        ("`shop.py` is deleted.", True),
        ("- **shop.py** is removed, its text has moved", True),
        ("I've deleted `shop.py`, nobody used it.", True),
        ("And then:\n\n```sh\ngit rm shop.py\n```", True),
        ("**shop.py**\n\nRemoved the call.", False),
        ("**shop.py**\n\nRemoved: the call.", False),
        ("**shop.py**: removed the call", False),
        ("**shop.py**\n\nDelete the call, it's not needed.", False),
        (f"**shop.py**\n\n{CODE.format('y = 2')}\nDeleted.", False),
        (f"**shop.py**: removed; what stays:\n\n{CODE.format('y = 2')}", False),
        ("`shop.py` is removed from `FILES`.", False),
        ("Remove `shop.py` from the list.", False),
        ("`load` is deleted from `shop.py`.", False),
        ("Once `shop.py` is deleted, this can go.", False),
        ("`shop.py` says that the check is removed.", False),
        ("And then:\n\n```sh\ngit rm --cached shop.py\n```", False),
    ],
)
def test_a_file_goes_where_words_say_so_and_not_where_something_in_it_does(said: str, goes: bool) -> None:
    shown = f"**area.py**\n\n{CODE.format('x = 1')}"
    for text in (f"{said}\n\n{shown}", f"{shown}\n{said}\n"):
        edits = parse_message(text)
        assert [edit.path for edit in edits if edit.action is Action.DELETE] == ["shop.py"] * goes
        assert any(edit.path == "area.py" and edit.action is Action.UPDATE for edit in edits)


@pytest.mark.parametrize(
    "led",
    [
        "2. `shop.py`, in `Shop.sell`:",
        "shop.py, where only the name changes:",
        "And in `shop.py` (one call):",
        "In `shop.py`, `sell()` asks directly. The other way has no caller.",
        "Now a test, as a new file `shop.py` (it uses what your `conftest.py` has to offer):",
        "2. In **shop.py** the check goes, everything older is out of support. The top becomes:",
        "**2. shop.py**",
    ],
)
def test_a_paragraph_that_begins_with_a_file_is_about_it_whatever_the_heading_above(led: str) -> None:
    """So are the fences below it. They once went to the file of the heading."""
    first, second, third = (CODE.format(line) for line in ("x = 1", "y = 2", "z = 3"))
    shown: dict[str | None, list[tuple[str, ...]]] = {}
    for edit in parse_message(f"### `area.py`\n\n{first}\n{led}\n\n{second}\nand below:\n\n{third}"):
        shown.setdefault(edit.path, []).extend(snippet.lines for snippet in edit.snippets)
    assert shown == {"area.py": [("x = 1",)], "shop.py": [("y = 2",), ("z = 3",)]}


def test_an_edit_without_a_name_is_not_for_the_file_that_goes() -> None:
    edits = parse_message(f"{CODE.format('x = 1')}\nI deleted `old.py`.\n")
    assert [(edit.path, edit.action) for edit in edits] == [(None, Action.UPDATE), ("old.py", Action.DELETE)]


def test_what_a_person_is_to_run_or_to_write_is_of_no_file() -> None:
    """They were added to the last file, or written over what it says of them."""
    told = (
        "Danach einmal:\n\n```bash\nmake install && make test\n```\n\nYou can then write\n\n```python\nshop(2)\n```\n"
    )
    text = f"### `area.py`\n\n{CODE.format('x = 1')}\n### `README.md`\n\n````md\nRun it.\n````\n\n{told}"
    edits = edits_by_path(text)
    assert [snippet.lines for snippet in edits["README.md"].snippets] == [("Run it.",)]
    assert len(edits["area.py"].snippets) == 1


def test_commands_of_a_document_under_its_name_are_an_edit_of_it() -> None:
    text = f"README.md:\n\n```\nnpm install shop\n```\n\narea.py:\n\n{CODE.format('x = 1')}"
    assert edits_by_path(text)["README.md"].snippets[0].lines == ("npm install shop",)


@pytest.mark.parametrize("name", [".zuul.yaml", "RNSentry.podspec", ".github/workflows/ci.yml"])
def test_more_names_of_files(name: str) -> None:
    assert set(edits_by_path(f"### `{name}`\n\n```\na: 1\n```\n\n**area.py**\n\n{CODE.format('x = 1')}")) == {
        name,
        "area.py",
    }


def test_words_behind_the_last_fence_are_heard_by_its_file_or_the_ones_that_they_name() -> None:
    text = (
        f"It is checked first.\n\n**area.py**\n\n{CODE.format('check(1)')}\n**shop.py**\n\n{CODE.format('check(2)')}\n"
        "In the same file, drop the last line. `area.py` keeps its own. That's all.\n"
    )
    edits = edits_by_path(text)
    area, shop = (edits[path].message or "" for path in ("area.py", "shop.py"))
    assert "drop the last line" in shop
    assert "drop the last line" not in area
    assert "keeps its own" in area
    assert "keeps its own" not in shop
    assert "It is checked first." in edits["area.py"].shared
    assert "It is checked first." not in area + shop


def test_what_goes_in_all_files_is_heard_by_those_that_have_it() -> None:
    """An introduction may ask for what no code shows."""
    text = (
        "`check` is called first. I removed `old_check`, which nobody uses.\n\n"
        f"**area.py**\n\n{CODE.format('check(1)')}\n**shop.py**\n\n{CODE.format('check(2)')}\n"
    )
    for edit in parse_message(text):
        having, lacking = (Original(code, "python", outline(code, "python")) for code in ("old_check()\n", "check()\n"))
        assert "I removed `old_check`" in message_about(having, edit, text)
        assert "I removed `old_check`" not in message_about(lacking, edit, text)
        assert "is called first" not in message_about(having, edit, text)
