"""Which of a lazy edit's readings becomes the draft: numbered, chosen, refused, and the guard's next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fastedit import apply, merged
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Edit, Format, Snippet
from fastedit.errors import Code, EditRefused, PlaceUnknown, ResultRefused
from fastedit.guard import Original
from fastedit.merged import MAX_CANDIDATES, Choice, Merged, merge
from fastedit.syntax import outline

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 1\n\n\na() + b()\n"


def reading(share: float, start: int, end: int, *new: str, is_anchored: bool = True) -> Alignment:
    """The alignment that makes other lines of [start, end)."""
    kind = SegmentKind.INSERT if start == end else SegmentKind.REPLACE if new else SegmentKind.DELETE
    segments = (
        Segment(SegmentKind.KEEP, 0, start),
        Segment(kind, start, end, new, share),
        Segment(SegmentKind.KEEP, end, TEXT.count("\n")),
    )
    return Alignment(segments, (), (), share, is_anchored)


NOTHING = Alignment((Segment(SegmentKind.KEEP, 0, TEXT.count("\n")),), (), (), 0.9)
FIRST, SECOND = reading(0.9, 1, 2, "    return 2"), reading(0.08, 5, 6, "    return 2")
BROKEN = reading(0.85, 1, 2, "    return ((")


@pytest.fixture
def draft(monkeypatch: pytest.MonkeyPatch):
    """Merges an edit that has these readings, whatever the alignment makes of it."""

    def merge_with(readings: Sequence[Alignment], choice: Choice | None = None, message: str = "") -> Merged:
        monkeypatch.setattr(merged, "align_readings", lambda *_: list(readings))
        edit = Edit(Format.LAZY, snippets=(Snippet(("    return 2",)),))
        original = Original(TEXT, "python", outline(TEXT, "python"))
        return merge(original, edit, message, None, choice)

    return merge_with


def refusal_of(one: Merged) -> EditRefused:
    assert one.refusal is not None
    return one.refusal


def test_the_likeliest_reading_is_the_draft(draft) -> None:
    found = draft([FIRST, SECOND])
    assert found.refusal is None
    assert found.text == TEXT.replace("return 1", "return 2", 1)
    assert found.certainty == pytest.approx(0.9)


def test_a_reading_below_the_asked_certainty_is_refused(draft) -> None:
    found = draft([FIRST, SECOND], Choice(certainty=0.95))
    refusal = refusal_of(found)
    assert isinstance(refusal, PlaceUnknown)
    assert (refusal.code, refusal.certainty) == (Code.ANCHOR_AMBIGUOUS, pytest.approx(0.9))
    assert "90%" in refusal.message
    assert "95%" in refusal.message
    assert found.certainty == 0
    assert found.text == TEXT.replace("return 1", "return 2", 1)  # the draft is there all the same
    assert draft([FIRST, SECOND], Choice(certainty=0.9)).refusal is None


def test_candidates_are_numbered_and_say_what_they_do(draft) -> None:
    refusal = refusal_of(draft([FIRST, SECOND, reading(0.01, 8, 9)], Choice(certainty=1.0)))
    assert [one.choice for one in refusal.candidates] == [1, 2, 3]
    first, second, third = refusal.candidates
    assert (first.start_line, first.end_line, first.text, first.new) == (1, 2, "    return 1", "return 2")
    assert (second.start_line, second.text) == (5, "    return 1")
    assert first.reason == "reading 1 (90%): replaces line 2"
    assert third.reason == "reading 3 (1%): deletes line 9"


def test_candidates_show_where_readings_differ(draft) -> None:
    both = Segment(SegmentKind.INSERT, 0, 0, ("import os",))

    def with_both(one: Alignment) -> Alignment:
        rest = tuple(segment for segment in one.segments if segment.start or segment.kind is not SegmentKind.KEEP)
        keep = Segment(SegmentKind.KEEP, 0, one.segments[0].end)
        return Alignment((both, keep, *rest), (), (), one.share)

    refusal = refusal_of(draft([with_both(FIRST), with_both(SECOND)], Choice(certainty=1.0)))
    assert [one.start_line for one in refusal.candidates] == [1, 5]


def test_no_more_candidates_than_can_be_read(draft) -> None:
    many = [reading(0.2, line, line, "x = 1") for line in range(5)]
    assert len(refusal_of(draft(many)).candidates) == MAX_CANDIDATES


def test_a_reading_that_changes_nothing_says_so(draft) -> None:
    refusal = refusal_of(draft([FIRST, NOTHING], Choice(certainty=1.0)))
    assert refusal.candidates[1].reason == "reading 2 (90%): changes nothing"


def test_a_chosen_reading_is_taken_whatever_its_certainty(draft) -> None:
    found = draft([FIRST, SECOND], Choice(reading=2))
    assert found.refusal is None
    assert found.text == TEXT.removesuffix("return 1\n\n\na() + b()\n") + "return 2\n\n\na() + b()\n"
    assert found.certainty == 1


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_reading_that_there_is_not_cannot_be_chosen(draft, number: int) -> None:
    with pytest.raises(EditRefused) as caught:
        draft([FIRST, SECOND], Choice(reading=number))
    assert caught.value.code is Code.EDIT_UNPARSABLE
    assert "it has 2" in caught.value.message


def test_what_the_guard_has_against_a_chosen_reading_is_a_warning(draft) -> None:
    found = draft([BROKEN, SECOND], Choice(reading=1))
    assert found.refusal is None
    assert [warning.code for warning in found.warnings] == [Code.SYNTAX_BROKEN.value]


def test_where_the_guard_turns_one_down_the_next_is_tried(draft) -> None:
    """What the broken one had is the others' now: 0.14 of the 0.15 that are left."""
    next_best = reading(0.14, 5, 6, "    return 2")
    found = draft([BROKEN, next_best], Choice(certainty=0.9))
    assert found.refusal is None
    assert found.text == TEXT[: TEXT.rindex("return 1")] + "return 2\n\n\na() + b()\n"
    assert found.certainty == pytest.approx(0.14 / 0.15, abs=1e-6)


