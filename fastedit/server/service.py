"""What becomes of a job: which lane it takes, how long it may take, and that it stops when nobody waits for it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from anyio import fail_after

from fastedit.errors import Code, EngineUnavailable, InputRefused, Warning
from fastedit.server.jobs import Job, Outcome
from fastedit.server.lanes import Lane
from fastedit.server.loading import State, TargetSlot
from fastedit.server.settings import ServerSettings
from fastedit.server.workers import Workers

MODEL = "model"
STRUCTURAL = "structural"


class Service:
    """Applies edits for whoever asks. Knows no HTTP."""

    def __init__(self, settings: ServerSettings, slot: TargetSlot | None = None) -> None:
        self.settings = settings
        self.slot = slot or TargetSlot(settings.target if settings.has_target else None, settings.device)
        self.workers = Workers(settings.structural_workers)
        self.structural = Lane(STRUCTURAL, settings.structural_workers, settings.max_waiting)
        self.model = Lane(MODEL, settings.model_requests, settings.max_waiting)

    async def start(self) -> None:
        self.slot.start()
        await self.workers.warm_up()

    async def apply(self, job: Job, deadline_s: float | None = None) -> Outcome:
        """The job's outcome. Cancelling gives it up. EditRefused as its code says; TIMEOUT after `deadline_s`."""
        limit_s = min(deadline_s or self.settings.deadline_s, self.settings.max_deadline_s)
        try:
            with fail_after(limit_s):
                return await self._apply(job)
        except TimeoutError as error:
            raise EngineUnavailable(Code.TIMEOUT, f"The deadline of {limit_s:g} s has passed.") from error

    async def _apply(self, job: Job) -> Outcome:
        if job.mode == MODEL:
            self.slot.target  # noqa: B018 raises where there is none
        async with self.structural.place():
            outcome = await self.workers.run(job)
        return self._with_absence(job, outcome)

    def _with_absence(self, job: Job, outcome: Outcome) -> Outcome:
        """The outcome, which says so where a target should have looked at it and there is none."""
        if job.mode == STRUCTURAL or self.slot.state in (State.NONE, State.READY):
            return outcome
        warning = Warning(Code.TARGET_UNAVAILABLE.value, f"Not verified by a target. {self.slot.explanation}")
        return replace(outcome, warnings=(*outcome.warnings, warning))


def check_sha256(original: str, sha256: str | None) -> None:
    """InputRefused(CONTENT_CONFLICT) where the original isn't what the client took it for."""
    if sha256 is not None and hashlib.sha256(original.encode()).hexdigest() != sha256.lower():
        raise InputRefused(Code.CONTENT_CONFLICT, "The original isn't what sha256 says.")
