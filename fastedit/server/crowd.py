"""Limits how many clients are connected at once, and tells those beyond the limit that there is no room.

uvicorn answers them in plain text, before the application has a say. Here they get through to it, marked, and are
answered like everybody who asks too much: with our code, and when to come back.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from fastedit.errors import Code, EngineUnavailable
from fastedit.server.problems import OPEN_PATHS, RequestProblem

BEYOND = "is_beyond_the_limit"  # in a scope's state


class Limited(H11Protocol):
    """uvicorn's protocol, which takes `limit_concurrency` for a number of connections.

    Those that are there go on being served. Later ones stay open only to be told that there is no room, until there
    is: their requests have `BEYOND` in their state. As many again, and a connection is dropped without a word.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._max_connections, self.limit_concurrency = self.limit_concurrency, None
        self._shared_state = self.app_state
        self._is_beyond = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._is_beyond = self._is_full(1)
        if self._is_full(2):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        self._is_beyond = self._is_beyond and self._is_full(1)
        self.app_state = {**self._shared_state, BEYOND: self._is_beyond}
        super().data_received(data)

    def _is_full(self, times: int) -> bool:
        return self._max_connections is not None and len(self.connections) > times * self._max_connections


def check_room(scope: Scope, _: Headers) -> None:
    """Raises Problem(OVERLOADED) for a request on a connection beyond the limit, unless it only watches the process."""
    if scope.get("state", {}).get(BEYOND) and scope["path"] not in OPEN_PATHS:
        raise RequestProblem.of(EngineUnavailable(Code.OVERLOADED, "Too many clients are connected already."))
