from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import fastedit
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.lines import body, split_lines
from fastedit.merged import _reading_candidates, alike_places

TWINS = "def a():\n    start()\n    run()\n    stop()\n\n\ndef b():\n    start()\n    run()\n    stop()\n"


def test_a_place_is_told_with_those_that_look_like_it():
    changed = alike_places(TWINS, Segment(SegmentKind.REPLACE, 8, 9, ("    go()",)))
    assert [(place.start_line, place.end_line, place.text) for place in changed] == [
        (8, 9, "    run()"),
        (2, 3, "    run()"),
    ]
    inserted = alike_places(TWINS, Segment(SegmentKind.INSERT, 2, 2, ("    wait()",)))
    assert [(place.start_line, place.end_line, place.text) for place in inserted] == [
        (2, 2, "    start()"),
        (8, 8, "    start()"),
    ]


def test_a_place_like_no_other_is_told_alone():
    (only,) = alike_places(TWINS, Segment(SegmentKind.REPLACE, 6, 7, ("def c():",)))
    assert (only.start_line, only.text, only.reason) == (6, "def b():", "the likeliest place")


def test_no_later_reading_is_told_to_be_likelier():
    changes = [Segment(SegmentKind.REPLACE, line, line + 1, ("    go()",)) for line in (2, 8, 9)]
    readings = [Alignment((change,), share=share) for change, share in zip(changes, (0.26, 0.129, 0.38), strict=True)]
    told = [one.reason.partition(":")[0] for one in _reading_candidates(TWINS, list(enumerate(readings, 1)))]
    assert told == ["reading 1 (26%)", "reading 2 (12%)", "reading 3 (12%)"]


def test_blank_lines_at_the_end_are_a_place():
    (only,) = alike_places("a\n\n\n", Segment(SegmentKind.REPLACE, 1, 3, ("b",)))
    assert only.text == "a"
    assert alike_places("\n\n", Segment(SegmentKind.REPLACE, 0, 2, ("b",))) == ()


@given(st.lists(st.sampled_from(["a\n", "b\n", "\n"]), max_size=12), st.data())
def test_places_lie_in_the_file(lines, data):
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    kind = SegmentKind.REPLACE if end > start else SegmentKind.INSERT
    for place in alike_places("".join(lines), Segment(kind, start, end, ("new",))):
        assert 0 <= place.start_line <= place.end_line
        assert place.start_line <= len(lines)
        assert place.text in map(body, split_lines("".join(lines)))


def test_a_change_into_what_stands_elsewhere_is_no_edit_that_was_applied_before() -> None:
    """It once was: all that it writes is in the file."""
    raising = "        if filters:\n            raise TypeError(\n                {}\n            )\n"
    one, other = (f'"FormField takes no filters, as the"\n                "{s}data is fixed."' for s in (" ", ""))
    original = (
        f"class Form:\n    def __init__(self, filters):\n{raising.format(one)}        self.filters = filters\n\n"
        + (f"    def process(self, data, filters=None):\n{raising.format(other)}        self.data = data\n")
    )
    snippet = f"    def process(self, data, filters=None):\n{raising.format(one)}        # ... existing code ..."
    applied = fastedit.apply(original, f"```python\n{snippet}\n```\n", path="form.py", mode="structural")
    assert applied.text == original.replace(other, one)
