"""A target that another engine computes: connected to, watched, and connected to again when it was gone."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from fastedit.engines.child import Child, Launch
from fastedit.engines.engine import ElsewhereEngine
from fastedit.engines.target import connect
from fastedit.engines.wire import NEWEST_VERSION, Server
from fastedit.errors import EngineUnavailable
from fastedit.server.loading import State, TargetSlot
from fastedit.server.workers import settle

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable

logger = logging.getLogger(__name__)

WATCH_S = 1.0  # between two looks at the engine
MISSED = 3  # looks in a row that it may leave unanswered, being busy
METRICS_S = 5.0  # how old the engine's figures may be
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0  # before the engine is tried again; twice as long each time
STEADY_S = 120.0  # that it has to serve for the next pause to be the first again


class ElsewhereSlot(TargetSlot):
    """The target of an engine elsewhere. source: where it listens, or how it is started as a child."""

    def __init__(self, name: str, source: Server | Launch) -> None:
        super().__init__(name)
        self._source = source
        self._child: Child | None = None
        self._elsewhere: ElsewhereEngine | None = None
        self._is_closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._next_try_s = 0.0

    def start(self) -> None:
        self._thread = threading.Thread(target=self.load, name="fastedit-engine-watch", daemon=True)
        self._thread.start()

    def load(self) -> None:
        """Connects to the engine, again and again, until the slot is closed. Never raises: `state`, `reason` tell."""
        pause_s = FIRST_PAUSE_S
        while not self._is_closing.is_set():
            began_s = time.monotonic()
            try:
                self._begin()
                self._watch()
            except EngineUnavailable as error:
                self._lose(error.message, pause_s)
            except Exception as error:
                logger.exception("the engine can't be used")
                self._lose(f"{type(error).__name__}.", pause_s)
            self._end()
            if time.monotonic() - began_s > STEADY_S:
                pause_s = FIRST_PAUSE_S
            self._is_closing.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    @property
    def engine(self) -> ElsewhereEngine | None:
        return self._elsewhere

    @property
    def explanation(self) -> str:
        if self.state is State.LOADING and self.reason:
            return f"The target {self.name!r} is being made ready again: {self.reason}"
        return super().explanation

    @property
    def retry_after_s(self) -> int:
        return max(super().retry_after_s or 1, round(self._next_try_s - time.monotonic()))

    def close(self) -> None:
        self._is_closing.set()
        if self._elsewhere is not None:
            self._elsewhere.close()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> None:
        """Waits for the engine and connects to it. EngineUnavailable where that can't be."""
        began_s = time.monotonic()
        self.state = State.LOADING
        if isinstance(self._source, Launch):
            self._child = Child(self._source)
            self._child.wait_until_ready(lambda: not self._is_closing.is_set())
        server = self._child.server if self._child else self._source
        assert isinstance(server, Server)
        self._take(connect(server, self.name or ""))
        self.load_s = time.monotonic() - began_s
        settle()
        self.reason = ""
        self.state = State.READY
        logger.info("the target %s is ready after %.1f s, at %s", self.name, self.load_s, server.url)

    def _take(self, target: Askable) -> None:
        assert isinstance(target.engine, ElsewhereEngine)
        self._target, self._elsewhere = target, target.engine
        version = self._elsewhere.model.version
        if tuple(int(part) for part in version.split(".")[:2] if part.isdecimal()) > NEWEST_VERSION:
            logger.warning("vLLM %s is newer than the last that was tried, %d.%d", version, *NEWEST_VERSION)

    def _watch(self) -> None:
        """Returns once the slot is closed. EngineUnavailable where the engine has gone."""
        assert self._elsewhere is not None
        server = self._elsewhere.server
        num_missed, told_s = 0, -METRICS_S
        while not self._is_closing.wait(WATCH_S):
            if self._child is not None:
                self._child.check()
            num_missed = 0 if server.is_healthy() else num_missed + 1
            if num_missed >= MISSED:
                raise server.gone(ConnectionError())
            if time.monotonic() - told_s >= METRICS_S:
                self.figures, told_s = server.metrics(), time.monotonic()

    def _lose(self, reason: str, pause_s: float) -> None:
        if self._is_closing.is_set():
            return
        self._next_try_s = time.monotonic() + pause_s
        self._fail(reason)

    def _end(self) -> None:
        """Gives up what is under way at the engine and, where it is a child, ends it."""
        if self._elsewhere is not None:
            self._elsewhere.close()
        self._elsewhere, self.figures = None, {}
        if self._child is not None:
            with suppress(OSError):
                self._child.end()
        self._child = None
