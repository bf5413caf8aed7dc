"""Messages taken apart into fences, unfenced patches and prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.edits.fences import Block, BlockKind, fences_anywhere, fences_at_the_margin, split_message
from support.timing import took


def blocks(text: str) -> tuple[Block, ...]:
    return split_message(text).blocks


def test_a_fence_has_its_lines_its_info_its_prose_and_its_place():
    message = split_message("Hello\n\n```py title=x\na\n\nb\n```\nbye\n")
    (block,) = message.blocks
    assert (block.kind, block.lines, block.info) == (BlockKind.FENCE, ("a", "", "b"), "py title=x")
    assert (block.prose, block.start_line, block.is_closed) == (("Hello", ""), 3, True)
    assert message.tail == ("bye", "")


def test_tildes_unclosed_and_crlf():
    assert [block.lines for block in blocks("~~~\na\n```\n~~~\n")] == [("a", "```")]
    (unclosed,) = blocks("```py\na\nb")
    assert (unclosed.lines, unclosed.is_closed) == (("a", "b"), False)
    assert blocks("```py\r\na\r\n```\r\n")[0].lines == ("a",)


def test_fences_inside_a_longer_fence():
    assert [block.lines for block in blocks("````md\n```py\nx\n```\n````")] == [("```py", "x", "```")]


def test_fences_inside_a_fence_of_their_own_length():
    text = "```markdown\n# T\n\n```sh\nnpm i\n```\n\nmore\n\n```js\nx\n```\n```\n\nprose\n\n```py\ny\n```"
    assert [block.lines[0] for block in blocks(text)] == ["# T", "y"]
    assert blocks(text)[0].lines[-3:] == ("```js", "x", "```")


def test_bare_fences_inside_a_markdown_file():
    text = "```md\n# T\n\n```\nnpm i\n```\n\nend\n```\n\nprose\n"
    assert [block.lines for block in blocks(text)] == [("# T", "", "```", "npm i", "```", "", "end")]


DOCSTRING = ("    x = tide()", "    ```", '    """', "", "def tide():", "    return 2")


@pytest.mark.parametrize("tail", ["", "\n\nThat's all.", "\n\n```py\ny\n```", "\n\nand\n\n```\ny\n```"])
def test_a_fence_line_far_in_ends_an_example_rather_than_the_fence(tail: str):
    assert blocks("\n".join(("```py", *DOCSTRING, "```")) + tail)[0].lines == DOCSTRING


@pytest.mark.parametrize("tail", ["", "\n\nThat's all.", "\n\n```py\ny\n```", "\n\nand\n\n```\ny\n```"])
def test_a_fence_line_far_in_closes_where_no_other_does(tail: str):
    assert blocks(f"```py\n    x = 1\n    ```{tail}")[0].lines == ("    x = 1",)


@pytest.mark.parametrize("sign", ["`", "~"])
def test_underlines_of_titles_are_no_fences(sign: str):
    title = ("``--wait`` - how long to wait", sign * 29, "", "Some seconds.")
    fence = sign * 3
    text = "\n".join((f"{fence}rst", *title, fence, "", "And:", "", f"{fence}rst", "More", "====", fence))
    assert [block.lines for block in blocks(text)] == [title, ("More", "====")]
    assert not blocks("\n".join(title))


def test_a_longer_closing_fence_below_text_of_another_length_closes():
    assert [block.lines for block in blocks("```\nabc()\n``````\n\nand\n\n~~~\n}\n~~~~\n")] == [("abc()",), ("}",)]


@pytest.mark.parametrize(
    "patch",
    [
        "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n ```\n-npm i\n+npm ci\n ```",
        "*** Begin Patch\n*** Update File: x.md\n@@\n ```\n-npm i\n+npm ci\n ```\n*** End Patch",
        "<<<<<<< SEARCH\n```\nnpm i\n=======\n```\nnpm ci\n>>>>>>> REPLACE",
    ],
    ids=["diff", "v4a", "search/replace"],
)
def test_fence_lines_that_a_patch_holds_do_not_close_its_fence(patch: str):
    assert [block.lines for block in blocks(f"Look:\n\n```\n{patch}\n```\n\nDone.\n")] == [tuple(patch.split("\n"))]


def test_two_fences_with_info_are_not_nested():
    assert [block.lines for block in blocks("```py\na\n```\n```js\nb\n```")] == [("a",), ("b",)]


def test_a_fence_in_a_list_loses_the_lists_indentation():
    assert [block.lines for block in blocks("1. First:\n\n   ```py\n   a\n       b\n   ```\n")] == [("a", "    b")]


def test_bytes_of_a_plain_fence_stand():
    lines = blocks("```\n\ta\x0cb\u2028c\n x  \n```")[0].lines
    assert lines == ("\ta\x0cb\u2028c", " x  ")


@pytest.mark.parametrize(
    "patch",
    [
        "<<<<<<< SEARCH\n```py\n=======\n```js\n>>>>>>> REPLACE",
        "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n # T\n ```py\n-a\n+b",
        "*** Begin Patch\n*** Update File: x.md\n@@\n # T\n ```py\n-a\n+b\n*** End Patch",
    ],
    ids=["search/replace", "diff", "v4a"],
)
def test_unfenced_patches_are_blocks_whatever_they_hold(patch: str):
    message = split_message(f"Prose:\n\n{patch}\n\nMore prose.\n\n```py\nx\n```\n")
    assert [(block.kind, "\n".join(block.lines)) for block in message.blocks] == [
        (BlockKind.RAW, patch),
        (BlockKind.FENCE, "x"),
    ]


def test_prose_alone_has_no_blocks():
    assert blocks("# Heading\n\n---\n\n- a list\n- of things\n\n    indented\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "```\n" * 20_000,
        "```py\n" * 20_000,
        "```py\n```py\n```\n" * 8_000,
        "```\n    ```\n```\n" * 8_000,
        "\n" * 100_000,
        "`" * 100_000,
        "> " * 20_000,
        "- " * 20_000,
    ],
    ids=["bare", "info", "unbalanced", "deep", "blank", "ticks", "quotes", "lists"],
)
def test_time_is_linear(text: str):
    assert took(lambda: split_message(text)) < 250


LINES = [
    *("```", "````", "~~~", "~~~~", "```py", "``` py ", "~~~py", "~~~ a`b"),
    *("``` x `", "```  ", "```\t", "```\xa0", "~~~ ```"),
    *("  ```", "   ~~~", "    ```", "\t```", "- ```", "> ```", "- x", "> q", "1. a", "  x", "    code"),
    *("# h", "===", "---", "***", "text", "", "", "<div>", "[a]: b", "| a |", "|--|", "\0"),
]


@given(st.lists(st.sampled_from(LINES), max_size=9))
def test_fences_at_the_margin_are_what_a_markdown_parser_finds(lines: list[str]):
    found = fences_at_the_margin(lines)
    assert found is None or found == fences_anywhere(lines)


def test_only_fences_at_the_margin_are_read_without_a_parser():
    assert fences_at_the_margin(["- a", "```py", "x", "```", "- b"]) == [(1, 4, "py", None)]
    assert fences_at_the_margin(["- ```py", "  x", "  ```"]) is None
