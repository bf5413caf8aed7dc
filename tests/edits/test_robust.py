"""Whatever a message holds, parsing it gives edits or EditRefused, and well-formed ones mean what they say."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastedit.edits import parse_message
from fastedit.edits.model import Format
from fastedit.errors import EditRefused
from support.timing import took

FORMATS = ["auto", *Format]
LINES = (
    "```", "```py", "````md", "~~~", "   ```js", "```diff", " ```", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE",
    "------- SEARCH", "+++++++ REPLACE", ":start_line:3", "--- a/x.py", "+++ b/x.py", "--- /dev/null", "@@ @@", "@@",
    "@@ -1,2 +1,2 @@", "@@ def f():", "diff --git a/x b/x", "rename from a", "rename to b", "new file mode 100644",
    "-- ", "2.45.1", "\\ No newline at end of file", "*** Begin Patch", "*** Update File: x.py", "*** Add File: y.py",
    "*** Delete File: z.py", "*** Move to: w.py", "*** End of File", "*** End Patch", "### `src/a.py` (new)",
    "**b.py**",
    "Replace this:", "with:", "The complete file:", "# ...", "...", "// src/d.ts", " context", "-gone", "+new",
    "> q", "code = 1", "    indented()", "\ttab", "", "Prose that ends here.", "1. `c.py`:",
)  # fmt: skip
VALID = (
    "In `a.py`:\n\n```py\n# ...\ndef f():\n    return 1\n```\n\nThen run:\n\n```bash\npytest\n```\n",
    "```diff\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ f\n a\n-b\n+c\n+d\n e\n"
    "\\ No newline at end of file\n```\n",
    "x.py\n```\n<<<<<<< SEARCH\na\n...\nb\n=======\nc\n...\nd\n>>>>>>> REPLACE\n```\n",
    "*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@ class A\n@@ def f\n a\n-b\n+c\n*** End of File\n"
    "*** Add File: z\n+1\n*** End Patch\n",
)


def parse(text: str, format: str) -> None:
    try:
        edits = parse_message(text, format=format)
    except EditRefused as refused:
        assert refused.message
        return
    assert edits
    num_lines = text.count("\n") + 1
    for edit in edits:
        assert all(0 <= snippet.source_line <= num_lines for snippet in edit.snippets)
        assert all(0 <= hunk.source_line < num_lines for hunk in edit.hunks)
        assert edit.format is not Format.WHOLE or len(edit.snippets) == (edit.action.value != "delete")


@given(st.lists(st.sampled_from(LINES), max_size=25).map("\n".join), st.sampled_from(FORMATS))
@example("```\n\n```", "auto")
@example("<<<<<<< SEARCH", "auto")
def test_any_mixture_of_lines(text: str, format: str):
    parse(text, format)


@given(st.text(max_size=400), st.sampled_from(FORMATS))
def test_any_text(text: str, format: str):
    parse(text, format)


@given(st.binary(max_size=400).map(lambda data: data.decode("latin-1")))
def test_any_bytes(text: str):
    parse(text, "auto")


@pytest.mark.parametrize("text", VALID)
def test_every_truncation_of_a_message(text: str):
    for end in range(len(text)):
        parse(text[:end], "auto")


@pytest.mark.parametrize(
    "text",
    [
        "- `a.py`\n" * 10_000 + "```py\nx\n```",
        "word " * 40_000 + "\n```py\nx\n```",
        "create " * 20_000 + "`x.py`:\n```py\nx\n```",
        "complete new " * 20_000 + "\n```py\nx\n```",
        "```\n" + "A=b " * 20_000 + "\n```\n```py\n# ...\nx\n```",
        "```py\n# " + "a/" * 40_000 + "x.py\n```",
        "```" + "a=b " * 20_000 + "\nx\n```",
        "<<<<<<< SEARCH\n" * 20_000,
        "*** Update File: a\n" * 20_000,
        "`a` " * 40_000 + "\n```py\nx\n```",
        '"' * 50_000 + "\n```py\nx\n```",
    ],
    ids=[
        "list",
        "prose",
        "create",
        "complete",
        "assignments",
        "comment",
        "info",
        "search",
        "update",
        "ticks",
        "quotes",
    ],
)
def test_time_is_linear(text: str):
    assert took(lambda: parse(text, "auto")) < 250
