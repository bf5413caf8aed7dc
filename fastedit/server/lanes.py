"""Bounded queues: what can't be worked on soon is turned away at once, with a word about when to come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from fastedit.errors import Code, EngineUnavailable


class Lane:
    """Lets `width` jobs work and `max_waiting` wait. Structural work, a target's drafts and the target's own work have
    one each: none waits for another."""

    def __init__(self, name: str, width: int, max_waiting: int) -> None:
        self.name = name
        self.max_waiting = max_waiting
        self.num_waiting = 0
        self.num_running = 0
        self._places = anyio.CapacityLimiter(width)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Waits for a place and holds it. Raises EngineUnavailable(OVERLOADED) where too many wait already."""
        # One job may be several places' borrower (a batch has many), so each borrows under a name of its own.
        borrower = object()
        try:
            self._places.acquire_on_behalf_of_nowait(borrower)
        except anyio.WouldBlock:
            await self._wait(borrower)
        self.num_running += 1
        try:
            yield
        finally:
            self.num_running -= 1
            self._places.release_on_behalf_of(borrower)

    async def _wait(self, borrower: object) -> None:
        if self.num_waiting >= self.max_waiting:
            message = f"{self.num_waiting} {self.name} requests are waiting already."
            raise EngineUnavailable(Code.OVERLOADED, message)
        self.num_waiting += 1
        try:
            await self._places.acquire_on_behalf_of(borrower)
        finally:
            self.num_waiting -= 1
