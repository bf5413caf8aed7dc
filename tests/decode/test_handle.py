from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest

from fastedit.decode.request import DecodeResult, DecodeStats, Handle
from fastedit.errors import Code, EngineUnavailable

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
