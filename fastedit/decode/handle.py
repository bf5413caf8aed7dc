"""A submitted request, for whoever waits for it, all at once or as it comes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError

from fastedit.decode.request import DecodeResult

Listener = Callable[[str | None], None]  # gets pieces of text, and None at the end


class Handle:
    """The result to come. Safe to use from any thread."""

    def __init__(self) -> None:
        self._future: Future[DecodeResult] = Future()
        self._lock = threading.Lock()
        self._pieces: list[str] = []
        self._listeners: list[Listener] = []
        self._is_cancelled = threading.Event()

    def result(self, timeout: float | None = None) -> DecodeResult:
        """The result, once it is there.

        Raises what the request failed with (EditRefused), CancelledError, or TimeoutError after `timeout` seconds (the
        request goes on then).
        """
        return self._future.result(timeout)

    def stream(self) -> Iterator[str]:
        """The text piece by piece as the target accepts it; raises like `result` at the end."""
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._listen(pieces.put)
        yield from iter(pieces.get, None)
        self.result(0)

    def cancel(self) -> None:
        """Give the request up: its slot is free after the pass that is running. Does nothing to one that is done."""
        self._is_cancelled.set()

    @property
    def is_done(self) -> bool:
        return self._future.done()

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled.is_set()

    def push(self, text: str) -> None:
        """For the engine: more text is certain."""
        if not text:
            return
        with self._lock:
            self._pieces.append(text)
            listeners = list(self._listeners)
        for listener in listeners:
            listener(text)

    def finish(self, outcome: DecodeResult | BaseException) -> None:
        """For the engine: the request is over. Only the first outcome counts."""
        try:
            if isinstance(outcome, CancelledError):
                self._future.cancel()
            elif isinstance(outcome, BaseException):
                self._future.set_exception(outcome)
            else:
                self._future.set_result(outcome)
        except InvalidStateError:
            return
        with self._lock:
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(None)

    def _listen(self, listener: Listener) -> None:
        with self._lock:
            for piece in self._pieces:
                listener(piece)
            if self.is_done:
                listener(None)
            else:
                self._listeners.append(listener)
