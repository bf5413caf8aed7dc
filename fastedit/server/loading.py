"""The target, loaded while the service already answers: absent, loading or ready, and if not, why."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, cast

from fastedit.errors import Code, EngineUnavailable
from fastedit.server.workers import settle

if TYPE_CHECKING:
    from fastedit.decode.engine import Engine
    from fastedit.targets import Target
    from fastedit.targets.templates import Askable

logger = logging.getLogger(__name__)

WARM_ORIGINAL = "def area(width, height):\n    return width * height\n"
WARM_TOKENS = 16
MIN_ROOM = 4096  # tokens of a slot; there are fewer slots than asked for where memory holds fewer of these
LOADING_S = 5  # after which whoever met a target that is being loaded may ask again
NICENESS = 5  # structural edits take milliseconds and go first


class State(StrEnum):
    """States of the target. NONE: the settings ask for no target. ABSENT: it can't be had."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    ABSENT = "absent"


class Crowd(Protocol):
    """An engine, as far as it can tell how much it has to do."""

    @property
    def num_running(self) -> int: ...

    @property
    def num_waiting(self) -> int: ...

    @property
    def fallbacks(self) -> tuple[str, ...]: ...


class TargetSlot:
    """The service's target, if any. `load` takes seconds and is for a thread of its own.

    num_requests: the number that it decodes at once, if there is memory for them. cache_bytes: so much memory, None for
    the default of the device. target: one that is loaded already.
    """

    def __init__(
        self,
        name: str | None,
        device: str = "auto",
        target: Target | None = None,
        num_requests: int = 8,
        cache_bytes: int | None = None,
    ) -> None:
        self.name = name
        self.state = State.LOADING if name or target else State.NONE
        self.reason = ""
        self.load_s = 0.0
        self.figures: Mapping[str, float] = {}  # of an engine elsewhere, by its own names
        self._device = device
        self._num_requests = num_requests
        self._cache_bytes = cache_bytes
        self._target: Askable | None = target
        self._engine: Engine | None = None

    def start(self) -> None:
        """Begins to load, where there is something to be loaded."""
        if self.state is State.LOADING:
            threading.Thread(target=self.load, name="fastedit-load", daemon=True).start()

    def load(self) -> None:
        """Loads the target, measures its passes and decodes a first time. Never raises: `state` and `reason` tell."""
        started_s = time.perf_counter()
        try:
            self._target, self._engine = self._loaded()
        except EngineUnavailable as error:
            self._fail(error.message)
        except Exception as error:
            logger.exception("the target can't be loaded")
            self._fail(f"The target failed to load: {type(error).__name__}.")
        else:
            settle()
            self.load_s = time.perf_counter() - started_s
            self.state = State.READY
            logger.info("the target %s is ready after %.1f s", self._target.name, self.load_s)

    @property
    def target(self) -> Askable:
        """The target. Raises EngineUnavailable(TARGET_UNAVAILABLE), saying why, where there is none yet or at all."""
        if self.state is not State.READY or self._target is None:
            raise self.absence
        return self._target

    @property
    def engine(self) -> Crowd | None:
        return self._engine

    @property
    def absence(self) -> EngineUnavailable:
        """The error for whoever needs a target while there is none."""
        return EngineUnavailable(Code.TARGET_UNAVAILABLE, self.explanation, retry_after_s=self.retry_after_s)

    @property
    def retry_after_s(self) -> int | None:
        """Seconds after which there may be a target; None where there won't be one."""
        return LOADING_S if self.state is State.LOADING else None

    @property
    def explanation(self) -> str:
        """A sentence that says why there is no target."""
        reasons = {
            State.NONE: "This service has no target; mode 'structural' needs none.",
            State.LOADING: f"The target {self.name!r} is still being loaded.",
        }
        return reasons.get(self.state, f"The target {self.name!r} is absent: {self.reason}")

    def close(self) -> None:
        """Gives up what the target is still at, and lets go of it."""
        if self._engine is not None:
            self._engine.close()

    def _loaded(self) -> tuple[Target, Engine]:
        try:
            from fastedit.decode.api import shared_engine, verify_draft
            from fastedit.decode.request import EditRequest
            from fastedit.decode.settings import EngineSettings
            from fastedit.targets import Target
        except ImportError as error:
            raise EngineUnavailable(
                Code.TARGET_UNAVAILABLE, f"What a target runs on isn't installed: {error}."
            ) from error
        target = cast("Target | None", self._target) or Target.load(self.name or "", self._device)
        settings = EngineSettings(
            num_slots=self._num_requests,
            min_slot_len=MIN_ROOM,
            cache_bytes=self._cache_bytes,
            niceness=NICENESS,
        )
        engine = shared_engine(target, settings)
        warm = EditRequest(WARM_ORIGINAL, WARM_ORIGINAL, max_new_tokens=WARM_TOKENS)
        try:
            verify_draft(target, warm, engine)
        except EngineUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 an answer cut off at WARM_TOKENS has warmed up just as well
            logger.debug("warming up ended with %s", type(error).__name__)
        return target, engine

    def _fail(self, reason: str) -> None:
        self.reason = reason
        self.state = State.ABSENT
        logger.warning("%s", self.explanation)
