"""What each line of a message was taken for."""

from __future__ import annotations

import pytest

from fastedit.errors import EditRefused
from fastedit.server.explain import LineRole, explain
from fastedit.server.jobs import Job
from support.serving import EDIT, ORIGINAL, PATCH

R = LineRole


def test_a_lazy_edits_lines_have_their_parts() -> None:
    found = explain(Job(ORIGINAL, f"It says more now:\n\n```python\n{EDIT}```\n", "shapes.py"))
    assert found.roles == (
        R.PROSE, R.BLANK, R.PROSE, R.MARKER, R.QUOTE, R.CHANGE, R.BLANK, R.MARKER, R.PROSE, R.BLANK
    )  # fmt: skip
    (changed,) = [segment for segment in found.segments if segment.kind == "replace"]
    assert (changed.start_line, changed.end_line, changed.lines) == (8, 9, ("    return 'solid'",))
    assert 0.5 < found.certainty <= 1


def test_segments_cover_the_original() -> None:
    segments = explain(Job(ORIGINAL, EDIT, "shapes.py")).segments
    assert [segment.start_line for segment in segments[1:]] == [segment.end_line for segment in segments[:-1]]
    assert (segments[0].start_line, segments[-1].end_line) == (0, ORIGINAL.count("\n"))


def test_a_search_and_replace_blocks_lines_have_their_parts() -> None:
    assert explain(Job(ORIGINAL, PATCH, "shapes.py")).roles == (
        R.MARKER, R.REMOVED, R.MARKER, R.NEW, R.MARKER, R.BLANK
    )  # fmt: skip


def test_a_diffs_lines_have_their_parts() -> None:
    diff = "--- a/shapes.py\n+++ b/shapes.py\n@@ -8,2 +8,2 @@\n def name():\n-    return 'shape'\n+    return 'solid'\n"
    assert explain(Job(ORIGINAL, diff, "shapes.py")).roles == (
        R.MARKER, R.MARKER, R.MARKER, R.QUOTE, R.REMOVED, R.NEW, R.BLANK
    )  # fmt: skip


def test_a_message_without_an_edit_is_refused() -> None:
    with pytest.raises(EditRefused):
        explain(Job(ORIGINAL, " ", "shapes.py"))
