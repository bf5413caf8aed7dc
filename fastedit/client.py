"""Clients of the service, for programs: `Client`, and `AsyncClient` with the same methods to be awaited.

    applied = Client("http://127.0.0.1:8377").apply(original, edit, path="app.py")
    applied = await AsyncClient().apply(original, edit, path="app.py")

What can't be applied raises EditRefused, as with `fastedit.apply`. A service that is busy or not there yet is asked
again, a little later each time.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from fastedit.applied import Applied
from fastedit.apply import choice_of
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.errors import Code, EditRefused
from fastedit.remote import Remote

DEFAULT_URL = "http://127.0.0.1:8377"
# What goes away by itself. A deadline that has passed once would only pass again.
PASSING = frozenset({Code.OVERLOADED, Code.TARGET_UNAVAILABLE})
FIRST_PAUSE_S = 0.5


class ApplyOptions(TypedDict, total=False):
    """The options of `fastedit.apply`, but for `target`: the service has its own."""

    path: str | None
    instruction: str | None
    format: str
    mode: str
    scope: str
    certainty: float | None
    choose: int | None


@dataclass(frozen=True, slots=True)
class Client:
    """Asks a service to merge edits. tries: how often a request is sent at most."""

    url: str = DEFAULT_URL
    key: str | None = field(default=None, repr=False)
    tries: int = 3

    def apply(self, original: str, edit: str, **how: Unpack[ApplyOptions]) -> Applied:
        """The original with the edit in it; `how` as for `fastedit.apply`.

        Raises EditRefused, SettingsError for a key that the service doesn't take, and ValueError as `fastedit.apply`.
        """
        for number in range(1, self.tries + 1):
            try:
                return _apply(self, original, edit, how)
            except EditRefused as refusal:
                if refusal.code not in PASSING or number == self.tries:
                    raise
                time.sleep(_pause_s(number))
        raise ValueError("tries must be above 0")


@dataclass(frozen=True, slots=True)
class AsyncClient:
    """`Client` for asynchronous programs, which mustn't wait: each request has a thread of its own."""

    url: str = DEFAULT_URL
    key: str | None = field(default=None, repr=False)
    tries: int = 3

    async def apply(self, original: str, edit: str, **how: Unpack[ApplyOptions]) -> Applied:
        """As `Client.apply`. Cancelling stops waiting; the service ends the work by its own deadline."""
        for number in range(1, self.tries + 1):
            try:
                return await asyncio.to_thread(_apply, self, original, edit, how)
            except EditRefused as refusal:
                if refusal.code not in PASSING or number == self.tries:
                    raise
                await asyncio.sleep(_pause_s(number))
        raise ValueError("tries must be above 0")


def _apply(client: Client | AsyncClient, original: str, edit: str, how: ApplyOptions) -> Applied:
    """The outcome of one request. Raises TypeError for an option that doesn't exist, as a call would."""
    if unknown := sorted(how.keys() - ApplyOptions.__annotations__.keys()):
        raise TypeError(f"apply() got an unexpected keyword argument {unknown[0]!r}")
    choice = choice_of(how.get("certainty"), how.get("choose"))
    format, path = how.get("format", "auto"), how.get("path")
    edits, _ = edits_for(parse_message(edit, format=format), path)
    return Remote(client.url, client.key, format).apply_edits(
        original, edits, path=path, message=edit, instruction=how.get("instruction"), mode=how.get("mode", "auto"),
        scope=how.get("scope", "auto"), choice=choice,
    )  # fmt: skip


def _pause_s(number: int) -> float:
    """The seconds to wait after a try: twice as many each time, and not the same for all clients."""
    doubled: float = FIRST_PAUSE_S * 2 ** (number - 1)
    return doubled * random.uniform(0.5, 1.5)
