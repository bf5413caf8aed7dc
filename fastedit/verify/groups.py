"""Groups of requests that are of use only together, so that a target reads them in the same passes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType


class Group:
    """Waits for `num_missing` requests to come. Safe to use from any thread."""

    def __init__(self, num_missing: int) -> None:
        self._num_missing = num_missing
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_complete(self) -> bool:
        return self._num_missing <= 0

    def place(self) -> GroupPlace:
        """A place for one of the requests that are to come, or for one more."""
        return GroupPlace(self)

    def listen(self, listener: Callable[[], None]) -> None:
        """Has the listener called once all requests have come; at once where they have."""
        with self._lock:
            if not self.is_complete:
                self._listeners.append(listener)
                return
        listener()

    def _come(self) -> None:
        with self._lock:
            self._num_missing -= 1
            listeners = self._listeners if self.is_complete else []
            self._listeners = [] if self.is_complete else self._listeners
        for listener in listeners:
            listener()


class GroupPlace:
    """One place in a group: taken at the block's end, or before by `take`."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.is_taken = False

    def take(self) -> None:
        """Notes that the request it is for has come, or won't; it counts once."""
        if not self.is_taken:
            self.is_taken = True
            self.group._come()

    def __enter__(self) -> GroupPlace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.take()
