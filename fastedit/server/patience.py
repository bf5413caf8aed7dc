"""Limits how much is read from a client and how long it is waited for: no slow client can hold the service up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import fail_after
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fastedit.errors import Code
from fastedit.server.crowd import Limited
from fastedit.server.problems import RequestCode, RequestProblem, problem_response

CLOSE = {"Connection": "close"}  # what is left of the body isn't worth reading


class BodyReader:
    """Hands an application the whole body at once. What is too large is refused by its announced length, or as soon as
    that much has come; what takes too long is refused too."""

    def __init__(self, app: ASGIApp, max_bytes: int, timeout_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            body = await self._read(Headers(scope=scope), receive)
        except RequestProblem as problem:
            return await problem_response(problem, scope["path"])(scope, receive, send)
        if body is None:
            return None  # the client has gone
        return await self._app(scope, _replayed(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:19]) > self._max_bytes:
            raise self._too_large(announced[:19])
        parts, num_bytes = [], 0
        try:
            with fail_after(self._timeout_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    num_bytes += len(parts[-1])
                    if num_bytes > self._max_bytes:
                        raise self._too_large(f"at least {num_bytes}")
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError as error:
            message_text = f"The body didn't come within {self._timeout_s:g} s."
            raise RequestProblem(RequestCode.REQUEST_TIMEOUT, message_text, headers=CLOSE) from error

    def _too_large(self, given: str) -> RequestProblem:
        message = f"The body has {given} bytes; the limit is {self._max_bytes}."
        return RequestProblem(Code.TOO_LARGE, message, headers=CLOSE)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` for an application that hasn't seen the body yet."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class SendTimeout:
    """Ends the answer to a client that doesn't take it."""

    def __init__(self, app: ASGIApp, timeout_s: float) -> None:
        self._app = app
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, self._limited(send))

    def _limited(self, send: Send) -> Callable[[Message], Awaitable[None]]:
        async def limited(message: Message) -> None:
            try:
                with fail_after(self._timeout_s):
                    await send(message)
            except TimeoutError as error:
                raise ConnectionAbortedError("the client doesn't take its answer") from error

        return limited


def impatient(header_timeout_s: float) -> type[Limited]:
    """A protocol that waits no longer than that for a request's whole head: uvicorn of its own accord waits
    for ever."""

    class Impatient(Limited):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Arms the timer while a head is awaited, and only then."""
            cycle: Any = self.cycle
            if cycle is not None and not cycle.response_complete:
                self._stop_watching()
            elif self._waiting is None and not self.transport.is_closing():
                self._waiting = self.loop.call_later(header_timeout_s, self._give_up)

        def _stop_watching(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            self.transport.abort()

    return Impatient
