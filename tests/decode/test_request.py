from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastedit.decode.request import AnswerStream, DecodeResult, DecodeStats, Handle, extract_answer
from fastedit.errors import Code, EngineUnavailable, ResultRefused
from fastedit.targets import TEMPLATES

RESULT = DecodeResult("abc", (1, 2), DecodeStats())
FAILURE = EngineUnavailable(Code.TIMEOUT, "too late")


def test_streams_what_comes_before_and_after_it_is_asked():
    handle = Handle()
    handle.push("a")
    pieces = handle.stream()
    handle.push("b")
    handle.push("")
    handle.push("c")
    handle.finish(RESULT)
    assert list(pieces) == ["a", "b", "c"]
    assert list(handle.stream()) == ["a", "b", "c"]
    assert handle.result(0) is RESULT


def test_a_stream_ends_with_the_failure():
    handle = Handle()
    handle.push("a")
    handle.finish(FAILURE)
    pieces = handle.stream()
    assert next(pieces) == "a"
    with pytest.raises(EngineUnavailable):
        next(pieces)


def test_only_the_first_outcome_counts():
    handle = Handle()
    handle.finish(RESULT)
    handle.finish(FAILURE)
    assert handle.result(0) is RESULT


def test_waiting_gives_up_after_its_timeout():
    with pytest.raises(TimeoutError):
        Handle().result(0.01)


def test_a_stream_is_fed_from_another_thread():
    handle = Handle()

    def engine():
        for letter in "fastedit":
            handle.push(letter)
        handle.finish(RESULT)

    thread = threading.Thread(target=engine)
    pieces = handle.stream()
    thread.start()
    assert "".join(pieces) == "fastedit"
    thread.join()


def test_a_cancelled_request_has_no_result():
    handle = Handle()
    handle.finish(CancelledError())
    with pytest.raises(CancelledError):
        handle.result(0)
    with pytest.raises(CancelledError):
        list(handle.stream())


KORTIX, OSMOSIS, PLAIN = TEMPLATES["kortix"], TEMPLATES["osmosis"], TEMPLATES["plain"]


@pytest.mark.parametrize(
    ("output", "original", "answer"),
    [
        ("<updated-code>a\nb\n</updated-code>", "a\n", "a\nb\n"),
        ("<updated-code>\na\nb\n</updated-code>", "a\n", "a\nb\n"),  # a newline that sets off the tag
        ("<updated-code>\na</updated-code>", "\nb", "\na"),  # one that the file has
        ("<updated-code>\na\n</updated-code>", "b", "a"),  # the file has no final newline
        ("Sure, here it is:\n<updated-code>a\n</updated-code>\nDone.", "a\n", "a\n"),
        ("<updated-code>```python\na\n```</updated-code>", "a\n", "a\n"),
        ("<updated-code>\n~~~\na\n~~~\n</updated-code>", "a\n", "a\n"),
        ("<updated-code>```\na\n```\n</updated-code>", "```\nb\n```\n", "```\na\n```\n"),  # a file that is a fence
        ("<updated-code>x = '</updated-code>'\n</updated-code>", "x\n", "x = '</updated-code>'\n"),
        ("<updated-code></updated-code>", "a\n", ""),  # everything deleted
    ],
)
def test_the_answer_is_what_stands_between_the_tags(output, original, answer):
    assert extract_answer(output, KORTIX, original) == answer


@pytest.mark.parametrize(
    "output", ["", "a\n", "<updated-code>a\n", "a\n</updated-code>", "</updated-code><updated-code>"]
)
def test_half_an_answer_is_none(output):
    with pytest.raises(ResultRefused) as refused:
        extract_answer(output, KORTIX, "a\n")
    assert refused.value.code == Code.TRUNCATION_DETECTED


def test_other_templates():
    assert extract_answer("<code>\na\n</code>", OSMOSIS, "b\n") == "a\n"
    assert extract_answer("a\n", PLAIN, "b\n") == "a\n"
    assert extract_answer("", PLAIN, "b\n") == ""


@given(
    text=st.text("ab<>/\n-updtcoe`~", max_size=30),
    original=st.sampled_from(["a\n", "\na\n", "a", "```\na\n```\n", ""]),
    cuts=st.lists(st.integers(0, 80), max_size=6),
    name=st.sampled_from(["kortix", "osmosis", "plain"]),
)
@example(text="\n```py\nb\n```\n", original="a\n", cuts=[17, 20], name="kortix")
@example(text="\nb\n", original="a", cuts=[16, 19], name="kortix")
def test_what_is_streamed_begins_the_answer_however_it_comes(text, original, cuts, name):
    template = TEMPLATES[name]
    output = f"{template.answer_open}{text}{template.answer_close}"
    answer = extract_answer(output, template, original)
    stream = AnswerStream(template, original)
    given_out, at = "", 0
    for cut in [*sorted(min(cut, len(output)) for cut in cuts), len(output)]:
        given_out += stream.feed(output[at:cut])
        at = cut
        assert answer.startswith(given_out)


def test_a_stream_holds_nothing_back_that_is_certain():
    stream = AnswerStream(KORTIX, "a\n")
    assert stream.feed("<updated-code>\n") == ""
    assert stream.feed("a<") == "a"
    assert stream.feed("b\n</updated") == "<b\n"
    assert AnswerStream(PLAIN, "a").feed("b</\n") == "b</\n"
