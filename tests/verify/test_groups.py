from __future__ import annotations

import threading

from fastedit.decode.request import Group


def test_is_complete_when_all_have_come() -> None:
    group = Group(2)
    first, second = group.place(), group.place()
    first.take()
    first.take()  # counts once
    assert not group.is_complete
    with second:
        assert not group.is_complete
    assert group.is_complete
    assert first.is_taken
    assert second.is_taken


def test_one_that_fails_has_come() -> None:
    group = Group(1)
    try:
        with group.place():
            raise ValueError
    except ValueError:
        assert group.is_complete


def test_more_may_come_than_were_missing() -> None:
    group = Group(1)
    for _ in range(3):
        group.place().take()
    assert group.is_complete


def test_listeners_hear_of_it_once() -> None:
    group, heard = Group(2), list[str]()
    group.listen(lambda: heard.append("before"))
    group.place().take()
    assert not heard
    group.place().take()
    group.place().take()
    group.listen(lambda: heard.append("after"))
    assert heard == ["before", "after"]


def test_places_are_taken_from_any_thread() -> None:
    for _ in range(20):
        group, heard = Group(8), list[bool]()
        group.listen(lambda heard=heard: heard.append(True))
        threads = [threading.Thread(target=group.place().take) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert heard == [True]
