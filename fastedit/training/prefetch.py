"""Items made ahead of their use, by a thread of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
POLL_S = 0.1  # how soon the thread notices that nobody wants more


def prefetched(items: Iterator[Item], depth: int = 4) -> Generator[Item]:
    """The items, up to `depth` of them made ahead. An error comes where the item would have come."""
    ready: Queue[Item | _End] = Queue(depth)
    is_over = Event()
    thread = Thread(target=_fill, args=(items, ready, is_over), daemon=True)
    thread.start()
    try:
        while not isinstance(entry := ready.get(), _End):
            yield entry
        if entry.error is not None:
            raise entry.error
    finally:
        is_over.set()
        thread.join()


class _End:
    """The mark behind the last item. error: why there is no other."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error


def _fill(items: Iterator[Item], ready: Queue[Item | _End], is_over: Event) -> None:
    end = _End()
    try:
        for item in items:
            if not _put(item, ready, is_over):
                return
    except Exception as error:  # noqa: BLE001 the reader raises it
        end = _End(error)
    _put(end, ready, is_over)


def _put(entry: Item | _End, ready: Queue[Item | _End], is_over: Event) -> bool:
    """Whether the entry could be put into the queue while somebody still wanted it."""
    while not is_over.is_set():
        try:
            ready.put(entry, timeout=POLL_S)
        except Full:
            continue
        return True
    return False
