"""What is streamed of a result, an edit that is given up, a deadline, and the changes that windows are cut around."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError

import pytest

from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.decode.request import Handle
from fastedit.errors import Code, EngineUnavailable
from fastedit.verify.asking import Cancellation, DecodeOptions, TextSender
from fastedit.verify.windows import LineChange, Window, changes_of

ORIGINAL = "a\nb\nc\nd\ne\n"
KEEP, REPLACE, INSERT, DELETE = SegmentKind.KEEP, SegmentKind.REPLACE, SegmentKind.INSERT, SegmentKind.DELETE


def window(start: int, end: int) -> Window:
    return Window(start, end, tuple(ORIGINAL.splitlines(keepends=True)[start:end]), ())


def test_pieces_joined_are_the_whole_text() -> None:
    sent: list[str] = []
    sender = TextSender(ORIGINAL, sent.append)
    take = sender.follow(None)
    take(window(1, 2), "B")
    take(window(1, 2), "!\n")
    take(window(3, 4), "D\n")
    sender.finish("a\nB!\nc\nD\ne\n")
    assert sent == ["a\nB", "!\n", "c\nD\n", "e\n"]


def test_where_the_draft_counts_only_what_both_say_is_sent() -> None:
    sent: list[str] = []
    sender = TextSender(ORIGINAL, sent.append)
    take = sender.follow("a\nBig\nc\nd\ne\n")
    take(window(1, 2), "Bi")
    take(window(1, 2), "t\n")
    take(window(3, 4), "D\n")
    assert "".join(sent) == "a\nBi"
    sender.finish("a\nBig\nc\nd\ne\n")
    assert "".join(sent) == "a\nBig\nc\nd\ne\n"


def test_a_result_that_begins_otherwise_than_what_was_sent_is_an_error() -> None:
    sender = TextSender(ORIGINAL, lambda _: None)
    sender.follow(None)(window(1, 2), "B")
    with pytest.raises(EngineUnavailable) as caught:
        sender.finish("a\nX\n")
    assert caught.value.code is Code.ENGINE_ERROR


def test_nothing_is_sent_for_an_empty_rest() -> None:
    sent: list[str] = []
    sender = TextSender("", sent.append)
    sender.finish("")
    assert sent == []


def test_cancelling_reaches_requests_before_and_after() -> None:
    cancellation, early, late = Cancellation(), Handle(), Handle()
    cancellation.watch(early)
    cancellation.check()
    assert not early.is_cancelled
    cancellation.cancel()
    cancellation.watch(late)
    assert early.is_cancelled
    assert late.is_cancelled
    with pytest.raises(CancelledError):
        cancellation.check()


def test_the_time_that_is_left_counts_from_the_making() -> None:
    assert DecodeOptions().left_s is None
    left = DecodeOptions(deadline_s=100.0).left_s
    assert left is not None
    assert 90 < left <= 100
    with pytest.raises(EngineUnavailable) as caught:
        _ = DecodeOptions(deadline_s=1.0, made_s=time.perf_counter() - 2).left_s
    assert (caught.value.code, "1 s" in caught.value.message) == (Code.TIMEOUT, True)


def test_changes_have_the_line_ends_of_the_rendering() -> None:
    alignment = Alignment(
        (
            Segment(KEEP, 0, 1),
            Segment(REPLACE, 1, 2, ("B",)),
            Segment(KEEP, 2, 3),
            Segment(INSERT, 3, 3, ("x", "y")),
            Segment(DELETE, 3, 4),
            Segment(KEEP, 4, 5),
        )
    )
    merged = ["a\r\n", "B\r\n", "c\r\n", "x\r\n", "y\r\n", "e\r\n"]
    original = ["a\r\n", "b\r\n", "c\r\n", "d\r\n", "e\r\n"]
    assert changes_of(original, merged, alignment) == (
        LineChange(1, 2, ("B\r\n",)),
        LineChange(3, 3, ("x\r\n", "y\r\n")),
        LineChange(3, 4, ()),
    )


def test_a_last_line_that_gets_an_end_is_a_change() -> None:
    alignment = Alignment((Segment(KEEP, 0, 2), Segment(INSERT, 2, 2, ("c",))))
    assert changes_of(["a\n", "b"], ["a\n", "b\n", "c"], alignment) == (
        LineChange(1, 2, ("b\n",)),
        LineChange(2, 2, ("c",)),
    )