def test_where_the_next_is_too_uncertain_the_guard_refuses(draft) -> None:
    found = draft([BROKEN, reading(0.08, 5, 6, "    return 2"), reading(0.07, 8, 9)], Choice(certainty=0.9))
    refusal = refusal_of(found)
    assert isinstance(refusal, ResultRefused)
    assert refusal.code is Code.SYNTAX_BROKEN
    assert [one.choice for one in refusal.candidates] == [1, 2, 3]


def test_where_all_are_turned_down_the_first_is_refused(draft) -> None:
    refusal = refusal_of(draft([BROKEN, reading(0.1, 5, 6, "    return [")], Choice(certainty=0.0)))
    assert refusal.code is Code.SYNTAX_BROKEN
    assert len(refusal.candidates) == 2


def test_an_edit_without_readings_has_no_code(draft) -> None:
    with pytest.raises(EditRefused) as caught:
        draft([])
    assert caught.value.code is Code.EDIT_EMPTY


def test_a_snippet_that_stands_nowhere_in_the_file(draft) -> None:
    refusal = refusal_of(draft([reading(0.3, 2, 2, "x = 1", is_anchored=False)]))
    assert refusal.code is Code.ANCHOR_NOT_FOUND


def test_no_change_is_refused_where_the_words_promise_one(draft) -> None:
    refusal = refusal_of(draft([NOTHING], message="I removed `a`."))
    assert refusal.code is Code.ANCHOR_NOT_FOUND
    assert "`a`" in refusal.message
    assert draft([NOTHING], message="All as it was.").text == TEXT
    assert "`a() + b()`" in refusal_of(draft([NOTHING], message="The line `a() + b()` goes.")).message
    assert "`unheard`" in refusal_of(draft([NOTHING], message="I added `unheard`.")).message


def test_no_change_is_believed_where_what_the_words_name_is_gone_or_shown(draft) -> None:
    """So it is with an edit that was applied before."""
    for message in ("I removed `c`.", "`unheard` isn't needed any more.", "It has to `return` more."):
        found = draft([replace(NOTHING, is_quoted=True)], message=message)
        assert (found.refusal, found.text) == (None, TEXT)


def test_tabs_and_blanks_are_mixed_as_the_snippet_has_them_where_it_quotes_the_files_bytes() -> None:
    other = "int g(void)\n{\n\tif (one) {\n\t\tcall(2);\n\t}\n\treturn 3;\n}\n\n"
    original = f"{other}int f(void)\n{{\n\tif (a(x) &&\n\t    !b(x, 0))\n\t\treturn 1;\n\tint y = 0;\n\treturn y;\n}}\n"
    shown = "int f(void)\n{\n\tif (a(x) &&\n\t    c(x) &&\n\t    !b(x, 0))\n\t\treturn 1;\n\t// ...\n\treturn y;\n}"
    applied = apply(original, f"```c\n{shown}\n```", path="a.c", mode="structural", certainty=0)
    assert applied.text == original.replace("\t    !b", "\t    c(x) &&\n\t    !b")
