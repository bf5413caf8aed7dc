from __future__ import annotations

import threading
import time
from itertools import count

import pytest

from fastedit.training.prefetch import prefetched


def test_gives_the_items_in_their_order():
    assert list(prefetched(iter(range(20)), depth=3)) == list(range(20))
    assert list(prefetched(iter(()))) == []


def test_makes_items_ahead_and_no_more_than_asked():
    made = []
    items = prefetched((made.append(number) or number for number in count()), depth=2)
    next(items)
    deadline = time.monotonic() + 5
    while len(made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert len(made) == 4  # one taken, two ready, one in hand
    items.close()


def test_an_error_comes_in_its_place():
    def failing():
        yield 1
        raise KeyError("broken shard")

    items = prefetched(failing())
    assert next(items) == 1
    with pytest.raises(KeyError, match="broken shard"):
        next(items)


def test_closing_ends_its_thread():
    before = set(threading.enumerate())
    items = prefetched(count())
    next(items)
    (own,) = set(threading.enumerate()) - before
    items.close()
    assert not own.is_alive()
